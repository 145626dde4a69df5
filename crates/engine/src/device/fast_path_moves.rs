//! The fast path of moves: on a drive whose commands nobody watches, whose flash pages are of one unit each, and programmed one
//! at a time on each plane, the commands of garbage collection, the host's programs and those of the data cache need no walk over
//! units, no search for two that want the same page, and nobody's waits behind what they do are told in them. Systems, the
//! data cache and gates may be there, and are told or asked what they are on the slow path; what has further copies, and the
//! commands that make them, takes the slow path. The fast path leaves behind what that does, and checked mode verifies it: a
//! drive with a probe takes the slow path, and the tests compare the two.

use super::Device;
use super::issue::only_class;
use crate::blocks::BlockState;
use crate::cache::WRITE_BACK_PROGRAM;
use crate::ids::{DieId, DomainId, Ppa};
use crate::nand::CellMode;
use crate::nand::die::{Command, Phase};
use crate::sched::class::{Class, FlashOp};
use crate::sched::queue::{NONE, OWN, Op, OpId, OpPool};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use crate::time::Ns;

/// Whether the commands of a class take the fast path where moves do.
#[inline(always)]
pub(super) fn is_fast_path_class(class: Class) -> bool {
    class == Class::HostProgram || class == WRITE_BACK_PROGRAM || class.is_move()
}

/// Whether no request waits for a command of a drive whose moves take the fast path, so that its parts of a response time
/// are nobody's.
#[inline(always)]
pub(super) fn nobody_waits_for_command(command: &Command, pool: &OpPool) -> bool {
    let Command { head, class, planes, .. } = *command;
    class.is_move() || (class == WRITE_BACK_PROGRAM && planes == 1 && pool[head].request >= OWN)
}

impl Device {
    /// Whether moves can take the fast path: reads can bypass the queues, each plane does one unit at a time, and nothing else
    /// wants to see or place a move.
    pub(super) fn moves_can_take_fast_path(&self) -> bool {
        let alone = self.geometry.units_per_program() == 1;
        let elsewhere = self.translation.follows_changes()
            || self.rules.places_moves
            || self.copybacks.supported
            || self.points.of_hot_moves().is_some()
            || self.points.moves_apart()
            || self.cpu.is_on();
        let watched = self.rules.awaits.any() || self.wear_out.is_some() || self.slc.is_some();
        self.reads_can_bypass_queues() && alone && !(elsewhere || watched || self.redundancy.is_some())
    }

    /// Whether a command does what no request waits for, so that its parts of a response time are nobody's. What reads and
    /// erases for moves does so; their programs may take a write of the host along, but for those on the fast path, and with
    /// cache reads a read of the host may wait for the channel while the one behind it does.
    #[inline(always)]
    pub(super) fn nobody_waits_for(&self, class: Class) -> bool {
        let alone = class.op() != FlashOp::Program && !self.overlap.read;
        class.is_move() && (self.rules.fast_path_moves || alone)
    }

    /// The same of a command under way.
    #[inline(always)]
    pub(super) fn nobody_waits_for_this(&self, command: &Command) -> bool {
        self.nobody_waits_for(command.class)
            || (self.rules.fast_path_moves && nobody_waits_for_command(command, &self.pool))
    }

    /// Begins a command of a class on the fast path; `false` if what it reads is elsewhere by now.
    #[inline(always)]
    pub(super) fn begin_on_fast_path(&mut self, die: DieId, class: Class, head: OpId) -> bool {
        debug_assert!(self.moves_can_take_fast_path(), "noted when it changes");
        let Op { ppa, arrived, .. } = self.pool[head];
        if class.op() == FlashOp::Read && !self.still_reads(head) {
            self.change_load(die, -1);
            return false;
        }
        let mut planes = 1;
        if self.planes_together() > 1 && self.dies[die.index()].waits(class) {
            planes = self.join_planes(die, class, head);
        }
        let mut data = self.begin_page_on_fast_path(die, class, head);
        let mut cell = self.cell_time(class, ppa);
        let mut other = if planes > 1 { self.pool[head].next } else { NONE };
        while other != NONE {
            data += self.begin_page_on_fast_path(die, class, other);
            cell = cell.max(self.cell_time(class, self.pool[other].ppa));
            other = self.pool[other].next;
        }
        let command = match class.op() {
            FlashOp::Read => self.timing.read_command(planes),
            FlashOp::Program => self.timing.program_command(planes),
            FlashOp::Erase => self.timing.erase_command(planes),
        };
        let suspensions = self.suspensions_of(arrived);
        let Some(state) = self.dies.get_mut(die.index()) else { return false };
        state.command.begin(head, class, planes, cell, suspensions);
        if !nobody_waits_for_command(&state.command, &self.pool) {
            state.command.parts.begin(command.0, data.0, cell.0);
        }
        state.phase = Phase::Command;
        state.occupy(Some(class), self.now);
        self.want_channel(die, class, command + data);
        true
    }

