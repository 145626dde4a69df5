//! Read reclaim at work: worn blocks are noted as they are read, and dealt with when the event is over.

mod closing;

use super::ftl::Ftl;
use serde::{Deserialize, Serialize};

use super::{Device, READ_COUNTERS};
use crate::blocks::BlockState;
use crate::cpu::Cost;
use crate::nand::Geometry;
use crate::reclaim::mover::{self, Order};
use crate::reclaim::{Decision, ReadReclaim, Routine, reads_by_block};
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::reclaim::{ReadReclaimReport, ReclaimRecord};
use crate::systems::DriveView;
use crate::systems::{Action, Event, Pin, Plan, Step, Watches};
use crate::systems::{ReclaimPolicy, WornBlock};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_config::reclaim::{Holes, ReclaimConfig};

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
pub(super) struct Reclaim {
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
    pub(super) fn new(
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
    pub(super) fn wanted_is_urgent(&self, domain: DomainId) -> bool {
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

impl Device {
    /// Replaces the choice of what is reclaimed by a user's own. It is asked only where the scheme reclaims at all.
    pub fn set_reclaim(&mut self, policy: Box<dyn ReadReclaim + Send>) {
        if let Some(reclaim) = &mut self.ftl.reclaim {
            reclaim.counts_pages = policy.counts_pages();
        }
        if policy.bytes() > 0 {
            self.reserve_dram(READ_COUNTERS, policy.bytes());
        }
        self.ftl.reclaim_policy = ReclaimPolicy::Custom(policy);
    }

    /// The array took a flash page for these units: tells a policy that counts them of those that the host reads.
    #[inline]
    pub(super) fn count_page_reads(&mut self, head: OpId) {
        if !self.ftl.reclaim.as_ref().is_some_and(|reclaim| reclaim.counts_pages) {
            return;
        }
        let mut unit = head;
        while unit != NONE {
            let lpa = self.ftl.purposes[unit].lpa;
            let Op { class, next_unit, .. } = self.flash.pool[unit];
            if class == Class::HostRead {
                self.ftl.reclaim_policy.page_read(lpa);
            }
            unit = next_unit;
        }
    }

    /// The block of this unit was read, and is beyond the threshold.
    pub(super) fn block_worn(&mut self, lpa: Lpa, ppa: Ppa, reads: u32) {
        // Parity and what was given up are of no logical page.
        let of_map = (self.ftl.logical_units..self.ftl.all_units()).contains(&lpa.0);
        let Some(reclaim) = self.ftl.reclaim.as_mut().filter(|reclaim| reclaim.map_blocks || !of_map) else {
            return;
        };
        let Some(record) = reclaim.records.get_mut((ppa.0 / self.geometry.units_per_block()) as usize) else {
            return;
        };
        if record.worn == Ns::NEVER {
            record.worn = self.flash.now();
            self.observers.recorder.reclaim.worn += 1;
        }
        let passes_limit = reads >= reclaim.hard_limit && !record.over_limit;
        if passes_limit {
            record.over_limit = true;
            self.observers.recorder.reclaim.over_limit += 1;
        }
        if passes_limit || !record.asked {
            reclaim.due.push(ppa);
        }
    }

    /// Does something about the blocks that were read too often in this event.
    #[inline(always)]
    pub(super) fn reclaim_worn_blocks(&mut self) {
        if self.ftl.reclaim.as_ref().is_some_and(|reclaim| !reclaim.due.is_empty()) {
            self.reclaim_due_blocks();
        }
    }

    #[inline(never)]
    fn reclaim_due_blocks(&mut self) {
        let Some(reclaim) = &mut self.ftl.reclaim else { return };
        let mut due = std::mem::take(&mut reclaim.due);
        for &ppa in &due {
            self.reclaim_worn_block(ppa);
        }
        due.clear();
        if let Some(reclaim) = &mut self.ftl.reclaim {
            // What became due meanwhile waits for the next event.
            due.append(&mut reclaim.due);
            reclaim.due = due;
        }
    }

    fn reclaim_worn_block(&mut self, ppa: Ppa) {
        let reads = self.read_counts().map_or(0, |counts| counts.block_of(ppa));
        let superblock = self.ftl.blocks.of(&self.geometry, ppa);
        let number = (ppa.0 / self.geometry.units_per_block()) as usize;
        let Some(reclaim) = self.ftl.reclaim.as_ref().filter(|reclaim| reads >= reclaim.threshold) else {
            return;
        };
        let Record { over_limit, asked, .. } = reclaim.records[number];
        if over_limit && self.ftl.blocks.state(superblock) == BlockState::Open {
            self.close_early(superblock);
        }
        if let Some(system) = self.ftl.plans.system_superblocks.system_of(superblock) {
            self.tell_one(system, &Event::WornWhileOpen(superblock));
        }
        match self.ftl.blocks.state(superblock) {
            BlockState::Free | BlockState::Retired => return,
            BlockState::Open | BlockState::Closing => {
                if over_limit {
                    self.hurry_filling(superblock);
                }
                return;
            }
            BlockState::Collecting | BlockState::Erasing => self.ftl.set_all_asked(superblock, true),
            BlockState::Full if asked => {
                if over_limit {
                    self.reclaim_behind_evacuation(superblock, number);
                }
            }
            // A move reads pages of the map, and may wear their blocks in turn: that would never end.
            BlockState::Full if self.ftl.winds_down() => return,
            BlockState::Full => {
                let (plane, block) = self.geometry.block_of(ppa);
                match self.decide(&WornBlock { superblock, plane, block, ppa, reads }) {
                    Reclaims::Nothing => return,
                    Reclaims::Block => self.ftl.set_asked(number, true),
                    Reclaims::Superblock => self.ftl.set_all_asked(superblock, true),
                }
                self.observers.recorder.reclaim.by_trigger[usize::from(over_limit)] += 1;
            }
        }
        if over_limit {
            self.hurry(superblock);
        }
    }

    /// Asks the systems, then the policy.
    fn decide(&mut self, worn: &WornBlock) -> Reclaims {
        if let Some((system, plan)) = self.ask_systems_to_reclaim(worn) {
            let reclaims = Reclaims::by(&plan, worn);
            // Behind what systems asked for before, since they count their plans.
            self.systems.asks_for(system, Action::Plan(plan));
            return reclaims;
        }
        let mut policy = std::mem::take(&mut self.ftl.reclaim_policy);
        let decision = policy.reclaim(worn, &*self);
        self.ftl.reclaim_policy = policy;
        match decision {
            Decision::Leave => return Reclaims::Nothing,
            Decision::Superblock => self.refill(worn.superblock, Routine::InPlace, &Order::InPlace),
            Decision::Block if self.ftl.domains.width() == 1 => {
                self.refill(worn.superblock, Routine::InPlace, &Order::InPlace);
            }
            Decision::Rearranged(routine, order) => self.refill(worn.superblock, routine, &order),
            Decision::Block => {
                self.evacuate(worn);
                return Reclaims::Block;
            }
            Decision::Plan(plan) => {
                let reclaims = Reclaims::by(&plan, worn);
                self.ask_for_own_plan(plan);
                return reclaims;
            }
        }
        Reclaims::Superblock
    }

    /// Moves the valid pages of a superblock into a fresh one.
    fn refill(&mut self, superblock: SuperblockId, routine: Routine, order: &Order) {
        let Some(reclaim) = &self.ftl.reclaim else { return };
        let (holes, round) = (reclaim.holes, reclaim.rounds.get(superblock.index()).copied().unwrap_or(0));
        let view: &DriveView<'_> = self;
        let mover::Move { plan, pages, rearranged } = mover::plan(view, superblock, order, holes);
        let reads = reads_by_block(view, superblock);
        let capacity = self.ftl.blocks.units_in(self.ftl.blocks.mode(superblock), &self.geometry)
            * self.ftl.data_planes();
        let record = ReclaimRecord {
            time_ns: self.flash.now().0,
            superblock: superblock.0,
            round,
            reads,
            routine,
            moved: pages,
            holes: capacity.saturating_sub(pages),
        };
        let keeps = self.observers.monitor.keeps_reclaims();
        self.observers.recorder.reclaim.reclaimed(record, keeps);
        self.charge(Cost::Shuffle, u64::from(rearranged));
        self.ask_for_own_plan(plan);
    }

    fn ask_systems_to_reclaim(&mut self, worn: &WornBlock) -> Option<(usize, Plan)> {
        let mut systems = self.systems.take_all_watching(Watches::RECLAIM)?;
        let view: &DriveView<'_> = self;
        let plan = systems
            .iter_mut()
            .enumerate()
            .filter(|(_, system)| system.get().watches().has(Watches::RECLAIM))
            .find_map(|(number, system)| system.get_mut().reclaim(worn, view).map(|plan| (number, plan)));
        self.systems.put_all_back(systems);
        plan
    }

    /// Moves the valid pages of one block of a superblock away.
    fn evacuate(&mut self, worn: &WornBlock) {
        let first = self.geometry.first_unit(worn.plane, worn.block, 0).0;
        let pages: Vec<Ppa> = (first..first + self.geometry.units_per_block())
            .map(Ppa)
            .filter(|&ppa| self.ftl.valid_lpa(ppa).is_some())
            .collect();
        self.observers.recorder.reclaim.evacuated += 1;
        let number = (first / self.geometry.units_per_block()) as usize;
        if let Some(record) = self.ftl.reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(number)) {
            record.evacuation = if pages.is_empty() { Evacuation::Ended } else { Evacuation::UnderWay };
        }
        let steps = vec![Step { pages, pin: Pin::Any }];
        let (cause, destinations, erase) = (Cause::ReadReclaim, vec![], vec![]);
        self.ask_for_own_plan(Plan { cause, destinations, steps, erase });
    }

    /// This superblock can't wait any longer: the commands that empty it go before all others.
    pub(super) fn hurry(&mut self, superblock: SuperblockId) {
        let domain = self.ftl.blocks.split(superblock).0;
        let collector = &mut self.ftl.domain[domain.index()].collector;
        let emptied =
            matches!(self.ftl.blocks.state(superblock), BlockState::Collecting | BlockState::Erasing);
        let cause = if emptied { collector.cause_of(superblock) } else { Cause::ReadReclaim };
        if let Some(place) = collector.wanted.iter().position(|&(other, _)| other == superblock)
            && let Some(wanted) = collector.wanted.remove(place)
        {
            collector.wanted.push_front(wanted);
        }
        let Some(reclaim) = &mut self.ftl.reclaim else { return };
        if !reclaim.urgent.iter().any(|&(other, _)| other == superblock) {
            reclaim.urgent.push((superblock, cause));
        }
        self.note_urgent();
        self.check_collection(domain);
    }

    /// The classes of what can't wait. A superblock that waits for its turn needs garbage collection as well.
    pub(super) fn note_urgent(&mut self) {
        let Some(reclaim) = &self.ftl.reclaim else { return };
        let urgent = reclaim.urgent.iter().fold(0, |mask, &(superblock, cause)| {
            let waits = self.ftl.blocks.state(superblock) == BlockState::Full;
            let filling = self.ftl.filling_classes(superblock);
            mask | filling | classes_of(cause) | if waits { classes_of(Cause::Gc) } else { 0 }
        });
        self.flash.set_urgent(urgent);
    }

    /// A domain has hardly any space left: what read reclaim empties there must get on, however low its priority.
    pub(super) fn hurry_reclaim_of(&mut self, domain: DomainId) {
        let collector = &self.ftl.domain[domain.index()].collector;
        let mut emptied = collector.victims.iter().chain(&collector.planned);
        let Some(&(superblock, _)) = emptied.find(|victim| victim.1 == Cause::ReadReclaim) else { return };
        if !self.ftl.reclaim.as_ref().is_some_and(|r| r.urgent.iter().any(|&(other, _)| other == superblock))
        {
            self.hurry(superblock);
        }
    }

    /// A block is erased.
    #[inline]
    pub(super) fn reclaim_block_erased(&mut self, ppa: Ppa) {
        if let Some(reclaim) = &mut self.ftl.reclaim {
            let number = (ppa.0 / self.geometry.units_per_block()) as usize;
            let superblock = self.ftl.blocks.of(&self.geometry, ppa);
            reclaim.set_round(superblock, 0);
            let record = std::mem::replace(&mut reclaim.records[number], FRESH);
            if record.worn != Ns::NEVER {
                self.observers.recorder.reclaim.erased(self.flash.now().since(record.worn).0);
            }
        }
    }

    /// Nothing hurries any more in this superblock: it is erased, or its plan has ended.
    pub(super) fn reclaim_ended(&mut self, superblock: SuperblockId) {
        let Some(reclaim) = self.ftl.reclaim.as_mut().filter(|reclaim| !reclaim.urgent.is_empty()) else {
            return;
        };
        reclaim.urgent.retain(|&(other, _)| other != superblock);
        self.note_urgent();
    }

    /// A plan has ended, whose pages are in these superblocks now. What it was to erase and has not may be asked for again.
    pub(super) fn reclaim_plan_ended(&mut self, plan: &Plan, filled: &[SuperblockId]) {
        let Some(reclaim) = self.ftl.reclaim.as_mut().filter(|_| plan.cause == Cause::ReadReclaim) else {
            return;
        };
        if let ([source], [destination]) = (&plan.erase[..], filled) {
            let round = reclaim.rounds.get(source.index()).map_or(0, |round| round.saturating_add(1));
            reclaim.set_round(*destination, round);
        }
        for &page in plan.steps.iter().filter_map(|step| step.pages.first()) {
            let superblock = self.ftl.blocks.of(&self.geometry, page);
            // What is being erased ends with that.
            if !plan.erase.contains(&superblock) {
                self.reclaim_ended(superblock);
                self.ftl.evacuation_ended(superblock, page);
            }
        }
        for &superblock in &plan.erase {
            if self.ftl.blocks.state(superblock) == BlockState::Full {
                self.reclaim_given_up(superblock);
            }
        }
    }

    /// A superblock that was being emptied stays as it is after all: its worn blocks may be asked for again.
    pub(super) fn reclaim_given_up(&mut self, superblock: SuperblockId) {
        if self.ftl.reclaim.is_none() {
            return;
        }
        self.reclaim_ended(superblock);
        self.ftl.set_all_asked(superblock, false);
        for number in self.ftl.block_numbers(superblock) {
            if let Some(record) =
                self.ftl.reclaim.as_mut().and_then(|reclaim| reclaim.records.get_mut(number))
            {
                // Its limit counts anew, or it would not be hurried a second time.
                record.over_limit = false;
            }
        }
    }

    pub(super) fn read_reclaim_report(&self) -> Option<ReadReclaimReport> {
        self.ftl.reclaim.as_ref()?;
        let moves = &self.observers.recorder.moves[Cause::ReadReclaim.index()];
        Some(self.observers.recorder.reclaim.report(moves.victims, moves.moved_units))
    }
}
