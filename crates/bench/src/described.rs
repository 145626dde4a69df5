//! Runs as a user describes them: a device, a scheme and a workload, with some of their keys changed.

use std::path::Path;

use wordline_engine::config::layers::Layer;
use wordline_engine::config::{Layers, resolve_run};
use wordline_engine::host::Flow;
use wordline_engine::ids::Lpa;
use wordline_engine::run::volume::Volume;
use wordline_engine::stats::report::Report;
use wordline_engine::{Outcome, Setup, Unobserved, replay, replay_flows};
use wordline_trace::{
    OpenContext, Opened, OpenedFlow, WorkloadConfig, footprint, open, open_all, open_flows,
};

use crate::Failure;
use crate::clock::Stopwatch;

/// The seed of every run.
const SEED: u64 = 1;

/// The texts of the three descriptions, and dotted keys with their values in TOML that are changed.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// The drive.
    pub device: String,
    /// The scheme, beside what the drive's file says of it.
    pub scheme: String,
    /// The workload.
    pub workload: String,
    /// `device.…`, `scheme.…` and `workload.…`.
    pub changes: Vec<(String, String)>,
}

/// How much work a replay was, and how long it took.
pub struct Work {
    /// What it measured.
    pub report: Report,
    /// Time on a processor (see [`Stopwatch`]), s; without preparation.
    pub seconds: f64,
    /// Flash pages read and programmed, and blocks erased.
    pub operations: u64,
    /// Mapping units that the host read, and those that were programmed for whatever cause.
    pub units: f64,
}

/// Names of the files that hold the descriptions, and of the one with the changes, one a line.
const FILES: [&str; 4] = ["device.toml", "scheme.toml", "workload.toml", "changes.txt"];

impl Described {
    /// Writes the descriptions into a folder.
    ///
    /// # Errors
    /// Files that can't be written.
    pub fn save(&self, folder: &Path) -> Result<(), Failure> {
        let changes: String = self.changes.iter().map(|(key, value)| format!("{key}={value}\n")).collect();
        let texts = [&self.device, &self.scheme, &self.workload, &changes];
        for (name, text) in FILES.iter().zip(texts) {
            std::fs::write(folder.join(name), text)?;
        }
        Ok(())
    }

    /// Reads what was written there.
    ///
    /// # Errors
    /// Files that can't be read.
    pub fn load(folder: &Path) -> Result<Self, Failure> {
        let [device, scheme, workload, changes] =
            FILES.map(|name| std::fs::read_to_string(folder.join(name)));
        let changes = changes?;
        let changes = changes.lines().filter_map(|line| line.split_once('='));
        Ok(Self {
            device: device?,
            scheme: scheme?,
            workload: workload?,
            changes: changes.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
        })
    }

    /// Prepares the drive and carries the run out.
    ///
    /// # Errors
    /// Descriptions that are wrong, a trace that can't be read, a run that fails.
    pub fn carried_out(&self, base_dir: &Path) -> Result<Work, Failure> {
        let workload = self.workload()?;
        let setup = self.setup(&workload)?;
        let context = OpenContext { drive_bytes: setup.logical_bytes()?, seed: SEED, base_dir };
        let touched = touched(&setup, &workload, &context)?;
        let source = match &workload.source {
            Some(source) => Source::One(open(source, &context)?),
            None => Source::Flows(open_flows(&workload, &context)?),
        };
        match &setup.scheme.array {
            Some(config) => replayed(&setup, setup.prepare_array(config, &touched, &mut Unobserved)?, source),
            None => replayed(&setup, setup.prepare(&touched)?, source),
        }
    }

    fn workload(&self) -> Result<WorkloadConfig, Failure> {
        let layers = Layers::new()
            .with(Layer::from_toml("workload", &self.workload)?.under("workload"))
            .with(Layer::from_overrides(&self.changes)?);
        let workload: WorkloadConfig = layers.resolve("workload")?;
        workload.validate()?;
        Ok(workload)
    }

    fn setup(&self, workload: &WorkloadConfig) -> Result<Setup, Failure> {
        let device = Layer::from_toml("device", &self.device)?;
        let scheme = Layer::from_toml("scheme", &self.scheme)?;
        let of_drive = |(key, _): &&(String, String)| !key.starts_with("workload.");
        let changes: Vec<_> = self.changes.iter().filter(of_drive).cloned().collect();
        let (device, scheme) = resolve_run(&device, &scheme, &changes)?;
        Ok(Setup {
            host: workload.host.clone(),
            start: workload.start.clone(),
            window: workload.window.clone(),
            measure: workload.measure.clone(),
            seed: SEED,
            ..Setup::of(device, scheme)
        })
    }
}

enum Source {
    One(Opened),
    Flows(Vec<OpenedFlow>),
}

/// The logical pages that the workload touches, where the drive's start depends on them.
fn touched(setup: &Setup, workload: &WorkloadConfig, context: &OpenContext) -> Result<Vec<Lpa>, Failure> {
    if !setup.start.occupancy.follows_requests() {
        return Ok(Vec::new());
    }
    let unit_bytes = u64::from(setup.device.geometry.mapping_unit_bytes);
    let mut opened = open_all(workload, context)?;
    let pages = footprint(opened.source.as_mut(), unit_bytes, context.drive_bytes)?;
    Ok(pages.iter().filter_map(|page| u32::try_from(page).ok().map(Lpa)).collect())
}

fn replayed(setup: &Setup, mut drive: impl Volume, mut source: Source) -> Result<Work, Failure> {
    let clock = Stopwatch::start();
    let outcome = counted_replay(setup, &mut drive, &mut source)?;
    let seconds = clock.seconds();
    let report = outcome.report;
    let programmed = report.waf.unwrap_or(0.0) * report.write.bytes as f64;
    let units = (report.read.bytes as f64 + programmed) / f64::from(setup.device.geometry.mapping_unit_bytes);
    Ok(Work { report, seconds, operations: outcome.flash_operations, units })
}

/// Where callgrind counts.
#[inline(never)]
fn counted_replay(setup: &Setup, drive: &mut impl Volume, source: &mut Source) -> Result<Outcome, Failure> {
    Ok(match source {
        Source::One(opened) => replay(setup, drive, opened.source.as_mut(), &mut Unobserved)?,
        Source::Flows(flows) => {
            let flows =
                flows.iter_mut().map(|flow| Flow::new(flow.rules.clone(), flow.opened.source.as_mut()));
            replay_flows(setup, drive, flows.collect::<Vec<_>>(), None, &mut Unobserved)?
        }
    })
}
