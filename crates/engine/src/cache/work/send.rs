//! A dirty unit is on its way to flash: its place in the map is looked up, what it lacks is read, and its program is queued.

use super::AroundCache;
use crate::cache::WRITE_BACK_PROGRAM;
use crate::cache::table::Slot;
use wordline_base::ids::{PlaneId, Ppa};
use wordline_flash::sched::queue::{Op, OpId};
use wordline_ftl::work::Purpose;

/// The slot that an operation carries to flash; `None` when the unit was dropped since.
#[inline]
pub(super) fn owner<A: AroundCache>(around: &A, unit: OpId) -> Option<Slot> {
    let slot = around.purpose(unit).slot;
    around.cache().state.table.is_carried_by(slot, unit).then_some(slot)
}

/// Asks the placement for a unit that is written back.
pub(super) fn place_unit<A: AroundCache>(around: &mut A, slot: Slot) -> PlaneId {
    let table = &around.cache().state.table;
    let (lpa, stream) = (table.lpa(slot), table.stream(slot));
    around.place(lpa, stream)
}

/// A new operation takes a dirty unit to flash; the same as [`send`].
pub(super) fn send_new<A: AroundCache>(around: &mut A, slot: Slot, plane: PlaneId) -> bool {
    let lpa = around.cache().state.table.lpa(slot);
    let id = around.new_operation(Op::new(WRITE_BACK_PROGRAM, Ppa::NONE), Purpose::of(lpa));
    send(around, slot, id, plane)
}

/// An operation takes a dirty unit to flash. Whether its program is queued: it isn't where it waits for its entry of the map, or
/// for sectors that flash holds.
pub(super) fn send<A: AroundCache>(around: &mut A, slot: Slot, id: OpId, plane: PlaneId) -> bool {
    let state = &mut around.cache_mut().state;
    state.table.depart(slot, id);
    if let Some(pauses) = &mut state.pauses {
        pauses.sent();
    }
    let point = around.points().of(WRITE_BACK_PROGRAM.cause());
    let purpose = around.purpose_mut(id);
    (purpose.slot, purpose.point) = (slot, point);
    around.is_translated(id) && carry(around, slot, id, plane)
}

/// The entry of a unit on its way to flash was looked up.
pub(crate) fn carry_looked_up<A: AroundCache>(around: &mut A, unit: OpId) {
    match owner(around, unit) {
        Some(slot) => {
            let plane = place_unit(around, slot);
            carry(around, slot, unit, plane);
        }
        None => around.done(unit),
    }
}

/// Queues the program of a unit on its way to flash. Where sectors are missing that flash holds, it reads them first (`false`).
fn carry<A: AroundCache>(around: &mut A, slot: Slot, id: OpId, plane: PlaneId) -> bool {
    if around.waits_for_move(id) {
        return false;
    }
    if around.programs_written_only() {
        around.purpose_mut(id).tag = around.cache().state.table.bytes_held(slot);
    }
    let table = &around.cache().state.table;
    // A superseded version is nobody's: what it lacks isn't read for it.
    let complete = table.holds_all(slot) || table.is_superseded(slot);
    if complete || !around.reads_rest(id) {
        around.program_on(plane, id);
        return true;
    }
    let state = &mut around.cache_mut().state;
    state.merging += 1;
    state.record.counts.merges += 1;
    false
}
