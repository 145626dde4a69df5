//! Chips that take commands as one: what a channel does where `device.channel.commands` is `chip`.
//!
//! A channel that becomes free sends what waits in page registers first. Then its chips have turns. A chip takes commands
//! when none of its dies has any: one for each die that has work, all of the same operation, one behind the other on the
//! channel. Dies never begin on their own.

use serde::{Deserialize, Serialize};

use super::Device;
use super::issue::only_class;
use crate::config::device::{CommandTaker, DeviceConfig};
use crate::ids::DieId;
use crate::nand::Geometry;
use crate::nand::die::{Die, Phase};
use crate::sched::class::{CLASSES, Class, classes_in};
use crate::sched::queue::{Fifo, NONE, OpId};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use crate::time::Ns;

/// Whose turn it is on each channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chips {
    dies: u32,
    ways: u32,
    turn: Vec<u32>,
}

impl Chips {
    /// `None` where each die takes commands for itself.
    pub(super) fn new(device: &DeviceConfig, geometry: &Geometry) -> Option<Box<Self>> {
        (device.channel.commands == CommandTaker::Chip).then(|| {
            let (dies, ways) = (geometry.dies_per_chip, geometry.ways);
            Box::new(Self { dies, ways, turn: vec![0; geometry.channels as usize] })
        })
    }
}

impl Device {
    /// A die of such a chip has work or nothing to do any more: its channel looks at its chips when it is free and all
    /// wishes of that nanosecond are known.
    pub(super) fn ask_for_turn(&mut self, die: DieId) {
        self.dies[die.index()].occupy(None, self.now);
        self.rest_behind_gates(die);
        let number = self.channel_of[die.index()];
        let time = self.channels[number as usize].free_at.max(self.now);
        let resource = self.channel_resource(number);
        self.events.set_behind(resource, time);
    }

    /// A channel is granted until `end`, and will be looked at again then.
    #[inline(always)]
    pub(super) fn expect_turns(&mut self, channel: u32, end: Ns) {
        if self.chips.is_some() {
            self.look_at_chips_at(channel, end);
        }
    }

    #[inline(never)]
    fn look_at_chips_at(&mut self, channel: u32, end: Ns) {
        let resource = self.channel_resource(channel);
        self.events.set_behind(resource, end);
    }

    /// A free channel to which nobody wants to send: the next chip that can do something begins.
    pub(super) fn serve_chips(&mut self, channel: u32) {
        let Some(chips) = &self.chips else { return };
        let (dies, ways) = (chips.dies, chips.ways);
        let turn = chips.turn.get(channel as usize).copied().unwrap_or(0);
        for way in (turn..ways).chain(0..turn) {
            let first = (channel * ways + way) * dies;
            if self.serve_chip(first, dies) {
                if let Some(turn) = self.chips.as_mut().and_then(|chips| chips.turn.get_mut(channel as usize))
                {
                    *turn = (way + 1) % ways;
                }
                return;
            }
        }
    }

    /// Whether the chip of these dies begins something.
    fn serve_chip(&mut self, first: u32, dies: u32) -> bool {
        let Some(states) = self.dies.get(first as usize..(first + dies) as usize) else { return false };
        // Most chips that are asked have nothing to do.
        if !states.iter().any(Die::has_work) || states.iter().any(|die| die.phase != Phase::Idle) {
            return false;
        }
        if states.iter().any(|die| die.suspended.is_some()) {
            return self.serve_suspended(first, dies);
        }
        loop {
            let Some((leader, class)) = self.choose_for_chip(first, dies) else { return false };
            let classes = class.op().classes();
            let mut begun = false;
            for step in 0..dies {
                let die = DieId(first + (leader.0 - first + step) % dies);
                begun |= self.begin_one_of(die, classes);
            }
            // All that was chosen may have moved elsewhere.
            if begun || self.fault.is_some() {
                return begun;
            }
        }
    }

    /// A die of the chip is suspended: reads of the host are served, one for each die, and where there are none any more
    /// the suspended operations go on.
    fn serve_suspended(&mut self, first: u32, dies: u32) -> bool {
        let mut begun = false;
        for die in (first..first + dies).map(DieId) {
            begun |= if self.dies[die.index()].suspended.is_some() {
                self.take_turn(die);
                true
            } else {
                self.begin_one_of(die, 1 << Class::HostRead.index())
            };
        }
        begun
    }

    /// The class that a chip serves next, and the die of its oldest command.
    fn choose_for_chip(&mut self, first: u32, dies: u32) -> Option<(DieId, Class)> {
        let all = (first..first + dies).fold(0, |all, die| all | self.open_work(DieId(die)));
        if all == 0 {
            return None;
        }
        let class = if let Some(class) =
            only_class(all).filter(|_| matches!(self.scheduler, SchedulerPolicy::Tiered(_)))
        {
            class
        } else {
            let mut oldest = [Fifo::default(); CLASSES];
            classes_in(all)
                .for_each(|class| oldest[class.index()] = Fifo::headed_by(self.oldest(first, dies, class).1));
            let (urgent, pool, now) = (self.urgent, &self.pool, self.now);
            let view = QueueView { queues: &oldest, waiting: all, urgent, pool, now };
            let class = self.scheduler.next(&view);
            let Some(class) = class.filter(|class| all & (1 << class.index()) != 0) else {
                self.fail(format!("the scheduler chose {class:?} for a chip where nothing of it waits"));
                return None;
            };
            class
        };
        Some((self.oldest(first, dies, class).0, class))
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

    /// Whether an idle die begins a command of one of these classes.
    fn begin_one_of(&mut self, die: DieId, classes: u32) -> bool {
        loop {
            let waiting = self.open_work(die) & classes;
            if waiting == 0 {
                return false;
            }
            let Some(class) = self.ask_scheduler(die, waiting) else { return false };
            if self.begin_first(die, class) {
                return true;
            }
        }
    }
}
