//! What the data cache asks the drive, and what it tells: the answers come from the requests, the flash and the translation layer.

use crate::cache::work::{AroundCache, CacheTimer, Versions};
use crate::cache::{Cache, WRITE_BACK_PROGRAM, WRITE_BACK_READ};
use crate::device::Device;
use crate::device::timers::Timer;
use crate::front::part_done;
use wordline_base::ids::{DomainId, Lpa, PlaneId};
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::{Op, OpId};
use wordline_ftl::blocks::{Domains, Points};
use wordline_ftl::placement::ProgramIntent;
use wordline_ftl::work::{self, Purpose};

impl AroundCache for Device {
    #[inline(always)]
    fn cache(&self) -> &Cache {
        &self.controller.cache
    }

    #[inline(always)]
    fn cache_mut(&mut self) -> &mut Cache {
        &mut self.controller.cache
    }

    #[inline(always)]
    fn now(&self) -> Ns {
        self.flash.now()
    }

    fn set_timer(&mut self, timer: CacheTimer, at: Ns) {
        self.flash.set_timer(Timer::of_cache(timer).number(), at);
    }

    #[cold]
    fn fail(&mut self, what: String) {
        Self::fail(self, what);
    }

    #[inline(always)]
    fn wanted_range(&self, request: u32, lpa: Lpa) -> (u32, u32) {
        self.front.wanted_range(request, lpa, self.geometry.unit_bytes)
    }

    #[inline(always)]
    fn stream_of(&self, request: u32) -> u16 {
        self.front.request(request).stream()
    }

    #[inline(always)]
    fn is_durable(&self, request: u32) -> bool {
        self.front.is_durable(request)
    }

    #[inline(always)]
    fn part_done(&mut self, request: u32) {
        part_done(self, request);
    }

    #[inline]
    fn takes_effect(&mut self, request: u32, lpa: Lpa) -> Versions {
        let before = self.ftl.versions().map_or(0, |versions| versions.newest(lpa));
        let now = self.ftl.version_of_overwrite(lpa);
        if let Some(probe) = &mut self.observers.probe {
            probe.took_effect(self.front.request_id(request), lpa, self.flash.now());
        }
        Versions { before, now }
    }

    #[inline]
    fn is_served(&mut self, request: u32, lpa: Lpa, version: u32) {
        let mut newest = 0;
        if let Some(versions) = self.ftl.versions() {
            newest = versions.newest(lpa);
            self.observers.reads_verified += 1;
            if version != newest {
                self.fail(format!("a read of {lpa:?} found a version in the cache that is not the newest"));
            }
        }
        if let Some(probe) = &mut self.observers.probe {
            probe.read(self.front.request_id(request), lpa, Some(newest), self.flash.now());
        }
    }

    #[inline(always)]
    fn new_operation(&mut self, op: Op, purpose: Purpose) -> OpId {
        work::new_op(self, op, purpose)
    }

    #[inline(always)]
    fn operation(&self, id: OpId) -> &Op {
        &self.flash.pool[id]
    }

    #[inline(always)]
    fn purpose(&self, id: OpId) -> &Purpose {
        &self.ftl.purposes()[id]
    }

    #[inline(always)]
    fn purpose_mut(&mut self, id: OpId) -> &mut Purpose {
        self.ftl.purpose_mut(id)
    }

    #[inline(always)]
    fn begin_wait(&mut self, id: OpId) {
        self.flash.pool[id].wait_from = self.flash.now();
    }

    #[inline(always)]
    fn end_wait(&mut self, id: OpId, part: Part) {
        self.flash.blame_wait_on(part, id);
    }

    #[inline(always)]
    fn done(&mut self, id: OpId) {
        if self.flash.pool[id].waited_for {
            self.unit_done(id, None);
        } else {
            self.flash.pool.remove(id);
        }
    }

    #[inline(always)]
    fn fetch_new(&self) {
        self.flash.pool.prefetch_free();
    }

    #[inline(always)]
    fn fetch(&self, id: OpId) {
        self.flash.pool.prefetch(id);
    }

    #[inline(always)]
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline(always)]
    fn domains(&self) -> &Domains {
        self.ftl.domains()
    }

    #[inline(always)]
    fn points(&self) -> &Points {
        self.ftl.points()
    }

    #[inline(always)]
    fn is_in_flash(&self, lpa: Lpa) -> bool {
        self.ftl.is_mapped(lpa)
    }

    #[inline]
    fn version_read(&self, id: OpId) -> Option<u32> {
        let (lpa, ppa) = (self.ftl.purposes()[id].lpa, self.flash.pool[id].ppa);
        let version = || self.ftl.oob().sequences().map_or(0, |sequences| sequences.number(ppa));
        self.ftl.holds(lpa, ppa).then(version)
    }

    #[inline(always)]
    fn group_of_write(&mut self, lpa: Lpa, stream: u16) -> u32 {
        let point = work::host_point(self, lpa, stream);
        self.ftl.group_of(lpa, point)
    }

    #[inline(always)]
    fn domain_by_address(&self, lpa: Lpa) -> Option<DomainId> {
        self.ftl.plane_by_address(lpa).map(|plane| self.ftl.domains().of(plane))
    }

    #[inline]
    fn collects(&self, domain: DomainId) -> bool {
        self.ftl.collects(domain)
    }

    #[inline(always)]
    fn writes_past_collection(&self) -> bool {
        self.ftl.writes_past_collection()
    }

    #[inline]
    fn has_room_in(&self, domain: DomainId) -> bool {
        self.ftl.has_room_in(domain)
    }

    #[inline]
    fn place(&mut self, lpa: Lpa, stream: u16) -> PlaneId {
        let cause = WRITE_BACK_PROGRAM.cause();
        work::place(self, &ProgramIntent { cause, ..ProgramIntent::host(lpa, stream) })
    }

    #[inline(always)]
    fn is_translated(&mut self, id: OpId) -> bool {
        !self.ftl.translation().looks_up_write_backs || work::is_translated(self, id)
    }

    #[inline(always)]
    fn waits_for_move(&mut self, id: OpId) -> bool {
        work::waits_for_move(self, id)
    }

    #[inline(always)]
    fn programs_written_only(&self) -> bool {
        self.ftl.programs_written_only()
    }

    fn reads_rest(&mut self, id: OpId) -> bool {
        let old = self.ftl.lookup(self.ftl.purposes()[id].lpa);
        if !old.is_some() {
            return false;
        }
        let bytes = self.geometry.unit_bytes - work::moved_by_program(self, id, 0);
        let op = &mut self.flash.pool[id];
        (op.class, op.ppa, op.bytes) = (WRITE_BACK_READ, old, bytes);
        wordline_flash::work::submit(self, id);
        true
    }

    #[inline]
    fn program_on(&mut self, plane: PlaneId, id: OpId) {
        work::program_on(self, plane, id);
    }

    fn program_anywhere(&mut self, id: OpId) {
        work::program_anywhere(self, id);
    }
}
