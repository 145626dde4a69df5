//! Whoever holds the layer: requests, what is counted, what systems are told, and no data cache.

mod above;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::arrangement::{Arrangement, Needs};
use crate::durable::Kept;
use crate::events::{Event, WornBlock, WritePlace};
use crate::mapping::Found;
use crate::plan::Plan;
use crate::reclaim::Decision;
use crate::replicate::CopyTarget;
use crate::work::{self, AboveFtl, BadPlan, Counted, Ftl};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_config::{Layer, resolve_run};
use wordline_flash::Flash;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::NONE;

/// Times of the drive below, ns: a page read, programmed, its data on the bus included; an erase.
pub const READ: u64 = 10_005;
pub const PROGRAM: u64 = 100_005;
pub const ERASE: u64 = 1_000_000;

/// Bytes of a page, which is one mapping unit.
pub const PAGE: u32 = 4096;

/// Two channels of two dies of one plane, 16 blocks of 8 pages each; the data of a page takes 5 ns.
const DEVICE: &str = r#"
name = "two by two"
description = "a drive for tests"
[geometry]
channels = 2
ways = 2
dies = 1
planes = 1
blocks = 16
pages = 8
page_bytes = 4096
spare_bytes = 0
mapping_unit_bytes = 4096
[capacity]
overprovisioning = 0.5
[cell]
technology = "slc"
read_ns = [10000]
program_ns = [100000]
erase_ns = 1000000
[channel]
mega_transfers_per_s = 1000000
read_command_ns = 0
program_command_ns = 0
erase_command_ns = 0
"#;

/// A request that was made.
#[derive(Clone, Copy, Debug)]
struct Request {
    bytes: u32,
    /// Pages that are still to be done.
    left: u32,
    done: Option<Ns>,
}

/// What the data cache and systems answer; as it is, they have nothing to say.
#[derive(Default)]
pub struct Answers {
    /// Pages of which the data cache has a newer version.
    pub cached: BTreeSet<u32>,
    /// Where a system knows, or supposes, pages to be.
    pub finds: BTreeMap<u32, Found>,
    /// The copy that a system has serve all reads.
    pub serves: Option<usize>,
    /// Where a system sends the host's programs.
    pub places: Option<WritePlace>,
    /// The planes that a system leaves.
    pub allowed: Option<Vec<PlaneId>>,
    /// Whether the system says the same of where pages are when it was told that it was wrong.
    pub insists: bool,
    /// Whether systems keep open what is opened for their plans.
    pub keeps_open: bool,
    /// Whether systems make space.
    pub collects: bool,
    /// What a system does about the next worn block.
    pub reclaims: Option<Plan>,
}

/// Pages of a drive, drawn alike.
pub fn scattered(count: u32, of: u32) -> impl Iterator<Item = u32> {
    let mut state = 1_u64;
    (0..count).map(move |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % of
    })
}

/// The fault that something ends with.
pub fn fault(act: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(act)).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

/// The layer, a flash, and what both told.
pub struct Alone {
    pub ftl: Ftl,
    pub flash: Flash,
    requests: Vec<Request>,
    pub counted: Vec<Counted>,
    /// What systems were told, and which; those that all were told of are of number 99.
    pub told: Vec<(usize, Event)>,
    /// When, ns.
    told_at: Vec<u64>,
    /// Flash pages that were read, and program units and blocks that were programmed and erased, each as it ended.
    ended: Vec<Class>,
    /// What was opened for plans.
    pub opened: Vec<SuperblockId>,
    pub answers: Answers,
    /// What read reclaim does about the next worn blocks.
    pub decisions: VecDeque<Decision>,
    pub worn: Vec<WornBlock>,
    /// What each read found.
    pub found: Vec<(Lpa, Option<u32>)>,
    wanted: Vec<(usize, Plan)>,
}

impl Alone {
    /// The same with a single plane: one command after the other, one domain.
    pub fn one_plane(overrides: &[(&str, &str)]) -> Self {
        let one = [("device.geometry.channels", "1"), ("device.geometry.ways", "1")];
        Self::new(&[&one, overrides].concat())
    }

