//! Plans at work: pages are read in order, programmed at their pins in order, superpage by superpage, and the sources
//! erased in the end.

pub(crate) mod asked;
pub(crate) mod awaited_moves;

use crate::work::above::AboveFtl;
use crate::work::collection::collect::check_collection;
use crate::work::collection::erase::begin_erase;
use crate::work::collection::moves::place_of_move;
use crate::work::collection::slc_cache::note_emptied;
use crate::work::counted::Counted;
use crate::work::ftl::Ftl;
use crate::work::parity::rows::unit_is_final;
use crate::work::plans::awaited_moves::unlock_page;
use crate::work::purposes::new_op;
use crate::work::purposes::{For, Purpose};
use crate::work::reclaim::{note_urgent, reclaim_plan_ended};
use crate::work::writes::places::release_stalled;
use crate::work::writes::program::program_on;
use crate::work::writes::system_superblocks::close_destination;
use serde::{Deserialize, Serialize};
use wordline_flash::work::submit;

use crate::blocks::BlockState;
use crate::events::Event;
use crate::plan::{self, Pin, Plan};
use crate::work::plans::awaited_moves::AwaitedMoves;
use crate::work::writes::system_superblocks::SystemSuperblocks;
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{Ppa, SuperblockId};
use wordline_flash::nand::CellMode;
use wordline_flash::sched::queue::{NONE, Op, OpId};

/// Write point of a program that has none.
const PINNED: u8 = u8::MAX;

/// Owner of a plan that no system asked for.
const NO_SYSTEM: usize = usize::MAX;

/// A page of a plan.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Target {
    /// Where it is; [`Ppa::NONE`] once that was erased.
    source: Ppa,
    /// Its place, if it is pinned.
    place: Option<plan::Place>,
    /// Program that it is part of, if it is pinned.
    program: usize,
}

/// Pinned pages that one plane programs together.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Program {
    /// Pages that are not read, or found to be of no value, yet.
    left: u32,
    /// Those that are read: the first, and their number.
    head: OpId,
    units: u32,
    /// Whether the next one lies in another superpage. Those of one are sent together, so that planes program together.
    ends_superpage: bool,
}

/// A plan that was accepted.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Run {
    system: usize,
    number: u64,
    cause: Cause,
    plan: Plan,
    /// Whether it ends when a request comes, and whether one has come.
    while_idle: bool,
    stopped: bool,
    targets: Vec<Target>,
    programs: Vec<Program>,
    /// Superblocks that were opened for it, and those of which something was programmed, one bit each.
    destinations: Vec<SuperblockId>,
    /// Those that its system kept open before; they come behind the ones that were opened for it.
    continued: Vec<SuperblockId>,
    /// Of each of both, the unit behind the last one that a page is pinned to.
    ends: Vec<u32>,
    filled: u64,
    started: bool,
    /// Next page to be read, and next program to be sent.
    next_target: usize,
    next_program: usize,
    /// Pages whose read has not ended, and pages read or waiting to be read that are not programmed yet.
    reading: u32,
    in_flight: u32,
    /// Pages read that wait for their program's turn.
    held: u32,
}

/// The superblocks that a plan goes on with, which its system keeps open.
fn continued_by(plan: &Plan) -> Vec<SuperblockId> {
    let mut continued = Vec::new();
    for step in &plan.steps {
        if let Pin::In { superblock, .. } = step.pin
            && !continued.contains(&superblock)
        {
            continued.push(superblock);
        }
    }
    continued
}

/// All plans that have not ended.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plans {
    runs: Vec<Option<Run>>,
    asked: Vec<u64>,
    /// Plans that wait for a free superblock.
    waiting: u32,
    /// Superblocks that stay open from plan to plan.
    pub(crate) system_superblocks: SystemSuperblocks,
    /// What the host waits for.
    pub(crate) awaited: AwaitedMoves,
}