    /// Whether a page of a victim is to be read still where it was when its read was queued; ends the read if not.
    #[inline(always)]
    fn still_reads(&mut self, head: OpId) -> bool {
        // Nothing but a change of the map keeps such a drive from reading what it wanted to read.
        let Op { lpa, ppa, .. } = self.pool[head];
        self.is_at(lpa, ppa) || self.confirm_read(head) != NONE
    }

    /// One plane's part of a command that begins. Returns the time of the data that it takes over the channel.
    #[inline(always)]
    fn begin_page_on_fast_path(&mut self, die: DieId, class: Class, head: OpId) -> Ns {
        match class.op() {
            FlashOp::Read => {
                if self.versions.is_some() {
                    self.verify_read(head);
                }
                Ns::ZERO
            }
            FlashOp::Program => {
                if class.is_move() {
                    self.commit_move_on_fast_path(head, class);
                } else {
                    self.settle_wait(head, die);
                    self.commit_program_on_fast_path(head, class);
                }
                self.transfer(self.pool[head].bytes)
            }
            FlashOp::Erase => Ns::ZERO,
        }
    }

    /// Time of the array for one page or block.
    #[inline(always)]
    fn cell_time(&self, class: Class, ppa: Ppa) -> Ns {
        match class.op() {
            FlashOp::Read => self.timing.read(self.geometry.page_in_block(ppa), CellMode::Native),
            FlashOp::Program => self.timing.program(self.geometry.page_in_block(ppa), CellMode::Native),
            FlashOp::Erase => self.timing.erase(CellMode::Native),
        }
    }

    /// Takes what other planes of the die can do at the same time out of the queue, and links it behind the head of a
    /// command. Returns the planes of the command.
    #[inline(never)]
    fn join_planes(&mut self, die: DieId, class: Class, head: OpId) -> u32 {
        let (most, is_read) = (self.planes_together(), class.op() == FlashOp::Read);
        let first = self.geometry.place(self.pool[head].ppa);
        let mut used = 1u32 << self.geometry.die_of(first.plane).1;
        let (mut last, mut planes, mut previous) = (head, 1, NONE);
        let mut candidate = self.dies[die.index()].first(class);
        for _ in 0..self.rules.window {
            if candidate == NONE || planes == most {
                break;
            }
            let Op { ppa, next, .. } = self.pool[candidate];
            let plane = 1u32 << self.die_of(ppa).1;
            let is_free = used & plane == 0 && self.fit(self.geometry.place(ppa), first);
            // Reads of pages that have moved stay behind: they are sent on when their turn comes.
            let joins = is_free && (!is_read || self.is_current(candidate));
            if joins || !is_read {
                // The pages of a block are programmed in order: nothing of this plane may pass what waits here.
                used |= plane;
            }
            if !joins {
                (previous, candidate) = (candidate, next);
                continue;
            }
            let after = self.dies[die.index()].unlink(&mut self.pool, class, previous, candidate);
            self.pool[last].next = candidate;
            (last, candidate) = (candidate, after);
            planes += 1;
        }
        planes
    }

    /// Gives a unit that the host or the data cache writes the next place of its open superblock, and queues its program;
    /// `false` if there is none, or others wait for space.
    #[inline(always)]
    pub(super) fn program_on_fast_path(&mut self, domain: DomainId, id: OpId) -> bool {
        let Op { point: number, request, class, .. } = self.pool[id];
        if self.pace.is_some() && self.pace_holds(domain, number) {
            return false;
        }
        let Some(state) = self.domain.get_mut(domain.index()) else { return false };
        let Some(point) = state.points.get_mut(usize::from(number)) else { return false };
        if !state.stalled.is_empty() || point.untimed || point.has_room() || !point.has_place() {
            return false;
        }
        state.live += 1;
        let place = point.take(&self.geometry, self.domains.planes(domain), None);
        (point.filled, point.open_unit) = (1, NONE);
        self.blocks.begin(point.superblock);
        if !point.has_place() {
            self.blocks.set_state(point.superblock, BlockState::Closing);
        }
        let (order, now) = (self.next_order(), self.now);
        let op = &mut self.pool[id];
        (op.ppa, op.order, op.arrived, op.wait_from) = (place, order, now, now);
        let die = self.die_of(place).0;
        if request < OWN {
            self.begin_wait(id, die);
        }
        self.enqueue_on_fast_path(id, die, class);
        self.check_collection(domain);
        true
    }

