//! Plain moves: on a plain drive whose flash pages are of one unit each, and programmed one at a time, the commands of
//! garbage collection and the host's programs need no search for partners, no walk over units, and nobody's waits behind
//! what they do are told in them. They leave behind what the long way does, and checked mode verifies it: a drive with a
//! probe takes the long way, and the tests compare the two.

use super::Device;
use super::issue::only_class;
use crate::ids::{DieId, DomainId, Lpa, Ppa};
use crate::nand::CellMode;
use crate::nand::die::{Command, Phase};
use crate::sched::class::{Class, FlashOp};
use crate::sched::queue::{NONE, OWN, Op, OpId};
use crate::sched::{QueueView, Scheduler, SchedulerPolicy};
use crate::time::Ns;

impl Device {
    /// Whether moves are plain: reads are, every command is of one unit, and nothing else wants to see or place a move.
    pub(super) fn moves_are_plain(&self) -> bool {
        let alone = self.geometry.units_per_program() == 1 && self.planes_together() == 1;
        let elsewhere = self.rules.places_moves
            || self.copybacks.supported
            || self.points.of_hot_moves().is_some()
            || self.cpu.is_on();
        let watched = self.wear_out.is_some() || self.slc.is_some() || self.reclaim.is_some();
        self.reads_are_plain() && alone && !(elsewhere || watched)
    }

    /// Whether a command does what no request waits for, so that its parts of a response time are nobody's.
    #[inline(always)]
    pub(super) fn nobody_waits_for(&self, class: Class) -> bool {
        self.rules.plain_moves && class.is_move()
    }

    /// Begins a command that is no read of the host; `false` if what it reads is elsewhere by now.
    #[inline(always)]
    pub(super) fn begin_plain(&mut self, die: DieId, class: Class, head: OpId) -> bool {
        debug_assert!(self.moves_are_plain(), "noted when it changes");
        let Op { lpa, ppa, source, bytes, request, arrived, .. } = self.pool[head];
        let page = self.geometry.page_in_block(ppa);
        let (command, data, cell) = match class.op() {
            FlashOp::Read => {
                // Nothing but a change of the map keeps a plain drive from reading what it wanted to read.
                if self.lookup(lpa) != ppa && self.confirm_read(head) == NONE {
                    self.change_load(die, -1);
                    return false;
                }
                if self.versions.is_some() {
                    self.verify_read(head);
                }
                (self.timing.read_command(1), Ns::ZERO, self.timing.read(page, CellMode::Native))
            }
            FlashOp::Program => {
                if class.is_move() {
                    self.commit_plain_move(head, class, lpa, [source, ppa]);
                } else {
                    self.settle_wait(head, die);
                    self.commit_program(head);
                }
                let cell = self.timing.program(page, CellMode::Native);
                (self.timing.program_command(1), self.transfer(bytes), cell)
            }
            FlashOp::Erase => (self.timing.erase_command(1), Ns::ZERO, self.timing.erase(CellMode::Native)),
        };
        let suspensions = self.suspensions_of(arrived);
        let Some(state) = self.dies.get_mut(die.index()) else { return false };
        if request < OWN {
            state.command.parts.begin(command.0, data.0, cell.0);
        }
        state.command.begin(head, class, 1, cell, suspensions);
        state.phase = Phase::Command;
        state.occupy(Some(class), self.now);
        self.want_channel(die, class, command + data);
        true
    }

    /// Queues the read of a page of a victim, if it is still wanted.
    #[inline(always)]
    pub(super) fn read_plain_move(&mut self, domain: DomainId, page: Ppa, class: Class) {
        let lpa = self.oob.lpa(page, &self.layout);
        if lpa.0 >= self.all_units() || self.lookup(lpa) != page {
            return;
        }
        let bytes = self.geometry.unit_bytes;
        let (order, now) = (self.next_order(), self.now);
        let op = Op { source: page, bytes, order, arrived: now, wait_from: now, ..Op::new(class, lpa, page) };
        let unit = self.pool.insert(op);
        let collector = &mut self.domain[domain.index()].collector;
        collector.in_flight += 1;
        collector.reading += 1;
        self.enqueue_plain(unit, self.die_of(page).0, class);
    }

