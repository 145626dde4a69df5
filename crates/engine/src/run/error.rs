//! Why a run gave no result.

use crate::host::{RestoreError, SourceError};
use wordline_base::snapshot::SnapshotError;
use wordline_config::ConfigError;

pub use wordline_ftl::NO_COLLECTION_WINS;

/// Why a run gave no result. Each prints as one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A description holds what it may not.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The workload can't go on.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The observer asked to stop.
    #[error("stopped")]
    Cancelled,
    /// A request reaches beyond the drive.
    #[error("request {number} (from 0) covers bytes {offset} to {end}, beyond the drive's {bytes}")]
    OutOfRange {
        /// Request, counted from 0.
        number: u64,
        /// Its first byte.
        offset: u64,
        /// The byte behind its last.
        end: u128,
        /// Size of the drive.
        bytes: u64,
    },
    /// A write names a stream that the drive doesn't offer.
    #[error(
        "request {number} (from 0) is of stream {stream}: allowed: 0 to {last}, as the drive offers {streams} streams \
         (scheme.blocks.host_write_points); each device of a trace is a stream",
        last = streams.saturating_sub(1)
    )]
    NoSuchStream {
        /// Request, counted from 0.
        number: u64,
        /// Its stream.
        stream: u16,
        /// Streams of the drive.
        streams: u16,
    },
    /// The warm-up took the whole workload.
    #[error(
        "nothing was measured: the warm-up of workload.window did not end within the workload's {requests} requests"
    )]
    NothingMeasured {
        /// Requests of the workload.
        requests: u64,
    },
    /// What the drive does behind its last answer brings on more of the same.
    #[error(
        "the drive doesn't come to rest: behind its last answer it ran {operations} flash operations, and what they do brings on \
         others, as read reclaim does from few reads (scheme.reclaim.threshold): allowed: workload.measure.until = \"last_answer\", \
         unchecked"
    )]
    NeverRests {
        /// Pages read and programmed and blocks erased behind the last answer.
        operations: u64,
    },
    /// The drive can't go on, or checked mode found it inconsistent.
    #[error("the drive can't go on: {0}")]
    Inconsistent(String),
    /// A state can't be saved or loaded.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl From<RestoreError> for RunError {
    fn from(error: RestoreError) -> Self {
        match error {
            RestoreError::Source(error) => Self::Source(error),
            RestoreError::Snapshot(error) => Self::Snapshot(error),
        }
    }
}