    /// Queues the read of a page of a victim, if it is still wanted.
    #[inline(always)]
    pub(super) fn read_move_on_fast_path(&mut self, domain: DomainId, page: Ppa, class: Class) {
        let lpa = self.lpa_of_victim(page);
        if lpa.0 >= self.all_units() || !self.is_at(lpa, page) {
            if self.copies.has(lpa) {
                // It may be one of the copies.
                self.read_page_to_move(domain, page, class);
            }
            return;
        }
        let bytes = self.geometry.unit_bytes;
        let (order, now) = (self.next_order(), self.now);
        let op = Op { source: page, bytes, order, arrived: now, wait_from: now, ..Op::new(class, lpa, page) };
        let unit = self.pool.insert(op);
        let collector = &mut self.domain[domain.index()].collector;
        collector.in_flight += 1;
        collector.reading += 1;
        self.enqueue_on_fast_path(unit, self.die_of(page).0, class);
    }

    /// Place of the next operation in the order of arrival.
    #[inline(always)]
    fn next_order(&mut self) -> u64 {
        self.op_order += 1;
        self.op_order
    }

    /// Puts a unit that nobody waits for, whose place in the order of arrival it knows, into the queue of its die.
    #[inline(always)]
    fn enqueue_on_fast_path(&mut self, unit: OpId, die: DieId, class: Class) {
        self.change_load(die, 1);
        self.queue_on_fast_path(unit, die, class);
    }

    /// The same where the die's load counts it already.
    #[inline(always)]
    fn queue_on_fast_path(&mut self, unit: OpId, die: DieId, class: Class) {
        let state = &mut self.dies[die.index()];
        state.push(&mut self.pool, class, unit);
        if state.phase == Phase::Idle {
            self.touched.push(die);
        }
    }

    /// The die takes the program of a page that moves, which takes effect unless the page was overwritten or trimmed while
    /// its move was under way.
    #[inline(always)]
    fn commit_move_on_fast_path(&mut self, unit: OpId, class: Class) {
        let Op { lpa, source, ppa, .. } = self.pool[unit];
        let superblock = self.blocks.of(&self.geometry, ppa);
        if self.copies.has(lpa) || !self.partial_writes.is_empty() {
            return self.commit_moved_unit(unit, superblock);
        }
        if !self.store_moved(source, lpa, ppa, superblock) {
            return self.unused(unit);
        }
        self.pool[unit].replaced = source;
        self.recorder.moved(class.cause());
        if let Some(versions) = &mut self.versions {
            versions.copy(source, ppa);
        }
        self.tell_moved(lpa, source, ppa, class.cause());
    }

    /// The die takes the program of a page that the host or the data cache writes.
    #[inline(always)]
    fn commit_program_on_fast_path(&mut self, unit: OpId, class: Class) {
        if class == WRITE_BACK_PROGRAM {
            let superblock = self.blocks.of(&self.geometry, self.pool[unit].ppa);
            self.commit_write_back(unit, superblock);
        } else {
            self.commit_program(unit);
        }
    }

    /// Whether a command reads a page of garbage collection's own, and not of a plan, on a drive where that takes the fast path.
    #[inline(always)]
    pub(super) fn is_read_on_fast_path(&self, head: OpId, class: Class) -> bool {
        let op = &self.pool[head];
        self.rules.fast_path_moves && class.is_move() && op.request == NONE && !self.copies.has(op.lpa)
    }

