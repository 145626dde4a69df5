//! CSV with named columns, or with columns by number: separated by commas, semicolons, tabs, bars or blanks, whichever
//! the first line has. Fields may stand in double quotes, but not go over several lines.

use csv_core::ReadFieldResult;
use wordline_engine::host::request::HostOp;

use crate::config::{BlockEvent, ColumnsConfig};

use super::columns::{Places, Role};
use super::fields::{device, number, read_or_write, time};
use super::given::Given;
use super::quick::{Column, Quick};
use super::{Phrase, Row, Rules, quick, wordline};

/// What is remembered from line to line.
pub(super) struct Csv {
    config: ColumnsConfig,
    given: Given,
    layout: Option<Layout>,
    /// For lines without quotes and blanks, once the first request is read.
    quick: Option<Quick>,
    /// What was assumed and isn't said yet; the first request settles it.
    assumed: Vec<&'static str>,
    assumption: Option<String>,
    /// Whether a request was read.
    begun: bool,
}

/// What the first line told.
struct Layout {
    separator: Separator,
    places: Places,
    /// Role of each column, up to the last that is needed.
    roles: Vec<Option<Role>>,
    rules: Rules,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Byte(u8),
    Blanks,
}

impl Csv {
    pub(super) fn new(config: ColumnsConfig, given: Given) -> Self {
        Self { config, given, layout: None, quick: None, assumed: Vec::new(), assumption: None, begun: false }
    }

    pub(super) fn take_assumption(&mut self) -> Option<String> {
        self.assumption.take()
    }

    /// The reader of plain lines, when the first request has just been read.
    pub(super) fn take_quick(&mut self) -> Option<Quick> {
        self.quick.take()
    }

    pub(super) fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Phrase> {
        let Some(layout) = &self.layout else {
            return self.first(line, rules);
        };
        let row = layout.row(line);
        if !self.begun && matches!(row, Ok(Some(_))) {
            self.begin(line);
        }
        row
    }

    /// What the line of the first request settles: whether types are numbers, of which nothing said what they mean.
    fn begin(&mut self, line: &[u8]) {
        self.begun = true;
        let Some(layout) = &self.layout else { return };
        let unsaid = !self.given.read_is && layout.places.read_is.is_none();
        if unsaid && layout.op_is_number(line) {
            self.assumed.push("a type 1 for a read, 0 for a write (give `read_is`)");
        }
        if !self.assumed.is_empty() {
            self.assumption = Some(std::mem::take(&mut self.assumed).join(", "));
        }
        self.quick = layout.quick();
    }

    /// Reads the names in the first line; where all columns are given by number, the line may be a request.
    fn first(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Phrase> {
        let separator = Separator::of(line);
        let header = names(line, separator);
        let places = Places::find(&header, &self.config)?;
        let assumed_unit = places.time_unit.is_none() && !self.given.time;
        let rules = adjusted(rules, &places, &self.given);
        let layout = Layout { separator, roles: roles(&places), places, rules };
        let row = if self.config.all_numbers() { layout.row(line).unwrap_or(None) } else { None };
        if assumed_unit {
            self.assumed.push("times are taken for ns (give `time_unit`)");
        }
        self.layout = Some(layout);
        if row.is_some() {
            self.begin(line);
        }
        Ok(row)
    }
}

/// Names as the first line has them; numbers stand for no name.
fn names(line: &[u8], separator: Separator) -> Vec<String> {
    let mut names = Vec::new();
    let _ = separator.each(line, |_, field| {
        let name = field.get(..field.len().min(200)).unwrap_or(field);
        names.push(String::from_utf8_lossy(name).trim().to_owned());
        names.len() < 4096
    });
    names
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
    let sectors = |counted: bool| if counted { given.sector_bytes.max(1) } else { 1 };
    Rules {
        unit_ns: if given.time { rules.unit_ns } else { places.time_unit.unwrap_or(1) },
        offset_unit: if given.offset { rules.offset_unit } else { sectors(places.offset_in_sectors) },
        length_unit: if given.length { rules.length_unit } else { sectors(places.length_in_sectors) },
        read_is: if given.read_is { rules.read_is } else { places.read_is.unwrap_or(rules.read_is) },
        ..*rules
    }
}

impl Layout {
    fn row(&self, line: &[u8]) -> Result<Option<Row>, Phrase> {
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
            return self.assemble(fields.map(<[u8]>::trim_ascii));
        }
        match self.separator {
            Separator::Byte(separator) => {
                self.assemble(line.split(move |byte| *byte == separator).map(<[u8]>::trim_ascii))
            }
            Separator::Blanks => {
                self.assemble(line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()))
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

    /// Whether the type of the request in this line is a number or a truth value.
    fn op_is_number(&self, line: &[u8]) -> bool {
        let mut number = false;
        let _ = self.separator.each(line, |index, field| {
            let field = field.trim_ascii();
            let flag = || [b"true".as_slice(), b"false"].iter().any(|word| field.eq_ignore_ascii_case(word));
            number |=
                self.roles.get(index) == Some(&Some(Role::Op)) && (self::number(field).is_some() || flag());
            index < self.roles.len()
        });
        number
    }

    fn assemble<'a>(&self, fields: impl Iterator<Item = &'a [u8]>) -> Result<Option<Row>, Phrase> {
        let mut found: [Option<&[u8]>; 6] = [None; 6];
        for (field, role) in fields.zip(&self.roles) {
            if let Some(slot) = role.and_then(|role| found.get_mut(role as usize)) {
                *slot = Some(field);
            }
        }
        let [moment, op, offset, length, flow, event] = found;
        let rules = &self.rules;
        if self.places.at(Role::Event).is_some()
            && !is_event(event.ok_or("a field for the event")?, rules.event)
        {
            return Ok(None);
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
                Some(field) => device(field).ok_or_else(|| wrong("device", "a device from 0 to 65535"))?,
                None => 0,
            },
        };
        Ok(Some(if op == HostOp::Flush { Row { offset: 0, length: 0, ..row } } else { row }))
    }
}

