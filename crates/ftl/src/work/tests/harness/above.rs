//! What the flash and the layer ask of whoever holds them, and what they tell: as a test has it.

use super::Alone;
use crate::events::{Event, WornBlock, WritePlace};
use crate::mapping::{Found, Lookup};
use crate::placement::{PlaneSet, ProgramIntent};
use crate::plan::Plan;
use crate::reclaim::Decision;
use crate::replicate::Serving;
use crate::work::{self, AboveFtl, Counted, Ftl};
use wordline_base::class::Class;
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_flash::nand::CellMode;
use wordline_flash::nand::bit_errors::ReadOutcome;
use wordline_flash::sched::queue::OpId;
use wordline_flash::{Above, Flash};

impl Alone {
    fn tell_to(&mut self, system: usize, event: &Event) {
        self.told.push((system, *event));
        self.told_at.push(self.flash.now().0);
    }

    /// Whether the data cache has a newer version of what the host or a move reads.
    fn is_cached(&self, unit: OpId) -> bool {
        self.answers.cached.contains(&self.ftl.purposes()[unit].lpa.0)
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
        self.ended.push(class);
        work::page_was_read(self, head, class, die);
    }

    fn programmed(&mut self, head: OpId, die: DieId) {
        self.ended.push(self.flash.pool[head].class);
        work::program_ended(self, head, die);
    }

    fn erased(&mut self, head: OpId) {
        self.ended.push(self.flash.pool[head].class);
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
        let now = self.flash.now();
        let request = &mut self.requests[request as usize];
        request.left -= 1;
        request.done = (request.left == 0).then_some(now);
    }

    fn is_at_leisure(&self) -> bool {
        false
    }

    fn caches_data(&self) -> bool {
        false
    }

    fn answered_by_cache(&mut self, unit: OpId) -> bool {
        let answered = self.is_cached(unit);
        if answered {
            self.unit_done(unit, None);
        }
        answered
    }

    fn overtaken_in_cache(&self, unit: OpId) -> bool {
        self.flash.pool[unit].class == Class::HostRead && self.is_cached(unit)
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
        if let Event::WrongGuess { lpa, .. } = event
            && !self.answers.insists
        {
            self.answers.finds.remove(&lpa.0);
        }
        self.tell_to(99, event);
    }

    fn tell_one(&mut self, system: usize, event: &Event) {
        self.tell_to(system, event);
    }

    fn tell_plan_started(&mut self, _system: usize, _plan: u64, opened: &[SuperblockId]) -> bool {
        self.opened.extend_from_slice(opened);
        self.answers.keeps_open
    }

    fn tell_reclaim_policy(&mut self, _lpa: Lpa) {}

    fn has_no_systems(&self) -> bool {
        true
    }

    fn system_name(&self, system: usize) -> String {
        format!("system {system}")
    }

    fn systems_collect(&self) -> bool {
        self.answers.collects
    }

    fn systems_place_writes(&self) -> bool {
        self.answers.places.is_some()
    }

    fn ask_write_place(&mut self, _intent: &ProgramIntent) -> Option<(usize, WritePlace)> {
        self.answers.places.filter(|&place| place != WritePlace::Free).map(|place| (0, place))
    }

    fn allowed_planes_of(&mut self, _intent: &ProgramIntent) -> Option<PlaneSet> {
        let mut planes = PlaneSet::default();
        self.answers.allowed.as_ref()?.iter().for_each(|&plane| planes.insert(plane));
        Some(planes)
    }

    fn put_planes_back(&mut self, _planes: PlaneSet) {}

    fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found> {
        self.answers.finds.get(&lookup.lpa.0).copied()
    }

    fn ask_owners(&mut self, _read: &Serving<'_>) -> Option<usize> {
        self.answers.serves
    }

    fn ask_systems_to_reclaim(&mut self, _worn: &WornBlock) -> Option<(usize, Plan)> {
        self.answers.reclaims.take().map(|plan| (7, plan))
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