    /// The data of a page that moves has left its die: ends its read.
    #[inline(always)]
    pub(super) fn end_read_on_fast_path(&mut self, die: DieId, unit: OpId, class: Class) {
        let Op { lpa, ppa, .. } = self.pool[unit];
        let domain = self.domain_of(ppa);
        let wanted = self.is_at(lpa, ppa);
        let state = &mut self.domain[domain.index()];
        state.collector.reading -= 1;
        if wanted {
            state.live += 1;
            self.program_move_on_fast_path(die, domain, unit, class);
        } else {
            // Overwritten or trimmed while it was read: nothing left to move.
            state.collector.in_flight -= 1;
            self.pool.remove(unit);
            self.change_load(die, -1);
        }
        self.advance_collection(domain);
    }

    /// Gives a unit that was read on a die its new place, and queues its program when its row is complete.
    #[inline(always)]
    fn program_move_on_fast_path(&mut self, from: DieId, domain: DomainId, unit: OpId, class: Class) {
        let number = self.points.of(class.cause());
        let place = self.take_place(domain, number);
        let class = Class::program_for(class.cause());
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        point.filled = 1;
        let row_ends = point.at_row_start();
        let row_is_one = row_ends && point.gathered.is_empty();
        let (order, now) = (if row_is_one { self.next_order() } else { 0 }, self.now);
        let op = &mut self.pool[unit];
        (op.class, op.point, op.ppa) = (class, number, place);
        (op.order, op.arrived, op.wait_from) = (order, now, now);
        let to = self.die_of(place).0;
        if row_is_one && to == from {
            // The die's load stays as it is: one command ends, another comes.
            return self.queue_on_fast_path(unit, to, class);
        }
        self.change_load(from, -1);
        if row_is_one {
            return self.enqueue_on_fast_path(unit, to, class);
        }
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        point.gathered.push(unit);
        if row_ends {
            self.program_gathered(domain, number);
        }
    }

    /// The die has programmed the pages of its command, or erased the blocks: ends it.
    #[inline(always)]
    pub(super) fn end_command_on_fast_path(&mut self, die: DieId) {
        let Command { mut head, class, planes, .. } = self.dies[die.index()].command;
        self.count(class, planes, 1);
        while head != NONE {
            let next = self.pool[head].next;
            self.change_load(die, -1);
            if class.op() == FlashOp::Program {
                self.end_program_on_fast_path(die, class, head);
            } else {
                self.block_erased(head);
            }
            head = next;
        }
    }

    /// A page is programmed.
    #[inline(always)]
    fn end_program_on_fast_path(&mut self, die: DieId, class: Class, head: OpId) {
        let Op { ppa, lpa, replaced, request, source, .. } = self.pool[head];
        if (request >= OWN && request != NONE) || !is_fast_path_class(class) {
            // A plan waits for it, or it makes a copy.
            return self.program_ended(head, die);
        }
        if let Some(versions) = self.versions.as_mut().filter(|_| lpa.is_some()) {
            versions.programmed(ppa);
        }
        if replaced.is_some() {
            self.invalidate(replaced);
        }
        if class == WRITE_BACK_PROGRAM {
            self.write_back_ended(head);
        }
        let (domain, superblock) = self.blocks.locate(&self.geometry, ppa);
        if request < OWN {
            self.unit_done(head, Some(die));
        } else {
            self.pool.remove(head);
            if class.is_move() {
                debug_assert!(self.domain_of(source) == domain, "moves stay in their domain");
                self.domain[domain.index()].collector.in_flight -= 1;
            }
        }
        self.end_program_of(superblock);
        self.check_collection(domain);
        if self.cache.is_some() {
            self.tend_cache();
        }
    }

    /// A free die of a drive whose moves take the fast path, for which something waits, takes its next command.
    #[inline(never)]
    pub(super) fn take_turn_on_fast_path(&mut self, die: DieId) {
        let waiting = self.open_work(die);
        let state = &mut self.dies[die.index()];
        let SchedulerPolicy::Tiered(tiered) = &self.scheduler else { return self.take_turn(die) };
        let class = if waiting == 0 || state.suspended.is_some() {
            None
        } else {
            only_class(waiting).or_else(|| {
                let (queues, pool) = (state.queues(), &self.pool);
                tiered.next(&QueueView { queues, waiting, urgent: self.urgent, pool, now: self.now })
            })
        };
        match class {
            Some(class) if is_fast_path_class(class) => {
                let head = state.pop(&mut self.pool, class);
                if self.cache.is_some() {
                    self.fetch_next(self.dies[die.index()].first(class));
                }
                if !self.begin_on_fast_path(die, class, head) {
                    self.start_next(die);
                }
            }
            _ => self.take_turn(die),
        }
    }
}
