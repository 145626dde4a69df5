//! Speed and memory of the engine and speed of the readers and generators of traces, each beside its goal.
//!
//! `cargo run --release -p wordline-bench [-- NAME…]` runs the benchmarks whose names contain one of the words.
//! `-- --bounds [REASON]` counts instructions and holds them against their records, or records them;
//! `-- --scaling` prints how cost grows as CSV; `-- --soak N` runs N flash operations in checked mode.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

use std::process::ExitCode;

use wordline_bench::{
    Failure, bounds, callgrind, cases, costs, counted, embedded, generators, mqsim, rows, scale, schemes,
    soak, states, traces, translation,
};

type Benchmark = fn() -> Result<(), Failure>;

/// The benchmarks that have a name each, beside the drives of [`cases`].
const NAMED: [(&str, Benchmark); 11] = [
    ("rows", rows::run_all),
    ("rooms", rows::count_rooms),
    ("rows: translation", translation::run_all),
    ("startup", mqsim::run_all),
    ("costs", costs::run_all),
    ("embedded", embedded::run_all),
    ("schemes", schemes::run_all),
    ("states", states::run_all),
    ("instructions", callgrind::run_all),
    ("traces", traces::run_all),
    ("traces: generators", generators::run_all),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(words: &[String]) -> Result<(), Failure> {
    match words {
        [first, rest @ ..] if first == "--counted" => counted::child(rest),
        [first] if first == "--bounds" => bounds::run(None),
        [first, reason] if first == "--bounds" => bounds::run(Some(reason)),
        [first, rest @ ..] if first == "--mqsim" => mqsim::child(rest),
        [first, rest @ ..] if first == "--row" => rows::child(rest),
        [first, rest @ ..] if first == "--scaled" => scale::child(rest),
        [first] if first == "--scaling" => scale::run_all(),
        [first, operations] if first == "--soak" => soak::run(operations.parse()?),
        [first, ..] if first.starts_with('-') => {
            Err(format!("{first}: allowed: --bounds [REASON], --scaling, --soak N").into())
        }
        words => {
            cases::run_all(words)?;
            let asked =
                |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
            NAMED.iter().filter(|(name, _)| asked(name)).try_for_each(|(_, run)| run())
        }
    }
}
