//! The recorded counts of instructions of the hot paths, each with the reason of its change, and the bounds on them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Why there is no bound.
pub type Failure = Box<dyn std::error::Error>;

const FILE: &str = include_str!("../counts.toml");

/// Growth over the recorded count that fails, %.
const BOUND_PERCENT: u64 = 5;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    recorded: Vec<Recorded>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    reason: String,
    instructions: BTreeMap<String, u64>,
}

/// Instructions that a hot path may take: the newest recorded count and the bound's growth; `None` without a count.
///
/// # Errors
/// A file that is none, a record without a reason.
pub fn bound(path: &str) -> Result<Option<u64>, Failure> {
    let file: File = toml::from_str(FILE)?;
    if file.recorded.iter().any(|recorded| recorded.reason.trim().is_empty()) {
        return Err("counts.toml: a record has no reason".into());
    }
    let recorded = file.recorded.iter().rev().find_map(|recorded| recorded.instructions.get(path));
    Ok(recorded.map(|recorded| recorded + recorded * BOUND_PERCENT / 100))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    #[test]
    fn every_record_has_its_reason_and_a_path_the_bound_of_its_newest_count() {
        for path in ["event_set", "trace_lines"] {
            assert!(bound(path).unwrap() > Some(1_000), "{path}");
        }
        assert_eq!(bound("another").unwrap(), None);
    }
}
