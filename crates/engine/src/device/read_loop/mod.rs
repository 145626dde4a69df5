//! The read loop: as long as nothing but reads of one mapping unit each is inside a drive of which no optional part
//! wants to see or change them, a loop of its own serves them, from the host's queue to the answer.
//!
//! It decides as the slow path does (who goes first, nanosecond by nanosecond, and what is blamed for each of them), but
//! need not ask what can't be: every command is a read of the host, every time is one of a few, and the map holds
//! still. What is counted for dies and channels is summed beside them and handed over at the end. When something else
//! comes, all that is under way is given back to the drive as the slow path would have left it. Checked mode verifies each read
//! here as there. The tests compare the two: a drive with a probe takes the slow path.

mod answer;
mod channels;
mod due;
mod enter;
mod flights;
mod joins;
mod leave;
mod releases;
mod serve;
mod tally;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use super::Device;
use crate::host::{DriveView, HostOp, HostRequest};
use crate::ids::{Lpa, Ppa};
use crate::nand::die::Phase;
use crate::run::RunError;
use crate::sched::SchedulerPolicy;
use crate::time::Ns;

use due::DueDies;
use flights::{Flight, Flights};
use releases::ChannelReleases;
use tally::Tally;

/// Requests known in advance that must be reads of one unit for the loop to be worth entering.
const WORTH_ENTERING: usize = 8;

/// No read, no die.
const NONE: u32 = u32::MAX;

/// Where the loop gets reads from, and tells that they are answered.
pub trait ReadFeed {
    /// When the next request may enter, no earlier than `now`; [`Ns::NEVER`] if none can before another is answered.
    fn next_time(&mut self, now: Ns) -> Result<Ns, RunError>;

    /// The request `ahead` places behind the next.
    fn coming(&self, ahead: usize) -> Option<&HostRequest>;

    /// Takes the next request, which enters at `now`; `None` if the host would rather wait.
    fn take(&mut self, now: Ns, drive: &dyn DriveView) -> Result<Option<Taken>, RunError>;

    /// One request was answered at `now`; whether to go on, or to hear of it at once.
    fn answered(&mut self, now: Ns) -> Result<bool, RunError>;
}

/// A request that enters.
#[derive(Clone, Copy)]
pub struct Taken {
    /// Its number.
    pub id: u64,
    /// When it arrived at the host's queue.
    pub arrival: Ns,
    /// Whether it counts in the results.
    pub measured: bool,
    /// Whether the measured window opens with it.
    pub opens_window: bool,
}

/// A read that waits for its die. What joining asks for lies side by side: the reads themselves may be in no cache.
#[derive(Clone, Copy)]
struct Waiting {
    ppa: Ppa,
    read: u32,
}

/// What a die does, what waits for it, and what is counted for it.
struct LoopDie {
    phase: Phase,
    channel: u32,
    /// The command that runs, unless it is idle: the first read of the page whose turn on the channel it is or will be, its
    /// planes, when it began, its time on the channel before the cells work and in those, that of the page's data, and
    /// what the page waited for the channel so far, ns.
    running: u32,
    planes: u32,
    begun: Ns,
    command: Ns,
    cell: Ns,
    transfer: Ns,
    channel_wait: u64,
    /// Its request for the channel: since when, for how long, and who waits behind it.
    requested_at: Ns,
    requested: Ns,
    behind: u32,
    /// The reads that wait for it, in the order in which they came.
    waiting: VecDeque<Waiting>,
    /// Flash pages that wait or run, and the most of them.
    load: u32,
    most: u32,
    /// Sums over its pages and commands since [`ReadLoop::base`], ns: from coming to leaving, being carried out, and in
    /// the array.
    area: u64,
    busy: u64,
    array: u64,
}

/// A channel, and the dies that wait for it.
#[derive(Clone, Copy)]
struct LoopChannel {
    free_at: Ns,
    first: u32,
    last: u32,
    /// Time granted in the loop, ns.
    granted: u64,
}

impl LoopChannel {
    /// Nobody waits for it.
    fn free_from(free_at: Ns) -> Self {
        Self { free_at, first: NONE, last: NONE, granted: 0 }
    }

