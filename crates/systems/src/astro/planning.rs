//! What is planned: which region of a reclaimed block is ordered, and the steps of an order.

use std::collections::BTreeMap;

use super::due::Due;
use super::ordering::Ordering;
use super::region::Region;
use super::table::UpdateBitmap;
use super::{Astro, Trigger};
use crate::plan::{Pin, Place, Plan, Step};
use crate::view::DriveView;
use wordline_base::ids::{Lpa, Ppa, SuperblockId};
use wordline_config::astro::Gather;
use wordline_ftl::blocks::BlockState;

/// A page of a superblock that is reclaimed or collected.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldPage {
    ppa: Ppa,
    /// Its region; none for a page of the map.
    region: Option<u32>,
}

impl Astro {
    /// Of the regions with pages among these the one to be ordered: of unordered ones that with most valid pages (§III-B); of
    /// ordered ones that with most of its pages here. None that is being ordered.
    pub(super) fn choose(&self, pages: &[HeldPage]) -> Option<u32> {
        let mut here: BTreeMap<u32, u32> = BTreeMap::new();
        for region in pages.iter().filter_map(|page| page.region) {
            *here.entry(region).or_default() += 1;
        }
        let free = |region: u32| !self.region(region).is_moving();
        let unordered = |region: u32| self.table.base_of(region).is_none();
        let rank = |(&region, &count): (&u32, &u32)| {
            let valid = if unordered(region) { self.region(region).valid } else { 0 };
            (unordered(region), valid, count, std::cmp::Reverse(region))
        };
        here.iter().filter(|(region, _)| free(**region)).map(rank).max().map(|rank| rank.3.0)
    }

    /// The steps that order a region, and the bits of what is left out.
    fn order(
        &mut self,
        region: u32,
        base: u32,
        only: Option<SuperblockId>,
        drive: &DriveView<'_>,
    ) -> (Vec<Step>, UpdateBitmap) {
        let mut updates = self.table.no_updates();
        let mut steps = Vec::new();
        let Some(shape) = self.shape else { return (steps, updates) };
        let stretch = self.stretches.get(base / shape.positions());
        let kept = stretch.map(|stretch| stretch.superblocks.as_slice()).unwrap_or_default();
        let (first, pages) = self.table.pages_of(region);
        for offset in 0..pages {
            let lpa = Lpa(first.0 + offset);
            let source = drive.find(lpa);
            if !source.is_some() {
                continue;
            }
            if only.is_some_and(|only| drive.superblock_of(source) != only) {
                self.table.update_in(&mut updates, lpa);
                continue;
            }
            let (destination, unit) = shape.place(base % shape.positions() + offset);
            let pin = match kept.get(destination) {
                Some(&superblock) => Pin::In { superblock, unit },
                None => Pin::Exact(Place { destination, unit }),
            };
            steps.push(Step { pages: vec![source], pin });
        }
        (steps, updates)
    }

    /// Superblocks that hold nothing but the order of a region that is being made anew.
    fn emptied(&self, region: u32, drive: &DriveView<'_>) -> Vec<SuperblockId> {
        let old = self.table.base_of(region).zip(self.shape).filter(|(_, shape)| shape.regions == 1);
        let stretch = old.and_then(|(base, shape)| self.stretches.get(base / shape.positions()));
        let of_region = |&superblock: &SuperblockId| {
            let (domain, _) = drive.split(superblock);
            let blocks = drive.blocks(domain);
            let valid = blocks.valid.get((superblock.0 - blocks.first.0) as usize).copied();
            // Only what is full can be erased, and only where this region's pages alone are in it.
            drive.state(superblock) == BlockState::Full && valid.is_some_and(|valid| valid > 0)
        };
        stretch
            .map(|stretch| stretch.superblocks.iter().copied().filter(of_region).collect())
            .unwrap_or_default()
    }

