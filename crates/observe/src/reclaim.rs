//! What a run tells of read reclaim and of collection at idle time.

use std::collections::BTreeMap;

use serde::Serialize;
use wordline_ftl::reclaim::Routine;

pub use wordline_ftl::reclaim::ReclaimRecord;

/// Most rows of [`ReadReclaimReport::records`].
const MOST_RECORDS: usize = 1 << 20;

/// How far the most read block of a superblock was beyond the mean, by the mean; 0 without reads.
fn excess(record: &ReclaimRecord) -> f64 {
    let sum: u64 = record.reads.iter().map(|&reads| u64::from(reads)).sum();
    let most = record.reads.iter().copied().max().unwrap_or(0);
    if sum == 0 { 0.0 } else { f64::from(most) * record.reads.len() as f64 / sum as f64 - 1.0 }
}

/// Counters of read reclaim in the window.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ReclaimCounters {
    /// Blocks that reached the threshold, and the hard limit.
    pub worn: u64,
    /// Blocks that reached the hard limit.
    pub over_limit: u64,
    /// Reclaims asked for before the hard limit, and beyond it.
    pub by_trigger: [u64; 2],
    /// Blocks of superblocks whose pages left although the superblock stayed.
    pub evacuated: u64,
    /// Open superblocks closed before they were full.
    pub closed_early: u64,
    /// Worn blocks that were erased: their number, the sum and the largest of their times from threshold to erase, ns.
    pub erased: u64,
    /// Sum of their times.
    pub time_sum: u128,
    /// Largest of their times.
    pub time_max: u64,
    /// Reclaims of superblocks by routine.
    pub by_routine: BTreeMap<Routine, u64>,
    /// Sum over them of how far the most read block was beyond the mean.
    pub excess: f64,
    /// The first of them, where a row of each is asked for.
    pub records: Vec<ReclaimRecord>,
}

impl ReclaimCounters {
    /// A worn block is erased, so long after it reached the threshold.
    pub fn erased(&mut self, after: u64) {
        self.erased += 1;
        self.time_sum += u128::from(after);
        self.time_max = self.time_max.max(after);
    }

    /// A superblock is to be reclaimed; its record is kept where that is asked for.
    pub fn reclaimed(&mut self, record: ReclaimRecord, keeps: bool) {
        *self.by_routine.entry(record.routine).or_default() += 1;
        self.excess += excess(&record);
        if keeps && self.records.len() < MOST_RECORDS {
            self.records.push(record);
        }
    }

    /// The results; so many superblocks (or blocks) were emptied, so many units moved.
    pub fn report(&self, emptied: u64, moved_units: u64) -> ReadReclaimReport {
        let reclaims: u64 = self.by_routine.values().sum();
        ReadReclaimReport {
            by_routine: self.by_routine.clone(),
            mean_excess: (reclaims > 0).then(|| self.excess / reclaims as f64),
            records: self.records.clone(),
            operations: emptied + self.evacuated,
            moved_units,
            at_threshold: self.by_trigger[0],
            at_hard_limit: self.by_trigger[1],
            worn_blocks: self.worn,
            blocks_over_hard_limit: self.over_limit,
            evacuated_blocks: self.evacuated,
            closed_early: self.closed_early,
            erased_worn_blocks: self.erased,
            threshold_to_erase_mean_ns: (self.erased > 0).then(|| self.time_sum as f64 / self.erased as f64),
            threshold_to_erase_max_ns: self.time_max,
        }
    }
}

/// Read reclaim in the window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ReadReclaimReport {
    /// Superblocks (or blocks) that began to be emptied for it.
    pub operations: u64,
    /// Mapping units that it moved.
    pub moved_units: u64,
    /// Reclaims asked for by blocks between the threshold and the hard limit.
    pub at_threshold: u64,
    /// Reclaims asked for only when a block had reached the hard limit: it was not full before.
    pub at_hard_limit: u64,
    /// Blocks that reached the threshold.
    pub worn_blocks: u64,
    /// Blocks that reached the hard limit.
    pub blocks_over_hard_limit: u64,
    /// Blocks of superblocks whose pages left although the superblock stayed; part of `operations`.
    pub evacuated_blocks: u64,
    /// Superblocks that were closed before they were full, because a block reached the hard limit.
    pub closed_early: u64,
    /// Blocks beyond the threshold that were erased, for whatever cause.
    pub erased_worn_blocks: u64,
    /// Time from the threshold to the erase of such a block, mean, ns; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_to_erase_mean_ns: Option<f64>,
    /// The longest, ns.
    pub threshold_to_erase_max_ns: u64,
    /// Reclaims of superblocks by routine (`in_place`, `partial`, `full`, `regrouped`).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_routine: BTreeMap<Routine, u64>,
    /// Their mean of (reads of the most read block by the mean of the superblock's blocks − 1): g. No exchange of pages inside
    /// superblocks can save more than g/(1 + g) of them. `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_excess: Option<f64>,
    /// One row for each of them, at most 2^20; only with `measure.reclaims`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub records: Vec<ReclaimRecord>,
}

/// Garbage collection at idle time, in the window.
#[derive(Clone, Copy, Debug, Default, Serialize, serde::Deserialize)]
pub struct BackgroundReport {
    /// Times that the drive was idle for long enough.
    pub idle_times: u64,
    /// Superblocks chosen because the drive was idle; part of `gc.victims`.
    pub victims: u64,
    /// Those of them that were given up, in part emptied, because a request came.
    pub given_up: u64,
}

/// Paced collection.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct PaceReport {
    /// Mapping units written by the host, or by the data cache for it, that waited until collection had won their places.
    pub held_units: u64,
}
