//! Dirty units are sent to flash in whole flash pages.

use super::AroundCache;
use super::choice::{next_to_write_back, prefer_whole_page};
use super::send::{place_unit, send_new};
use crate::cache::table::Slot;
use wordline_base::ids::Lpa;

/// Units of parts that are sent to be completed, for each unit of a flash page that is filled.
const MERGES_FOR_A_UNIT: u32 = 4;

/// Sends the units of one flash page to flash; `false` when no dirty unit waits.
pub(super) fn write_back_page<A: AroundCache>(around: &mut A) -> bool {
    let Some(slot) = next_to_write_back(around) else { return false };
    around.fetch_new();
    around.cache().state.table.prefetch_behind_oldest_dirty();
    let slot = prefer_whole_page(around, slot);
    write_back_from(around, slot);
    true
}

/// Sends a unit to flash, and with it what fills its flash page: the dirty ones among its neighbours in the address space, then
/// the oldest that may lie there.
pub(super) fn write_back_from<A: AroundCache>(around: &mut A, first: Slot) {
    let table = &around.cache().state.table;
    let (lpa, point) = (table.lpa(first), around.points().of_group(table.group(first)));
    let fixed = around.domain_by_address(lpa).is_some();
    let plane = place_unit(around, first);
    let domain = around.domains().of(plane);
    let group = around.points().group(if fixed { domain.0 } else { 0 }, point);
    let (page, on_page) = (around.geometry().units_per_program(), around.geometry().units_per_page());
    let (mut left, mut merges) = (page, page * MERGES_FOR_A_UNIT);
    let first_of_page = lpa.0 & !(on_page - 1);
    let mut neighbours = first_of_page..first_of_page + on_page;
    let mut next = Some(first);
    while let Some(slot) = next {
        let room = if send_new(around, slot, plane) { &mut left } else { &mut merges };
        *room -= 1;
        if *room == 0 || (!fixed && !around.has_room_in(domain)) {
            return;
        }
        let state = &around.cache().state;
        next = neighbours
            .find_map(|lpa| state.dirty_and_waiting(Lpa(lpa)).filter(|&slot| goes_to(around, slot, point)));
        if next.is_none() {
            let ordered = fixed || around.points().host() > 1;
            next = if ordered { state.oldest_of_group(group, fixed) } else { next_to_write_back(around) };
        }
    }
}

/// Whether a unit of the cache goes to this write point.
#[inline]
fn goes_to<A: AroundCache>(around: &A, slot: Slot, point: u8) -> bool {
    let group = || around.cache().state.table.group(slot);
    around.points().host() == 1 || around.points().of_group(group()) == point
}
