//! The read loop itself.

use super::due::Due;
use super::{Flight, NONE, ReadFeed, ReadLoop, Taken, Waiting};
use crate::device::Device;
use crate::ids::{Lpa, Ppa};
use crate::nand::CellMode;
use crate::nand::die::Phase;
use crate::run::{FETCHED_TOGETHER, RunError, fetch_ahead};
use crate::time::Ns;

/// The drive, and the reads under way in the loop, while that serves.
pub(super) struct ActiveReadLoop<'a> {
    pub drive: &'a mut Device,
    pub reads: ReadLoop,
    pub now: Ns,
    /// Of a read command of one plane.
    command: Ns,
    pub checked: bool,
    /// Bytes that were sent to the host last, and their time on the link.
    pub sent: (u64, Ns),
}

impl Device {
    /// Serves reads until something else comes, or the feed wants to hear of an answer.
    pub(super) fn serve_read_loop(
        &mut self,
        reads: Box<ReadLoop>,
        feed: &mut impl ReadFeed,
    ) -> Result<(), RunError> {
        let (command, now, checked) = (self.timing.read_command(1), self.now, self.versions.is_some());
        let sent = (0, self.link_time(0, self.rules.link.completion_ns));
        let mut serving = ActiveReadLoop { drive: self, reads: *reads, now, command, checked, sent };
        let served = serving.serve(feed);
        let ActiveReadLoop { reads, .. } = serving;
        self.leave_read_loop(Box::new(reads));
        served
    }
}

