//! The loop of the read lane.

use super::tally::{Service, Waits, record};
use super::{Flight, NONE, ReadFeed, ReadLane, Taken};
use crate::device::Device;
use crate::device::admit::parts_are_wrong;
use crate::host::HostRequest;
use crate::ids::{DieId, Lpa, Ppa};
use crate::nand::CellMode;
use crate::nand::die::Phase;
use crate::run::{FETCHED_TOGETHER, RunError, fetch_ahead};
use crate::time::Ns;

/// What an event leads to.
enum Event {
    /// Nothing was answered.
    Unanswered,
    /// A read was answered.
    Answered,
    /// The die's next command may be more than a plain read: the lane ends, and the drive begins it. Whether a read was
    /// answered.
    Joining(DieId, bool),
}

/// The drive and its lane while that serves.
pub(super) struct Lane<'a> {
    pub drive: &'a mut Device,
    pub lane: &'a mut ReadLane,
    pub now: Ns,
    /// Of a read command of one plane.
    command: Ns,
    checked: bool,
}

impl Device {
    /// Serves reads until something else comes, or the feed wants to hear of an answer.
    pub(super) fn serve_lane(
        &mut self,
        mut lane: Box<ReadLane>,
        feed: &mut impl ReadFeed,
    ) -> Result<(), RunError> {
        let (command, now, checked) = (self.timing.read_command(1), self.now, self.versions.is_some());
        let served = Lane { drive: self, lane: &mut lane, now, command, checked }.serve(feed);
        self.leave_lane(lane);
        if let Some(die) = served? {
            self.start_next(die);
            self.finish_event();
        }
        Ok(())
    }
}

