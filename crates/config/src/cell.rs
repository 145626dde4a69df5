//! Times of the cell array, by page type.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Largest time a description may give, ns: ten seconds.
pub(super) const LONGEST_NS: u64 = 10_000_000_000;

/// Times of the cell array.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellConfig {
    /// Bits in each cell: `slc`, `mlc`, `tlc` or `qlc`.
    pub technology: CellTechnology,
    /// tR by page type, ns: one value for all types, or one for each bit of the cell (LSB first).
    pub read_ns: Vec<u64>,
    /// tPROG by page type, ns, like `read_ns`.
    pub program_ns: Vec<u64>,
    /// tERASE, ns.
    pub erase_ns: u64,
    /// Page type of page p of a block: `first_pages[p]`, or after those `page_types`, repeated.
    /// 0 is the LSB page. Left out: 0, 1, … bits − 1, repeated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_types: Vec<u8>,
    /// Page types of the first pages of a block, where they differ from the pattern.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_pages: Vec<u8>,
}

/// Bits in each cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CellTechnology {
    /// One bit.
    Slc,
    /// Two bits.
    Mlc,
    /// Three bits.
    Tlc,
    /// Four bits.
    Qlc,
}

impl CellTechnology {
    /// Bits in each cell, which is also the number of page types.
    pub fn bits(self) -> usize {
        match self {
            Self::Slc => 1,
            Self::Mlc => 2,
            Self::Tlc => 3,
            Self::Qlc => 4,
        }
    }
}

impl CellConfig {
    pub(super) fn validate(&self, pages: u32) -> Result<(), ConfigError> {
        let bits = self.technology.bits();
        for (key, times) in [("read_ns", &self.read_ns), ("program_ns", &self.program_ns)] {
            if times.len() != 1 && times.len() != bits {
                return Err(ConfigError::new(
                    key,
                    format!("{times:?}"),
                    format!("one time, or {bits}: one for each bit of the cell"),
                ));
            }
            for &time in times {
                check_range(key, time, 0, LONGEST_NS)?;
            }
        }
        check_range("erase_ns", self.erase_ns, 0, LONGEST_NS)?;
        for (key, types) in [("page_types", &self.page_types), ("first_pages", &self.first_pages)] {
            if let Some(kind) = types.iter().find(|&&kind| usize::from(kind) >= bits) {
                return Err(ConfigError::new(key, kind, format!("page types 0 to {}", bits - 1)));
            }
            if types.len() > pages as usize {
                return Err(ConfigError::new(
                    key,
                    format!("{} types", types.len()),
                    format!("at most the {pages} pages of a block"),
                ));
            }
        }
        Ok(())
    }
}
