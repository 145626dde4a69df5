//! The benchmarks: drives whose tables are larger than the caches, overwritten at random, statistics and blame on.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use wordline_engine::config::layers::Layer;
use wordline_engine::config::run::{HostConfig, Occupancy, StartConfig};
use wordline_engine::config::{MeasureConfig, WindowConfig, resolve_run};
use wordline_engine::device::Device;
use wordline_engine::host::RequestSource;
use wordline_engine::{Setup, Unobserved, replay};
use wordline_trace::config::{
    OutOfRange, PatternConfig, RegionConfig, Sizes, SourceConfig, SyntheticConfig, TraceConfig,
};
use wordline_trace::{OpenContext, open};

use crate::measure::{Goal, report, resident_bytes};

type Failure = Box<dyn Error>;

/// The drives: MQSim's shipped one, and 1 TiB of 4 KiB pages.
const DRIVES: [(&str, &str); 2] = [
    ("mqsim", include_str!("../../../presets/devices/mqsim.toml")),
    ("1tb-4k", include_str!("../drives/1tb-4k.toml")),
];

/// A load, and how many million flash operations a second it should reach.
struct Load {
    name: &'static str,
    requests: u64,
    read_share: f64,
    queue_depth: u32,
    goal: Goal,
}

const LOADS: [Load; 4] = [
    Load {
        name: "4 KiB random reads, queue depth 16",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 16,
        goal: Goal::AtLeast(10.0),
    },
    Load {
        name: "4 KiB random reads, queue depth 64",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 64,
        goal: Goal::AtLeast(10.0),
    },
    Load {
        name: "4 KiB random reads, queue depth 256",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 256,
        goal: Goal::None,
    },
    Load {
        name: "4 KiB random writes under GC, queue depth 16",
        requests: 1_000_000,
        read_share: 0.0,
        queue_depth: 16,
        goal: Goal::AtLeast(6.0),
    },
];

/// Runs the drives whose names contain one of the words; all without words.
pub fn run_all(words: &[String]) -> Result<(), Failure> {
    for (drive, text) in DRIVES {
        if words.is_empty() || words.iter().any(|word| drive.contains(word.as_str())) {
            run_drive(drive, text)?;
        }
    }
    Ok(())
}

fn run_drive(drive: &str, text: &str) -> Result<(), Failure> {
    untouched(drive, text)?;
    let mut device = overwritten(drive, text)?;
    for load in &LOADS {
        let config = uniform(load.requests, load.read_share);
        measure(drive, text, &mut device, load.name, &config, load.queue_depth, load.goal)?;
    }
    let (name, config) = mixed_trace();
    measure(drive, text, &mut device, &name, &config, 16, Goal::AtLeast(6.0))
}

fn setup(text: &str, queue_depth: u32, overwrite: f64) -> Result<Setup, Failure> {
    let device = Layer::from_toml("device", text)?;
    let (device, scheme) = resolve_run(&device, &Layer::from_toml("scheme", "")?, &[])?;
    Ok(Setup {
        device,
        scheme,
        host: HostConfig { queue_depth, ..HostConfig::default() },
        start: StartConfig { occupancy: Occupancy::All, overwrite },
        window: WindowConfig::default(),
        measure: MeasureConfig::default(),
        seed: 1,
        checked: false,
    })
}

/// Bytes of the full tables: a logical and a physical page number for each page.
fn full_tables(setup: &Setup) -> f64 {
    8.0 * setup.device.geometry.physical_units() as f64
}

fn untouched(drive: &str, text: &str) -> Result<(), Failure> {
    let before = resident_bytes();
    let setup = setup(text, 16, 0.0)?;
    let started = Instant::now();
    let device = setup.prepare(&[])?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let memory = resident_bytes().saturating_sub(before) as f64;
    drop(device);
    println!("{drive}: an untouched drive, every page occupied, is ready in {milliseconds:.1} ms");
    report(
        &format!("{drive}: untouched / full tables"),
        memory / full_tables(&setup),
        "",
        Goal::AtMost(1.0 / 16.0),
    );
    Ok(())
}

fn overwritten(drive: &str, text: &str) -> Result<Device, Failure> {
    let before = resident_bytes();
    let started = Instant::now();
    let setup = setup(text, 16, 1.0)?;
    let device = setup.prepare(&[])?;
    let wall = started.elapsed().as_secs_f64();
    let pages = device.logical_bytes() as f64 / f64::from(device.unit_bytes());
    println!(
        "{drive}: overwritten at random once in {wall:.1} s, {:.0} ns a page, GC included",
        wall * 1e9 / pages
    );
    let memory = resident_bytes().saturating_sub(before) as f64;
    report(&format!("{drive}: memory"), memory * 8.0 / full_tables(&setup), "B/page", Goal::AtMost(9.0));
    Ok(device)
}

fn uniform(requests: u64, read_share: f64) -> SourceConfig {
    SourceConfig::Synthetic(SyntheticConfig {
        requests,
        read_share,
        trim_share: 0.0,
        pattern: PatternConfig::Uniform,
        region: RegionConfig::default(),
        sizes: Sizes::Fixed(4096),
        alignment_bytes: None,
        interarrival: None,
    })
}

/// A recorded trace where there is one beside the project, else a made mix.
fn mixed_trace() -> (String, SourceConfig) {
    let recorded: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/traces/apps/fileserver.csv.zst"].iter().collect();
    if recorded.is_file() {
        let trace = TraceConfig { out_of_range: OutOfRange::Wrap, ..TraceConfig::of_file(recorded) };
        return ("mixed trace (fileserver), queue depth 16".into(), SourceConfig::Trace(trace));
    }
    ("70/30 mix (no recorded trace here), queue depth 16".into(), uniform(1_000_000, 0.7))
}

fn measure(
    drive: &str,
    text: &str,
    device: &mut Device,
    name: &str,
    config: &SourceConfig,
    queue_depth: u32,
    goal: Goal,
) -> Result<(), Failure> {
    let setup = setup(text, queue_depth, 0.0)?;
    let context = OpenContext { drive_bytes: device.logical_bytes(), seed: 1, base_dir: Path::new(".") };
    let mut requests: Box<dyn RequestSource> = open(config, &context)?.source;
    let before = device.flash_operations();
    let started = Instant::now();
    let outcome = replay(&setup, device, requests.as_mut(), &mut Unobserved)?;
    let wall = started.elapsed().as_secs_f64();
    let operations = (outcome.flash_operations - before) as f64;
    report(&format!("{drive}: {name}"), operations / wall / 1e6, "M flash ops/s", goal);
    let waf = outcome.report.waf.map_or(String::new(), |waf| format!(", WAF {waf:.2}"));
    println!("    {:.0} ns a flash operation{waf}", wall * 1e9 / operations);
    Ok(())
}
