//! Which superblock is collected next, and whether its pages are certain to find space.

use crate::blocks::BlockState;
use crate::events::Event;
use crate::gc::VictimPolicy;
use crate::work::above::AboveFtl;
use crate::work::collection::erase::begin_erase;
use crate::work::collection::rotating::{has_its_turn, verify_turn};
use crate::work::collection::slc_cache::{choose_for_space, note_emptied};
use crate::work::copies::space::spare_copies;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::reclaim::note_urgent;
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, SuperblockId};

impl Ftl {
    /// Nothing is to be emptied now. What waits until other victims are out of the way is asked for again as they end.
    fn rest(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        let waits = self.fold_is_due(domain) || !self.domain[domain.index()].collector.wanted.is_empty();
        let collector = &mut self.domain[domain.index()].collector;
        (collector.active, collector.background) = (waits, false);
        None
    }

    /// The first of the superblocks asked for that is still full. A fully valid one needs a whole free superblock
    /// beside the reserve.
    fn next_wanted(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        loop {
            let state = &mut self.domain[domain.index()];
            let &(superblock, cause) = state.collector.wanted.front()?;
            if self.blocks.state(superblock) != BlockState::Full {
                state.collector.wanted.pop_front();
                continue;
            }
            let alone = !state.collector.collects() && state.collector.reading == 0;
            return (alone && state.free.len() > self.thresholds.reserve).then_some((superblock, cause));
        }
    }

    /// What a plan has set apart to be emptied, where programs wait for space and nothing else wins any: they may be that plan's
    /// own. The plan finds what is collected gone.
    fn take_from_plans(&mut self, domain: DomainId) -> Option<(SuperblockId, Cause)> {
        let state = &mut self.domain[domain.index()];
        let collector = &mut state.collector;
        if state.stalled.is_empty() || collector.collects() || collector.reading > 0 {
            return None;
        }
        let (blocks, most) = (&self.blocks, self.blocks.most_valid());
        let set_apart = collector.planned.iter().map(|planned| planned.0);
        let wins = |&superblock: &SuperblockId| {
            blocks.state(superblock) == BlockState::Collecting
                && (1..=most).contains(&blocks.valid(superblock))
        };
        let victim =
            set_apart.filter(wins).min_by_key(|&superblock| (blocks.valid(superblock), superblock))?;
        collector.planned.retain(|planned| planned.0 != victim);
        collector.background = false;
        Some((victim, Cause::Gc))
    }

    /// Whether the pages of one more victim are certain to find space. The first always does, since less than a whole
    /// superblock of it is valid and the host leaves the reserve (a superblock asked for has one more). Of the free
    /// superblocks the host leaves the reserve only.
    fn has_room_for_victim(&self, domain: DomainId, superblock: SuperblockId, valid: u32) -> bool {
        let state = &self.domain[domain.index()];
        let collector = &state.collector;
        if !collector.collects() && collector.reading == 0 {
            return true;
        }
        if collector.victims.iter().any(|&(_, cause)| self.points.is_separate(cause)) {
            // It may take the reserve for a write point of its own.
            return false;
        }
        if self.isolated.is_some() {
            return self.stream_has_room_for_victim(domain, superblock, valid);
        }
        let points = self.points.of_collection().map(|number| &state.points[usize::from(number)]);
        let pages_left: u32 = points.map(|point| point.pages_left(self.data_planes())).sum();
        let pages_left = pages_left * self.geometry.units_per_page();
        let kept = u64::from(state.free.len().min(self.thresholds.reserve));
        let room = u64::from(pages_left) + kept * u64::from(self.blocks.capacity());
        // Each of them may fill its last one in part.
        let program_unit = self.geometry.units_per_program() * self.points.of_collection().count() as u32;
        u64::from(valid + collector.reading + program_unit) <= room
    }

    /// The same where streams keep apart. Each has the places left in its own open superblock; the reserve is for those of the
    /// victims that were begun first, so another stream's doesn't count on it.
    fn stream_has_room_for_victim(&self, domain: DomainId, superblock: SuperblockId, valid: u32) -> bool {
        let Some(isolated) = &self.isolated else { return true };
        let (state, stream) = (&self.domain[domain.index()], isolated.of(superblock));
        let collector = &state.collector;
        let point = &state.points[usize::from(self.points.of_moves(stream))];
        let left = point.pages_left(self.data_planes()) * self.geometry.units_per_page();
        let alone = collector.victims.iter().all(|&(other, _)| isolated.of(other) == stream);
        let kept = if alone { state.free.len().min(self.thresholds.reserve) } else { 0 };
        let room = u64::from(left) + u64::from(kept) * u64::from(self.blocks.capacity());
        // It may fill its last program unit in part.
        u64::from(valid + collector.reading + self.geometry.units_per_program()) <= room
    }
}

