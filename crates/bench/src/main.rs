//! Speed and memory of the engine and speed of the readers of traces, each beside its goal.
//!
//! `cargo run --release -p wordline-bench [-- NAME…]` runs the benchmarks whose names contain one of the words.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

mod cases;
mod measure;
mod traces;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    // The readers of traces go by the word `traces`.
    let traces = words.is_empty() || words.iter().any(|word| "traces".contains(word.as_str()));
    match cases::run_all(&words).and_then(|()| if traces { traces::run_all() } else { Ok(()) }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}
