//! The loop of a run: the drive's events and the host's requests in the order of time.

mod rest;
mod state;

use std::io::Read;

use super::ahead::fetch_ahead;
use super::observer::Observer;
use super::order::{Step, next_step};
use super::split::{Ending, Stop};
use super::volume::Volume;
use super::{NO_COLLECTION_WINS, Outcome, RunError, Setup};
use crate::host::{HostOp, HostRequest, HostSide};
use crate::snapshot::Identity;
use crate::stats::report::Report;
use wordline_base::time::Ns;
use wordline_config::WindowConfig;
use wordline_config::measure::Until;

/// Requests between two calls of the observer.
const OBSERVED_EVERY: u64 = 8192;

/// What must pass before the window opens, behind requests that came for flows to settle.
pub(crate) struct Warmup {
    time: Ns,
    requests: u64,
    bytes: u64,
    pub(crate) written: u64,
    /// Requests of the workload's own source that come first for the drive to settle.
    first_settling: u64,
    /// Requests of the settling, and when the first behind it came.
    settling: u64,
    since: Option<Ns>,
}

impl Warmup {
    pub(crate) fn new(config: &WindowConfig, drive_bytes: u64, first_settling: u64) -> Self {
        Self {
            time: Ns(config.warmup_ns),
            requests: config.warmup_requests,
            bytes: (drive_bytes as f64 * config.warmup_drive_writes) as u64,
            written: 0,
            first_settling,
            settling: 0,
            since: None,
        }
    }

    pub(crate) fn is_over(&self, now: Ns, number: u64) -> bool {
        let since = self.since.unwrap_or(Ns::ZERO);
        now >= since + self.time && number - self.settling >= self.requests && self.written >= self.bytes
    }

    /// A request enters that arrived at `arrival`.
    fn note(&mut self, settles: bool, arrival: Ns) {
        if settles {
            self.settling += 1;
        } else if self.settling > 0 && self.since.is_none() {
            self.since = Some(arrival);
        }
    }
}

/// A run under way.
pub(super) struct Replay<'a, H, V> {
    host: H,
    warmup: Warmup,
    drive_bytes: u64,
    /// Streams that the drive offers, if it offers any.
    streams: Option<u16>,
    device: &'a mut V,
    observer: &'a mut dyn Observer,
    /// Requests that have entered the drive.
    number: u64,
    /// Requests that were answered.
    done: u64,
    window_open: bool,
    until: Until,
    /// Whether the last request of the workload has its answer.
    is_answered: bool,
    report: Option<Report>,
    stop: Stop,
    /// Where it goes on: requests that had entered, and flash operations, before it was saved.
    requests_before: u64,
    operations_before: u64,
}

impl<'a, H: HostSide, V: Volume> Replay<'a, H, V> {
    /// Before the first request.
    pub(super) fn new(
        setup: &Setup,
        host: H,
        device: &'a mut V,
        observer: &'a mut dyn Observer,
        stop: Stop,
    ) -> Self {
        let drive_bytes = device.logical_bytes();
        Self {
            host,
            warmup: Warmup::new(&setup.window, drive_bytes, setup.settling),
            drive_bytes,
            streams: device.streams(),
            device,
            observer,
            number: 0,
            done: 0,
            window_open: false,
            until: setup.measure.until,
            is_answered: false,
            report: None,
            stop,
            requests_before: 0,
            operations_before: 0,
        }
    }

    /// Goes on from a snapshot, or begins.
    pub(super) fn begin(
        &mut self,
        setup: &Setup,
        identity: &Option<Identity>,
        resume: Option<&mut dyn Read>,
    ) -> Result<(), RunError> {
        match resume {
            Some(input) => {
                self.restore(identity, input)?;
                self.operations_before = self.device.flash_operations();
                self.requests_before = self.number;
                Ok(())
            }
            None => {
                self.device.measure(&setup.measure);
                Ok(())
            }
        }
    }

    /// Where it stopped.
    pub(super) fn stopped(&self) -> Ending {
        Ending::Stopped { requests: self.number, before: self.requests_before, time: self.device.now() }
    }

