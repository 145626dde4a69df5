//! Why something can't be done. Each prints as one line.

use wordline_base::snapshot::SnapshotError;
use wordline_config::ConfigError;
use wordline_engine::RunError;

/// Why something can't be done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A description holds what it may not.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A request can't be submitted.
    #[error("request {number} (from 0): {reason}")]
    Request {
        /// Its place among those that are submitted together.
        number: usize,
        /// What of it is refused, and what is allowed.
        reason: String,
    },
    /// A time that has passed.
    #[error("advance to {time} ns: allowed: {now} ns, where the drive is, or later")]
    Backwards {
        /// The time, ns.
        time: u64,
        /// Where the drive is, ns.
        now: u64,
    },
    /// A time that is too late.
    #[error("advance to {time} ns: allowed: {latest} ns (292 years) at most")]
    TooLate {
        /// The time, ns.
        time: u64,
        /// The latest, ns.
        latest: u64,
    },
    /// An audit of a drive that isn't in checked mode.
    #[error("an audit: allowed: of a drive in checked mode")]
    Unchecked,
    /// What a loss of power leaves of a drive of which that can't be said.
    #[error(
        "what a loss of power leaves: allowed: of a drive alone that keeps sequence numbers or is in checked mode, without \
         scheme.cache.rewrites = \"append\""
    )]
    NoSequenceNumbers,
    /// The drive found itself inconsistent, or can't go on: nothing more can be asked of it.
    #[error("the drive can't go on: {0}")]
    Fault(String),
    /// The drive's life has ended: it takes no more requests, and what waits for space is never answered.
    #[error("the drive's life ended at {time} ns: no free space is left for writes")]
    EndOfLife {
        /// When, ns.
        time: u64,
    },
    /// A snapshot can't be made or taken up.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl From<RunError> for Error {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Config(error) => Self::Config(error),
            RunError::Snapshot(error) => Self::Snapshot(error),
            RunError::Inconsistent(fault) => Self::Fault(fault),
            other => Self::Fault(other.to_string()),
        }
    }
}
