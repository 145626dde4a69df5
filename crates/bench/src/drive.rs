//! Drives and loads that the benchmarks share.

use std::path::Path;
use std::time::Instant;

use wordline_engine::config::host::HostConfig;
use wordline_engine::config::layers::Layer;
use wordline_engine::config::resolve_run;
use wordline_engine::config::run::StartConfig;
use wordline_engine::device::Device;
use wordline_engine::host::RequestSource;
use wordline_engine::{Outcome, Setup, Unobserved, replay};
use wordline_trace::config::{PatternConfig, RegionConfig, Sizes, SourceConfig, SyntheticConfig};
use wordline_trace::{OpenContext, open};

use crate::Failure;

/// MQSim's shipped drive.
pub const MQSIM: &str = include_str!("../../../presets/devices/mqsim.toml");

/// 1 TiB of 4 KiB pages: tables larger than any cache.
pub const LARGE: &str = include_str!("../drives/1tb-4k.toml");

/// A run on a drive of this description with some of its keys changed; every page occupied, and `overwrite` of them
/// overwritten at random.
pub fn setup(
    text: &str,
    changes: &[(&str, u64)],
    queue_depth: u32,
    overwrite: f64,
) -> Result<Setup, Failure> {
    let changes: Vec<_> = changes.iter().map(|(key, value)| ((*key).to_owned(), value.to_string())).collect();
    let device = Layer::from_toml("device", text)?;
    let (device, scheme) = resolve_run(&device, &Layer::from_toml("scheme", "")?, &changes)?;
    let host = HostConfig { queue_depth, ..HostConfig::default() };
    let start = StartConfig { overwrite, ..StartConfig::default() };
    Ok(Setup { host, start, ..Setup::of(device, scheme) })
}

/// Uniform requests of 4 KiB over the whole drive.
pub fn uniform(requests: u64, read_share: f64) -> SyntheticConfig {
    SyntheticConfig {
        requests,
        read_share,
        trim_share: 0.0,
        pattern: PatternConfig::Uniform,
        region: RegionConfig::default(),
        sizes: Sizes::Fixed(4096),
        alignment_bytes: None,
        interarrival: None,
    }
}

/// The requests of a description.
pub fn source(config: &SourceConfig, drive_bytes: u64) -> Result<Box<dyn RequestSource + Send>, Failure> {
    let context = OpenContext { drive_bytes, seed: 1, base_dir: Path::new(".") };
    Ok(open(config, &context)?.source)
}

/// A replay and its time.
pub struct Timed {
    /// What the run left.
    pub outcome: Outcome,
    /// Flash operations of this replay.
    pub operations: f64,
    /// Wall clock, s.
    pub seconds: f64,
}

impl Timed {
    /// ns for each flash operation.
    pub fn ns(&self) -> f64 {
        self.seconds * 1e9 / self.operations
    }
}

/// Replays requests on a prepared drive.
pub fn timed(setup: &Setup, device: &mut Device, config: &SourceConfig) -> Result<Timed, Failure> {
    let mut requests = source(config, device.logical_bytes())?;
    let before = device.flash_operations();
    let started = Instant::now();
    let outcome = replay(setup, device, requests.as_mut(), &mut Unobserved)?;
    let seconds = started.elapsed().as_secs_f64();
    let operations = (outcome.flash_operations - before) as f64;
    Ok(Timed { outcome, operations, seconds })
}
