//! The data cache at work for the host: units of writes enter or wait for room, units of reads are served or kept, a
//! TRIM drops what it names, a flush waits for what is dirty.

use super::Device;
use super::controller::Controller;
use super::timers::Timer;
use crate::cache::state::Promise;
use crate::cache::table::{Slot, Written};
use crate::cache::{Access, Cache, CachePolicy, CacheSlot, WRITE_BACK_PROGRAM, WRITE_BACK_READ};
use crate::sched::queue::{Op, OpId};
use wordline_base::class::Class;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::parts::Part;
use wordline_ftl::work::Purpose;
use wordline_ftl::work::{host_point, new_op};

impl Controller {
    /// Brings what the search for a unit begins with towards the caches, if there is a cache.
    #[inline(always)]
    pub(super) fn fetch_cached(&self, lpa: u32) {
        if self.cache.is_on() {
            self.cache.state.table.prefetch(Lpa(lpa));
        }
    }
}

impl Device {
    /// Replaces the policy of the data cache by a user's own. The scheme must have a cache.
    pub fn set_cache_policy(&mut self, policy: Box<dyn crate::cache::CachePolicy + Send>) {
        if !self.controller.cache.is_on() {
            return self.fail("a cache policy was set, but scheme.cache.policy is none".into());
        }
        self.controller.cache.policy = CacheSlot::Custom(policy);
    }

    /// A unit of a write enters the cache, or waits until there is room. `durable`: it is answered when programmed.
    pub(super) fn write_to_cache(&mut self, request: u32, lpa: Lpa, bytes: u32, durable: bool) {
        let cache = &mut self.controller.cache;
        let state = &mut cache.state;
        let held = state.table.find(lpa);
        state.record.counts.write_hits += u64::from(held.is_some());
        state.record.counts.write_misses += u64::from(held.is_none());
        let at_once = !durable && state.dram.is_immediate(bytes);
        let in_place = state.in_place(held).is_some();
        let rests =
            || state.is_full_in_pause(self.flash.now()) || state.throttled_until(self.flash.now()).is_some();
        let pressed = state.is_pressed() || (!in_place && rests());
        let room = !pressed && (in_place || (state.waiting.is_empty() && self.make_room()));
        if room {
            self.enter(request, lpa, held);
            if at_once {
                return self.page_done(request);
            }
        }
        let op = Op { bytes, wait_from: self.flash.now(), ..Op::new(WRITE_BACK_PROGRAM, Ppa::NONE) };
        let id = new_op(self, op, Purpose::of_host(request, lpa));
        if room {
            return self.entered(id, durable);
        }
        let state = &mut self.controller.cache.state;
        state.record.counts.stalls += 1;
        if let Some(pauses) = &mut state.pauses {
            pauses.write_waits(self.flash.now());
        }
        state.waiting.push_back(id);
    }

    /// Writes that waited for room enter, as far as there is room: first come, first served.
    pub(super) fn admit_waiting_writes(&mut self) {
        while let Some(&id) = self.controller.cache.state.waiting.front() {
            let cache = &self.controller.cache;
            let Purpose { lpa, whose, .. } = self.ftl.purposes()[id];
            if cache.state.is_pressed() {
                return;
            }
            let held = cache.state.table.find(lpa);
            if cache.state.in_place(held).is_none() {
                if cache.state.is_full_in_pause(self.flash.now()) {
                    return;
                }
                if let Some(until) = cache.state.throttled_until(self.flash.now()) {
                    return self.flash.set_timer(Timer::Throttle.number(), until);
                }
                if !self.make_room() {
                    return;
                }
            }
            let state = &mut self.controller.cache.state;
            state.waiting.pop_front();
            if let Some(pauses) = &mut state.pauses {
                pauses.write_waits(self.flash.now());
            }
            self.fetch_waiting_writes();
            self.flash.blame_wait_on(Part::Buffer, id);
            self.enter(whose.request(), lpa, held);
            let durable = self.front.is_durable(whose.request());
            self.entered(id, durable);
        }
    }

