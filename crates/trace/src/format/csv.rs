//! CSV with named columns, or with columns by number: separated by commas, semicolons, tabs, bars or blanks, whichever
//! the first line has. Fields may stand in double quotes, but not go over several lines.

mod values;

use wordline_base::request::HostOp;

use crate::config::ColumnsConfig;

use super::columns::{Places, Role};
use super::fields::{device, number};
use super::given::Given;
use super::header::{has_no_number, heads, of_comment};
use super::left_out::LeftOut;
use super::names::Numbering;
use super::quick::{Column, Quick};
use super::separator::{Separator, names, unquoted};
use super::{Expected, Latency, Phrase, Row, Rules, header, iso, quick};
use values::{event_of, loose_span};

pub(super) use values::{OPS, loose, loose_time, op_of};

/// What is remembered from line to line.
pub(super) struct Csv {
    config: ColumnsConfig,
    given: Given,
    layout: Option<Layout>,
    /// The last remark before the first line: it may name the columns.
    remark: Option<Vec<u8>>,
    /// For lines without quotes and blanks, once the first request is read.
    quick: Option<Quick>,
    assumption: Option<String>,
    /// Whether a request was read.
    begun: bool,
    devices: Devices,
    left_out: LeftOut,
}

/// How devices are told.
#[derive(Default)]
enum Devices {
    /// By what stands in the first request's line.
    #[default]
    Unsettled,
    ByNumber,
    ByName(Numbering),
}

impl Devices {
    fn of(&mut self, field: &[u8]) -> Result<u16, Expected> {
        if let Self::Unsettled = self {
            *self = if number(field).is_none() { Self::ByName(Numbering::default()) } else { Self::ByNumber };
        }
        match self {
            Self::ByName(_) if field.is_empty() => Err("a device"),
            Self::ByName(names) => names.number(field).ok_or("at most 65536 devices"),
            _ => device(field).ok_or("a device from 0 to 65535"),
        }
    }
}

/// What the first line told.
struct Layout {
    separator: Separator,
    places: Places,
    /// Role of each column, up to the last that is needed.
    roles: Vec<Option<Role>>,
    rules: Rules,
}

impl Csv {
    pub(super) fn new(config: ColumnsConfig, given: Given) -> Self {
        Self {
            config,
            given,
            layout: None,
            remark: None,
            quick: None,
            assumption: None,
            begun: false,
            devices: Devices::default(),
            left_out: LeftOut::default(),
        }
    }

    /// What the names of the columns told; `None` before the first line.
    pub(super) fn told(&self) -> Option<&Places> {
        self.layout.as_ref().map(|layout| &layout.places)
    }

    /// Whether the time in a line is a decimal with a point, whatever stands behind it: `1.0`.
    pub(super) fn time_has_point(&self, line: &[u8]) -> bool {
        self.layout.as_ref().is_some_and(|layout| layout.time_has_point(line))
    }

    pub(super) fn take_devices(&mut self) -> Vec<String> {
        match &mut self.devices {
            Devices::ByName(names) => names.take_fresh(),
            _ => Vec::new(),
        }
    }

    pub(super) fn take_left_out(&mut self) -> LeftOut {
        std::mem::take(&mut self.left_out)
    }

    /// A remark, which names the columns where it stands above a first line without names.
    pub(super) fn remark(&mut self, line: &[u8]) {
        if self.layout.is_none() {
            self.remark = of_comment(line).map(<[u8]>::to_vec);
        }
    }

    pub(super) fn take_assumption(&mut self) -> Option<String> {
        self.assumption.take()
    }

    /// The reader of plain lines, when the first request has just been read.
    pub(super) fn take_quick(&mut self) -> Option<Quick> {
        self.quick.take()
    }

    pub(super) fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Phrase> {
        if self.layout.is_none() && self.first(line, rules)? {
            return Ok(None);
        }
        let Some(layout) = &self.layout else { return Ok(None) };
        let row = layout.row(line, &mut self.devices, &mut self.left_out)?;
        if !self.begun && row.is_some() {
            self.begin(line);
        }
        Ok(row)
    }

