//! Read reclaim at work: worn blocks are noted as they are read, and dealt with when the event is over.

pub(crate) mod closing;

use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::plans::asked::ask_for_own_plan;
use crate::work::reclaim::closing::{close_early, hurry_filling, reclaim_behind_evacuation};
use serde::{Deserialize, Serialize};

use crate::blocks::BlockState;
use crate::events::Event;
use crate::events::WornBlock;
use crate::plan::{Pin, Plan, Step};
use crate::reclaim::ReclaimRecord;
use crate::reclaim::mover::{self, Order};
use crate::reclaim::{Decision, Routine, reads_by_block};
use crate::view::DriveView;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_config::reclaim::{Holes, ReclaimConfig};
use wordline_flash::nand::Geometry;
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// What is known of a block beside its reads.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Record {
    /// When it reached the threshold; [`Ns::NEVER`] before.
    worn: Ns,
    /// Whether it reached the hard limit.
    over_limit: bool,
    /// Whether its reclaim is under way or asked for.
    asked: bool,
    evacuation: Evacuation,
}

/// Whether the pages of a block of a superblock were moved away since its erase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Evacuation {
    None,
    UnderWay,
    Ended,
}

const FRESH: Record =
    Record { worn: Ns::NEVER, over_limit: false, asked: false, evacuation: Evacuation::None };

/// What a decision takes care of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reclaims {
    /// Nothing now.
    Nothing,
    /// The worn block.
    Block,
    /// Its superblock: other blocks of it that become worn meanwhile need nothing of their own.
    Superblock,
}

impl Reclaims {
    /// What a plan takes care of.
    fn by(plan: &Plan, worn: &WornBlock) -> Self {
        if plan.erase.contains(&worn.superblock) { Self::Superblock } else { Self::Block }
    }
}

/// State of read reclaim.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reclaim {
    threshold: u32,
    hard_limit: u32,
    holes: Holes,
    /// Whether reads of the map's pages lead to a reclaim.
    map_blocks: bool,
    /// Whether the policy counts reads of logical pages.
    counts_pages: bool,
    /// By superblock: how often its data has been reclaimed from superblock to superblock.
    rounds: Vec<u32>,
    /// By physical block.
    records: Vec<Record>,
    /// Blocks that were read too often in this event, by the unit that was read.
    due: Vec<Ppa>,
    /// Superblocks that can't wait, and whose commands therefore go before all others.
    urgent: Vec<(SuperblockId, Cause)>,
}

impl Reclaim {
    /// `None` where nothing is reclaimed.
    pub(crate) fn new(
        config: &ReclaimConfig,
        geometry: &Geometry,
        superblocks: usize,
        counts_pages: bool,
    ) -> Option<Box<Self>> {
        let blocks = geometry.planes() as usize * geometry.blocks_per_plane as usize;
        config.is_on().then(|| {
            Box::new(Self {
                threshold: config.threshold,
                hard_limit: config.hard_limit(),
                holes: config.holes,
                map_blocks: config.map_blocks,
                counts_pages,
                rounds: vec![0; superblocks],
                records: vec![FRESH; blocks],
                due: Vec::new(),
                urgent: Vec::new(),
            })
        })
    }

    fn set_round(&mut self, superblock: SuperblockId, round: u32) {
        if let Some(known) = self.rounds.get_mut(superblock.index()) {
            *known = round;
        }
    }
}

/// One bit for each class of a cause that moves pages.
fn classes_of(cause: Cause) -> u32 {
    [Class::read_for(cause), Class::program_for(cause), Class::erase_for(cause)]
        .into_iter()
        .fold(0, |mask, class| mask | 1 << class.index())
}

impl Ftl {
    fn set_asked(&mut self, block: usize, asked: bool) {
        if let Some(record) = self.reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(block)) {
            record.asked = asked;
        }
    }

    /// Whether the next superblock that a domain is asked to empty can't wait.
    pub(crate) fn wanted_is_urgent(&self, domain: DomainId) -> bool {
        let first = self.domain[domain.index()].collector.wanted.front();
        let Some((reclaim, &(superblock, _))) = self.reclaim.as_ref().zip(first) else { return false };
        reclaim.urgent.iter().any(|&(other, _)| other == superblock)
    }
}

impl Ftl {
    /// Places of a superblock's blocks in the table of blocks.
    fn block_numbers(&self, superblock: SuperblockId) -> Vec<usize> {
        let (domain, block) = self.blocks.split(superblock);
        let planes = self.domains.planes(domain).iter();
        let per_block = self.geometry.units_per_block();
        planes.map(|&plane| (self.geometry.first_unit(plane, block, 0).0 / per_block) as usize).collect()
    }

