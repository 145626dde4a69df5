//! What whoever drives the drive asks of its front: requests are submitted, answers taken.

use crate::device::Device;
use crate::front::{Answers, Request, submit};
use crate::host::HostRequest;
use crate::observers::note_time;
use wordline_base::time::Ns;

impl Device {
    /// A request that arrived at `arrival` enters the drive now (later than it arrived, if it had to wait at the
    /// host). `id` counts requests from 0; `measured` requests count in the results. The range must lie in the drive.
    pub fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool) {
        note_time(self, now);
        self.flash.set_now(now);
        submit(self, Request::new(*request, id, arrival, measured, now.since(arrival).0));
        self.finish_event();
    }

    /// Requests inside the drive and on the link.
    pub fn requests_inside(&self) -> usize {
        self.front.inside()
    }

    /// Requests that were completed since this was asked last.
    pub fn take_completed(&mut self) -> u32 {
        self.front.take_completed()
    }

    /// From now on answers are kept, to be taken ([`Self::take_answers`]) before the drive has anything else to do: then
    /// the number of a request that was answered belongs to another.
    pub fn tell_answers(&mut self) {
        self.front.keep_answers();
    }

    /// The answers, if there are any, to be given back when they were looked at ([`Self::give_back_answers`]).
    #[inline]
    pub fn take_answers(&mut self) -> Option<Box<Answers>> {
        self.front.take_answers()
    }

    /// Keeps further answers in the memory of those that were lent.
    pub fn give_back_answers(&mut self, answers: Box<Answers>) {
        self.front.give_back_answers(answers);
    }

    /// Until when the link is taken: to the drive, and to the host.
    pub fn link_clock(&self) -> [Ns; 2] {
        self.front.link_clock()
    }

    /// The link is taken until then, by others that share it.
    pub fn set_link_clock(&mut self, free: [Ns; 2]) {
        self.front.set_link_clock(free);
    }
}