    /// The drive above with some keys set otherwise, and no system.
    pub fn new(overrides: &[(&str, &str)]) -> Self {
        Self::for_systems(overrides, &[])
    }

    /// The same for systems that need this.
    pub fn for_systems(overrides: &[(&str, &str)], needs: &[Needs]) -> Self {
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let overrides: Vec<_> =
            overrides.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
        let (device, scheme) = resolve_run(&layer(DEVICE), &layer(""), &overrides).unwrap();
        let wear_out = BadPlan::of(&device, &scheme, 1);
        let arranged = Arrangement::new(&device, &scheme, needs, wear_out.usable, |_, _, _| Ok(())).unwrap();
        let geometry = Geometry::new(&device.geometry);
        let mut flash = Flash::new(&device, &scheme, &geometry, 1);
        flash.rules.checked = true;
        let plane_at = arranged.plane_at.clone();
        let ftl = Ftl::new(&device, &scheme, arranged, wear_out, Kept::Checked, 1, false).unwrap();
        let mut this = Self {
            ftl,
            flash,
            requests: Vec::new(),
            counted: Vec::new(),
            told: Vec::new(),
            told_at: Vec::new(),
            ended: Vec::new(),
            opened: Vec::new(),
            answers: Answers::default(),
            decisions: VecDeque::new(),
            worn: Vec::new(),
            found: Vec::new(),
            wanted: Vec::new(),
        };
        this.ftl.note_who_places_moves(false);
        work::lay_out(&mut this, &plane_at, 0, Vec::new(), None);
        this.ftl.enable_copies();
        this
    }

    fn request(&mut self, bytes: u32, left: u32) -> u32 {
        self.requests.push(Request { bytes, left, done: None });
        (self.requests.len() - 1) as u32
    }

    /// The host writes so many bytes from the begin of a page; returns the request's number.
    pub fn write_some(&mut self, lpa: u32, bytes: u32) -> u32 {
        let request = self.request(bytes, 1);
        work::write_for_host(self, request, Lpa(lpa), bytes, &mut None);
        self.finish_event();
        request
    }

    /// The host writes a page.
    pub fn write(&mut self, lpa: u32) -> u32 {
        self.write_some(lpa, PAGE)
    }

    /// The host writes pages at once.
    pub fn write_together(&mut self, pages: &[u32]) -> u32 {
        let request = self.request(PAGE, pages.len() as u32);
        for &lpa in pages {
            work::write_for_host(self, request, Lpa(lpa), PAGE, &mut None);
        }
        self.finish_event();
        request
    }

    /// Writes these pages, each when the one before is done.
    pub fn write_in_turn(&mut self, pages: impl IntoIterator<Item = u32>) {
        for lpa in pages {
            let request = self.write(lpa);
            self.run_until_done(request);
        }
    }

    /// The host reads a page.
    pub fn read(&mut self, lpa: u32) -> u32 {
        self.read_together(&[lpa])
    }

    /// The host reads pages by one request.
    pub fn read_together(&mut self, pages: &[u32]) -> u32 {
        let request = self.request(PAGE, pages.len() as u32);
        let mut head = NONE;
        for &lpa in pages {
            head = work::read_for_host(self, request, Lpa(lpa), PAGE, head);
        }
        self.finish_event();
        request
    }

    /// The host trims pages.
    pub fn trim_all(&mut self, pages: impl IntoIterator<Item = u32>) {
        pages.into_iter().for_each(|lpa| self.trim(lpa));
    }

    /// Something is to be done, as in an event of its own.
    pub fn act(&mut self, what: impl FnOnce(&mut Self)) {
        what(self);
        self.finish_event();
    }

    /// A superblock is to be emptied.
    pub fn empty(&mut self, superblock: SuperblockId, cause: Cause) {
        self.act(|this| work::want_emptied(this, superblock, cause));
    }

    /// The host trims a page.
    pub fn trim(&mut self, lpa: u32) {
        let request = u64::from(self.request(PAGE, 1));
        work::forget(self, request, Lpa(lpa));
        self.finish_event();
    }

