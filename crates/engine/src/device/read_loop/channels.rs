//! Channels of the read loop: granted at once where they are free, else to the die that their arbitration chooses.

use super::due::DueDies;
use super::serve::ActiveReadLoop;
use super::{LoopChannel, LoopDie, NONE, ReadLoop};
use crate::config::device::ChannelArbitration;
use crate::nand::die::Phase;
use crate::time::Ns;

/// A channel is a die's for so long.
#[inline(always)]
fn grant(
    due: &mut DueDies,
    number: u32,
    die: &mut LoopDie,
    channel: &mut LoopChannel,
    now: Ns,
    duration: Ns,
) {
    channel.free_at = now + duration;
    channel.granted += duration.0;
    if die.phase == Phase::DataWait {
        die.phase = Phase::DataOut;
        due.begin(now, duration, number);
    } else {
        die.phase = Phase::Array;
        die.array += die.cell.0;
        due.begin(now, duration + die.cell, number);
    }
}

impl ReadLoop {
    /// A die wants the channel for so long from `now` on.
    #[inline(always)]
    pub(super) fn want_channel(&mut self, number: u32, duration: Ns, now: Ns) {
        let die = &mut self.dies[number as usize];
        let channel = &mut self.channels[die.channel as usize];
        if channel.is_free(now) {
            grant(&mut self.due, number, die, channel, now, duration);
        } else {
            self.wait_for_channel(number, duration, now);
        }
    }

    #[inline(never)]
    fn wait_for_channel(&mut self, number: u32, duration: Ns, now: Ns) {
        let die = &mut self.dies[number as usize];
        let channel = &mut self.channels[die.channel as usize];
        (die.requested_at, die.requested, die.behind) = (now, duration, NONE);
        let last = std::mem::replace(&mut channel.last, number);
        if channel.first == NONE {
            channel.first = number;
            self.releases.note(channel.free_at, die.channel);
        } else {
            self.dies[last as usize].behind = number;
        }
    }
}

impl ActiveReadLoop<'_> {
    /// The first channel that dies wait for became free.
    #[inline]
    pub(super) fn channel_is_free(&mut self) {
        let Some(channel) = self.reads.releases.take() else { return };
        let number = channel as usize;
        let (before, next) = self.chosen(number);
        let reads = &mut self.reads;
        let die = &mut reads.dies[next as usize];
        let (behind, duration) = (die.behind, die.requested);
        die.channel_wait += self.now.since(die.requested_at).0;
        let channel = &mut reads.channels[number];
        grant(&mut reads.due, next, die, channel, self.now, duration);
        if channel.last == next {
            channel.last = before;
        }
        if before == NONE {
            channel.first = behind;
        } else {
            reads.dies[before as usize].behind = behind;
        }
        if channel.first != NONE {
            reads.releases.note(channel.free_at, number as u32);
        }
    }

    /// The die that a channel chooses among those that wait for it, and the one before it.
    #[inline]
    fn chosen(&self, channel: usize) -> (u32, u32) {
        let LoopChannel { first, last, .. } = self.reads.channels[channel];
        let preferred = match self.drive.rules.arbitration {
            _ if first == last => return (NONE, first),
            ChannelArbitration::Fifo => return (NONE, first),
            ChannelArbitration::CommandFirst => Phase::Command,
            ChannelArbitration::DataOutFirst => Phase::DataWait,
        };
        let (mut before, mut next) = (NONE, first);
        while next != NONE {
            let die = &self.reads.dies[next as usize];
            if die.phase == preferred {
                return (before, next);
            }
            (before, next) = (next, die.behind);
        }
        (NONE, first)
    }
}
