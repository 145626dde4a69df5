//! Instructions of the hot paths, counted by callgrind: they hold still on a busy machine. Each has a bound, 5% above the
//! count in `counts.toml`; with `WORDLINE_RECORD` set there is none: `make instructions RECORD='reason'`.
//!
//! What is counted is the built `wordline-bench`, whose path is in `WORDLINE_BENCH`, on the drive that it prepared as the file
//! `WORDLINE_DRIVE`, from where it enters `wordline_bench::hot::counted_…` until it leaves it. Functions of the same code are
//! one in the built binary, hence the pattern for all of them.
#![allow(missing_docs, reason = "the macros make items without")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is the failure")]

use gungraun::prelude::*;
use gungraun::{Callgrind, EntryPoint, EventKind};
use wordline_instructions::bound;

fn bounded(path: &str) -> BinaryBenchmarkConfig {
    // Instructions only: a simulated cache would double the time.
    let mut callgrind = Callgrind::with_args(["--cache-sim=no"]);
    callgrind.entry_point(EntryPoint::Custom("wordline_bench::hot::counted_*".into()));
    if std::env::var_os("WORDLINE_RECORD").is_none() {
        match bound(path).unwrap() {
            Some(bound) => drop(callgrind.hard_limits([(EventKind::Ir, bound)])),
            None => eprintln!("{path}: no count is recorded, so it has no bound"),
        }
    }
    let mut config = BinaryBenchmarkConfig::default();
    config.tool(callgrind);
    config
}

fn command(path: &str) -> gungraun::Command {
    let [binary, drive] = ["WORDLINE_BENCH", "WORDLINE_DRIVE"].map(|name| std::env::var_os(name).unwrap());
    gungraun::Command::new(binary).arg("--counted").arg(drive).arg(path).build()
}

macro_rules! hot_path {
    ($path:ident) => {
        #[binary_benchmark(config = bounded(stringify!($path)))]
        #[bench::counted()]
        fn $path() -> gungraun::Command {
            command(stringify!($path))
        }
    };
}

hot_path!(random_reads);
hot_path!(random_writes);
hot_path!(mixed);
hot_path!(event_set);
hot_path!(trace_lines);

binary_benchmark_group!(
    name = hot_paths,
    benchmarks = [random_reads, random_writes, mixed, event_set, trace_lines]
);
main!(binary_benchmark_groups = hot_paths);
