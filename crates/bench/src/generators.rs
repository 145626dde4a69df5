//! How fast requests are generated, on one core, beside a goal for each: the generators of applications do more for a
//! request than to draw its address.

use std::hint::black_box;
use std::path::{Path, PathBuf};

use wordline_engine::config::layers::{Layer, Layers};
use wordline_trace::config::{
    InterarrivalConfig, PatternConfig, RegionConfig, SizeWeight, Sizes, SyntheticConfig,
};
use wordline_trace::fio::import;
use wordline_trace::twin::{FitOptions, fit};
use wordline_trace::{OpenContext, Opened, SourceConfig, TwinConfig, WorkloadConfig, open};

use crate::Failure;
use crate::clock::Stopwatch;
use crate::measure::{Goal, report};

/// Requests of each generator.
const REQUESTS: u64 = 2_000_000;

/// Those of generators that take longer.
const FEWER: u64 = 500_000;

/// Of so many rounds the fastest counts.
const ROUNDS: usize = 3;

/// Size of the drive that is generated for, bytes.
const DRIVE: u64 = 1 << 40;

/// Presets, and millions of requests a second that each should reach.
const PRESETS: [(&str, f64); 12] = [
    ("rr8", 50.0),
    ("gen0", 4.0),
    ("gen1", 4.0),
    ("financial2", 4.0),
    ("msr-hm", 4.0),
    ("ycsb-a", 1.0),
    ("ycsb-c", 1.0),
    ("ycsb-e", 1.0),
    ("fileserver", 0.25),
    ("webserver", 0.25),
    ("webproxy", 0.25),
    ("varmail", 0.25),
];

/// Generates requests of every kind of source.
pub fn run_all() -> Result<(), Failure> {
    for (name, source, goal) in synthetic() {
        each(name, &source, Path::new(""), goal)?;
    }
    let job = "[job]\nrw=randrw\nbs=4k\nfilename=/dev/x\nnumber_ios=2000000\nio_size=1t\nrandom_distribution=zipf:0.99";
    each(
        "fio job, Zipf 0.99",
        &import("job", job, &Default::default())?.workload.flow.remove(0).source,
        Path::new(""),
        6.0,
    )?;
    twin()?;
    for (name, goal) in PRESETS {
        let (source, folder) = preset(name)?;
        each(name, &source, &folder, goal)?;
    }
    Ok(())
}

fn each(name: &str, source: &SourceConfig, folder: &Path, goal: f64) -> Result<(), Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        // Opening isn't counted: it reads a profile, or makes a file system.
        let (mut opened, mut batch, mut count) = (opened(source, folder)?, Vec::new(), 0);
        let watch = Stopwatch::start();
        loop {
            batch.clear();
            opened.source.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            count += black_box(&batch).len() as u64;
        }
        best = best.min(watch.seconds() / count as f64);
    }
    report(&format!("traces: generating {name}"), 1e-6 / best, "M requests/s", Goal::AtLeast(goal));
    Ok(())
}

fn opened(source: &SourceConfig, folder: &Path) -> Result<Opened, Failure> {
    Ok(open(source, &OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: folder })?)
}

/// Name, source and goal of what is drawn request by request.
fn synthetic() -> Vec<(&'static str, SourceConfig, f64)> {
    let sizes = [4096, 8192, 65_536].map(|bytes| SizeWeight { bytes, weight: 1.0 }).to_vec();
    let (fixed, mixed) = (Sizes::Fixed(4096), Sizes::Weighted(sizes));
    let hot_cold = PatternConfig::HotCold { hot_share_of_space: 0.2, hot_share_of_requests: 0.8 };
    let poisson = InterarrivalConfig::Poisson { iops: 1e5 };
    let made = |pattern, sizes, interarrival| {
        SourceConfig::Synthetic(SyntheticConfig {
            requests: REQUESTS,
            read_share: 0.7,
            trim_share: 0.0,
            pattern,
            region: RegionConfig::default(),
            sizes,
            alignment_bytes: Some(4096),
            interarrival,
        })
    };
    vec![
        ("uniform", made(PatternConfig::Uniform, fixed.clone(), None), 50.0),
        ("8 sequential streams", made(PatternConfig::Sequential { streams: 8 }, fixed.clone(), None), 50.0),
        ("hot and cold", made(hot_cold, fixed.clone(), None), 25.0),
        ("Zipf 0.99 over 2^28 pages", made(PatternConfig::Zipf { theta: 0.99 }, fixed.clone(), None), 10.0),
        ("uniform, three sizes", made(PatternConfig::Uniform, mixed, None), 30.0),
        ("uniform, Poisson arrivals", made(PatternConfig::Uniform, fixed, Some(poisson)), 25.0),
    ]
}

/// A twin of 100,000 requests of Zipf's distribution: more than a profile holds.
fn twin() -> Result<(), Failure> {
    let [_, _, _, (_, mut original, _), ..] = <[_; 6]>::try_from(synthetic()).map_err(|_| "six sources")?;
    if let SourceConfig::Synthetic(made) = &mut original {
        made.requests = 100_000;
        made.interarrival = Some(InterarrivalConfig::Poisson { iops: 1e4 });
    }
    let mut again = || open(&original, &OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: Path::new("") });
    let profile = fit("bench", &FitOptions { piece: Some(48), ..FitOptions::default() }, &mut again)?;
    let folder = std::env::temp_dir();
    let path = PathBuf::from(format!("wordline-bench-{}.toml", std::process::id()));
    std::fs::write(folder.join(&path), profile.to_toml())?;
    let source =
        SourceConfig::Twin(TwinConfig { requests: Some(REQUESTS), ..TwinConfig::of_profile(path.clone()) });
    let measured = each("twin of pieces", &source, &folder, 1.0);
    std::fs::remove_file(folder.join(&path))?;
    measured
}

/// The source of a preset, with as many requests as are measured here.
fn preset(name: &str) -> Result<(SourceConfig, PathBuf), Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/workloads");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml")))?;
    let workload: WorkloadConfig =
        Layers::new().with(Layer::from_toml(name, &text)?.under("workload")).resolve("workload")?;
    let mut source = workload.source.ok_or("a preset of one source")?;
    match &mut source {
        SourceConfig::Synthetic(made) => made.requests = REQUESTS,
        SourceConfig::Twin(twin) => twin.requests = Some(REQUESTS),
        SourceConfig::Ycsb(run) => run.requests = Some(FEWER),
        SourceConfig::Filebench(run) => run.requests = Some(FEWER),
        SourceConfig::Trace(_) | SourceConfig::Fio(_) => {}
    }
    Ok((source, folder))
}
