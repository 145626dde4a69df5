//! Columns by their names: which holds what, and in which unit.

use crate::config::{ColumnRef, ColumnsConfig};

use super::Rules;
use super::given::Given;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Op,
    Offset,
    Length,
    Device,
    Event,
    Latency,
}

impl Role {
    pub(super) const ALL: [Self; 7] =
        [Self::Time, Self::Op, Self::Offset, Self::Length, Self::Device, Self::Event, Self::Latency];

    fn key(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Op => "op",
            Self::Offset => "offset",
            Self::Length => "length",
            Self::Device => "device",
            Self::Event => "event",
            Self::Latency => "latency",
        }
    }

    fn given(self, config: &ColumnsConfig) -> Option<&ColumnRef> {
        match self {
            Self::Time => config.time.as_ref(),
            Self::Op => config.op.as_ref(),
            Self::Offset => config.offset.as_ref(),
            Self::Length => config.length.as_ref(),
            Self::Device => config.device.as_ref(),
            Self::Event => config.event.as_ref(),
            Self::Latency => config.latency.as_ref(),
        }
    }

    /// Names that are taken for it, simplified, the surest first.
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Time => &[
                "time",
                "timestamp",
                "ts",
                "arrival",
                "arrivaltime",
                "arrivaltimestamp",
                "requesttime",
                "reqtime",
                "issuetime",
                "submittime",
                "starttime",
                "eventtime",
                "iotime",
                "start",
                "clocktime",
                "clock",
            ],
            Self::Op => &[
                "op",
                "opcode",
                "operation",
                "iotype",
                "optype",
                "requesttype",
                "reqtype",
                "accesstype",
                "type",
                "rw",
                "readwrite",
                "rwbs",
                "rwflag",
                "iswrite",
                "isread",
                "write",
                "read",
                "cmd",
                "command",
                "direction",
                "iodirection",
                "request",
            ],
            Self::Offset => &[
                "offset",
                "byteoffset",
                "startoffset",
                "startbyte",
                "address",
                "startaddress",
                "addr",
                "lba",
                "lbn",
                "startlba",
                "slba",
                "sector",
                "startsector",
                "firstsector",
                "sectornumber",
                "blkno",
                "blocknumber",
                "blockno",
                "startblock",
                "firstblock",
                "block",
            ],
            Self::Length => &[
                "length",
                "len",
                "size",
                "iosize",
                "iolength",
                "requestsize",
                "reqsize",
                "transfersize",
                "transferlength",
                "bytes",
                "nbytes",
                "nrbytes",
                "numbytes",
                "bytecount",
                "byte",
                "sectors",
                "nsectors",
                "nsector",
                "numsectors",
                "nrsectors",
                "nrsector",
                "nsect",
                "sectorcount",
                "nlb",
                "blkcount",
                "bcount",
                "blocks",
                "nblocks",
                "numblocks",
                "nrblocks",
                "nblk",
                "nblks",
                "blockcount",
                "count",
            ],
            Self::Device => &[
                "flow",
                "device",
                "deviceid",
                "devicenumber",
                "devicename",
                "devno",
                "devname",
                "dev",
                "disk",
                "diskid",
                "disknumber",
                "diskname",
                "drive",
                "volume",
                "volumeid",
                "lun",
                "asu",
                "nsid",
            ],
            // `action` is often the operation: an event column must be named by the user.
            Self::Event => &[],
            Self::Latency => &[
                "latency",
                "lat",
                "responsetime",
                "response",
                "resptime",
                "completionlatency",
                "clat",
                "elapsedtime",
                "elapsed",
                "duration",
                "servicetime",
            ],
        }
    }

    /// Whether a name of this role may end with the unit.
    fn may_have(self, unit: &str) -> bool {
        match self {
            Self::Time | Self::Latency => unit_ns(unit).is_some(),
            Self::Offset | Self::Length => Counted::by_unit(unit).is_some(),
            Self::Op | Self::Device | Self::Event => false,
        }
    }
}

/// What offsets or lengths count, as their column's name has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Counted {
    /// The name doesn't say: bytes.
    #[default]
    Unsaid,
    /// So many bytes each.
    Of(u64),
    /// Sectors.
    Sectors,
    /// Blocks, or logical blocks: taken for sectors.
    Blocks,
}

impl Counted {
    /// By the unit at a name's end.
    fn by_unit(unit: &str) -> Option<Self> {
        Some(match unit {
            "bytes" | "byte" | "b" => Self::Of(1),
            "kb" | "kib" | "kbytes" => Self::Of(1 << 10),
            "mb" | "mib" | "mbytes" => Self::Of(1 << 20),
            "sectors" | "sector" | "sects" | "sect" => Self::Sectors,
            "blocks" | "block" | "blks" | "blk" | "lba" | "lbas" => Self::Blocks,
            _ => return None,
        })
    }

