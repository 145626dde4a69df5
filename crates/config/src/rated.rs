//! What a drive's maker promises of its endurance.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Rated endurance (`[device.rated]`), as a data sheet has it. It changes no run: reports set the load against it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatedConfig {
    /// Drive writes a day (DWPD) over `years`; above 0, at most 1,000.
    pub drive_writes_per_day: f64,
    /// Years of the rating; 1 to 50, default 5.
    #[serde(default = "default_years")]
    pub years: u32,
}

fn default_years() -> u32 {
    5
}

impl RatedConfig {
    /// Refuses what no maker promises. Paths in errors are relative to `[rated]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("drive_writes_per_day", self.drive_writes_per_day, 1e-6, 1_000.0)?;
        check_range("years", self.years, 1, 50)
    }
}
