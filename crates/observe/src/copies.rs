//! Further copies in the measured window.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use wordline_ftl::replicate::{CopyLoss, LOSSES};

/// Counters of one system's copies.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CopyCounters {
    /// Mapping units of copies, those on their way included: now, and most at once.
    pub now: u32,
    /// Most at once in the window.
    pub most: u32,
    /// Copies that took effect.
    pub made: u64,
    /// Those that were asked for when their page was not being read, so that it was read for them.
    pub extra_reads: u64,
    /// Copies that became the primary.
    pub promoted: u64,
    /// Mapping units that garbage collection and other moves moved.
    pub moved: u64,
    /// Reads of mapping units served.
    pub reads: u64,
    /// Flash pages left unused to reach the wanted die.
    pub passed_over: u64,
    dropped: [u64; LOSSES],
    given_up: [u64; LOSSES],
}

impl CopyCounters {
    /// One more, on its way.
    pub fn begin(&mut self) {
        self.now += 1;
        self.most = self.most.max(self.now);
    }

    /// A copy is gone.
    pub fn dropped(&mut self, why: CopyLoss) {
        self.now -= 1;
        self.dropped[why as usize] += 1;
    }

    /// A copy was never made.
    pub fn given_up(&mut self, why: CopyLoss) {
        self.given_up[why as usize] += 1;
    }

    /// The window opens.
    pub fn open_window(&mut self) {
        *self = Self { now: self.now, most: self.now, ..Self::default() };
    }

    /// As a result.
    pub fn report(&self, system: String, budget: u32) -> SystemCopiesReport {
        let by_reason = |counts: &[u64; LOSSES]| {
            CopyLoss::ALL
                .iter()
                .map(|&why| (why.name().to_owned(), counts[why as usize]))
                .filter(|&(_, count)| count > 0)
                .collect()
        };
        SystemCopiesReport {
            system,
            budget_units: budget,
            units_now: self.now,
            units_max: self.most,
            made: self.made,
            extra_reads: self.extra_reads,
            promoted: self.promoted,
            moved_units: self.moved,
            passed_over_pages: self.passed_over,
            dropped: by_reason(&self.dropped),
            given_up: by_reason(&self.given_up),
            reads_served: self.reads,
        }
    }
}

/// Further copies of pages in the window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CopiesReport {
    /// What chose the copy that served.
    pub arbiter: String,
    /// Reads of mapping units that a copy could serve and the primary served.
    pub reads_by_primary: u64,
    /// Reads of mapping units that a copy served.
    pub reads_by_copies: u64,
    /// Reads that were sent on to another copy when their die took them.
    pub reads_sent_on: u64,
    /// Bytes of the table of copies at the end, as it is kept here.
    pub table_bytes: u64,
    /// Each system that makes copies.
    pub systems: Vec<SystemCopiesReport>,
}

/// The copies of one system.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SystemCopiesReport {
    /// Its name.
    pub system: String,
    /// Mapping units that it may have at once.
    pub budget_units: u32,
    /// Mapping units that it has at the end, those on their way included.
    pub units_now: u32,
    /// Most that it had at once.
    pub units_max: u32,
    /// Copies that took effect.
    pub made: u64,
    /// Copies for which the page had to be read for nothing else.
    pub extra_reads: u64,
    /// Copies that became the primary.
    pub promoted: u64,
    /// Mapping units of copies that were moved.
    pub moved_units: u64,
    /// Flash pages left unused because a superblock's next page lay on another die.
    pub passed_over_pages: u64,
    /// Reason → copies that are gone.
    pub dropped: BTreeMap<String, u64>,
    /// Reason → copies that were never made.
    pub given_up: BTreeMap<String, u64>,
    /// Reads of mapping units that its copies served.
    pub reads_served: u64,
}

/// What a system of the drive says of itself.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SystemReport {
    /// Bytes of controller memory that its structures take, as its source counts them.
    pub bytes: u64,
    /// Its own figures of the window, by name.
    pub figures: BTreeMap<String, u64>,
}

/// Space reserved.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReservedReport {
    /// The system that has it; `scheme` where every system may use it.
    pub system: String,
    /// Its dies.
    pub dies: Vec<u32>,
    /// Raw bytes of these dies.
    pub dies_bytes: u64,
    /// Share of the blocks of every other plane.
    pub blocks: f64,
}
