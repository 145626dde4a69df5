//! Chips that take commands as one: what a channel does where `device.channel.commands` is `chip`.
//!
//! A channel that becomes free sends what waits in page registers first. Then its chips have turns. A chip takes commands
//! when none of its dies has any: one for each die that has work, all of the same operation, one behind the other on the
//! channel. Dies never begin on their own.

use super::flash::Flash;
use serde::{Deserialize, Serialize};

use super::Device;
use super::issue::only_class;
use crate::nand::Geometry;
use crate::nand::die::{Die, Phase};
use crate::sched::queue::{Fifo, NONE, OpId};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use wordline_base::class::{CLASSES, Class, classes_in};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_config::device::{CommandTaker, DeviceConfig};

/// Whose turn it is on each channel.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Chips {
    dies: u32,
    ways: u32,
    turn: Vec<u32>,
    /// Of each channel, the chips that had nothing to begin when they were asked last, and none of whose dies got work or became
    /// free since, one bit each. What is not listed here is asked: so are those for which a word has no bit.
    #[serde(skip)]
    rests: Vec<u64>,
}

impl Chips {
    /// `None` where each die takes commands for itself.
    pub(super) fn new(device: &DeviceConfig, geometry: &Geometry) -> Option<Box<Self>> {
        (device.channel.commands == CommandTaker::Chip).then(|| {
            let (dies, ways) = (geometry.dies_per_chip, geometry.ways);
            Box::new(Self { dies, ways, turn: vec![0; geometry.channels as usize], rests: Vec::new() })
        })
    }

    /// The channel of a chip, and its bit there; none where a word has no bit for it.
    fn bit_of(&self, chip: u32) -> (usize, u64) {
        let (channel, way) = (chip / self.ways, chip % self.ways);
        (channel as usize, 1u64.checked_shl(way).unwrap_or(0))
    }

    /// A die got work, or nothing occupies it any more: its chip is asked again.
    fn stir(&mut self, die: DieId) {
        let (channel, bit) = self.bit_of(die.0 / self.dies);
        if let Some(rests) = self.rests.get_mut(channel) {
            *rests &= !bit;
        }
    }

    /// A chip has nothing to begin.
    fn rest(&mut self, chip: u32) {
        let (channel, bit) = self.bit_of(chip);
        if channel >= self.rests.len() {
            self.rests.resize(channel + 1, 0);
        }
        if let Some(rests) = self.rests.get_mut(channel) {
            *rests |= bit;
        }
    }

    /// The next chip of a channel, from this turn on, that may have something to begin, and the turn behind it.
    fn next(&self, channel: u32, turns: std::ops::Range<u32>) -> Option<(u32, u32)> {
        let rests = self.rests.get(channel as usize).copied().unwrap_or(0);
        if rests.count_ones() == self.ways {
            return None;
        }
        let way = |turn| if turn < self.ways { turn } else { turn - self.ways };
        let asked = |way| rests & 1u64.checked_shl(way).unwrap_or(0) == 0;
        turns
            .map(|turn| (way(turn), turn + 1))
            .find(|&(way, _)| asked(way))
            .map(|(way, behind)| (channel * self.ways + way, behind))
    }
}

impl Flash {
    /// A die of such a chip has work or nothing to do any more: its channel looks at its chips when it is free and all
    /// requests of that nanosecond are known.
    pub(super) fn ask_for_turn(&mut self, die: DieId) {
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

impl Device {
    /// A free channel to which nobody wants to send: the next chip that can do something begins.
    pub(super) fn serve_chips(&mut self, channel: u32) {
        let Some(chips) = &self.flash.chips else { return };
        let (dies, ways) = (chips.dies, chips.ways);
        let first = chips.turn.get(channel as usize).copied().unwrap_or(0);
        let mut turn = first;
        while let Some((chip, behind)) =
            self.flash.chips.as_ref().and_then(|chips| chips.next(channel, turn..first + ways))
        {
            let begins = self.serve_chip(chip * dies, dies);
            let Some(chips) = &mut self.flash.chips else { return };
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
    fn serve_chip(&mut self, first: u32, dies: u32) -> bool {
        let Some(states) = self.flash.dies.get(first as usize..(first + dies) as usize) else { return false };
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
            if begun || self.observers.fault.is_some() {
                return begun;
            }
        }
    }

    /// A die of the chip is suspended: reads of the host are served, one for each die, and where there are none any more
    /// the suspended operations go on.
    fn serve_suspended(&mut self, first: u32, dies: u32) -> bool {
        let mut begun = false;
        for die in (first..first + dies).map(DieId) {
            begun |= if self.flash.dies[die.index()].suspended.is_some() {
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
        let all = (first..first + dies).fold(0, |all, die| all | self.flash.open_work(DieId(die)));
        if all == 0 {
            return None;
        }
        let class = if let Some(class) =
            only_class(all).filter(|_| matches!(self.flash.scheduler, SchedulerPolicy::Tiered(_)))
        {
            class
        } else {
            let mut oldest = [Fifo::default(); CLASSES];
            classes_in(all).for_each(|class| {
                oldest[class.index()] = Fifo::headed_by(self.flash.oldest(first, dies, class).1)
            });
            let (urgent, pool, now) = (self.flash.urgent, &self.flash.pool, self.flash.now);
            let view = QueueView { queues: &oldest, waiting: all, urgent, pool, now };
            let class = self.flash.scheduler.next(&view);
            let Some(class) = class.filter(|class| all & (1 << class.index()) != 0) else {
                self.fail(format!("the scheduler chose {class:?} for a chip where nothing of it waits"));
                return None;
            };
            class
        };
        Some((self.flash.oldest(first, dies, class).0, class))
    }

    /// Whether an idle die begins a command of one of these classes.
    fn begin_one_of(&mut self, die: DieId, classes: u32) -> bool {
        loop {
            let waiting = self.flash.open_work(die) & classes;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_that_rest_are_passed_over_until_one_of_their_dies_stirs() {
        for ways in [3, 64, 70] {
            let mut chips = Chips { dies: 2, ways, turn: vec![0; 2], rests: Vec::new() };
            let next =
                |chips: &Chips, turn: u32| chips.next(1, turn..turn + ways).map(|(chip, _)| chip - ways);
            assert_eq!((next(&chips, 0), next(&chips, 2)), (Some(0), Some(2)));
            (0..ways).filter(|&way| way != 1).for_each(|way| chips.rest(ways + way));
            assert_eq!((next(&chips, 0), next(&chips, 1)), (Some(1), Some(1)));
            chips.rest(ways + 1);
            // A word has no bits for more.
            assert_eq!(next(&chips, 0), (ways > 64).then_some(64));
            chips.stir(DieId((ways + 2) * 2 + 1));
            assert_eq!((next(&chips, 0), next(&chips, 2)), (Some(2), Some(2)));
        }
    }
}