    /// What the line of the first request settles: whether types are numbers, of which nothing said what they mean.
    fn begin(&mut self, line: &[u8]) {
        self.begun = true;
        let Some(layout) = &self.layout else { return };
        let dated = iso::is_in(line);
        let given = Given { time: self.given.time || dated, ..self.given };
        let mut assumed = layout.places.assumed(&given);
        assumed.extend(layout.places.without_latency(&layout.rules));
        if !self.given.read_is && layout.places.read_is.is_none() && layout.op_is_number(line) {
            assumed.push("a type 1 is taken for a read, 0 for a write (give `read_is`)".to_owned());
        }
        if !assumed.is_empty() {
            self.assumption = Some(assumed.join("; "));
        }
        if !matches!(self.devices, Devices::ByName(_)) {
            self.quick = layout.quick();
        }
    }

    /// Finds the columns by the first line, or by the remark above it; whether the line holds their names. Where all
    /// columns are given by number and it has numbers, it is a request.
    fn first(&mut self, line: &[u8], rules: &Rules) -> Result<bool, Phrase> {
        let numbered = self.config.all_numbers() && !has_no_number(line);
        let remark = self.remark.take().filter(|remark| heads(remark, line));
        let (header, is_header) = match (&remark, numbered) {
            (Some(remark), _) => (names(remark, Separator::of(remark)), false),
            (None, true) => (Vec::new(), false),
            (None, false) => (names(line, Separator::of(line)), true),
        };
        let places = Places::find(&header, &self.config)?;
        let rules = adjusted(rules, &places, &self.given);
        self.layout = Some(Layout { separator: Separator::of(line), roles: roles(&places), places, rules });
        Ok(is_header)
    }
}

fn roles(places: &Places) -> Vec<Option<Role>> {
    let last = places.of.iter().flatten().max().map_or(0, |last| last + 1);
    let mut roles = vec![None; last.min(1 << 20)];
    for role in Role::ALL {
        if let Some(slot) = places.at(role).and_then(|place| roles.get_mut(place)) {
            *slot = Some(role);
        }
    }
    roles
}

/// What the names say where the description doesn't.
pub(super) fn adjusted(rules: &Rules, places: &Places, given: &Given) -> Rules {
    Rules {
        unit_ns: if given.time { rules.unit_ns } else { places.time_unit.unwrap_or(1) },
        offset_unit: if given.offset { rules.offset_unit } else { places.offset.bytes(given.sector_bytes) },
        length_unit: if given.length { rules.length_unit } else { places.length.bytes(given.sector_bytes) },
        read_is: if given.read_is { rules.read_is } else { places.read_is.unwrap_or(rules.read_is) },
        latency_ns: rules.latency_ns.or(places.latency_unit),
        ..*rules
    }
}

impl Layout {
    fn row(&self, line: &[u8], devices: &mut Devices, left_out: &mut LeftOut) -> Result<Option<Row>, Phrase> {
        if memchr::memchr(b'"', line).is_some()
            && let Separator::Byte(separator) = self.separator
        {
            let (text, ends) = unquoted(line, separator);
            let mut start = 0;
            let fields = ends.iter().map(|end| {
                let field = text.get(start..*end).unwrap_or_default();
                start = *end;
                field
            });
            return self.assemble(fields.map(<[u8]>::trim_ascii), devices, left_out);
        }
        match self.separator {
            Separator::Byte(separator) => {
                let fields = line.split(move |byte| *byte == separator).map(<[u8]>::trim_ascii);
                self.assemble(fields, devices, left_out)
            }
            Separator::Blanks => {
                let fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
                self.assemble(fields, devices, left_out)
            }
        }
    }

    /// For plain lines, if each that is needed has a column of its own and all lines count.
    fn quick(&self) -> Option<Quick> {
        let needed = [Role::Time, Role::Op, Role::Offset, Role::Length];
        if self.places.at(Role::Event).is_some()
            || !needed.iter().all(|role| self.roles.contains(&Some(*role)))
        {
            return None;
        }
        let column = |role: &Option<Role>| match role {
            Some(Role::Latency) => Column::Latency,
            Some(Role::Time) => Column::Time,
            Some(Role::Op) => Column::Op,
            Some(Role::Offset) => Column::Offset,
            Some(Role::Length) => Column::Length,
            Some(Role::Device) => Column::Device,
            Some(Role::Event) | None => Column::Any,
        };
        let layout = quick::Layout {
            columns: &self.roles.iter().map(column).collect::<Vec<_>>(),
            needed: self.roles.len(),
            more: true,
            separator: match self.separator {
                Separator::Byte(byte) => byte,
                Separator::Blanks => b' ',
            },
            op: op_of,
        };
        Some(Quick::new(&layout, &self.rules))
    }

