//! Plain reads: on a drive of which no optional part wants to see or change what a read does, a read of one mapping unit
//! that finds its die idle needs no queue, no scheduler and no second look at the map. It leaves behind what the long way
//! does, and checked mode verifies it: a drive with a probe takes the long way, and the tests compare the two.

use super::Device;
use crate::ids::{DieId, Lpa};
use crate::nand::die::Phase;
use crate::nand::{CellMode, Place};
use crate::sched::class::Class;
use crate::sched::queue::{NONE, Op, OpId};

impl Device {
    /// Whether reads are plain: nothing watches them, answers them in the place of flash, or changes their way.
    pub(super) fn reads_are_plain(&self) -> bool {
        let watched = self.probe.is_some()
            || !self.systems.are_none()
            || self.monitor.watches_commands()
            || self.disturb.is_some()
            || self.energy.is_some();
        let elsewhere = self.cache.is_some()
            || self.translation.is_on()
            || self.copies.is_on()
            || self.redundancy.is_some()
            || self.second_server > 0;
        let otherwise =
            self.chips.is_some() || self.overlap.is_on() || self.gates.are_used() || self.blocks.has_modes();
        !(watched || elsewhere || otherwise)
    }

    /// To be called when something that [`Self::reads_are_plain`] or [`Self::moves_are_plain`] asks for changes.
    pub(super) fn note_plain_reads(&mut self) {
        self.rules.plain_reads = self.reads_are_plain();
        self.rules.plain_moves = self.moves_are_plain();
    }

    /// Whether nothing watches what dies and channels do, or changes their ways.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        debug_assert!(!self.rules.plain_reads || self.reads_are_plain(), "noted when it changes");
        self.rules.plain_reads
    }

    /// A read request of one unit begins, if it is plain and its die is idle.
    #[inline(always)]
    pub(super) fn begin_at_once(&mut self, request: u32, lpa: Lpa, bytes: u32) -> bool {
        if !self.is_plain() {
            return false;
        }
        let ppa = self.lookup(lpa);
        let Place { plane, page, .. } = self.geometry.place(ppa);
        let die = self.geometry.die_of(plane).0;
        let Some(state) = self.dies.get_mut(die.index()) else { return false };
        if !ppa.is_some() || state.phase != Phase::Idle || state.has_work() {
            return false;
        }
        self.op_order += 1;
        let (order, now) = (self.op_order, self.now);
        let op = Op::new(Class::HostRead, lpa, ppa);
        let head = self.pool.insert(Op { request, bytes, order, arrived: now, wait_from: now, ..op });
        let (command, cell) = (self.timing.read_command(1), self.timing.read(page, CellMode::Native));
        state.command.parts.begin(command.0, 0, cell.0);
        state.command.begin(head, Class::HostRead, 1, cell, 0);
        state.phase = Phase::Command;
        state.occupy(Some(Class::HostRead), now);
        self.requests[request as usize].left = 1;
        self.change_load(die, 1);
        if self.versions.is_some() {
            self.verify_read(head);
        }
        self.want_channel(die, Class::HostRead, command);
        true
    }

    /// The data of a page has left its die: ends the read, if it is a plain one of one unit there.
    #[inline(always)]
    pub(super) fn end_at_once(&mut self, die: DieId, head: OpId, class: Class) -> bool {
        if !self.rules.plain_reads || class != Class::HostRead {
            return false;
        }
        let op = &self.pool[head];
        if op.next_unit != NONE || op.partial {
            return false;
        }
        self.unit_done(head, Some(die));
        true
    }
}
