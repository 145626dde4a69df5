//! How fast requests of applications and twins are generated: `cargo bench -p wordline-trace --bench generators`. Prints each
//! figure with its goal.

mod common;

use std::io::Write;
use std::path::Path;

use wordline_trace::apps::filebench::{FilebenchConfig, Personality};
use wordline_trace::apps::ycsb::{YcsbConfig, YcsbWorkload};
use wordline_trace::config::{FilebenchSourceConfig, YcsbSourceConfig};
use wordline_trace::fio::import;
use wordline_trace::{OpenContext, SourceConfig, TwinConfig, open};

const REQUESTS: u64 = 2_000_000;
const DRIVE: u64 = 1 << 38;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Seconds to generate everything, and the number of requests. Opening isn't counted.
fn timed(config: &SourceConfig, folder: &Path) -> Fallible<(f64, u64)> {
    let mut opened = open(config, &OpenContext { drive_bytes: DRIVE, seed: 1, base_dir: folder })?;
    let watch = common::Stopwatch::start();
    let (mut batch, mut count) = (Vec::new(), 0);
    loop {
        batch.clear();
        opened.source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok((watch.seconds(), count));
        }
        count += std::hint::black_box(&batch).len() as u64;
    }
}

fn ycsb(workload: YcsbWorkload) -> SourceConfig {
    let ycsb = YcsbConfig::of(workload);
    SourceConfig::Ycsb(Box::new(YcsbSourceConfig { requests: Some(REQUESTS), ycsb }))
}

fn filebench(personality: Personality) -> SourceConfig {
    let filebench = FilebenchConfig::of(personality);
    SourceConfig::Filebench(Box::new(FilebenchSourceConfig { requests: Some(REQUESTS), filebench }))
}

fn twin(name: &str) -> SourceConfig {
    let path = format!("{name}.toml").into();
    SourceConfig::Twin(TwinConfig { path, requests: Some(REQUESTS), space_bytes: None })
}

fn main() -> Fallible<()> {
    // `cargo test --benches` only asks that it runs.
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets/profiles");
    let jobs = "[job]\nrw=randrw\nbs=4k\nfilename=/dev/x\nnumber_ios=2000000\nio_size=1t\nrandom_distribution=zipf:0.99";
    let fio = import("job", jobs)?.workload.flow.remove(0).source;
    let cases = [
        ("fio, Zipf 0.99", fio, 150.0),
        ("YCSB A", ycsb(YcsbWorkload::A), 1000.0),
        ("YCSB C", ycsb(YcsbWorkload::C), 1000.0),
        ("YCSB E", ycsb(YcsbWorkload::E), 1000.0),
        ("fileserver", filebench(Personality::Fileserver), 4000.0),
        ("varmail", filebench(Personality::Varmail), 4000.0),
        ("gen1, a model of page classes", twin("gen1"), 200.0),
    ];
    let mut out = std::io::stdout().lock();
    for (name, config, goal) in cases {
        let (seconds, count) = timed(&config, &profiles)?;
        let ns = seconds * 1e9 / count as f64;
        writeln!(out, "{name:32} {ns:7.1} ns/request (goal {goal}; {:.2} of it)", ns / goal)?;
    }
    Ok(())
}
