//! Whoever holds the cores: requests that are delivered at once, and programs of domains.

use crate::cores::cpu::Cpu;
use crate::cores::{AroundCores, charge, enqueue_moves, places_later, work_done, work_for_request};
use crate::cores::{Cost, HostMemory};
use crate::sched::queue::{NONE, OpId};
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;
use wordline_config::firmware::{CpuConfig, FirmwareConfig};

/// Bytes of a mapping unit.
pub const UNIT: u64 = 4096;

/// What goes on when work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Did {
    Delivered(u32),
    Enqueued(OpId),
    Placed(OpId),
}

/// A program: its domain, and the units that it moves if it moves any.
#[derive(Clone, Copy, Debug)]
struct Program {
    domain: usize,
    units: Option<u64>,
    next: OpId,
}

/// The cores, and what is around them.
pub struct Alone {
    pub cpu: Cpu,
    pub host_memory: HostMemory,
    pub now: u64,
    pub search_steps: u64,
    timer: Option<Ns>,
    requests: Vec<HostRequest>,
    programs: Vec<Program>,
    /// What went on, and when, ns.
    pub did: Vec<(u64, Did)>,
    /// How long each request waited for a core, and how long that worked, ns.
    pub noted: Vec<(u32, u64, u64)>,
}

impl Alone {
    /// So many cores with these costs, in a drive of two domains.
    pub fn new(cores: u32, costs: &FirmwareConfig) -> Self {
        Self {
            cpu: Cpu::new(&CpuConfig { cores }, costs, 2),
            host_memory: HostMemory::new(true, Ns(500)),
            now: 0,
            search_steps: 0,
            timer: None,
            requests: Vec::new(),
            programs: Vec::new(),
            did: Vec::new(),
            noted: Vec::new(),
        }
    }

    /// A request comes, of so many bytes.
    pub fn request(&mut self, op: HostOp, offset: u64, length: u64) -> u32 {
        let number = self.requests.len() as u32;
        self.requests.push(HostRequest { time: Ns::ZERO, op, offset, length, flow: 0, stream: 0 });
        work_for_request(self, number);
        number
    }

    /// Programs of a domain come together, each of which moves so many units, or none that it moves.
    pub fn programs(&mut self, domain: usize, units: &[Option<u64>]) {
        let first = self.programs.len();
        self.programs.extend(units.iter().map(|&units| Program { domain, units, next: NONE }));
        let heads: Vec<OpId> = (first..self.programs.len()).map(|head| head as OpId).collect();
        enqueue_moves(self, &heads);
    }

    /// Whether a page of a plan gets its place later.
    pub fn plan_page(&mut self) -> bool {
        self.programs.push(Program { domain: 0, units: Some(1), next: NONE });
        places_later(self, self.programs.len() as OpId - 1)
    }

    pub fn decide(&mut self) {
        charge(self, Cost::Decision, 1);
    }

    /// Works until that time, ns.
    pub fn run_until(&mut self, until: u64) {
        while let Some(at) = self.timer.take_if(|at| at.0 <= until) {
            self.now = at.0;
            work_done(self);
        }
        self.now = until;
    }

    /// Works until nothing waits.
    pub fn run_dry(&mut self) {
        while let Some(at) = self.timer.take() {
            assert!(at.0 >= self.now, "time goes forward");
            self.now = at.0;
            work_done(self);
        }
    }
}

impl AroundCores for Alone {
    fn cores(&self) -> &Cpu {
        &self.cpu
    }

    fn cores_mut(&mut self) -> &mut Cpu {
        &mut self.cpu
    }

    fn now(&self) -> Ns {
        Ns(self.now)
    }

    fn set_timer(&mut self, at: Ns) {
        self.timer = Some(at);
    }

    fn fail(&mut self, what: String) {
        panic!("at {} ns: {what}", self.now);
    }

    fn asked(&self, request: u32) -> &HostRequest {
        &self.requests[request as usize]
    }

    fn unit_bytes(&self) -> u32 {
        UNIT as u32
    }

    fn search_steps(&self) -> u64 {
        self.search_steps
    }

    fn domain_of(&self, head: OpId) -> usize {
        self.programs[head as usize].domain
    }

    fn units_moved(&self, head: OpId) -> Option<u64> {
        self.programs[head as usize].units
    }

    fn units_rearranged(&self, _head: OpId) -> u64 {
        0
    }

    fn next_mut(&mut self, head: OpId) -> &mut OpId {
        &mut self.programs[head as usize].next
    }

    fn note_work(&mut self, request: u32, waits: Ns, works: Ns) {
        self.noted.push((request, waits.0, works.0));
    }

    fn deliver(&mut self, request: u32) {
        self.did.push((self.now, Did::Delivered(request)));
    }

    fn enqueue(&mut self, head: OpId) {
        assert_eq!(self.programs[head as usize].next, NONE, "it is linked to nothing any more");
        self.did.push((self.now, Did::Enqueued(head)));
    }

    fn place(&mut self, unit: OpId) {
        self.did.push((self.now, Did::Placed(unit)));
    }
}
