//! Arrays: several drives on one clock behind one address space.
//!
//! Each drive is a whole [`Device`] with its own link, firmware and collection. The array splits requests, waits for the
//! last part, and takes over that part's blame. Events of all drives are handled in the order of their times, those of
//! the same time in the order of the drives.

pub mod layout;
pub mod run;

use serde::Serialize;

use crate::config::array::{ArrayConfig, ArrayLayout, MirrorServe};
use crate::device::Device;
use crate::host::{HostOp, HostRequest};
use crate::run::RunError;
use crate::sched::class::FlashOp;
use crate::sched::gates::ClassSet;
use crate::stats::blame::Part as BlamePart;
use crate::stats::latency::DirectionRecorder;
use crate::stats::report::{DirectionReport, Report, WindowReport};
use crate::time::Ns;
use layout::{Part, striped};

pub use run::simulate_array;

/// A request of the array.
#[derive(Clone, Copy, Debug)]
struct Request {
    request: HostRequest,
    arrival: Ns,
    left: u32,
    measured: bool,
}

/// What was measured on an array.
#[derive(Clone, Debug, Serialize)]
pub struct ArrayReport {
    /// The measured window.
    pub window: WindowReport,
    /// Read requests of the host.
    pub read: DirectionReport,
    /// Write requests of the host.
    pub write: DirectionReport,
    /// Each drive. Its requests are the parts that it got.
    pub members: Vec<Report>,
}

/// Several drives as one.
pub struct Array {
    config: ArrayConfig,
    members: Vec<Device>,
    requests: Vec<Request>,
    free: Vec<u32>,
    parts: Vec<Part>,
    /// Mirrored reads in turn: the drive that comes next.
    turn: usize,
    now: Ns,
    completed: u32,
    window: (Ns, u64),
    read: DirectionRecorder,
    write: DirectionRecorder,
    /// The drive that serves reads alone, and until when.
    reader: (usize, Ns),
}

impl Array {
    /// Of drives that are prepared; as many as the description says.
    pub fn new(config: &ArrayConfig, mut members: Vec<Device>) -> Self {
        for member in &mut members {
            member.tell_answers();
        }
        let mut this = Self {
            reader: (usize::MAX, Ns::NEVER),
            config: config.clone(),
            members,
            requests: Vec::new(),
            free: Vec::new(),
            parts: Vec::new(),
            turn: 0,
            now: Ns::ZERO,
            completed: 0,
            window: (Ns::ZERO, 0),
            read: DirectionRecorder::default(),
            write: DirectionRecorder::default(),
        };
        if this.has_windows() {
            this.open_read_window(0, Ns::ZERO);
        }
        this
    }

    /// The time.
    pub fn now(&self) -> Ns {
        self.now
    }

    /// Requests that were completed since this was asked last.
    pub fn take_completed(&mut self) -> u32 {
        std::mem::take(&mut self.completed)
    }

    /// The first drive that can't go on.
    pub fn check(&self) -> Result<(), RunError> {
        let fault = |(number, drive): (usize, &Device)| drive.fault().map(|fault| (number, fault.to_owned()));
        match self.members.iter().enumerate().find_map(fault) {
            Some((number, fault)) => {
                Err(RunError::Inconsistent(format!("drive {number} of the array: {fault}")))
            }
            None => Ok(()),
        }
    }

    /// See [`Device::place_stalled_anew`].
    pub fn place_stalled_anew(&mut self) -> bool {
        let mut moved = false;
        for member in 0..self.members.len() {
            moved |= self.members.get_mut(member).is_some_and(Device::place_stalled_anew);
            self.collect(member);
        }
        moved
    }

    /// Audits every drive at rest.
    pub fn audit(&mut self) -> Result<(), RunError> {
        for (number, drive) in self.members.iter_mut().enumerate() {
            drive.close_untimed_places();
            let what = |fault| RunError::Inconsistent(format!("drive {number} of the array: {fault}"));
            drive.audit().map_err(what)?;
        }
        Ok(())
    }

    /// The drives.
    pub fn members(&self) -> &[Device] {
        &self.members
    }

    fn has_windows(&self) -> bool {
        self.config.layout == ArrayLayout::Mirrored && self.config.read_window_ns > 0
    }

    /// From now on this drive only reads.
    fn open_read_window(&mut self, member: usize, now: Ns) {
        let end = now + Ns(self.config.read_window_ns);
        self.reader = (member, end);
        let writes = ClassSet::doing(FlashOp::Program).and(ClassSet::doing(FlashOp::Erase));
        if let Some(drive) = self.members.get_mut(member) {
            drive.hold_back(writes, end, now);
        }
        self.collect(member);
    }