    /// Place of the next operation in the order of arrival.
    #[inline(always)]
    fn next_order(&mut self) -> u64 {
        self.op_order += 1;
        self.op_order
    }

    /// Puts a unit that nobody waits for, whose place in the order of arrival it knows, into the queue of its die.
    #[inline(always)]
    fn enqueue_plain(&mut self, unit: OpId, die: DieId, class: Class) {
        self.change_load(die, 1);
        self.queue_plain(unit, die, class);
    }

    /// The same where the die's load counts it already.
    #[inline(always)]
    fn queue_plain(&mut self, unit: OpId, die: DieId, class: Class) {
        let state = &mut self.dies[die.index()];
        state.push(&mut self.pool, class, unit);
        if state.phase == Phase::Idle {
            self.touched.push(die);
        }
    }

    /// The die takes the program of a page that moves, which takes effect unless the page was overwritten or trimmed while
    /// its move was under way.
    #[inline(always)]
    fn commit_plain_move(&mut self, unit: OpId, class: Class, lpa: Lpa, [source, ppa]: [Ppa; 2]) {
        if self.lookup(lpa) != source {
            return self.unused(unit);
        }
        self.pool[unit].replaced = source;
        self.recorder.moved(class.cause());
        self.store(lpa, ppa, self.blocks.of(&self.geometry, ppa));
        if let Some(versions) = &mut self.versions {
            versions.copy(source, ppa);
        }
    }

    /// Whether a command reads a page of garbage collection's own, and not of a plan, on a drive where that is plain.
    #[inline(always)]
    pub(super) fn is_plain_read_of_move(&self, head: OpId, class: Class) -> bool {
        self.nobody_waits_for(class) && self.pool[head].request == NONE
    }

    /// The data of a page that moves has left its die: ends its read.
    #[inline(always)]
    pub(super) fn end_plain_read(&mut self, die: DieId, unit: OpId, class: Class) {
        let Op { lpa, ppa, .. } = self.pool[unit];
        let domain = self.domain_of(ppa);
        let wanted = self.lookup(lpa) == ppa;
        let state = &mut self.domain[domain.index()];
        state.collector.reading -= 1;
        if wanted {
            state.live += 1;
            self.program_plain_move(die, domain, unit, class);
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
    fn program_plain_move(&mut self, from: DieId, domain: DomainId, unit: OpId, class: Class) {
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
            return self.queue_plain(unit, to, class);
        }
        self.change_load(from, -1);
        if row_is_one {
            return self.enqueue_plain(unit, to, class);
        }
        let point = &mut self.domain[domain.index()].points[usize::from(number)];
        point.gathered.push(unit);
        if row_ends {
            self.program_gathered(domain, number);
        }
    }

    /// The die has programmed the page of its command: ends it, unless a plan waits for it.
    #[inline(always)]
    pub(super) fn end_plain_program(&mut self, die: DieId) -> bool {
        let Command { head, class, .. } = self.dies[die.index()].command;
        let Op { ppa, lpa, replaced, request, source, .. } = self.pool[head];
        let is_plans = request >= OWN && request != NONE;
        if !self.rules.plain_moves || class.op() != FlashOp::Program || is_plans {
            return false;
        }
        self.count(class, 1, 1);
        self.change_load(die, -1);
        if let Some(versions) = self.versions.as_mut().filter(|_| lpa.is_some()) {
            versions.programmed(ppa);
        }
        if replaced.is_some() {
            self.invalidate(replaced);
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
        true
    }

    /// A free die of a plain drive, for which something waits, takes its next command.
    #[inline(never)]
    pub(super) fn take_plain_turn(&mut self, die: DieId) {
        let state = &mut self.dies[die.index()];
        let SchedulerPolicy::Tiered(tiered) = &self.scheduler else { return self.take_turn(die) };
        let waiting = state.waiting();
        let class = if state.suspended.is_some() {
            None
        } else {
            only_class(waiting).or_else(|| {
                let (queues, pool) = (state.queues(), &self.pool);
                tiered.next(&QueueView { queues, waiting, urgent: self.urgent, pool, now: self.now })
            })
        };
        match class {
            Some(class) if class != Class::HostRead => {
                let head = state.pop(&mut self.pool, class);
                if !self.begin_plain(die, class, head) {
                    self.start_next(die);
                }
            }
            _ => self.take_turn(die),
        }
    }
}
