//! Whoever holds the layer: requests of one page, what is counted, what systems are told, and no data cache.

use std::collections::VecDeque;

use crate::arrangement::{Arrangement, Needs};
use crate::durable::Kept;
use crate::events::{Event, WornBlock, WritePlace};
use crate::mapping::{Found, Lookup};
use crate::placement::{PlaneSet, ProgramIntent};
use crate::plan::Plan;
use crate::reclaim::Decision;
use crate::replicate::{CopyTarget, Serving};
use crate::work::{self, AboveFtl, BadPlan, Counted, Ftl};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_config::{Layer, resolve_run};
use wordline_flash::nand::bit_errors::ReadOutcome;
use wordline_flash::nand::{CellMode, Geometry};
use wordline_flash::sched::queue::{NONE, OpId};
use wordline_flash::{Above, Flash};

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
    done: Option<Ns>,
}

/// The layer, a flash, and what both told.
pub struct Alone {
    pub ftl: Ftl,
    pub flash: Flash,
    requests: Vec<Request>,
    pub counted: Vec<Counted>,
    /// What systems were told, and which; those that all were told of are of number 99.
    pub told: Vec<(usize, Event)>,
    /// What read reclaim does about the next worn blocks.
    pub decisions: VecDeque<Decision>,
    pub worn: Vec<WornBlock>,
    /// What each read found.
    pub found: Vec<(Lpa, Option<u32>)>,
    wanted: Vec<(usize, Plan)>,
}

impl Alone {
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

    fn request(&mut self, bytes: u32) -> u32 {
        self.requests.push(Request { bytes, done: None });
        (self.requests.len() - 1) as u32
    }

    /// The host writes so many bytes from the begin of a page; returns the request's number.
    pub fn write_some(&mut self, lpa: u32, bytes: u32) -> u32 {
        let request = self.request(bytes);
        work::write_for_host(self, request, Lpa(lpa), bytes, &mut None);
        self.finish_event();
        request
    }

    /// The host writes a page.
    pub fn write(&mut self, lpa: u32) -> u32 {
        self.write_some(lpa, PAGE)
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
        let request = self.request(PAGE);
        work::read_for_host(self, request, Lpa(lpa), PAGE, NONE);
        self.finish_event();
        request
    }

    /// The host trims a page.
    pub fn trim(&mut self, lpa: u32) {
        let request = u64::from(self.request(PAGE));
        work::forget(self, request, Lpa(lpa));
        self.finish_event();
    }

    /// A system makes a copy of a page.
    pub fn copy(&mut self, system: usize, lpa: u32, to: CopyTarget) {
        work::ask_for_copy(self, system, Lpa(lpa), to, None);
        self.finish_event();
    }

    /// A system asks for a plan.
    pub fn plan(&mut self, system: usize, plan: Plan) {
        work::ask_for_plan(self, system, plan);
        self.finish_event();
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

    fn step(&mut self) {
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

    /// Runs until nothing is left to do, and audits what is there then.
    pub fn run_dry(&mut self) {
        while self.flash.next_time() != Ns::NEVER {
            self.step();
        }
        assert!(self.flash.pool.is_empty(), "operations wait for nothing");
        work::audit(self).unwrap();
    }

    /// The time, ns.
    pub fn now(&self) -> u64 {
        self.flash.now().0
    }
}

impl Above for Alone {
    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }

    fn cell_mode(&self, place: Ppa) -> CellMode {
        self.ftl.cell_mode(place)
    }

    fn erases(&self, place: Ppa) -> u32 {
        self.ftl.cycles_of_block(place)
    }

    fn waiting_writes(&self) -> u32 {
        0
    }

    fn is_open(&self, head: OpId) -> bool {
        self.ftl.is_open(head, self.flash.pool[head].ppa)
    }

    fn stands(&mut self, head: OpId) -> bool {
        work::stands(self, head)
    }

    fn takes(&mut self, head: OpId) -> OpId {
        work::takes(self, head)
    }

    fn waits_for_plane(&mut self, die: DieId, head: OpId) -> OpId {
        work::waits_for_plane(self, die, head)
    }

    fn unit_begins(&mut self, unit: OpId) {
        work::unit_begins(self, unit);
    }

    fn program_begins(&mut self, head: OpId) {
        work::commit_program(self, head);
    }

    fn page_disturbed(&mut self, head: OpId, _outcome: &ReadOutcome, worn: Option<u32>) {
        work::page_disturbed(self, head, worn);
    }

    fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        work::page_was_read(self, head, class, die);
    }

    fn programmed(&mut self, head: OpId, die: DieId) {
        work::program_ended(self, head, die);
    }

    fn erased(&mut self, head: OpId) {
        work::block_erased(self, head);
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn fail(&mut self, what: String) {
        panic!("at {} ns: {what}", self.flash.now().0);
    }
}

impl AboveFtl for Alone {
    const JOINING_TIMER: usize = 0;

    fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }

    fn ftl_and_flash(&mut self) -> (&mut Ftl, &mut Flash) {
        (&mut self.ftl, &mut self.flash)
    }

    fn counted(&mut self, what: Counted) {
        self.counted.push(what);
    }

    fn take_fault(&mut self) -> Option<String> {
        None
    }

