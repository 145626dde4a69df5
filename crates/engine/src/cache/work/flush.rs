//! A flush waits until all that is dirty is in flash.

use super::AroundCache;
use super::pages::write_back_page;
use super::tend::tend;
use crate::cache::WRITE_BACK_PROGRAM;
use crate::cache::state::Promise;
use wordline_base::ids::{Lpa, Ppa};
use wordline_flash::sched::queue::Op;
use wordline_ftl::work::Purpose;

/// A flush, of which one part is open: done when all that is dirty now is in flash.
pub(crate) fn flush<A: AroundCache>(around: &mut A, request: u32) {
    let state = &around.cache().state;
    let left = u64::from(state.table.dirty_units()) + u64::from(state.in_program);
    if left == 0 {
        return around.part_done(request);
    }
    let op = Op { wait_from: around.now(), ..Op::new(WRITE_BACK_PROGRAM, Ppa::NONE) };
    let op = around.new_operation(op, Purpose::of_host(request, Lpa::NONE));
    let state = &mut around.cache_mut().state;
    state.promises.push(Promise { op, from: 0, until: state.stamp + 1, left });
    while write_back_page(around) {}
    tend(around);
}
