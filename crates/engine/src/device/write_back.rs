//! Cached units on their way to flash: gathered to whole flash pages, their missing sectors read, programmed, and
//! readable in the cache until the program has ended.

use super::Device;
use super::controller::Controller;
use super::timers::Timer;
use crate::cache::state::Promise;
use crate::cache::table::Slot;
use crate::cache::together::next_together;
use crate::cache::{CachePolicy, WRITE_BACK_PROGRAM, WRITE_BACK_READ};
use crate::placement::ProgramIntent;
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::ids::{DomainId, Lpa, PlaneId, Ppa};
use wordline_flash::work::submit;
use wordline_ftl::work::{For, Purpose};
use wordline_ftl::work::{
    is_translated, moved_by_program, new_op, place, program_anywhere, program_on, waits_for_move,
};

/// Oldest units among which one is sought whose domain has a whole flash page to write.
const SEARCHED: usize = 32;

/// Units of parts that are sent to be completed, for each unit of a flash page that is filled.
const MERGES_FOR_A_UNIT: u32 = 4;

impl Controller {
    fn dirty_and_waiting(&self, lpa: Lpa) -> Option<Slot> {
        let table = &self.cache.state.table;
        table.find(lpa).filter(|&slot| table.is_dirty(slot) && table.op(slot).is_none())
    }

    /// The oldest unit that goes to a domain, where that is fixed, and write point. Where it isn't, a superseded version of the
    /// same write point goes before all else.
    fn oldest_of_group(&self, group: u32, fixed: bool) -> Option<Slot> {
        let table = &self.cache.state.table;
        let superseded = table.oldest_superseded().filter(|&slot| !fixed && table.group(slot) == group);
        superseded.or_else(|| table.oldest_of_group(group).0)
    }
}

impl Device {
    /// After anything that changed the cache: lets in what waits, and sends to flash what is to go.
    pub(super) fn tend_cache(&mut self) {
        loop {
            self.admit_waiting_writes();
            self.send_durable();
            self.send_urgent();
            let now = self.flash.now();
            let wants = self.controller.cache.state.wants_write_back(now);
            if !wants || self.write_back_rests() || !self.write_back_page() {
                break;
            }
        }
        self.program_merged();
        let state = &self.controller.cache.state;
        let clean = state.table.len();
        let stuck = state.table.on_their_way() + state.table.waiting() == 0;
        let rests =
            state.is_full_in_pause(self.flash.now()) || state.throttled_until(self.flash.now()).is_some();
        if stuck && !state.waiting.is_empty() && !rests {
            self.fail(format!(
                "writes wait for room, and the cache policy gives up none of {clean} clean units"
            ));
        }
    }

    /// Whether write-back pauses, from now on if a pause is due.
    fn write_back_rests(&mut self) -> bool {
        let now = self.flash.now();
        let state = &mut self.controller.cache.state;
        let Some(pauses) = &mut state.pauses else { return false };
        if state.waiting.is_empty()
            && let Some(end) = pauses.begin(now)
        {
            self.flash.set_timer(Timer::Pause.number(), end);
        }
        pauses.rests(now)
    }

    /// The slot that an operation carries to flash; `None` when the unit was dropped since.
    pub(super) fn owner(&self, unit: OpId) -> Option<Slot> {
        let (table, slot) = (&self.controller.cache.state.table, self.ftl.purposes()[unit].slot);
        table.is_carried_by(slot, unit).then_some(slot)
    }

    /// A die begins the command before `head`, which is looked at for the first time when that is done: brings towards the
    /// caches what a program from the cache will change then, and the operation behind it.
    #[inline]
    pub(super) fn fetch_next(&self, head: OpId) {
        if head == NONE {
            return;
        }
        let Purpose { lpa, slot, .. } = self.ftl.purposes()[head];
        let Op { ppa, next, class, .. } = self.flash.pool[head];
        self.flash.pool.prefetch(next);
        if class == WRITE_BACK_PROGRAM {
            self.controller.cache.state.table.prefetch_slot(slot);
            self.ftl.map().prefetch(u64::from(lpa.0));
            self.ftl.oob().prefetch(ppa);
        }
    }

