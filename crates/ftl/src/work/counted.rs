//! What the translation layer tells of to be counted.

use crate::mapping::Found;
use crate::reclaim::ReclaimRecord;
use wordline_base::class::Cause;
use wordline_base::ids::DomainId;
use wordline_base::time::Ns;

/// Something that happened, to be counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A superblock began to be emptied.
    Emptied(Cause),
    /// A mapping unit was moved.
    Moved(Cause),
    /// Garbage collection chose a superblock of this domain with so many valid units.
    Collects {
        /// Its domain.
        domain: DomainId,
        /// Valid units.
        valid: u32,
    },
    /// The superblock that is emptied was chosen because the drive is idle.
    InBackground,
    /// The drive has been idle for long enough.
    IdleTime,
    /// A superblock chosen because the drive was idle is emptied no further.
    VictimGivenUp,
    /// A unit of the host waits until collection has won its place.
    Held,
    /// A unit of the host waits for a free superblock.
    Stalled,
    /// A place was looked up for the host.
    LookUp {
        /// The answer.
        found: Found,
        /// Whether for a write.
        write: bool,
    },
    /// A translation page is read for a look-up.
    MapLoad,
    /// A translation page is read to be written anew.
    MapWriteBackRead,
    /// A page of the map is programmed.
    MapWrite {
        /// Whether it is one of the journal.
        journal: bool,
    },
    /// A guess was right.
    GuessRight {
        /// Whether a write of a part of the page asked.
        write: bool,
    },
    /// A guess was withdrawn before it was read.
    GuessWithdrawn,
    /// A guess was wrong.
    GuessWrong {
        /// Whether the page lay there before.
        outdated: bool,
    },
    /// A page without data was read.
    Unmapped,
    /// A read was sent on, since its page is elsewhere now.
    Rerouted,
    /// Checked mode compared what a read finds.
    Verified,
    /// A read of the host found its die at work, where reads can be rebuilt.
    BlockedRead,
    /// Its stripe wasn't whole.
    IncompleteRow,
    /// So many pages are read to rebuild one.
    SourceReads(u32),
    /// A page was rebuilt.
    ReconstructedRead,
    /// A page was rewritten while it was being rebuilt.
    AbandonedRead,
    /// A block was read as often as the threshold says.
    Worn,
    /// A block was read as often as the hard limit says.
    OverLimit,
    /// A worn block is reclaimed.
    Reclaims {
        /// Whether it has reached the hard limit.
        over_limit: bool,
    },
    /// A superblock is reclaimed.
    SuperblockReclaimed(ReclaimRecord),
    /// The pages of one block of a superblock are moved away.
    Evacuated,
    /// An open superblock was closed before it was full.
    ClosedEarly,
    /// A block was erased that had been worn since then.
    WornErased(Ns),
    /// A unit of the host goes to the SLC cache.
    Cached,
    /// A unit of the host goes past the SLC cache.
    PastCache,
    /// A unit moved out of the SLC cache.
    Folded,
    /// A superblock of the SLC cache is emptied.
    CacheEmptied,
}
