//! The host as it submits: draws requests from the workload and decides when each goes to the drive.

use super::RestoreError;
use std::collections::VecDeque;

use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::request::{HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::host::{Arrivals, HostConfig};

/// Requests known in advance, so that the drive's tables can be fetched ahead of them.
pub const LOOK_AHEAD: usize = 96;

/// The next requests of a workload and the times at which they come.
pub struct Submitter<'a> {
    source: &'a mut dyn RequestSource,
    config: HostConfig,
    batch: Vec<HostRequest>,
    cursor: usize,
    exhausted: bool,
    /// Closed loop and held arrivals: when each free place of the queue becomes free. Never decreases.
    places: VecDeque<Ns>,
    outstanding: u32,
    /// Closed loop: answers that are waited for before their places become free, and whether it is more than one or the depth varies.
    batch_answers: u32,
    gathers: bool,
    /// Requests of the source that were taken, and that come at most.
    taken: u64,
    most: u64,
    last_arrival: Ns,
    /// Nothing is submitted later than this; whether that was what ended it.
    stop_at: Ns,
    has_stopped: bool,
    /// Time of the host at which a request of this time of the source comes.
    origin: Ns,
    first: Ns,
}

impl<'a> Submitter<'a> {
    /// A host that follows `config`.
    pub fn new(source: &'a mut dyn RequestSource, mut config: HostConfig) -> Self {
        if config.max_outstanding == 0 && config.arrivals == Arrivals::Held {
            // Nothing holds them back.
            config.arrivals = Arrivals::Open;
        }
        let places = match config.arrivals {
            Arrivals::Open => 0,
            Arrivals::Held => config.max_outstanding,
            Arrivals::Closed => config.queue_depth,
        };
        let places = (0..places).map(|_| Ns::ZERO).collect();
        let stop_at = if config.stop_ns > 0 { Ns(config.stop_ns) } else { Ns::NEVER };
        Self {
            source,
            config,
            batch: Vec::new(),
            cursor: 0,
            exhausted: false,
            places,
            outstanding: 0,
            batch_answers: 1,
            gathers: false,
            taken: 0,
            most: u64::MAX,
            last_arrival: Ns::ZERO,
            stop_at,
            has_stopped: false,
            origin: Ns::ZERO,
            first: Ns::ZERO,
        }
    }

    /// The same, whose closed loop waits for so many answers before it submits as many requests.
    #[must_use]
    pub(super) fn in_batches(mut self, answers: u32) -> Self {
        if self.config.arrivals == Arrivals::Closed {
            self.batch_answers = answers;
            self.gathers |= answers > 1;
        }
        self
    }

    /// So many requests of the closed loop may be outstanding from the next answer on.
    pub(super) fn set_depth(&mut self, depth: u32) {
        self.gathers = true;
        self.config.queue_depth = depth;
        self.places.truncate(depth.saturating_sub(self.outstanding) as usize);
    }

    /// Places that become free with the last answer: none before a batch of answers is there, or all are.
    #[cold]
    fn gathered(&self) -> u32 {
        let free = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        let answers = self.config.queue_depth.saturating_sub(free).saturating_sub(self.outstanding);
        if answers < self.batch_answers && self.outstanding > 0 { 0 } else { answers }
    }

