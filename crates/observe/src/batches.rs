//! The window cut into batches: what was counted up to the end of each, in memory that doesn't grow with the run.
//!
//! Dynamic batch means: Y. Yeh, B. W. Schmeiser, "Simulation Output Analysis via Dynamic Batch Means", Winter Simulation
//! Conference 2000, pp. 637–645. Batches hold the same number of answered requests. When there are [`MOST`] every two
//! become one, and those that follow hold twice as many: from the first doubling on there are [`MOST`] / 2 to [`MOST`] − 1.

use serde::{Deserialize, Serialize};

/// Batches that are joined in pairs when there are so many. Half of them is the least number of batches that a result is
/// based on: 10 to 30 are enough, and more gain little (B. Schmeiser, "Batch Size Effects in the Analysis of Simulation
/// Output", Operations Research 30(3), 1982, pp. 556–568).
pub const MOST: usize = 40;

/// Answered requests of a batch at first.
const FIRST: u64 = 16;

/// What was counted of one direction since the window opened.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Side {
    /// Requests whose response time was recorded.
    pub recorded: u64,
    /// Sum of these, ns.
    pub latency: u128,
    /// Requests answered, whenever they arrived.
    pub answered: u64,
    /// Their bytes.
    pub answered_bytes: u64,
    /// Response times by level ([`super::blame::level_of`]): those that occurred, ascending, with the requests of each.
    pub levels: Vec<(u16, u64)>,
}

/// What was counted from the opening of the window to the end of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Milestone {
    /// Time since the window opened, ns.
    pub time: u64,
    /// Reads.
    pub read: Side,
    /// Writes.
    pub write: Side,
    /// TRIMs.
    pub trim: Side,
    /// Flushes.
    pub flush: Side,
    /// Flash pages programmed, whatever the cause.
    pub programs: u64,
}

/// The batches so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batches {
    /// Answered requests of a batch.
    every: u64,
    /// Answers that the batch under way lacks.
    left: u64,
    ends: Vec<Milestone>,
}

impl Default for Batches {
    fn default() -> Self {
        Self { every: FIRST, left: FIRST, ends: Vec::new() }
    }
}

impl Batches {
    /// A request was answered. Returns whether a batch ends with it: then [`Self::end_batch`] comes next.
    #[inline(always)]
    pub fn answered(&mut self) -> bool {
        self.left = self.left.wrapping_sub(1);
        self.left == 0
    }

    /// A batch ends.
    pub fn end_batch(&mut self, end: Milestone) {
        self.ends.push(end);
        if self.ends.len() >= MOST {
            let mut number = 0;
            self.ends.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.every *= 2;
        }
        self.left = self.every;
    }

    /// Answered requests of a batch.
    pub fn every(&self) -> u64 {
        self.every
    }

    /// The ends of the whole batches.
    pub fn ends(&self) -> &[Milestone] {
        &self.ends
    }
}

impl Milestone {
    /// Reads and writes together.
    pub fn both(&self) -> Side {
        let (read, write) = (&self.read, &self.write);
        let mut levels: Vec<(u16, u64)> = Vec::with_capacity(read.levels.len() + write.levels.len());
        levels.extend(read.levels.iter().chain(&write.levels));
        levels.sort_unstable();
        Side {
            recorded: read.recorded + write.recorded,
            latency: read.latency + write.latency,
            answered: read.answered + write.answered,
            answered_bytes: read.answered_bytes + write.answered_bytes,
            levels,
        }
    }
}

impl Side {
    /// Requests up to this level, it included.
    pub fn up_to(&self, level: u16) -> u64 {
        self.levels.iter().take_while(|&&(at, _)| at <= level).map(|&(_, count)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_equal_and_neither_few_nor_many_however_long_the_window() {
        let mut batches = Batches::default();
        for answered in 1..=100_000u64 {
            if batches.answered() {
                batches.end_batch(Milestone { time: answered, ..Milestone::default() });
            }
            let ends: Vec<u64> = batches.ends().iter().map(|end| end.time).collect();
            assert!(ends.len() < MOST && (ends.len() >= MOST / 2 || answered < FIRST * MOST as u64));
            assert!(ends.iter().zip(1..).all(|(&end, number)| end == number * batches.every()));
            assert!(answered - ends.last().copied().unwrap_or(0) < batches.every());
        }
    }
}
