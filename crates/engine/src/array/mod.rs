//! Arrays: several drives on one clock behind one address space.
//!
//! Each drive is a whole [`Device`] with its own firmware and collection, and with its own link unless the drives are parts
//! of one: then the array hands the link's clock from one to the next. The array splits requests, waits for the
//! last part, and takes over that part's blame. Events of all drives are handled in the order of their times, those of
//! the same time in the order of the drives. Each drive keeps its own agenda: in one of all, ties inside a drive would be
//! broken among its neighbours' events, and a member would no longer be the drive that it is alone.

pub mod layout;
mod monitor;
mod own_requests;
mod prepare;
mod report;
mod state;
mod volume;

use serde::{Deserialize, Serialize};

use crate::device::Device;
use crate::host::{HostOp, HostRequest};
use crate::probe::Probe;
use crate::sched::gates::ClassSet;
use crate::stats::recorder::Recorder;
use layout::{Part, first_byte, striped};
use monitor::Monitor;
use wordline_base::class::FlashOp;
use wordline_base::parts::Parts;
use wordline_base::time::Ns;
use wordline_config::array::{ArrayConfig, ArrayLayout, ArrayMember, MirrorServe};

/// A request of the array.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Request {
    id: u64,
    request: HostRequest,
    arrival: Ns,
    /// Parts that no drive has answered yet.
    left: u32,
    measured: bool,
}

/// The next event of all drives.
#[derive(Clone, Copy)]
struct Next {
    /// Whose it is.
    member: usize,
    time: Ns,
    /// Whether a request that arrives then goes before it.
    gives_way: bool,
    /// When the first of the other drives goes.
    others: Ns,
}

/// Several drives as one.
pub struct Array {
    config: ArrayConfig,
    members: Vec<Device>,
    requests: Vec<Request>,
    free: Vec<u32>,
    /// Parts of the request that is being split.
    parts: Vec<Part>,
    /// Mirrored reads in turn: the drive that comes next.
    turn: usize,
    now: Ns,
    completed: u32,
    /// Numbers of the requests that were completed, where the host asks for them.
    answered: Option<Vec<u64>>,
    /// Requests of the host; what the flash did is counted by the drives.
    recorder: Recorder,
    /// What looks at all drives together.
    monitor: Monitor,
    /// The drive that serves reads alone, and until when.
    reader: (usize, Ns),
    /// Until when the link that all share is taken in each direction; `None` where each has its own.
    link: Option<[Ns; 2]>,
}

impl Array {
    /// Of drives that are prepared; as many as the description says.
    pub fn new(config: &ArrayConfig, mut members: Vec<Device>) -> Self {
        for member in &mut members {
            member.tell_answers();
        }
        let mut this = Self {
            config: config.clone(),
            members,
            requests: Vec::new(),
            free: Vec::new(),
            parts: Vec::new(),
            turn: 0,
            now: Ns::ZERO,
            completed: 0,
            answered: None,
            recorder: Recorder::new(),
            monitor: Monitor::default(),
            reader: (usize::MAX, Ns::NEVER),
            link: (config.of == ArrayMember::Channels).then(Default::default),
        };
        if this.has_windows() {
            this.open_read_window(0, Ns::ZERO, Ns::ZERO);
        }
        this
    }

    /// The drives.
    pub fn members(&self) -> &[Device] {
        &self.members
    }

    /// Watches each drive, by its number. For tests and tools; costs time.
    pub fn set_probes(&mut self, of: impl Fn(usize) -> Box<dyn Probe>) {
        self.members.iter_mut().enumerate().for_each(|(number, drive)| drive.set_probe(of(number)));
    }

    fn has_windows(&self) -> bool {
        self.config.layout == ArrayLayout::Mirrored && self.config.read_window_ns > 0
    }

    /// In the window that began at `begin` this drive only reads.
    fn open_read_window(&mut self, member: usize, begin: Ns, now: Ns) {
        let end = begin + Ns(self.config.read_window_ns);
        self.reader = (member, end);
        let writes = ClassSet::doing(FlashOp::Program).and(ClassSet::doing(FlashOp::Erase));
        self.with_link(member, |drive| drive.hold_back(writes, end, now));
        self.collect(member);
    }

    /// Nothing is on its way, and nothing will be before the next request or before a drive wakes.
    fn is_at_rest(&self) -> bool {
        self.requests.len() == self.free.len()
            && self.members.iter().all(|drive| drive.next_event().0 == Ns::NEVER)
    }

    /// Opens the window that began last, at `until` or before, if the array was at rest when others ended.
    fn catch_up(&mut self, until: Ns, now: Ns) {
        let (reader, end) = self.reader;
        if until < end {
            return;
        }
        let window = self.config.read_window_ns;
        let passed = (until.0 - end.0) / window;
        let turns = (passed % self.members.len() as u64) as usize + 1;
        self.open_read_window((reader + turns) % self.members.len(), end + Ns(passed * window), now);
    }

    /// Lets a drive do something while it has the link, if that is shared.
    fn with_link<T>(&mut self, member: usize, act: impl FnOnce(&mut Device) -> T) -> Option<T> {
        let drive = self.members.get_mut(member)?;
        let Some(link) = &mut self.link else { return Some(act(drive)) };
        drive.set_link_clock(*link);
        let done = act(drive);
        *link = drive.link_clock();
        Some(done)
    }

