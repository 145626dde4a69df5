//! The log blocks of a domain, and what is being done there.

use serde::{Deserialize, Serialize};

use wordline_base::ids::SuperblockId;

/// A log block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    /// Where it is.
    pub superblock: SuperblockId,
    /// The logical block that alone writes there; `None`: shared by all.
    pub owner: Option<u32>,
    /// Whether each unit that was given away belongs where it lies.
    pub in_order: bool,
    /// Whether pages were copied into it, so that one that is written can follow them.
    pub filled: bool,
    /// Whether such a page was sent there, or one that left out units before it.
    pub taken_along: bool,
    /// Whether it is full, with all its programs ended.
    pub closed: bool,
    /// The number of the write that came last.
    pub last: u64,
}

/// What is under way in a domain: one thing at a time, which what waits there waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work {
    /// A log block is being opened, for this logical block.
    Open(Option<u32>),
    /// A log block is to be merged when its programs have ended.
    Settle(SuperblockId),
    /// Pages are copied into a log block, so that the next one can follow.
    Fill(SuperblockId),
    /// What isn't in the log block of a logical block is copied behind what is there.
    Partial(SuperblockId),
    /// A logical block is put together in a fresh block, because of this log block.
    Full {
        /// The log block.
        log: SuperblockId,
        /// The logical block.
        block: u32,
        /// The fresh block, once it is open.
        fresh: SuperblockId,
    },
}

/// The log blocks of a domain, the oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs {
    /// Log blocks.
    pub all: Vec<Log>,
    /// What is under way.
    pub work: Option<Work>,
}

impl Logs {
    /// The log block of a logical block.
    pub fn of(&self, block: u32) -> Option<&Log> {
        self.all.iter().find(|log| log.owner == Some(block))
    }

    /// The log block that lies there.
    pub fn at(&self, superblock: SuperblockId) -> Option<&Log> {
        self.all.iter().find(|log| log.superblock == superblock)
    }

    /// The same, to change it.
    pub fn at_mut(&mut self, superblock: SuperblockId) -> Option<&mut Log> {
        self.all.iter_mut().find(|log| log.superblock == superblock)
    }

    /// Those that all logical blocks share, the oldest first.
    pub fn shared(&self) -> impl DoubleEndedIterator<Item = &Log> {
        self.all.iter().filter(|log| log.owner.is_none())
    }

    /// The one that belongs to a logical block, where there is one such at most.
    pub fn sequential(&self) -> Option<&Log> {
        self.all.iter().find(|log| log.owner.is_some())
    }

    /// The one that was written longest ago.
    pub fn least_recent(&self) -> Option<&Log> {
        self.all.iter().min_by_key(|log| log.last)
    }

    /// It is none any more.
    pub fn remove(&mut self, superblock: SuperblockId) {
        self.all.retain(|log| log.superblock != superblock);
    }

    /// Whether what is under way leaves no room for writes there.
    pub fn is_held(&self, superblock: SuperblockId) -> bool {
        match self.work {
            Some(Work::Settle(log) | Work::Fill(log) | Work::Partial(log) | Work::Full { log, .. }) => {
                log == superblock
            }
            Some(Work::Open(_)) | None => false,
        }
    }
}
