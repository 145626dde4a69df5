//! Which of a job's files the next request goes to.

use crate::config::{FileOrder, FileOrderKind, FilePart};
use crate::rng::{Xoshiro256PlusPlus, below, stream};

/// The files' turns.
pub(super) struct Turns {
    order: FileOrder,
    /// Bytes of each.
    files: Vec<u64>,
    now: usize,
    /// Requests and bytes of this turn.
    requests: u64,
    bytes: u64,
    rng: Xoshiro256PlusPlus,
}

impl Turns {
    pub(super) fn new(order: FileOrder, files: &[FilePart], seed: u64) -> Self {
        let rng = stream(seed, "fio.files");
        let files = files.iter().map(|file| file.bytes).collect();
        let mut this = Self { order, files, now: 0, requests: 0, bytes: 0, rng };
        if this.order.kind == FileOrderKind::Random {
            this.turn();
        }
        this
    }

    /// The file of the next request.
    pub(super) fn next(&self) -> usize {
        self.now
    }

    /// That request is so long.
    pub(super) fn passed(&mut self, length: u64) {
        self.requests += 1;
        self.bytes += length;
        let is_over = match self.order.kind {
            FileOrderKind::Sequential => self.files.get(self.now).is_none_or(|bytes| self.bytes >= *bytes),
            FileOrderKind::RoundRobin | FileOrderKind::Random => self.requests >= self.order.requests,
        };
        if is_over {
            self.turn();
        }
    }

    fn turn(&mut self) {
        (self.requests, self.bytes) = (0, 0);
        let files = self.files.len().max(1);
        self.now = match self.order.kind {
            FileOrderKind::Random => below(&mut self.rng, files as u64) as usize,
            FileOrderKind::RoundRobin | FileOrderKind::Sequential => (self.now + 1) % files,
        };
    }
}