    /// Sends the units of one flash page to flash; `false` when no dirty unit waits.
    pub(super) fn write_back_page(&mut self) -> bool {
        let Some(slot) = self.next_to_write_back() else { return false };
        self.fetch_to_send();
        let slot = self.prefer_whole_page(slot);
        self.write_back_from(slot);
        true
    }

    /// The dirty unit that the policy names, unless a superseded version waits, which is older.
    fn next_to_write_back(&mut self) -> Option<Slot> {
        let cache = &mut self.controller.cache;
        if cache.state.table.waiting() == 0 {
            return None;
        }
        if let Some(slot) = cache.state.table.oldest_superseded() {
            return Some(slot);
        }
        let lpa = cache.write_back();
        let table = &cache.state.table;
        let waits = |&slot: &Slot| table.is_dirty(slot) && table.op(slot).is_none();
        let slot = lpa.and_then(|lpa| table.find_dirty(lpa)).filter(waits);
        // What a flush waits for goes whatever collects.
        if self.ftl.writes_past_collection() && slot.is_some() && cache.state.promises.is_empty() {
            return slot.and_then(|slot| self.past_collection(slot));
        }
        if slot.is_none() {
            self.fail(format!("the cache policy chose {lpa:?}, which is no dirty unit of the cache"));
        }
        slot
    }

    /// This unit, or if its plane collects the oldest one of those whose planes don't; `None` where all do.
    fn past_collection(&self, slot: Slot) -> Option<Slot> {
        let table = &self.controller.cache.state.table;
        let collects = |domain: DomainId| self.ftl.collects(domain);
        let plane = self.ftl.plane_by_address(table.lpa(slot))?;
        if !collects(self.ftl.domains().of(plane)) {
            return Some(slot);
        }
        let free = (0..self.ftl.domains().len() as u32).map(DomainId).filter(|&domain| !collects(domain));
        let groups = free.flat_map(|domain| (0..self.ftl.points().host()).map(move |point| (domain, point)));
        let oldest = groups
            .filter_map(|(domain, point)| table.oldest_of_group(self.ftl.points().group(domain.0, point)).0);
        oldest.min_by_key(|&slot| table.stamp(slot))
    }

    /// Where the address fixes the domain, or units go to several write points: rather another of the oldest units, if only its
    /// domain and write point have a whole page.
    fn prefer_whole_page(&self, slot: Slot) -> Slot {
        let cache = &self.controller.cache;
        let table = &cache.state.table;
        let page = self.geometry.units_per_program();
        if page == 1 {
            return slot;
        }
        let whole = |&slot: &Slot| table.oldest_of_group(table.group(slot)).1 >= page;
        if whole(&slot) {
            return slot;
        }
        table
            .dirty()
            .take(SEARCHED)
            .filter(|&slot| !self.ftl.writes_past_collection() || self.past_collection(slot) == Some(slot))
            .find(whole)
            .or_else(|| self.first_whole_page(table.lpa(slot)))
            .unwrap_or(slot)
    }

    /// Of the write points with a whole page, the oldest unit of the one where that became dirty first: many units of slow
    /// streams may lie in front of those of others. `None` where the address fixes the domain.
    fn first_whole_page(&self, lpa: Lpa) -> Option<Slot> {
        if self.ftl.points().host() == 1 || self.ftl.plane_by_address(lpa).is_some() {
            return None;
        }
        let (table, page) = (&self.controller.cache.state.table, self.geometry.units_per_program());
        let whole = (0..self.ftl.points().host()).filter_map(|point| {
            let (oldest, count) = table.oldest_of_group(self.ftl.points().group(0, point));
            oldest.filter(|_| count >= page)
        });
        whole.min_by_key(|&slot| table.stamp(slot))
    }

    /// Brings what the units that are sent next will need towards the caches.
    #[inline]
    fn fetch_to_send(&self) {
        self.flash.pool.prefetch_free();
        self.controller.cache.state.table.prefetch_behind_oldest_dirty();
    }

