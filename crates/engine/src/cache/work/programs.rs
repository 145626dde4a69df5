//! Programs of cached units begin and end.

use super::AroundCache;
use super::promises::keep_promises;
use super::send::owner;
use crate::cache::{Cache, CachePolicy};
use wordline_flash::sched::queue::OpId;

/// The stream of a unit on its way to flash.
pub(crate) fn stream_of<A: AroundCache>(around: &A, unit: OpId) -> Option<u16> {
    owner(around, unit).map(|slot| around.cache().state.table.stream(slot))
}

/// A unit on its way to flash gets the write point of its stream, as it was written last.
pub(crate) fn take_point<A: AroundCache>(around: &mut A, unit: OpId) {
    let Some(slot) = owner(around, unit) else { return };
    around.purpose_mut(unit).point = around.points().of_group(around.cache().state.table.group(slot));
}

/// The die takes the program of a cached unit. Whether it carries the newest version, whatever was written since it was queued:
/// one that was dropped, or written again in a place of its own, holds nothing that is valid.
pub(crate) fn begins<A: AroundCache>(around: &mut A, unit: OpId) -> bool {
    let Some(slot) = owner(around, unit) else { return false };
    let (lpa, now) = (around.purpose(unit).lpa, around.now());
    let state = &mut around.cache_mut().state;
    let newest = !state.table.is_superseded(slot);
    if newest {
        state.table.hold_all(slot);
    }
    state.table.commit(slot);
    if newest {
        state.table.prefetch(lpa);
    }
    state.in_program += 1;
    state.note_dirty(now);
    newest
}

/// The program of a cached unit has ended.
pub(crate) fn ended<A: AroundCache>(around: &mut A, unit: OpId) {
    let lpa = around.purpose(unit).lpa;
    let owner = owner(around, unit);
    let Cache { state, policy } = around.cache_mut();
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
    keep_promises(around, stamp);
}
