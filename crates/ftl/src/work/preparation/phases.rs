//! A drive begins in the middle of its life: what is open in each domain and what is being collected, as the phases of the
//! steady state have it ([`crate::blocks::steady`]).

use crate::blocks::BlockState;
use crate::blocks::steady::{self, Collection, Parted, Plan, Shape, seed_of};
use crate::work::above::AboveFtl;
use crate::work::collection::victims::{choose_victim, tell_cache_of_victim};
use crate::work::ftl::DomainState;
use crate::work::ftl::Ftl;
use crate::work::preparation::places::{close_untimed_place, move_one_untimed};
use wordline_base::class::Cause;
use wordline_base::ids::{DomainId, Ppa, SuperblockId};

impl Ftl {
    /// A superblock is erased without simulated time.
    pub(crate) fn forget_sequences(&mut self, domain: DomainId, superblock: SuperblockId) {
        let (block, units) = (self.blocks.split(superblock).1, self.geometry.units_per_block());
        let Some(sequences) = &mut self.oob.sequences else { return };
        for &plane in self.domains.planes(domain) {
            sequences.erase(self.geometry.first_unit(plane, block, 0), units);
        }
    }
}

impl Ftl {
    /// What the phases of the domains are drawn from, in a run with this seed. `at_once`: the run begins with them, and not
    /// with overwrites without simulated time, which know nothing of a collection under way. `together` units are written by each
    /// request.
    pub fn steady_plan(&self, collection: Collection, seed: u64, at_once: bool, together: u32) -> Plan {
        let domains = (0..self.domains.len() as u32).map(DomainId);
        let superblocks = domains.map(|domain| self.superblocks_in_use(domain)).min().unwrap_or(0);
        let for_cache = self.reserved_for_cache(DomainId(0));
        // The map's own pages are written behind the layout, out of what is free.
        let of_map = u64::from(self.all_units() - self.logical_units) / self.domain.len().max(1) as u64;
        let paced = self.paced_target(DomainId(0)).filter(|_| at_once).map(|units| (units + of_map) as u32);
        Plan {
            superblocks,
            free: [self.thresholds.trigger, self.thresholds.stop].map(|free| free + for_cache),
            paced,
            // Where domains take turns, or are passed by while they collect, none begins in the middle of a victim.
            phased: self.redundancy.is_none() && self.rotation.is_none() && !self.rules.past_collection,
            rows_at_once: self.geometry.pages_per_program,
            collection,
            seed: seed_of(seed),
            together,
            parted: Parted::default(),
        }
    }

    /// How the requests lie that each wrote `group` units of a domain and were moved, where the drive holds `occupied` units.
    pub fn parted(&self, plan: &Plan, group: u32, occupied: u32) -> Parted {
        let geometry = &self.geometry;
        let (width, rows) = (self.domains.width(), geometry.pages_per_block);
        let units = u64::from(plan.superblocks) * (u64::from(width * rows) << geometry.unit_shift);
        let all = units * self.domains.len() as u64;
        let shape = Shape {
            width,
            rows,
            unit_shift: geometry.unit_shift,
            rows_at_once: plan.rows_at_once,
            group,
            filled: f64::from(occupied) / all.max(1) as f64,
            leaves: self.pace.is_none(),
        };
        steady::parted(shape, plan.collection, plan.seed)
    }
}

/// Gives every domain of a paced drive the free space at which its collection rests, in the middle of a victim: overwrites
/// without simulated time leave what thresholds would.
pub fn keep_pace_untimed<A: AboveFtl>(above: &mut A) {
    for domain in (0..above.ftl().domain.len() as u32).map(DomainId) {
        while !above.has_failed() {
            let Some(pace) = &above.ftl().pace else { return };
            let lacking = pace
                .target(above.ftl().reserved_for_cache(domain))
                .saturating_sub(above.ftl().virtual_free(domain, pace));
            let under_way = above.ftl().domain[domain.index()].collector.collects();
            if lacking == 0 || under_way || !win_untimed(above, domain, lacking) {
                break;
            }
        }
    }
}

