//! The content of page registers leaves for the controller, page by page.

use super::Device;
use super::flash::Flash;
use super::purposes::Purpose;
use crate::nand::die::{Command, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;

/// Units of a flash page whose bytes are added up in one walk over those who want them.
const UNITS_AT_ONCE: u32 = 16;

impl Flash {
    /// Bytes of a flash page that its readers want; a unit that several want moves once.
    #[inline]
    pub(super) fn bytes_wanted(&self, head: OpId) -> u32 {
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

impl Device {
    /// The page register's content wants to leave.
    #[inline(always)]
    pub(super) fn send_data(&mut self, die: DieId, head: OpId, class: Class) {
        if class.is_move() && self.geometry.unit_shift > 0 {
            self.fetch_entries_of(head);
        }
        let bytes = self.flash.bytes_wanted(head);
        let duration = self.flash.transfer(bytes);
        self.charge_channel(class, bytes);
        let blamed = !self.flash.nobody_waits_for(class);
        let state = &mut self.flash.dies[die.index()];
        state.phase = Phase::DataWait;
        state.data_out = duration;
        if blamed {
            state.command.parts.add(Part::Transfer, duration.0);
        }
        self.want_channel(die, class, duration);
    }

    /// One flash page of a read has left.
    #[inline(always)]
    pub(super) fn data_left(&mut self, die: DieId) {
        let command = &mut self.flash.dies[die.index()].command;
        let Command { head, class, planes, .. } = *command;
        let next = self.flash.pool[head].next;
        // What its answer leads to finds the rest of the command at the die.
        command.head = next;
        self.change_load(die, -1);
        self.note_done(die, class, head);
        if !self.begin_decoding(head, die) {
            self.page_read(head, class, Some(die));
        }
        let blamed = !self.flash.nobody_waits_for(class);
        let state = &mut self.flash.dies[die.index()];
        if next == NONE {
            self.observers.count(class, planes, 1);
            return self.command_done(die);
        }
        // For the planes that follow, this transfer was a wait.
        if blamed {
            state.command.parts.shift(Part::Transfer, Part::ChannelWait(class), state.data_out.0);
        }
        self.send_data(die, next, class);
    }

    /// The units of a flash page are with the controller. `die` is where the command runs whose parts count for them,
    /// unless they carry those already.
    #[inline]
    pub(super) fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        let first = self.flash.pool[head].ppa;
        let mut unit = head;
        while unit != NONE {
            let op = &mut self.flash.pool[unit];
            let next_unit = std::mem::replace(&mut op.next_unit, NONE);
            op.last_unit = unit;
            let tentative = op.tentative;
            let Purpose { whose, partial, .. } = self.ftl.purposes[unit];
            if class == Class::HostRead && !partial && !tentative && whose.rebuild().is_none() {
                self.tell_read_done(unit);
                if self.controller.cache.is_some() {
                    self.keep_read(unit);
                }
                self.unit_done(unit, die);
            } else {
                self.unit_read(unit, class, die);
            }
            unit = next_unit;
        }
        if class.is_move() {
            // A plan reads pages of any domain, in whose collection that changes nothing.
            let domain = self.ftl.domain_of(first);
            self.advance_collection(domain);
        }
    }

    /// One unit is with the controller that is not what a read of the host asked for, or not all of it.
    fn unit_read(&mut self, unit: OpId, class: Class, die: Option<DieId>) {
        let Purpose { partial, .. } = self.ftl.purposes[unit];
        let Op { ppa, tentative, .. } = self.flash.pool[unit];
        if class.is_move() {
            self.unit_read_for_move(unit);
        } else if class == Class::MapRead {
            self.map_page_read(unit);
        } else if tentative {
            self.guess_was_wrong(unit);
        } else if class == Class::CopyRead {
            self.read_for_copy_done(unit);
        } else if class == Class::ParityRead {
            self.read_for_parity_done(unit);
        } else if partial || class.cause() == Cause::WriteBack {
            // A program follows, whose response time this is a part of.
            if let Some(die) = die {
                self.flash.pool.parts_mut(unit).merge(&self.flash.dies[die.index()].command.parts);
            }
            if class.cause() == Cause::WriteBack {
                return self.merged(unit);
            }
            self.flash.pool[unit].source = ppa;
            self.program_anywhere(unit);
        } else {
            self.source_read(unit, die);
        }
    }
}
