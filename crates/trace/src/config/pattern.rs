//! Which addresses a generator draws, and when its requests arrive.

use serde::{Deserialize, Serialize};
use wordline_config::error::{ConfigError, check_range};

use super::forms::{InterarrivalForm, PatternForm};

/// Which addresses are drawn. A *slot* is a place of the region where a request may start: one each
/// `alignment_bytes`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "PatternForm")]
pub enum PatternConfig {
    /// Every slot is as likely as any other.
    #[default]
    Uniform,
    /// The slot of rank r is drawn with probability proportional to 1 / r^theta; ranks are scattered over the
    /// region at random.
    Zipf {
        /// Skew: 0 is uniform; 0.99 is the usual choice.
        theta: f64,
    },
    /// A share of the slots takes a share of the requests; within each part slots are equally likely. Hot slots
    /// are scattered over the region at random.
    HotCold {
        /// Share of the slots that is hot.
        hot_share_of_space: f64,
        /// Share of the requests that go to hot slots.
        hot_share_of_requests: f64,
    },
    /// The region is divided into equal parts, one for each stream. Streams take turns; each goes through its
    /// part from the start, again and again.
    Sequential {
        /// Number of streams; 1 when left out.
        streams: u32,
    },
}

/// When requests arrive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "InterarrivalForm")]
pub enum InterarrivalConfig {
    /// Independent of one another: exponentially distributed gaps.
    Poisson {
        /// Mean rate, requests per second.
        iops: f64,
    },
    /// At equal distances.
    Fixed {
        /// Rate, requests per second.
        iops: f64,
    },
    /// Bursts of equal length with a pause between them.
    Burst {
        /// Rate within a burst, requests per second.
        iops: f64,
        /// Requests of a burst.
        burst_requests: u64,
        /// From the last request of a burst to the first of the next, ns.
        gap_ns: u64,
    },
}

impl PatternConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Uniform => Ok(()),
            Self::Zipf { theta } => check_range("theta", *theta, 0.0, 10.0),
            Self::HotCold { hot_share_of_space, hot_share_of_requests } => {
                check_range("hot_share_of_space", *hot_share_of_space, 0.0, 1.0)?;
                check_range("hot_share_of_requests", *hot_share_of_requests, 0.0, 1.0)
            }
            Self::Sequential { streams } => check_range("streams", *streams, 1, 65_536),
        }
    }
}

impl InterarrivalConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        match self {
            Self::Poisson { iops } | Self::Fixed { iops } => check_iops(*iops),
            Self::Burst { iops, burst_requests, gap_ns } => {
                check_iops(*iops)?;
                check_range("burst_requests", *burst_requests, 1, 1 << 48)?;
                check_range("gap_ns", *gap_ns, 0, 1_000_000_000_000_000)
            }
        }
    }
}

fn check_iops(iops: f64) -> Result<(), ConfigError> {
    check_range("iops", iops, 1e-6, 1e9)
}
