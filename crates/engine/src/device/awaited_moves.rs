//! Pages on their way out of a superblock that is being emptied, where the host waits for their moves
//! ([`crate::config::reclaim::HostAccess::Wait`]).

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Device;
use crate::config::reclaim::HostAccess;
use crate::config::scheme::SchemeConfig;
use crate::ids::{Ppa, SuperblockId};
use crate::memory::PageHasher;
use crate::sched::class::{Cause, Class};
use crate::sched::queue::{OWN, Op, OpId};
use crate::stats::blame::Part;

/// Pages that are to be moved, by where they are, and who waits for each. Nothing that it gives depends on the order of its table.
#[derive(Clone, Debug, Default)]
pub(super) struct AwaitedMoves {
    of_collection: bool,
    of_reclaim: bool,
    pages: HashMap<Ppa, Vec<OpId>, BuildHasherDefault<PageHasher>>,
}

impl AwaitedMoves {
    pub(super) fn new(scheme: &SchemeConfig) -> Self {
        let waits = |access: HostAccess| access == HostAccess::Wait;
        Self {
            of_collection: waits(scheme.gc.host_access),
            of_reclaim: waits(scheme.reclaim.host_access),
            pages: HashMap::default(),
        }
    }

    /// Whether the host ever waits for a move.
    #[inline(always)]
    pub(super) fn is_used(&self) -> bool {
        self.of_collection || self.of_reclaim
    }

    /// Whether the host waits for moves of this cause.
    pub(super) fn is_for(&self, cause: Cause) -> bool {
        match cause {
            Cause::Gc => self.of_collection,
            Cause::ReadReclaim => self.of_reclaim,
            _ => false,
        }
    }

    /// The page here is to be moved.
    fn lock(&mut self, source: Ppa) {
        self.pages.entry(source).or_default();
    }

    /// The page here isn't to be moved any more: who waited for that.
    fn unlock(&mut self, source: Ppa) -> Vec<OpId> {
        self.pages.remove(&source).unwrap_or_default()
    }

    /// Lets an operation wait if the page here is to be moved; whether it does.
    fn waits(&mut self, source: Ppa, id: OpId) -> bool {
        self.pages.get_mut(&source).is_some_and(|waiting| {
            waiting.push(id);
            true
        })
    }
}

impl Device {
    /// Whether an operation of the host waits, since its page is to be moved.
    #[inline(always)]
    pub(super) fn waits_for_move(&mut self, id: OpId) -> bool {
        !self.plans.awaited.pages.is_empty() && self.begins_to_wait_for_move(id)
    }

    #[inline(never)]
    fn begins_to_wait_for_move(&mut self, id: OpId) -> bool {
        let source = self.lookup(self.pool[id].lpa);
        let waits = source.is_some() && self.plans.awaited.waits(source, id);
        if waits {
            self.pool[id].wait_from = self.now;
        }
        waits
    }

    /// The pages at these places are to be moved, as far as they hold what the host may ask for.
    pub(super) fn lock_pages(&mut self, cause: Cause, sources: impl IntoIterator<Item = Ppa>) {
        if !self.plans.awaited.is_for(cause) {
            return;
        }
        for source in sources {
            let of_host = |lpa: crate::ids::Lpa| lpa.0 < self.logical_units && self.is_at(lpa, source);
            if source.is_some() && self.valid_lpa(source).is_some_and(of_host) {
                self.plans.awaited.lock(source);
            }
        }
    }

    /// The same of all pages of a superblock.
    pub(super) fn lock_superblock(&mut self, cause: Cause, superblock: SuperblockId) {
        if self.plans.awaited.is_for(cause) {
            let units: Vec<Ppa> = self.places_of(superblock).collect();
            self.lock_pages(cause, units);
        }
    }

    /// What of a superblock wasn't moved stays where it is.
    pub(super) fn unlock_superblock(&mut self, superblock: SuperblockId) {
        if !self.plans.awaited.pages.is_empty() {
            let units: Vec<Ppa> = self.places_of(superblock).collect();
            units.into_iter().for_each(|unit| self.unlock_page(unit));
        }
    }

    fn places_of(&self, superblock: SuperblockId) -> impl Iterator<Item = Ppa> {
        (0..self.blocks.capacity()).map(move |unit| self.unit_at(superblock, unit))
    }

    /// A page isn't to be moved from here any more: who waited goes on to where it is now, if it is anywhere.
    pub(super) fn unlock_page(&mut self, source: Ppa) {
        if self.plans.awaited.pages.is_empty() {
            return;
        }
        for id in self.plans.awaited.unlock(source) {
            self.end_wait_for_move(id);
            self.go_on(id);
        }
    }

    /// A page was moved: reads that waited for that are answered with the data that the controller has of it, and writes follow.
    pub(super) fn answer_awaiting(&mut self, source: Ppa, to: Ppa) {
        if self.plans.awaited.pages.is_empty() {
            return;
        }
        for id in self.plans.awaited.unlock(source) {
            self.end_wait_for_move(id);
            let Op { class, partial, lpa, .. } = self.pool[id];
            if class != Class::HostRead || partial || !self.is_at(lpa, to) {
                self.go_on(id);
            } else if self.cache.is_none() || !self.serve_late(id) {
                self.pool[id].ppa = to;
                self.verify_read(id);
                self.unit_done(id, None);
            }
        }
    }

    fn end_wait_for_move(&mut self, id: OpId) {
        let Op { request, wait_from, .. } = self.pool[id];
        if request < OWN {
            let waited = self.now.since(wait_from).0;
            self.pool.parts_mut(id).add(Part::Moving, waited);
        }
    }
}

/// Saved in the order of the places, so that equal drives have equal bytes.
impl Serialize for AwaitedMoves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let pages: BTreeMap<&Ppa, &Vec<OpId>> = self.pages.iter().collect();
        (self.of_collection, self.of_reclaim, pages).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AwaitedMoves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (of_collection, of_reclaim, pages) =
            <(bool, bool, BTreeMap<Ppa, Vec<OpId>>)>::deserialize(deserializer)?;
        Ok(Self { of_collection, of_reclaim, pages: pages.into_iter().collect() })
    }
}
