//! How fast the readers of traces are, on one core, beside the goal of 200 MB/s of uncompressed text. What counts is
//! processor time, so that others' work on the machine matters little.

use std::io::Write;
use std::path::{Path, PathBuf};

use wordline_trace::config::TraceFormat;
use wordline_trace::{OpenContext, SourceConfig, TraceConfig, WriteFormat, open, write_trace};

use crate::Failure;
use crate::clock::Stopwatch;
use crate::measure::{Goal, report};

/// Requests of each file.
const REQUESTS: u64 = 1_000_000;

/// Of so many readings the fastest counts.
const ROUNDS: usize = 3;

/// Megabytes of text a second.
const GOAL: f64 = 200.0;

const FORMS: [TraceFormat; 10] = [
    TraceFormat::Wordline,
    TraceFormat::Msr,
    TraceFormat::Spc,
    TraceFormat::Systor,
    TraceFormat::Alibaba,
    TraceFormat::Tencent,
    TraceFormat::Columns,
    TraceFormat::Mqsim,
    TraceFormat::Disksim,
    TraceFormat::Blkparse,
];

/// Reads a file of each form, and of Parquet.
pub fn run_all() -> Result<(), Failure> {
    let folder = std::env::temp_dir();
    for format in FORMS {
        let path = folder.join(format!("wordline-bench-{format:?}-{}", std::process::id()));
        let measured = write_text(&path, format).and_then(|()| measure(&path, format));
        std::fs::remove_file(&path)?;
        let (megabytes, ns) = measured?;
        report(&format!("traces: {format:?}"), megabytes, "MB/s", Goal::AtLeast(GOAL));
        println!("    {ns:.0} ns a request");
    }
    parquet(&folder)
}

fn parquet(folder: &Path) -> Result<(), Failure> {
    let name = |ending: &str| folder.join(format!("wordline-bench-{}.{ending}", std::process::id()));
    let (text, packed): (PathBuf, PathBuf) = (name("csv"), name("parquet"));
    write_text(&text, TraceFormat::Wordline)?;
    let mut source = open_trace(&text, TraceFormat::Wordline)?;
    let measured = write_trace(source.as_mut(), &packed, WriteFormat::Parquet)
        .map_err(Failure::from)
        .and_then(|_| measure(&packed, TraceFormat::Parquet));
    std::fs::remove_file(&text)?;
    std::fs::remove_file(&packed)?;
    let (_, ns) = measured?;
    report("traces: Parquet", 1e3 / ns, "M requests/s", Goal::None);
    Ok(())
}

/// Megabytes of the file that are read in a second, and ns for each request.
fn measure(path: &Path, format: TraceFormat) -> Result<(f64, f64), Failure> {
    let bytes = std::fs::metadata(path)?.len() as f64;
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut source = open_trace(path, format)?;
        let (watch, mut batch, mut count) = (Stopwatch::start(), Vec::new(), 0);
        loop {
            batch.clear();
            source.next_batch(&mut batch)?;
            if batch.is_empty() {
                break;
            }
            count += std::hint::black_box(&batch).len() as u64;
        }
        assert_eq!(count, REQUESTS, "{}", path.display());
        best = best.min(watch.seconds());
    }
    Ok((bytes / best / 1e6, best * 1e9 / REQUESTS as f64))
}

fn open_trace(
    path: &Path,
    format: TraceFormat,
) -> Result<Box<dyn wordline_engine::host::RequestSource + Send>, Failure> {
    let context = OpenContext { drive_bytes: u64::MAX, seed: 1, base_dir: Path::new("") };
    let config = TraceConfig { format, ..TraceConfig::of_file(path) };
    Ok(open(&SourceConfig::Trace(config), &context)?.source)
}

/// A file with lines like those of the published traces.
fn write_text(path: &Path, format: TraceFormat) -> Result<(), Failure> {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path)?);
    if format == TraceFormat::Columns {
        writeln!(file, "time_ns,op,lba,sectors,disk")?;
    }
    for index in 0..REQUESTS {
        let (time, sector, kind) = (index * 123_457, index * 7_919 % (1 << 31), index % 2);
        let (seconds, nanos, byte) = (time / 1_000_000_000, time % 1_000_000_000, sector * 512);
        match format {
            TraceFormat::Wordline => writeln!(file, "{time},R,{byte},4096,0")?,
            TraceFormat::Msr => {
                let ticks = 128_166_385_295_514_663 + time / 100;
                writeln!(file, "{ticks},hm,0,Write,{byte},4096,2833")?;
            }
            TraceFormat::Spc => writeln!(file, "{kind},{sector},4096,w,{seconds}.{:06}", nanos / 1000)?,
            TraceFormat::Systor => {
                writeln!(file, "{}.{nanos:09},0.000226000,R,2,{byte},16384", 1_455_592_511 + seconds)?;
            }
            TraceFormat::Alibaba => {
                writeln!(file, "64,W,{byte},12288,{}", 1_577_808_144_360_413 + time / 1000)?;
            }
            TraceFormat::Tencent => writeln!(file, "{},{sector},128,{kind},1063", 1_538_323_200 + seconds)?,
            TraceFormat::Columns => writeln!(file, "{time},write,{sector},8,0")?,
            TraceFormat::Disksim => {
                writeln!(file, "{}.{:03} 0 {sector} 8 {kind}", time / 1_000_000, time / 1000 % 1000)?;
            }
            TraceFormat::Blkparse => writeln!(
                file,
                "  8,16   {kind} {index:>8} {seconds:>5}.{nanos:09} 18615  D   W {sector} + 8 [java]"
            )?,
            _ => writeln!(file, "{time} 0 {sector} 8 {kind}")?,
        }
    }
    file.flush()?;
    Ok(())
}
