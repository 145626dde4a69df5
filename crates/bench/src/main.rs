//! Speed and memory of the engine, each beside its goal.
//!
//! `cargo run --release -p wordline-bench [-- NAME…]` runs the benchmarks whose names contain one of the words.
#![allow(clippy::print_stdout, reason = "a benchmark prints its result")]

mod cases;
mod measure;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match cases::run_all(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::from(2)
        }
    }
}
