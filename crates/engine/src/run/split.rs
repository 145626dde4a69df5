//! A run in parts: it stops, is saved, and goes on, and its result is the same as if it had not stopped.

use std::io::{Read, Write};

use serde::Serialize;
use serde_json::Value;

use super::{Outcome, RunError, Setup};
use crate::Kept;
use crate::snapshot::{Identity, SnapshotError};
use wordline_base::time::Ns;
use wordline_config::host::FlowRules;
use wordline_config::{DeviceConfig, HostConfig, MeasureConfig, SchemeConfig, StartConfig, WindowConfig};

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
        /// Of these, those that had when this part of the run began.
        before: u64,
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
    #[serde(rename = "workload.host")]
    host: &'a HostConfig,
    #[serde(rename = "workload.start")]
    start: &'a StartConfig,
    #[serde(rename = "workload.window")]
    window: &'a WindowConfig,
    #[serde(rename = "workload.measure")]
    measure: &'a MeasureConfig,
    seed: u64,
    #[serde(rename = "checked")]
    kept: Kept,
    flows: &'a [FlowRules],
    workload: Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    policies: &'a str,
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
        let Setup {
            device,
            scheme,
            host,
            start,
            window,
            measure,
            seed,
            kept,
            pattern: _,
            settling: _,
            policies,
        } = setup;
        let workload =
            serde_json::from_str(self.workload).unwrap_or_else(|_| Value::String(self.workload.to_owned()));
        let (seed, kept) = (*seed, *kept);
        let made =
            Made { device, scheme, host, start, window, measure, seed, kept, flows, workload, policies };
        Identity::new("a run", &made).map(Some)
    }
}