    /// Sends a unit to flash, and with it what fills its flash page: the dirty ones among its neighbours in the
    /// address space, then the oldest that may lie there.
    fn write_back_from(&mut self, first: Slot) {
        let cache = &self.controller.cache;
        let table = &cache.state.table;
        let (lpa, point) = (table.lpa(first), self.ftl.points().of_group(table.group(first)));
        let fixed = self.ftl.plane_by_address(lpa).is_some();
        let plane = self.place_unit(first);
        let domain = self.ftl.domains().of(plane);
        let group = self.ftl.points().group(if fixed { domain.0 } else { 0 }, point);
        let page = self.geometry.units_per_program();
        let (mut left, mut merges) = (page, page * MERGES_FOR_A_UNIT);
        let first_of_page = lpa.0 & !(self.geometry.units_per_page() - 1);
        let mut neighbours = first_of_page..first_of_page + self.geometry.units_per_page();
        let mut next = Some(first);
        while let Some(slot) = next {
            let room = if self.send_new(slot, plane) { &mut left } else { &mut merges };
            *room -= 1;
            if *room == 0 || (!fixed && !self.ftl.has_room_in(domain)) {
                return;
            }
            next = neighbours.find_map(|lpa| {
                self.controller.dirty_and_waiting(Lpa(lpa)).filter(|&slot| self.goes_to(slot, point))
            });
            if next.is_none() {
                let ordered = fixed || self.ftl.points().host() > 1;
                next = if ordered {
                    self.controller.oldest_of_group(group, fixed)
                } else {
                    self.next_to_write_back()
                };
            }
        }
    }

    /// Whether a unit of the cache goes to this write point.
    #[inline]
    fn goes_to(&self, slot: Slot, point: u8) -> bool {
        let group = || self.controller.cache.state.table.group(slot);
        self.ftl.points().host() == 1 || self.ftl.points().of_group(group()) == point
    }

    /// Asks the placement for a unit that is written back.
    fn place_unit(&mut self, slot: Slot) -> PlaneId {
        let cache = &self.controller.cache;
        let (lpa, stream) = (cache.state.table.lpa(slot), cache.state.table.stream(slot));
        let cause = WRITE_BACK_PROGRAM.cause();
        place(self, &ProgramIntent { cause, ..ProgramIntent::host(lpa, stream) })
    }

    /// The stream of a unit on its way to flash.
    pub(super) fn stream_of_cached(&self, unit: OpId) -> Option<u16> {
        self.owner(unit).map(|slot| self.controller.cache.state.table.stream(slot))
    }

    /// A unit on its way to flash gets the write point of its stream, as it was written last.
    pub(super) fn take_point_of_cached(&mut self, unit: OpId) {
        let Some(slot) = self.owner(unit) else { return };
        let cache = &self.controller.cache;
        self.ftl.purpose_mut(unit).point = self.ftl.points().of_group(cache.state.table.group(slot));
    }

    fn send_new(&mut self, slot: Slot, plane: PlaneId) -> bool {
        let cache = &self.controller.cache;
        let lpa = cache.state.table.lpa(slot);
        let id = new_op(self, Op::new(WRITE_BACK_PROGRAM, Ppa::NONE), Purpose::of(lpa));
        self.send(slot, id, plane)
    }

    /// An operation takes a dirty unit to flash. Whether its program is queued: it isn't where it waits for its entry of the map,
    /// or for sectors that flash holds.
    fn send(&mut self, slot: Slot, id: OpId, plane: PlaneId) -> bool {
        let cache = &mut self.controller.cache;
        cache.state.table.depart(slot, id);
        if let Some(pauses) = &mut cache.state.pauses {
            pauses.sent();
        }
        self.ftl.purpose_mut(id).slot = slot;
        self.ftl.purpose_mut(id).point = self.ftl.points().of(WRITE_BACK_PROGRAM.cause());
        if self.ftl.translation().looks_up_write_backs && !is_translated(self, id) {
            return false;
        }
        self.carry(slot, id, plane)
    }

