//! Further copies in the measured window.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_ftl::replicate::{CopyCounters, CopyLoss, LOSSES};

/// The copies of a system as a result.
pub fn report_of(counters: &CopyCounters, system: String, budget: u32) -> SystemCopiesReport {
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
        units_now: counters.now,
        units_max: counters.most,
        made: counters.made,
        extra_reads: counters.extra_reads,
        promoted: counters.promoted,
        moved_units: counters.moved,
        passed_over_pages: counters.passed_over,
        dropped: by_reason(counters.all_dropped()),
        given_up: by_reason(counters.all_given_up()),
        reads_served: counters.reads,
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
