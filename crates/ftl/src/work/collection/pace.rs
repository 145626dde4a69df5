//! Paced collection at work: how much space a domain has as good as won, whether its collection rests at that, and whether
//! a program of the host must wait.

use crate::blocks::BlockState;
use crate::gc::pace::Pace;
use crate::work::above::AboveFtl;
use crate::work::collection::moves::program_gathered_of;
use crate::work::collection::slc_cache::point_with_place;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::reclaim::closing::has_urgent;
use crate::work::writes::places::release_stalled;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, SuperblockId};
use wordline_config::scheme::GcConfig;
use wordline_flash::nand::CellMode;
use wordline_flash::sched::queue::{NONE, OpId};

/// The pace that a scheme asks for: `free` superblocks of `capacity` units, rows of `row` units.
pub(crate) fn of_scheme(config: &GcConfig, free: u32, row: u32, capacity: u32) -> Option<Pace> {
    config.paced_band().map(|band| Pace::new(free, u64::from(band) * u64::from(row), capacity))
}

impl Ftl {
    /// Free units of a domain, those of its open superblocks included, and what its victims have won already.
    pub(crate) fn virtual_free(&self, domain: DomainId, pace: &Pace) -> u64 {
        let Some(state) = self.domain.get(domain.index()) else { return 0 };
        let (planes, cache) = (self.data_planes(), self.points.of_slc_cache());
        let in_page = self.geometry.units_per_page();
        let open = state.points.iter().enumerate().filter(|&(number, _)| Some(number as u8) != cache);
        // Most write points of most domains have nothing open.
        let open = open.filter(|(_, point)| point.has_place() || point.has_room()).map(|(_, point)| {
            let room = if point.open_unit == NONE { 0 } else { point.size - point.filled };
            u64::from(point.pages_left(planes) * in_page + room)
        });
        let collector = &state.collector;
        // Those of the oldest victims that have new places, and are not programmed yet.
        let mut placed = collector.in_flight.saturating_sub(collector.reading);
        let victims = collector.victims.iter().map(|&(superblock, _)| {
            let valid = match self.blocks.state(superblock) {
                BlockState::Collecting => self.blocks.valid(superblock),
                _ => 0,
            };
            let left = valid.saturating_sub(placed);
            placed -= valid - left;
            pace.won(state.pace.start_of(superblock), left)
        });
        let planned = collector.planned.len() as u64 * pace.whole();
        u64::from(state.free.len()) * pace.whole() + open.sum::<u64>() + victims.sum::<u64>() + planned
    }

    /// A victim of a paced domain was chosen.
    pub(crate) fn note_pace_of(&mut self, domain: DomainId, superblock: SuperblockId, valid: u32) {
        if self.pace.is_some() {
            self.domain[domain.index()].pace.begin(superblock, valid);
        }
    }

    /// Whether a paced domain has what the host's writes ask for. Waiting plans, and writes that found no free superblock,
    /// need one that is free; `for_cache` are for the SLC cache. What else is to be emptied comes before the last superpages.
    pub(crate) fn paced_enough(&self, domain: DomainId, free: u32, for_cache: u32, pace: &Pace) -> bool {
        let state = &self.domain[domain.index()];
        let needed = if state.stalled.is_empty() { 0 } else { self.thresholds.reserve + 1 + for_cache };
        let slack = if state.collector.wanted.is_empty() { 0 } else { 2 * pace.band() };
        free >= needed.max(state.demand) && self.virtual_free(domain, pace) + slack >= pace.target(for_cache)
    }

    /// Takes notice of what a domain has won.
    #[inline]
    pub(crate) fn observe_pace(&mut self, domain: DomainId) {
        let Some(pace) = &self.pace else { return };
        let goal = pace.target(self.reserved_for_cache(domain)).saturating_sub(pace.band());
        let (virtual_free, band) = (self.virtual_free(domain, pace), pace.band());
        self.domain[domain.index()].pace.observe(virtual_free, goal, band);
    }