    fn time_has_point(&self, line: &[u8]) -> bool {
        let mut has_point = false;
        let _ = self.separator.each(line, |index, field| {
            let field = field.trim_ascii();
            has_point |= self.roles.get(index) == Some(&Some(Role::Time))
                && field.contains(&b'.')
                && field.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
            index < self.roles.len()
        });
        has_point
    }

    /// Whether the type of the request in this line is a number or a truth value.
    fn op_is_number(&self, line: &[u8]) -> bool {
        let mut number = false;
        let _ = self.separator.each(line, |index, field| {
            let field = field.trim_ascii();
            let flags = [b"0".as_slice(), b"1", b"true", b"false"];
            number |= self.roles.get(index) == Some(&Some(Role::Op))
                && flags.iter().any(|flag| field.eq_ignore_ascii_case(flag));
            index < self.roles.len()
        });
        number
    }

    /// A response time; unknown where the column has none.
    fn latency(&self, field: &[u8]) -> Latency {
        Latency::of_some(self.rules.latency_ns.and_then(|unit| loose_span(field, unit)))
    }

    fn assemble<'a>(
        &self,
        fields: impl Iterator<Item = &'a [u8]>,
        devices: &mut Devices,
        left_out: &mut LeftOut,
    ) -> Result<Option<Row>, Phrase> {
        let mut found: [Option<&[u8]>; 7] = [None; 7];
        for (field, role) in fields.zip(&self.roles) {
            if let Some(slot) = role.and_then(|role| found.get_mut(role as usize)) {
                *slot = Some(field);
            }
        }
        let [moment, op, offset, length, flow, event, latency] = found;
        let rules = &self.rules;
        if self.places.at(Role::Event).is_some() {
            let event = event_of(event.ok_or("a field for the event")?);
            event.iter().for_each(|event| left_out.event(*event));
            if event != Some(rules.event) {
                return Ok(None);
            }
        }
        let wrong = |role: &str, what: &str| Phrase::from(format!("{what} in the column of the {role}"));
        let op = op.and_then(|op| op_of(op, rules)).ok_or_else(|| wrong("op", OPS))?;
        let row = Row {
            time: moment
                .and_then(|field| loose_time(field, rules.unit_ns))
                .ok_or_else(|| wrong("time", "a time"))?,
            op,
            offset: offset
                .and_then(|field| loose(field, rules.offset_unit))
                .ok_or_else(|| wrong("offset", "an offset"))?,
            length: length
                .and_then(|field| loose(field, rules.length_unit))
                .ok_or_else(|| wrong("length", "a length"))?,
            device: match flow {
                Some(field) => devices.of(field).map_err(|what| wrong("device", what))?,
                None => 0,
            },
            latency: latency.map_or(Latency::UNKNOWN, |field| self.latency(field)),
        };
        Ok(Some(if op == HostOp::Flush { Row { offset: 0, length: 0, ..row } } else { row }))
    }
}