    /// Begins to order a region, and moves what else is in a reclaimed superblock.
    fn plan(
        &mut self,
        region: Option<u32>,
        trigger: Trigger,
        worn: Option<SuperblockId>,
        residual: &[HeldPage],
        drive: &DriveView<'_>,
    ) -> Option<Plan> {
        let place = region.and_then(|region| Some((region, self.find_place(drive)?)));
        self.counters.without_space += u64::from(region.is_some() && place.is_none());
        let (mut steps, mut destinations, mut erase) = (Vec::new(), Vec::new(), Vec::from_iter(worn));
        if let Some((region, (stretch, base))) = place {
            let only = worn.filter(|_| self.config.gather == Gather::Block);
            let (ordered, updates) = self.order(region, base, only, drive);
            steps = ordered;
            let state = self.stretches.get(stretch);
            if let Some(fresh) = state.filter(|stretch| !stretch.open) {
                destinations.clone_from(&fresh.domains);
            }
            let emptied = self.emptied(region, drive);
            erase.extend(emptied.into_iter().filter(|&superblock| Some(superblock) != worn));
            let mut ordering =
                Ordering::new(region, trigger, (stretch, base), updates, self.config.region_pages);
            ordering.started = destinations.is_empty();
            self.counters.moves(trigger, steps.len());
            self.orderings.insert(self.plans, ordering);
            if let Some(state) = self.region_mut(region) {
                state.ordering = true;
            }
        } else if worn.is_none() {
            return None;
        }
        // Without an order the pages of the region are residual, too.
        let ordered = place.map(|place| place.0);
        let stays = |page: &&HeldPage| ordered.is_none() || page.region != ordered;
        let left: Vec<Ppa> = residual.iter().filter(stays).map(|page| page.ppa).collect();
        let regions = residual.iter().filter(stays).filter_map(|page| page.region).collect();
        self.scatter(self.plans, regions);
        self.counters.residual += left.len() as u64;
        steps.push(Step { pages: left, pin: Pin::Any });
        self.plans += 1;
        Some(Plan { cause: trigger.cause(), destinations, steps, erase })
    }

    pub(super) fn next_plan(&mut self, due: Due, drive: &DriveView<'_>) -> Option<Plan> {
        match due {
            Due::Region(region, trigger) => {
                self.region_mut(region)?.due = false;
                if self.region(region).is_moving() {
                    self.region_mut(region)?.due = true;
                    self.agenda.hold_up(due);
                    return None;
                }
                self.plan(Some(region), trigger, None, &[], drive)
            }
            Due::Block(superblock) => self.next_reclaim(superblock, drive),
        }
    }

    fn next_reclaim(&mut self, superblock: SuperblockId, drive: &DriveView<'_>) -> Option<Plan> {
        if drive.state(superblock) != BlockState::Full {
            return None;
        }
        let (domain, _) = drive.split(superblock);
        let blocks = drive.blocks(domain);
        let erases = blocks.erases.get((superblock.0 - blocks.first.0) as usize).copied().unwrap_or(0);
        let regions = &self.regions;
        if self.agenda.still_waits(superblock, erases, |region| {
            regions.get(region as usize).is_some_and(Region::is_moving)
        }) {
            self.agenda.hold_up(Due::Block(superblock));
            return None;
        }
        self.count_pages(drive);
        let all = self.pages_in(superblock, drive);
        // What is on its way into an order leaves with that.
        let stays = |page: &&HeldPage| page.region.is_none_or(|region| !self.region(region).ordering);
        let held: Vec<HeldPage> = all.iter().filter(stays).copied().collect();
        let region = self.choose(&held);
        let of_host = held.iter().any(|page| page.region.is_some());
        if held.is_empty() || (region.is_none() && of_host) {
            // Without pages of the host, those of the map could go.
            match all.iter().map(|page| page.region).collect() {
                Some(regions) => self.agenda.hold_up_for(superblock, erases, regions),
                None => self.agenda.hold_up(Due::Block(superblock)),
            }
            return None;
        }
        self.plan(region, Trigger::Reclaim, Some(superblock), &held, drive)
    }

    /// The valid pages of a superblock.
    pub(super) fn pages_in(&self, superblock: SuperblockId, drive: &DriveView<'_>) -> Vec<HeldPage> {
        let capacity = drive.blocks(drive.split(superblock).0).capacity;
        let units = (0..capacity).map(|unit| drive.unit_at(superblock, unit));
        units.filter_map(|ppa| self.held_page(ppa, drive)).collect()
    }

    fn held_page(&self, ppa: Ppa, drive: &DriveView<'_>) -> Option<HeldPage> {
        let lpa = drive.valid_lpa(ppa)?;
        // Pages of the map have logical numbers behind those of the host.
        let region = (lpa.0 < drive.logical_units()).then(|| self.table.region_of(lpa));
        Some(HeldPage { ppa, region })
    }
}
