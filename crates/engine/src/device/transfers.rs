//! Channels: who gets one, and who waits for it.

use super::Device;
use crate::config::device::ChannelArbitration;
use crate::ids::DieId;
use crate::nand::die::{ChannelWait, Phase};
use crate::sched::class::Class;
use crate::stats::blame::Part;
use crate::time::Ns;

impl Device {
    /// Whether the last step of an event that wants a channel is its last: nothing but dies that were touched follows it.
    /// What systems asked for, copies that were dropped, and writes that paced collection lets go on would.
    #[inline(always)]
    fn channel_request_is_last_step(&self) -> bool {
        if self.pace.as_ref().is_some_and(|pace| !pace.due.is_empty()) {
            return false;
        }
        self.is_without_hooks()
            || (self.rules.channel_request_comes_last
                && !self.systems_asked()
                && self.replication.dropped.is_empty()
                && self.wake_at > self.now)
    }

    /// Whether a request for a channel that becomes free just now is certain to be the only one among which it will choose
    /// behind all other events of this nanosecond: nothing else happens in it. To be asked in the last step of an event.
    #[inline(always)]
    fn is_only_channel_request(&self, channel: u32) -> bool {
        self.channels[channel as usize].ends_at(self.now)
            && self.arrival > self.now
            && self.events.first_time() > self.now
            && self.next_beside_flash() > self.now
            && self.touched.is_empty()
            && !self.host_must_hear()
    }

    /// A die wants the channel for so long.
    #[inline(always)]
    pub(super) fn want_channel(&mut self, die: DieId, class: Class, duration: Ns) {
        let number = self.channel_of[die.index()];
        let mut is_free = self.channels[number as usize].is_free(self.now);
        if !is_free && self.channel_request_is_last_step() && self.is_only_channel_request(number) {
            // The event in which the channel chooses, without setting it.
            self.events_processed += 1;
            is_free = true;
        }
        if !is_free {
            return self.wait_for_channel(die, number, duration);
        }
        let end = self.channels[number as usize].grant(class, self.now, duration);
        self.expect_turns(number, end);
        self.channel_granted(die, end);
    }

    /// A die waits for its channel, which is taken.
    #[inline(never)]
    fn wait_for_channel(&mut self, die: DieId, number: u32, duration: Ns) {
        let command = &self.dies[die.index()].command;
        let blamed = !self.nobody_waits_for_this(command);
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

    /// A channel became free and somebody waits for it.
    pub(super) fn channel_event(&mut self, number: u32) {
        let resource = self.channel_resource(number);
        let dies = &self.dies;
        let channel = &mut self.channels[number as usize];
        let chips = self.chips.is_some();
        let goes_first = |die: &DieId| {
            let die = &dies[die.index()];
            match self.rules.arbitration {
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
        let blamed = !self.nobody_waits_for_this(&self.dies[die.index()].command);
        let state = &mut self.dies[die.index()];
        let channel = &mut self.channels[number as usize];
        let ChannelWait { ahead: (class, rest), snapshot, duration } = &state.channel_wait;
        let duration = *duration;
        if blamed {
            state.command.parts.add(Part::ChannelWait(*class), *rest);
            state.command.parts.add_channel_wait(&channel.clock, snapshot);
        }
        let end = channel.grant(state.command.class, self.now, duration);
        if chips || !channel.waiting.is_empty() {
            self.events.set_behind(resource, end);
        }
        self.channel_granted(die, end);
    }

    /// The channel is the die's until `end`.
    #[inline(always)]
    fn channel_granted(&mut self, die: DieId, end: Ns) {
        let beside = if self.watches_grants() { self.tell_grant(die, end) } else { None };
        let state = &mut self.dies[die.index()];
        let event = if state.phase == Phase::DataWait {
            state.phase = Phase::DataOut;
            end
        } else if let Some(event) = beside {
            event
        } else {
            state.phase = Phase::Array;
            let cell = state.command.cell;
            state.array = [end, end + cell];
            self.recorder.array_ns[die.index()] += cell.0;
            if self.rules.interrupts {
                // A read may have come while the command waited for the channel.
                self.touched.push(die);
            }
            end + cell
        };
        self.events.set(Self::die_resource(die), event);
    }

    /// Whether anybody wants to hear who has a channel, or goes on beside it.
    #[inline(always)]
    fn watches_grants(&self) -> bool {
        !self.reads_bypass_queues()
            && (self.probe.is_some() || self.monitor.chips.is_some() || self.overlap.is_on())
    }

    /// Tells those who watch that the channel is the die's until `end`. Returns the die's next event, if what is granted
    /// goes on beside its array.
    #[inline(never)]
    fn tell_grant(&mut self, die: DieId, end: Ns) -> Option<Ns> {
        self.tell_channel(die, end);
        let data = self.dies[die.index()].phase == Phase::DataWait;
        self.note_transfer(die, end, data);
        if self.overlap.is_on() && !data { self.granted_beside(die, end) } else { None }
    }
}
