//! Entering the read loop: it takes over what is under way, if that is nothing but reads of one unit each.

use super::flights::NO_FLIGHT;
use std::collections::VecDeque;

use super::releases::ChannelReleases;
use super::{Flight, LoopChannel, LoopDie, NONE, ReadLoop};
use crate::device::Device;
use crate::device::admit::Request;
use crate::ids::DieId;
use crate::nand::CellMode;
use crate::nand::die::{ChannelWait, CommandForm, Die, Phase};
use crate::sched::class::Class;
use crate::sched::queue::{JOIN, NONE as NO_OP, Op, OpId};
use crate::stats::blame::Part;
use crate::time::Ns;

impl LoopDie {
    fn of_channel(channel: u32) -> Self {
        Self {
            phase: Phase::Idle,
            channel,
            running: NONE,
            planes: 1,
            begun: Ns::ZERO,
            command: Ns::ZERO,
            cell: Ns::ZERO,
            transfer: Ns::ZERO,
            channel_wait: 0,
            requested_at: Ns::ZERO,
            requested: Ns::ZERO,
            behind: NONE,
            waiting: VecDeque::new(),
            load: 0,
            most: 0,
            area: 0,
            busy: 0,
            array: 0,
        }
    }

    /// Nothing runs or waits any more.
    pub(super) fn empty(&mut self) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        *self = Self { waiting, ..Self::of_channel(self.channel) };
    }
}

impl ReadLoop {
    fn new(drive: &Device) -> Self {
        let dies = drive.channel_of.iter().take(drive.outstanding.len());
        Self {
            dies: dies.map(|&channel| LoopDie::of_channel(channel)).collect(),
            channels: vec![LoopChannel::free_from(Ns::ZERO); drive.channels.len()],
            flights: Default::default(),
            due: Default::default(),
            releases: ChannelReleases::default(),
            link: Default::default(),
            link_event: Ns::NEVER,
            base: Ns::ZERO,
            tally: Default::default(),
            events: 0,
            pages: 0,
            commands: 0,
            multi_plane: 0,
        }
    }
}

impl Device {
    /// Enters the loop with all that is under way, if nothing is but reads of one unit that waited for such reads only.
    pub(super) fn enter_read_loop(&mut self) -> Option<Box<ReadLoop>> {
        let at_rest = self.requests_inside() == 0 && self.pool.is_empty();
        if !(at_rest || self.only_reads_are_inside()) || !self.touched.is_empty() {
            return None;
        }
        let pending = self.events.pending();
        let last = self.dies.len() + self.channels.len();
        if pending.iter().any(|event| event.resource() >= last) {
            return None;
        }
        let mut reads = self.read_loop.take().unwrap_or_else(|| Box::new(ReadLoop::new(self)));
        reads.base = self.now;
        for event in pending {
            let resource = event.resource();
            self.events.clear(resource);
            match resource.checked_sub(self.dies.len()) {
                None => reads.due.expect(event.time(), resource as u32),
                Some(channel) => reads.releases.note(event.time(), channel as u32),
            }
        }
        for (mine, channel) in self.channels.iter().zip(&mut reads.channels) {
            *channel = LoopChannel::free_from(mine.free_at);
        }
        for die in (0..self.outstanding.len() as u32).map(DieId) {
            self.lend_die(die, &mut reads);
        }
        for number in 0..self.channels.len() {
            self.lend_channel(number, &mut reads);
        }
        self.lend_link(&mut reads);
        Some(reads)
    }

    /// Whether all that is inside are reads that the loop can take over.
    fn only_reads_are_inside(&self) -> bool {
        let on_link = self.link_in.len() + self.link_out.len();
        if self.completed > 0 || self.pool.len() + on_link != self.requests_inside() {
            return false;
        }
        let on_link = self.link_in.iter().chain(&self.link_out);
        let mut of_link = on_link.map(|&(_, number)| &self.requests[number as usize]);
        if !of_link
            .all(|request| self.place_of_unit_read(&request.request).is_some() && !request.met_firmware())
        {
            return false;
        }
        let mut found = 0;
        for (number, die) in self.dies.iter().enumerate() {
            match self.reads_of_die(number, die) {
                Some(reads) => found += reads,
                None => return false,
            }
        }
        found == self.pool.len()
    }

    /// How many reads run or wait at a die; `None` if there is anything else, or anything else was waited for.
    fn reads_of_die(&self, number: usize, die: &Die) -> Option<usize> {
        let others = die.waiting() & !(1 << Class::HostRead.index());
        if others != 0 || die.suspended.is_some() {
            return None;
        }
        let mut reads = 0;
        match die.phase {
            Phase::Idle if die.waiting() != 0 => return None,
            Phase::Idle => return Some(0),
            Phase::Command | Phase::Array | Phase::DataWait | Phase::DataOut => {
                let command = &die.command;
                let is_read = command.class == Class::HostRead
                    && command.planes == 1
                    && command.form == CommandForm::Plain
                    && self.is_unit_read(command.head)
                    && self.pool[command.head].next == NO_OP;
                let waits = [Part::Command, Part::Cell, Part::Transfer, Part::ChannelWait(Class::HostRead)];
                let before = self.pool.parts(command.head);
                let alone = command.parts.are_only(&waits)
                    && before.is_none_or(|parts| parts.are_only(&[Part::DieWait(Class::HostRead)]));
                if !is_read || !alone || !self.waits_for_reads(number, die) {
                    return None;
                }
                reads += 1;
            }
            _ => return None,
        }
        let mut waiting = die.first(Class::HostRead);
        while waiting != NO_OP {
            if !self.is_unit_read(waiting) || !self.waited_for_reads(waiting, die) {
                return None;
            }
            reads += 1;
            waiting = self.pool[waiting].next;
        }
        Some(reads)
    }

