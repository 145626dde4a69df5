//! Systems are asked: where programs may go, where pages are, which copy serves, what becomes of worn blocks. The first answer
//! counts, by the order of their numbers.

use super::around::AroundSystems;
use super::told::tell_this;
use crate::action::Action;
use crate::events::{AllowedPlanes, WornBlock, WritePlace};
use crate::plan::Plan;
use crate::reclaim::{Decision, ReadReclaim};
use crate::system::System;
use crate::view::DriveView;
use crate::watches::Watches;
use wordline_base::class::Class;
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::replicate::Serving;

/// The first answer of those that watch for this, and which system gives it.
#[inline]
fn first_answer<A: AroundSystems, T>(
    around: &mut A,
    what: Watches,
    mut ask: impl FnMut(&mut A, usize, &mut dyn System) -> Option<T>,
) -> Option<(usize, T)> {
    let mut all = around.systems_mut().take_all_watching(what)?;
    let answer = all.iter_mut().enumerate().find_map(|(number, system)| {
        let asked = around.systems().watches_for(number, what);
        let answer = asked.then(|| ask(around, number, system.get_mut()))?;
        answer.map(|answer| (number, answer))
    });
    around.systems_mut().put_all_back(all);
    answer
}

/// Where a program of the host goes, and which system says so.
pub fn ask_write_place<A: AroundSystems>(
    around: &mut A,
    program: &ProgramIntent,
) -> Option<(usize, WritePlace)> {
    let ask = |system: &mut dyn System, drive: &DriveView<'_>, actions: &mut Vec<Action>| {
        let answer = system.place_write(program, drive, actions);
        (answer != WritePlace::Free).then_some(answer)
    };
    first_answer(around, Watches::WRITE_PLACE, |around, number, system| {
        tell_this(around, number, system, &ask)
    })
}

/// The planes that a program may go to. `None`: systems have nothing to say. The set is to be given back
/// ([`Systems::put_planes_back`](super::Systems::put_planes_back)).
#[inline]
pub fn allowed_planes_of<A: AroundSystems>(around: &mut A, program: &ProgramIntent) -> Option<PlaneSet> {
    if !around.systems().watch(Watches::PLACEMENT.and(Watches::MOVES_PLACEMENT)) {
        return None;
    }
    ask_where(around, program)
}

#[inline(never)]
fn ask_where<A: AroundSystems>(around: &mut A, program: &ProgramIntent) -> Option<PlaneSet> {
    let moves = Class::read_for(program.cause).is_move();
    let what = if moves { Watches::MOVES_PLACEMENT } else { Watches::PLACEMENT };
    if !around.systems().watch(what) || program.lpa.0 >= around.logical_units() {
        return None;
    }
    let mut planes = std::mem::take(&mut around.systems_mut().planes);
    planes.clear();
    let listed = first_answer(around, what, |around, _, system| {
        (system.allowed_planes(program, &*around, &mut planes) == AllowedPlanes::Listed).then_some(())
    });
    if listed.is_some() {
        return Some(planes);
    }
    around.systems_mut().put_planes_back(planes);
    None
}

/// Where a system knows, or supposes, a page to be.
pub fn find<A: AroundSystems>(around: &mut A, lookup: &Lookup) -> Option<Found> {
    let ask = |around: &mut A, _, system: &mut dyn System| system.find(lookup, &*around);
    first_answer(around, Watches::TRANSLATION, ask).map(|(_, found)| found)
}

/// The copy that serves a read, as a system has it that owns one of them.
pub fn ask_owners<A: AroundSystems>(around: &mut A, read: &Serving<'_>) -> Option<usize> {
    let mut all = around.systems_mut().take_all();
    let mut answer = None;
    for (number, system) in all.iter_mut().enumerate() {
        let owns = read.candidates.iter().any(|candidate| candidate.owner == Some(number));
        if owns && answer.is_none() {
            answer = system.get_mut().serve(read, &*around);
        }
    }
    around.systems_mut().put_all_back(all);
    answer
}

/// What systems do about a worn block: a plan, and whose.
pub fn ask_to_reclaim<A: AroundSystems>(around: &mut A, worn: &WornBlock) -> Option<(usize, Plan)> {
    first_answer(around, Watches::RECLAIM, |around, _, system| system.reclaim(worn, &*around))
}

/// What the policy of read reclaim does about it.
pub fn ask_reclaim_policy<A: AroundSystems>(around: &mut A, worn: &WornBlock) -> Decision {
    let mut policy = std::mem::take(&mut around.systems_mut().reclaim);
    let decision = policy.reclaim(worn, &*around);
    around.systems_mut().reclaim = policy;
    decision
}
