//! A flash held by nobody but a test: who waits, who is done and when, and who had which channel.

use std::collections::BTreeSet;

use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_base::parts::Parts;
use wordline_base::time::Ns;
use wordline_config::{Layer, resolve_run};
use wordline_flash::nand::bit_errors::ReadOutcome;
use wordline_flash::nand::{CellMode, Geometry};
use wordline_flash::sched::queue::{NONE, Op, OpId};
use wordline_flash::{Above, Count, Flash, work};

/// Times of the drive below, ns: an array's read, program and erase; their commands on the channel; a page of data.
pub const READ: u64 = 10_000;
pub const PROGRAM: u64 = 100_000;
pub const ERASE: u64 = 1_000_000;
pub const READ_COMMAND: u64 = 100;
pub const PROGRAM_COMMAND: u64 = 200;
pub const ERASE_COMMAND: u64 = 50;
pub const DATA: u64 = 4_096;

/// Two channels of two dies of two planes; a byte takes a nanosecond.
const DEVICE: &str = r#"
name = "two by two"
description = "a drive for tests"
[geometry]
channels = 2
ways = 2
dies = 1
planes = 2
blocks = 32
pages = 16
page_bytes = 4096
spare_bytes = 0
mapping_unit_bytes = 4096
[capacity]
overprovisioning = 0.4
[cell]
technology = "slc"
read_ns = [10000]
program_ns = [100000]
erase_ns = 1000000
[channel]
mega_transfers_per_s = 1000
read_command_ns = 100
read_command_extra_plane_ns = 10
program_command_ns = 200
program_command_extra_plane_ns = 20
erase_command_ns = 50
[multi_plane]
rule = "same_page"
[scheme.scheduler]
policy = "fifo"
"#;

/// An operation that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    pub op: OpId,
    pub arrived: Ns,
    pub at: Ns,
    /// The parts of its response time.
    pub parts: Parts,
}

/// A channel was a die's.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    pub channel: u32,
    pub from: Ns,
    pub until: Ns,
}

pub struct Alone {
    pub flash: Flash,
    pub done: Vec<Done>,
    /// Reads whose pages are elsewhere by now.
    pub stale: BTreeSet<OpId>,
    pub sent_on: Vec<OpId>,
    pub transfers: Vec<Transfer>,
    pub counts: Vec<Count>,
    /// Die, class and time of each command that begins.
    pub begun: Vec<(DieId, Class, Ns)>,
}

impl Alone {
    /// The drive above with some keys set otherwise.
    pub fn new(overrides: &[(&str, &str)]) -> Self {
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let overrides: Vec<_> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let (device, scheme) = resolve_run(&layer(DEVICE), &layer(""), &overrides).unwrap();
        let geometry = Geometry::new(&device.geometry);
        let mut flash = Flash::new(&device, &scheme, &geometry, 0);
        flash.rules.checked = true;
        Self {
            flash,
            done: Vec::new(),
            stale: BTreeSet::new(),
            sent_on: Vec::new(),
            transfers: Vec::new(),
            counts: Vec::new(),
            begun: Vec::new(),
        }
    }

    /// A page of a plane of a die.
    pub fn page(&self, die: u32, plane: u32, block: u32, page: u32) -> Ppa {
        self.flash.geometry().first_unit(PlaneId(die * 2 + plane), block, page)
    }

    /// Submits an operation at a time that hasn't passed.
    pub fn submit(&mut self, class: Class, place: Ppa, at: u64) -> OpId {
        self.run(at);
        let op = self.insert(class, place);
        work::submit(self, op);
        work::look_at_touched(self);
        op
    }

    /// The same of two that come together.
    pub fn submit_both(&mut self, operations: [(Class, Ppa); 2], at: u64) -> [OpId; 2] {
        self.run(at);
        let ops = operations.map(|(class, place)| self.insert(class, place));
        ops.iter().for_each(|&op| work::submit(self, op));
        work::look_at_touched(self);
        ops
    }

