//! Collection whose rate follows the host's writes.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Paced collection (`[scheme.gc.pace]`): each victim is emptied piece by piece, as fast as the host fills what that wins, and
/// the host's programs wait for what is to be won. Without the table collection begins and stops at thresholds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaceConfig {
    /// How far the host's programs may be ahead of collection, superpages (rows of program units over a domain); 1 to 64,
    /// default 2. 0: as without the table.
    #[serde(default = "default_band")]
    pub band: u32,
}

fn default_band() -> u32 {
    2
}

impl PaceConfig {
    /// Refuses a band that holds nobody back.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("band", self.band, 0, 64)
    }
}
