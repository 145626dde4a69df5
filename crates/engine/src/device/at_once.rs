//! Reads of one mapping unit that begin without the search for others to go with them, and end without a walk over units. One
//! of the host that finds its die idle, and whose place needs no look-up of the firmware's, needs no queue, no scheduler and no
//! second look at the map, either. It leaves behind what the slow path does, and checked mode verifies it: a drive with a probe
//! takes the slow path, and the tests compare the two.
//!
//! Reads *bypass the queues* where nothing changes the way of a command: systems, the data cache, copies, gates, parity and a map
//! on flash may be there, and are asked and told what they are on the slow path. They have *no hooks* where none of these is
//! there, either.

use super::Device;
use crate::ids::{DieId, Lpa};
use crate::nand::die::Phase;
use crate::nand::{CellMode, Place};
use crate::sched::class::Class;
use crate::sched::queue::{JOIN, NONE, Op, OpId};

impl Device {
    /// Whether reads can bypass the queues: nobody watches commands, and each goes to the die of its page, which takes it by
    /// itself.
    pub(super) fn reads_can_bypass_queues(&self) -> bool {
        let watched = self.probe.is_some()
            || self.monitor.watches_commands()
            || self.disturb.is_some()
            || self.reclaim.is_some()
            || self.energy.is_some()
            || self.rules.awaits.any();
        let otherwise = self.second_server > 0
            || self.chips.is_some()
            || self.plane_collection.is_some()
            || self.striped.is_some()
            || self.overlap.is_on()
            || self.blocks.has_modes();
        !(watched || otherwise)
    }

    /// Whether reads have no hooks: they can bypass the queues, and nothing watches them, answers them in the place of flash, or
    /// delays them.
    pub(super) fn reads_have_no_hooks(&self) -> bool {
        let watched = !self.systems.are_none();
        let elsewhere = self.translation.is_asked()
            || self.cache.is_some()
            || self.copies.is_on()
            || self.redundancy.is_some();
        self.reads_can_bypass_queues() && !(watched || elsewhere || self.gates.are_used())
    }

    /// Whether nothing of an event but what systems and their copies want follows when a die has asked for its channel.
    fn channel_requests_come_last(&self) -> bool {
        self.reads_can_bypass_queues() && self.redundancy.is_none()
    }

    /// To be called when something that [`Self::reads_can_bypass_queues`], [`Self::reads_have_no_hooks`] or
    /// [`Self::moves_can_take_fast_path`] asks for changes.
    pub(super) fn note_fast_paths(&mut self) {
        self.rules.queue_bypass = self.reads_can_bypass_queues();
        self.rules.reads_without_hooks = self.reads_have_no_hooks();
        self.rules.channel_request_comes_last = self.channel_requests_come_last();
        self.rules.fast_path_moves = self.moves_can_take_fast_path();
    }

    /// Whether nothing watches what dies and channels do, or changes their ways.
    #[inline(always)]
    pub(super) fn is_without_hooks(&self) -> bool {
        debug_assert!(!self.rules.reads_without_hooks || self.reads_have_no_hooks(), "noted when it changes");
        self.rules.reads_without_hooks
    }

    /// Whether nobody watches commands, and none has anything beside its array.
    #[inline(always)]
    pub(super) fn reads_bypass_queues(&self) -> bool {
        debug_assert!(!self.rules.queue_bypass || self.reads_can_bypass_queues(), "noted when it changes");
        self.rules.queue_bypass
    }

    /// A read request of one unit, which neither the cache nor the firmware's map has a part in, begins, if it can bypass the queues and its die is idle.
    #[inline(always)]
    pub(super) fn begin_at_once(&mut self, request: u32, lpa: Lpa, bytes: u32) -> bool {
        if !self.reads_bypass_queues() {
            return false;
        }
        let ppa = self.lookup(lpa);
        let Place { plane, page, .. } = self.geometry.place(ppa);
        let die = self.geometry.die_of(plane).0;
        let Some(state) = self.dies.get(die.index()) else { return false };
        if !ppa.is_some() || state.phase != Phase::Idle || state.has_work() {
            return false;
        }
        let without_hooks = self.is_without_hooks();
        if !without_hooks && self.must_queue(Class::HostRead, lpa, die) {
            return false;
        }
        self.op_order += 1;
        let (order, now) = (self.op_order, self.now);
        let op = Op::new(Class::HostRead, lpa, ppa);
        let head = self.pool.insert(Op { request, bytes, order, arrived: now, wait_from: now, ..op });
        self.change_load(die, 1);
        if !without_hooks {
            self.tell_accessed(lpa, false);
            if self.is_kept_back(head, die) {
                return true;
            }
        }
        self.begin_unit_read(die, Class::HostRead, head, page, 0);
        true
    }