impl Lane<'_> {
    /// Returns the die whose next command the drive has to begin, if that is why it ended.
    fn serve(&mut self, feed: &mut impl ReadFeed) -> Result<Option<DieId>, RunError> {
        let ended = self.serve_until_else(feed);
        self.drive.now = self.now;
        ended
    }

    fn serve_until_else(&mut self, feed: &mut impl ReadFeed) -> Result<Option<DieId>, RunError> {
        let mut arrival = feed.next_time(self.now)?;
        loop {
            let (time, behind) = self.next_event();
            if arrival < time || (behind && arrival == time && time != Ns::NEVER) {
                let Some(&request) = feed.coming(0) else { return Ok(None) };
                let Some(ppa) = self.drive.plain_place(&request) else { return Ok(None) };
                let Some(taken) = feed.take(arrival, &*self.drive)? else { return Ok(None) };
                self.now = arrival;
                self.enter(&request, taken, ppa, feed);
                arrival = feed.next_time(arrival)?;
                continue;
            }
            if time == Ns::NEVER || self.drive.fault.is_some() {
                return Ok(None);
            }
            self.now = time;
            self.lane.events += 1;
            let (answered, joining) = match self.handle() {
                Event::Unanswered => continue,
                Event::Answered => (true, None),
                Event::Joining(die, answered) => (answered, Some(die)),
            };
            if answered && !feed.answered(time)? || joining.is_some() {
                return Ok(joining);
            }
            arrival = feed.next_time(time)?;
        }
    }

    /// When the next event comes, and whether it is the choice of a channel, which comes behind arrivals.
    #[inline(always)]
    fn next_event(&self) -> (Ns, bool) {
        let lane = &*self.lane;
        let first = lane.link_event[0].min(lane.link_event[1]).min(lane.due.first().time());
        if lane.wake < first { (lane.wake, true) } else { (first, false) }
    }

    /// Handles the event that comes now. Of one time the link goes first, then the dies, then the channels.
    #[inline(always)]
    fn handle(&mut self) -> Event {
        let (now, [link_in, link_out]) = (self.now, self.lane.link_event);
        let due = self.lane.due.first();
        if now == link_out {
            let Some(flight) = self.lane.take_from_link(true) else { return Event::Unanswered };
            self.drive.recorder.read.answered(flight.request.length);
            return Event::Answered;
        }
        if now == link_in {
            if let Some(flight) = self.lane.take_from_link(false) {
                self.arrive_at_die(flight);
            }
        } else if now != due.time() {
            self.channel_is_free();
        } else {
            self.lane.due.take();
            return self.die_is_due(due.die());
        }
        Event::Unanswered
    }

    /// A request enters the drive.
    #[inline(always)]
    fn enter(&mut self, request: &HostRequest, taken: Taken, ppa: Ppa, feed: &impl ReadFeed) {
        if taken.id.is_multiple_of(FETCHED_TOGETHER) {
            fetch_ahead(&*self.drive, |ahead| feed.coming(ahead));
        }
        if taken.opens_window {
            self.open_window(&taken);
        }
        let place = self.drive.geometry.place(ppa);
        let now = self.now;
        let flight = Flight {
            request: *request,
            taken,
            ppa,
            die: self.drive.geometry.die_of(place.plane).0.0,
            cell: self.drive.timing.read(place.page, CellMode::Native),
            entered: now,
            at_die: now,
            begun: now,
            channel_wait: 0,
        };
        let time = self.drive.link_time(0, self.drive.rules.link.submission_ns);
        if time == Ns::ZERO && self.lane.link[0].is_empty() {
            self.arrive_at_die(flight);
        } else {
            let end = self.take_link(false, time);
            self.lane.put_on_link(false, end, flight);
        }
    }

    #[cold]
    fn open_window(&mut self, taken: &Taken) {
        self.drive.hand_over(self.lane, self.now);
        self.drive.open_window_at(self.now, taken.id);
    }

    /// One direction of the link is taken for so long; returns until when.
    #[inline(always)]
    fn take_link(&mut self, outwards: bool, time: Ns) -> Ns {
        let free = &mut self.drive.link_free[usize::from(outwards)];
        *free = (*free).max(self.now) + time;
        *free
    }

    #[inline(always)]
    fn arrive_at_die(&mut self, mut flight: Flight) {
        flight.at_die = self.now;
        flight.begun = self.now;
        let number = flight.die;
        let die = &mut self.lane.dies[number as usize];
        die.load += 1;
        die.most = die.most.max(die.load);
        if die.phase != Phase::Idle {
            return self.lane.queue(flight);
        }
        die.flight = flight;
        die.phase = Phase::Command;
        if self.checked {
            self.verify(&flight);
        }
        self.want_channel(number, self.command);
    }

    /// What a die does has come to its end.
    #[inline(always)]
    fn die_is_due(&mut self, number: u32) -> Event {
        let die = &mut self.lane.dies[number as usize];
        if die.phase == Phase::DataOut {
            return self.data_left(number);
        }
        // The page is in the register, and wants to leave.
        let transfer = self.drive.transfer(die.flight.request.length as u32);
        (die.phase, die.transfer) = (Phase::DataWait, transfer);
        self.want_channel(number, transfer);
        Event::Unanswered
    }

    /// The data is with the controller: the read is answered, and the die goes on.
    #[inline(always)]
    fn data_left(&mut self, number: u32) -> Event {
        let (now, base) = (self.now, self.lane.base);
        self.lane.pages += 1;
        let answered = self.answer(number);
        let die = &mut self.lane.dies[number as usize];
        die.load -= 1;
        die.area += now.since(die.flight.at_die.max(base)).0;
        die.busy += now.since(die.flight.begun.max(base)).0;
        die.phase = Phase::Idle;
        if die.first != NONE && !self.begin_next(number) {
            return Event::Joining(DieId(number), answered);
        }
        if answered { Event::Answered } else { Event::Unanswered }
    }

    /// A die begins the read that waits longest, unless it may be joined by another.
    #[inline]
    fn begin_next(&mut self, number: u32) -> bool {
        let next = self.lane.dies[number as usize].first;
        let waiting = self.lane.waiting[next as usize];
        if waiting.next != NONE && self.may_be_joined(&waiting.flight, waiting.next) {
            return false;
        }
        if self.checked {
            self.verify(&waiting.flight);
        }
        self.lane.free.push(next);
        let die = &mut self.lane.dies[number as usize];
        die.first = waiting.next;
        die.flight = waiting.flight;
        die.flight.begun = self.now;
        die.phase = Phase::Command;
        self.want_channel(number, self.command);
        true
    }

    /// A read begins: what it finds must be the newest version.
    #[inline(never)]
    fn verify(&mut self, flight: &Flight) {
        self.drive.now = self.now;
        let lpa = Lpa(self.drive.geometry.unit_of_byte(flight.request.offset) as u32);
        let newest = self.drive.version_in_flash(lpa);
        let holds = self.drive.versions.as_ref().is_none_or(|versions| versions.holds(flight.ppa, newest));
        self.drive.verify_page(lpa, flight.ppa, holds);
    }

    /// Whether one of those that wait behind a read could go with it: for the same flash page, or on another plane.
    fn may_be_joined(&self, read: &Flight, mut next: u32) -> bool {
        let drive = &*self.drive;
        let several_planes = drive.geometry.planes_per_die > 1;
        let (page, place) = (read.ppa.0 >> drive.geometry.unit_shift, drive.geometry.place(read.ppa));
        for _ in 0..drive.rules.window {
            if next == NONE {
                return false;
            }
            let other = &self.lane.waiting[next as usize];
            let fits = || {
                let there = drive.geometry.place(other.flight.ppa);
                there.plane != place.plane && drive.fit(there, place)
            };
            if other.flight.ppa.0 >> drive.geometry.unit_shift == page || (several_planes && fits()) {
                return true;
            }
            next = other.next;
        }
        false
    }

    /// Sends the answer of the read that a die served. When the host has it is certain from now on, so it is recorded at
    /// once. Returns whether the host has it.
    #[inline(always)]
    fn answer(&mut self, number: u32) -> bool {
        let length = self.lane.dies[number as usize].flight.request.length;
        let time = self.drive.link_time(length, self.drive.rules.link.completion_ns);
        let at_once = time == Ns::ZERO && self.lane.link[1].is_empty();
        let end = if at_once { self.now } else { self.take_link(true, time) };
        let die = &self.lane.dies[number as usize];
        let (flight, transfer) = (&die.flight, die.transfer);
        let latency = end.since(flight.taken.arrival);
        let service = Service { command: self.command, cell: flight.cell, transfer, length };
        let recorder = &mut self.drive.recorder.read;
        if latency != service.alone() || self.checked {
            let waits = Waits {
                admission: flight.entered.since(flight.taken.arrival).0,
                link: flight.at_die.since(flight.entered).0 + end.since(self.now).0,
                die: flight.begun.since(flight.at_die).0,
                channel: flight.channel_wait,
            };
            if flight.taken.measured {
                record(recorder, latency, &service, &waits);
            }
            let total = service.alone().0 + waits.total();
            if total != latency.0 {
                let wrong = parts_are_wrong(self.now, flight.taken.id, total, latency);
                self.drive.fault.get_or_insert(wrong);
            }
        } else if flight.taken.measured {
            self.lane.tally.count(service, recorder);
        }
        if at_once {
            self.drive.recorder.read.answered(length);
        } else {
            let flight = *flight;
            self.lane.put_on_link(true, end, flight);
        }
        at_once
    }
}
