//! Further copies of pages: what serves reads of them, and what space is reserved for them.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Copies (`[scheme.copies]`). Nothing of it matters on a drive without a system that makes copies, but for what is
/// reserved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopiesConfig {
    /// Which copy serves a read: `earliest` (default), `fewest_outstanding` or `primary`.
    #[serde(default)]
    pub arbiter: ArbiterKind,
    /// Numbers of dies that are reserved for copies: no data of the host is placed there, and their capacity is not the
    /// host's. None by default.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reserved_dies: Vec<u32>,
    /// Share of the blocks of each other plane that must be spare beyond what the host's data needs, for copies beside
    /// it; 0 to 0.9, default 0.
    #[serde(default)]
    pub reserved_blocks: f64,
}

impl CopiesConfig {
    /// Refuses what no drive can be. Which dies there are is checked with the drive.
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("reserved_blocks", self.reserved_blocks, 0.0, 0.9)
    }
}

/// Which built-in chooses the copy that serves a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArbiterKind {
    /// The copy that will be done first by what is ahead of the read on its die; of equals the one where the read is,
    /// then the primary.
    #[default]
    Earliest,
    /// The copy on the die with the fewest outstanding commands; of equals as `earliest`.
    FewestOutstanding,
    /// Always the primary: copies are made but serve nothing.
    Primary,
}
