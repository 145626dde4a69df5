//! Reading back of what a job wrote.

use crate::config::Verify;

/// What was written and isn't read back yet: 16 bytes for each write of a pass.
pub(super) struct Checks {
    config: Verify,
    written: Vec<(u64, u64)>,
    /// What is read back, the next at the end.
    reading: Vec<(u64, u64)>,
    /// Of the batch that is being read back, what nothing was written for yet.
    batch_left: usize,
}

impl Checks {
    pub(super) fn new(config: Verify) -> Self {
        Self { config, written: Vec::new(), reading: Vec::new(), batch_left: 0 }
    }

    /// Whether writes are left out.
    pub(super) fn only(&self) -> bool {
        self.config.only
    }

    /// A write to this offset, so long.
    pub(super) fn note(&mut self, offset: u64, length: u64) {
        self.written.push((offset, length));
        let Some(backlog) = self.config.backlog else { return };
        if self.batch_left == 0 && (self.written.len() as u64).is_multiple_of(backlog) {
            let batch = self.config.batch.filter(|batch| *batch > 0).unwrap_or(backlog);
            self.batch_left = usize::try_from(batch).unwrap_or(usize::MAX);
        }
        if self.batch_left > 0 {
            self.batch_left -= self.read_back_some(self.batch_left);
        }
    }

    /// What was written and isn't read back yet is read now.
    pub(super) fn read_back(&mut self) {
        self.read_back_some(usize::MAX);
    }

    /// So many of them at most; returns how many.
    fn read_back_some(&mut self, most: usize) -> usize {
        let mut all = std::mem::take(&mut self.written);
        if self.config.sorted {
            // Of two writes to a place the later one is there.
            all.reverse();
            all.sort_by_key(|&(offset, _)| offset);
            all.dedup_by_key(|(offset, _)| *offset);
        }
        self.written = all.split_off(most.min(all.len()));
        let count = all.len();
        all.reverse();
        self.reading = all;
        count
    }

    /// Whether anything was written that isn't read back.
    pub(super) fn is_pending(&self) -> bool {
        !self.written.is_empty()
    }

    /// The next place to read.
    pub(super) fn next(&mut self) -> Option<(u64, u64)> {
        self.reading.pop()
    }
}
