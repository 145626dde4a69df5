//! Requests come in over the link, are split into pages, and leave over the link.

use super::front::Front;
use super::requests::{Carried, Request};
use wordline_ftl::work::{forget, read_for_host, write_for_host};

use super::Device;
use super::fetch::{UNITS_AHEAD, UNITS_NEAR};
use super::timers::Timer;
use crate::cache::work as cache;
use crate::host::{HostOp, HostRequest};
use crate::probe::Answer;
use crate::sched::queue::{NONE, OpId};
use crate::systems::Distance;
use wordline_base::ids::{DieId, Lpa};
use wordline_base::parts::Parts;
use wordline_base::slab;
use wordline_base::time::Ns;
use wordline_config::device::LinkData;

impl Front {
    /// Keeps a request in mind; returns its number.
    #[inline(always)]
    pub(super) fn insert_request(&mut self, request: Request) -> u32 {
        slab::insert(&mut self.requests, &mut self.free_requests, request)
    }

    /// One direction of the link is taken for so long behind what it carries; returns until when.
    #[inline(always)]
    pub(super) fn occupy_link(&mut self, outwards: bool, now: Ns, time: Ns) -> Ns {
        let free = &mut self.link_free[usize::from(outwards)];
        *free = (*free).max(now) + time;
        *free
    }

    /// The bytes of a unit that a request wants: first, and behind the last.
    pub(super) fn wanted_range(&self, number: u32, lpa: Lpa, unit_bytes: u32) -> (u32, u32) {
        let HostRequest { offset, length, .. } = self.requests[number as usize].request;
        let unit = u64::from(unit_bytes);
        let start = u64::from(lpa.0) * unit;
        (offset.saturating_sub(start) as u32, (offset + length).saturating_sub(start).min(unit) as u32)
    }

    /// Mapping units of a request from this one on; 1 where the number is none of a request's.
    pub(super) fn units_from(&self, number: u32, lpa: Lpa, unit_bytes: u32) -> u32 {
        let Some(HostRequest { offset, length, .. }) =
            self.requests.get(number as usize).map(|it| it.request)
        else {
            return 1;
        };
        let end = (offset + length).div_ceil(u64::from(unit_bytes));
        end.saturating_sub(u64::from(lpa.0)).max(1) as u32
    }

    /// Whether a request is a write that is answered when it is programmed.
    pub(super) fn is_durable(&self, number: u32) -> bool {
        self.requests[number as usize].request.op == HostOp::WriteFua
    }

    /// Identity of a request, for probes.
    pub(super) fn request_id(&self, number: u32) -> u64 {
        self.requests.get(number as usize).map_or(u64::MAX, |request| request.id)
    }
}

