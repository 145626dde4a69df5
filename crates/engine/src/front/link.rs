//! The link: each direction carries one transfer after the other.

use std::collections::VecDeque;

use super::{AroundFront, Front};
use wordline_base::request::HostRequest;
use wordline_base::time::Ns;
use wordline_config::device::LinkData;

/// A direction of the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Commands, and the data of writes.
    ToDrive,
    /// Answers, and the data of reads.
    ToHost,
}

impl Front {
    /// Time of the link for so many bytes and its overhead.
    #[inline(always)]
    pub(super) fn link_time(&self, bytes: u64, overhead: u64) -> Ns {
        let Some(rate) = self.rules.bytes_per_s.filter(|_| bytes > 0) else { return Ns(overhead) };
        let data = match bytes.checked_mul(1_000_000_000) {
            Some(scaled) => scaled.div_ceil(rate.max(1)),
            None => (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate.max(1))) as u64,
        };
        Ns(data + overhead)
    }

    /// Time of the link for a request, or a command of one, to the drive.
    #[inline(always)]
    pub(super) fn time_to_come(&self, request: &HostRequest) -> Ns {
        let with_data = request.op.is_write() && self.rules.write_data == LinkData::Request;
        let carried = if with_data { request.length } else { 0 };
        self.link_time(carried, self.rules.submission_ns)
    }

    /// One direction of the link is taken for so long behind what it carries; returns until when.
    #[inline(always)]
    pub(super) fn occupy_link(&mut self, direction: Direction, now: Ns, time: Ns) -> Ns {
        let free = &mut self.link_free[direction as usize];
        *free = (*free).max(now) + time;
        *free
    }

    /// Whether the link to the drive is free for what takes it for no time.
    #[inline(always)]
    pub(super) fn comes_at_once(&self, time: Ns) -> bool {
        time == Ns::ZERO && self.link_in.is_empty()
    }

    /// Until when the link is taken: to the drive, and to the host.
    pub fn link_clock(&self) -> [Ns; 2] {
        self.link_free
    }

    /// The link is taken until then, by others that share it.
    pub fn set_link_clock(&mut self, free: [Ns; 2]) {
        self.link_free = free;
    }

    /// What one direction carries, and what waits for it: request, and when it is over.
    pub(super) fn queue_of(&mut self, direction: Direction) -> &mut VecDeque<(Ns, u32)> {
        match direction {
            Direction::ToDrive => &mut self.link_in,
            Direction::ToHost => &mut self.link_out,
        }
    }
}

/// Queues a request on one direction of the link; returns when it is over.
#[inline(never)]
pub(super) fn take_link<A: AroundFront>(around: &mut A, direction: Direction, number: u32, time: Ns) -> Ns {
    let now = around.now();
    let front = around.front_mut();
    let end = front.occupy_link(direction, now, time);
    front.requests[number as usize].link += end.since(now).0;
    let queue = front.queue_of(direction);
    queue.push_back((end, number));
    if queue.len() == 1 {
        around.set_timer(direction, end);
    }
    end
}
