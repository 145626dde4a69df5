//! What the translation layer asks the drive, and what it tells: the answers come from the requests, the data cache, the firmware
//! and the systems, the news go to whoever is concerned and to the observers.

use super::Device;
use super::timers::Timer;
use crate::cache::work as cache;
use crate::cpu::{Cost, Task};
use crate::front::part_done;
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, Lpa, Ppa, SuperblockId};
use wordline_flash::Flash;
use wordline_flash::sched::queue::OpId;
use wordline_ftl::events::{Event, WornBlock, WritePlace};
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::plan::Plan;
use wordline_ftl::reclaim::{Decision, ReadReclaim};
use wordline_ftl::replicate::Serving;
use wordline_ftl::work::{AboveFtl, Counted, Ftl};
use wordline_systems::{Action, Watches};

impl AboveFtl for Device {
    const JOINING_TIMER: usize = Timer::Joining as usize;

    #[inline(always)]
    fn ftl(&self) -> &Ftl {
        &self.ftl
    }

    #[inline(always)]
    fn ftl_mut(&mut self) -> &mut Ftl {
        &mut self.ftl
    }

    #[inline(always)]
    fn ftl_and_flash(&mut self) -> (&mut Ftl, &mut Flash) {
        (&mut self.ftl, &mut self.flash)
    }

    #[inline(always)]
    fn counted(&mut self, what: Counted) {
        self.observers.count_of_ftl(what, self.flash.now());
    }

    fn take_fault(&mut self) -> Option<String> {
        self.observers.fault.take()
    }

    fn put_fault(&mut self, fault: Option<String>) {
        self.observers.fault = fault;
    }

    #[inline(always)]
    fn is_watched(&self) -> bool {
        self.observers.probe.is_some()
    }

    #[inline]
    fn took_effect(&mut self, request: u64, lpa: Lpa) {
        if let Some(probe) = &mut self.observers.probe {
            probe.took_effect(request, lpa, self.flash.now());
        }
    }

    #[inline]
    fn found(&mut self, request: u64, lpa: Lpa, version: Option<u32>) {
        if let Some(probe) = &mut self.observers.probe {
            probe.read(request, lpa, version, self.flash.now());
        }
    }

    #[inline]
    fn request_id(&self, request: u32) -> u64 {
        self.front.request_id(request)
    }

    #[inline(always)]
    fn stream_of_request(&self, request: u32) -> Option<u16> {
        self.front.get(request).map(|request| request.stream())
    }

    #[inline]
    fn flow_of_request(&self, request: u32) -> Option<u16> {
        self.front.get(request).map(|request| request.flow())
    }

    #[inline]
    fn units_from(&self, request: u32, lpa: Lpa, unit_bytes: u32) -> u32 {
        self.front.units_from(request, lpa, unit_bytes)
    }

    #[inline]
    fn wanted_range(&self, request: u32, lpa: Lpa, unit_bytes: u32) -> (u32, u32) {
        self.front.wanted_range(request, lpa, unit_bytes)
    }

    #[inline(always)]
    fn unit_done(&mut self, unit: OpId, die: Option<DieId>) {
        Self::unit_done(self, unit, die);
    }

    fn request_page_done(&mut self, request: u32) {
        part_done(self, request);
    }

    fn is_at_leisure(&self) -> bool {
        self.is_idle()
    }

    #[inline(always)]
    fn caches_data(&self) -> bool {
        self.controller.cache.is_on()
    }

    #[inline(always)]
    fn answered_by_cache(&mut self, unit: OpId) -> bool {
        self.controller.cache.is_on() && cache::serve_late(self, unit)
    }

    #[inline(always)]
    fn overtaken_in_cache(&self, unit: OpId) -> bool {
        self.controller.cache.is_on() && cache::is_overtaken(self, unit)
    }

    #[inline(always)]
    fn cache_read(&mut self, unit: OpId) {
        if self.controller.cache.is_on() {
            cache::keep_read(self, unit);
        }
    }

    #[inline(always)]
    fn forget_cached(&mut self, lpa: Lpa) {
        if self.controller.cache.is_on() {
            cache::drop_unit(self, lpa);
        }
    }

    #[inline(always)]
    fn cache_may_go_on(&mut self) {
        if self.controller.cache.is_on() {
            cache::tend(self);
        }
    }

    fn plane_is_free(&mut self) {
        cache::tend(self);
    }

    #[inline]
    fn version_behind_cache(&self, lpa: Lpa) -> Option<u32> {
        self.controller.cache.version_in_flash(lpa)
    }

    fn stream_of_cached(&self, unit: OpId) -> Option<u16> {
        cache::stream_of(self, unit)
    }

    fn take_point_of_cached(&mut self, unit: OpId) {
        cache::take_point(self, unit);
    }

    fn carry_looked_up(&mut self, unit: OpId) {
        cache::carry_looked_up(self, unit);
    }

    fn merged(&mut self, unit: OpId) {
        cache::merged(self, unit);
    }

    #[inline(always)]
    fn cached_unit_begins(&mut self, unit: OpId) -> bool {
        cache::begins(self, unit)
    }

    #[inline(always)]
    fn write_back_ended(&mut self, unit: OpId) {
        cache::ended(self, unit);
    }