impl Device {
    /// A request that arrived at `arrival` enters the drive now (later than it arrived, if it had to wait at the
    /// host). `id` counts requests from 0; `measured` requests count in the results. The range must lie in the drive.
    pub fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool) {
        self.note_time(now);
        self.flash.set_now(now);
        let admission = now.since(arrival).0;
        if self.requests_inside() == 0 {
            self.note_idle(false);
        }
        let entry = Request::new(*request, id, arrival, measured, admission);
        let number = self.front.insert_request(entry);
        self.observers.monitor.timed.submitted(now);
        if let Some(probe) = &mut self.observers.probe {
            probe.arrived(id, request, now);
        }
        let time = self.time_to_come(request);
        if let Some(most) = self.most_of_a_command(request) {
            self.send_in_commands(number, most);
        } else if time == Ns::ZERO && self.front.link_in.is_empty() {
            self.run_firmware(number);
        } else {
            self.take_link(false, number, time);
        }
        self.finish_event();
    }

    /// Time of the link for a request, or a command of one, to the drive.
    #[inline(always)]
    pub(super) fn time_to_come(&self, request: &HostRequest) -> Ns {
        let with_data = request.op.is_write() && self.rules.link.write_data == LinkData::Request;
        let carried = if with_data { request.length } else { 0 };
        self.link_time(carried, self.rules.link.submission_ns)
    }

    /// Time of the link for so many bytes and its overhead.
    #[inline(always)]
    pub(super) fn link_time(&self, bytes: u64, overhead: u64) -> Ns {
        let Some(rate) = self.rules.link.bytes_per_s.filter(|_| bytes > 0) else { return Ns(overhead) };
        let data = match bytes.checked_mul(1_000_000_000) {
            Some(scaled) => scaled.div_ceil(rate.max(1)),
            None => (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate.max(1))) as u64,
        };
        Ns(data + overhead)
    }

    /// Until when the link is taken: to the drive, and to the host.
    pub fn link_clock(&self) -> [Ns; 2] {
        self.front.link_free
    }

    /// The link is taken until then, by others that share it.
    pub fn set_link_clock(&mut self, free: [Ns; 2]) {
        self.front.link_free = free;
    }

    /// Queues a request on one direction of the link; returns when it is over.
    #[inline(never)]
    pub(super) fn take_link(&mut self, outwards: bool, number: u32, time: Ns) -> Ns {
        let end = self.front.occupy_link(outwards, self.flash.now(), time);
        self.front.requests[number as usize].link += end.since(self.flash.now()).0;
        let queue = if outwards { &mut self.front.link_out } else { &mut self.front.link_in };
        queue.push_back((end, number));
        if queue.len() == 1 {
            self.flash.set_timer(Timer::of_link(outwards).number(), end);
        }
        end
    }

    /// The first transfer of one direction of the link has ended.
    pub(super) fn link_done(&mut self, outwards: bool) {
        let queue = if outwards { &mut self.front.link_out } else { &mut self.front.link_in };
        let first = queue.pop_front();
        if let Some(&(end, _)) = queue.front() {
            self.flash.set_timer(Timer::of_link(outwards).number(), end);
        }
        let Some((_, number)) = first else {
            return self.fail("a transfer over the link ended, and none was begun".into());
        };
        if outwards {
            self.complete(number);
        } else if self.front.requests[number as usize].carried == Carried::Command {
            self.run_firmware(number);
        } else {
            self.deliver_data(number);
        }
    }

    /// The drive starts to work on a request.
    #[inline(always)]
    pub(super) fn deliver(&mut self, number: u32) {
        let HostRequest { op, offset, length, .. } = self.front.requests[number as usize].request;
        if length == 0 || op == HostOp::Flush {
            if op == HostOp::Flush && self.controller.cache.is_on() {
                self.front.requests[number as usize].left = 1;
                return cache::flush(self, number);
            }
            // Without a cache every acknowledged write is in flash already.
            return self.answer(number, None, None);
        }
        match op {
            HostOp::Read => self.deliver_read(number, offset, length),
            HostOp::Write | HostOp::WriteFua if self.rules.link.write_data == LinkData::Page => {
                self.take_data(number);
            }
            HostOp::Write | HostOp::WriteFua => self.deliver_write(number, offset, length),
            HostOp::Trim | HostOp::Flush => {
                self.trim(number, offset, length);
                self.answer(number, None, None);
            }
        }
    }

    /// Mapping units that a range touches: first, last, and the bytes wanted of one.
    #[inline(always)]
    fn units(&self, offset: u64, length: u64) -> (u32, u32, impl Fn(u32) -> u32 + use<>) {
        let unit = u64::from(self.geometry.unit_bytes);
        let end = offset + length;
        let wanted = move |lpa: u32| {
            let start = u64::from(lpa) * unit;
            (end.min(start + unit) - offset.max(start)) as u32
        };
        let number = |byte| self.geometry.unit_of_byte(byte) as u32;
        (number(offset), number(end - 1), wanted)
    }

    #[inline(always)]
    fn deliver_read(&mut self, number: u32, offset: u64, length: u64) {
        let (first, last, wanted) = self.units(offset, length);
        // Held until all pages are on their way, so that a page that is done at once can't end the request.
        self.front.requests[number as usize].left = last - first + 2;
        let mut head: OpId = NONE;
        let (is_cached, fetches) = (
            self.controller.cache.is_on(),
            self.controller.cache.is_on() || self.systems.systems_fetch_ahead(),
        );
        if fetches {
            let near = (first..=last).take(UNITS_NEAR as usize);
            near.for_each(|lpa| self.fetch_for_systems(lpa, Distance::Near));
        }
        for lpa in first..=last {
            if fetches {
                self.fetch_behind(lpa, last);
            }
            if is_cached && cache::read_unit(self, number, Lpa(lpa), wanted(lpa)) {
                continue;
            }
            head = read_for_host(self, number, Lpa(lpa), wanted(lpa), head);
        }
        self.page_done(number);
    }

    /// The data of a write has come, or a page of it.
    #[inline]
    pub(super) fn deliver_data(&mut self, number: u32) {
        let HostRequest { offset, length, .. } = self.front.requests[number as usize].request;
        self.deliver_write(number, offset, length);
    }

    fn deliver_write(&mut self, number: u32, offset: u64, length: u64) {
        let (first, last, wanted) = self.units(offset, length);
        self.front.requests[number as usize].left = last - first + 2;
        if self.controller.cache.is_on() {
            let durable = self.front.is_durable(number);
            for lpa in first..=last {
                self.controller.cache.prefetch(Lpa(lpa.saturating_add(UNITS_AHEAD)));
                cache::write_unit(self, number, Lpa(lpa), wanted(lpa), durable);
            }
            cache::tend(self);
            return self.page_done(number);
        }
        let mut plane = None;
        for lpa in first..=last {
            if lpa & (self.geometry.units_per_page() - 1) == 0 {
                plane = None;
            }
            write_for_host(self, number, Lpa(lpa), wanted(lpa), &mut plane);
        }
        self.page_done(number);
    }

    /// Forgets the units that lie wholly in the range.
    fn trim(&mut self, number: u32, offset: u64, length: u64) {
        let unit = u64::from(self.geometry.unit_bytes);
        let id = self.front.requests[number as usize].id;
        for lpa in offset.div_ceil(unit)..(offset + length) / unit {
            let lpa = lpa as u32;
            self.controller.cache.prefetch(Lpa(lpa.saturating_add(UNITS_AHEAD)));
            forget(self, id, Lpa(lpa));
        }
        if self.controller.cache.is_on() {
            cache::tend(self);
        }
    }

    /// One page of a request is done at once.
    #[inline(always)]
    pub(super) fn page_done(&mut self, number: u32) {
        let request = &mut self.front.requests[number as usize];
        request.left -= 1;
        if request.left == 0 {
            self.answer(number, None, None);
        }
    }

    /// One page of a request is done and its operation ends, `die`'s running command being the one that served it. The
    /// page that is done last is the one that the request's blame follows.
    #[inline(always)]
    pub(super) fn unit_done(&mut self, unit: OpId, die: Option<DieId>) {
        let number = self.ftl.purposes()[unit].whose.request();
        let request = &mut self.front.requests[number as usize];
        request.left -= 1;
        if request.left == 0 {
            self.answer(number, Some(unit), die);
        } else if self.rules.link.read_data == LinkData::Page {
            self.page_crosses(number, self.ftl.purposes()[unit].lpa);
        }
        self.flash.pool.remove(unit);
    }

    /// A page of a read is there before others of its request: its data takes the link now.
    #[inline(never)]
    fn page_crosses(&mut self, number: u32, lpa: Lpa) {
        if self.front.requests[number as usize].request.op != HostOp::Read {
            return;
        }
        let (first, end) = self.front.wanted_range(number, lpa, self.geometry.unit_bytes);
        let bytes = u64::from(end.saturating_sub(first));
        self.front.requests[number as usize].crossed += bytes;
        self.front.occupy_link(true, self.flash.now(), self.link_time(bytes, 0));
    }

    /// Sends the answer of a request, whose last page was `unit`, served by the command running on `die`. When the
    /// host has it is certain from now on, so it is recorded at once.
    #[inline(always)]
    fn answer(&mut self, number: u32, unit: Option<OpId>, die: Option<DieId>) {
        let Some(number) = self.front.write_of_page(number) else { return };
        let Request { request: HostRequest { op, length, .. }, crossed, .. } =
            self.front.requests[number as usize];
        let carried = if op == HostOp::Read { length.saturating_sub(crossed) } else { 0 };
        let time = self.link_time(carried, self.rules.link.completion_ns);
        // Of a request that was split, the last command stands for the whole from here on.
        let number = self.front.whole_if_last(number);
        // Its own data may have crossed page by page, and be on the link still.
        let crosses = crossed > 0 && self.front.link_free[1] > self.flash.now();
        let at_once = time == Ns::ZERO && self.front.link_out.is_empty() && !crosses;
        let end = if at_once { self.flash.now() } else { self.take_link(true, number, time) };
        let request = &self.front.requests[number as usize];
        let latency = end.since(request.arrival);
        let before = unit.and_then(|unit| self.flash.pool.parts(unit));
        let during = die.map(|die| &self.flash.die(die).command.parts);
        if self.ftl.versions().is_some() {
            let inside: u64 = before.into_iter().chain(during).map(Parts::total).sum();
            let total = inside + request.admission + request.link + request.cpu + request.cpu_wait;
            if total != latency.0 {
                let wrong = parts_are_wrong(self.flash.now(), request.id, total, latency);
                self.observers.fault.get_or_insert(wrong);
            }
        }
        let told = request.measured || self.front.answers.is_some() || self.observers.probe.is_some();
        if told && !self.front.split_requests.has_command(number) {
            // Most drives have none of these.
            let any = request.admission | request.link | request.cpu | request.cpu_wait != 0;
            let all;
            let outside = if any {
                all = request.outside();
                all.as_slice()
            } else {
                &[]
            };
            if let Some(answers) = &mut self.front.answers {
                answers.note_parts(number, [before, during], outside);
            }
            if let Some(probe) = &mut self.observers.probe {
                let Request { id, request, arrival, measured, .. } = request;
                let inside = [before, during];
                let (id, arrival, measured) = (*id, *arrival, *measured);
                probe.answer(&Answer { id, request, arrival, end, measured, inside, outside });
            }
            if request.measured {
                self.observers.recorder.request(
                    op,
                    latency,
                    request.request.length,
                    [before, during],
                    outside,
                );
                if let Some(tenants) = &mut self.observers.recorder.tenants {
                    tenants.request(&request.request, latency, [before, during], outside);
                }
            }
        }
        if at_once {
            self.complete(number);
        }
    }

    /// The host has the answer.
    #[inline(always)]
    fn complete(&mut self, number: u32) {
        if self.front.split_requests.has_command(number) {
            return self.front.end_command(number);
        }
        self.front.free_requests.push(number);
        self.front.completed += 1;
        if self.requests_inside() == 0 {
            self.note_idle(true);
        }
        let HostRequest { op, length, .. } = self.front.requests[number as usize].request;
        if self.observers.recorder.answered(op, length) {
            let (programs, free) = (self.observers.recorder.programs(), self.ftl.free_pages());
            self.observers.recorder.end_batch(self.flash.now(), programs, free);
        }
        self.front.tell_answer(number);
        if let Some(answered) = &mut self.front.answered {
            answered.push(self.front.requests[number as usize].id);
            if let Some(tenants) = &mut self.observers.recorder.tenants {
                tenants.answered(&self.front.requests[number as usize].request);
            }
        }
        let latency = self.flash.now().since(self.front.requests[number as usize].arrival);
        self.observers.monitor.timed.answered(op, length, latency, self.flash.now());
        if let Some(probe) = &mut self.observers.probe {
            let request = &self.front.requests[number as usize];
            probe.completed(request.id, self.flash.now().since(request.arrival), self.flash.now());
        }
    }
}

/// The parts of a request's response time add up to something else.
#[cold]
pub(super) fn parts_are_wrong(now: Ns, id: u64, total: u64, latency: Ns) -> String {
    format!("at {} ns: request {id}: its parts add up to {total} of {} ns", now.0, latency.0)
}
