//! What address translation costs the simulator: flash operations a second with no entry of the map in DRAM, by those with all
//! of it.

use std::path::Path;

use crate::Failure;
use crate::described::Described;
use crate::measure::{Goal, median, report};

/// Without a cache at least so many times the rate with the whole map.
const AT_LEAST: f64 = 0.5;

/// Pairs of runs, so that both sides meet the same load of the machine.
const ROUNDS: usize = 5;

/// Requests of a run.
const REQUESTS: u64 = 500_000;

const DRIVE: &str = include_str!("../../../presets/devices/astro.toml");
const READS: &str = include_str!("../../../presets/workloads/fio-rr.toml");
const WHOLE: &str = include_str!("../../../presets/schemes/ideal-map.toml");
const NONE: &str = include_str!("../../../presets/schemes/dftl-0.toml");

/// Random reads on the drive of papers/003, with nothing reclaimed.
///
/// # Errors
/// A run that fails.
pub fn run_all() -> Result<(), Failure> {
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        let [whole, none] = [WHOLE, NONE].map(|scheme| rate(scheme, REQUESTS));
        ratios.push(none? / whole?);
    }
    let name = "random reads with no entry of the map in DRAM / with all of it";
    report(name, median(ratios), "of the rate", Goal::AtLeast(AT_LEAST));
    Ok(())
}

/// Flash operations for each second of a processor.
fn rate(scheme: &str, requests: u64) -> Result<f64, Failure> {
    let changes =
        [("workload.source.requests", requests.to_string()), ("scheme.reclaim.policy", "none".into())];
    let described = Described {
        device: DRIVE.to_owned(),
        scheme: scheme.to_owned(),
        workload: READS.to_owned(),
        changes: changes.map(|(key, value)| (key.to_owned(), value)).to_vec(),
    };
    let work = described.carried_out(Path::new("."))?;
    Ok(work.operations as f64 / work.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_run() {
        for scheme in [WHOLE, NONE] {
            assert!(rate(scheme, 1_000).unwrap() > 0.0);
        }
    }
}