/// Collects a superblock, or begins to where that wins as many units as are lacking; `false` if nothing can be won.
fn win_untimed<A: AboveFtl>(above: &mut A, domain: DomainId, lacking: u64) -> bool {
    let room = !above.ftl().domain[domain.index()].free.is_empty();
    let Some(victim) = choose_victim(above, domain).filter(|_| room) else { return false };
    let (valid, capacity) = (above.ftl().blocks.valid(victim), above.ftl().blocks.capacity());
    let rows = above.ftl().blocks.rows(victim);
    let wins = u64::from(capacity.saturating_sub(valid)).max(1);
    let emptied = (lacking * u64::from(rows)).div_ceil(wins).min(u64::from(rows)) as u32;
    above.ftl_mut().blocks.set_state(victim, BlockState::Collecting);
    for row in 0..emptied {
        move_row_untimed(above, domain, victim, row);
    }
    let number = above.ftl().point_of_moves_from(Cause::Gc, victim);
    close_untimed_place(above, domain, number);
    if emptied == rows || above.ftl().blocks.valid(victim) == 0 {
        above.ftl_mut().forget_sequences(domain, victim);
        above.ftl_mut().wear_untimed(victim);
        above.ftl_mut().make_free(domain, victim);
        return true;
    }
    resume(&mut above.ftl_mut().domain[domain.index()], victim, emptied, valid);
    tell_cache_of_victim(above, valid);
    true
}

fn move_row_untimed<A: AboveFtl>(above: &mut A, domain: DomainId, victim: SuperblockId, row: u32) {
    let block = above.ftl().blocks.split(victim).1;
    for index in 0..above.ftl().domains.width() as usize {
        let page = above.ftl().geometry.first_unit(above.ftl().domains.planes(domain)[index], block, row);
        for ppa in (page.0..page.0 + above.ftl().geometry.units_per_page()).map(Ppa) {
            if let Some(lpa) = above.ftl().valid_lpa(ppa) {
                move_one_untimed(above, lpa, ppa, domain);
                above.ftl_mut().blocks.add_valid(victim, -1);
            }
        }
    }
}

/// Opens what the layout has open in a domain, and goes on with its victim.
pub(crate) fn resume_phase<A: AboveFtl>(above: &mut A, domain: DomainId, state: &mut DomainState) {
    let Some(phase) = above.ftl().layout.phase(domain) else { return };
    let (host, moves, victim) = (phase.host, phase.moves, phase.victim);
    let numbers = [(host, 0), (moves, above.ftl().points.of(Cause::Gc))];
    for (open, number) in numbers.into_iter().filter_map(|(open, number)| Some((open?, number))) {
        let superblock = above.ftl().blocks.at(domain, open.block);
        let point = &mut state.points[usize::from(number)];
        let rows = above.ftl_mut().blocks.open(superblock, point.mode);
        point.open(superblock, open.block, rows, above.ftl().geometry.pages_at_once(point.mode));
        point.resume_at(open.rows);
    }
    if let Some(victim) = victim {
        let superblock = above.ftl().blocks.at(domain, victim.block);
        above.ftl_mut().blocks.set_state(superblock, BlockState::Collecting);
        // What it held when it was chosen: its rows are alike.
        let rows = u64::from(victim.first + victim.rows);
        let start = u64::from(above.ftl().blocks.valid(superblock)) * rows / u64::from(victim.rows.max(1));
        resume(state, superblock, victim.first, start as u32);
        tell_cache_of_victim(above, start as u32);
    }
}

/// Collection goes on with a victim at a row; so many units were valid when it was chosen.
fn resume(state: &mut DomainState, victim: SuperblockId, row: u32, valid: u32) {
    let collector = &mut state.collector;
    (collector.active, collector.victim) = (true, victim);
    (collector.row, collector.column) = (row, 0);
    collector.victims.push((victim, Cause::Gc));
    state.pace.begin(victim, valid);
}
