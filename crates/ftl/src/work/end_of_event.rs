//! What the layer does when an event is over, and its tables are consistent again.

use super::above::AboveFtl;
use super::collection::pace::release_paced;
use super::parity::pages::begin_parity;
use super::reclaim::reclaim_worn_blocks;

/// Writes go on that waited for what collection has won, worn blocks are reclaimed, parity of what changed is begun. What systems
/// want comes behind, and after that the pages of dropped copies are given up ([`invalidate_dropped`](super::invalidate_dropped)).
#[inline(always)]
pub fn end_event<A: AboveFtl>(above: &mut A) {
    if above.ftl().pace.as_ref().is_some_and(|pace| !pace.due.is_empty()) {
        release_paced(above);
    }
    reclaim_worn_blocks(above);
    if above.ftl().striped.is_some() {
        begin_parity(above);
    }
}