    /// One of the writes that wait has entered. Brings what those behind it will need towards the caches: the operation, then
    /// what the search for its unit begins with.
    #[inline]
    fn fetch_waiting_writes(&self) {
        let Cache { state, .. } = &self.controller.cache;
        if let Some(&later) = state.waiting.get(3) {
            self.flash.pool.prefetch(later);
        }
        if let Some(&soon) = state.waiting.get(1) {
            state.table.prefetch(self.ftl.purposes()[soon].lpa);
        }
    }

    /// Whether a slot is free, if need be after a clean unit was given up.
    fn make_room(&mut self) -> bool {
        let cache = &mut self.controller.cache;
        if !cache.state.table.is_full() {
            return true;
        }
        let Some(lpa) = cache.evict() else { return false };
        let table = &mut cache.state.table;
        let clean = |&slot: &Slot| !table.is_dirty(slot) && table.op(slot).is_none();
        let Some(slot) = table.find(lpa).filter(clean) else {
            self.fail(format!("the cache policy gave up {lpa:?}, which is no clean unit of the cache"));
            return false;
        };
        table.remove(slot);
        cache.state.record.counts.evictions += 1;
        true
    }

    /// A unit of a write takes effect in the cache, where it is held or where room was made.
    fn enter(&mut self, request: u32, lpa: Lpa, held: Option<Slot>) {
        let (start, end) = self.front.wanted_range(request, lpa, self.geometry.unit_bytes);
        let stream = self.front.requests[request as usize].stream();
        let point = host_point(self, lpa, stream);
        let group = self.ftl.group_of(lpa, point);
        let before = self.ftl.versions().map_or(0, |versions| versions.newest(lpa));
        let version = self.ftl.version_of_overwrite(lpa);
        let now = self.flash.now();
        let cache = &mut self.controller.cache;
        let state = &mut cache.state;
        let slot = match (state.in_place(held), held) {
            (Some(slot), _) => {
                state.stamp += u64::from(!state.table.is_dirty(slot));
                state.table.written(slot, Written { stamp: state.stamp, version, group, stream });
                slot
            }
            (None, held) => {
                state.stamp += 1;
                let written = Written { stamp: state.stamp, version, group, stream };
                let slot = match held {
                    Some(old) => state.table.append_written(old, written),
                    None => state.table.insert_written(lpa, before, written),
                };
                state.took_place(now);
                let Some(slot) = slot else {
                    return self.fail(format!("{lpa:?} found no room in the cache"));
                };
                slot
            }
        };
        let table = &mut cache.state.table;
        table.hold(slot, start, end);
        if held.is_some() && cache.policy.refreshes(lpa, Access::Write) {
            table.refresh(slot);
        }
        cache.state.note_dirty(self.flash.now());
        if cache.state.cold.as_mut().is_some_and(|cold| cold.is_cold(lpa, self.flash.now())) {
            cache.state.urgent.push_back(lpa.0);
        }
        let id = self.front.request_id(request);
        if let Some(probe) = &mut self.observers.probe {
            probe.took_effect(id, lpa, self.flash.now());
        }
    }

    /// A unit of a write is in the cache: it is answered after an access to the DRAM, or when it is programmed.
    fn entered(&mut self, id: OpId, durable: bool) {
        if durable {
            self.controller.cache.state.durable.push_back(id);
        } else {
            self.access_dram(id);
        }
    }

