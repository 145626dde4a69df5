//! Reads that were on their way to flash when the cache got what they want.

use super::AroundCache;
use super::accesses::access_dram;
use super::lacking::merged;
use super::send::owner;
use crate::cache::{Access, Cache, CachePolicy, WRITE_BACK_READ};
use wordline_base::class::Class;
use wordline_flash::sched::queue::OpId;
use wordline_ftl::work::Purpose;

/// Whether a waiting read needs no flash any more, because the cache has got what it wants.
pub(crate) fn is_overtaken<A: AroundCache>(around: &A, unit: OpId) -> bool {
    let Purpose { lpa, whose, .. } = *around.purpose(unit);
    let class = around.operation(unit).class;
    let table = &around.cache().state.table;
    if class == WRITE_BACK_READ {
        return owner(around, unit).is_none_or(|slot| table.holds_all(slot));
    }
    if class != Class::HostRead {
        return false;
    }
    let (start, end) = around.wanted_range(whose.request(), lpa);
    table.find(lpa).is_some_and(|slot| table.holds(slot, start, end))
}

/// A read whose page is no longer where it was: whether the cache serves it instead.
pub(crate) fn serve_late<A: AroundCache>(around: &mut A, unit: OpId) -> bool {
    let Purpose { lpa, whose, .. } = *around.purpose(unit);
    let class = around.operation(unit).class;
    let (overtaken, in_flash) = (is_overtaken(around, unit), around.is_in_flash(lpa));
    if class == WRITE_BACK_READ {
        if overtaken || !in_flash {
            merged(around, unit);
        }
        return overtaken || !in_flash;
    }
    if class != Class::HostRead {
        return false;
    }
    let Cache { state, policy } = around.cache_mut();
    let Some(slot) = state.table.find(lpa).filter(|_| overtaken || !in_flash) else { return false };
    state.record.counts.late_read_hits += 1;
    if policy.refreshes(lpa, Access::Read) {
        state.table.refresh(slot);
    }
    let version = state.table.version(slot);
    around.is_served(whose.request(), lpa, version);
    access_dram(around, unit);
    true
}
