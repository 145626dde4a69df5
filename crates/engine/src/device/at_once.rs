//! Reads that begin at once: a read of one mapping unit that finds its die idle needs no queue, no scheduler, no second look
//! at the map, and no walk over units at its end. It leaves behind what the long way does, and checked mode verifies it: a
//! drive with a probe takes the long way, and the tests compare the two.
//!
//! Reads are *direct* where nothing changes the way of a command: systems, the data cache, copies, gates and parity may
//! be there, and are asked and told what they are on the long way. They are *plain* where none of these is there, either.

use super::Device;
use crate::ids::{DieId, Lpa};
use crate::nand::die::Phase;
use crate::nand::{CellMode, Place};
use crate::sched::class::Class;
use crate::sched::queue::{JOIN, NONE, Op, OpId};

impl Device {
    /// Whether reads are direct: nobody watches commands, and each goes to the die of its page, which takes it by itself.
    pub(super) fn reads_are_direct(&self) -> bool {
        let watched = self.probe.is_some()
            || self.monitor.watches_commands()
            || self.disturb.is_some()
            || self.reclaim.is_some()
            || self.energy.is_some();
        let otherwise = self.translation.is_on()
            || self.second_server > 0
            || self.chips.is_some()
            || self.overlap.is_on()
            || self.blocks.has_modes();
        !(watched || otherwise)
    }

    /// Whether reads are plain: direct, and nothing watches them, answers them in the place of flash, or delays them.
    pub(super) fn reads_are_plain(&self) -> bool {
        let watched = !self.systems.are_none();
        let elsewhere = self.cache.is_some() || self.copies.is_on() || self.redundancy.is_some();
        self.reads_are_direct() && !(watched || elsewhere || self.gates.are_used())
    }

    /// Whether nothing of an event but what systems and their copies want follows when a die has asked for its channel.
    fn wishes_are_lone(&self) -> bool {
        self.reads_are_direct() && self.redundancy.is_none()
    }

    /// To be called when something that [`Self::reads_are_direct`], [`Self::reads_are_plain`] or [`Self::moves_are_plain`]
    /// asks for changes.
    pub(super) fn note_plain_reads(&mut self) {
        self.rules.direct_reads = self.reads_are_direct();
        self.rules.plain_reads = self.reads_are_plain();
        self.rules.lone_wishes = self.wishes_are_lone();
        self.rules.plain_moves = self.moves_are_plain();
    }

    /// Whether nothing watches what dies and channels do, or changes their ways.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        debug_assert!(!self.rules.plain_reads || self.reads_are_plain(), "noted when it changes");
        self.rules.plain_reads
    }

    /// Whether nobody watches commands, and none has anything beside its array.
    #[inline(always)]
    pub(super) fn has_direct_reads(&self) -> bool {
        debug_assert!(!self.rules.direct_reads || self.reads_are_direct(), "noted when it changes");
        self.rules.direct_reads
    }

    /// A read request of one unit, which the cache doesn't serve, begins, if it is direct and its die is idle.
    #[inline(always)]
    pub(super) fn begin_at_once(&mut self, request: u32, lpa: Lpa, bytes: u32) -> bool {
        if !self.has_direct_reads() {
            return false;
        }
        let ppa = self.lookup(lpa);
        let Place { plane, page, .. } = self.geometry.place(ppa);
        let die = self.geometry.die_of(plane).0;
        let Some(state) = self.dies.get(die.index()) else { return false };
        if !ppa.is_some() || state.phase != Phase::Idle || state.has_work() {
            return false;
        }
        let plain = self.is_plain();
        if !plain && self.must_queue(lpa, die) {
            return false;
        }
        self.op_order += 1;
        let (order, now) = (self.op_order, self.now);
        let op = Op::new(Class::HostRead, lpa, ppa);
        let head = self.pool.insert(Op { request, bytes, order, arrived: now, wait_from: now, ..op });
        self.change_load(die, 1);
        if !plain {
            self.tell_accessed(lpa, false);
            if self.is_kept_back(head, die) {
                return true;
            }
        }
        let (command, cell) = (self.timing.read_command(1), self.timing.read(page, CellMode::Native));
        let Some(state) = self.dies.get_mut(die.index()) else { return false };
        state.command.parts.begin(command.0, 0, cell.0);
        state.command.begin(head, Class::HostRead, 1, cell, 0);
        state.phase = Phase::Command;
        state.occupy(Some(Class::HostRead), now);
        if self.versions.is_some() {
            self.verify_read(head);
        }
        self.want_channel(die, Class::HostRead, command);
        true
    }

    /// Whether a direct read can't begin on its idle die: its page has copies, of which one is to be chosen, another die
    /// or what a system asked for goes first, or a gate is closed.
    #[inline]
    fn must_queue(&self, lpa: Lpa, die: DieId) -> bool {
        let closed =
            self.gates.are_used() && self.gates.closed(die, self.now) & (1 << Class::HostRead.index()) != 0;
        closed || self.copies.has(lpa) || !self.touched.is_empty() || self.systems_asked()
    }

    /// Tells systems of a direct read, which they see wait at its die as on the long way. If one asks for something, that is
    /// done first, and the read stays in the queue.
    #[inline]
    fn is_kept_back(&mut self, head: OpId, die: DieId) -> bool {
        if !self.tells_of_reads() {
            return false;
        }
        self.begin_wait(head, die);
        let Some(state) = self.dies.get_mut(die.index()) else { return false };
        state.push(&mut self.pool, Class::HostRead, head);
        self.tell_read(head);
        if self.systems_asked() {
            self.touched.push(die);
            return true;
        }
        if let Some(state) = self.dies.get_mut(die.index()) {
            state.pop(&mut self.pool, Class::HostRead);
        }
        false
    }

    /// The data of a page has left its die: ends the read, if it is a direct one of one unit there.
    #[inline(always)]
    pub(super) fn end_at_once(&mut self, die: DieId, head: OpId, class: Class) -> bool {
        if !self.rules.direct_reads || class != Class::HostRead {
            return false;
        }
        let op = &self.pool[head];
        if op.next_unit != NONE || op.partial || op.request >= JOIN {
            return false;
        }
        if !self.is_plain() {
            self.tell_read_done(head);
            if self.cache.is_some() {
                self.keep_read(head);
            }
        }
        self.unit_done(head, Some(die));
        true
    }
}
