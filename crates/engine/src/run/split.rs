//! A run in parts: it stops, is saved, and goes on, and its result is the same as if it had not stopped.

use std::io::{Read, Write};

use serde::Serialize;
use serde_json::Value;

use super::volume::Volume;
use super::{Outcome, Replay, RunError, Setup};
use crate::config::host::FlowRules;
use crate::config::{DeviceConfig, HostConfig, MeasureConfig, SchemeConfig, StartConfig, WindowConfig};
use crate::host::HostSide;
use crate::snapshot::{Identity, In, Out, SnapshotError};
use crate::time::Ns;

/// Where a run stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// When so many requests of the whole run have entered the drive.
    pub after_requests: u64,
    /// With the first answer at this time or later.
    pub at: Ns,
}

impl Default for Stop {
    /// At its end.
    fn default() -> Self {
        Self { after_requests: u64::MAX, at: Ns::NEVER }
    }
}

/// A part of a run.
#[derive(Default)]
pub struct Split<'a> {
    /// The snapshot of a run that goes on; `None` for one that begins.
    pub resume: Option<&'a mut dyn Read>,
    /// Where it stops.
    pub stop: Stop,
    /// Where it is saved when it has stopped.
    pub save: Option<&'a mut dyn Write>,
    /// What the requests are, as text (JSON, so that messages can name a key): a run goes on only with the same.
    pub workload: &'a str,
}

/// How a part of a run ended.
#[derive(Debug)]
pub enum Ending {
    /// With the run.
    Finished(Box<Outcome>),
    /// Before that.
    Stopped {
        /// Requests that have entered the drive.
        requests: u64,
        /// The time.
        time: Ns,
    },
}

impl Ending {
    /// The outcome of a run that has no reason to stop.
    pub(super) fn finished(self) -> Result<Outcome, RunError> {
        match self {
            Self::Finished(outcome) => Ok(*outcome),
            Self::Stopped { .. } => Err(RunError::Cancelled),
        }
    }
}

/// What the state of a run depends on.
#[derive(Serialize)]
struct Made<'a> {
    device: &'a DeviceConfig,
    scheme: &'a SchemeConfig,
    host: &'a HostConfig,
    start: &'a StartConfig,
    window: &'a WindowConfig,
    measure: &'a MeasureConfig,
    seed: u64,
    checked: bool,
    flows: &'a [FlowRules],
    workload: Value,
}

impl Split<'_> {
    pub(super) fn identity(
        &self,
        setup: &Setup,
        flows: &[FlowRules],
    ) -> Result<Option<Identity>, SnapshotError> {
        if self.resume.is_none() && self.save.is_none() {
            return Ok(None);
        }
        // The workload says more than the pattern of its writes.
        let Setup { device, scheme, host, start, window, measure, seed, checked, pattern: _ } = setup;
        let workload =
            serde_json::from_str(self.workload).unwrap_or_else(|_| Value::String(self.workload.to_owned()));
        let (seed, checked) = (*seed, *checked);
        let made = Made { device, scheme, host, start, window, measure, seed, checked, flows, workload };
        Identity::new("a run", &made).map(Some)
    }
}

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    pub(super) fn stops_now(&self) -> bool {
        self.device.now() >= self.stop.at
    }

    /// Writes where the run is: the drive with its requests in flight, the host, the warm-up.
    pub(super) fn save(&self, identity: &Option<Identity>, out: &mut dyn Write) -> Result<(), SnapshotError> {
        let Self {
            front,
            warmup,
            device,
            observer: _,
            number,
            done,
            window_open,
            until: _,
            is_answered: _,
            report: _,
            stop: _,
            attempts: _,
            drive_bytes: _,
        } = self;
        let Some(identity) = identity else { return Ok(()) };
        let mut out = Out::begin(out)?;
        identity.save(&mut out)?;
        device.save(&mut out)?;
        front.save(&mut out)?;
        out.put(&(warmup.written, number, done, window_open))?;
        out.finish()
    }

    /// Goes on from there.
    pub(super) fn restore(
        &mut self,
        identity: &Option<Identity>,
        input: &mut dyn Read,
    ) -> Result<(), RunError> {
        let Some(identity) = identity else { return Ok(()) };
        let mut input = In::begin(input)?;
        identity.check(&mut input)?;
        self.device.restore(&mut input)?;
        self.front.restore(&mut input)?;
        (self.warmup.written, self.number, self.done, self.window_open) = input.take()?;
        if self.number.checked_sub(self.done) != Some(self.device.requests_inside() as u64) {
            return Err(SnapshotError::Misfit("the number of requests in flight".to_owned()).into());
        }
        Ok(input.finish()?)
    }
}
