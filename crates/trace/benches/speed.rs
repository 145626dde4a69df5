//! How fast requests are generated: `cargo bench -p wordline-trace`. Prints each figure with its goal. The speed of
//! the readers is part of `make bench`.

mod common;

use std::io::Write;
use std::path::Path;

use wordline_trace::config::{InterarrivalConfig, PatternConfig, RegionConfig, SizeWeight, Sizes};
use wordline_trace::{OpenContext, SourceConfig, SyntheticConfig, open};

const REQUESTS: u64 = 10_000_000;
const ROUNDS: usize = 3;
const DRIVE: u64 = 1 << 40;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Seconds of the fastest of some rounds, and the number of requests.
fn fastest(config: &SourceConfig) -> Fallible<(f64, u64)> {
    let context = OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: Path::new("") };
    let (mut best, mut count) = (f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        let mut opened = open(config, &context)?;
        let watch = common::Stopwatch::start();
        let mut batch = Vec::new();
        count = 0;
        loop {
            batch.clear();
            opened.source.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            count += std::hint::black_box(&batch).len() as u64;
        }
        best = best.min(watch.seconds());
    }
    Ok((best, count))
}

fn generator(pattern: PatternConfig, sizes: Sizes, interarrival: Option<InterarrivalConfig>) -> SourceConfig {
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
}

fn generators(out: &mut impl Write) -> Fallible<()> {
    let sizes = [4096, 8192, 65_536].map(|bytes| SizeWeight { bytes, weight: 1.0 }).to_vec();
    let (fixed, mixed) = (Sizes::Fixed(4096), Sizes::Weighted(sizes));
    let hot_cold = PatternConfig::HotCold { hot_share_of_space: 0.2, hot_share_of_requests: 0.8 };
    let cases = [
        ("uniform", PatternConfig::Uniform, fixed.clone(), None, 15.0),
        ("sequential, 8 streams", PatternConfig::Sequential { streams: 8 }, fixed.clone(), None, 15.0),
        ("hot and cold", hot_cold, fixed.clone(), None, 40.0),
        ("Zipf 0.99 over 2^28 pages", PatternConfig::Zipf { theta: 0.99 }, fixed.clone(), None, 100.0),
        ("uniform, three sizes", PatternConfig::Uniform, mixed, None, 30.0),
        (
            "uniform, Poisson",
            PatternConfig::Uniform,
            fixed,
            Some(InterarrivalConfig::Poisson { iops: 1e5 }),
            40.0,
        ),
    ];
    for (name, pattern, sizes, interarrival, goal) in cases {
        let (seconds, count) = fastest(&generator(pattern, sizes, interarrival))?;
        let ns = seconds * 1e9 / count as f64;
        writeln!(out, "{name:28} {ns:7.1} ns/request (goal {goal}; {:.2} of it)", ns / goal)?;
    }
    Ok(())
}

fn main() -> Fallible<()> {
    // `cargo test --benches` only asks that it runs.
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    generators(&mut out)
}
