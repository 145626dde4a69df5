//! Chips that take commands as one: what a channel does where `device.channel.commands` is `chip`.
//!
//! A channel that becomes free sends what waits in page registers first. Then its chips have turns. A chip takes commands
//! when none of its dies has any: one for each die that has work, all of the same operation, one behind the other on the
//! channel. Dies never begin on their own.

use serde::{Deserialize, Serialize};

use super::Device;
use crate::config::device::{CommandTaker, DeviceConfig};
use crate::ids::DieId;
use crate::nand::Geometry;
use crate::nand::die::Phase;
use crate::sched::class::{CLASSES, Class, FlashOp};
use crate::sched::queue::{Fifo, NONE, OpId};
use crate::sched::{QueueView, Scheduler};
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

/// The classes of one operation, one bit each.
fn classes_of(op: FlashOp) -> u32 {
    Class::ALL.iter().filter(|class| class.op() == op).fold(0, |mask, class| mask | 1 << class.index())
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
        let range = || (first..first + dies).map(DieId);
        if range().any(|die| self.dies[die.index()].phase != Phase::Idle) {
            return false;
        }
        if range().any(|die| self.dies[die.index()].suspended.is_some()) {
            return self.serve_suspended(first, dies);
        }
        loop {
            let Some((leader, class)) = self.choose_for_chip(first, dies) else { return false };
            let classes = classes_of(class.op());
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
        let mut oldest: [OpId; CLASSES] = [NONE; CLASSES];
        let mut holder = [DieId(first); CLASSES];
        let mut all = 0;
        for die in (first..first + dies).map(DieId) {
            let open = self.open_work(die);
            all |= open;
            for class in Class::ALL.into_iter().filter(|class| open & (1 << class.index()) != 0) {
                let (head, best) = (self.dies[die.index()].first(class), &mut oldest[class.index()]);
                if *best == NONE || self.pool[head].order < self.pool[*best].order {
                    *best = head;
                    holder[class.index()] = die;
                }
            }
        }
        if all == 0 {
            return None;
        }
        let queues = oldest.map(Fifo::headed_by);
        let (urgent, pool, now) = (self.urgent, &self.pool, self.now);
        let class = self.scheduler.next(&QueueView { queues: &queues, waiting: all, urgent, pool, now });
        let Some(class) = class.filter(|class| all & (1 << class.index()) != 0) else {
            self.fail(format!("the scheduler chose {class:?} for a chip where nothing of it waits"));
            return None;
        };
        Some((holder[class.index()], class))
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
