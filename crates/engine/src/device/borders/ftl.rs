//! What the translation layer asks the drive, and what it tells: the answers come from the requests, the data cache, the firmware
//! and the systems, the news go to whoever is concerned and to the observers.

use crate::cache::work as cache;
use crate::cores::{self, Cost};
use crate::device::Device;
use crate::device::timers::Timer;
use crate::front::part_done;
use wordline_base::ids::{DieId, Lpa, SuperblockId};
use wordline_flash::Flash;
use wordline_flash::sched::queue::OpId;
use wordline_ftl::events::{Event, WornBlock, WritePlace};
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::plan::Plan;
use wordline_ftl::reclaim::{Decision, ReadReclaim};
use wordline_ftl::replicate::Serving;
use wordline_ftl::work::{AboveFtl, Counted, Ftl};
use wordline_systems::work as systems;
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
        cores::charge(self, Cost::Decision, 1);
    }

    #[inline(always)]
    fn enqueue_moves(&mut self, heads: &[OpId]) {
        cores::enqueue_moves(self, heads);
    }

    fn firmware_places(&mut self, unit: OpId) -> bool {
        cores::places_later(self, unit)
    }

    #[inline(always)]
    fn fetches_entry(&mut self, unit: OpId) -> bool {
        Self::fetches_entry(self, unit)
    }

    #[inline(always)]
    fn tell_read_that(&mut self, unit: OpId, joins: bool) {
        self.tell_read(unit, joins);
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
    fn tell(&mut self, event: &Event) {
        systems::tell(self, event);
    }

    fn tell_one(&mut self, system: usize, event: &Event) {
        systems::tell_one(self, system, event);
    }

    fn tell_plan_started(&mut self, system: usize, plan: u64, opened: &[SuperblockId]) -> bool {
        systems::plan_started(self, system, plan, opened)
    }

    fn tell_reclaim_policy(&mut self, lpa: Lpa) {
        self.systems.reclaim_mut().page_read(lpa);
    }

    fn has_no_systems(&self) -> bool {
        self.systems.are_none()
    }

    fn system_name(&self, system: usize) -> String {
        self.systems.name(system)
    }

    #[inline]
    fn systems_collect(&self) -> bool {
        self.systems.watch(Watches::COLLECTION)
    }

    #[inline(always)]
    fn systems_place_writes(&self) -> bool {
        self.systems.watch(Watches::WRITE_PLACE)
    }

    fn ask_write_place(&mut self, intent: &ProgramIntent) -> Option<(usize, WritePlace)> {
        systems::ask_write_place(self, intent)
    }

    #[inline(always)]
    fn allowed_planes_of(&mut self, intent: &ProgramIntent) -> Option<PlaneSet> {
        systems::allowed_planes_of(self, intent)
    }

    #[inline]
    fn put_planes_back(&mut self, planes: PlaneSet) {
        self.systems.put_planes_back(planes);
    }

    fn find_in_systems(&mut self, lookup: &Lookup) -> Option<Found> {
        systems::find(self, lookup)
    }

    fn ask_owners(&mut self, read: &Serving<'_>) -> Option<usize> {
        systems::ask_owners(self, read)
    }

    fn ask_systems_to_reclaim(&mut self, worn: &WornBlock) -> Option<(usize, Plan)> {
        systems::ask_to_reclaim(self, worn)
    }

    fn ask_reclaim_policy(&mut self, worn: &WornBlock) -> Decision {
        systems::ask_reclaim_policy(self, worn)
    }

    fn wants_plan(&mut self, system: usize, plan: Plan) {
        self.systems.asks_for(system, Action::Plan(plan));
    }

    fn finish_event(&mut self) {
        Self::finish_event(self);
    }
}
