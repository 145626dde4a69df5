//! Events of the flash, and what arrays do when they finish.

use super::cache_operations::{next_read_takes_over, page_in_register, register_event, register_moved};
use super::copyback::copyback_read;
use super::data_out::{data_left, send_data};
use super::disturb::decoding_done;
use super::issue::start_next;
use super::planes::plane_is_free;
use super::queue::change_load;
use super::suspension::suspended;
use super::transfers::channel_event;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::NONE;
use crate::{Above, Flash};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

impl Flash {
    /// Place of a channel in the event set: behind the dies, each of which has the place of its number.
    pub(crate) fn channel_resource(&self, channel: u32) -> usize {
        self.dies.len() + channel as usize
    }

    /// Place of a die's cache register: behind the channels.
    pub(crate) fn register_resource(&self, die: DieId) -> usize {
        self.dies.len() + self.channels.len() + die.index()
    }

    /// Place of the decoder: behind the cache registers, and before the timers of other parts.
    pub(crate) fn decoder_resource(&self) -> usize {
        self.dies.len() + self.channels.len() + self.overlap.registers.len()
    }

    /// Sets a timer of another part.
    pub fn set_timer(&mut self, number: usize, time: Ns) {
        let resource = self.decoder_resource() + 1 + number;
        self.events.set(resource, time);
    }
}

/// Handles the first event, which comes now. The number of the timer, where it is one of another part.
#[inline(always)]
pub fn handle_event<A: Above>(above: &mut A) -> Option<usize> {
    let flash = above.flash_mut();
    let (resource, dies) = (flash.events.take_first(), flash.dies.len());
    if resource < dies {
        die_event(above, DieId(resource as u32));
        return None;
    }
    event_beside_dies(above, resource)
}

/// Handles the event of a resource that is no die.
#[inline(never)]
fn event_beside_dies<A: Above>(above: &mut A, resource: usize) -> Option<usize> {
    let flash = above.flash();
    let (dies, channels, decoder) = (flash.dies.len(), flash.channels.len(), flash.decoder_resource());
    if resource - dies < channels {
        channel_event(above, (resource - dies) as u32);
    } else if resource < decoder {
        register_event(above, DieId((resource - dies - channels) as u32));
    } else if resource == decoder {
        decoding_done(above);
    } else {
        return Some(resource - decoder - 1);
    }
    None
}

#[inline(always)]
fn die_event<A: Above>(above: &mut A, die: DieId) {
    match above.flash().dies[die.index()].phase {
        Phase::Array => array_done(above, die),
        Phase::DataOut => data_left(above, die),
        Phase::Suspending => suspended(above, die),
        Phase::Moving => register_moved(above, die),
        Phase::Loading => above.flash_mut().loaded(die),
        // A gate opens behind which work waits.
        Phase::Idle => start_next(above, die),
        Phase::Command | Phase::DataWait | Phase::Loaded => {}
    }
}

#[inline(always)]
fn array_done<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash();
    let Command { head, class, form, .. } = flash.dies[die.index()].command;
    if class.op() == FlashOp::Read {
        if flash.overlap.read {
            return page_in_register(above, die);
        }
        return send_data(above, die, head, class);
    }
    if form == CommandForm::CopybackRead {
        return copyback_read(above, die);
    }
    pages_done(above, die);
    command_done(above, die);
}

/// The pages of the die's program are programmed, or the blocks of its erase erased.
pub(super) fn pages_done<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash();
    let Command { mut head, class, planes, .. } = flash.dies[die.index()].command;
    let program = class.op() == FlashOp::Program;
    let pages = if program { flash.geometry.pages_at_once(above.cell_mode(flash.pool[head].ppa)) } else { 1 };
    above.command_done(class, planes, pages);
    while head != NONE {
        let next = above.flash().pool[head].next;
        change_load(above, die, -1);
        above.page_done(die, class, head);
        if program {
            above.programmed(head, die);
        } else {
            let flash = above.flash_mut();
            flash.forget_reads(flash.pool[head].ppa);
            above.erased(head);
        }
        head = next;
    }
}

#[inline(always)]
pub(super) fn command_done<A: Above>(above: &mut A, die: DieId) {
    if above.flash().overlap.read && next_read_takes_over(above, die) {
        return;
    }
    let flash = above.flash_mut();
    let state = &mut flash.dies[die.index()];
    (state.phase, state.command.head) = (Phase::Idle, NONE);
    if flash.plane_collection.is_some() {
        plane_is_free(above, die);
    }
    above.flash_mut().plane_has_read(die);
    start_next(above, die);
}
