//! Which of a job's files the next request goes to.

use super::ends::Ends;
use crate::config::{FileOrder, FileOrderKind, FilePart, FioConfig};
use crate::rng::{Xoshiro256PlusPlus, below, stream};

/// The files' turns.
pub(super) struct Turns {
    order: FileOrder,
    /// Bytes of each.
    files: Vec<u64>,
    ends: Option<Ends>,
    now: usize,
    /// Requests and bytes of this turn.
    requests: u64,
    bytes: u64,
    rng: Xoshiro256PlusPlus,
}

impl Turns {
    pub(super) fn new(job: &FioConfig, files: &[FilePart], seed: u64) -> Self {
        let rng = stream(seed, "fio.files");
        let ends = Ends::of(job, files);
        let files = files.iter().map(|file| file.bytes).collect();
        let mut this = Self { order: job.file_order, files, ends, now: 0, requests: 0, bytes: 0, rng };
        if this.order.kind == FileOrderKind::Random {
            this.turn();
        }
        this
    }

    /// The file of the next request.
    pub(super) fn next(&self) -> usize {
        self.now
    }

    /// The most bytes that it may have.
    pub(super) fn most(&self) -> u64 {
        self.ends.as_ref().map_or(u64::MAX, |ends| ends.left(self.now))
    }

    /// That request is so long. Returns the bytes that no request reaches, once its file ends with it.
    pub(super) fn passed(&mut self, length: u64) -> u64 {
        self.requests += 1;
        self.bytes += length;
        let rest = self.ends.as_mut().map_or(0, |ends| ends.passed(self.now, length));
        if self.has_ended() || self.is_over() {
            self.turn();
        }
        rest
    }

    fn has_ended(&self) -> bool {
        self.ends.as_ref().is_some_and(|ends| ends.is_over(self.now))
    }

    /// Whether it is another file's turn, though this one may go on.
    fn is_over(&self) -> bool {
        match self.order.kind {
            FileOrderKind::Sequential => self.files.get(self.now).is_none_or(|bytes| self.bytes >= *bytes),
            FileOrderKind::RoundRobin | FileOrderKind::Random => self.requests >= self.order.requests,
        }
    }

    /// The next file whose turn it is of those that go on.
    fn turn(&mut self) {
        (self.requests, self.bytes) = (0, 0);
        let files = self.files.len().max(1);
        loop {
            self.now = match self.order.kind {
                FileOrderKind::Random => below(&mut self.rng, files as u64) as usize,
                FileOrderKind::RoundRobin | FileOrderKind::Sequential => (self.now + 1) % files,
            };
            if !self.has_ended() {
                break;
            }
        }
    }
}