impl Run {
    /// Whether the next page begins a superpage: one that was begun is read to its end, so that its planes are read together.
    fn at_superpage_start(&self) -> bool {
        let program_of = |target: usize| self.targets.get(target).map_or(usize::MAX, |target| target.program);
        let last = self.next_target.checked_sub(1).map_or(usize::MAX, program_of);
        let next = program_of(self.next_target);
        match self.programs.get(last) {
            Some(_) if next == last => false,
            Some(program) => program.ends_superpage || next != last + 1,
            None => true,
        }
    }

    /// A superblock was erased: what is still to be read there is gone. Whether nothing is left of a plan that has not begun.
    fn forget(&mut self, erased: SuperblockId, is_there: impl Fn(Ppa) -> bool) -> bool {
        if !self.started {
            self.plan.erase.retain(|&other| other != erased);
        }
        let mut gone = false;
        for target in self.targets.iter_mut().skip(self.next_target) {
            if target.source.is_some() && is_there(target.source) {
                (target.source, gone) = (Ppa::NONE, true);
            }
        }
        gone && !self.started && self.targets.iter().all(|target| !target.source.is_some())
    }
}

impl Plans {
    /// Where the pages of a plan are, or were until they were erased.
    pub fn sources(&self, tag: u32) -> Vec<Ppa> {
        let run = self.runs.get(tag as usize).and_then(Option::as_ref);
        run.map_or_else(Vec::new, |run| run.targets.iter().map(|target| target.source).collect())
    }

    /// Whether a request came that ends the plan.
    fn is_stopped(&mut self, tag: u32) -> bool {
        self.get(tag).is_some_and(|run| run.stopped)
    }

    /// A request comes: nothing more is read for plans that are carried out while the drive is idle.
    pub fn end_idle(&mut self) {
        for run in self.runs.iter_mut().flatten().filter(|run| run.while_idle) {
            (run.stopped, run.next_target) = (true, run.targets.len());
        }
    }

    /// What a plan that fills this superblock empties.
    pub fn sources_of(&self, destination: SuperblockId) -> Vec<SuperblockId> {
        let fills = |run: &&Run| run.started && run.destinations.contains(&destination);
        self.runs.iter().flatten().find(fills).map_or_else(Vec::new, |run| run.plan.erase.clone())
    }

    /// Whether none is under way; those that wait for a free superblock may.
    pub fn is_at_rest(&self) -> bool {
        self.runs.iter().flatten().all(|run| !run.started)
    }

    fn get(&mut self, tag: u32) -> Option<&mut Run> {
        self.runs.get_mut(tag as usize).and_then(Option::as_mut)
    }
}

impl Ftl {
    /// Whether this unit goes where its plan says.
    pub fn is_pinned(&self, unit: OpId) -> bool {
        self.purposes[unit].point == PINNED
    }

    /// A superblock was erased: plans have nothing to do there any more, whatever it holds next.
    pub(crate) fn forget_in_plans(&mut self, superblock: SuperblockId) {
        let is_there = |ppa: Ppa| self.blocks.of(&self.geometry, ppa) == superblock;
        for run in self.plans.runs.iter_mut().flatten() {
            if run.forget(superblock, is_there) {
                for domain in std::mem::take(&mut run.plan.destinations) {
                    self.domain[domain.index()].demand = 0;
                }
            }
        }
    }
}

#[cold]
fn fail_without_plan<A: AboveFtl>(above: &mut A, tag: u32, what: &str) {
    above.fail(format!("plan {tag} has no {what}"));
}