    fn set_all_asked(&mut self, superblock: SuperblockId, asked: bool) {
        for number in self.block_numbers(superblock) {
            self.set_asked(number, asked);
        }
    }
}

/// The array took a flash page for these units: tells a policy that counts them of those that the host reads.
#[inline]
pub fn count_page_reads<A: AboveFtl>(above: &mut A, head: OpId) {
    if !above.ftl().reclaim.as_ref().is_some_and(|reclaim| reclaim.counts_pages) {
        return;
    }
    let mut unit = head;
    while unit != NONE {
        let lpa = above.ftl().purposes[unit].lpa;
        let Op { class, next_unit, .. } = above.flash().pool[unit];
        if class == Class::HostRead {
            above.tell_reclaim_policy(lpa);
        }
        unit = next_unit;
    }
}

/// The block of this unit was read, and is beyond the threshold.
pub fn block_worn<A: AboveFtl>(above: &mut A, lpa: Lpa, ppa: Ppa, reads: u32) {
    // Parity and what was given up are of no logical page.
    let of_map = (above.ftl().logical_units..above.ftl().all_units()).contains(&lpa.0);
    let (ftl, flash) = above.ftl_and_flash();
    let Some(reclaim) = ftl.reclaim.as_mut().filter(|reclaim| reclaim.map_blocks || !of_map) else {
        return;
    };
    let Some(record) = reclaim.records.get_mut((ppa.0 / ftl.geometry.units_per_block()) as usize) else {
        return;
    };
    let is_new = record.worn == Ns::NEVER;
    if is_new {
        record.worn = flash.now();
    }
    let passes_limit = reads >= reclaim.hard_limit && !record.over_limit;
    if passes_limit {
        record.over_limit = true;
    }
    if passes_limit || !record.asked {
        reclaim.due.push(ppa);
    }
    if is_new {
        above.counted(Counted::Worn);
    }
    if passes_limit {
        above.counted(Counted::OverLimit);
    }
}

/// Does something about the blocks that were read too often in this event.
#[inline(always)]
pub fn reclaim_worn_blocks<A: AboveFtl>(above: &mut A) {
    if above.ftl().reclaim.as_ref().is_some_and(|reclaim| !reclaim.due.is_empty()) {
        reclaim_due_blocks(above);
    }
}

#[inline(never)]
fn reclaim_due_blocks<A: AboveFtl>(above: &mut A) {
    let Some(reclaim) = &mut above.ftl_mut().reclaim else { return };
    let mut due = std::mem::take(&mut reclaim.due);
    for &ppa in &due {
        reclaim_worn_block(above, ppa);
    }
    due.clear();
    if let Some(reclaim) = &mut above.ftl_mut().reclaim {
        // What became due meanwhile waits for the next event.
        due.append(&mut reclaim.due);
        reclaim.due = due;
    }
}

fn reclaim_worn_block<A: AboveFtl>(above: &mut A, ppa: Ppa) {
    let reads =
        above.flash().disturb().map(|disturb| disturb.counts()).map_or(0, |counts| counts.block_of(ppa));
    let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
    let number = (ppa.0 / above.ftl().geometry.units_per_block()) as usize;
    let Some(reclaim) = above.ftl().reclaim.as_ref().filter(|reclaim| reads >= reclaim.threshold) else {
        return;
    };
    let Record { over_limit, asked, .. } = reclaim.records[number];
    if over_limit && above.ftl().blocks.state(superblock) == BlockState::Open {
        close_early(above, superblock);
    }
    if let Some(system) = above.ftl().plans.system_superblocks.system_of(superblock) {
        above.tell_one(system, &Event::WornWhileOpen(superblock));
    }
    match above.ftl().blocks.state(superblock) {
        BlockState::Free | BlockState::Retired => return,
        BlockState::Open | BlockState::Closing => {
            if over_limit {
                hurry_filling(above, superblock);
            }
            return;
        }
        BlockState::Collecting | BlockState::Erasing => above.ftl_mut().set_all_asked(superblock, true),
        BlockState::Full if asked => {
            if over_limit {
                reclaim_behind_evacuation(above, superblock, number);
            }
        }
        // A move reads pages of the map, and may wear their blocks in turn: that would never end.
        BlockState::Full if above.ftl().winds_down() => return,
        BlockState::Full => {
            let (plane, block) = above.ftl().geometry.block_of(ppa);
            match decide(above, &WornBlock { superblock, plane, block, ppa, reads }) {
                Reclaims::Nothing => return,
                Reclaims::Block => above.ftl_mut().set_asked(number, true),
                Reclaims::Superblock => above.ftl_mut().set_all_asked(superblock, true),
            }
            above.counted(Counted::Reclaims { over_limit });
        }
    }
    if over_limit {
        hurry(above, superblock);
    }
}