    /// Draws from another source, behind what is `known` of it, whose requests of the time `first` come at `origin`; the one so far
    /// is given back.
    pub(super) fn take_up(
        &mut self,
        source: &'a mut dyn RequestSource,
        known: Vec<HostRequest>,
        [origin, first]: [Ns; 2],
    ) -> &'a mut dyn RequestSource {
        self.batch = known;
        (self.cursor, self.exhausted) = (0, false);
        (self.taken, self.most) = (0, u64::MAX);
        (self.origin, self.first) = (origin, first);
        std::mem::replace(&mut self.source, source)
    }

    /// Draws no more, and keeps only what has arrived by `now` in an open loop: how many requests come in all, the time of the last
    /// of them, and what is known behind it.
    pub(super) fn draw_no_more(&mut self, now: Ns) -> (u64, Ns, Vec<HostRequest>) {
        let known = self.batch.get(self.cursor..).unwrap_or_default();
        let is_open = self.config.arrivals.has_times();
        let arrived = known.iter().take_while(|request| is_open && self.scaled(request.time) <= now).count();
        let behind = self.cursor + arrived;
        let last = self.batch.get(behind.saturating_sub(1)).map_or(Ns::ZERO, |request| request.time);
        let rest = self.batch.split_off(behind.min(self.batch.len()));
        self.keep(arrived);
        (self.most, last, rest)
    }

    /// Nothing comes any more but so many of the requests that are known.
    fn keep(&mut self, known: usize) {
        self.exhausted = true;
        self.batch.truncate(self.cursor.saturating_add(known));
        self.most = self.taken + known as u64;
    }

    /// No request comes any more.
    #[cold]
    pub(super) fn close(&mut self) {
        self.keep(0);
    }

    /// Its requests begin at this time: none was submitted before.
    pub(super) fn begin_at(&mut self, time: Ns) {
        self.origin = time;
        self.places.iter_mut().for_each(|place| *place = time);
    }

    /// Requests that were taken and not answered yet.
    pub(super) fn outstanding(&self) -> u32 {
        self.outstanding
    }

    /// Nothing is submitted later than this.
    pub(super) fn stop_behind(&mut self, time: Ns) {
        self.stop_at = time;
    }

    /// Whether that was what ended it.
    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    /// When the last request came.
    pub(super) fn last_arrival(&self) -> Ns {
        self.last_arrival
    }

    /// Keeps [`LOOK_AHEAD`] requests known, unless the workload ends.
    #[inline(always)]
    fn refill(&mut self) -> Result<(), SourceError> {
        if self.exhausted || self.batch.len() - self.cursor > LOOK_AHEAD {
            return Ok(());
        }
        self.draw()
    }

    #[cold]
    fn draw(&mut self) -> Result<(), SourceError> {
        self.batch.drain(..self.cursor);
        self.cursor = 0;
        while !self.exhausted && self.batch.len() <= LOOK_AHEAD {
            let before = self.batch.len();
            self.source.next_batch(&mut self.batch)?;
            self.exhausted = self.batch.len() == before;
        }
        Ok(())
    }

    /// When the next request enters the drive, no earlier than `now`; [`Ns::NEVER`] if none can before another ends.
    #[inline(always)]
    pub fn next_time(&mut self, now: Ns) -> Result<Ns, SourceError> {
        if self.config.arrivals.has_times() {
            return self.next_arrival(now);
        }
        let Some(&place) = self.places.front() else { return Ok(Ns::NEVER) };
        self.refill()?;
        Ok(if self.cursor < self.batch.len() { place.max(now) } else { Ns::NEVER })
    }

    /// The same where requests come at times of their own.
    #[inline]
    fn next_arrival(&mut self, now: Ns) -> Result<Ns, SourceError> {
        self.refill()?;
        let Some(request) = self.batch.get(self.cursor) else { return Ok(Ns::NEVER) };
        let (max_outstanding, mut time) = (self.config.max_outstanding, self.scaled(request.time));
        if self.config.arrivals == Arrivals::Held {
            time = time.max(self.places.front().copied().unwrap_or(Ns::ZERO));
        }
        if self.is_after_stop(time) {
            self.end();
            return Ok(Ns::NEVER);
        }
        if max_outstanding > 0 && self.outstanding >= max_outstanding {
            return Ok(Ns::NEVER);
        }
        if time > Ns(LATEST_ARRIVAL_NS) { Err(self.too_late(request.time)) } else { Ok(time.max(now)) }
    }

    #[cold]
    fn too_late(&self, time: Ns) -> SourceError {
        SourceError(format!(
            "a request arrives at {} ns × time_scale {}: allowed: {} ns (292 years) at most",
            time.0, self.config.time_scale, LATEST_ARRIVAL_NS
        ))
    }

    /// Whether a request that is submitted at this time comes after the stop.
    #[inline]
    fn is_after_stop(&self, time: Ns) -> bool {
        time > self.stop_at
    }

    /// No request comes any more: it would come after the stop.
    #[cold]
    fn end(&mut self) {
        self.has_stopped = true;
        self.close();
    }

    /// Whether the workload has ended and all its requests were taken.
    #[inline]
    pub fn is_at_end(&self) -> bool {
        self.exhausted && self.cursor == self.batch.len()
    }

    /// Takes the next request, which enters at `now`: the request and when it arrived at the host's queue.
    #[inline(always)]
    pub fn take(&mut self, now: Ns) -> Option<(HostRequest, Ns)> {
        let request = *self.batch.get(self.cursor)?;
        Some((request, self.advance(request.time, now)))
    }

    /// Goes on behind the next request, which comes at this time and enters at `now`; returns when it arrived.
    #[inline(always)]
    pub(super) fn advance(&mut self, time: Ns, now: Ns) -> Ns {
        self.cursor += 1;
        self.outstanding += 1;
        self.taken += 1;
        let arrival = match self.config.arrivals {
            Arrivals::Closed | Arrivals::Held => {
                self.places.pop_front();
                now
            }
            // A workload whose times step back is taken as if it stood still.
            Arrivals::Open => self.scaled(time).max(self.last_arrival).min(now),
        };
        self.last_arrival = arrival;
        arrival
    }

    /// The request `ahead` places behind the next.
    #[inline]
    pub fn peek(&self, ahead: usize) -> Option<&HostRequest> {
        self.batch.get(self.cursor + ahead)
    }

    /// So many requests were completed at `now`.
    #[inline(always)]
    pub fn completed(&mut self, count: u32, now: Ns) {
        self.outstanding -= count;
        if self.config.arrivals != Arrivals::Open {
            let thinks = self.config.arrivals == Arrivals::Closed;
            let free = if thinks { now + Ns(self.config.think_time_ns) } else { now };
            let count = if self.gathers { self.gathered() } else { count };
            for _ in 0..count {
                self.places.push_back(free);
            }
            // Places that were free before the stop have been used by now.
            if self.is_after_stop(free) {
                self.end();
            }
        }
    }

    /// Writes how far it has come.
    pub(crate) fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        // What is known in advance, the source gives again.
        let Self {
            source: _,
            config: _,
            batch_answers: _,
            gathers: _,
            batch: _,
            cursor: _,
            exhausted: _,
            places,
            outstanding,
            taken,
            most,
            last_arrival,
            stop_at,
            has_stopped,
            origin,
            first,
        } = self;
        out.put(&(places, outstanding, taken, most, last_arrival))?;
        out.put(&(stop_at, has_stopped, origin, first))
    }

    /// Comes as far with a source that is new. Returns what is known behind the last request that comes, where that is not the last of
    /// the source.
    pub(crate) fn restore(&mut self, input: &mut In<'_>) -> Result<Vec<HostRequest>, RestoreError> {
        (self.places, self.outstanding, self.taken, self.most, self.last_arrival) = input.take()?;
        (self.stop_at, self.has_stopped, self.origin, self.first) = input.take()?;
        if self.most == self.taken {
            self.exhausted = true;
            return Ok(Vec::new());
        }
        let mut left = self.taken;
        while left > 0 {
            self.refill()?;
            let known = (self.batch.len() - self.cursor) as u64;
            if known == 0 {
                let (all, taken) = (self.taken - left, self.taken);
                let what = format!("the workload has {all} requests, the run had taken {taken}");
                return Err(SnapshotError::Misfit(what).into());
            }
            let some = known.min(left);
            self.cursor += some as usize;
            left -= some;
        }
        // With every place taken nothing asks for more before the last answer, which must know that it is the last.
        self.refill()?;
        if self.most == u64::MAX { Ok(Vec::new()) } else { self.restore_end() }
    }

    /// The same where not all of the source comes.
    fn restore_end(&mut self) -> Result<Vec<HostRequest>, RestoreError> {
        let left = usize::try_from(self.most.saturating_sub(self.taken)).unwrap_or(usize::MAX);
        let mut drawn = 1;
        while drawn > 0 && self.batch.len() - self.cursor < left {
            let before = self.batch.len();
            self.source.next_batch(&mut self.batch)?;
            drawn = self.batch.len() - before;
        }
        let behind = self.cursor.saturating_add(left).min(self.batch.len());
        let rest = self.batch.split_off(behind);
        self.exhausted = true;
        Ok(rest)
    }

    /// When a request of this time of the source comes.
    #[inline]
    fn scaled(&self, time: Ns) -> Ns {
        let time = time.0.saturating_sub(self.first.0);
        let since = match self.config.time_scale {
            1.0 => time,
            scale => (time as f64 * scale).round() as u64,
        };
        Ns(self.origin.0.saturating_add(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostOp;

    struct Every(u64, u64);

    impl RequestSource for Every {
        fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
            if self.1 > 0 {
                self.1 -= 1;
                let time = Ns(self.0 * (9 - self.1));
                batch.push(HostRequest {
                    time,
                    op: HostOp::Read,
                    offset: 0,
                    length: 512,
                    flow: 0,
                    stream: 0,
                });
            }
            Ok(())
        }
    }

    #[test]
    fn an_open_loop_keeps_the_times_scaled() {
        let mut source = Every(100, 9);
        let config = HostConfig { arrivals: Arrivals::Open, time_scale: 0.5, ..HostConfig::default() };
        let mut submitter = Submitter::new(&mut source, config);
        for expected in 1..=9 {
            let time = submitter.next_time(Ns::ZERO).unwrap();
            assert_eq!(time, Ns(expected * 50));
            assert_eq!(submitter.take(time).unwrap().1, time);
        }
        assert_eq!(submitter.next_time(Ns::ZERO).unwrap(), Ns::NEVER);
    }

    #[test]
    fn nothing_is_submitted_after_the_stop() {
        for arrivals in [Arrivals::Open, Arrivals::Closed] {
            let mut source = Every(100, 9);
            let config = HostConfig { arrivals, queue_depth: 1, stop_ns: 300, ..HostConfig::default() };
            let mut submitter = Submitter::new(&mut source, config);
            let (mut now, mut taken) = (Ns::ZERO, 0);
            loop {
                now = submitter.next_time(now).unwrap();
                if now == Ns::NEVER {
                    break;
                }
                submitter.take(now).unwrap();
                taken += 1;
                if arrivals == Arrivals::Closed {
                    now += Ns(100);
                    submitter.completed(1, now);
                    assert_eq!(submitter.is_at_end(), now > Ns(300));
                }
            }
            // Open: at 100, 200 and 300; closed: at 0 too.
            assert_eq!(taken, if arrivals == Arrivals::Open { 3 } else { 4 });
            assert!(submitter.is_at_end());
        }
    }

    #[test]
    fn a_bounded_open_loop_waits_at_the_host_and_counts_the_wait() {
        let mut source = Every(100, 9);
        let config = HostConfig { arrivals: Arrivals::Open, max_outstanding: 1, ..HostConfig::default() };
        let mut submitter = Submitter::new(&mut source, config);
        let first = submitter.next_time(Ns::ZERO).unwrap();
        submitter.take(first);
        assert_eq!(submitter.next_time(Ns(10)).unwrap(), Ns::NEVER);
        submitter.completed(1, Ns(250));
        assert_eq!(submitter.next_time(Ns(250)).unwrap(), Ns(250));
        assert_eq!(submitter.take(Ns(250)).unwrap().1, Ns(200));
    }

    #[test]
    fn a_request_that_was_held_back_counts_from_its_submission() {
        let mut source = Every(100, 9);
        let config = HostConfig { arrivals: Arrivals::Held, max_outstanding: 1, ..HostConfig::default() };
        let mut submitter = Submitter::new(&mut source, config);
        assert_eq!(submitter.next_time(Ns::ZERO).unwrap(), Ns(100));
        assert_eq!(submitter.take(Ns(100)).unwrap().1, Ns(100));
        assert_eq!(submitter.next_time(Ns(110)).unwrap(), Ns::NEVER);
        submitter.completed(1, Ns(350));
        // Behind its times, it submits one for each answer; then it is in time again.
        for (free, submitted) in [(350, 350), (360, 360), (370, 400)] {
            assert_eq!(submitter.next_time(Ns(free)).unwrap(), Ns(submitted));
            assert_eq!(submitter.take(Ns(submitted)).unwrap().1, Ns(submitted));
            assert_eq!(submitter.next_time(Ns(submitted)).unwrap(), Ns::NEVER);
            submitter.completed(1, Ns(submitted + 10));
        }
    }

    #[test]
    fn what_was_held_back_beyond_the_stop_is_not_submitted() {
        let mut source = Every(100, 9);
        let config = HostConfig {
            arrivals: Arrivals::Held,
            max_outstanding: 1,
            stop_ns: 500,
            ..HostConfig::default()
        };
        let mut submitter = Submitter::new(&mut source, config);
        assert_eq!(submitter.next_time(Ns::ZERO).unwrap(), Ns(100));
        submitter.take(Ns(100)).unwrap();
        submitter.completed(1, Ns(501));
        assert_eq!(submitter.next_time(Ns(501)).unwrap(), Ns::NEVER);
        assert!(submitter.is_at_end());
    }

    #[test]
    fn a_closed_loop_submits_when_a_place_is_free_and_the_think_time_is_over() {
        let mut source = Every(0, 9);
        let config = HostConfig { queue_depth: 2, think_time_ns: 7, ..HostConfig::default() };
        let mut submitter = Submitter::new(&mut source, config);
        for _ in 0..2 {
            assert_eq!(submitter.next_time(Ns::ZERO).unwrap(), Ns::ZERO);
            submitter.take(Ns::ZERO);
        }
        assert_eq!(submitter.next_time(Ns(50)).unwrap(), Ns::NEVER);
        submitter.completed(1, Ns(60));
        assert_eq!(submitter.next_time(Ns(60)).unwrap(), Ns(67));
    }
}
