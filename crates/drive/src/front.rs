//! The requests of a drive, from their submission to their completion, and the loop that brings both together.

use wordline_base::time::Ns;
use wordline_config::MeasureConfig;
use wordline_config::cache::CacheConfig;
use wordline_engine::host::places::WritesInside;
use wordline_engine::run::ahead::fetch_ahead;
use wordline_engine::run::order::{Step, next_step};
use wordline_engine::stats::tenants::FlowName;
use wordline_engine::{NO_COLLECTION_WINS, Volume};

use crate::error::Error;
use crate::inside::Inside;
use crate::pending::{Pending, Waiting};
use crate::request::{Completion, Request};

/// Those requests, and where the drive is.
#[derive(Clone)]
pub(crate) struct Front {
    pub pending: Pending,
    pub inside: Inside,
    pub completions: Vec<Completion>,
    /// Up to which it was advanced, ns.
    pub now: u64,
    /// Requests that were answered.
    pub answered: u64,
    /// Whether a request has entered.
    pub has_begun: bool,
    /// Whether what is counted is in the window.
    pub window_open: bool,
    /// Whether its firmware has places for them.
    pub writes: WritesInside,
    /// Numbers of the requests that were answered just now.
    numbers: Vec<u64>,
}

impl Front {
    /// At time 0, before a drive with this cache.
    pub fn new(cache: &CacheConfig) -> Self {
        Self {
            pending: Pending::default(),
            inside: Inside::default(),
            completions: Vec::new(),
            now: 0,
            answered: 0,
            has_begun: false,
            window_open: false,
            writes: WritesInside::new(cache),
            numbers: Vec::new(),
        }
    }

    /// Requests without an answer.
    pub fn outstanding(&self) -> u64 {
        self.pending.len() as u64 + self.inside.count()
    }

    /// When the next request enters a drive that is at `now`; [`Ns::NEVER`]: there is none, or none before an answer.
    #[inline(always)]
    fn entry(&self, now: Ns) -> Ns {
        match self.pending.first() {
            Some(Waiting { request, .. }) if !self.writes.hold(request.op) => request.time.max(now),
            _ => Ns::NEVER,
        }
    }

    /// The least time to bring the drive to so that something happens.
    #[inline]
    pub fn next_event<V: Volume>(&self, volume: &V) -> Ns {
        let entry = self.entry(volume.now());
        let (event, gives_way) = volume.next_event();
        if event == Ns::NEVER && entry == Ns::NEVER {
            return Ns::NEVER;
        }
        let wake = volume.wake_at();
        let of_drive = match event {
            // An event goes before what wakes the drive at the same time.
            event if wake < event => wake,
            // What gives way to arrivals happens once none can come at that time any more.
            event if gives_way => event + Ns(1),
            event => event,
        };
        of_drive.min(entry).max(Ns(self.now))
    }

    /// Lets happen what goes before a request that arrives at `limit` and is submitted later; with [`Ns::NEVER`], all up to the last
    /// answer.
    #[inline]
    pub fn run<V: Volume>(
        &mut self,
        volume: &mut V,
        limit: Ns,
        measure: &MeasureConfig,
    ) -> Result<(), Error> {
        loop {
            let entry = self.entry(volume.now());
            if limit == Ns::NEVER && self.outstanding() == 0 {
                self.now = self.now.max(volume.now().0);
                return Ok(());
            }
            match next_step(volume, entry.min(limit)) {
                Step::Wake => volume.wake(),
                Step::Arrival if entry <= limit => self.enter(volume, entry, measure),
                Step::Arrival => {
                    self.now = limit.0;
                    return Ok(());
                }
                Step::Still if !volume.place_stalled_anew() => return Err(self.stuck(volume)),
                Step::Still => {}
                Step::Events => volume.advance(entry.min(limit)),
            }
            self.collect(volume)?;
        }
    }

    /// The first request enters.
    #[inline(always)]
    fn enter<V: Volume>(&mut self, volume: &mut V, now: Ns, measure: &MeasureConfig) {
        let number = self.inside.next_number();
        fetch_ahead(volume, number, |ahead| self.pending.peek(ahead));
        let Some(waiting) = self.pending.take() else { return };
        if !self.window_open {
            self.open_window(volume, now, measure);
        }
        self.writes.enter(waiting.request.op);
        self.inside.enter(waiting);
        volume.submit(&waiting.request, number, waiting.request.time, now, true);
    }

    /// What is counted from the next request on is counted anew.
    #[cold]
    fn open_window<V: Volume>(&mut self, volume: &mut V, now: Ns, measure: &MeasureConfig) {
        if !self.has_begun {
            self.has_begun = true;
            // So that the drive tells which requests it answers.
            volume.set_flows(vec![FlowName::default()]);
            volume.measure(measure);
        }
        self.window_open = true;
        volume.open_window_at(now, self.inside.next_number());
    }

    /// Takes note of answers, and of a drive that can't go on.
    #[inline(always)]
    fn collect<V: Volume>(&mut self, volume: &mut V) -> Result<(), Error> {
        if let Some(fault) = volume.fault() {
            return Err(Error::Fault(fault));
        }
        if volume.take_completed() > 0 {
            let time = volume.now().0;
            volume.take_answered(&mut self.numbers);
            for number in self.numbers.drain(..) {
                let Some(Waiting { request, tag }) = self.inside.leave(number) else { continue };
                self.writes.leave(request.op);
                self.answered += 1;
                self.completions.push(Completion { request: Request::of_engine(&request, tag), time });
            }
        }
        if volume.has_ended() { Err(Error::EndOfLife { time: volume.now().0 }) } else { Ok(()) }
    }

    /// Why nothing moves, though requests wait.
    #[cold]
    fn stuck<V: Volume>(&self, volume: &mut V) -> Error {
        if volume.ends_for_want_of_space() {
            return Error::EndOfLife { time: volume.now().0 };
        }
        let left = self.outstanding();
        Error::Fault(format!("{left} requests {NO_COLLECTION_WINS}"))
    }
}
