//! Systems are told of what happens.

use super::around::AroundSystems;
use super::state::put_back;
use crate::action::Action;
use crate::events::{Access, Distance, Event, ReadEvent};
use crate::policies::SystemPolicy;
use crate::system::System;
use crate::view::DriveView;
use crate::watches::Watches;
use wordline_base::ids::{Lpa, SuperblockId};

/// Tells every system that watches for this. Where none does, as is known before the event is made, it costs a branch.
#[inline(always)]
pub fn tell<A: AroundSystems>(around: &mut A, event: &Event) {
    let what = Watches::of(event);
    if around.systems().watch(what) {
        tell_all(around, what, event);
    }
}

fn tell_all<A: AroundSystems>(around: &mut A, what: Watches, event: &Event) {
    let mut all = around.systems_mut().take_all();
    for (number, system) in all.iter_mut().enumerate() {
        if around.systems().watches_for(number, what) {
            tell_event(around, number, system.get_mut(), event);
        }
    }
    around.systems_mut().put_all_back(all);
}

/// Tells one system, whatever it watches for; nobody, where it is something to be watched for that no system does.
pub fn tell_one<A: AroundSystems>(around: &mut A, number: usize, event: &Event) {
    let what = Watches::of(event);
    if what != Watches::NOTHING && !around.systems().watch(what) {
        return;
    }
    let mut all = around.systems_mut().take_all();
    if let Some(system) = all.get_mut(number) {
        tell_event(around, number, system.get_mut(), event);
    }
    around.systems_mut().put_all_back(all);
}

#[inline]
fn tell_event<A: AroundSystems>(around: &mut A, number: usize, system: &mut dyn System, event: &Event) {
    tell_this(around, number, system, &|system: &mut dyn System,
                                        drive: &DriveView<'_>,
                                        actions: &mut Vec<Action>| {
        system.told(event, drive, actions);
    });
}

/// Tells a system, whose list is not with the drive meanwhile, and takes down what it asks for.
#[inline]
pub(super) fn tell_this<A: AroundSystems, T>(
    around: &mut A,
    number: usize,
    system: &mut dyn System,
    tell: &impl Fn(&mut dyn System, &DriveView<'_>, &mut Vec<Action>) -> T,
) -> T {
    let mut actions = std::mem::take(&mut around.systems_mut().actions);
    let answer = tell(system, &*around, &mut actions);
    let systems = around.systems_mut();
    if !actions.is_empty() {
        let read = systems.read;
        systems.asked.extend(actions.drain(..).map(|action| (number, read, action)));
    }
    put_back(&mut systems.actions, actions);
    answer
}

/// The data of a read of the host is with the controller. `read` tells of which, and is asked only if a system may want to know.
#[inline(always)]
pub fn read_done<A: AroundSystems>(around: &mut A, lpa: Lpa, read: impl FnOnce(&A) -> ReadEvent) {
    if around.systems().watch(Watches::READ_DONE) && around.systems().await_read_of(lpa) {
        let read = read(around);
        around.systems_mut().read = Some((read.lpa, read.ppa));
        tell(around, &Event::ReadDone(read));
        around.systems_mut().read = None;
    }
}

/// The entry of a page was looked up for the host; whether that changes what a system keeps with it.
#[inline(never)]
pub fn accessed<A: AroundSystems>(around: &mut A, access: Access) -> bool {
    let Some(mut all) = around.systems_mut().take_all_watching(Watches::ACCESS) else { return false };
    let mut changed = false;
    for (number, system) in all.iter_mut().enumerate() {
        if around.systems().watches_for(number, Watches::ACCESS) {
            changed |= system.get_mut().accessed(&access, &*around);
        }
    }
    around.systems_mut().put_all_back(all);
    changed
}

/// A plan begins; whether its system keeps what was opened for it.
pub fn plan_started<A: AroundSystems>(
    around: &mut A,
    number: usize,
    plan: u64,
    opened: &[SuperblockId],
) -> bool {
    let mut all = around.systems_mut().take_all();
    let system = all.get_mut(number).map(SystemPolicy::get_mut);
    let keeps = system.is_some_and(|system| system.plan_started(plan, opened, &*around));
    around.systems_mut().put_all_back(all);
    keeps
}

/// Wakes the systems that want to be woken now.
pub fn wake_due<A: AroundSystems>(around: &mut A) {
    let (now, mut from) = (around.now(), 0);
    while let Some(number) = around.systems_mut().take_due(from, now) {
        tell_one(around, number, &Event::Woken);
        from = number + 1;
    }
    around.systems_mut().set_next_wake();
}

/// Lets systems fetch what they will look up for a read of this page, which is likely to come.
#[inline(always)]
pub fn fetch<A: AroundSystems>(around: &A, lpa: Lpa, distance: Distance) {
    if around.systems().fetch_ahead() {
        let_fetch(around, lpa, distance);
    }
}

#[inline(never)]
fn let_fetch<A: AroundSystems>(around: &A, lpa: Lpa, distance: Distance) {
    let ppa = around.find(lpa);
    if ppa.is_some() {
        let die = around.die_of(ppa);
        around.systems().iter().for_each(|system| system.fetch_for_read(lpa, die, distance));
    }
}
