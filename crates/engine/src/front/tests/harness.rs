//! Whoever holds the front: a core that works for one request after the other, and two dies that do one unit after the other.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::front::{
    AroundFront, Direction, Front, Request, Units, deliver, part_done, submit, transfer_ended, unit_done,
};
use wordline_base::class::Class;
use wordline_base::ids::Lpa;
use wordline_base::parts::{Part, Parts};
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;
use wordline_config::device::{GeometryConfig, LinkConfig};
use wordline_flash::nand::Geometry;

/// Times, ns: of a unit read, of one programmed, of a flush.
pub const READ: u64 = 50_000;
pub const PROGRAM: u64 = 500_000;
pub const FLUSH: u64 = 30_000;

/// Bytes of a mapping unit, and the time of them on the link of [`described`], ns.
pub const UNIT: u64 = 4096;
pub const CROSS: u64 = 2_000;

/// Time of a command and of a completion on that link, ns.
pub const COMMAND: u64 = 100;
pub const ANSWER: u64 = 200;

/// Units from this one on hold no data: they are read in no time.
pub const BLANK: u32 = 16;

const DIES: u32 = 2;

/// What the link is, and the drive behind it.
#[derive(Clone, Debug)]
pub struct Described {
    pub link: LinkConfig,
    /// Time of a core for each request, ns.
    pub work: u64,
    /// Whether a flush takes [`FLUSH`].
    pub holds_writes: bool,
    /// Whether it takes an operation to know that a unit holds no data.
    pub looks_up: bool,
    /// Whether all answers are told.
    pub watched: bool,
}

/// A drive of flash pages of one unit behind a link of 2.048 GB/s.
pub fn described() -> Described {
    let link = LinkConfig {
        bytes_per_s: Some(2_048_000_000),
        submission_ns: COMMAND,
        completion_ns: ANSWER,
        ..LinkConfig::default()
    };
    Described { link, work: 0, holds_writes: false, looks_up: false, watched: false }
}

/// A link that takes no time.
pub fn without_link() -> Described {
    Described { link: LinkConfig::default(), ..described() }
}

/// Something that the front asked for or told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    /// A read of so many bytes of a unit.
    Read(u32, u32),
    /// A write of so many.
    Write(u32, u32),
    Trim(u32),
    Flush,
    Idle(bool),
    Completed(u64),
}

/// What was told of an answer.
#[derive(Clone, Debug)]
pub struct Told {
    pub id: u64,
    pub asked: HostRequest,
    /// When it was certain, and when the host has it, ns.
    pub certain: u64,
    pub end: u64,
    pub latency: u64,
    pub parts: Parts,
}

impl Told {
    /// Time that is blamed on a part, ns.
    pub fn blamed(&self, part: Part) -> u64 {
        self.parts.iter().filter(|&(index, _)| index == part.index()).map(|(_, ns)| ns).sum()
    }
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Worked(u32),
    Done { number: u32, lpa: Lpa, served: usize },
}

/// The front, and what is around it.
pub struct Alone {
    pub front: Front,
    pub geometry: Geometry,
    described: Described,
    now: Ns,
    timers: [Option<Ns>; 2],
    /// By time, and in the order in which they were made.
    events: BTreeMap<(Ns, u64), Event>,
    order: u64,
    core_free: Ns,
    die_free: [Ns; DIES as usize],
    served: Vec<Parts>,
    submitted: u64,
    /// Requests of which was told that they entered.
    entered: u64,
    /// What happened, and when.
    pub did: Vec<(u64, Did)>,
    /// When the work for each request ended, or for each of its commands.
    pub worked: Vec<(u64, u64)>,
    pub told: Vec<Told>,
    /// Nanoseconds by which the parts of units are wrong.
    pub wrong_by: i64,
    pub is_checked: bool,
    pub fault: Option<String>,
}

impl Alone {
    pub fn new(described: &Described) -> Self {
        let geometry = Geometry::new(&GeometryConfig {
            channels: 1,
            ways: DIES,
            dies: 1,
            planes: 1,
            blocks: 8,
            pages: 8,
            page_bytes: UNIT as u32,
            spare_bytes: 0,
            mapping_unit_bytes: UNIT as u32,
            pages_per_program: 1,
        });
        Self {
            front: Front::new(described.link.clone()),
            geometry,
            described: described.clone(),
            now: Ns::ZERO,
            timers: [None; 2],
            events: BTreeMap::new(),
            order: 0,
            core_free: Ns::ZERO,
            die_free: [Ns::ZERO; DIES as usize],
            served: Vec::new(),
            submitted: 0,
            entered: 0,
            did: Vec::new(),
            worked: Vec::new(),
            told: Vec::new(),
            wrong_by: 0,
            is_checked: true,
            fault: None,
        }
    }