    fn insert(&mut self, class: Class, place: Ppa) -> OpId {
        let bytes = self.flash.geometry().unit_bytes;
        self.flash.pool.insert(Op { bytes, waited_for: true, ..Op::new(class, place) })
    }

    /// Handles all events up to this time.
    pub fn run(&mut self, until: u64) {
        while self.flash.next_time() <= Ns(until) {
            self.flash.set_now(self.flash.next_time());
            assert_eq!(work::handle_event(self), None, "nobody else has a timer");
            work::look_at_touched(self);
            for channel in self.flash.channels() {
                assert!(channel.waiting.is_empty() || channel.free_at >= self.flash.now(), "a channel rests");
            }
        }
        self.flash.set_now(Ns(until));
    }

    /// Runs until nothing is left to do.
    pub fn run_dry(&mut self) {
        while self.flash.next_time() != Ns::NEVER {
            self.run(self.flash.next_time().0);
        }
    }

    /// Submits an operation again, at another place.
    pub fn send_to(&mut self, op: OpId, place: Ppa) {
        self.flash.pool[op].ppa = place;
        work::submit(self, op);
        work::look_at_touched(self);
    }

    /// When an operation ended.
    pub fn end_of(&self, op: OpId) -> Option<u64> {
        self.done.iter().find(|done| done.op == op).map(|done| done.at.0)
    }

    /// An operation that has ended.
    pub fn done_of(&self, op: OpId) -> Done {
        *self.done.iter().find(|done| done.op == op).unwrap()
    }

    fn ends(&mut self, head: OpId, die: Option<DieId>) {
        let mut unit = head;
        while unit != NONE {
            let Op { next_unit, arrived, .. } = self.flash.pool[unit];
            let mut parts = self.flash.pool.parts(unit).copied().unwrap_or_default();
            if let Some(die) = die {
                parts.merge(&self.flash.die(die).command.parts);
            }
            self.done.push(Done { op: unit, arrived, at: self.flash.now(), parts });
            unit = next_unit;
        }
    }
}

impl Above for Alone {
    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }

    fn cell_mode(&self, _place: Ppa) -> CellMode {
        CellMode::Native
    }

    fn erases(&self, _place: Ppa) -> u32 {
        0
    }

    fn waiting_writes(&self) -> u32 {
        0
    }

    fn is_open(&self, _head: OpId) -> bool {
        false
    }

    fn stands(&mut self, head: OpId) -> bool {
        !self.stale.contains(&head)
    }

    fn takes(&mut self, head: OpId) -> OpId {
        if !self.stale.contains(&head) {
            return head;
        }
        self.sent_on.push(head);
        NONE
    }

    fn waits_for_plane(&mut self, _die: DieId, head: OpId) -> OpId {
        head
    }

    fn unit_begins(&mut self, _unit: OpId) {}

    fn program_begins(&mut self, _head: OpId) {}

    fn page_disturbed(&mut self, _head: OpId, _outcome: &ReadOutcome, _worn: Option<u32>) {}

    fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        assert_eq!(class.op(), FlashOp::Read);
        self.ends(head, die);
    }

    fn programmed(&mut self, head: OpId, die: DieId) {
        self.ends(head, Some(die));
    }

    fn erased(&mut self, head: OpId) {
        self.ends(head, None);
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn fail(&mut self, what: String) {
        panic!("at {} ns: {what}", self.flash.now().0);
    }

    fn die_taken(&mut self, server: DieId, class: Option<Class>) {
        if let Some(class) = class {
            self.begun.push((server, class, self.flash.now()));
        }
    }

    fn watches_channels(&self) -> bool {
        true
    }

    fn channel_taken(&mut self, server: DieId, until: Ns, _data: bool) {
        let channel = self.flash.channel_of(server);
        self.transfers.push(Transfer { channel, from: self.flash.now(), until });
    }

    fn count(&mut self, what: Count) {
        self.counts.push(what);
    }
}
