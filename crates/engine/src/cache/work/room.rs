//! Room for one more unit: a clean one gives way.

use super::AroundCache;
use crate::cache::Cache;
use crate::cache::table::Slot;
use wordline_base::ids::Lpa;

impl Cache {
    /// Whether a slot is free, if need be after a clean unit was given up. Fails with what the policy gave up if that is none.
    fn make_room(&mut self) -> Result<bool, Lpa> {
        if !self.state.table.is_full() {
            return Ok(true);
        }
        let Some(lpa) = self.evict() else { return Ok(false) };
        let table = &mut self.state.table;
        let clean = |&slot: &Slot| !table.is_dirty(slot) && table.op(slot).is_none();
        let slot = table.find(lpa).filter(clean).ok_or(lpa)?;
        table.remove(slot);
        self.state.record.counts.evictions += 1;
        Ok(true)
    }
}

/// Whether a slot is free, if need be after a clean unit was given up.
pub(super) fn make_room<A: AroundCache>(around: &mut A) -> bool {
    around.cache_mut().make_room().unwrap_or_else(|lpa| {
        around.fail(format!("the cache policy gave up {lpa:?}, which is no clean unit of the cache"));
        false
    })
}
