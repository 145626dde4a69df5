//! A short run of the fuzz target for whole runs: its saved corpus, mutations of it, and random bytes. The same ones every
//! time; `fuzz/README.md` says how to let it run for long.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use std::path::Path;

use rand::Rng;
use wordline_engine::rng::stream;

#[path = "../../../fuzz/src/bounded.rs"]
mod bounded;
#[path = "../../../fuzz/src/keys.rs"]
mod keys;
#[path = "../../../fuzz/src/runs.rs"]
mod runs;

/// Mutations of each file.
const ROUNDS: usize = 8;

/// Runs from random bytes, without a file.
const RANDOM_RUNS: usize = 100;

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/runs");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 8);
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn saved_runs_and_mutations_of_them_hold_in_checked_mode_and_across_a_snapshot() {
    let mut rng = stream(7, "mutations of runs");
    for file in corpus() {
        runs::read(&file);
        for _ in 0..ROUNDS {
            let mut bytes = file.clone();
            for _ in 0..4 {
                let place = rng.next_u64() as usize % bytes.len();
                bytes[place] = rng.next_u64() as u8 % 8;
            }
            runs::read(&bytes);
        }
    }
}

#[test]
fn random_runs_hold_in_checked_mode_and_across_a_snapshot() {
    let mut rng = stream(7, "random runs");
    let mut ran = 0;
    for _ in 0..RANDOM_RUNS {
        let mut bytes: Vec<u8> = (0..1000).map(|_| (rng.next_u64() >> 32) as u8).collect();
        // One key in eight is changed.
        for byte in bytes.iter_mut().take(keys::KEYS.len()) {
            *byte = if *byte < 32 { *byte % 7 } else { 0 };
        }
        ran += usize::from(runs::read(&bytes));
    }
    assert!(ran > RANDOM_RUNS / 4, "{ran} of {RANDOM_RUNS} drives were accepted");
}

/// What refusals of values that need another one say.
const NEEDS: [&str; 6] = [
    "only with",
    "unless channel.arbitration",
    "unless copyback.supported",
    "with at least 2",
    "one of bytes and share",
    "nothing reads it",
];

#[test]
fn every_key_and_value_of_the_runs_is_one_that_the_descriptions_know() {
    use wordline_engine::config::{Layer, resolve_run};
    let mut unknown = Vec::new();
    for (key, values) in keys::KEYS.iter().filter(|(key, _)| !key.starts_with("workload")) {
        for value in *values {
            let change = vec![((*key).to_owned(), (*value).to_owned())];
            let device = Layer::from_toml("device", runs::DEVICE).unwrap();
            let told = resolve_run(&device, &Layer::default(), &change).map(drop).map_err(|e| e.to_string());
            // A value may need another one beside it, but it must be of the right name and kind.
            let needs = NEEDS.iter().any(|need| told.as_ref().is_err_and(|told| told.contains(need)));
            if !needs {
                unknown.extend(told.err());
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}
