//! Preparing the drive without simulated time: what a run asks for, before its first request.

#[cfg(test)]
mod tests;

use crate::device::Device;
use crate::host::{RequestSource, SourceError};
use crate::stats::settled::Settled;
use wordline_base::draws::Draws;
use wordline_base::ids::Lpa;
use wordline_config::scheme::PlacementOrder;
use wordline_ftl::blocks::steady::Plan;
use wordline_ftl::work::{self, Overwriting};

impl Device {
    /// Logical pages 0 to `units` − 1 hold data, as if written once in order, or, with a plan, as random overwrites without
    /// end leave them. Costs no time and no memory, whatever their number. For a drive that is new.
    pub(crate) fn fill_at_once(&mut self, order: PlacementOrder, units: u32, steady: Option<Plan>) {
        work::fill_at_once(self, order, units, Vec::new(), steady);
    }

    /// The same on a drive with sets of planes, for the first pages of each set, of which so many hold data.
    pub(crate) fn fill_sets_at_once(
        &mut self,
        order: PlacementOrder,
        of_sets: Vec<u32>,
        steady: Option<Plan>,
    ) {
        work::fill_at_once(self, order, 0, of_sets, steady);
    }

    /// These logical pages hold data, written in the order given.
    pub fn fill(&mut self, pages: &[Lpa]) {
        work::fill(self, pages);
    }

    /// Many pages all over the drive are about to be written.
    pub fn expect_dense(&mut self) {
        self.ftl.expect_dense();
    }

    /// Each of `pages` with the same chance, or of the first `occupied` logical pages when `pages` is empty.
    pub fn overwriting<'a>(&self, occupied: u32, pages: &'a [Lpa], seed: u64) -> Overwriting<'a> {
        work::overwriting(&self.ftl, occupied, pages, seed)
    }

    /// What a workload writes of the first `occupied` logical pages.
    pub fn overwriting_as<'a>(
        &self,
        occupied: u32,
        source: &'a mut dyn RequestSource,
        never_trims: bool,
    ) -> Overwriting<'a> {
        work::overwriting_as(&self.ftl, occupied, source, never_trims)
    }

    /// Overwrites `count` pages as they are drawn (fewer when no more come), as long as the question whether to go on, asked now and
    /// then with the overwrites since the last, is answered with yes. After a no the drive is good for nothing; returns `false` then.
    pub fn overwrite(
        &mut self,
        count: u64,
        choice: &mut Overwriting<'_>,
        go_on: &mut dyn FnMut(u64) -> bool,
    ) -> bool {
        work::overwrite(self, count, choice, go_on)
    }

    /// Closes every program unit that is being filled without simulated time.
    pub fn close_untimed_places(&mut self) {
        work::close_untimed_places(self);
    }

    /// Closes what nothing would fill any more, where all writes go through an SLC cache first.
    pub(crate) fn close_behind_slc_cache(&mut self) {
        work::close_behind_slc_cache(self);
    }

    /// Programs the pages of the map, where it is on flash.
    pub(crate) fn store_map(&mut self) {
        work::store_map(self);
    }

    /// Collects until a paced drive has what its pace asks for.
    pub(crate) fn keep_pace_untimed(&mut self) {
        work::keep_pace_untimed(self);
    }

    /// Fills the part of the SLC cache that is always its own; returns the units that it then holds.
    pub(crate) fn use_slc_cache(&mut self, occupied: u32, seed: u64) -> u64 {
        work::use_slc_cache(self, occupied, seed)
    }

    /// Lets the pages of these requests through the cache of the map; returns how many.
    pub(crate) fn use_map_cache(
        &mut self,
        source: &mut dyn RequestSource,
        occupied: u32,
    ) -> Result<u64, SourceError> {
        work::use_map_cache(self, source, occupied)
    }

    /// Puts into the cache of the map what a load of a known law leaves there; `None` for a policy that keeps by another rule.
    pub(crate) fn put_in_map_cache(
        &mut self,
        load: &[Draws],
        occupied: u32,
        moved: f64,
        seed: u64,
    ) -> Option<u64> {
        work::put_in_map_cache(self, load, occupied, moved, seed)
    }

    /// How it came to the state that it is in before its first request.
    pub(crate) fn note_settled(&mut self, settled: Settled) {
        self.observers.settled = settled;
    }
}
