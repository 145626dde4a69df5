//! How fast requests are generated and read: `cargo bench -p wordline-trace`. Prints each figure with its goal.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use wordline_trace::config::{
    InterarrivalConfig, PatternConfig, RegionConfig, SizeWeight, Sizes, TraceFormat,
};
use wordline_trace::{OpenContext, SourceConfig, SyntheticConfig, TraceConfig, open};

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
        let start = Instant::now();
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
        best = best.min(start.elapsed().as_secs_f64());
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

/// A file with a million requests in the given form.
fn trace(folder: &Path, format: TraceFormat) -> Fallible<PathBuf> {
    let path = folder.join(format!("wordline-speed-{format:?}-{}", std::process::id()));
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    for index in 0..1_000_000_u64 {
        let (time, sector) = (index * 123_457, index * 7_919 % (1 << 31));
        match format {
            TraceFormat::Msr => {
                let ticks = 128_166_385_295_514_663 + time / 100;
                writeln!(file, "{ticks},hm,0,Write,{},4096,2833", sector * 512)?;
            }
            TraceFormat::Disksim => {
                let (ms, us) = (time / 1_000_000, time / 1000 % 1000);
                writeln!(file, "{ms}.{us:03} 0 {sector} 8 {}", index % 2)?;
            }
            TraceFormat::Wordline => writeln!(file, "{time},R,{},4096", sector * 512)?,
            _ => writeln!(file, "{time} 0 {sector} 8 {}", index % 2)?,
        }
    }
    file.flush()?;
    Ok(path)
}

fn readers(out: &mut impl Write) -> Fallible<()> {
    let folder = std::env::temp_dir();
    for format in [TraceFormat::Msr, TraceFormat::Wordline, TraceFormat::Mqsim, TraceFormat::Disksim] {
        let path = trace(&folder, format)?;
        let bytes = std::fs::metadata(&path)?.len() as f64;
        let config = TraceConfig { format, ..TraceConfig::of_file(&path) };
        let result = fastest(&SourceConfig::Trace(config));
        std::fs::remove_file(&path)?;
        let (seconds, count) = result?;
        let rate = bytes / seconds / 1e6;
        let ns = seconds * 1e9 / count as f64;
        let name = format!("{format:?}");
        writeln!(
            out,
            "{name:28} {rate:7.0} MB/s, {ns:.0} ns/request (goal 200 MB/s; {:.2} of it)",
            rate / 200.0
        )?;
    }
    Ok(())
}

fn main() -> Fallible<()> {
    // `cargo test --benches` only asks that it runs.
    if std::env::args().any(|argument| argument == "--test") {
        return Ok(());
    }
    let mut out = std::io::stdout().lock();
    generators(&mut out)?;
    readers(&mut out)
}