pub(super) const OPS: &str = "read, write, trim or flush, their first letter, 0 or 1,";

/// The operation that a word or number names.
pub(super) fn op_of(field: &[u8], rules: &Rules) -> Option<HostOp> {
    if let Some(op) = read_or_write(field).or_else(|| wordline::op_of(field)) {
        return Some(op);
    }
    let is = |word: &[u8]| field.eq_ignore_ascii_case(word);
    if is(b"0") || is(b"false") {
        Some(rules.op_of(0))
    } else if is(b"1") || is(b"true") {
        Some(rules.op_of(1))
    } else if is(b"trim") || is(b"discard") || is(b"unmap") || is(b"d") {
        Some(HostOp::Trim)
    } else if is(b"flush") || is(b"sync") {
        Some(HostOp::Flush)
    } else {
        None
    }
}

fn is_event(field: &[u8], event: BlockEvent) -> bool {
    let names: [&[u8]; 3] = match event {
        BlockEvent::Queue => [b"q", b"queue", b"queued"],
        BlockEvent::Issue => [b"d", b"issue", b"issued"],
        BlockEvent::Complete => [b"c", b"complete", b"completed"],
    };
    names.iter().any(|name| field.eq_ignore_ascii_case(name))
}

/// A whole number of units as bytes; also one in scientific notation, as spreadsheets write it.
pub(super) fn loose(field: &[u8], unit: u64) -> Option<u64> {
    match number(field) {
        Some(count) => count.checked_mul(unit),
        None => {
            let count: f64 = decimal(field)?;
            (count.fract() == 0.0 && count < 1e18).then_some(count as u64)?.checked_mul(unit)
        }
    }
}

pub(super) fn loose_time(field: &[u8], unit_ns: u64) -> Option<u128> {
    time(field, unit_ns).or_else(|| {
        let count = decimal(field)? * unit_ns as f64;
        (count < 1e30).then_some(count as u128)
    })
}

/// A number with a point or an exponent that isn't negative; what is whole is read exactly, or is too large.
fn decimal(field: &[u8]) -> Option<f64> {
    if !field.iter().any(|byte| b".eE".contains(byte))
        || !field.iter().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(byte))
    {
        return None;
    }
    let value: f64 = std::str::from_utf8(field).ok()?.parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

/// The fields of a line with quotes, one behind the other, and where each ends.
fn unquoted(line: &[u8], separator: u8) -> (Vec<u8>, Vec<usize>) {
    let mut reader = csv_core::ReaderBuilder::new().delimiter(separator).build();
    let mut text = vec![0; line.len() + 1];
    let (mut ends, mut read, mut written) = (Vec::new(), 0, 0);
    loop {
        let rest = line.get(read..).unwrap_or_default();
        let room = text.get_mut(written..).unwrap_or_default();
        let (result, taken, given) = reader.read_field(rest, room);
        (read, written) = (read + taken, written + given);
        match result {
            ReadFieldResult::Field { .. } => ends.push(written),
            // An empty input ends the last field.
            ReadFieldResult::InputEmpty if rest.is_empty() => ends.push(written),
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::OutputFull | ReadFieldResult::End => break,
        }
    }
    (text, ends)
}

impl Separator {
    fn of(line: &[u8]) -> Self {
        let found = [b',', b';', b'\t', b'|'].into_iter().find(|byte| line.contains(byte));
        match found {
            // Columns that are lined up by several tabs.
            Some(b'\t') if line.windows(2).any(|pair| pair == b"\t\t") => Self::Blanks,
            Some(byte) => Self::Byte(byte),
            None => Self::Blanks,
        }
    }

    /// Calls `take` with each field until it says no.
    fn each(self, line: &[u8], mut take: impl FnMut(usize, &[u8]) -> bool) -> Option<()> {
        match self {
            Self::Byte(separator) => {
                let (text, ends) = unquoted(line, separator);
                let mut start = 0;
                for (index, end) in ends.iter().enumerate() {
                    take(index, text.get(start..*end)?).then_some(())?;
                    start = *end;
                }
            }
            Self::Blanks => {
                let fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
                for (index, field) in fields.enumerate() {
                    take(index, field).then_some(())?;
                }
            }
        }
        Some(())
    }
}

/// Whether a first line names the columns that are needed.
pub(super) fn names_columns(line: &[u8]) -> bool {
    let header = names(line, Separator::of(line));
    header.len() >= 4 && Places::find(&header, &ColumnsConfig::default()).is_ok()
}

/// Whether the first line of `head` has a column of flows, as Wordline's own files do.
pub(crate) fn names_flows(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    line.is_some_and(|line| {
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
        assert_eq!(rows("a\tb\tc\td\n7\tRead\t1.82083E+11\t4096", config, Given::default()), expected);
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
            ("1,R,0,512,z", "column of the device"),
            ("1,R,0", "column of the length"),
        ] {
            let error = rows(&format!("{header}{line}"), ColumnsConfig::default(), Given::default());
            assert!(error.clone().is_err_and(|error| error.contains(part)), "{line}: {error:?}");
        }
    }
}