/// Begins a plan, if a free superblock can be spared for each of its destinations.
fn try_to_start<A: AboveFtl>(above: &mut A, tag: u32) {
    let Some(run) = above.ftl_mut().plans.get(tag) else { return };
    if run.started {
        return;
    }
    let needed = run.plan.destinations.clone();
    let enough = needed.iter().all(|&domain| {
        let here = needed.iter().filter(|&&other| other == domain).count() as u32;
        above.ftl().domain[domain.index()].free.len() >= above.ftl().thresholds.reserve + here
    });
    if !enough {
        // Garbage collection must win what it does not keep free by itself.
        for &domain in &needed {
            let here = needed.iter().filter(|&&other| other == domain).count() as u32;
            let ftl = above.ftl_mut();
            let state = &mut ftl.domain[domain.index()];
            state.demand = state.demand.max(ftl.thresholds.reserve + here);
            check_collection(above, domain);
        }
        return;
    }
    above.ftl_mut().plans.waiting -= 1;
    let from = above.ftl_mut().plans.get(tag).and_then(|run| run.plan.erase.first().copied());
    let stream = from.and_then(|from| above.ftl().isolated.as_ref().map(|isolated| isolated.of(from)));
    let mut destinations = Vec::with_capacity(needed.len());
    for domain in needed {
        above.ftl_mut().domain[domain.index()].demand = 0;
        let Some(superblock) = above.ftl_mut().domain[domain.index()].free.take() else { continue };
        above.ftl_mut().blocks.open(superblock, CellMode::Native);
        if let (Some(isolated), Some(stream)) = (&mut above.ftl_mut().isolated, stream) {
            isolated.give(superblock, stream);
        }
        for unit in 0..above.ftl().blocks.capacity() {
            // A hole must not name what was there before the erase.
            let ftl = above.ftl_mut();
            ftl.oob.set_erased(ftl.unit_at(superblock, unit));
        }
        destinations.push(superblock);
    }
    let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
    (run.started, run.destinations) = (true, destinations);
    let (cause, sources) = (run.cause, run.plan.erase.clone());
    let (system, number, opened) = (run.system, run.number, run.destinations.clone());
    run.destinations.extend_from_slice(&run.continued);
    let ends = run.ends.clone();
    if above.tell_plan_started(system, number, &opened) {
        for (&superblock, next) in opened.iter().zip(ends) {
            above.ftl_mut().plans.system_superblocks.keep(superblock, system, next);
        }
    }
    for source in sources {
        if above.ftl().blocks.state(source) == BlockState::Full {
            let domain = above.ftl().blocks.split(source).0;
            above.counted(Counted::Emptied(cause));
            note_emptied(above, source);
            above.charge_decision();
            above.ftl_mut().domain[domain.index()].collector.planned.push((source, cause));
            above.ftl_mut().blocks.set_state(source, BlockState::Collecting);
            if above.ftl().blocks.valid(source) == 0 {
                begin_erase(above, source);
            }
        }
    }
    above.ftl_mut().lock_plan(cause, tag);
    if above.flash().urgent() != 0 {
        note_urgent(above);
    }
    advance_plan(above, tag);
}

/// A superblock became free: plans that waited for one may begin.
pub(crate) fn start_waiting_plans<A: AboveFtl>(above: &mut A) {
    if above.ftl().plans.waiting > 0 {
        for number in 0..above.ftl().plans.runs.len() as u32 {
            try_to_start(above, number);
        }
    }
}

/// Reads ahead as far as allowed, sends programs whose turn has come, and ends the plan with the last.
pub(crate) fn advance_plan<A: AboveFtl>(above: &mut A, tag: u32) {
    loop {
        send_programs(above, tag);
        let read_ahead = above.ftl().thresholds.read_ahead;
        let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
        // Each destination has a program under way, and the next one coming.
        let each = read_ahead * run.destinations.len().max(1) as u32;
        let ahead = if run.while_idle { 1 } else { each };
        if run.next_target == run.targets.len() {
            if run.in_flight == 0 {
                end_plan(above, tag);
            }
            return;
        }
        // With nothing being read or programmed, what is held back waits for a page that is still to be read.
        let waits_for_a_page = run.reading == 0 && run.in_flight == run.held;
        if run.in_flight >= ahead && !waits_for_a_page && run.at_superpage_start() {
            return;
        }
        read_next_page(above, tag);
    }
}

