//! What is counted of the copies of a system, some of which bounds what it may make.

use serde::{Deserialize, Serialize};

use super::{CopyLoss, LOSSES};

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

    /// Copies that are gone, by reason ([`CopyLoss::ALL`]).
    pub fn all_dropped(&self) -> &[u64; LOSSES] {
        &self.dropped
    }

    /// Copies that were never made, by reason ([`CopyLoss::ALL`]).
    pub fn all_given_up(&self) -> &[u64; LOSSES] {
        &self.given_up
    }
}
