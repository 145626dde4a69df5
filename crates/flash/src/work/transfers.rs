//! Channels: who gets one, and who waits for it.

use super::chips::serve_chips;
use crate::nand::die::{ChannelWait, Phase};
use crate::{Above, Count, Flash};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_config::device::ChannelArbitration;

impl Flash {
    /// Whether a command does what nobody waits for, so that its parts of a response time are nobody's. What reads and
    /// erases for moves does so; their programs may take a write of the host along, and with cache reads a read of the host may
    /// wait for the channel while the one behind it does.
    #[inline(always)]
    pub(crate) fn nobody_waits_for(&self, class: Class) -> bool {
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

/// A die wants the channel for so long.
#[inline(always)]
pub(super) fn want_channel<A: Above>(above: &mut A, die: DieId, class: Class, duration: Ns) {
    let flash = above.flash_mut();
    let number = flash.channel_of[die.index()];
    if !flash.channels[number as usize].is_free(flash.now) {
        return flash.wait_for_channel(die, number, duration);
    }
    let end = flash.channels[number as usize].grant(class, flash.now, duration);
    flash.expect_turns(number, end);
    channel_granted(above, die, end);
}

/// A channel became free and somebody waits for it.
pub(super) fn channel_event<A: Above>(above: &mut A, number: u32) {
    let flash = above.flash_mut();
    let resource = flash.channel_resource(number);
    let dies = &flash.dies;
    let channel = &mut flash.channels[number as usize];
    let chips = flash.chips.is_some();
    let goes_first = |die: &DieId| {
        let die = &dies[die.index()];
        match flash.rules.arbitration {
            // Commands that wait are those of the chip whose turn it is.
            _ if chips => die.phase == Phase::Command,
            ChannelArbitration::Fifo => true,
            ChannelArbitration::CommandFirst => die.phase == Phase::Command && die.command.is_bare(),
            ChannelArbitration::DataOutFirst => die.phase == Phase::DataWait,
        }
    };
    let alone = channel.waiting.len() <= 1;
    let place = if alone { 0 } else { channel.waiting.iter().position(goes_first).unwrap_or(0) };
    let Some(die) = channel.take(place) else { return serve_chips(above, number) };
    let blamed = !flash.nobody_waits_for(flash.dies[die.index()].command.class);
    let state = &mut flash.dies[die.index()];
    let channel = &mut flash.channels[number as usize];
    let ChannelWait { ahead: (class, rest), snapshot, duration } = &state.channel_wait;
    let duration = *duration;
    if blamed {
        state.command.parts.add(Part::ChannelWait(*class), *rest);
        state.command.parts.add_channel_wait(&channel.clock, snapshot);
    }
    let end = channel.grant(state.command.class, flash.now, duration);
    if chips || !channel.waiting.is_empty() {
        flash.events.set_behind(resource, end);
    }
    channel_granted(above, die, end);
}

/// The channel is the die's until `end`.
#[inline(always)]
fn channel_granted<A: Above>(above: &mut A, die: DieId, end: Ns) {
    let watched = above.watches_channels() || above.flash().overlap.is_on();
    let beside = if watched { tell_grant(above, die, end) } else { None };
    let flash = above.flash_mut();
    let state = &mut flash.dies[die.index()];
    let mut works = None;
    let event = if state.phase == Phase::DataWait {
        state.phase = Phase::DataOut;
        end
    } else if let Some(event) = beside {
        event
    } else {
        state.phase = Phase::Array;
        let cell = state.command.cell;
        state.array = [end, end + cell];
        works = Some(cell);
        if flash.rules.interrupts {
            // A read may have come while the command waited for the channel.
            flash.touched.push(die);
        }
        end + cell
    };
    flash.events.set(die.index(), event);
    if let Some(cell) = works {
        above.count(Count::Array(die, cell));
    }
}

/// Tells those who watch that the channel is the die's until `end`. Returns the die's next event, if what is granted
/// goes on beside its array.
#[inline(never)]
fn tell_grant<A: Above>(above: &mut A, die: DieId, end: Ns) -> Option<Ns> {
    let data = above.flash().dies[die.index()].phase == Phase::DataWait;
    above.channel_taken(die, end, data);
    let flash = above.flash_mut();
    if flash.overlap.is_on() && !data { flash.granted_beside(die, end) } else { None }
}