    fn put_fault(&mut self, fault: Option<String>) {
        assert_eq!(fault, None);
    }

    fn is_watched(&self) -> bool {
        true
    }

    fn took_effect(&mut self, _request: u64, _lpa: Lpa) {}

    fn found(&mut self, _request: u64, lpa: Lpa, version: Option<u32>) {
        self.found.push((lpa, version));
    }

    fn request_id(&self, request: u32) -> u64 {
        u64::from(request)
    }

    fn stream_of_request(&self, _request: u32) -> Option<u16> {
        Some(0)
    }

    fn flow_of_request(&self, _request: u32) -> Option<u16> {
        Some(0)
    }

    fn units_from(&self, _request: u32, _lpa: Lpa, _unit_bytes: u32) -> u32 {
        1
    }

    fn wanted_range(&self, request: u32, _lpa: Lpa, _unit_bytes: u32) -> (u32, u32) {
        (0, self.requests[request as usize].bytes)
    }

    fn unit_done(&mut self, unit: OpId, _die: Option<DieId>) {
        let request = self.ftl.purposes()[unit].whose.request();
        self.request_page_done(request);
        self.flash.pool.remove(unit);
    }

    fn request_page_done(&mut self, request: u32) {
        self.requests[request as usize].done = Some(self.flash.now());
    }

    fn is_at_leisure(&self) -> bool {
        false
    }

    fn caches_data(&self) -> bool {
        false
    }

    fn answered_by_cache(&mut self, _unit: OpId) -> bool {
        false
    }

    fn overtaken_in_cache(&self, _unit: OpId) -> bool {
        false
    }

    fn cache_read(&mut self, _unit: OpId) {}

    fn forget_cached(&mut self, _lpa: Lpa) {}

    fn cache_may_go_on(&mut self) {}

    fn plane_is_free(&mut self) {}

    fn version_behind_cache(&self, _lpa: Lpa) -> Option<u32> {
        None
    }

    fn stream_of_cached(&self, _unit: OpId) -> Option<u16> {
        None
    }

    fn take_point_of_cached(&mut self, _unit: OpId) {}

    fn carry_looked_up(&mut self, _unit: OpId) {}

    fn merged(&mut self, _unit: OpId) {}

    fn cached_unit_begins(&mut self, _unit: OpId) -> bool {
        false
    }

    fn write_back_ended(&mut self, _unit: OpId) {}

    fn victim_is_to_move(&mut self, _valid: u32) {}

    fn charge_decision(&mut self) {}

    fn enqueue_moves(&mut self, heads: &[OpId]) {
        heads.iter().for_each(|&head| wordline_flash::work::submit(self, head));
    }

    fn firmware_places(&mut self, _unit: OpId) -> bool {
        false
    }

    fn fetches_entry(&mut self, _unit: OpId) -> bool {
        false
    }

    fn tell_read_that(&mut self, _unit: OpId, _joins: bool) {}

    fn tell_read_done(&mut self, _unit: OpId) {}

    fn tell_accessed(&mut self, _lpa: Lpa, _write: bool) {}

    fn tell_access_of(&mut self, _unit: OpId, _write: bool) {}

    fn tell(&mut self, event: &Event) {
        self.told.push((99, *event));
    }

    fn tell_one(&mut self, system: usize, event: &Event) {
        self.told.push((system, *event));
    }

    fn tell_plan_started(&mut self, _system: usize, _plan: u64, _opened: &[SuperblockId]) -> bool {
        false
    }

    fn tell_reclaim_policy(&mut self, _lpa: Lpa) {}

    fn has_no_systems(&self) -> bool {
        true
    }

    fn system_name(&self, system: usize) -> String {
        format!("system {system}")
    }

    fn systems_collect(&self) -> bool {
        false
    }

    fn systems_place_writes(&self) -> bool {
        false
    }

    fn ask_write_place(&mut self, _intent: &ProgramIntent) -> Option<(usize, WritePlace)> {
        None
    }

    fn allowed_planes_of(&mut self, _intent: &ProgramIntent) -> Option<PlaneSet> {
        None
    }

    fn put_planes_back(&mut self, _planes: PlaneSet) {}

    fn find_in_systems(&mut self, _lookup: &Lookup) -> Option<Found> {
        None
    }

    fn ask_owners(&mut self, _read: &Serving<'_>) -> Option<usize> {
        None
    }

    fn ask_systems_to_reclaim(&mut self, _worn: &WornBlock) -> Option<(usize, Plan)> {
        None
    }

    fn ask_reclaim_policy(&mut self, worn: &WornBlock) -> Decision {
        self.worn.push(*worn);
        self.decisions.pop_front().unwrap_or(Decision::Leave)
    }

    fn wants_plan(&mut self, system: usize, plan: Plan) {
        self.wanted.push((system, plan));
    }

    fn finish_event(&mut self) {
        work::end_event(self);
        loop {
            for (system, plan) in std::mem::take(&mut self.wanted) {
                work::ask_for_plan(self, system, plan);
            }
            wordline_flash::work::look_at_touched(self);
            if !self.ftl.has_dropped_copies() {
                return;
            }
            work::invalidate_dropped(self);
        }
    }
}