    /// Whether the host's next program at this write point must wait until more is won. One that joins another in its
    /// program, or on its die, takes nothing that others have to wait for.
    #[inline]
    pub(crate) fn pace_holds(&self, domain: DomainId, number: u8) -> bool {
        let Some(pace) = &self.pace else { return false };
        let state = &self.domain[domain.index()];
        let Some(point) = state.points.get(usize::from(number)) else { return false };
        if point.has_room() || self.points.of_slc_cache() == Some(number) {
            return false;
        }
        let planes = self.domains.planes(domain);
        let before = (point.column() as usize).checked_sub(1).and_then(|column| planes.get(column));
        let die = |plane| self.geometry.die_of(plane).0;
        if point.has_place() && before.is_some_and(|&before| die(before) == die(point.next_plane(planes))) {
            return false;
        }
        state.pace.holds(self.virtual_free(domain, pace))
    }

    /// What a domain has won may let writes go on that wait for it.
    #[inline]
    pub(crate) fn pace_changed(&mut self, domain: DomainId) {
        if let Some(pace) = &mut self.pace
            && !self.domain[domain.index()].stalled.is_empty()
        {
            pace.ask_again(domain);
        }
    }
}

impl Ftl {
    /// Free space of a domain at which its paced collection rests, mapping units; `None` where collection isn't paced.
    pub fn paced_target(&self, domain: DomainId) -> Option<u64> {
        self.pace.as_ref().map(|pace| pace.target(self.reserved_for_cache(domain)))
    }
}

/// Whether the emptying of the victim pauses, since the host has had no more than was won.
pub(crate) fn pace_pauses<A: AboveFtl>(above: &A, domain: DomainId) -> bool {
    let Some(pace) = &above.ftl().pace else { return false };
    let state = &above.ftl().domain[domain.index()];
    let collector = &state.collector;
    let for_space = match collector.cause {
        Cause::Gc => true,
        Cause::Migration => above.ftl().blocks.mode(collector.victim) == CellMode::Slc,
        _ => false,
    };
    let free_soon = state.free.len() + collector.victims.len() as u32;
    // One that finds no place may be waiting for this very victim: for its space, or to be let into the SLC cache.
    let stuck = state.stalled.front().is_some_and(|&id| point_with_place(above, domain, id).is_none());
    let others = stuck
        || has_urgent(above, domain)
        || !collector.wanted.is_empty()
        || above.ftl().fold_is_due(domain)
        || above.ftl().goes_on_in_background(domain, free_soon);
    for_space
        && !others
        && above.ftl().paced_enough(domain, state.free.len(), above.ftl().wanted_by_cache(domain), pace)
}

/// A unit of the host waits: for what is to be won, or for a free superblock.
pub(crate) fn count_stalled<A: AboveFtl>(above: &mut A, domain: DomainId, id: OpId) {
    if above.ftl().pace.is_some() && point_with_place(above, domain, id).is_some() {
        above.counted(Counted::Held);
    } else {
        above.counted(Counted::Stalled);
    }
}

/// Lets writes go on that waited for what collection wins, at the end of an event.
pub fn release_paced<A: AboveFtl>(above: &mut A) {
    while let Some(domain) = above.ftl_mut().pace.as_mut().and_then(|pace| pace.due.pop()) {
        above.ftl_mut().observe_pace(domain);
        release_stalled(above, domain);
    }
}

/// Programs what paused collections have gathered, for a drive at rest; returns whether there was any.
pub(crate) fn program_gathered_at_rest<A: AboveFtl>(above: &mut A) -> bool {
    if above.ftl().pace.is_none() {
        return false;
    }
    let is_gathered = |this: &A, number: usize| {
        this.ftl().domain[number].points.iter().any(|point| !point.gathered.is_empty())
    };
    let domains: Vec<usize> =
        (0..above.ftl().domain.len()).filter(|&number| is_gathered(above, number)).collect();
    domains.iter().for_each(|&number| program_gathered_of(above, DomainId(number as u32)));
    !domains.is_empty()
}