    /// The host submits a request now, which it had ready at `arrival`, ns; returns its identity.
    pub fn submit_of(&mut self, request: HostRequest, arrival: u64, measured: bool) -> u64 {
        let (id, admission) = (self.submitted, self.now.0 - arrival);
        self.submitted += 1;
        submit(self, Request::new(request, id, Ns(arrival), measured, admission));
        id
    }

    /// The host submits what it has just got ready.
    pub fn submit(&mut self, op: HostOp, offset: u64, length: u64) -> u64 {
        let request = HostRequest { time: self.now, op, offset, length, flow: 0, stream: 0 };
        self.submit_of(request, self.now.0, true)
    }

    /// The host reads units.
    pub fn read(&mut self, first: u32, count: u32) -> u64 {
        self.submit(HostOp::Read, u64::from(first) * UNIT, u64::from(count) * UNIT)
    }

    /// The host writes units.
    pub fn write(&mut self, first: u32, count: u32) -> u64 {
        self.submit(HostOp::Write, u64::from(first) * UNIT, u64::from(count) * UNIT)
    }

    pub fn flush(&mut self) -> u64 {
        self.submit(HostOp::Flush, 0, 0)
    }

    pub fn now(&self) -> u64 {
        self.now.0
    }

    /// Handles all events up to this time, ns.
    pub fn run(&mut self, until: u64) {
        while self.next().is_some_and(|next| next.0 <= until) {
            self.step();
        }
        self.now = Ns(until);
    }

    /// Runs until nothing is left to do; then nothing may be inside.
    pub fn run_dry(&mut self) {
        while self.next().is_some() {
            self.step();
        }
        assert_eq!((self.fault.as_deref(), self.entered), (None, self.submitted));
        assert_eq!((self.front.inside(), self.front.split_requests.commands()), (0, 0));
        assert_eq!(self.front.free_requests.len(), self.front.requests.len());
        assert!(self.front.link_in.is_empty() && self.front.link_out.is_empty());
    }

    pub fn next(&self) -> Option<Ns> {
        let event = self.events.keys().next().map(|&(at, _)| at);
        self.timers.into_iter().flatten().chain(event).min()
    }

    /// The next event; of those of one time the link's come first.
    pub fn step(&mut self) {
        let Some(now) = self.next() else { return };
        self.now = now;
        for direction in [Direction::ToDrive, Direction::ToHost] {
            if self.timers[direction as usize] == Some(now) {
                self.timers[direction as usize] = None;
                return transfer_ended(self, direction);
            }
        }
        let (_, event) = self.events.pop_first().unwrap();
        match event {
            Event::Worked(number) => self.work_ended(number),
            Event::Done { number, lpa, served } => unit_done(self, number, lpa, served),
        }
    }

    fn at(&mut self, at: Ns, event: Event) {
        self.order += 1;
        self.events.insert((at, self.order), event);
    }

    fn work_ended(&mut self, number: u32) {
        self.worked.push((self.now.0, self.front.request(number).id()));
        deliver(self, number);
    }

    /// A unit is read or programmed by its die, behind what that does already.
    fn use_die(&mut self, number: u32, lpa: u32, class: Class, time: u64) {
        let free = &mut self.die_free[(lpa % DIES) as usize];
        let begin = (*free).max(self.now);
        *free = begin + Ns(time);
        let (end, wait) = (*free, begin.since(self.now).0);
        let mut parts = Parts::default();
        parts.add(Part::DieWait(class), wait);
        parts.add(Part::Cell, time.saturating_add_signed(self.wrong_by));
        self.served.push(parts);
        self.at(end, Event::Done { number, lpa: Lpa(lpa), served: self.served.len() - 1 });
    }

    fn read_unit(&mut self, number: u32, lpa: u32) {
        if lpa < BLANK {
            self.use_die(number, lpa, Class::HostRead, READ);
        } else if self.described.looks_up {
            self.served.push(Parts::default());
            unit_done(self, number, Lpa(lpa), self.served.len() - 1);
        } else {
            part_done(self, number);
        }
    }