    /// The drive that goes next, the first of those of the same time.
    #[inline]
    fn next_member(&self) -> Next {
        let mut next = Next { member: 0, time: Ns::NEVER, gives_way: false, others: Ns::NEVER };
        for (member, drive) in self.members.iter().enumerate() {
            let (time, gives_way) = drive.next_event();
            if time < next.time {
                next = Next { member, time, gives_way, others: next.time };
            } else {
                next.others = next.others.min(time);
            }
        }
        next
    }

    /// Handles the next event, and those of the same drive that follow, as long as they come before `limit` and before another
    /// drive has something to do.
    fn run_ahead(&mut self, next: Next, limit: Ns) {
        let Next { member, time, others, .. } = next;
        let limit = limit.min(others).min(self.monitor.end_of_interval());
        self.with_link(member, |drive| {
            // Who goes first at the limit itself is not the drive's to say.
            if time.0 < limit.0.saturating_sub(1) {
                drive.take_completed();
                drive.advance(Ns(limit.0 - 1));
            } else {
                drive.step();
            }
        });
        self.now = self.members.get(member).map_or(time, Device::now);
        self.collect(member);
    }

    fn split(&mut self, request: &HostRequest, parts: &mut Vec<Part>) {
        parts.clear();
        let whole = |member| Part { member, offset: request.offset, length: request.length };
        match (request.op, self.config.layout) {
            (HostOp::Flush, _) => parts.extend((0..self.members.len()).map(whole)),
            (HostOp::Read, ArrayLayout::Mirrored) => parts.push(whole(self.choose(request.offset))),
            (_, ArrayLayout::Mirrored) => parts.extend((0..self.members.len()).map(whole)),
            (_, ArrayLayout::Striped) => striped(&self.config, request.offset, request.length, parts),
        }
    }

    /// Shows a request that is yet to come to each drive that is likely to get its first byte.
    fn for_drives_of(&self, request: &HostRequest, show: impl Fn(&Device, &HostRequest)) {
        let reads_there = request.op == HostOp::Read && self.has_windows();
        match self.config.layout {
            ArrayLayout::Striped => {
                let (member, offset) = first_byte(&self.config, request.offset);
                let part = HostRequest { offset, ..*request };
                self.members.get(member).into_iter().for_each(|drive| show(drive, &part));
            }
            ArrayLayout::Mirrored if reads_there => {
                self.members.get(self.reader.0).into_iter().for_each(|drive| show(drive, request));
            }
            ArrayLayout::Mirrored => self.members.iter().for_each(|drive| show(drive, request)),
        }
    }

    /// Whether every drive gets the same of a request.
    fn is_for_all(&self, request: &HostRequest) -> bool {
        self.config.layout == ArrayLayout::Mirrored && request.op != HostOp::Read
    }

    /// The drive that serves a mirrored read.
    fn choose(&mut self, offset: u64) -> usize {
        if self.has_windows() {
            return self.reader.0;
        }
        match self.config.serve {
            MirrorServe::First => 0,
            MirrorServe::RoundRobin => {
                self.turn = (self.turn + 1) % self.members.len();
                self.turn
            }
            MirrorServe::ShortestQueue => {
                let waiting = |drive: &Device| drive.waiting_before(offset);
                let drives = self.members.iter().enumerate();
                drives.map(|(number, drive)| (waiting(drive), number)).min().map_or(0, |least| least.1)
            }
        }
    }

    /// Takes note of the parts that a drive has answered.
    fn collect(&mut self, member: usize) {
        let Some(answers) = self.members.get_mut(member).and_then(Device::take_answers) else { return };
        answers.iter().for_each(|(id, parts)| self.part_done(id as u32, parts));
        if let Some(drive) = self.members.get_mut(member) {
            drive.give_back_answers(answers);
        }
    }

    /// A part of a request was answered; `parts` say where the time of the last one went.
    fn part_done(&mut self, number: u32, parts: &Parts) {
        let entry = &mut self.requests[number as usize];
        entry.left -= 1;
        if entry.left > 0 {
            return;
        }
        let Request { id, request, arrival, measured, .. } = *entry;
        let latency = self.now.since(arrival);
        self.check_parts(id, latency, parts);
        let parts = [Some(parts), None];
        if measured {
            self.recorder.request(request.op, latency, request.length, parts, &[]);
        }
        if self.recorder.answered(request.op, request.length, request.stream) {
            let programs = self.members.iter().map(|member| member.recorder().programs()).sum();
            self.recorder.end_batch(self.now, programs);
        }
        if let Some(tenants) = &mut self.recorder.tenants {
            if measured {
                tenants.request(&request, latency, parts, &[]);
            }
            tenants.answered(&request);
        }
        if let Some(answered) = &mut self.answered {
            answered.push(id);
        }
        self.monitor.timed.answered(request.op, request.length, latency, self.now);
        self.free.push(number);
        self.completed += 1;
    }

    /// Checked mode: where the time of a request went adds up to its response time.
    fn check_parts(&mut self, id: u64, latency: Ns, parts: &Parts) {
        let Some(drive) = self.members.first_mut().filter(|drive| drive.ftl().versions().is_some()) else {
            return;
        };
        if parts.total() != latency.0 {
            let (total, latency) = (parts.total(), latency.0);
            drive.fail(format!("request {id} of the array: its parts add up to {total} of {latency} ns"));
        }
    }
}
