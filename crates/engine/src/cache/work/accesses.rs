//! Accesses to the DRAM: data of one unit after another moves between the host and the cache.

use super::{AroundCache, CacheTimer};
use wordline_base::parts::Part;
use wordline_flash::sched::queue::OpId;

/// Data moves between the host and the DRAM, one access at a time; then this part of its request is done.
pub(super) fn access_dram<A: AroundCache>(around: &mut A, id: OpId) {
    around.begin_wait(id);
    let (request, bytes) = (around.purpose(id).whose.request(), around.operation(id).bytes);
    let now = around.now();
    let dram = &mut around.cache_mut().state.dram;
    if dram.is_immediate(bytes) {
        return around.done(id);
    }
    if let Some(end) = dram.access(id, request, bytes, now) {
        around.set_timer(CacheTimer::Dram, end);
    }
}

/// The first access to the DRAM has ended.
pub(crate) fn access_ended<A: AroundCache>(around: &mut A) {
    let Some((id, next)) = around.cache_mut().state.dram.ended() else {
        return around.fail("an access to the DRAM ended, and none was begun".into());
    };
    if let Some(end) = next {
        around.set_timer(CacheTimer::Dram, end);
    }
    around.end_wait(id, Part::Cache);
    around.done(id);
}
