//! Instructions of runs on drives as sold and with two systems, and of two parts alone, counted by callgrind: they hold still
//! on a busy machine. Each may grow by 5% over its newest record in `counts.toml`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

use crate::described::Described;
use crate::sold::{DRIVES, READS, WRITES};
use crate::{Failure, callgrind, hot};

/// The records, each with the reason of its change.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/counts.toml");

/// Growth over the record that fails, %.
const BOUND_PERCENT: u64 = 5;

/// Requests of a run.
const REQUESTS: [(&str, u64, &str); 2] = [("reads", 10_000, READS), ("writes", 20_000, WRITES)];

/// Write buffer of every drive, bytes: so small that most of what is written is written back in so few requests.
const BUFFER: u64 = 1 << 20;

/// A system on the drive of its paper under the file server.
const SYSTEMS: [(&str, [&str; 2]); 2] = [
    (
        "collision, fileserver",
        [
            include_str!("../../../presets/devices/collision.toml"),
            include_str!("../../../presets/schemes/collision.toml"),
        ],
    ),
    (
        "shuffler, fileserver",
        [
            include_str!("../../../presets/devices/shuffler.toml"),
            include_str!("../../../presets/schemes/shuffler.toml"),
        ],
    ),
];

const FILESERVER: &str = include_str!("../../../presets/workloads/fileserver.toml");
const FILESERVER_REQUESTS: u64 = 5_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Records {
    recorded: Vec<Recorded>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    reason: String,
    instructions: BTreeMap<String, u64>,
}

impl Records {
    fn read(text: &str) -> Result<Self, Failure> {
        let records: Self = toml::from_str(text).map_err(|error| format!("counts.toml: {error}"))?;
        if records.recorded.iter().any(|record| record.reason.trim().is_empty()) {
            return Err("counts.toml: a record has no reason".into());
        }
        Ok(records)
    }

    fn newest(&self, name: &str) -> Option<u64> {
        self.recorded.iter().rev().find_map(|record| record.instructions.get(name)).copied()
    }
}

/// Counts everything, and takes the counts down with the reason given, or holds them against the records.
///
/// # Errors
/// A count over its bound or without a record; a run that fails; no valgrind.
pub fn run(reason: Option<&str>) -> Result<(), Failure> {
    if !callgrind::is_there() {
        return Err("valgrind is not installed: no instructions are counted".into());
    }
    let folder = std::env::temp_dir().join(format!("wordline-bounds-{}", std::process::id()));
    let counts = count_all(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    let (counts, records) = (counts?, std::fs::read_to_string(FILE)?);
    match reason {
        Some(reason) => Ok(std::fs::write(FILE, records + &record(reason, &counts)?)?),
        None => compare(&counts, &Records::read(&records)?),
    }
}

fn count_all(folder: &Path) -> Result<BTreeMap<String, u64>, Failure> {
    let mut counts = BTreeMap::new();
    let mut count = |name: String, found: u64| {
        println!("{name:<32} {found:>12} instructions");
        counts.insert(name, found);
    };
    for (drive, device) in DRIVES {
        for (load, requests, workload) in REQUESTS {
            let buffer = [("scheme.cache.bytes", BUFFER)];
            count(format!("{drive}, {load}"), of_run([device, "", workload], requests, &buffer, folder)?);
        }
    }
    for (name, [device, scheme]) in SYSTEMS {
        let texts = [device, scheme, FILESERVER];
        count(name.to_owned(), of_run(texts, FILESERVER_REQUESTS, &[], folder)?);
    }
    for part in hot::PARTS {
        let only = format!("--toggle-collect=*counted_{part}*");
        count(part.replace('_', " "), callgrind::instructions(&[&only], &[part])?);
    }
    Ok(counts)
}

fn of_run(texts: [&str; 3], requests: u64, changes: &[(&str, u64)], folder: &Path) -> Result<u64, Failure> {
    std::fs::create_dir_all(folder)?;
    let all = changes.iter().copied().chain([("workload.source.requests", requests)]);
    let changes = all.map(|(key, value)| (key.to_owned(), value.to_string())).collect();
    let [device, scheme, workload] = texts.map(str::to_owned);
    Described { device, scheme, workload, changes }.save(folder)?;
    Ok(callgrind::of_replay(folder)?.0.values().sum())
}

fn compare(counts: &BTreeMap<String, u64>, records: &Records) -> Result<(), Failure> {
    let mut over = String::new();
    for (name, &count) in counts {
        match records.newest(name) {
            Some(record) if count <= record + record * BOUND_PERCENT / 100 => {}
            Some(record) => writeln!(over, "{name}: {count} instructions, {record} recorded")?,
            None => writeln!(over, "{name}: {count} instructions, none recorded")?,
        }
    }
    if over.is_empty() {
        return Ok(());
    }
    Err(format!("over the bound of {BOUND_PERCENT}% (make instructions RECORD='reason' renews it)\n{over}")
        .into())
}

/// A further record as text.
fn record(reason: &str, counts: &BTreeMap<String, u64>) -> Result<String, Failure> {
    if reason.trim().is_empty() {
        return Err("a record needs a reason".into());
    }
    let mut text = format!("\n[[recorded]]\nreason = {reason:?}\n[recorded.instructions]\n");
    counts.iter().try_for_each(|(name, count)| writeln!(text, "{name:?} = {count}"))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(counts: &[(&str, u64)]) -> BTreeMap<String, u64> {
        counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn all_that_is_counted_has_a_record_with_its_reason() {
        let records = Records::read(&std::fs::read_to_string(FILE).unwrap()).unwrap();
        let parts = hot::PARTS.map(|part| part.replace('_', " "));
        let runs = DRIVES.iter().flat_map(|drive| REQUESTS.map(|load| format!("{}, {}", drive.0, load.0)));
        let systems = SYSTEMS.map(|system| system.0.to_owned());
        for name in parts.into_iter().chain(runs).chain(systems) {
            assert!(records.newest(&name) > Some(1_000), "{name}");
        }
        assert!(Records::read("[[recorded]]\nreason = \" \"\ninstructions = {}").is_err());
    }

    #[test]
    fn the_newest_record_bounds_a_count() {
        let text = [("first", 1_000), ("second", 2_000)]
            .map(|(reason, count)| record(reason, &counted(&[("a, reads", count)])).unwrap());
        let records = Records::read(&text.concat()).unwrap();
        assert!(compare(&counted(&[("a, reads", 2_100)]), &records).is_ok());
        let over = compare(&counted(&[("a, reads", 2_101), ("b", 1)]), &records).unwrap_err().to_string();
        assert!(over.contains("a, reads: 2101") && over.contains("b: 1 instructions, none"), "{over}");
        assert!(record(" ", &counted(&[])).is_err());
    }
}
