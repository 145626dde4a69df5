//! Which dirty unit goes to flash next.

use super::AroundCache;
use crate::cache::state::CacheState;
use crate::cache::table::Slot;
use wordline_base::ids::{DomainId, Lpa};

/// Oldest units among which one is sought whose domain has a whole flash page to write.
const SEARCHED: usize = 32;

impl CacheState {
    /// A dirty unit that is not on its way.
    pub(super) fn dirty_and_waiting(&self, lpa: Lpa) -> Option<Slot> {
        let table = &self.table;
        table.find(lpa).filter(|&slot| table.is_dirty(slot) && table.op(slot).is_none())
    }

    /// The oldest unit that goes to a domain, where that is fixed, and write point. Where it isn't, a superseded version of the
    /// same write point goes before all else.
    pub(super) fn oldest_of_group(&self, group: u32, fixed: bool) -> Option<Slot> {
        let table = &self.table;
        let superseded = table.oldest_superseded().filter(|&slot| !fixed && table.group(slot) == group);
        superseded.or_else(|| table.oldest_of_group(group).0)
    }
}

/// The dirty unit that the policy names, unless a superseded version waits, which is older.
pub(super) fn next_to_write_back<A: AroundCache>(around: &mut A) -> Option<Slot> {
    let cache = around.cache_mut();
    if cache.state.table.waiting() == 0 {
        return None;
    }
    if let Some(slot) = cache.state.table.oldest_superseded() {
        return Some(slot);
    }
    let lpa = cache.write_back();
    let table = &cache.state.table;
    let waits = |&slot: &Slot| table.is_dirty(slot) && table.op(slot).is_none();
    let slot = lpa.and_then(|lpa| table.find_dirty(lpa)).filter(waits);
    // What a flush waits for goes whatever collects.
    if around.writes_past_collection() && slot.is_some() && around.cache().state.promises.is_empty() {
        return slot.and_then(|slot| past_collection(around, slot));
    }
    if slot.is_none() {
        around.fail(format!("the cache policy chose {lpa:?}, which is no dirty unit of the cache"));
    }
    slot
}

/// This unit, or if its plane collects the oldest one of those whose planes don't; `None` where all do.
fn past_collection<A: AroundCache>(around: &A, slot: Slot) -> Option<Slot> {
    let (table, points) = (&around.cache().state.table, around.points());
    if !around.collects(around.domain_by_address(table.lpa(slot))?) {
        return Some(slot);
    }
    let domains = (0..around.domains().len() as u32).filter(|&domain| !around.collects(DomainId(domain)));
    let groups = domains.flat_map(|domain| (0..points.host()).map(move |point| points.group(domain, point)));
    let oldest = groups.filter_map(|group| table.oldest_of_group(group).0);
    oldest.min_by_key(|&slot| table.stamp(slot))
}

/// Where the address fixes the domain, or units go to several write points: rather another of the oldest units, if only its
/// domain and write point have a whole page.
pub(super) fn prefer_whole_page<A: AroundCache>(around: &A, slot: Slot) -> Slot {
    let table = &around.cache().state.table;
    let page = around.geometry().units_per_program();
    if page == 1 {
        return slot;
    }
    let whole = |&slot: &Slot| table.oldest_of_group(table.group(slot)).1 >= page;
    if whole(&slot) {
        return slot;
    }
    table
        .dirty()
        .take(SEARCHED)
        .filter(|&slot| !around.writes_past_collection() || past_collection(around, slot) == Some(slot))
        .find(whole)
        .or_else(|| first_whole_page(around, table.lpa(slot)))
        .unwrap_or(slot)
}

/// Of the write points with a whole page, the oldest unit of the one where that became dirty first: many units of slow streams
/// may lie in front of those of others. `None` where the address fixes the domain.
fn first_whole_page<A: AroundCache>(around: &A, lpa: Lpa) -> Option<Slot> {
    if around.points().host() == 1 || around.domain_by_address(lpa).is_some() {
        return None;
    }
    let (table, page) = (&around.cache().state.table, around.geometry().units_per_program());
    let whole = (0..around.points().host()).filter_map(|point| {
        let (oldest, count) = table.oldest_of_group(around.points().group(0, point));
        oldest.filter(|_| count >= page)
    });
    whole.min_by_key(|&slot| table.stamp(slot))
}