    /// Whether a request made at `now` is granted at once, as of [`Channel::is_free`](crate::nand::channel::Channel::is_free).
    #[inline(always)]
    fn is_free(&self, now: Ns) -> bool {
        self.first == NONE && (self.free_at < now || self.free_at == Ns::ZERO)
    }
}

/// Reads under way, and all that moves them.
pub(super) struct ReadLoop {
    dies: Vec<LoopDie>,
    channels: Vec<LoopChannel>,
    flights: Flights,
    due: DueDies,
    releases: ChannelReleases,
    /// Reads on the link, to the drive and back, when each is over, and when the first of all is.
    link: [VecDeque<(Ns, u32)>; 2],
    link_event: Ns,
    /// From when on sums count: entering, or what was handed over last.
    base: Ns,
    tally: Tally,
    events: u64,
    /// Flash pages read, by how many commands, and how many of those were of several planes.
    pages: u64,
    commands: u64,
    multi_plane: u64,
}

impl ReadLoop {
    /// A read waits for its die behind those that do.
    #[inline]
    fn queue(&mut self, read: u32) {
        let Flight { die, ppa, .. } = self.flights[read];
        self.dies[die as usize].waiting.push_back(Waiting { ppa, read });
    }

    /// Puts a read on one direction of the link, until `end`.
    #[inline]
    fn put_on_link(&mut self, outwards: bool, end: Ns, flight: u32) {
        self.link[usize::from(outwards)].push_back((end, flight));
        self.link_event = self.link_event.min(end);
    }

    /// A read on one direction of the link is over at `now`.
    #[inline]
    fn take_from_link(&mut self, outwards: bool, now: Ns) -> Option<u32> {
        let queue = &mut self.link[usize::from(outwards)];
        let (_, over) = queue.front().is_some_and(|first| first.0 == now).then(|| queue.pop_front())??;
        let firsts = self.link.iter().filter_map(|queue| queue.front());
        self.link_event = firsts.map(|first| first.0).min().unwrap_or(Ns::NEVER);
        Some(over)
    }
}

impl Device {
    /// Serves reads of `feed` as long as nothing else comes. Does nothing where reads have hooks, something else is
    /// inside, or something else comes soon.
    pub fn serve_reads(&mut self, feed: &mut impl ReadFeed) -> Result<(), RunError> {
        if !self.has_read_loop() || !self.only_reads_come(feed) {
            return Ok(());
        }
        match self.enter_read_loop() {
            Some(reads) => self.serve_read_loop(reads, feed),
            None => Ok(()),
        }
    }

    /// Whether the drive is one that serves reads in the loop: beside what [reads without hooks](super::at_once) ask for, nothing
    /// is to be told of their times, nobody asks which were answered, no firmware works for them, and no command of a larger
    /// request is inside.
    fn has_read_loop(&self) -> bool {
        let told = self.monitor.due != Ns::NEVER
            || self.monitor.series.is_some()
            || self.recorder.tenants.is_some()
            || self.answers.is_some()
            || self.answered.is_some();
        let beside = self.cpu.is_on()
            || self.wake_at != Ns::NEVER
            || self.hears_of_idle()
            || self.split_requests.commands() > 0;
        self.rules.reads_without_hooks
            && !told
            && !beside
            && matches!(self.scheduler, SchedulerPolicy::Tiered(_))
            && self.fault.is_none()
            && self.end_of_life().is_none()
    }

    fn only_reads_come(&self, feed: &impl ReadFeed) -> bool {
        (0..WORTH_ENTERING)
            .all(|ahead| feed.coming(ahead).is_some_and(|coming| self.place_of_unit_read(coming).is_some()))
    }

    /// Where a request reads, if it is a read of one mapping unit that holds data.
    #[inline(always)]
    fn place_of_unit_read(&self, request: &HostRequest) -> Option<Ppa> {
        let &HostRequest { op, offset, length, .. } = request;
        let first = self.geometry.unit_of_byte(offset);
        let last = self.geometry.unit_of_byte(offset.checked_add(length)?.checked_sub(1)?);
        if op != HostOp::Read || length == 0 || first != last || last >= u64::from(self.logical_units) {
            return None;
        }
        let ppa = self.lookup(Lpa(first as u32));
        ppa.is_some().then_some(ppa)
    }
}
