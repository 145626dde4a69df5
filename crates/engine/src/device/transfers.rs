//! Channels: who gets one, and who waits for it.

use super::Device;
use super::flash::Flash;
use crate::nand::die::{ChannelWait, Phase};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_config::device::ChannelArbitration;

impl Flash {
    /// Whether a command does what no request waits for, so that its parts of a response time are nobody's. What reads and
    /// erases for moves does so; their programs may take a write of the host along, and with cache reads a read of the host may
    /// wait for the channel while the one behind it does.
    #[inline(always)]
    pub(super) fn nobody_waits_for(&self, class: Class) -> bool {
        class.is_move() && class.op() != FlashOp::Program && !self.overlap.read
    }

    /// A die waits for its channel, which is taken.
    #[inline(never)]
    fn wait_for_channel(&mut self, die: DieId, number: u32, duration: Ns) {
        let blamed = !self.nobody_waits_for(self.dies[die.index()].command.class);
        let channel = &mut self.channels[number as usize];
        let wait = &mut self.dies[die.index()].channel_wait;
        wait.duration = duration;
        if blamed {
            wait.ahead = (channel.class, channel.free_at.since(self.now).0);
            channel.clock.copy_to(&mut wait.snapshot);
        }
        let first = channel.waiting.is_empty();
        let free_at = channel.free_at;
        channel.waiting.push(die);
        if first {
            let resource = self.channel_resource(number);
            self.events.set_behind(resource, free_at);
        }
    }
}

impl Device {
    /// A die wants the channel for so long.
    #[inline(always)]
    pub(super) fn want_channel(&mut self, die: DieId, class: Class, duration: Ns) {
        let number = self.flash.channel_of[die.index()];
        if !self.flash.channels[number as usize].is_free(self.flash.now) {
            return self.flash.wait_for_channel(die, number, duration);
        }
        let end = self.flash.channels[number as usize].grant(class, self.flash.now, duration);
        self.flash.expect_turns(number, end);
        self.channel_granted(die, end);
    }

    /// A channel became free and somebody waits for it.
    pub(super) fn channel_event(&mut self, number: u32) {
        let resource = self.flash.channel_resource(number);
        let dies = &self.flash.dies;
        let channel = &mut self.flash.channels[number as usize];
        let chips = self.flash.chips.is_some();
        let goes_first = |die: &DieId| {
            let die = &dies[die.index()];
            match self.flash.rules.arbitration {
                // Commands that wait are those of the chip whose turn it is.
                _ if chips => die.phase == Phase::Command,
                ChannelArbitration::Fifo => true,
                ChannelArbitration::CommandFirst => die.phase == Phase::Command && die.command.is_bare(),
                ChannelArbitration::DataOutFirst => die.phase == Phase::DataWait,
            }
        };
        let alone = channel.waiting.len() <= 1;
        let place = if alone { 0 } else { channel.waiting.iter().position(goes_first).unwrap_or(0) };
        let Some(die) = channel.take(place) else { return self.serve_chips(number) };
        let blamed = !self.flash.nobody_waits_for(self.flash.dies[die.index()].command.class);
        let state = &mut self.flash.dies[die.index()];
        let channel = &mut self.flash.channels[number as usize];
        let ChannelWait { ahead: (class, rest), snapshot, duration } = &state.channel_wait;
        let duration = *duration;
        if blamed {
            state.command.parts.add(Part::ChannelWait(*class), *rest);
            state.command.parts.add_channel_wait(&channel.clock, snapshot);
        }
        let end = channel.grant(state.command.class, self.flash.now, duration);
        if chips || !channel.waiting.is_empty() {
            self.flash.events.set_behind(resource, end);
        }
        self.channel_granted(die, end);
    }

    /// The channel is the die's until `end`.
    #[inline(always)]
    fn channel_granted(&mut self, die: DieId, end: Ns) {
        let beside = if self.watches_grants() { self.tell_grant(die, end) } else { None };
        let state = &mut self.flash.dies[die.index()];
        let event = if state.phase == Phase::DataWait {
            state.phase = Phase::DataOut;
            end
        } else if let Some(event) = beside {
            event
        } else {
            state.phase = Phase::Array;
            let cell = state.command.cell;
            state.array = [end, end + cell];
            self.observers.recorder.array_ns[die.index()] += cell.0;
            if self.flash.rules.interrupts {
                // A read may have come while the command waited for the channel.
                self.flash.touched.push(die);
            }
            end + cell
        };
        self.flash.events.set(Self::die_resource(die), event);
    }

    /// Whether anybody wants to hear who has a channel, or goes on beside it.
    #[inline(always)]
    fn watches_grants(&self) -> bool {
        self.observers.probe.is_some() || self.observers.monitor.chips.is_some() || self.flash.overlap.is_on()
    }

    /// Tells those who watch that the channel is the die's until `end`. Returns the die's next event, if what is granted
    /// goes on beside its array.
    #[inline(never)]
    fn tell_grant(&mut self, die: DieId, end: Ns) -> Option<Ns> {
        self.tell_channel(die, end);
        let data = self.flash.dies[die.index()].phase == Phase::DataWait;
        self.note_transfer(die, end, data);
        if self.flash.overlap.is_on() && !data { self.flash.granted_beside(die, end) } else { None }
    }
}