/// Asks the systems, then the policy.
fn decide<A: AboveFtl>(above: &mut A, worn: &WornBlock) -> Reclaims {
    if let Some((system, plan)) = above.ask_systems_to_reclaim(worn) {
        let reclaims = Reclaims::by(&plan, worn);
        // Behind what systems asked for before, since they count their plans.
        above.wants_plan(system, plan);
        return reclaims;
    }
    match above.ask_reclaim_policy(worn) {
        Decision::Leave => return Reclaims::Nothing,
        Decision::Superblock => refill(above, worn.superblock, Routine::InPlace, &Order::InPlace),
        Decision::Block if above.ftl().domains.width() == 1 => {
            refill(above, worn.superblock, Routine::InPlace, &Order::InPlace);
        }
        Decision::Rearranged(routine, order) => refill(above, worn.superblock, routine, &order),
        Decision::Block => {
            evacuate(above, worn);
            return Reclaims::Block;
        }
        Decision::Plan(plan) => {
            let reclaims = Reclaims::by(&plan, worn);
            ask_for_own_plan(above, plan);
            return reclaims;
        }
    }
    Reclaims::Superblock
}

/// Moves the valid pages of a superblock into a fresh one.
fn refill<A: AboveFtl>(above: &mut A, superblock: SuperblockId, routine: Routine, order: &Order) {
    let Some(reclaim) = &above.ftl().reclaim else { return };
    let (holes, round) = (reclaim.holes, reclaim.rounds.get(superblock.index()).copied().unwrap_or(0));
    let view: &DriveView<'_> = above;
    let mover::Move { plan, pages } = mover::plan(view, superblock, order, holes);
    let reads = reads_by_block(view, superblock);
    let capacity = above.ftl().blocks.units_in(above.ftl().blocks.mode(superblock), &above.ftl().geometry)
        * above.ftl().data_planes();
    let record = ReclaimRecord {
        time_ns: above.flash().now().0,
        superblock: superblock.0,
        round,
        reads,
        routine,
        moved: pages,
        holes: capacity.saturating_sub(pages),
    };
    above.counted(Counted::SuperblockReclaimed(record));
    ask_for_own_plan(above, plan);
}

/// Moves the valid pages of one block of a superblock away.
fn evacuate<A: AboveFtl>(above: &mut A, worn: &WornBlock) {
    let first = above.ftl().geometry.first_unit(worn.plane, worn.block, 0).0;
    let pages: Vec<Ppa> = (first..first + above.ftl().geometry.units_per_block())
        .map(Ppa)
        .filter(|&ppa| above.ftl().valid_lpa(ppa).is_some())
        .collect();
    above.counted(Counted::Evacuated);
    let number = (first / above.ftl().geometry.units_per_block()) as usize;
    if let Some(record) = above.ftl_mut().reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(number))
    {
        record.evacuation = if pages.is_empty() { Evacuation::Ended } else { Evacuation::UnderWay };
    }
    let steps = vec![Step { pages, pin: Pin::Any }];
    let (cause, destinations, erase) = (Cause::ReadReclaim, vec![], vec![]);
    ask_for_own_plan(above, Plan { cause, destinations, steps, erase });
}

/// This superblock can't wait any longer: the commands that empty it go before all others.
pub(crate) fn hurry<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    let domain = above.ftl().blocks.split(superblock).0;
    let ftl = above.ftl_mut();
    let collector = &mut ftl.domain[domain.index()].collector;
    let emptied = matches!(ftl.blocks.state(superblock), BlockState::Collecting | BlockState::Erasing);
    let cause = if emptied { collector.cause_of(superblock) } else { Cause::ReadReclaim };
    if let Some(place) = collector.wanted.iter().position(|&(other, _)| other == superblock)
        && let Some(wanted) = collector.wanted.remove(place)
    {
        collector.wanted.push_front(wanted);
    }
    let Some(reclaim) = &mut above.ftl_mut().reclaim else { return };
    if !reclaim.urgent.iter().any(|&(other, _)| other == superblock) {
        reclaim.urgent.push((superblock, cause));
    }
    note_urgent(above);
    check_collection(above, domain);
}

