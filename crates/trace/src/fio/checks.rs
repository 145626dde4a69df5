//! Reading back of what a job wrote.

use crate::config::Verify;

/// What was written and isn't read back yet: 16 bytes for each write of a pass.
pub(super) struct Checks {
    config: Verify,
    written: Vec<(u64, u64)>,
    /// What is read back, the next at the end.
    reading: Vec<(u64, u64)>,
}

impl Checks {
    pub(super) fn new(config: Verify) -> Self {
        Self { config, written: Vec::new(), reading: Vec::new() }
    }

    /// Whether writes are left out.
    pub(super) fn only(&self) -> bool {
        self.config.only
    }

    /// A write to this offset, so long.
    pub(super) fn note(&mut self, offset: u64, length: u64) {
        self.written.push((offset, length));
        let due = self.config.backlog.is_some_and(|backlog| self.written.len() as u64 >= backlog);
        if due {
            self.read_back();
        }
    }

    /// What was written since the last time is read now.
    pub(super) fn read_back(&mut self) {
        let mut all = std::mem::take(&mut self.written);
        if self.config.sorted {
            // Of two writes to a place the later one is there.
            all.reverse();
            all.sort_by_key(|&(offset, _)| offset);
            all.dedup_by_key(|(offset, _)| *offset);
        }
        if let Some(batch) = self.config.batch.filter(|_| self.config.backlog.is_some()) {
            all.truncate(usize::try_from(batch).unwrap_or(usize::MAX));
        }
        all.reverse();
        self.reading = all;
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