    /// By a whole name, simplified.
    fn by_name(name: &str) -> Self {
        if name.contains("byte") {
            Self::Of(1)
        } else if name.ends_with("size") {
            Self::Unsaid
        } else if name.contains("sect") {
            Self::Sectors
        } else if ["lba", "lbn", "nlb", "blk", "block", "bcount"].iter().any(|part| name.contains(part)) {
            Self::Blocks
        } else {
            Self::Unsaid
        }
    }

    fn of(name: &str) -> Self {
        let (rest, unit) = split(name);
        Self::by_unit(&unit).unwrap_or_else(|| Self::by_name(&(rest + &unit)))
    }

    /// Bytes of one as far as the name says, where a sector has so many.
    pub(super) fn said(self, sector_bytes: u64) -> Option<u64> {
        match self {
            Self::Unsaid => None,
            Self::Of(bytes) => Some(bytes),
            Self::Sectors | Self::Blocks => Some(sector_bytes.max(1)),
        }
    }

    /// Bytes of one.
    pub(super) fn bytes(self, sector_bytes: u64) -> u64 {
        self.said(sector_bytes).unwrap_or(1)
    }
}

/// Where the columns are, from 0, and their units as far as names tell them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// In the order of [`Role::ALL`].
    pub of: [Option<usize>; 7],
    /// Unit of times by the column's name, ns.
    pub time_unit: Option<u64>,
    /// The same of measured response times.
    pub latency_unit: Option<u64>,
    pub offset: Counted,
    pub length: Counted,
    /// Names of the columns of offsets and lengths, shortened; empty where they have none.
    pub offset_name: String,
    pub length_name: String,
    /// The value that says read, by the column's name.
    pub read_is: Option<u8>,
    /// The device column is a flow of Wordline's own forms.
    pub flow: bool,
}

impl Places {
    pub(super) fn at(&self, role: Role) -> Option<usize> {
        self.of.get(role as usize).copied().flatten()
    }

    /// Finds the columns in a header. An error is a phrase that follows "expected".
    pub(super) fn find(header: &[String], config: &ColumnsConfig) -> Result<Self, String> {
        let mut places = Self::default();
        for (role, place) in Role::ALL.into_iter().zip(&mut places.of) {
            *place = match role.given(config) {
                Some(ColumnRef::Number(number)) => Some((*number as usize).saturating_sub(1)),
                Some(ColumnRef::Name(name)) => Some(position(header, name).ok_or_else(|| {
                    format!("a column `{name}` in the first line (there are {})", listed(header))
                })?),
                None => guess(header, role),
            };
            let by_name = !matches!(role.given(config), Some(ColumnRef::Number(_)));
            if let Some(place) = place.filter(|_| by_name) {
                check_alone(header, place, role, config)?;
            }
            let needed = !matches!(role, Role::Device | Role::Event | Role::Latency);
            if needed && place.is_none() {
                return Err(format!(
                    "a column that is known as the {key} in the first line (there are {}); columns.{key} names one",
                    listed(header),
                    key = role.key()
                ));
            }
        }
        places.units(header);
        Ok(places)
    }

    /// How many of the needed columns have a usual name.
    pub(super) fn known(header: &[String]) -> usize {
        let needed = [Role::Time, Role::Op, Role::Offset, Role::Length];
        needed.into_iter().filter(|role| guess(header, *role).is_some()).count()
    }

    /// What names and description leave open, and how it is taken.
    pub(super) fn assumed(&self, given: &Given) -> Vec<String> {
        let mut assumed = Vec::new();
        if self.time_unit.is_none() && !given.time {
            assumed.push("times are taken for ns (give `time_unit`)".to_owned());
        }
        let sector = given.sector_bytes.max(1);
        // A unit that is left open matters most beside one that isn't.
        let sides = [
            ("offsets", "offset_unit_bytes", self.offset, &self.offset_name, given.offset),
            ("lengths", "length_unit_bytes", self.length, &self.length_name, given.length),
        ];
        for (what, key, counted, name, given) in sides {
            let shown = if name.is_empty() { String::new() } else { format!(" (`{name}`)") };
            match counted {
                _ if given => {}
                Counted::Unsaid => assumed.push(format!("{what}{shown} are taken for bytes (give `{key}`)")),
                Counted::Blocks => assumed.push(format!(
                    "{what}{shown} are taken for blocks of {sector} bytes (give `sector_bytes`)"
                )),
                Counted::Of(_) | Counted::Sectors => {}
            }
        }
        assumed
    }

