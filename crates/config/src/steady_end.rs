//! Flows that end when what they are measured by is steady.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Most intervals of a window.
const MOST_INTERVALS: u64 = 100_000;

/// When a flow ends, or all of its group that say so: when a figure by interval has stayed the same throughout a window, which moves
/// on by an interval at a time, and begins anew where an interval has no answer. Flushes don't count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyEnd {
    /// The figure.
    #[serde(default)]
    pub of: SteadyOf,
    /// What of it must be small.
    #[serde(default)]
    pub by: SteadyBy,
    /// Below which it is steady, as a share of the figure's mean in the window; above 0, up to 1,000. Either this or `limit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_share: Option<f64>,
    /// The same in requests a second, bytes a second or ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// How long the window is, ns, cut to whole intervals: two at least, 100,000 at most.
    pub duration_ns: u64,
    /// How long an interval is, ns; 1,000 at least, default 1 s.
    #[serde(default = "second")]
    pub interval_ns: u64,
    /// The first interval begins so long behind the first of the flows, ns; default 0.
    #[serde(default)]
    pub ramp_ns: u64,
}

/// What is to be steady.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyOf {
    /// Requests answered a second.
    #[default]
    Iops,
    /// Their bytes a second.
    Bandwidth,
    /// Their mean response time.
    Latency,
}

/// What of a figure must be small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyBy {
    /// The largest distance of an interval from the mean.
    #[default]
    Deviation,
    /// The slope of the line of least squares, by interval.
    Slope,
}

fn second() -> u64 {
    1_000_000_000
}

impl SteadyEnd {
    /// Intervals of a window.
    pub fn intervals(&self) -> u64 {
        self.duration_ns / self.interval_ns.max(1)
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        check_range("interval_ns", self.interval_ns, 1_000, i64::MAX as u64)?;
        check_range("ramp_ns", self.ramp_ns, 0, i64::MAX as u64)?;
        if !(2..=MOST_INTERVALS).contains(&self.intervals()) {
            let allowed = format!("2 to {MOST_INTERVALS} times interval_ns = {}", self.interval_ns);
            return Err(ConfigError::new("duration_ns", self.duration_ns, allowed));
        }
        match (self.limit_share, self.limit) {
            (Some(share), None) => check_range("limit_share", share, 1e-9, 1e3),
            (None, Some(limit)) => check_range("limit", limit, 1e-9, 1e18),
            (None, None) => Err(ConfigError::new("limit_share", "left out", "one of limit_share and limit")),
            (Some(_), Some(limit)) => Err(ConfigError::new("limit", limit, "left out beside limit_share")),
        }
    }
}