    /// A unit of a read that just came: whether the cache serves it.
    pub(super) fn read_from_cache(&mut self, request: u32, lpa: Lpa, bytes: u32) -> bool {
        let (start, end) = self.front.wanted_range(request, lpa, self.geometry.unit_bytes);
        let mapped = self.ftl.is_mapped(lpa);
        let cache = &mut self.controller.cache;
        cache.state.read_came(self.flash.now());
        let (table, counts) = (&mut cache.state.table, &mut cache.state.record.counts);
        let found = table.find(lpa);
        // Of a unit that is nowhere else the rest is zeros.
        let Some(slot) = found.filter(|&slot| !mapped || table.holds(slot, start, end)) else {
            counts.read_misses += u64::from(mapped);
            counts.read_misses_in_part += u64::from(found.is_some());
            return false;
        };
        counts.read_hits += 1;
        if cache.policy.refreshes(lpa, Access::Read) {
            table.refresh(slot);
        }
        let at_once = cache.state.dram.is_immediate(bytes);
        self.verify_cached(request, lpa, slot);
        if at_once {
            self.page_done(request);
        } else {
            let op = Op { bytes, ..Op::new(Class::HostRead, Ppa::NONE) };
            let id = new_op(self, op, Purpose::of_host(request, lpa));
            self.access_dram(id);
        }
        true
    }

    /// A read takes what the cache holds: checked mode compares it with the newest version.
    fn verify_cached(&mut self, request: u32, lpa: Lpa, slot: Slot) {
        let mut newest = 0;
        if let Some(versions) = self.ftl.versions() {
            newest = versions.newest(lpa);
            self.observers.reads_verified += 1;
            if self.controller.cache.state.table.version(slot) != newest {
                self.fail(format!("a read of {lpa:?} found a version in the cache that is not the newest"));
            }
        }
        let id = self.front.request_id(request);
        if let Some(probe) = &mut self.observers.probe {
            probe.read(id, lpa, Some(newest), self.flash.now());
        }
    }

    /// Whether a waiting read needs no flash any more, because the cache has got what it wants.
    pub(super) fn is_overtaken(&self, unit: OpId) -> bool {
        let Purpose { lpa, whose, .. } = self.ftl.purposes()[unit];
        let class = self.flash.pool[unit].class;
        let cache = &self.controller.cache;
        if class == WRITE_BACK_READ {
            return self.owner(unit).is_none_or(|slot| cache.state.table.holds_all(slot));
        }
        if class != Class::HostRead {
            return false;
        }
        let (start, end) = self.front.wanted_range(whose.request(), lpa, self.geometry.unit_bytes);
        cache.state.table.find(lpa).is_some_and(|slot| cache.state.table.holds(slot, start, end))
    }

    /// A read whose page is no longer where it was: whether the cache serves it instead.
    pub(super) fn serve_late(&mut self, unit: OpId) -> bool {
        let Purpose { lpa, whose, .. } = self.ftl.purposes()[unit];
        let class = self.flash.pool[unit].class;
        let (overtaken, mapped) = (self.is_overtaken(unit), self.ftl.is_mapped(lpa));
        if class == WRITE_BACK_READ {
            if overtaken || !mapped {
                self.merged(unit);
            }
            return overtaken || !mapped;
        }
        if class != Class::HostRead {
            return false;
        }
        let cache = &mut self.controller.cache;
        let Some(slot) = cache.state.table.find(lpa).filter(|_| overtaken || !mapped) else { return false };
        cache.state.record.counts.late_read_hits += 1;
        if cache.policy.refreshes(lpa, Access::Read) {
            cache.state.table.refresh(slot);
        }
        self.verify_cached(whose.request(), lpa, slot);
        self.access_dram(unit);
        true
    }

    /// A unit that the host reads has come from flash: the policy may keep it, unless it was rewritten meanwhile.
    pub(super) fn keep_read(&mut self, unit: OpId) {
        if matches!(self.controller.cache.policy, CacheSlot::WriteBuffer(_)) {
            // It takes no reads in.
            return;
        }
        let Purpose { lpa, whose, .. } = self.ftl.purposes()[unit];
        let ppa = self.flash.pool[unit].ppa;
        let Some(request) = whose.host().filter(|_| self.ftl.holds(lpa, ppa)) else { return };
        if !self.controller.cache.policy.admits_read(lpa) {
            return;
        }
        let (start, end) = self.front.wanted_range(request, lpa, self.geometry.unit_bytes);
        let group = self.ftl.group_of(lpa, 0);
        let version = self.ftl.oob().sequences().map_or(0, |sequences| sequences.number(ppa));
        let cache = &mut self.controller.cache;
        let found = cache.state.table.find(lpa);
        if found.is_none() && !self.make_room() {
            return;
        }
        let cache = &mut self.controller.cache;
        let table = &mut cache.state.table;
        let Some(slot) = found.or_else(|| table.insert(lpa, group, version)) else { return };
        if table.in_flash(slot) != version {
            return self.fail(format!("a read of {lpa:?} would be kept beside data of another version"));
        }
        table.hold(slot, start, end);
        if found.is_some() && cache.policy.refreshes(lpa, Access::Read) {
            table.refresh(slot);
        }
    }