/// Whether `head` names a column of flows, as Wordline's own files do.
pub(crate) fn names_flows(head: &[u8]) -> bool {
    let lines = head.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    header::of_text(lines).is_some_and(|line| {
        let header = names(line, Separator::of(line));
        Places::find(&header, &ColumnsConfig::default()).is_ok_and(|places| places.flow)
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;
    use crate::config::ColumnRef;

    /// Time, operation, offset, length and stream or device.
    type Row = (u128, HostOp, u64, u64, u16);

    const RULES: Rules = Rules::of(Form::Columns);

    /// One row.
    fn row(text: &str, given: Given) -> Row {
        let rows = rows(text, ColumnsConfig::default(), given).unwrap();
        *rows.last().unwrap()
    }

    fn rows(text: &str, config: ColumnsConfig, given: Given) -> Result<Vec<Row>, String> {
        let mut csv = Csv::new(config, given);
        let mut rows = Vec::new();
        for line in text.lines() {
            if let Some(row) = csv.parse(line.as_bytes(), &RULES).map_err(|error| error.to_string())? {
                rows.push((row.time, row.op, row.offset, row.length, row.device));
            }
        }
        Ok(rows)
    }

    fn numbered(columns: [u32; 4]) -> ColumnsConfig {
        let [time, op, offset, length] = columns.map(|number| Some(ColumnRef::Number(number)));
        ColumnsConfig { time, op, offset, length, ..ColumnsConfig::default() }
    }

    #[test]
    fn names_tell_columns_and_units_with_any_separator() {
        let given = Given { sector_bytes: 512, ..Given::default() };
        for separator in [",", ";", "\t", "|", "  "] {
            let text = "lba,time_ms,n,rw,sectors\n8,1.5,x,W,2\n0,2,y,1,1\n".replace(',', separator);
            let expected =
                vec![(1_500_000, HostOp::Write, 4096, 1024, 0), (2_000_000, HostOp::Read, 0, 512, 0)];
            assert_eq!(rows(&text, ColumnsConfig::default(), given), Ok(expected), "{separator}");
        }
    }

    #[test]
    fn quoted_fields_are_read_as_csv_has_it() {
        let text = "\"time_ns\",\"host, name\",op,offset,length\n5,\"a, \"\"b\"\"\",\"read\",\"512\",1024\n";
        let found = rows(text, ColumnsConfig::default(), Given::default());
        assert_eq!(found, Ok(vec![(5, HostOp::Read, 512, 1024, 0)]));
    }

    #[test]
    fn columns_by_number_need_no_header() {
        let config = numbered([1, 2, 3, 4]);
        let expected = Ok(vec![(7, HostOp::Read, 182_083_000_000, 4096, 0)]);
        assert_eq!(rows("7 \tRead\t1.82083E+11\t4096", config.clone(), Given::default()), expected);
        let header = "a\tb\tc\td\n7\tRead\t1.82083E+11\t4096";
        assert_eq!(rows(header, config.clone(), Given::default()), expected);
        // What has numbers is a request, if a wrong one, and no header.
        for wrong in ["7\tRead\tx\t4096", "7\tVerify\t0\t4096", "7\tRead\t0"] {
            let error = rows(wrong, config.clone(), Given::default());
            assert!(
                error.clone().is_err_and(|error| error.contains("in the column of")),
                "{wrong}: {error:?}"
            );
        }
    }

    #[test]
    fn operations_have_many_words() {
        for (word, op) in [
            ("WS", HostOp::Write),
            ("RA", HostOp::Read),
            ("DiskWrite", HostOp::Write),
            ("rEaD", HostOp::Read),
            ("WFS", HostOp::WriteFua),
            ("discard", HostOp::Trim),
        ] {
            let found = row(&format!("time_ns,op,offset,length\n1,{word},512,1024"), Given::default());
            assert_eq!(found, (1, op, 512, 1024, 0), "{word}");
        }
    }

    #[test]
    fn devices_by_name_are_numbered_and_told() {
        let mut csv = Csv::new(ColumnsConfig::default(), Given::default());
        csv.parse(b"time_ns,disk,op,offset,length", &RULES).unwrap();
        let mut device = |name: &str| {
            let line = format!("0,{name},R,0,512");
            let row = csv.parse(line.as_bytes(), &RULES).unwrap().unwrap();
            (row.device, csv.take_devices().join(" "))
        };
        let told: Vec<_> = ["sdb", "sdc", "sdb", "7"].into_iter().map(&mut device).collect();
        let expected = [(0, "sdb"), (1, "sdc"), (0, ""), (2, "7")];
        assert_eq!(told, expected.map(|(number, name)| (number, name.to_owned())));
        // Names can't be read behind numbers: they would be others' numbers.
        let text = "time_ns,disk,op,offset,length\n0,1,R,0,512\n0,sdb,R,0,512";
        let error = rows(text, ColumnsConfig::default(), Given::default()).unwrap_err();
        assert!(error.contains("a device from 0 to 65535"), "{error}");
    }

    #[test]
    fn units_of_names_and_what_they_leave_open_are_told() {
        let given = Given { sector_bytes: 512, ..Given::default() };
        for (header, expected, said) in [
            (
                "timestamp_us,rw,lba,nblocks",
                (5_000, HostOp::Read, 1536, 4096, 0),
                &["`lba`", "`nblocks`", "blocks of 512"][..],
            ),
            ("time_us,rw,start_sector,nr_sector", (5_000, HostOp::Read, 1536, 4096, 0), &[]),
            (
                "time_us,rw,lba,size",
                (5_000, HostOp::Read, 1536, 8, 0),
                &["`size`", "bytes", "length_unit_bytes"],
            ),
            ("time_us,rw,offset_bytes,length (KB)", (5_000, HostOp::Read, 3, 8192, 0), &[]),
            ("time,rw,offset,length", (5, HostOp::Read, 3, 8, 0), &["taken for ns", "`offset`", "`length`"]),
        ] {
            let mut csv = Csv::new(ColumnsConfig::default(), given);
            csv.parse(header.as_bytes(), &RULES).unwrap();
            let row = csv.parse(b"5,R,3,8", &RULES).unwrap().unwrap();
            assert_eq!((row.time, row.op, row.offset, row.length, row.device), expected, "{header}");
            let note = csv.take_assumption().unwrap_or_default();
            assert_eq!(note.is_empty(), said.is_empty(), "{header}: {note}");
            assert!(said.iter().all(|part| note.contains(part)), "{header}: {note}");
        }
    }

    #[test]
    fn a_remark_right_above_names_the_columns() {
        let config = ColumnsConfig::default;
        let found = rows("x,y\n", config(), Given::default());
        assert!(found.is_err());
        let mut csv = Csv::new(config(), Given::default());
        csv.remark(b"# made by hand");
        csv.remark(b"# time_us,op,offset_bytes,length_bytes");
        let row = csv.parse(b"5,R,512,1024", &RULES).unwrap().unwrap();
        assert_eq!((row.time, row.op, row.offset, row.length), (5_000, HostOp::Read, 512, 1024));
    }

    #[test]
    fn an_event_column_selects_lines() {
        let mut config = numbered([6, 3, 4, 5]);
        config.event = Some(ColumnRef::Number(2));
        let text = "1 D read 4096 512 0.5\n0 C read 4096 512 0.6\n";
        let found = rows(text, config, Given { time: true, ..Given::default() });
        assert_eq!(found, Ok(vec![(0, HostOp::Read, 4096, 512, 0)]));
    }

    #[test]
    fn assumptions_are_said_once() {
        let mut csv = Csv::new(ColumnsConfig::default(), Given::default());
        csv.parse(b"time,op,offset,length", &RULES).unwrap();
        csv.parse(b"0,R,0,512", &RULES).unwrap();
        assert!(csv.take_assumption().unwrap().contains("taken for ns"));
        csv.parse(b"1,R,0,512", &RULES).unwrap();
        assert_eq!(csv.take_assumption(), None);
    }

    #[test]
    fn what_types_mean_is_assumed_only_of_numbers() {
        for (op, said) in [("R", false), ("write", false), ("0", true), ("True", true), ("\"1\"", true)] {
            let mut csv = Csv::new(ColumnsConfig::default(), Given::default());
            csv.parse(b"time_ns,op,offset,length", &RULES).unwrap();
            csv.parse(format!("0,{op},0,512").as_bytes(), &RULES).unwrap();
            let assumption = csv.take_assumption();
            assert_eq!(assumption.is_some_and(|text| text.contains("read_is")), said, "{op}");
        }
        let mut csv = Csv::new(numbered([1, 2, 3, 4]), Given { time: true, ..Given::default() });
        csv.parse(b"0,1,0,512", &RULES).unwrap();
        assert!(csv.take_assumption().is_some_and(|text| text.contains("read_is")));
    }

    #[test]
    fn bad_lines_say_which_column() {
        let header = "time_ns,op,offset,length,device\n";
        for (line, part) in [
            ("x,R,0,512,0", "a time in the column of the time"),
            ("1,X,0,512,0", "column of the op"),
            ("1,R,-1,512,0", "column of the offset"),
            ("1,R,0,1.5,0", "column of the length"),
            ("1,R,0,512,70000", "column of the device"),
            ("1,R,0,512,", "column of the device"),
            ("1,R,0", "column of the length"),
        ] {
            let error = rows(&format!("{header}{line}"), ColumnsConfig::default(), Given::default());
            assert!(error.clone().is_err_and(|error| error.contains(part)), "{line}: {error:?}");
        }
    }
}
