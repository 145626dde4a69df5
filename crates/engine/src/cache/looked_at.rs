//! What the drive sees of the cache, and tells it, beside the work.

use super::state::Cache;
use super::table::Slot;
use super::{CachePolicy, CacheSlot};
use wordline_base::ids::Lpa;
use wordline_base::time::Ns;
use wordline_observe::data_cache::{CacheRecord, CacheReport};

impl Cache {
    /// Whether there is one.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        !matches!(self.policy, CacheSlot::Off)
    }

    /// Replaces the policy by a user's own; `false` where there is no cache.
    pub fn set_policy(&mut self, policy: Box<dyn CachePolicy + Send>) -> bool {
        let is_on = self.is_on();
        if is_on {
            self.policy = CacheSlot::Custom(policy);
        }
        is_on
    }

    /// Units of writes that wait for room.
    pub fn waiting_writes(&self) -> u32 {
        self.state.waiting.len() as u32
    }

    /// Whether a write of a unit that flash doesn't have yet takes a place of its own.
    pub fn appends(&self) -> bool {
        self.state.appends
    }

    /// Whether it holds any of a unit.
    pub fn holds(&self, lpa: Lpa) -> bool {
        self.state.table.find(lpa).is_some()
    }

    /// Checked mode: the version of a unit that flash has, where the cache has the unit.
    #[inline]
    pub fn version_in_flash(&self, lpa: Lpa) -> Option<u32> {
        let table = &self.state.table;
        table.find(lpa).map(|slot| table.in_flash(slot))
    }

    /// Collection has chosen a victim with so many valid units of all.
    pub fn victim_is_to_move(&mut self, valid: u32, units: u32) {
        self.state.is_to_move(valid, units);
    }

    /// The measured window opens.
    pub fn open_window(&mut self, now: Ns) {
        self.state.record = CacheRecord::begin(now, self.state.table.dirty_units());
    }

    /// What it did in the window, which ends at `end`; `None` where there is none.
    pub fn report(&self, end: Ns) -> Option<CacheReport> {
        self.is_on().then(|| self.state.record.report(end, self.state.table.capacity()))
    }

    /// Of a drive at rest: nothing is under way in the cache.
    ///
    /// # Errors
    /// Something is.
    pub fn audit_rest(&self) -> Result<(), String> {
        if self.state.is_at_rest() {
            return Ok(());
        }
        let promises = &self.state.promises;
        Err(format!("the data cache is at work although the drive is at rest: {promises:?}"))
    }

    /// Brings what the search for a unit begins with towards the processor's caches, if there is a cache.
    #[inline(always)]
    pub fn prefetch(&self, lpa: Lpa) {
        if self.is_on() {
            self.state.table.prefetch(lpa);
        }
    }

    /// Second stage, once [`Self::prefetch`] had time: what is known of the unit, if it is there.
    #[inline]
    pub fn prefetch_unit(&self, lpa: Lpa) {
        self.state.table.prefetch_unit(lpa);
    }

    /// Brings what is known of the unit of a slot towards the processor's caches.
    #[inline]
    pub fn prefetch_slot(&self, slot: Slot) {
        self.state.table.prefetch_slot(slot);
    }
}