    /// TRIM: the unit is nobody's any more, in the cache either.
    pub(super) fn drop_cached(&mut self, lpa: Lpa) {
        let cache = &mut self.controller.cache;
        let table = &mut cache.state.table;
        let Some(slot) = table.find(lpa) else { return };
        let dirty = if table.is_dirty(slot) { table.stamp(slot) } else { 0 };
        let programmed = table.in_program(slot);
        table.remove(slot);
        cache.state.in_program -= u32::from(programmed != 0);
        cache.state.note_dirty(self.flash.now());
        for stamp in [programmed, dirty].into_iter().filter(|&stamp| stamp != 0) {
            self.answer_promises(stamp);
        }
    }

    /// A flush, of which one part is open: done when all that is dirty now is in flash.
    pub(super) fn flush_cache(&mut self, request: u32) {
        let cache = &mut self.controller.cache;
        let state = &mut cache.state;
        let left = u64::from(state.table.dirty_units()) + u64::from(state.in_program);
        if left == 0 {
            return self.page_done(request);
        }
        let op = Op { wait_from: self.flash.now(), ..Op::new(WRITE_BACK_PROGRAM, Ppa::NONE) };
        let op = new_op(self, op, Purpose::of_host(request, Lpa::NONE));
        let cache = &mut self.controller.cache;
        let state = &mut cache.state;
        state.promises.push(Promise { op, from: 0, until: state.stamp + 1, left });
        while self.write_back_page() {}
        self.tend_cache();
    }

    /// The write of this number is in flash, or was trimmed: answers whoever waited for it last.
    pub(super) fn answer_promises(&mut self, stamp: u64) {
        let mut next = 0;
        while let Some(promise) = self.controller.cache.state.promises.get_mut(next) {
            next += 1;
            if !(promise.from..promise.until).contains(&stamp) {
                continue;
            }
            promise.left -= 1;
            if promise.left > 0 {
                continue;
            }
            let op = promise.op;
            next -= 1;
            self.controller.cache.state.promises.remove(next);
            self.flash.blame_wait_on(Part::WriteBack, op);
            self.unit_done(op, None);
        }
    }

    /// Data moves between the host and the DRAM, one access at a time; then this part of its request is done.
    pub(super) fn access_dram(&mut self, id: OpId) {
        let now = self.flash.now();
        self.flash.pool[id].wait_from = now;
        let (request, bytes) = (self.ftl.purposes()[id].whose.request(), self.flash.pool[id].bytes);
        let cache = &mut self.controller.cache;
        if cache.state.dram.is_immediate(bytes) {
            return self.unit_done(id, None);
        }
        if let Some(end) = cache.state.dram.access(id, request, bytes, now) {
            self.flash.set_timer(Timer::Dram.number(), end);
        }
    }

    /// The first access to the DRAM has ended.
    pub(super) fn dram_event(&mut self) {
        let Some((id, next)) = self.controller.cache.state.dram.ended() else {
            return self.fail("an access to the DRAM ended, and none was begun".into());
        };
        if let Some(end) = next {
            self.flash.set_timer(Timer::Dram.number(), end);
        }
        self.flash.blame_wait_on(Part::Cache, id);
        self.unit_done(id, None);
    }
}
