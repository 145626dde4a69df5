//! When a drive could no longer be written.

use serde::{Deserialize, Serialize};

/// The end of a drive's life: a domain can no longer keep what garbage collection needs, so writes fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndOfLife {
    /// When, ns since the start of the run.
    pub time_ns: u64,
    /// Bytes (whole mapping units) that the host had written to flash, the overwrites of the drive's preparation included, its fill not. What was
    /// overwritten in a data cache is not in them.
    pub host_bytes_written: u64,
    /// Erases of blocks by then.
    pub erases: u64,
}