    /// When a request was completed, ns.
    pub fn completed(&self, id: u64) -> Option<u64> {
        self.did.iter().find(|(_, did)| *did == Did::Completed(id)).map(|&(at, _)| at)
    }

    /// What was told of its answer, once.
    pub fn told_of(&self, id: u64) -> &Told {
        let mut told = self.told.iter().filter(|told| told.id == id);
        let first = told.next().unwrap();
        assert!(told.next().is_none(), "request {id} is told twice");
        first
    }

    /// What the front asked for, and when.
    pub fn asked_for(&self) -> Vec<(u64, Did)> {
        let is_news = |did: Did| matches!(did, Did::Idle(_) | Did::Completed(_));
        self.did.iter().copied().filter(|&(_, did)| !is_news(did)).collect()
    }
}

impl AroundFront for Alone {
    type Served = usize;

    fn front(&self) -> &Front {
        &self.front
    }

    fn front_mut(&mut self) -> &mut Front {
        &mut self.front
    }

    fn now(&self) -> Ns {
        self.now
    }

    fn set_timer(&mut self, direction: Direction, at: Ns) {
        self.timers[direction as usize] = Some(at);
    }

    fn fail(&mut self, what: String) {
        self.fault.get_or_insert(what);
    }

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn work_for(&mut self, request: u32) {
        if self.described.work == 0 {
            return self.work_ended(request);
        }
        let begin = self.core_free.max(self.now);
        self.core_free = begin + Ns(self.described.work);
        self.front.note_work(request, begin.since(self.now), Ns(self.described.work));
        self.at(self.core_free, Event::Worked(request));
    }

    fn read(&mut self, request: u32, units: Units) {
        for lpa in units.numbers() {
            self.did.push((self.now.0, Did::Read(lpa, units.wanted(lpa))));
            self.read_unit(request, lpa);
        }
    }

    fn write(&mut self, request: u32, units: Units) {
        for lpa in units.numbers() {
            self.did.push((self.now.0, Did::Write(lpa, units.wanted(lpa))));
            self.use_die(request, lpa, Class::HostProgram, PROGRAM);
        }
    }

    fn trim(&mut self, _request: u32, units: Range<u32>) {
        units.for_each(|lpa| self.did.push((self.now.0, Did::Trim(lpa))));
    }

    fn holds_writes(&self) -> bool {
        self.described.holds_writes
    }

    fn flush(&mut self, request: u32) {
        self.did.push((self.now.0, Did::Flush));
        let mut parts = Parts::default();
        parts.add(Part::WriteBack, FLUSH);
        self.served.push(parts);
        let served = self.served.len() - 1;
        self.at(self.now + Ns(FLUSH), Event::Done { number: request, lpa: Lpa::NONE, served });
    }

    fn is_checked(&self) -> bool {
        self.is_checked
    }

    fn is_watched(&self) -> bool {
        self.described.watched
    }

    fn front_and_inside(&mut self, served: Option<usize>) -> (&mut Front, [Option<&Parts>; 2]) {
        (&mut self.front, [served.map(|served| &self.served[served]), None])
    }

    fn entered(&mut self, request: u32) {
        assert_eq!(self.front.request(request).id(), self.entered);
        self.entered += 1;
    }

    fn answer_is_certain(&mut self, request: u32, end: Ns, served: Option<usize>, outside: &[(Part, u64)]) {
        let mut parts = served.map_or_else(Parts::default, |served| self.served[served]);
        outside.iter().for_each(|&(part, ns)| parts.add(part, ns));
        let request = self.front.request(request);
        let (id, asked, latency) = (request.id(), *request.asked(), end.since(request.arrival()).0);
        self.told.push(Told { id, asked, certain: self.now.0, end: end.0, latency, parts });
    }

    fn completed(&mut self, request: u32) {
        let id = self.front.request(request).id();
        assert_eq!(Self::completed(self, id), None, "request {id} is completed twice");
        if let Some(told) = self.told.iter().find(|told| told.id == id) {
            assert_eq!(told.end, self.now.0, "request {id} is completed when it was said to be");
        }
        self.did.push((self.now.0, Did::Completed(id)));
    }

    fn note_idle(&mut self, idle: bool) {
        self.did.push((self.now.0, Did::Idle(idle)));
    }
}
