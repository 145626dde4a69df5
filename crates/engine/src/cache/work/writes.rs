//! A unit of a write enters the cache, or waits until there is room.

use super::accesses::access_dram;
use super::room::make_room;
use super::{AroundCache, Versions};
use crate::cache::table::{Slot, Written};
use crate::cache::{Access, Cache, CachePolicy, WRITE_BACK_PROGRAM};
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::time::Ns;
use wordline_flash::sched::queue::{Op, OpId};
use wordline_ftl::work::Purpose;

/// A unit of a write as it takes effect: its bytes from `start` to `end` − 1.
struct Entering {
    lpa: Lpa,
    start: u32,
    end: u32,
    stream: u16,
    group: u32,
    versions: Versions,
    now: Ns,
}

/// A unit of a write enters the cache, or waits until there is room. `durable`: it is answered when programmed.
pub(crate) fn write_unit<A: AroundCache>(around: &mut A, request: u32, lpa: Lpa, bytes: u32, durable: bool) {
    let now = around.now();
    let state = &mut around.cache_mut().state;
    let held = state.table.find(lpa);
    state.record.counts.write_hits += u64::from(held.is_some());
    state.record.counts.write_misses += u64::from(held.is_none());
    let at_once = !durable && state.dram.is_immediate(bytes);
    let in_place = state.in_place(held).is_some();
    let pressed = state.is_pressed() || (!in_place && state.holds_back(now));
    let room = !pressed && (in_place || (state.waiting.is_empty() && make_room(around)));
    if room {
        enter(around, request, lpa, held);
        if at_once {
            return around.part_done(request);
        }
    }
    let op = Op { bytes, wait_from: now, ..Op::new(WRITE_BACK_PROGRAM, Ppa::NONE) };
    let id = around.new_operation(op, Purpose::of_host(request, lpa));
    if room {
        return entered(around, id, durable);
    }
    let state = &mut around.cache_mut().state;
    state.record.counts.stalls += 1;
    state.write_waits(now);
    state.waiting.push_back(id);
}

/// A unit of a write takes effect in the cache, where it is held or where room was made.
pub(super) fn enter<A: AroundCache>(around: &mut A, request: u32, lpa: Lpa, held: Option<Slot>) {
    let (start, end) = around.wanted_range(request, lpa);
    let stream = around.stream_of(request);
    let group = around.group_of_write(lpa, stream);
    let versions = around.takes_effect(request, lpa);
    let now = around.now();
    let entering = Entering { lpa, start, end, stream, group, versions, now };
    if around.cache_mut().take_in(&entering, held).is_none() {
        around.fail(format!("{lpa:?} found no room in the cache"));
    }
}

/// A unit of a write is in the cache: it is answered after an access to the DRAM, or when it is programmed.
pub(super) fn entered<A: AroundCache>(around: &mut A, id: OpId, durable: bool) {
    if durable {
        around.cache_mut().state.durable.push_back(id);
    } else {
        access_dram(around, id);
    }
}

impl Cache {
    /// Takes in a unit that is `held` in this slot; `None` when it needs another and none is free.
    #[inline]
    fn take_in(&mut self, entering: &Entering, held: Option<Slot>) -> Option<()> {
        let &Entering { lpa, start, end, stream, group, versions, now } = entering;
        let Self { state, policy } = self;
        let in_place = state.in_place(held);
        let becomes_dirty = in_place.is_none_or(|slot| !state.table.is_dirty(slot));
        state.stamp += u64::from(becomes_dirty);
        let written = Written { stamp: state.stamp, version: versions.now, group, stream };
        let slot = match in_place {
            Some(slot) => {
                state.table.written(slot, written);
                slot
            }
            None => {
                let slot = match held {
                    Some(old) => state.table.append_written(old, written),
                    None => state.table.insert_written(lpa, versions.before, written),
                };
                state.took_place(now);
                slot?
            }
        };
        state.table.hold(slot, start, end);
        if held.is_some() && policy.refreshes(lpa, Access::Write) {
            state.table.refresh(slot);
        }
        state.note_dirty(now);
        if state.cold.as_mut().is_some_and(|cold| cold.is_cold(lpa, now)) {
            state.urgent.push_back(lpa.0);
        }
        Some(())
    }
}