    /// What it measured. `open`: requests came at times that the workload gave.
    pub(super) fn outcome(&mut self, open: bool) -> Result<Outcome, RunError> {
        let requests = self.done;
        let mut report = match self.report.take() {
            Some(report) => report,
            // A workload without requests has an empty window.
            None if requests == 0 => self.device.report(),
            None => return Err(RunError::NothingMeasured { requests }),
        };
        (report.evidence.open, report.evidence.answered) = (open, requests);
        report.bound_flows(&self.host.began(), &self.host.ended());
        report.latency_targets = self.host.latency_targets();
        report.steady_ends = self.host.steady_ends();
        let settling_requests = self.host.settling_requests();
        let (flash_operations, events) = (self.device.flash_operations(), self.device.events_processed());
        let operations_before = self.operations_before;
        Ok(Outcome { report, flash_operations, operations_before, events, requests, settling_requests })
    }
}

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    /// Returns whether the run has ended; otherwise it stopped.
    pub(super) fn run(&mut self) -> Result<bool, RunError> {
        let mut observe_at = self.done + OBSERVED_EVERY;
        loop {
            let arrival = self.host.next_time(self.device.now())?;
            if arrival == Ns::NEVER && self.has_last_answer() {
                self.is_answered = true;
                break;
            }
            match next_step(&*self.device, arrival) {
                Step::Wake => self.device.wake(),
                Step::Arrival => self.submit(arrival)?,
                Step::Still if !self.device.place_stalled_anew() => break,
                Step::Still => {}
                Step::Events => self.device.advance(arrival),
            }
            self.check()?;
            if self.device.has_ended() {
                self.report = Some(self.device.report());
                return Ok(true);
            }
            let completed = self.device.take_completed();
            if completed > 0 {
                if let Some(answered) = self.host.answered() {
                    self.device.take_answered(answered);
                }
                self.host.completed(completed, self.device.now())?;
                self.done += u64::from(completed);
                if self.done >= observe_at {
                    observe_at = self.done + OBSERVED_EVERY;
                    if !self.observer.progress(self.done, self.device.now()) {
                        return Err(RunError::Cancelled);
                    }
                }
            }
            let stops = self.number >= self.stop.after_requests || (completed > 0 && self.stops_now());
            // A run whose last answer is there goes on to its end.
            if stops && !self.has_last_answer() {
                return Ok(false);
            }
        }
        self.end()
    }

    /// Whether nothing of the workload is left to be answered.
    #[inline]
    fn has_last_answer(&self) -> bool {
        self.done == self.number && self.host.is_at_end()
    }

    /// No request is left to be answered, or none of those that are left can be.
    fn end(&mut self) -> Result<bool, RunError> {
        if self.is_answered && self.until == Until::Idle {
            self.go_on_until_idle()?;
        }
        self.observer.progress(self.done, self.device.now());
        self.check()?;
        if self.done == self.number {
            if self.window_open {
                self.report = Some(self.device.report());
            }
            return Ok(true);
        }
        if self.device.ends_for_want_of_space() {
            self.report = Some(self.device.report());
            return Ok(true);
        }
        let left = self.number - self.done;
        Err(RunError::Inconsistent(format!("{left} requests {NO_COLLECTION_WINS}")))
    }

    #[inline]
    fn check(&self) -> Result<(), RunError> {
        if self.device.fault().is_some() { Err(self.fault()) } else { Ok(()) }
    }

    #[cold]
    fn fault(&self) -> RunError {
        RunError::Inconsistent(self.device.fault().unwrap_or_default())
    }

    fn submit(&mut self, now: Ns) -> Result<(), RunError> {
        fetch_ahead(&*self.device, self.number, |ahead| self.host.likely(ahead));
        let taken = self.host.take(now, self.number, &*self.device)?;
        let Some((request, arrival)) = taken else { return Ok(()) };
        self.check_range(&request)?;
        let settles = self.host.took_settling() || self.number < self.warmup.first_settling;
        self.warmup.note(settles, arrival);
        if !self.window_open && !settles && self.warmup.is_over(arrival, self.number) {
            self.window_open = true;
            self.device.open_window_at(now, self.number);
        }
        if request.op.is_write() {
            self.check_stream(&request)?;
        }
        if request.op.is_write() && !settles {
            self.warmup.written += request.length;
        }
        self.device.submit(&request, self.number, arrival, now, self.window_open && !settles);
        self.number += 1;
        Ok(())
    }

    #[inline]
    fn check_range(&self, request: &HostRequest) -> Result<(), RunError> {
        let end = request.offset.checked_add(request.length);
        if end.is_some_and(|end| end <= self.drive_bytes) || request.op == HostOp::Flush {
            return Ok(());
        }
        Err(self.out_of_range(request))
    }

    #[inline]
    fn check_stream(&self, request: &HostRequest) -> Result<(), RunError> {
        match self.streams {
            Some(streams) if request.stream >= streams => {
                let (number, stream) = (self.number, request.stream);
                Err(RunError::NoSuchStream { number, stream, streams })
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn out_of_range(&self, request: &HostRequest) -> RunError {
        let end = u128::from(request.offset) + u128::from(request.length);
        RunError::OutOfRange { number: self.number, offset: request.offset, end, bytes: self.drive_bytes }
    }
}