/// Reads the next pages of a plan that lie in one flash page.
fn read_next_page<A: AboveFtl>(above: &mut A, tag: u32) {
    let (mut head, mut page) = (NONE, u32::MAX);
    loop {
        let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
        let Some(&Target { source, program, .. }) = run.targets.get(run.next_target) else { break };
        let (index, cause) = (run.next_target as u32, run.cause);
        let flash_page = source.0 >> above.ftl().geometry.unit_shift;
        if head != NONE && source.is_some() && flash_page != page {
            break;
        }
        let lpa = if source.is_some() { above.ftl().valid_lpa(source) } else { None };
        let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
        run.next_target += 1;
        let Some(lpa) = lpa else {
            if let Some(program) = run.programs.get_mut(program) {
                program.left -= 1;
            }
            continue;
        };
        run.in_flight += 1;
        run.reading += 1;
        let bytes = above.ftl().geometry.unit_bytes;
        let op = Op { source, bytes, ..Op::new(Class::read_for(cause), source) };
        let id = new_op(above, op, Purpose { whose: For::Plan(tag), tag: index, ..Purpose::of(lpa) });
        if head == NONE {
            (head, page) = (id, flash_page);
        } else {
            above.flash_mut().pool.chain(head, id);
        }
    }
    if head != NONE {
        submit(above, head);
    }
}

/// A page of a plan was overwritten or trimmed before its read ended.
pub(crate) fn plan_page_dropped<A: AboveFtl>(above: &mut A, tag: u32, index: u32) {
    let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
    run.in_flight -= 1;
    run.reading -= 1;
    let program = run.targets.get(index as usize).map_or(usize::MAX, |target| target.program);
    if let Some(program) = run.programs.get_mut(program) {
        program.left -= 1;
    }
    advance_plan(above, tag);
}

/// A page of a plan is in the controller.
pub(crate) fn plan_page_read<A: AboveFtl>(above: &mut A, unit: OpId) {
    let Purpose { whose: For::Plan(tag), lpa, tag: index, .. } = above.ftl().purposes[unit] else {
        return above.fail("a page was read for a plan that isn't known".into());
    };
    let Op { ppa, class, .. } = above.flash().pool[unit];
    if !above.ftl().holds(lpa, ppa) || above.ftl_mut().plans.is_stopped(tag) {
        above.flash_mut().pool.remove(unit);
        return plan_page_dropped(above, tag, index);
    }
    let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
    run.reading -= 1;
    let Some(&Target { place, program, .. }) = run.targets.get(index as usize) else {
        return fail_without_plan(above, tag, "page of this number");
    };
    let Some(place) = place else {
        if !above.firmware_places(unit) {
            place_planned(above, unit);
        }
        return advance_plan(above, tag);
    };
    let Some(&superblock) = run.destinations.get(place.destination) else {
        return fail_without_plan(above, tag, "destination for its page");
    };
    let op = &mut above.flash_mut().pool[unit];
    (op.class, op.order) = (Class::program_for(class.cause()), 0);
    above.ftl_mut().purposes[unit].point = PINNED;
    let place = above.ftl().unit_at(superblock, place.unit);
    above.flash_mut().pool[unit].ppa = place;
    let domain = above.ftl().domain_of(place);
    above.ftl_mut().domain[domain.index()].live += 1;
    let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
    let Some(program) = run.programs.get_mut(program) else {
        return fail_without_plan(above, tag, "program for its page");
    };
    program.left -= 1;
    program.units += 1;
    run.held += 1;
    let head = program.head;
    if head == NONE {
        program.head = unit;
    } else {
        above.flash_mut().pool.chain(head, unit);
    }
    advance_plan(above, tag);
}

/// A page of a plan without a pin gets its place.
pub fn place_planned<A: AboveFtl>(above: &mut A, unit: OpId) {
    let lpa = above.ftl().purposes[unit].lpa;
    let ppa = above.flash().pool[unit].ppa;
    let own = above
        .ftl()
        .isolated
        .as_ref()
        .map(|isolated| isolated.of(above.ftl().blocks.of(&above.ftl().geometry, ppa)));
    above.ftl_mut().purposes[unit].point = own.unwrap_or(above.ftl().points.of_plans());
    let asks = above.ftl().rules.places_moves && above.ftl().lookup(lpa) == ppa;
    let plane = asks.then(|| place_of_move(above, unit)).flatten();
    let plane = plane.unwrap_or_else(|| above.ftl().geometry.plane_of(ppa).0);
    program_on(above, plane, unit);
}

