//! Leaving the read loop: what is under way goes on as the slow path would have left it.

use super::{Flight, LoopDie, NONE, ReadLoop};
use crate::device::Device;
use crate::device::admit::Request;
use crate::ids::{DieId, Lpa};
use crate::nand::die::{ChannelWait, Phase};
use crate::sched::class::Class;
use crate::sched::queue::{NONE as NO_OP, Op, OpId};
use crate::stats::blame::Part;
use crate::time::Ns;

/// A read in the order of arrival: its number in the run, that in the loop, and whether it runs.
type Inside = (u64, u32, bool);

impl Device {
    /// Gives all reads of the loop back to the drive.
    pub(super) fn leave_read_loop(&mut self, mut reads: Box<ReadLoop>) {
        let now = self.now;
        self.hand_over(&mut reads, now);
        self.give_channels_back(&mut reads);
        let mut operations = vec![NO_OP; reads.flights.most()];
        for (_, flight, runs) in reads.inside() {
            let operation = self.operation_of(&reads.flights[flight]);
            operations[flight as usize] = operation;
            if !runs {
                self.give_waiting_back(operation, &reads.flights[flight]);
            }
        }
        for (number, die) in (0..).map(DieId).zip(&reads.dies) {
            if die.phase != Phase::Idle {
                self.give_command_back(number, die, &reads, &operations);
            }
        }
        for outwards in [false, true] {
            while let Some((end, number)) = reads.link[usize::from(outwards)].pop_front() {
                let mut flight = reads.flights[number];
                if !outwards {
                    flight.at_die = end;
                }
                let number = self.request_of(&flight);
                if outwards { &mut self.link_out } else { &mut self.link_in }.push_back((end, number));
            }
        }
        reads.link_event = Ns::NEVER;
        self.link_event =
            [&self.link_in, &self.link_out].map(|link| link.front().map_or(Ns::NEVER, |first| first.0));
        for due in reads.due.drain() {
            let (die, time) = (DieId(due.resource()), due.time());
            let state = &mut self.dies[die.index()];
            if state.phase == Phase::Array {
                state.array = [Ns(time.0 - state.command.cell.0), time];
            }
            self.events.set(Self::die_resource(die), time);
        }
        reads.dies.iter_mut().for_each(LoopDie::empty);
        reads.flights.clear();
        self.read_loop = Some(reads);
    }

    /// Adds up to the drive's own what was counted beside it until `now`.
    pub(super) fn hand_over(&mut self, reads: &mut ReadLoop, now: Ns) {
        reads.count_up_to(now);
        for (number, die) in reads.dies.iter_mut().enumerate() {
            let class = (die.phase != Phase::Idle).then_some(Class::HostRead);
            self.dies[number].was_occupied(Class::HostRead, die.busy, class, now);
            self.outstanding[number] = die.load;
            self.recorder.load_was(number, die.area, die.most, now);
            self.recorder.array_ns[number] += die.array;
            (die.area, die.busy, die.array, die.most) = (0, 0, 0, die.load);
        }
        for (mine, channel) in self.channels.iter_mut().zip(&mut reads.channels) {
            if channel.granted > 0 {
                mine.clock.add(Class::HostRead, channel.granted);
                (mine.free_at, mine.class) = (channel.free_at, Class::HostRead);
                channel.granted = 0;
            }
        }
        reads.tally.hand_over(&mut self.recorder.read);
        self.flash_operations += reads.pages;
        self.events_processed += reads.events;
        self.recorder.operations[Class::HostRead.index()] += reads.pages;
        self.recorder.transactions[Class::HostRead.index()] += reads.commands;
        self.recorder.multi_plane += reads.multi_plane;
        (reads.pages, reads.commands, reads.multi_plane, reads.events) = (0, 0, 0, 0);
        reads.base = now;
    }

    /// The dies that wait for each channel, and when those become free.
    fn give_channels_back(&mut self, reads: &mut ReadLoop) {
        for (number, channel) in reads.channels.iter_mut().enumerate() {
            let mut next = std::mem::replace(&mut channel.first, NONE);
            while next != NONE {
                self.channels[number].waiting.push(DieId(next));
                next = reads.dies[next as usize].behind;
            }
        }
        loop {
            let time = reads.releases.time();
            let Some(channel) = reads.releases.take() else { break };
            self.events.set_behind(self.channel_resource(channel), time);
        }
    }

