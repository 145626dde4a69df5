//! Columns by their names: which holds what, and in which unit.

use crate::config::{ColumnRef, ColumnsConfig};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Time,
    Op,
    Offset,
    Length,
    Device,
    Event,
}

impl Role {
    pub(super) const ALL: [Self; 6] =
        [Self::Time, Self::Op, Self::Offset, Self::Length, Self::Device, Self::Event];

    fn key(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Op => "op",
            Self::Offset => "offset",
            Self::Length => "length",
            Self::Device => "device",
            Self::Event => "event",
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
                "requesttime",
                "issuetime",
                "starttime",
                "start",
                "clocktime",
            ],
            Self::Op => &[
                "op",
                "opcode",
                "operation",
                "iotype",
                "optype",
                "requesttype",
                "reqtype",
                "type",
                "rw",
                "rwbs",
                "iswrite",
                "isread",
                "write",
                "read",
                "cmd",
                "command",
                "direction",
            ],
            Self::Offset => &[
                "offset",
                "byteoffset",
                "startbyte",
                "address",
                "addr",
                "lba",
                "lbn",
                "startlba",
                "slba",
                "sector",
                "startsector",
                "firstsector",
                "blkno",
            ],
            Self::Length => &[
                "length",
                "len",
                "size",
                "iosize",
                "requestsize",
                "reqsize",
                "bytes",
                "nbytes",
                "byte",
                "sectors",
                "nsectors",
                "numsectors",
                "nrsectors",
                "sectorcount",
                "nlb",
                "blkcount",
            ],
            Self::Device => &[
                "flow",
                "device",
                "deviceid",
                "dev",
                "disk",
                "diskid",
                "disknumber",
                "volume",
                "volumeid",
                "lun",
                "asu",
            ],
            // `action` is often the operation: an event column must be named by the user.
            Self::Event => &[],
        }
    }
}

/// Where the columns are, from 0, and their units as far as names tell them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    /// In the order of [`Role::ALL`].
    pub of: [Option<usize>; 6],
    /// Unit of times by the column's name, ns.
    pub time_unit: Option<u64>,
    pub offset_in_sectors: bool,
    pub length_in_sectors: bool,
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
            let needed = !matches!(role, Role::Device | Role::Event);
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

    fn units(&mut self, header: &[String]) {
        let name = |place: Option<usize>| place.and_then(|place| header.get(place)).map(|name| split(name));
        self.time_unit = name(self.at(Role::Time)).and_then(|(_, unit)| unit_ns(&unit));
        let in_sectors = |name: Option<(String, String)>| {
            name.is_some_and(|(name, unit)| {
                unit != "bytes" && (unit == "sectors" || COUNTS_SECTORS.contains(&name.as_str()))
            })
        };
        self.offset_in_sectors = in_sectors(name(self.at(Role::Offset)));
        self.length_in_sectors = in_sectors(name(self.at(Role::Length)));
        let whole = |place| name(place).map(|(name, unit)| name + &unit).unwrap_or_default();
        self.read_is = match whole(self.at(Role::Op)).as_str() {
            "iswrite" | "write" => Some(0),
            "isread" | "read" => Some(1),
            _ => None,
        };
        self.flow = whole(self.at(Role::Device)) == "flow";
    }
}

const COUNTS_SECTORS: &[&str] = &[
    "lba",
    "lbn",
    "startlba",
    "slba",
    "sector",
    "startsector",
    "firstsector",
    "blkno",
    "sectors",
    "nsectors",
    "numsectors",
    "nrsectors",
    "sectorcount",
    "nlb",
    "blkcount",
];

fn unit_ns(unit: &str) -> Option<u64> {
    match unit {
        "s" | "sec" | "seconds" => Some(1_000_000_000),
        "ms" => Some(1_000_000),
        "us" | "usec" => Some(1_000),
        "ns" | "nsec" => Some(1),
        _ => None,
    }
}

/// A name without its unit, simplified to small letters and digits, and the unit: `Time (us)` gives `time` and `us`.
fn split(name: &str) -> (String, String) {
    let words: Vec<String> = name
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() && (unit_ns(last).is_some() || is_size_unit(last)) => {
            (rest.concat(), last.clone())
        }
        _ => (words.concat(), String::new()),
    }
}

fn is_size_unit(word: &str) -> bool {
    matches!(word, "bytes" | "sectors")
}

fn position(header: &[String], name: &str) -> Option<usize> {
    let exact = header.iter().position(|found| found == name);
    exact.or_else(|| header.iter().position(|found| found.eq_ignore_ascii_case(name)))
}

fn guess(header: &[String], role: Role) -> Option<usize> {
    let names: Vec<_> = header.iter().map(|name| split(name)).collect();
    role.names().iter().find_map(|wanted| {
        names.iter().position(|(name, unit)| name == wanted || format!("{name}{unit}") == *wanted)
    })
}

fn listed(header: &[String]) -> String {
    if header.is_empty() {
        return "no names".into();
    }
    let mut names: Vec<String> = header
        .iter()
        .take(12)
        .map(|name| format!("`{}`", name.chars().take(30).flat_map(char::escape_debug).collect::<String>()))
        .collect();
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
        assert_eq!(places.of, [Some(0), Some(3), Some(1), Some(2), Some(4), None]);
        assert_eq!(places.time_unit, Some(1_000));
        assert!(places.offset_in_sectors && !places.length_in_sectors && !places.flow);
        let own =
            Places::find(&header("time_ns,op,offset_bytes,length_bytes,flow"), &ColumnsConfig::default());
        let own = own.unwrap();
        assert_eq!(own.of, [Some(0), Some(1), Some(2), Some(3), Some(4), None]);
        assert!(own.flow && own.time_unit == Some(1) && !own.offset_in_sectors);
        let flag = Places::find(&header("ts,is_write,sector,nr_sectors"), &ColumnsConfig::default()).unwrap();
        assert_eq!((flag.read_is, flag.length_in_sectors), (Some(0), true));
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