    fn is_unit_read(&self, id: OpId) -> bool {
        let Op { class, ppa, next_unit, request, partial, guess, copyback, wait_from, arrived, .. } =
            self.pool[id];
        if class != Class::HostRead || partial || guess || copyback || request >= JOIN || next_unit != NO_OP {
            return false;
        }
        let request = &self.requests[request as usize];
        let came = wait_from == arrived && request.came_at() == arrived;
        came && !request.met_firmware() && self.place_of_unit_read(&request.request) == Some(ppa)
    }

    /// Whether a die that waits for its channel waits for reads of the host only.
    fn waits_for_reads(&self, number: usize, die: &Die) -> bool {
        if !matches!(die.phase, Phase::Command | Phase::DataWait) {
            return true;
        }
        let ChannelWait { ahead, snapshot, .. } = &die.channel_wait;
        let clock = &self.channels[self.channel_of[number] as usize].clock;
        ahead.0 == Class::HostRead && clock.since(snapshot).all(|(class, _)| class == Class::HostRead.index())
    }

    /// Whether an operation waited for its die all the time since it came, and for reads of the host only.
    fn waited_for_reads(&self, id: OpId, die: &Die) -> bool {
        let (clock, waited) = (die.clock(self.now), self.now.since(self.pool[id].wait_from).0);
        let Some(noted) = self.pool.noted_clock(id) else { return false };
        let mut since = clock.since(noted);
        let of_reads = since.next().is_none_or(|first| first == (Class::HostRead.index(), waited));
        of_reads && since.next().is_none() && self.pool.parts(id).is_none_or(|parts| parts.are_only(&[]))
    }

    /// Takes a die's reads over.
    fn lend_die(&mut self, number: DieId, reads: &mut ReadLoop) {
        let load = self.outstanding[number.index()];
        self.recorder.load_changes(number.index(), load, load, self.now);
        self.dies[number.index()].bring_clock_to(self.now);
        let phase = self.dies[number.index()].phase;
        if phase != Phase::Idle {
            let head = self.dies[number.index()].command.head;
            let waited = self.pool.parts(head).map_or(0, |parts| parts.get(Part::DieWait(Class::HostRead)));
            let flight = self.flight_of(head, number);
            let (at_die, command) = (flight.at_die, self.timing.read_command(1));
            let state = &mut self.dies[number.index()];
            let free_at = reads.channels[reads.dies[number.index()].channel as usize].free_at;
            let die = &mut reads.dies[number.index()];
            (die.phase, die.requested) = (phase, state.channel_wait.duration);
            (die.planes, die.begun, die.command, die.cell) = (1, at_die + Ns(waited), command, flight.cell);
            die.transfer = state.data_out;
            die.channel_wait = state.command.parts.get(Part::ChannelWait(Class::HostRead));
            die.running = reads.flights.insert(flight);
            if matches!(phase, Phase::Command | Phase::DataWait) {
                // It waits until the channel is free, so long after it began to.
                let granted = self.channels[die.channel as usize].clock.since(&state.channel_wait.snapshot);
                let wait = state.channel_wait.ahead.1 + granted.map(|(_, ns)| ns).sum::<u64>();
                die.requested_at = Ns(free_at.0.saturating_sub(wait));
            }
            state.phase = Phase::Idle;
            state.command.head = NO_OP;
        }
        let die = &mut reads.dies[number.index()];
        (die.load, die.most) = (load, load);
        while self.dies[number.index()].waits(Class::HostRead) {
            let waiting = self.dies[number.index()].pop(&mut self.pool, Class::HostRead);
            let flight = reads.flights.insert(self.flight_of(waiting, number));
            reads.queue(flight);
        }
    }

    /// Takes an operation and its request over.
    fn flight_of(&mut self, id: OpId, die: DieId) -> Flight {
        let Op { request, ppa, arrived, .. } = self.pool[id];
        let cell = self.timing.read(self.geometry.place(ppa).page, CellMode::Native);
        let request = self.lend_request(request);
        self.pool.remove(id);
        Flight { ppa, die: die.0, cell, at_die: arrived, ..request }
    }

    fn lend_request(&mut self, number: u32) -> Flight {
        self.free_requests.push(number);
        let inside: &Request = &self.requests[number as usize];
        let (id, arrival, measured) = inside.identity();
        let (entered, at_die) = (inside.entered_at(), inside.came_at());
        Flight { request: inside.request, id, arrival, measured, entered, at_die, ..NO_FLIGHT }
    }

    /// The dies that wait for a channel.
    fn lend_channel(&mut self, number: usize, reads: &mut ReadLoop) {
        while let Some(DieId(die)) = self.channels[number].take(0) {
            let channel = &mut reads.channels[number];
            let last = std::mem::replace(&mut channel.last, die);
            if channel.first == NONE {
                channel.first = die;
            } else {
                reads.dies[last as usize].behind = die;
            }
        }
    }

    fn lend_link(&mut self, reads: &mut ReadLoop) {
        for outwards in [false, true] {
            while let Some((end, number)) =
                if outwards { self.link_out.pop_front() } else { self.link_in.pop_front() }
            {
                let mut flight = self.lend_request(number);
                if let (false, Some(ppa)) = (outwards, self.place_of_unit_read(&flight.request)) {
                    let place = self.geometry.place(ppa);
                    flight.die = self.geometry.die_of(place.plane).0.0;
                    (flight.ppa, flight.cell) = (ppa, self.timing.read(place.page, CellMode::Native));
                }
                let flight = reads.flights.insert(flight);
                reads.put_on_link(outwards, end, flight);
            }
        }
    }
}