/// Sends the programs of superpages in their order, as far as all pages of one are there.
fn send_programs<A: AboveFtl>(above: &mut A, tag: u32) {
    while let Some(run) = above.ftl_mut().plans.get(tag) {
        let rest = run.programs.get(run.next_program..).unwrap_or_default();
        let Some(end) = rest.iter().position(|program| program.ends_superpage) else { return };
        let superpage = rest.get(..=end).unwrap_or_default();
        if superpage.iter().any(|program| program.left > 0) {
            return;
        }
        let mut heads: Vec<OpId> =
            superpage.iter().map(|program| program.head).filter(|&head| head != NONE).collect();
        run.held -= superpage.iter().map(|program| program.units).sum::<u32>();
        run.next_program += end + 1;
        if let Some(&first) = heads.first() {
            let (ftl, flash) = above.ftl_and_flash();
            let superblock = ftl.blocks.of(&ftl.geometry, flash.pool[first].ppa);
            if let Some(run) = ftl.plans.get(tag) {
                run.filled |=
                    1 << run.destinations.iter().position(|&other| other == superblock).unwrap_or(0);
            }
            for &head in &heads {
                above.ftl_mut().blocks.begin(superblock);
                let place = above.flash().pool[head].ppa;
                unit_is_final(above, place);
            }
            above.ftl_mut().take_parity(&mut heads);
            above.enqueue_moves(&heads);
        }
    }
}

/// The program of a page of a plan has ended.
pub(crate) fn plan_page_programmed<A: AboveFtl>(above: &mut A, tag: u32) {
    let Some(run) = above.ftl_mut().plans.get(tag) else { return fail_without_plan(above, tag, "run") };
    run.in_flight -= 1;
    advance_plan(above, tag);
}

/// Nothing is left to do: what was opened is closed, and what could not be emptied goes back among the full ones.
fn end_plan<A: AboveFtl>(above: &mut A, tag: u32) {
    let slot = tag as usize;
    let Some(run) = above.ftl_mut().plans.runs.get_mut(slot).and_then(Option::take) else {
        return fail_without_plan(above, tag, "run");
    };
    if above.ftl().rules.awaits.any() {
        run.targets.iter().for_each(|target| unlock_page(above, target.source));
    }
    for (index, &superblock) in run.destinations.iter().enumerate() {
        let written = run.filled & (1 << index) != 0;
        if above.ftl().plans.system_superblocks.has(superblock) {
            above.ftl_mut().plans.system_superblocks.give_back(superblock, written);
        } else {
            close_destination(above, superblock, written);
        }
    }
    for &source in &run.plan.erase {
        // One that garbage collection took first is not the plan's to give back.
        let domain = above.ftl().blocks.split(source).0;
        let ftl = above.ftl_mut();
        let planned = &mut ftl.domain[domain.index()].collector.planned;
        let is_planned = planned.iter().any(|victim| victim.0 == source);
        if is_planned && ftl.blocks.state(source) == BlockState::Collecting && ftl.blocks.valid(source) > 0 {
            planned.retain(|victim| victim.0 != source);
            ftl.blocks.set_state(source, BlockState::Full);
        }
    }
    let filled = (0..).zip(&run.destinations).filter(|&(index, _)| run.filled & (1u64 << index) != 0);
    let filled: Vec<SuperblockId> = filled.map(|(_, &superblock)| superblock).collect();
    reclaim_plan_ended(above, &run.plan, &filled);
    above.tell_one(run.system, &Event::PlanDone(run.number));
    for &superblock in run.destinations.iter().chain(&run.plan.erase) {
        let domain = above.ftl().blocks.split(superblock).0;
        release_stalled(above, domain);
        check_collection(above, domain);
    }
}
