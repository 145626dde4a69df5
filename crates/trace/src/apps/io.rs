//! Requests on their way from a model to the drive.

use std::collections::VecDeque;

use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;

use super::extents::{Extent, PAGE};

/// A request without a time: applications run in a closed loop.
pub(super) fn request(op: HostOp, offset: u64, length: u64) -> HostRequest {
    HostRequest { time: Ns(0), op, offset, length, flow: 0, stream: 0 }
}

/// Requests of the application and of work in the background, which goes on beside it.
#[derive(Default)]
pub(super) struct Io {
    front: VecDeque<HostRequest>,
    back: VecDeque<HostRequest>,
    /// Requests of the background for each one of the application.
    share: f64,
    due: f64,
    /// Requests that were given to the background so far.
    given: u64,
}

impl Io {
    pub(super) fn new(share: f64) -> Self {
        Self { share, ..Self::default() }
    }

    /// Adds a request of the application.
    pub(super) fn push(&mut self, op: HostOp, offset: u64, length: u64) {
        self.front.push_back(request(op, offset, length));
    }

    /// Adds requests of the application over a run of bytes, of at most `most` each.
    pub(super) fn push_cut(&mut self, op: HostOp, extent: Extent, most: u64) {
        cut(&mut self.front, op, extent, most);
    }

    /// Adds requests of the background.
    pub(super) fn push_behind(&mut self, op: HostOp, extent: Extent, most: u64) {
        let before = self.back.len();
        cut(&mut self.back, op, extent, most);
        self.given += (self.back.len() - before) as u64;
    }

    /// Requests given to the background so far: a mark behind the last of them.
    pub(super) fn mark(&self) -> u64 {
        self.given
    }

    /// Whether all requests up to a mark are on their way.
    pub(super) fn is_past(&self, mark: u64) -> bool {
        self.given - self.back.len() as u64 >= mark
    }

    /// Requests that wait in the background.
    #[cfg(test)]
    pub(super) fn behind(&self) -> usize {
        self.back.len()
    }

    /// Requests of the application that are ready.
    pub(super) fn ready(&self) -> usize {
        self.front.len()
    }

    /// Moves what is ready to `batch`, at most `most`, with the background's share between.
    pub(super) fn drain(&mut self, batch: &mut Vec<HostRequest>, most: u64) -> u64 {
        let mut moved = 0;
        while moved < most {
            if self.due >= 1.0
                && let Some(request) = self.back.pop_front()
            {
                self.due -= 1.0;
                batch.push(request);
                moved += 1;
                continue;
            }
            let Some(request) = self.front.pop_front() else { break };
            batch.push(request);
            moved += 1;
            self.due = if self.back.is_empty() { 0.0 } else { self.due + self.share };
        }
        moved
    }

    /// Lets the application wait until so many requests or less are left in the background.
    pub(super) fn stall(&mut self, left: usize) {
        while self.back.len() > left {
            let Some(request) = self.back.pop_front() else { break };
            self.front.push_back(request);
        }
    }
}

fn cut(queue: &mut VecDeque<HostRequest>, op: HostOp, (start, length): Extent, most: u64) {
    let (mut start, end) = (start, start + length);
    while start < end {
        let length = most.max(PAGE).min(end - start);
        queue.push_back(request(op, start, length));
        start += length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_background_gets_its_share_between_requests() {
        let mut io = Io::new(0.5);
        io.push_behind(HostOp::Write, (0, 8 * PAGE), PAGE);
        (0..4).for_each(|_| io.push(HostOp::Read, 0, PAGE));
        let mut batch = Vec::new();
        assert_eq!(io.drain(&mut batch, 100), 6);
        let ops: Vec<bool> = batch.iter().map(|request| request.op == HostOp::Write).collect();
        assert_eq!(ops, [false, false, true, false, false, true]);
        io.stall(1);
        assert_eq!((io.ready(), io.behind()), (5, 1));
    }
}
