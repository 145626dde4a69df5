//! The content of page registers leaves for the controller, page by page.

use super::progress::command_done;
use super::queue::change_load;
use super::transfers::want_channel;
use crate::nand::die::{Command, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use crate::{Above, Flash};
use wordline_base::class::Class;
use wordline_base::ids::DieId;
use wordline_base::parts::Part;

/// Units of a flash page whose bytes are added up in one walk over those who want them.
const UNITS_AT_ONCE: u32 = 16;

impl Flash {
    /// Bytes of a flash page that its readers want; a unit that several want moves once.
    #[inline]
    pub fn bytes_wanted(&self, head: OpId) -> u32 {
        let op = &self.pool[head];
        if op.next_unit == NONE { op.bytes } else { self.bytes_of_chain(head) }
    }

    fn bytes_of_chain(&self, head: OpId) -> u32 {
        let (mut bytes, units) = (0u32, self.geometry.units_per_page());
        for first in (0..units).step_by(UNITS_AT_ONCE as usize) {
            // The most that is wanted of each unit of the page.
            let mut most = [0u32; UNITS_AT_ONCE as usize];
            for unit in self.pool.units(head) {
                let Op { ppa, bytes: wanted, .. } = self.pool[unit];
                let number = (ppa.0 & (units - 1)).wrapping_sub(first);
                let Some(before) = most.get_mut(number as usize) else { continue };
                bytes = bytes.saturating_add(wanted.saturating_sub(*before));
                *before = wanted.max(*before);
            }
        }
        bytes
    }
}

/// The page register's content wants to leave.
#[inline(always)]
pub(super) fn send_data<A: Above>(above: &mut A, die: DieId, head: OpId, class: Class) {
    if class.is_move() && above.flash().geometry.unit_shift > 0 {
        above.fetch_moved(head);
    }
    let flash = above.flash_mut();
    let bytes = flash.bytes_wanted(head);
    let duration = flash.transfer(bytes);
    let blamed = !flash.nobody_waits_for(class);
    let state = &mut flash.dies[die.index()];
    state.phase = Phase::DataWait;
    state.data_out = duration;
    if blamed {
        state.command.parts.add(Part::Transfer, duration.0);
    }
    above.data_crosses(class, bytes);
    want_channel(above, die, class, duration);
}

/// One flash page of a read has left.
#[inline(always)]
pub(super) fn data_left<A: Above>(above: &mut A, die: DieId) {
    let flash = above.flash_mut();
    let command = &mut flash.dies[die.index()].command;
    let Command { head, class, planes, .. } = *command;
    let next = flash.pool[head].next;
    // What its answer leads to finds the rest of the command at the die.
    command.head = next;
    change_load(above, die, -1);
    above.page_done(die, class, head);
    if !above.flash_mut().begin_decoding(head, die) {
        above.page_read(head, class, Some(die));
    }
    if next == NONE {
        above.command_done(class, planes, 1);
        return command_done(above, die);
    }
    let flash = above.flash_mut();
    // For the planes that follow, this transfer was a wait.
    if !flash.nobody_waits_for(class) {
        let state = &mut flash.dies[die.index()];
        state.command.parts.shift(Part::Transfer, Part::ChannelWait(class), state.data_out.0);
    }
    send_data(above, die, next, class);
}