/// Takes the next victim; `false` when none is needed, possible or affordable now.
pub(crate) fn next_victim<A: AboveFtl>(above: &mut A, domain: DomainId) -> bool {
    if above.ftl().rotation.is_some() && !has_its_turn(above, domain) {
        return false;
    }
    let Some((superblock, cause)) = next_to_empty(above, domain) else {
        above.ftl_mut().takes_its_turn(domain);
        return false;
    };
    let valid = above.ftl().blocks.valid(superblock);
    if !above.ftl().has_room_for_victim(domain, superblock, valid) {
        return false;
    }
    above.counted(Counted::Emptied(cause));
    if cause == Cause::Gc {
        above.counted(Counted::Collects { domain, valid });
        tell_cache_of_victim(above, valid);
    }
    note_emptied(above, superblock);
    if above.ftl().domain[domain.index()].collector.background {
        above.counted(Counted::InBackground);
    }
    let collector = &mut above.ftl_mut().domain[domain.index()].collector;
    collector.wanted.retain(|&(other, _)| other != superblock);
    collector.victims.push((superblock, cause));
    if above.ftl().rotation.is_some() {
        above.ftl_mut().takes_its_turn(domain);
        verify_turn(above, domain);
    }
    let collector = &mut above.ftl_mut().domain[domain.index()].collector;
    (collector.victim, collector.cause, collector.row, collector.column) = (superblock, cause, 0, 0);
    above.ftl_mut().note_pace_of(domain, superblock, valid);
    above.charge_decision();
    above.ftl_mut().blocks.set_state(superblock, BlockState::Collecting);
    if cause == Cause::Gc {
        above.ftl_mut().lock_superblock(cause, superblock);
        above.tell(&Event::Collected(superblock));
    }
    if above.flash().urgent() != 0 {
        note_urgent(above);
    }
    if valid == 0 {
        begin_erase(above, superblock);
    }
    true
}

/// What is collected from now on had so many valid units when it was chosen.
pub(crate) fn tell_cache_of_victim<A: AboveFtl>(above: &mut A, valid: u32) {
    above.victim_is_to_move(valid);
}

/// The next superblock to be emptied, and why. Space comes first; what else is to be emptied comes when there is
/// enough, or when none can be won. What can't wait only leaves garbage collection the reserve.
fn next_to_empty<A: AboveFtl>(above: &mut A, domain: DomainId) -> Option<(SuperblockId, Cause)> {
    let by_cache = above.ftl().wanted_by_cache(domain);
    let comes_to_rest = above.ftl().comes_to_rest(domain);
    let state = &above.ftl().domain[domain.index()];
    let free_soon = state.free.len() + state.collector.victims.len() as u32;
    let enough = comes_to_rest
        || match &above.ftl().pace {
            None => free_soon >= above.ftl().thresholds.stop.max(state.demand) + by_cache,
            Some(pace) => above.ftl().paced_enough(domain, free_soon, by_cache, pace),
        };
    let spare = state.free.len() > above.ftl().thresholds.reserve;
    if above.flash().urgent() != 0 && spare && above.ftl().wanted_is_urgent(domain) {
        return above.ftl_mut().next_wanted(domain);
    }
    if enough {
        if let Some(wanted) = above.ftl_mut().next_wanted(domain) {
            above.ftl_mut().domain[domain.index()].collector.background = false;
            return Some(wanted);
        }
        if let Some(fold) = above.ftl().fold_at_leisure(domain) {
            above.ftl_mut().domain[domain.index()].collector.background = false;
            return Some(fold);
        }
        let collector = &mut above.ftl_mut().domain[domain.index()].collector;
        if !collector.wanted.is_empty() {
            return None;
        }
        if !above.ftl().goes_on_in_background(domain, free_soon) {
            return above.ftl_mut().rest(domain);
        }
        if above.ftl().background_waits(domain) {
            return None;
        }
    }
    match choose_for_space(above, domain) {
        Some(victim) => {
            above.ftl_mut().domain[domain.index()].collector.background = enough;
            Some(victim)
        }
        None => {
            if !enough {
                above.ftl_mut().domain[domain.index()].pace.found_nothing();
            }
            spare_copies(above, domain);
            let wanted = above.ftl_mut().next_wanted(domain).or_else(|| above.ftl().fold_at_leisure(domain));
            wanted
                .or_else(|| above.ftl_mut().take_from_plans(domain))
                .or_else(|| above.ftl_mut().rest(domain))
        }
    }
}

/// Asks the policy; `None` when nothing would be won by collecting.
pub(crate) fn choose_victim<A: AboveFtl>(above: &mut A, domain: DomainId) -> Option<SuperblockId> {
    if above.systems_collect() {
        return None;
    }
    let ftl = above.ftl_mut();
    let superblock = ftl.gc.choose(&ftl.blocks.view(domain))?;
    let inside =
        superblock.index() < above.ftl().blocks.len() && above.ftl().blocks.split(superblock).0 == domain;
    if !inside || above.ftl().blocks.state(superblock) != BlockState::Full {
        above.fail(format!(
            "the GC policy chose {superblock:?}, which is not a full superblock of {domain:?}"
        ));
        return None;
    }
    (above.ftl().blocks.valid(superblock) <= above.ftl().blocks.most_valid()).then_some(superblock)
}
