//! Which columns of a CSV or Parquet file hold what.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use wordline_config::error::ConfigError;

/// Columns by name or by number. Those that are left out are guessed from the names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnsConfig {
    /// When a request arrives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<ColumnRef>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<ColumnRef>,
    /// Where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<ColumnRef>,
    /// How long it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<ColumnRef>,
    /// Which device it is for; none unless a name tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<ColumnRef>,
    /// Which event of it the line tells of; lines of other events than `event` are passed over. Never guessed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<ColumnRef>,
    /// How long it took, measured; none unless a name tells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<ColumnRef>,
}

/// A column: its name as in the header, or its number, from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum ColumnRef {
    /// By name; case counts only where two differ in nothing else.
    Name(String),
    /// By number, from 1.
    Number(u32),
}

impl ColumnsConfig {
    /// Most columns that are looked at.
    pub const MAX_COLUMNS: u32 = 4096;

    /// Whether nothing is given.
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether every needed column is given by its number, so that a file needs no header.
    pub(crate) fn all_numbers(&self) -> bool {
        [&self.time, &self.op, &self.offset, &self.length]
            .into_iter()
            .all(|column| matches!(column, Some(ColumnRef::Number(_))))
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let columns = [
            ("time", &self.time),
            ("op", &self.op),
            ("offset", &self.offset),
            ("length", &self.length),
            ("device", &self.device),
            ("event", &self.event),
            ("latency", &self.latency),
        ];
        for (key, column) in columns {
            if let Some(ColumnRef::Number(number)) = column
                && !(1..=Self::MAX_COLUMNS).contains(number)
            {
                let allowed = format!("1 to {}, or a name", Self::MAX_COLUMNS);
                return Err(ConfigError::new(key, number, allowed));
            }
        }
        Ok(())
    }
}

// By hand, since an untagged enum forgets which value was wrong.
impl<'de> Deserialize<'de> for ColumnRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RefVisitor)
    }
}

struct RefVisitor;

impl Visitor<'_> for RefVisitor {
    type Value = ColumnRef;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a column's name, or its number from 1")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<ColumnRef, E> {
        Ok(ColumnRef::Name(name.to_owned()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<ColumnRef, E> {
        u32::try_from(number).map(ColumnRef::Number).map_err(|_| E::custom("a column's number is too large"))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<ColumnRef, E> {
        let wrong = |_| E::custom(format!("`{number}`: allowed: a column's name, or its number from 1"));
        u32::try_from(number).map(ColumnRef::Number).map_err(wrong)
    }
}