    fn victim_is_to_move(&mut self, valid: u32) {
        self.controller.cache.victim_is_to_move(valid, self.ftl.blocks().capacity());
    }

    #[inline]
    fn charge_decision(&mut self) {
        self.charge(Cost::Decision, 1);
    }

    fn charge_rearranged(&mut self, pages: u32) {
        self.charge(Cost::Shuffle, u64::from(pages));
    }

    #[inline(always)]
    fn enqueue_moves(&mut self, heads: &[OpId]) {
        Self::enqueue_moves(self, heads);
    }

    fn firmware_places(&mut self, unit: OpId) -> bool {
        let booking = self.controller.cpu.book(self.flash.now(), &[(Cost::Move, 1)]);
        if let Some(booking) = booking {
            self.go_on_after(booking.end, Task::Place(unit));
        }
        booking.is_some()
    }

    #[inline(always)]
    fn fetches_entry(&mut self, unit: OpId) -> bool {
        Self::fetches_entry(self, unit)
    }

    #[inline(always)]
    fn tell_read_that(&mut self, unit: OpId, joins: bool) {
        Self::tell_read_that(self, unit, joins);
    }

    #[inline(always)]
    fn tell_read_done(&mut self, unit: OpId) {
        Self::tell_read_done(self, unit);
    }

    #[inline(always)]
    fn tell_accessed(&mut self, lpa: Lpa, write: bool) {
        Self::tell_accessed(self, lpa, write);
    }

    #[inline(always)]
    fn tell_access_of(&mut self, unit: OpId, write: bool) {
        Self::tell_access_of(self, unit, write);
    }

    #[inline(always)]
    fn tell_allocated(&mut self, lpa: Lpa, ppa: Ppa) {
        Self::tell_allocated(self, lpa, ppa);
    }

    #[inline(always)]
    fn tell_written(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        Self::tell_written(self, lpa, old, new);
    }

    #[inline(always)]
    fn tell_moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause) {
        Self::tell_moved(self, lpa, old, new, cause);
    }

    #[inline(always)]
    fn tell_invalidated(&mut self, ppa: Ppa) {
        Self::tell_invalidated(self, ppa);
    }

    #[inline(always)]
    fn tell_trimmed(&mut self, lpa: Lpa, old: Ppa) {
        Self::tell_trimmed(self, lpa, old);
    }

    #[inline]
    fn tell_collected(&mut self, superblock: SuperblockId) {
        Self::tell_collected(self, superblock);
    }

    #[inline]
    fn tell_erased(&mut self, superblock: SuperblockId) {
        Self::tell_erased(self, superblock);
    }

    fn tell_translation(&mut self, event: &Event) {
        Self::tell_translation(self, event);
    }

    fn tell_one(&mut self, system: usize, event: &Event) {
        Self::tell_one(self, system, event);
    }

    fn tell_programmed_of(&mut self, system: usize, superblock: SuperblockId) {
        if self.systems.systems_watch(Watches::PROGRAMMED) {
            Self::tell_one(self, system, &Event::Programmed(superblock));
        }
    }

    fn tell_plan_started(&mut self, system: usize, plan: u64, opened: &[SuperblockId]) -> bool {
        Self::tell_plan_started(self, system, plan, opened)
    }

    fn tell_reclaim_policy(&mut self, lpa: Lpa) {
        self.systems.reclaim.page_read(lpa);
    }

    fn has_no_systems(&self) -> bool {
        self.systems.are_none()
    }

    fn system_name(&self, system: usize) -> String {
        self.systems.system_name(system)
    }

    #[inline]
    fn systems_collect(&self) -> bool {
        self.systems.systems_watch(Watches::COLLECTION)
    }

    #[inline(always)]
    fn systems_place_writes(&self) -> bool {
        self.systems.systems_watch(Watches::WRITE_PLACE)
    }

    fn ask_write_place(&mut self, intent: &ProgramIntent) -> Option<(usize, WritePlace)> {
        self.ask_first(Watches::WRITE_PLACE, |system, drive, actions| {
            let answer = system.place_write(intent, drive, actions);
            (answer != WritePlace::Free).then_some(answer)
        })
    }

    #[inline(always)]
    fn allowed_planes_of(&mut self, intent: &ProgramIntent) -> Option<PlaneSet> {
        Self::allowed_planes_of(self, intent)
    }

    #[inline]
    fn put_planes_back(&mut self, planes: PlaneSet) {
        self.systems.put_planes_back(planes);
    }

    fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found> {
        Self::find_in_systems(self, lookup)
    }

    fn ask_owners(&mut self, read: &Serving<'_>) -> Option<usize> {
        Self::ask_owners(self, read)
    }

    fn ask_systems_to_reclaim(&mut self, worn: &WornBlock) -> Option<(usize, Plan)> {
        Self::ask_systems_to_reclaim(self, worn)
    }

    fn ask_reclaim_policy(&mut self, worn: &WornBlock) -> Decision {
        let mut policy = std::mem::take(&mut self.systems.reclaim);
        let decision = policy.reclaim(worn, &*self);
        self.systems.reclaim = policy;
        decision
    }

    fn wants_plan(&mut self, system: usize, plan: Plan) {
        self.systems.asks_for(system, Action::Plan(plan));
    }

    fn finish_event(&mut self) {
        Self::finish_event(self);
    }
}
