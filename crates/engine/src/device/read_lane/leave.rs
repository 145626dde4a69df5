//! Leaving the read lane: what is under way goes on as the long way would have left it.

use super::{Flight, LaneDie, NONE, ReadLane};
use crate::device::Device;
use crate::device::admit::Request;
use crate::ids::{DieId, Lpa};
use crate::nand::die::{ChannelWait, Phase};
use crate::sched::class::Class;
use crate::sched::queue::{Op, OpId};
use crate::stats::blame::Part;
use crate::time::Ns;

/// A read in the order of arrival: its number, whether it runs, and where it is.
type Inside = (u64, Where);

#[derive(Clone, Copy)]
enum Where {
    Running(DieId),
    Waiting(u32),
}

impl Device {
    /// Gives all reads of the lane back to the drive.
    pub(super) fn leave_lane(&mut self, mut lane: Box<ReadLane>) {
        let now = self.now;
        self.hand_over(&mut lane, now);
        self.give_channels_back(&mut lane);
        for (_, place) in lane.inside() {
            // A read that runs came before those that wait for its die.
            match place {
                Where::Running(die) => self.give_command_back(die, &lane.dies[die.index()], &lane),
                Where::Waiting(number) => self.give_waiting_back(&lane.waiting[number as usize].flight),
            }
        }
        for outwards in [false, true] {
            while let Some((end, mut flight)) = lane.link[usize::from(outwards)].pop_front() {
                if !outwards {
                    flight.at_die = end;
                }
                let number = self.request_of(&flight);
                if outwards { &mut self.link_out } else { &mut self.link_in }.push_back((end, number));
            }
        }
        lane.link_event = [Ns::NEVER; 2];
        self.link_event =
            [&self.link_in, &self.link_out].map(|link| link.front().map_or(Ns::NEVER, |first| first.0));
        for due in lane.due.drain() {
            let (die, time) = (DieId(due.die()), due.time());
            let state = &mut self.dies[die.index()];
            if state.phase == Phase::Array {
                state.array = [Ns(time.0 - state.command.cell.0), time];
            }
            self.events.set(Self::die_resource(die), time);
        }
        lane.dies.iter_mut().for_each(LaneDie::empty);
        lane.waiting.clear();
        lane.free.clear();
        self.read_lane = Some(lane);
    }

    /// Adds up to the drive's own what was counted beside it until `now`.
    pub(super) fn hand_over(&mut self, lane: &mut ReadLane, now: Ns) {
        lane.count_up_to(now);
        for (number, die) in lane.dies.iter_mut().enumerate() {
            let class = (die.phase != Phase::Idle).then_some(Class::HostRead);
            self.dies[number].was_occupied(Class::HostRead, die.busy, class, now);
            self.outstanding[number] = die.load;
            self.recorder.load_was(number, die.area, die.most, now);
            self.recorder.array_ns[number] += die.array;
            (die.area, die.busy, die.array, die.most) = (0, 0, 0, die.load);
        }
        for (mine, channel) in self.channels.iter_mut().zip(&mut lane.channels) {
            if channel.granted > 0 {
                mine.clock.add(Class::HostRead, channel.granted);
                (mine.free_at, mine.class) = (channel.free_at, Class::HostRead);
                channel.granted = 0;
            }
        }
        lane.tally.hand_over(&mut self.recorder.read);
        let (pages, events) = (std::mem::take(&mut lane.pages), std::mem::take(&mut lane.events));
        self.flash_operations += pages;
        self.events_processed += events;
        self.recorder.operations[Class::HostRead.index()] += pages;
        self.recorder.transactions[Class::HostRead.index()] += pages;
        lane.base = now;
    }

    /// The dies that wait for each channel, and when those become free.
    fn give_channels_back(&mut self, lane: &mut ReadLane) {
        for (number, channel) in lane.channels.iter_mut().enumerate() {
            let mut next = std::mem::replace(&mut channel.first, NONE);
            while next != NONE {
                self.channels[number].waiting.push_back(DieId(next));
                next = lane.dies[next as usize].behind;
            }
        }
        while lane.wake != Ns::NEVER {
            let resource = lane.wakes.first().resource();
            lane.wakes.clear(resource);
            self.events.set_behind(self.channel_resource(resource as u32), lane.wake);
            lane.wake = lane.wakes.first().time();
        }
    }

    fn request_of(&mut self, flight: &Flight) -> u32 {
        let Flight { request, taken, entered, at_die, .. } = *flight;
        let waits = [entered.since(taken.arrival).0, at_die.since(entered).0];
        self.insert_request(Request::of_one_unit(request, taken.id, taken.arrival, taken.measured, waits))
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

    fn give_waiting_back(&mut self, flight: &Flight) {
        let op = self.operation_of(flight);
        let state = &mut self.dies[flight.die as usize];
        // All that the die has done since was for reads of the host.
        let waited = self.now.since(flight.at_die).0;
        *self.pool.snapshot(op) = state.clock(self.now).without(Class::HostRead, waited);
        state.push(&mut self.pool, Class::HostRead, op);
    }

    /// The command that a die carries out.
    fn give_command_back(&mut self, number: DieId, die: &LaneDie, lane: &ReadLane) {
        let flight = &die.flight;
        let head = self.operation_of(flight);
        let waited = flight.begun.since(flight.at_die).0;
        if waited > 0 {
            self.pool.parts_mut(head).add(Part::DieWait(Class::HostRead), waited);
        }
        let command = self.timing.read_command(1);
        let state = &mut self.dies[number.index()];
        state.phase = die.phase;
        state.command.begin(head, Class::HostRead, 1, flight.cell, 0);
        let parts = &mut state.command.parts;
        parts.begin(command.0, 0, flight.cell.0);
        if flight.channel_wait > 0 {
            parts.add(Part::ChannelWait(Class::HostRead), flight.channel_wait);
        }
        if matches!(die.phase, Phase::DataWait | Phase::DataOut) {
            parts.add(Part::Transfer, die.transfer.0);
        }
        state.data_out = die.transfer;
        // Of a wait for the channel, what it will have been when the present transfer is over: the clock adds what follows.
        let rest = lane.channels[die.channel as usize].free_at.since(die.wish_from).0;
        let snapshot = self.channels[die.channel as usize].clock;
        state.channel_wait = ChannelWait { ahead: (Class::HostRead, rest), snapshot, duration: die.wish };
    }
}

impl ReadLane {
    /// Counts what is under way up to `now`.
    fn count_up_to(&mut self, now: Ns) {
        let base = self.base;
        for die in &mut self.dies {
            if die.phase != Phase::Idle {
                die.area += now.since(die.flight.at_die.max(base)).0;
                die.busy += now.since(die.flight.begun.max(base)).0;
            }
            let mut next = die.first;
            while next != NONE {
                let waiting = &self.waiting[next as usize];
                die.area += now.since(waiting.flight.at_die.max(base)).0;
                next = waiting.next;
            }
        }
    }

    /// All reads at dies, in the order in which they came.
    fn inside(&self) -> Vec<Inside> {
        let mut inside = Vec::new();
        for (number, die) in self.dies.iter().enumerate() {
            if die.phase != Phase::Idle {
                inside.push((die.flight.taken.id, Where::Running(DieId(number as u32))));
            }
            let mut next = die.first;
            while next != NONE {
                let waiting = &self.waiting[next as usize];
                inside.push((waiting.flight.taken.id, Where::Waiting(next)));
                next = waiting.next;
            }
        }
        inside.sort_unstable_by_key(|read| read.0);
        inside
    }
}