impl ActiveReadLoop<'_> {
    fn serve(&mut self, feed: &mut impl ReadFeed) -> Result<(), RunError> {
        let ended = self.serve_until_else(feed);
        self.drive.now = self.now;
        ended
    }

    #[inline(never)]
    fn serve_until_else(&mut self, feed: &mut impl ReadFeed) -> Result<(), RunError> {
        let mut arrival = feed.next_time(self.now)?;
        loop {
            let due = self.reads.due.first();
            let event = due.time().min(self.reads.link_event);
            // The choice of a channel comes behind arrivals.
            let release = self.reads.releases.time();
            if arrival < event && arrival <= release {
                let Some(request) = feed.coming(0) else { return Ok(()) };
                let Some(ppa) = self.drive.place_of_unit_read(request) else { return Ok(()) };
                let number = self.reads.flights.claim(request);
                let Some(taken) = feed.take(arrival, &*self.drive)? else {
                    self.reads.flights.remove(number);
                    return Ok(());
                };
                self.now = arrival;
                self.enter(number, taken, ppa, feed);
                arrival = feed.next_time(arrival)?;
                continue;
            }
            self.now = event.min(release);
            if self.now == Ns::NEVER || (self.checked && self.drive.fault.is_some()) {
                return Ok(());
            }
            self.reads.events += 1;
            let answered = self.handle(due);
            if answered == 0 {
                continue;
            }
            for _ in 0..answered {
                if !feed.answered(self.now)? {
                    return Ok(());
                }
            }
            if self.drive.fault.is_some() {
                return Ok(());
            }
            arrival = feed.next_time(self.now)?;
        }
    }

    /// Handles the event that comes now. Of one time the link goes first, then the dies, then the channels. Returns how many
    /// reads were answered.
    #[inline(always)]
    fn handle(&mut self, due: Due) -> u32 {
        if self.now == self.reads.link_event {
            return self.link_is_over();
        }
        if self.now == due.time() {
            self.reads.due.take();
            return self.die_is_due(due.resource());
        }
        self.channel_is_free();
        0
    }

    /// A read is over on the link: those that go to the host are first.
    #[inline(never)]
    fn link_is_over(&mut self) -> u32 {
        if let Some(flight) = self.reads.take_from_link(true, self.now) {
            self.note_answered(self.reads.flights[flight].request.length);
            self.reads.flights.remove(flight);
            return 1;
        }
        if let Some(flight) = self.reads.take_from_link(false, self.now) {
            self.arrive_at_die(flight);
        }
        0
    }

    /// A request enters the drive.
    #[inline(always)]
    fn enter(&mut self, number: u32, taken: Taken, ppa: Ppa, feed: &impl ReadFeed) {
        if taken.id.is_multiple_of(FETCHED_TOGETHER) {
            fetch_ahead(&*self.drive, |ahead| feed.coming(ahead));
        }
        if taken.opens_window {
            self.open_window(taken.id);
        }
        let place = self.drive.geometry.place(ppa);
        let die = self.drive.geometry.die_of(place.plane).0.0;
        let cell = self.drive.timing.read(place.page, CellMode::Native);
        let flight = &mut self.reads.flights[number];
        (flight.id, flight.arrival, flight.measured) = (taken.id, taken.arrival, taken.measured);
        flight.ppa = ppa;
        (flight.die, flight.cell) = (die, cell);
        (flight.entered, flight.at_die) = (self.now, self.now);
        (flight.next, flight.mate) = (NONE, NONE);
        let time = self.drive.link_time(0, self.drive.rules.link.submission_ns);
        if time == Ns::ZERO && self.reads.link[0].is_empty() {
            self.arrive(number, die, cell);
        } else {
            let end = self.take_link(false, time);
            self.reads.put_on_link(false, end, number);
        }
    }

    #[cold]
    fn open_window(&mut self, id: u64) {
        self.drive.hand_over(&mut self.reads, self.now);
        self.drive.open_window_at(self.now, id);
    }

    /// One direction of the link is taken for so long; returns until when.
    #[inline(always)]
    pub(super) fn take_link(&mut self, outwards: bool, time: Ns) -> Ns {
        self.drive.occupy_link(outwards, self.now, time)
    }

    /// A read comes to its die from the link.
    fn arrive_at_die(&mut self, number: u32) {
        let flight = &mut self.reads.flights[number];
        flight.at_die = self.now;
        let Flight { die, cell, .. } = *flight;
        self.arrive(number, die, cell);
    }

    /// A read is at its die, and takes the cell array so long.
    #[inline(always)]
    fn arrive(&mut self, read: u32, number: u32, cell: Ns) {
        let die = &mut self.reads.dies[number as usize];
        die.load += 1;
        die.most = die.most.max(die.load);
        if die.phase == Phase::Idle {
            self.begin(read, number, cell);
        } else {
            self.reads.queue(read);
        }
    }

    /// A die begins a read.
    #[inline(always)]
    fn begin(&mut self, read: u32, die: u32, cell: Ns) {
        if self.checked {
            self.verify(read);
        }
        self.begin_command(die, read, 1, cell, self.command);
    }

    #[inline(always)]
    fn begin_command(&mut self, number: u32, head: u32, planes: u32, cell: Ns, command: Ns) {
        let die = &mut self.reads.dies[number as usize];
        (die.phase, die.running, die.planes, die.begun) = (Phase::Command, head, planes, self.now);
        (die.command, die.cell, die.channel_wait) = (command, cell, 0);
        self.reads.want_channel(number, command, self.now);
    }

    /// What a die does has come to its end.
    #[inline(always)]
    fn die_is_due(&mut self, number: u32) -> u32 {
        if self.reads.dies[number as usize].phase == Phase::DataOut {
            return self.data_left(number);
        }
        self.send_data(number);
        0
    }

    /// The page that is next in the register wants to leave.
    #[inline(always)]
    fn send_data(&mut self, number: u32) {
        let die = &mut self.reads.dies[number as usize];
        let transfer = self.drive.transfer(self.reads.flights.bytes_of_page(die.running));
        (die.phase, die.transfer) = (Phase::DataWait, transfer);
        self.reads.want_channel(number, transfer, self.now);
    }

    /// The data of a page is with the controller: its reads are answered, and the die goes on. Returns how many the host
    /// has.
    #[inline(always)]
    fn data_left(&mut self, number: u32) -> u32 {
        let (now, base) = (self.now, self.reads.base);
        let die = &mut self.reads.dies[number as usize];
        let mut read = die.running;
        let Flight { at_die, next, .. } = self.reads.flights[read];
        die.load -= 1;
        die.area += now.since(at_die.max(base)).0;
        let mut answered = 0;
        while read != NONE {
            let flight = self.reads.flights[read];
            answered += u32::from(self.answer(number, read, &flight));
            read = flight.mate;
        }
        let die = &mut self.reads.dies[number as usize];
        if next == NONE {
            self.command_done(number);
        } else {
            // For the planes that follow, this transfer was a wait.
            die.channel_wait += die.transfer.0;
            die.running = next;
            self.send_data(number);
        }
        answered
    }

    #[inline(always)]
    fn command_done(&mut self, number: u32) {
        let die = &mut self.reads.dies[number as usize];
        die.busy += self.now.since(die.begun.max(self.reads.base)).0;
        die.phase = Phase::Idle;
        self.reads.pages += u64::from(die.planes);
        self.reads.commands += 1;
        self.reads.multi_plane += u64::from(die.planes > 1);
        if !die.waiting.is_empty() {
            self.begin_next(number);
        }
    }

    /// A die begins the read that waits longest, with those that go with it.
    #[inline]
    fn begin_next(&mut self, number: u32) {
        let die = &mut self.reads.dies[number as usize];
        let Some(Waiting { read: head, .. }) = die.waiting.pop_front() else { return };
        if die.waiting.is_empty() {
            let cell = self.reads.flights[head].cell;
            return self.begin(head, number, cell);
        }
        let (planes, cell) = self.find_partners(number, head);
        if self.checked {
            self.verify_command(head);
        }
        self.begin_command(number, head, planes, cell, self.drive.timing.read_command(planes));
    }

    #[inline(never)]
    fn verify_command(&mut self, head: u32) {
        let mut page = head;
        while page != NONE {
            let mut read = page;
            while read != NONE {
                self.verify(read);
                read = self.reads.flights[read].mate;
            }
            page = self.reads.flights[page].next;
        }
    }

    /// A read begins: what it finds must be the newest version.
    #[inline(never)]
    fn verify(&mut self, number: u32) {
        let Flight { request, ppa, .. } = &self.reads.flights[number];
        let lpa = Lpa(self.drive.geometry.unit_of_byte(request.offset) as u32);
        let holds = self.drive.holds_newest_uncached(lpa, *ppa);
        if holds && self.drive.oob.was_written_with(*ppa, lpa) {
            self.drive.reads_verified += 1;
            return;
        }
        self.drive.now = self.now;
        self.drive.verify_page(lpa, *ppa, holds);
    }
}
