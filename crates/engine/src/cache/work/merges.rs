//! Units that were written in part and completed since: they are programmed together.

use super::AroundCache;
use super::send::{owner, place_unit};
use crate::cache::together::next_together;
use wordline_flash::sched::queue::OpId;

/// Programs completed units when they fill flash pages, or when no more are on their way.
pub(super) fn program_merged<A: AroundCache>(around: &mut A) {
    loop {
        let state = &around.cache().state;
        let (count, merging) = (state.merged.len(), state.merging);
        let Some(&first) = state.merged.front() else { return };
        let fixed = around.domain_by_address(around.purpose(first).lpa).is_some();
        let (page, points) = (around.geometry().units_per_program(), around.points().host());
        let groups = around.domains().len() as u32 * u32::from(points);
        let together = if fixed { page * groups.min(16) } else { page };
        if merging > 0 && count < together as usize {
            return;
        }
        let apart = !fixed && points > 1;
        let point = if apart { next_merged_together(around, merging > 0) } else { None };
        if apart && point.is_none() {
            return;
        }
        program_completed(around, together, point, fixed);
    }
}

/// Programs so many completed units, those of one write point if it is given; on one plane, unless their addresses fix theirs.
fn program_completed<A: AroundCache>(around: &mut A, most: u32, point: Option<u8>, fixed: bool) {
    let mut plane = None;
    for _ in 0..most {
        let Some(id) = take_merged(around, point) else { break };
        let Some(slot) = owner(around, id) else {
            around.done(id);
            continue;
        };
        let chosen = plane.filter(|_| !fixed).unwrap_or_else(|| place_unit(around, slot));
        plane = Some(chosen);
        around.program_on(chosen, id);
    }
}

/// The write point of a completed unit; of one that was dropped since, the first.
fn point_of_merged<A: AroundCache>(around: &A, id: OpId) -> u8 {
    let group = owner(around, id).map(|slot| around.cache().state.table.group(slot));
    group.map_or(0, |group| around.points().of_group(group))
}

/// The write point of which completed units are programmed next.
fn next_merged_together<A: AroundCache>(around: &A, more: bool) -> Option<u8> {
    let points = around.cache().state.merged.iter().map(|&id| point_of_merged(around, id));
    next_together(points, around.geometry().units_per_program(), more)
}

/// Takes the first completed unit, or the first that goes to this write point.
fn take_merged<A: AroundCache>(around: &mut A, point: Option<u8>) -> Option<OpId> {
    let place = match point {
        Some(point) => {
            let mut merged = around.cache().state.merged.iter();
            merged.position(|&id| point_of_merged(around, id) == point)?
        }
        None => 0,
    };
    around.cache_mut().state.merged.remove(place)
}