    /// That response times aren't taken, where nothing tells their unit.
    pub(super) fn without_latency(&self, rules: &Rules) -> Option<String> {
        self.at(Role::Latency).filter(|_| rules.latency_ns.is_none())?;
        Some(format!(
            "the response times in column {} are passed over, since nothing tells their unit (give `latency_unit`)",
            self.at(Role::Latency).map_or(0, |place| place + 1)
        ))
    }

    fn units(&mut self, header: &[String]) {
        let name = |place: Option<usize>| place.and_then(|place| header.get(place)).map(|name| split(name));
        self.latency_unit = name(self.at(Role::Latency)).and_then(|(_, unit)| unit_ns(&unit));
        self.time_unit = name(self.at(Role::Time)).and_then(|(_, unit)| unit_ns(&unit));
        let written =
            |role| self.at(role).and_then(|place| header.get(place)).map(String::as_str).unwrap_or_default();
        let (offset, length) = (written(Role::Offset), written(Role::Length));
        (self.offset, self.length) = (Counted::of(offset), Counted::of(length));
        (self.offset_name, self.length_name) = (shown(offset), shown(length));
        let whole = |place| name(place).map(|(name, unit)| name + &unit).unwrap_or_default();
        self.read_is = match whole(self.at(Role::Op)).as_str() {
            "iswrite" | "write" => Some(0),
            "isread" | "read" => Some(1),
            _ => None,
        };
        self.flow = whole(self.at(Role::Device)) == "flow";
    }
}

fn unit_ns(unit: &str) -> Option<u64> {
    match unit {
        "s" | "sec" | "secs" | "second" | "seconds" => Some(1_000_000_000),
        "ms" | "msec" | "msecs" | "millis" | "millisecond" | "milliseconds" => Some(1_000_000),
        "us" | "usec" | "usecs" | "micros" | "microsecond" | "microseconds" => Some(1_000),
        "100ns" | "filetime" => Some(100),
        "ns" | "nsec" | "nsecs" | "nanos" | "nanosecond" | "nanoseconds" => Some(1),
        _ => None,
    }
}

/// A name without its unit, simplified to small letters and digits, and the unit: `Time (us)` and `timeUs` give `time`
/// and `us`.
fn split(name: &str) -> (String, String) {
    let words = words(name);
    match words.split_last() {
        Some((last, rest))
            if !rest.is_empty() && (unit_ns(last).is_some() || Counted::by_unit(last).is_some()) =>
        {
            (rest.concat(), last.clone())
        }
        _ => (words.concat(), String::new()),
    }
}