    /// The entry of a unit on its way to flash was looked up.
    pub(super) fn carry_looked_up(&mut self, unit: OpId) {
        let waited_for = self.flash.pool[unit].waited_for;
        match self.owner(unit) {
            Some(slot) => {
                let plane = self.place_unit(slot);
                self.carry(slot, unit, plane);
            }
            None if waited_for => self.unit_done(unit, None),
            None => self.flash.pool.remove(unit),
        }
    }

    /// Queues the program of a unit on its way to flash. Where sectors are missing that flash holds, it reads them first (`false`).
    fn carry(&mut self, slot: Slot, id: OpId, plane: PlaneId) -> bool {
        if waits_for_move(self, id) {
            return false;
        }
        let cache = &mut self.controller.cache;
        let table = &mut cache.state.table;
        if self.ftl.programs_written_only() {
            self.ftl.purpose_mut(id).tag = table.bytes_held(slot);
        }
        // A superseded version is nobody's: what it lacks isn't read for it.
        let complete = table.holds_all(slot) || table.is_superseded(slot);
        let old = if complete { Ppa::NONE } else { self.ftl.lookup(self.ftl.purposes()[id].lpa) };
        if !old.is_some() {
            program_on(self, plane, id);
            return true;
        }
        let cache = &mut self.controller.cache;
        cache.state.merging += 1;
        cache.state.record.counts.merges += 1;
        let bytes = self.geometry.unit_bytes - moved_by_program(self, id, 0);
        let op = &mut self.flash.pool[id];
        (op.class, op.ppa, op.bytes) = (WRITE_BACK_READ, old, bytes);
        submit(self, id);
        false
    }

    /// What a unit lacked is there, or needed no longer.
    pub(super) fn merged(&mut self, unit: OpId) {
        let waited_for = self.flash.pool[unit].waited_for;
        let owner = self.owner(unit);
        let cache = &mut self.controller.cache;
        cache.state.merging -= 1;
        match owner {
            None if waited_for => self.unit_done(unit, None),
            None => self.flash.pool.remove(unit),
            Some(slot) => {
                cache.state.table.hold_all(slot);
                if !waited_for {
                    cache.state.merged.push_back(unit);
                } else {
                    program_anywhere(self, unit);
                }
            }
        }
        self.tend_cache();
    }

    /// Programs completed units when they fill flash pages, or when no more are on their way.
    fn program_merged(&mut self) {
        let page = self.geometry.units_per_program();
        loop {
            let cache = &self.controller.cache;
            let (count, merging) = (cache.state.merged.len(), cache.state.merging);
            let Some(&first) = cache.state.merged.front() else { return };
            let fixed = self.ftl.plane_by_address(self.ftl.purposes()[first].lpa).is_some();
            let groups = self.ftl.domains().len() as u32 * u32::from(self.ftl.points().host());
            let together = if fixed { page * groups.min(16) } else { page };
            if merging > 0 && count < together as usize {
                return;
            }
            let apart = !fixed && self.ftl.points().host() > 1;
            let point = if apart { self.next_merged_together(merging > 0) } else { None };
            if apart && point.is_none() {
                return;
            }
            let mut plane = None;
            for _ in 0..together {
                let Some(id) = self.take_merged(point) else { break };
                let Some(slot) = self.owner(id) else {
                    self.flash.pool.remove(id);
                    continue;
                };
                let chosen = plane.filter(|_| !fixed).unwrap_or_else(|| self.place_unit(slot));
                plane = Some(chosen);
                program_on(self, chosen, id);
            }
        }
    }

    /// The write point of a completed unit; of one that was dropped since, the first.
    fn point_of_merged(&self, id: OpId) -> u8 {
        let group = self.owner(id).map(|slot| self.controller.cache.state.table.group(slot));
        group.map_or(0, |group| self.ftl.points().of_group(group))
    }

