//! Units that were written in part, on their way to flash: what they lacked was read.

use super::AroundCache;
use super::send::owner;
use super::tend::tend;
use wordline_flash::sched::queue::OpId;

/// What a unit lacked is there, or needed no longer.
pub(crate) fn merged<A: AroundCache>(around: &mut A, unit: OpId) {
    let waited_for = around.operation(unit).waited_for;
    let owner = owner(around, unit);
    let state = &mut around.cache_mut().state;
    state.merging -= 1;
    match owner {
        None => around.done(unit),
        Some(slot) => {
            state.table.hold_all(slot);
            if waited_for {
                around.program_anywhere(unit);
            } else {
                state.merged.push_back(unit);
            }
        }
    }
    tend(around);
}
