//! Turns of chips that take commands as one.

use super::issue::{ask_scheduler, begin_first, only_class, take_turn};
use crate::nand::die::{Die, Phase};
use crate::sched::queue::{Fifo, NONE, OpId};
use crate::sched::{QueueView, Scheduler};
use crate::{Above, Flash};
use wordline_base::class::{CLASSES, Class, classes_in};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// A die of such a chip has work or nothing to do any more: its channel looks at its chips when it is free and all
    /// that want it in that nanosecond are known.
    pub(crate) fn ask_for_turn(&mut self, die: DieId) {
        self.dies[die.index()].occupy(None, self.now);
        if let Some(chips) = &mut self.chips {
            chips.stir(die);
        }
        self.rest_behind_gates(die);
        let number = self.channel_of[die.index()];
        let time = self.channels[number as usize].free_at.max(self.now);
        let resource = self.channel_resource(number);
        self.events.set_behind(resource, time);
    }

    /// A channel is granted until `end`, and will be looked at again then.
    #[inline(always)]
    pub(crate) fn expect_turns(&mut self, channel: u32, end: Ns) {
        if self.chips.is_some() {
            self.look_at_chips_at(channel, end);
        }
    }

    #[inline(never)]
    fn look_at_chips_at(&mut self, channel: u32, end: Ns) {
        let resource = self.channel_resource(channel);
        self.events.set_behind(resource, end);
    }

    /// Of the dies of a chip, the one with the oldest command of a class that it may begin, and that command; the first die
    /// and [`NONE`] where there is none.
    fn oldest(&self, first: u32, dies: u32, class: Class) -> (DieId, OpId) {
        let mut oldest = (DieId(first), NONE);
        for die in (first..first + dies).map(DieId) {
            if self.open_work(die) & (1 << class.index()) == 0 {
                continue;
            }
            let head = self.dies[die.index()].first(class);
            if oldest.1 == NONE || self.pool[head].order < self.pool[oldest.1].order {
                oldest = (die, head);
            }
        }
        oldest
    }
}

/// A free channel to which nobody wants to send: the next chip that can do something begins.
pub(super) fn serve_chips<A: Above>(above: &mut A, channel: u32) {
    let Some(chips) = &above.flash().chips else { return };
    let (dies, ways) = (chips.dies, chips.ways);
    let first = chips.turn.get(channel as usize).copied().unwrap_or(0);
    let mut turn = first;
    while let Some((chip, behind)) =
        above.flash().chips.as_ref().and_then(|chips| chips.next(channel, turn..first + ways))
    {
        let begins = serve_chip(above, chip * dies, dies);
        let Some(chips) = &mut above.flash_mut().chips else { return };
        if begins {
            if let Some(turn) = chips.turn.get_mut(channel as usize) {
                *turn = (chip + 1) % ways;
            }
            return;
        }
        chips.rest(chip);
        turn = behind;
    }
}

/// Whether the chip of these dies begins something.
fn serve_chip<A: Above>(above: &mut A, first: u32, dies: u32) -> bool {
    let Some(states) = above.flash().dies.get(first as usize..(first + dies) as usize) else { return false };
    // Most chips that are asked have nothing to do.
    if !states.iter().any(Die::has_work) || states.iter().any(|die| die.phase != Phase::Idle) {
        return false;
    }
    if states.iter().any(|die| die.suspended.is_some()) {
        return serve_suspended(above, first, dies);
    }
    loop {
        let Some((leader, class)) = choose_for_chip(above, first, dies) else { return false };
        let classes = class.op().classes();
        let mut begun = false;
        for step in 0..dies {
            let die = DieId(first + (leader.0 - first + step) % dies);
            begun |= begin_one_of(above, die, classes);
        }
        // All that was chosen may have moved elsewhere.
        if begun || above.has_failed() {
            return begun;
        }
    }
}

/// A die of the chip is suspended: reads of the host are served, one for each die, and where there are none any more
/// the suspended operations go on.
fn serve_suspended<A: Above>(above: &mut A, first: u32, dies: u32) -> bool {
    let mut begun = false;
    for die in (first..first + dies).map(DieId) {
        begun |= if above.flash().dies[die.index()].suspended.is_some() {
            take_turn(above, die);
            true
        } else {
            begin_one_of(above, die, 1 << Class::HostRead.index())
        };
    }
    begun
}

/// The class that a chip serves next, and the die of its oldest command.
fn choose_for_chip<A: Above>(above: &mut A, first: u32, dies: u32) -> Option<(DieId, Class)> {
    let flash = above.flash();
    let all = (first..first + dies).fold(0, |all, die| all | flash.open_work(DieId(die)));
    if all == 0 {
        return None;
    }
    let class = if let Some(class) = only_class(all) {
        class
    } else {
        let mut oldest = [Fifo::default(); CLASSES];
        classes_in(all)
            .for_each(|class| oldest[class.index()] = Fifo::headed_by(flash.oldest(first, dies, class).1));
        let (urgent, pool, now) = (flash.urgent, &flash.pool, flash.now);
        let view = QueueView { queues: &oldest, waiting: all, urgent, pool, now };
        let class = flash.scheduler.next(&view);
        let Some(class) = class.filter(|class| all & (1 << class.index()) != 0) else {
            above.fail(format!("the scheduler chose {class:?} for a chip where nothing of it waits"));
            return None;
        };
        class
    };
    Some((above.flash().oldest(first, dies, class).0, class))
}

/// Whether an idle die begins a command of one of these classes.
fn begin_one_of<A: Above>(above: &mut A, die: DieId, classes: u32) -> bool {
    loop {
        let waiting = above.flash().open_work(die) & classes;
        if waiting == 0 {
            return false;
        }
        let Some(class) = ask_scheduler(above, die, waiting) else { return false };
        if begin_first(above, die, class) {
            return true;
        }
    }
}