    /// The write point of which completed units are programmed next.
    fn next_merged_together(&self, more: bool) -> Option<u8> {
        let merged = &self.controller.cache.state.merged;
        let points = merged.iter().map(|&id| self.point_of_merged(id));
        next_together(points, self.geometry.units_per_program(), more)
    }

    /// Takes the first completed unit, or the first that goes to this write point.
    fn take_merged(&mut self, point: Option<u8>) -> Option<OpId> {
        let place = match point {
            Some(point) => {
                let merged = &self.controller.cache.state.merged;
                merged.iter().position(|&id| self.point_of_merged(id) == point)?
            }
            None => 0,
        };
        self.controller.cache.state.merged.remove(place)
    }

    /// Units of writes with FUA: each is programmed at once, unless it is on its way already.
    fn send_durable(&mut self) {
        let mut page: Option<(For, u32, PlaneId)> = None;
        while let Some(id) = self.controller.cache.state.durable.pop_front() {
            let Purpose { lpa, whose, .. } = self.ftl.purposes()[id];
            let cache = &mut self.controller.cache;
            let table = &cache.state.table;
            let Some(slot) = table.find(lpa) else {
                self.unit_done(id, None);
                continue;
            };
            let stamp = match (table.op(slot), table.is_dirty(slot)) {
                (None, false) => {
                    self.unit_done(id, None);
                    continue;
                }
                (None, true) => {
                    let number = lpa.0 >> self.geometry.unit_shift;
                    let known = page.filter(|&(of, page, _)| (of, page) == (whose, number));
                    let plane = known.map_or_else(|| self.place_unit(slot), |(_, _, plane)| plane);
                    page = Some((whose, number, plane));
                    self.send(slot, id, plane);
                    continue;
                }
                (Some(_), true) => table.stamp(slot),
                (Some(_), false) => table.in_program(slot),
            };
            self.flash.pool[id].wait_from = self.flash.now();
            cache.state.promises.push(Promise { op: id, from: stamp, until: stamp + 1, left: 1 });
        }
    }

    /// Units that became dirty again on their way, and for which somebody waits.
    fn send_urgent(&mut self) {
        while let Some(lpa) = self.controller.cache.state.urgent.pop_front() {
            if let Some(slot) = self.controller.dirty_and_waiting(Lpa(lpa)) {
                self.write_back_from(slot);
            }
        }
    }

    /// The die takes the program of a cached unit. Whether it carries the newest version, whatever was written since it was queued:
    /// one that was dropped, or written again in a place of its own, holds nothing that is valid.
    pub(super) fn cached_unit_begins(&mut self, unit: OpId) -> bool {
        let Some(slot) = self.owner(unit) else { return false };
        let lpa = self.ftl.purposes()[unit].lpa;
        let state = &mut self.controller.cache.state;
        let newest = !state.table.is_superseded(slot);
        if newest {
            state.table.hold_all(slot);
        }
        state.table.commit(slot);
        if newest {
            state.table.prefetch(lpa);
        }
        state.in_program += 1;
        state.note_dirty(self.flash.now());
        newest
    }

    /// The program of a cached unit has ended.
    pub(super) fn write_back_ended(&mut self, unit: OpId) {
        let lpa = self.ftl.purposes()[unit].lpa;
        let owner = self.owner(unit);
        let cache = &mut self.controller.cache;
        let (state, policy) = (&mut cache.state, &mut cache.policy);
        let superseded = owner.is_some_and(|slot| state.table.is_superseded(slot));
        state.record.counts.write_backs += u64::from(lpa.is_some() || superseded);
        let Some(slot) = owner else { return };
        let stamp = state.table.in_program(slot);
        state.in_program -= 1;
        let dirty = state.table.is_dirty(slot);
        if superseded || (!dirty && !policy.keeps(lpa)) {
            state.table.remove(slot);
        } else {
            state.table.arrive(slot);
            if dirty && state.is_promised(state.table.stamp(slot)) {
                state.urgent.push_back(lpa.0);
            }
        }
        self.answer_promises(stamp);
    }
}
