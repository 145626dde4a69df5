//! Requests come in over the link, are split into pages, and leave over the link.

use super::Device;
use crate::host::{HostOp, HostRequest};
use crate::ids::{DieId, Lpa};
use crate::sched::queue::{NONE, OpId};
use crate::stats::blame::{Part, Parts};
use crate::time::Ns;

/// A request inside the drive.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    request: HostRequest,
    id: u64,
    arrival: Ns,
    /// Pages that are not done.
    left: u32,
    measured: bool,
    /// Where its time went; complete once it is done.
    parts: Parts,
}

impl Device {
    /// A request that arrived at `arrival` enters the drive now (later than it arrived, if it had to wait at the
    /// host). `id` counts requests from 0; `measured` requests count in the results. The range must lie in the drive.
    pub fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool) {
        self.now = now;
        let mut parts = Parts::default();
        parts.add(Part::Admission, now.since(arrival).0);
        let entry = Request { request: *request, id, arrival, left: 0, measured, parts };
        let number = match self.free_requests.pop() {
            Some(number) => {
                self.requests[number as usize] = entry;
                number
            }
            None => {
                self.requests.push(entry);
                (self.requests.len() - 1) as u32
            }
        };
        if let Some(probe) = &mut self.probe {
            probe.arrived(id, request, now);
        }
        let carried = if request.op == HostOp::Write { request.length } else { 0 };
        let time = self.link_time(carried, self.rules.link.submission_ns);
        if time == Ns::ZERO && self.link_in.is_empty() {
            self.deliver(number);
        } else {
            self.take_link(false, number, time);
        }
        self.look_at_touched_dies();
    }

    /// Time of the link for so many bytes and its overhead.
    fn link_time(&self, bytes: u64, overhead: u64) -> Ns {
        let data = match self.rules.link.bytes_per_s {
            Some(rate) => (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate.max(1))) as u64,
            None => 0,
        };
        Ns(data + overhead)
    }

    /// Queues a request on one direction of the link.
    fn take_link(&mut self, outwards: bool, number: u32, time: Ns) {
        let free = &mut self.link_free[usize::from(outwards)];
        let end = (*free).max(self.now) + time;
        *free = end;
        self.requests[number as usize].parts.add(Part::Link, end.since(self.now).0);
        let queue = if outwards { &mut self.link_out } else { &mut self.link_in };
        queue.push_back((end, number));
        if queue.len() == 1 {
            let resource = self.link_resource(outwards);
            self.events.set(resource, end);
        }
    }

    /// The first transfer of one direction of the link has ended.
    pub(super) fn link_done(&mut self, outwards: bool) {
        let queue = if outwards { &mut self.link_out } else { &mut self.link_in };
        let first = queue.pop_front();
        let next = queue.front().map(|&(end, _)| end);
        let resource = self.link_resource(outwards);
        match next {
            Some(end) => self.events.set(resource, end),
            None => self.events.clear(resource),
        }
        if let Some((_, number)) = first {
            if outwards { self.complete(number) } else { self.deliver(number) }
        }
    }

    /// The drive starts to work on a request.
    fn deliver(&mut self, number: u32) {
        let HostRequest { op, offset, length, .. } = self.requests[number as usize].request;
        if length == 0 || op == HostOp::Flush {
            // Every acknowledged write is in flash already: there is no volatile cache to flush.
            return self.answer(number);
        }
        match op {
            HostOp::Read => self.deliver_read(number, offset, length),
            HostOp::Write => self.deliver_write(number, offset, length),
            HostOp::Trim | HostOp::Flush => {
                self.trim(number, offset, length);
                self.answer(number);
            }
        }
    }

    /// Mapping units that a range touches: first, last, and the bytes wanted of one.
    fn units(&self, offset: u64, length: u64) -> (u32, u32, impl Fn(u32) -> u32 + use<>) {
        let unit = u64::from(self.geometry.unit_bytes);
        let end = offset + length;
        let wanted = move |lpa: u32| {
            let start = u64::from(lpa) * unit;
            (end.min(start + unit) - offset.max(start)) as u32
        };
        ((offset / unit) as u32, ((end - 1) / unit) as u32, wanted)
    }

    fn deliver_read(&mut self, number: u32, offset: u64, length: u64) {
        let (first, last, wanted) = self.units(offset, length);
        // Held until all pages are on their way, so that a page that is done at once can't end the request.
        self.requests[number as usize].left = last - first + 2;
        let mut head: OpId = NONE;
        for lpa in first..=last {
            head = self.read_for_host(number, Lpa(lpa), wanted(lpa), head);
        }
        self.page_done(number, None);
    }

    fn deliver_write(&mut self, number: u32, offset: u64, length: u64) {
        let (first, last, wanted) = self.units(offset, length);
        self.requests[number as usize].left = last - first + 2;
        for lpa in first..=last {
            self.write_for_host(number, Lpa(lpa), wanted(lpa));
        }
        self.page_done(number, None);
    }

    /// Forgets the units that lie wholly in the range.
    fn trim(&mut self, number: u32, offset: u64, length: u64) {
        let unit = u64::from(self.geometry.unit_bytes);
        let id = self.requests[number as usize].id;
        for lpa in offset.div_ceil(unit)..(offset + length) / unit {
            self.forget(id, Lpa(lpa as u32));
        }
    }

    /// One page of a request is done; `parts` say where its time went (`None`: it took none in the drive).
    #[inline]
    pub(super) fn page_done(&mut self, number: u32, parts: Option<&Parts>) {
        let request = &mut self.requests[number as usize];
        request.left -= 1;
        if request.left == 0 {
            if let Some(parts) = parts {
                request.parts.merge(parts);
            }
            self.answer(number);
        }
    }

    /// Sends the answer of a request.
    fn answer(&mut self, number: u32) {
        let HostRequest { op, length, .. } = self.requests[number as usize].request;
        let carried = if op == HostOp::Read { length } else { 0 };
        let time = self.link_time(carried, self.rules.link.completion_ns);
        if time == Ns::ZERO && self.link_out.is_empty() {
            self.complete(number);
        } else {
            self.take_link(true, number, time);
        }
    }

    /// The host has the answer.
    fn complete(&mut self, number: u32) {
        self.free_requests.push(number);
        self.completed += 1;
        let Request { request, id, arrival, measured, parts, .. } = self.requests[number as usize];
        let latency = self.now.since(arrival);
        if measured {
            match request.op {
                HostOp::Read => self.recorder.read.record(latency, request.length, &parts),
                HostOp::Write => self.recorder.write.record(latency, request.length, &parts),
                HostOp::Trim => {
                    self.recorder.trim.requests += 1;
                    self.recorder.trim.bytes += request.length;
                }
                HostOp::Flush => self.recorder.flush.requests += 1,
            }
        }
        if self.versions.is_some() && parts.total() != latency.0 {
            self.fail(format!("request {id}: its parts add up to {} of {} ns: {parts:?}", parts.total(), latency.0));
        }
        if let Some(probe) = &mut self.probe {
            probe.completed(id, latency, self.now);
        }
    }

    /// Identity of a request, for probes.
    pub(super) fn request_id(&self, number: u32) -> u64 {
        self.requests.get(number as usize).map_or(u64::MAX, |request| request.id)
    }

    /// Gives every die that got work the chance to begin.
    #[inline]
    pub(super) fn look_at_touched_dies(&mut self) {
        while let Some(die) = self.touched.pop() {
            self.look_at(die);
        }
    }

    /// Brings what a coming request needs towards the caches.
    #[inline]
    pub fn prefetch(&self, request: &HostRequest) {
        self.map.prefetch(request.offset / u64::from(self.geometry.unit_bytes));
    }

    /// Second stage, once [`Self::prefetch`] had time: what an overwrite changes.
    #[inline]
    pub fn prefetch_overwritten(&self, request: &HostRequest) {
        let lpa = request.offset / u64::from(self.geometry.unit_bytes);
        if request.op == HostOp::Write && lpa < u64::from(self.logical_units) {
            let ppa = self.lookup(Lpa(lpa as u32));
            if ppa.is_some() {
                self.blocks.prefetch(self.blocks.of(&self.geometry, ppa));
            }
        }
    }

    /// Marks a die as having got work.
    #[inline]
    pub(super) fn touch(&mut self, die: DieId) {
        self.touched.push(die);
    }
}