/// The classes of what can't wait. A superblock that waits for its turn needs garbage collection as well.
pub(crate) fn note_urgent<A: AboveFtl>(above: &mut A) {
    let Some(reclaim) = &above.ftl().reclaim else { return };
    let urgent = reclaim.urgent.iter().fold(0, |mask, &(superblock, cause)| {
        let waits = above.ftl().blocks.state(superblock) == BlockState::Full;
        let filling = above.ftl().filling_classes(superblock);
        mask | filling | classes_of(cause) | if waits { classes_of(Cause::Gc) } else { 0 }
    });
    above.flash_mut().set_urgent(urgent);
}

/// A domain has hardly any space left: what read reclaim empties there must get on, however low its priority.
pub(crate) fn hurry_reclaim_of<A: AboveFtl>(above: &mut A, domain: DomainId) {
    let collector = &above.ftl().domain[domain.index()].collector;
    let mut emptied = collector.victims.iter().chain(&collector.planned);
    let Some(&(superblock, _)) = emptied.find(|victim| victim.1 == Cause::ReadReclaim) else { return };
    if !above.ftl().reclaim.as_ref().is_some_and(|r| r.urgent.iter().any(|&(other, _)| other == superblock)) {
        hurry(above, superblock);
    }
}

/// A block is erased.
#[inline]
pub(crate) fn reclaim_block_erased<A: AboveFtl>(above: &mut A, ppa: Ppa) {
    let ftl = above.ftl_mut();
    if let Some(reclaim) = &mut ftl.reclaim {
        let number = (ppa.0 / ftl.geometry.units_per_block()) as usize;
        let superblock = ftl.blocks.of(&ftl.geometry, ppa);
        reclaim.set_round(superblock, 0);
        let record = std::mem::replace(&mut reclaim.records[number], FRESH);
        if record.worn != Ns::NEVER {
            above.counted(Counted::WornErased(record.worn));
        }
    }
}

/// Nothing hurries any more in this superblock: it is erased, or its plan has ended.
pub(crate) fn reclaim_ended<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    let Some(reclaim) = above.ftl_mut().reclaim.as_mut().filter(|reclaim| !reclaim.urgent.is_empty()) else {
        return;
    };
    reclaim.urgent.retain(|&(other, _)| other != superblock);
    note_urgent(above);
}

/// A plan has ended, whose pages are in these superblocks now. What it was to erase and has not may be asked for again.
pub(crate) fn reclaim_plan_ended<A: AboveFtl>(above: &mut A, plan: &Plan, filled: &[SuperblockId]) {
    let Some(reclaim) = above.ftl_mut().reclaim.as_mut().filter(|_| plan.cause == Cause::ReadReclaim) else {
        return;
    };
    if let ([source], [destination]) = (&plan.erase[..], filled) {
        let round = reclaim.rounds.get(source.index()).map_or(0, |round| round.saturating_add(1));
        reclaim.set_round(*destination, round);
    }
    for &page in plan.steps.iter().filter_map(|step| step.pages.first()) {
        let superblock = above.ftl().blocks.of(&above.ftl().geometry, page);
        // What is being erased ends with that.
        if !plan.erase.contains(&superblock) {
            reclaim_ended(above, superblock);
            above.ftl_mut().evacuation_ended(superblock, page);
        }
    }
    for &superblock in &plan.erase {
        if above.ftl().blocks.state(superblock) == BlockState::Full {
            reclaim_given_up(above, superblock);
        }
    }
}

/// A superblock that was being emptied stays as it is after all: its worn blocks may be asked for again.
pub(crate) fn reclaim_given_up<A: AboveFtl>(above: &mut A, superblock: SuperblockId) {
    if above.ftl().reclaim.is_none() {
        return;
    }
    reclaim_ended(above, superblock);
    above.ftl_mut().set_all_asked(superblock, false);
    for number in above.ftl().block_numbers(superblock) {
        if let Some(record) =
            above.ftl_mut().reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(number))
        {
            // Its limit counts anew, or it would not be hurried a second time.
            record.over_limit = false;
        }
    }
}

impl Ftl {
    /// Whether blocks are reclaimed at all.
    pub fn reclaims(&self) -> bool {
        self.reclaim.is_some()
    }

    /// Whether the policy of read reclaim counts reads of logical pages from now on.
    pub fn count_pages_for_reclaim(&mut self, counts: bool) {
        if let Some(reclaim) = &mut self.reclaim {
            reclaim.counts_pages = counts;
        }
    }
}