    fn request_of(&mut self, flight: &Flight) -> u32 {
        let Flight { request, id, arrival, measured, entered, at_die, .. } = *flight;
        let waits = [entered.since(arrival).0, at_die.since(entered).0];
        self.insert_request(Request::of_one_unit(request, id, arrival, measured, waits))
    }

    /// The operation of a read at its die.
    fn operation_of(&mut self, flight: &Flight) -> OpId {
        let request = self.request_of(flight);
        self.op_order += 1;
        let lpa = Lpa(self.geometry.unit_of_byte(flight.request.offset) as u32);
        let (bytes, order, at_die) = (flight.request.length as u32, self.op_order, flight.at_die);
        let op = Op::new(Class::HostRead, lpa, flight.ppa);
        self.pool.insert(Op { request, bytes, order, arrived: at_die, wait_from: at_die, ..op })
    }

    fn give_waiting_back(&mut self, operation: OpId, flight: &Flight) {
        let state = &mut self.dies[flight.die as usize];
        // All that the die has done since was for reads of the host.
        let waited = self.now.since(flight.at_die).0;
        *self.pool.snapshot(operation) = state.clock(self.now).without(Class::HostRead, waited);
        state.push(&mut self.pool, Class::HostRead, operation);
    }

    /// The command that a die carries out, whose reads are these operations by their numbers in the loop.
    fn give_command_back(&mut self, number: DieId, die: &LoopDie, reads: &ReadLoop, operations: &[OpId]) {
        let of = |flight: u32| operations.get(flight as usize).copied().unwrap_or(NO_OP);
        for page in reads.pages_of(die) {
            let head = of(page);
            self.pool[head].next = of(reads.flights[page].next);
            for read in reads.flights.readers(page) {
                let waited = die.begun.since(reads.flights[read].at_die).0;
                if waited > 0 {
                    self.pool.parts_mut(of(read)).add(Part::DieWait(Class::HostRead), waited);
                }
                if read != page {
                    self.pool.chain(head, of(read));
                }
            }
        }
        let state = &mut self.dies[number.index()];
        state.phase = die.phase;
        state.command.begin(of(die.running), Class::HostRead, die.planes, die.cell, 0);
        let parts = &mut state.command.parts;
        parts.begin(die.command.0, 0, die.cell.0);
        if die.channel_wait > 0 {
            parts.add(Part::ChannelWait(Class::HostRead), die.channel_wait);
        }
        if matches!(die.phase, Phase::DataWait | Phase::DataOut) {
            parts.add(Part::Transfer, die.transfer.0);
            state.data_out = die.transfer;
        }
        // Of a wait for the channel, what it will have been when the present transfer is over: the clock adds what follows.
        let rest = reads.channels[die.channel as usize].free_at.since(die.requested_at).0;
        let snapshot = self.channels[die.channel as usize].clock;
        state.channel_wait =
            ChannelWait { ahead: (Class::HostRead, rest), snapshot, duration: die.requested };
    }
}

impl ReadLoop {
    /// Counts what is under way up to `now`.
    fn count_up_to(&mut self, now: Ns) {
        let since_base = |from: Ns| now.since(from.max(self.base)).0;
        let areas: Vec<u64> = (self.dies.iter())
            .map(|die| self.pages_of(die).chain(die.waiting.iter().map(|waiting| waiting.read)))
            .map(|pages| pages.map(|page| since_base(self.flights[page].at_die)).sum())
            .collect();
        let base = self.base;
        for (die, area) in self.dies.iter_mut().zip(areas) {
            die.area += area;
            if die.phase != Phase::Idle {
                die.busy += now.since(die.begun.max(base)).0;
            }
        }
    }

    /// The reads that head the pages of a die's command that haven't left.
    fn pages_of(&self, die: &LoopDie) -> impl Iterator<Item = u32> {
        let is_read = |read: &u32| *read != NONE;
        let first = Some(die.running).filter(|_| die.phase != Phase::Idle);
        std::iter::successors(first, move |&read| Some(self.flights[read].next).filter(is_read))
    }

    /// All reads at dies, in the order in which they came.
    fn inside(&self) -> Vec<Inside> {
        let mut inside = Vec::new();
        for die in &self.dies {
            let running = self.pages_of(die).flat_map(|page| self.flights.readers(page));
            inside.extend(running.map(|read| (self.flights[read].id, read, true)));
            let waiting = die.waiting.iter().map(|waiting| waiting.read);
            inside.extend(waiting.map(|read| (self.flights[read].id, read, false)));
        }
        inside.sort_unstable_by_key(|read| read.0);
        inside
    }
}