/// The words of a name in small letters: what isn't a letter or digit parts them, and so does a large letter that stands
/// between small ones.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> =
        name.chars().map(|letter| if "\u{b5}\u{3bc}".contains(letter) { 'u' } else { letter }).collect();
    for (place, letter) in letters.iter().enumerate() {
        let small = |place: Option<usize>| {
            place.and_then(|place| letters.get(place)).is_some_and(char::is_ascii_lowercase)
        };
        let begins = letter.is_ascii_uppercase() && small(place.checked_sub(1)) && small(Some(place + 1));
        if begins || !letter.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut()
            && letter.is_ascii_alphanumeric()
        {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn position(header: &[String], name: &str) -> Option<usize> {
    let exact = header.iter().position(|found| found == name);
    exact.or_else(|| header.iter().position(|found| found.eq_ignore_ascii_case(name)))
}

/// Refuses a name that another column has, too; case counts only for one that the description gives as it is written.
fn check_alone(header: &[String], place: usize, role: Role, config: &ColumnsConfig) -> Result<(), String> {
    let name = header.get(place).map(String::as_str).unwrap_or_default();
    let is_written = matches!(role.given(config), Some(ColumnRef::Name(given)) if given == name);
    let alike = |found: &str| if is_written { found == name } else { found.eq_ignore_ascii_case(name) };
    match (0..).zip(header).find(|(other, found)| *other != place && alike(found)) {
        None => Ok(()),
        Some((other, _)) => Err(format!(
            "one column `{}` in the first line, not two: columns {} and {}; columns.{} = {} names one by its number",
            shown(name),
            place.min(other) + 1,
            place.max(other) + 1,
            role.key(),
            place + 1,
        )),
    }
}

fn guess(header: &[String], role: Role) -> Option<usize> {
    let names: Vec<_> = header.iter().map(|name| split(name)).collect();
    role.names().iter().find_map(|wanted| {
        names.iter().position(|(name, unit)| {
            (name == wanted && (unit.is_empty() || role.may_have(unit))) || format!("{name}{unit}") == *wanted
        })
    })
}

/// A name on one line, shortened.
fn shown(name: &str) -> String {
    name.chars().take(30).flat_map(char::escape_debug).collect()
}

fn listed(header: &[String]) -> String {
    if header.is_empty() {
        return "no names".into();
    }
    let mut names: Vec<String> = header.iter().take(12).map(|name| format!("`{}`", shown(name))).collect();
    if header.len() > names.len() {
        names.push("…".into());
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn usual_names_and_their_units_are_known() {
        let places = Places::find(&header("Time (us),LBA,Size_Bytes,Op,Disk ID"), &ColumnsConfig::default());
        let places = places.unwrap();
        assert_eq!(places.of, [Some(0), Some(3), Some(1), Some(2), Some(4), None, None]);
        assert_eq!(places.time_unit, Some(1_000));
        assert_eq!((places.offset, places.length, places.flow), (Counted::Blocks, Counted::Of(1), false));
        let own =
            Places::find(&header("time_ns,op,offset_bytes,length_bytes,flow"), &ColumnsConfig::default());
        let own = own.unwrap();
        assert_eq!(own.of, [Some(0), Some(1), Some(2), Some(3), Some(4), None, None]);
        assert!(own.flow && own.time_unit == Some(1) && own.offset == Counted::Of(1));
        let flag = Places::find(&header("ts,is_write,sector,nr_sectors"), &ColumnsConfig::default()).unwrap();
        assert_eq!((flag.read_is, flag.length), (Some(0), Counted::Sectors));
    }

    #[test]
    fn units_are_told_however_a_name_is_written() {
        for (name, unit) in [
            ("time_us", Some(1_000)),
            ("timeUs", Some(1_000)),
            ("Time (\u{b5}s)", Some(1_000)),
            ("timestamp[ns]", Some(1)),
            ("ts.msec", Some(1_000_000)),
            ("TimeStamp", None),
            ("arrival_time_seconds", Some(1_000_000_000)),
            ("Timestamp (100ns)", Some(100)),
        ] {
            let found = Places::find(&header(&format!("{name},op,offset,length")), &ColumnsConfig::default());
            assert_eq!(found.map(|places| places.time_unit), Ok(unit), "{name}");
        }
        for (names, offset, length) in [
            ("offset,length", Counted::Unsaid, Counted::Unsaid),
            ("offsetBytes,size (KB)", Counted::Of(1), Counted::Of(1024)),
            ("start_sector,nr_sector", Counted::Sectors, Counted::Sectors),
            ("lba,nblocks", Counted::Blocks, Counted::Blocks),
            ("address_sectors,nr_bytes", Counted::Sectors, Counted::Of(1)),
            ("blkno,size", Counted::Blocks, Counted::Unsaid),
            ("ByteOffset,IOSize", Counted::Of(1), Counted::Unsaid),
        ] {
            let found = Places::find(&header(&format!("time,op,{names}")), &ColumnsConfig::default());
            assert_eq!(found.map(|places| (places.offset, places.length)), Ok((offset, length)), "{names}");
        }
    }

    #[test]
    fn a_unit_of_another_kind_makes_another_name() {
        // The start of a request in sectors is no time.
        let found =
            Places::find(&header("start_sector,time_ms,op,count"), &ColumnsConfig::default()).unwrap();
        assert_eq!(found.of, [Some(1), Some(2), Some(0), Some(3), None, None, None]);
    }

    #[test]
    fn names_and_numbers_can_be_given() {
        let config = ColumnsConfig {
            time: Some(ColumnRef::Name("When".into())),
            op: Some(ColumnRef::Number(2)),
            ..ColumnsConfig::default()
        };
        let places = Places::find(&header("when,what,offset,length"), &config).unwrap();
        assert_eq!(places.of.get(..2), Some(&[Some(0), Some(1)][..]));
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Places::find(&header("a,op,offset,length"), &ColumnsConfig::default()).unwrap_err();
        assert!(error.contains("known as the time") && error.contains("columns.time"), "{error}");
        let config = ColumnsConfig { time: Some(ColumnRef::Name("when".into())), ..ColumnsConfig::default() };
        let error = Places::find(&header("a,op"), &config).unwrap_err();
        assert!(error.contains("a column `when`") && error.contains("`a`, `op`"), "{error}");
    }
}
