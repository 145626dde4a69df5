//! A unit that the host read from flash may stay in the cache.

use super::AroundCache;
use super::room::make_room;
use crate::cache::{Access, Cache, CachePolicy, CacheSlot};
use wordline_flash::sched::queue::OpId;
use wordline_ftl::work::Purpose;

/// A unit that the host reads has come from flash: the policy may keep it, unless it was rewritten meanwhile.
pub(crate) fn keep_read<A: AroundCache>(around: &mut A, unit: OpId) {
    if matches!(around.cache().policy, CacheSlot::WriteBuffer(_)) {
        // It takes no reads in.
        return;
    }
    let Purpose { lpa, whose, .. } = *around.purpose(unit);
    let (Some(request), Some(version)) = (whose.host(), around.version_read(unit)) else { return };
    if !around.cache_mut().policy.admits_read(lpa) {
        return;
    }
    let (start, end) = around.wanted_range(request, lpa);
    let found = around.cache().state.table.find(lpa);
    if found.is_none() && !make_room(around) {
        return;
    }
    let Cache { state, policy } = around.cache_mut();
    let table = &mut state.table;
    let Some(slot) = found.or_else(|| table.insert(lpa, version)) else { return };
    if table.in_flash(slot) != version {
        return around.fail(format!("a read of {lpa:?} would be kept beside data of another version"));
    }
    table.hold(slot, start, end);
    if found.is_some() && policy.refreshes(lpa, Access::Read) {
        table.refresh(slot);
    }
}