    /// Bytes that the host sees.
    pub fn logical_bytes(&self) -> u64 {
        self.members.first().map_or(0, |first| layout::array_bytes(&self.config, first.logical_bytes()))
    }

    /// When the next event comes, and whether a request that arrives at that time goes before it.
    pub fn next_event(&self) -> (Ns, bool) {
        let (member, time) = self.next_member();
        let (_, gives_way) = self.members.get(member).map_or((Ns::NEVER, false), Device::next_event);
        (time, gives_way)
    }

    fn next_member(&self) -> (usize, Ns) {
        let next = |(number, drive): (usize, &Device)| (drive.next_event().0, number);
        let (time, number) = self.members.iter().enumerate().map(next).min().unwrap_or((Ns::NEVER, 0));
        (number, time)
    }

    /// Handles the next event.
    pub fn step(&mut self) {
        let (member, time) = self.next_member();
        self.now = time;
        if let Some(drive) = self.members.get_mut(member) {
            drive.step();
        }
        self.collect(member);
    }

    /// When a drive's systems, or the next window, want the clock; alone that keeps no run from ending.
    pub fn wake_at(&self) -> Ns {
        self.members.iter().map(Device::wake_at).fold(self.reader.1, Ns::min)
    }

    /// That time has come.
    pub fn wake(&mut self) {
        self.now = self.wake_at();
        for member in 0..self.members.len() {
            if let Some(drive) = self.members.get_mut(member).filter(|drive| drive.wake_at() == self.now) {
                drive.wake();
            }
            self.collect(member);
        }
        if self.reader.1 == self.now {
            self.open_read_window((self.reader.0 + 1) % self.members.len(), self.now);
        }
    }

    /// A request enters the array; see [`Device::submit`].
    pub fn submit(&mut self, request: &HostRequest, arrival: Ns, now: Ns, measured: bool) {
        self.now = now;
        let mut parts = std::mem::take(&mut self.parts);
        self.split(request, &mut parts);
        let entry = Request { request: *request, arrival, left: parts.len() as u32 + 1, measured };
        let number = self.free.pop().unwrap_or(self.requests.len() as u32);
        if number as usize == self.requests.len() {
            self.requests.push(entry);
        } else {
            self.requests[number as usize] = entry;
        }
        for part in &parts {
            let sub = HostRequest { offset: part.offset, length: part.length, ..*request };
            if let Some(drive) = self.members.get_mut(part.member) {
                drive.submit(&sub, u64::from(number), arrival, now, measured);
            }
            self.collect(part.member);
        }
        self.parts = parts;
        self.part_done(number, None);
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
        while let Some(answer) = self.members.get_mut(member).and_then(Device::take_answer) {
            self.part_done(answer.id as u32, Some(&answer.parts));
        }
    }

    fn part_done(&mut self, number: u32, parts: Option<&crate::stats::blame::Parts>) {
        let entry = &mut self.requests[number as usize];
        entry.left -= 1;
        if entry.left > 0 {
            return;
        }
        let Request { request, arrival, measured, .. } = *entry;
        let latency = self.now.since(arrival);
        let nothing: [(BlamePart, u64); 0] = [];
        let recorder = match request.op {
            HostOp::Read => &mut self.read,
            HostOp::Write | HostOp::WriteFua => &mut self.write,
            HostOp::Trim | HostOp::Flush => return self.end(number),
        };
        recorder.answered(request.length);
        if measured {
            recorder.record(latency, request.length, [parts, None], &nothing);
        }
        self.end(number);
    }

    fn end(&mut self, number: u32) {
        self.free.push(number);
        self.completed += 1;
    }

    /// The measured window opens.
    pub fn open_window_at(&mut self, now: Ns, requests_before: u64) {
        self.window = (now, requests_before);
        (self.read, self.write) = (DirectionRecorder::default(), DirectionRecorder::default());
        for member in &mut self.members {
            member.open_window_at(now, requests_before);
        }
    }

    /// Everything measured in the window, which ends now.
    pub fn report(&self) -> ArrayReport {
        let (start, warmup_requests) = self.window;
        let length = self.now.since(start);
        ArrayReport {
            window: WindowReport { start_ns: start.0, end_ns: self.now.0.max(start.0), warmup_requests },
            read: self.read.report(length),
            write: self.write.report(length),
            members: self.members.iter().map(Device::report).collect(),
        }
    }
}