    /// A read that firmware looked up, or of a page of the map, begins as the last step of an event, if it can bypass the queues and
    /// its die is idle.
    #[inline(always)]
    pub(super) fn begin_unqueued(&mut self, head: OpId) -> bool {
        if !self.reads_bypass_queues() {
            return false;
        }
        let Op { lpa, ppa, class, order, .. } = self.pool[head];
        let Place { plane, page, .. } = self.geometry.place(ppa);
        let die = self.geometry.die_of(plane).0;
        let state = &self.dies[die.index()];
        // One that waited elsewhere before has its turn by that.
        if order != 0 || state.phase != Phase::Idle || state.has_work() || self.must_queue(class, lpa, die) {
            return false;
        }
        self.op_order += 1;
        let (order, now) = (self.op_order, self.now);
        let op = &mut self.pool[head];
        (op.order, op.arrived, op.wait_from) = (order, now, now);
        self.change_load(die, 1);
        if class == Class::HostRead && self.is_kept_back(head, die) {
            return true;
        }
        self.begin_unit_read(die, class, head, page, 0);
        true
    }

    /// A free die begins the read whose turn it is, if it bypasses the queues, is of one unit, and no other of its class waits
    /// that could go with it.
    #[inline(always)]
    pub(super) fn begin_alone(&mut self, die: DieId, class: Class, head: OpId) -> bool {
        let is_read = matches!(class, Class::HostRead | Class::MapRead);
        if !is_read || !self.reads_bypass_queues() || self.dies[die.index()].waits(class) {
            return false;
        }
        let Op { ppa, next_unit, guess, arrived, .. } = self.pool[head];
        if next_unit != NONE || guess {
            return false;
        }
        self.monitor.reads_change(self.real_die(die));
        self.settle_wait(head, die);
        let suspensions = self.suspensions_of(arrived);
        self.begin_unit_read(die, class, head, self.geometry.place(ppa).page, suspensions);
        true
    }

    /// A free die begins a read of one unit, which bypasses the queues.
    #[inline(always)]
    fn begin_unit_read(&mut self, die: DieId, class: Class, head: OpId, page: u32, suspensions: u32) {
        if self.versions.is_some() || self.copies.has(self.pool[head].lpa) {
            self.verify_read(head);
        }
        let (command, cell) = (self.timing.read_command(1), self.timing.read(page, CellMode::Native));
        let state = &mut self.dies[die.index()];
        state.command.parts.begin(command.0, 0, cell.0);
        state.command.begin(head, class, 1, cell, suspensions);
        state.phase = Phase::Command;
        state.occupy(Some(class), self.now);
        self.want_channel(die, class, command);
    }

    /// Whether nothing follows on a die behind the page that just left it, the last of its command.
    #[inline]
    pub(super) fn rests_after_this(&self, die: DieId) -> bool {
        self.dies.get(die.index()).is_some_and(|state| state.command.planes == 1 && !state.has_work())
    }

    /// Whether a read that can bypass the queues can't begin on its idle die: its page has copies, of which one is to be
    /// chosen, another die or what a system asked for goes first, or a gate is closed.
    #[inline]
    fn must_queue(&self, class: Class, lpa: Lpa, die: DieId) -> bool {
        let closed = self.gates.are_used() && self.gates.closed(die, self.now) & (1 << class.index()) != 0;
        closed || self.copies.has(lpa) || !self.touched.is_empty() || self.systems_asked()
    }

    /// Tells systems of a read that bypasses the queues, which they see wait at its die as on the slow path. If one asks for
    /// something, that is done first, and the read stays in the queue.
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

    /// The data of a page has left its die: ends the read, if it bypasses the queues and is of one unit there.
    #[inline(always)]
    pub(super) fn end_at_once(&mut self, die: DieId, head: OpId, class: Class) -> bool {
        if !self.rules.queue_bypass || class != Class::HostRead {
            return false;
        }
        let op = &self.pool[head];
        if op.next_unit != NONE || op.partial || op.guess || op.request >= JOIN {
            return false;
        }
        if !self.is_without_hooks() {
            self.tell_read_done(head);
            if self.cache.is_some() {
                self.keep_read(head);
            }
        }
        self.unit_done(head, Some(die));
        true
    }
}
