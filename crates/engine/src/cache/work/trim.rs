//! A trim drops what the cache holds.

use super::AroundCache;
use super::promises::keep_promises;
use wordline_base::ids::Lpa;

/// TRIM: the unit is nobody's any more, in the cache either.
pub(crate) fn drop_unit<A: AroundCache>(around: &mut A, lpa: Lpa) {
    let now = around.now();
    let state = &mut around.cache_mut().state;
    let table = &mut state.table;
    let Some(slot) = table.find(lpa) else { return };
    let dirty = if table.is_dirty(slot) { table.stamp(slot) } else { 0 };
    let programmed = table.in_program(slot);
    table.remove(slot);
    state.in_program -= u32::from(programmed != 0);
    state.note_dirty(now);
    for stamp in [programmed, dirty].into_iter().filter(|&stamp| stamp != 0) {
        keep_promises(around, stamp);
    }
}
