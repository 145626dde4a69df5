//! A closed loop that looks for the most requests outstanding with which answers come in time.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// How many requests may be outstanding while answers come in time is looked for: 1 first, twice as many as long as they do, then
/// halfway between the most that did and the least that didn't. Flushes don't count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LatencyTarget {
    /// An answer within this is in time, ns; 1 to 10¹².
    pub ns: u64,
    /// Percentage of the answers that must be in time; above 0, up to 100 (the default).
    #[serde(default = "all")]
    pub percentile: f64,
    /// How long each number is tried, ns; answers count of requests that were submitted since it is. 1 to 10¹⁵, default 1 s.
    #[serde(default = "second")]
    pub window_ns: u64,
    /// The search begins so long behind the flow, ns; before, `queue_depth` requests are outstanding. Default 0.
    #[serde(default)]
    pub ramp_ns: u64,
    /// What the flow does when the number is found.
    #[serde(default)]
    pub when_found: WhenFound,
}

/// What a flow does that has found its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFound {
    /// It ends.
    #[default]
    Stop,
    /// It goes on to its own end: with one less after a window that was too slow, one more after three that were not.
    Hold,
}

fn all() -> f64 {
    100.0
}

fn second() -> u64 {
    1_000_000_000
}

impl LatencyTarget {
    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        check_range("ns", self.ns, 1, 1_000_000_000_000)?;
        check_range("ramp_ns", self.ramp_ns, 0, i64::MAX as u64)?;
        check_range("window_ns", self.window_ns, 1, 1_000_000_000_000_000)?;
        check_range("percentile", self.percentile, 1e-6, 100.0)
    }

    /// Whether the flow ends when the number is found.
    pub fn stops(&self) -> bool {
        self.when_found == WhenFound::Stop
    }
}
