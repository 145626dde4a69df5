//! Garbage collection while the drive is idle.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Collection in the background (`[scheme.gc.background]`): begins when no request has been in the drive for
/// `scheme.maintenance.idle_after_ns`. Without the table there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackgroundConfig {
    /// Share of free superblocks at which it stops; above `scheme.gc.stop`, at most 0.95.
    pub stop: f64,
    /// Whether a request that comes ends it: no further page is read, what is under way is finished. Otherwise it goes
    /// on until `stop` is reached.
    #[serde(default = "yes")]
    pub preemptible: bool,
}

fn yes() -> bool {
    true
}

impl BackgroundConfig {
    /// Refuses a share below that at which collection in the foreground stops.
    pub fn validate(&self, foreground: f64) -> Result<(), ConfigError> {
        check_range("stop", self.stop, foreground, 0.95)
    }
}