    /// A system makes a copy of a page.
    pub fn copy(&mut self, system: usize, lpa: u32, to: CopyTarget) {
        self.act(|this| work::ask_for_copy(this, system, Lpa(lpa), to, None));
    }

    /// A system asks for a plan.
    pub fn plan(&mut self, system: usize, plan: Plan) {
        self.act(|this| work::ask_for_plan(this, system, plan));
    }

    /// Where a page is.
    pub fn place(&self, lpa: u32) -> Ppa {
        self.ftl.lookup(Lpa(lpa))
    }

    /// The superblock of a page.
    pub fn superblock(&self, lpa: u32) -> SuperblockId {
        self.ftl.blocks().of(self.ftl.geometry(), self.place(lpa))
    }

    /// The die of a page.
    pub fn die(&self, lpa: u32) -> u32 {
        self.ftl.geometry().die_at(self.place(lpa)).0.0
    }

    /// When a request was done, ns.
    pub fn done(&self, request: u32) -> Option<u64> {
        self.requests[request as usize].done.map(|done| done.0)
    }

    /// What was told since a system was told this many things, but for what it was told alone, and when.
    pub fn story(&self, from: usize) -> Vec<(u64, Event)> {
        let told = self.told_at.iter().zip(&self.told).skip(from);
        told.filter(|(_, told)| told.0 == 99).map(|(&at, told)| (at, told.1)).collect()
    }

    /// The superblock of a domain with this number in its planes.
    pub fn at(&self, domain: u32, block: u32) -> SuperblockId {
        self.ftl.blocks().at(DomainId(domain), block)
    }

    /// The logical pages that are valid in a superblock, by its mapping units.
    pub fn held(&self, superblock: SuperblockId) -> Vec<Option<u32>> {
        let lpa = |unit| self.ftl.valid_lpa(self.ftl.unit_at(superblock, unit)).map(|lpa| lpa.0);
        (0..self.ftl.blocks().capacity()).map(lpa).collect()
    }

    /// Operations of a class that have ended.
    pub fn ended(&self, class: Class) -> usize {
        self.ended.iter().filter(|&&other| other == class).count()
    }

    /// How often this was counted.
    pub fn count(&self, what: &Counted) -> usize {
        self.counted.iter().filter(|counted| *counted == what).count()
    }

    /// Pages that were moved for a cause.
    pub fn moved(&self, cause: Cause) -> usize {
        self.count(&Counted::Moved(cause))
    }

    /// Handles all events up to this time, ns.
    pub fn run(&mut self, until: u64) {
        while self.flash.next_time() <= Ns(until) {
            self.step();
        }
        self.flash.set_now(Ns(until));
    }

    /// Handles the next event.
    pub fn step(&mut self) {
        self.flash.set_now(self.flash.next_time());
        if wordline_flash::work::handle_event(self).is_some() {
            work::joining_done(self);
        }
        self.finish_event();
    }

    /// Runs until a request is done.
    pub fn run_until_done(&mut self, request: u32) {
        while self.done(request).is_none() {
            assert!(self.flash.next_time() != Ns::NEVER, "request {request} waits for nothing");
            self.step();
        }
    }

    /// Reads a page so often, one read behind the other.
    pub fn read_often(&mut self, lpa: u32, times: u32) {
        for _ in 0..times {
            let read = self.read(lpa);
            self.run_until_done(read);
        }
    }

    /// Runs until this holds, or nothing is left to do; whether it holds.
    pub fn run_until(&mut self, mut holds: impl FnMut(&Self) -> bool) -> bool {
        while !holds(self) {
            if self.flash.next_time() == Ns::NEVER {
                return false;
            }
            self.step();
        }
        true
    }

    /// Runs until nothing is left to do, and audits what is there then.
    pub fn run_dry(&mut self) {
        self.run_until(|_| false);
        assert!(self.flash.pool.is_empty(), "operations wait for nothing");
        work::audit(self).unwrap();
    }

    /// The time, ns.
    pub fn now(&self) -> u64 {
        self.flash.now().0
    }
}
