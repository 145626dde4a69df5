//! What the host asks of the drive, and where requests come from.

use serde::{Deserialize, Serialize};

use crate::ids::{Lpa, Ppa};
use crate::time::Ns;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum HostOp {
    /// Returns data.
    Read,
    /// Stores data; acknowledged when it is in the drive's write buffer, without one when it is programmed.
    Write,
    /// A write with FUA (Force Unit Access): acknowledged when it is programmed.
    WriteFua,
    /// Tells the drive that the range holds nothing of value (TRIM, deallocate).
    Trim,
    /// Acknowledged when every acknowledged write is safe.
    Flush,
}

impl HostOp {
    /// Whether it stores data.
    #[inline]
    pub fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::WriteFua)
    }
}

/// Latest time at which a request may arrive, ns: as much again is left for serving it.
pub const LATEST_ARRIVAL_NS: u64 = u64::MAX / 2;

/// One request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostRequest {
    /// When the host submits it, from the start of the workload; used by an open loop only.
    pub time: Ns,
    /// What it does.
    pub op: HostOp,
    /// First byte, from the start of the drive.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Flow (submission queue, tenant) that it belongs to.
    pub flow: u16,
    /// Stream that its data belong to (NVMe directives): data of one stream are expected to die together.
    pub stream: u16,
}

/// Why a workload can't go on (a bad line of a trace, an unreadable file). One line for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Requests in a row of which none is what is looked for, after which a workload is taken to have no more of it: generators
/// never end.
pub const MOST_IN_VAIN: usize = 1 << 20;

/// A workload: requests in the order in which the host submits them.
///
/// Implementations may not look at the drive; times never decrease (an unsorted trace is the source's to mend or
/// to refuse). The same source with the same seed gives the same requests on any machine.
pub trait RequestSource {
    /// Appends at least one request to `batch`, or nothing at the end of the workload. As many as are convenient
    /// at once (some hundred), so that the call's cost does not count.
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError>;

    /// Requests in all, when known: for progress bars only.
    fn size_hint(&self) -> Option<u64> {
        None
    }
}

/// A read of the host that waits or runs at a die: one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadThere {
    /// Logical page of its first unit.
    pub lpa: Lpa,
    /// Where that is read.
    pub ppa: Ppa,
    /// Its place among all operations in order of arrival at the dies; it keeps it when it is sent on to another.
    pub order: u64,
}
