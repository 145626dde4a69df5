//! What users run: MQSim's shipped files, drives with their firmware, a recorded trace, each system. Flash operations and
//! mapping units a second of the run alone, each in a process of its own, beside the rates of a recorded state.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::described::Described;
use crate::measure::{Goal, median, report};
use crate::mqsim_files::{Files, Load, command, shipped_configuration};
use crate::sold::{DRIVES, MIXED, READS, WRITES};
use crate::{Failure, callgrind, rooms};

/// Times the rates and instructions of before reads and writes were made cheaper for every drive that a row is to reach.
const TIMES: f64 = 2.0;

/// Times that each row is measured; the middle one counts.
const ROUNDS: usize = 3;

/// What is run.
enum Run {
    /// Files of MQSim.
    Mqsim(Load),
    /// A drive, its scheme, and one of the workloads' presets.
    Preset { device: &'static str, workload: &'static str },
    /// A drive and a scheme under a recorded trace.
    Trace { device: &'static str, scheme: &'static str, changes: &'static [(&'static str, &'static str)] },
}

/// What was recorded of the same descriptions: million flash operations a second, instructions of one where they were counted,
/// and how many times the rate is the goal.
#[derive(Clone, Copy)]
struct Before {
    rate: f64,
    instructions: Option<f64>,
    times: f64,
}

/// A row: requests of its measured run and of the one whose instructions are counted (so many that a write buffer fills). Drives
/// whose firmware is newer than the record have none.
struct Row {
    name: String,
    run: Run,
    requests: [u64; 2],
    before: Option<Before>,
}

/// A load on drives as sold: its name, requests, and how many times the rate of before it is to reach.
const LOADS: [(&str, &str, [u64; 2], f64); 3] = [
    ("4 KiB random reads", READS, [1_000_000, 20_000], 1.3),
    ("4 KiB random writes", WRITES, [1_000_000, 200_000], 3.0),
    ("70% reads of 8 KiB", MIXED, [1_000_000, 200_000], 3.0),
];

/// Million flash operations a second of each drive under these loads before the drive's parts were rooms, on a quiet machine.
const BEFORE_ROOMS: [[f64; 3]; 5] =
    [[3.8, 1.0, 1.2], [2.3, 0.95, 1.2], [2.5, 1.0, 1.1], [2.0, 0.7, 0.7], [2.0, 0.5, 0.6]];

const HOTR_TLC: &str = include_str!("../../../presets/devices/hotr-tlc.toml");
/// The drive of papers/004 with stripes of 4+1.
const FIVE_CHANNELS: &[(&str, &str)] = &[
    ("device.geometry.channels", "5"),
    ("device.geometry.ways", "4"),
    ("device.capacity.overprovisioning", "0.35"),
];

/// The recorded trace, read without end at queue depth 16.
const TRACE: &str = "[source]\nkind = \"trace\"\nout_of_range = \"wrap\"\n\
                     [host]\narrivals = \"closed\"\nqueue_depth = 16\n[start]\noccupancy = \"all\"\n";

/// A load of MQSim's files.
const MQSIM: [(&str, Load, [f64; 2]); 3] = [
    ("mqsim's shipped files, reads", Load { reads: true, shipped: true }, [0.309, 10_570.0]),
    ("mqsim's shipped files, writes", Load { reads: false, shipped: true }, [0.253, 9_463.0]),
    (
        "mqsim's files with the whole map and no cache, reads",
        Load { reads: true, shipped: false },
        [0.985, 9_266.0],
    ),
];

/// A name, a drive, a scheme, changes of them, and what was recorded.
type OnTrace =
    (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)], Option<[f64; 2]>);

const TRACES: [OnTrace; 5] = [
    ("enterprise-tlc", DRIVES[0].1, "", &[], None),
    (
        "collision",
        include_str!("../../../presets/devices/collision.toml"),
        include_str!("../../../presets/schemes/collision.toml"),
        &[],
        Some([2.17, 4_177.0]),
    ),
    (
        "hotr",
        HOTR_TLC,
        include_str!("../../../presets/schemes/hotr.toml"),
        FIVE_CHANNELS,
        Some([3.26, 3_210.0]),
    ),
    (
        "parity-rebuild",
        HOTR_TLC,
        include_str!("../../../presets/schemes/parity-rebuild.toml"),
        FIVE_CHANNELS,
        Some([3.70, 3_115.0]),
    ),
    (
        "rails",
        HOTR_TLC,
        include_str!("../../../presets/schemes/rails.toml"),
        FIVE_CHANNELS,
        Some([2.45, 3_960.0]),
    ),
];

fn rows() -> impl Iterator<Item = Row> {
    let counted =
        |[rate, instructions]: [f64; 2]| Before { rate, instructions: Some(instructions), times: TIMES };
    let mqsim = MQSIM.map(|(name, load, before)| Row {
        name: name.to_owned(),
        run: Run::Mqsim(load),
        requests: [1_000_000, 20_000],
        before: Some(counted(before)),
    });
    let sold = DRIVES.into_iter().zip(BEFORE_ROOMS).flat_map(|((drive, device), rates)| {
        LOADS.into_iter().zip(rates).map(move |((load, workload, requests, times), rate)| Row {
            name: format!("{drive}, {load}"),
            run: Run::Preset { device, workload },
            requests,
            before: Some(Before { rate, instructions: None, times }),
        })
    });
    let traces = TRACES.into_iter().map(move |(name, device, scheme, changes, before)| Row {
        name: format!("{name}, fileserver"),
        run: Run::Trace { device, scheme, changes },
        requests: [200_000, 20_000],
        before: before.map(counted),
    });
    mqsim.into_iter().chain(sold).chain(traces)
}

/// All rows, and MQSim's files beside MQSim.
///
/// # Errors
/// A run that fails.
pub fn run_all() -> Result<(), Failure> {
    println!("what users run: million flash operations and mapping units a second, beside what was recorded");
    for_each_row(Row::measure)
}

/// Instructions of a flash operation of every row, by room.
///
/// # Errors
/// A run that fails.
pub fn count_rooms() -> Result<(), Failure> {
    if !callgrind::is_there() {
        println!("rooms: not counted, valgrind is not installed");
        return Ok(());
    }
    println!("instructions of a flash operation by room");
    print!("{:<54}{:>8}", "", "all");
    rooms::names().for_each(|room| print!("{room:>10}"));
    println!();
    for_each_row(Row::count_rooms)
}

/// Does this with each row, and a folder that is there as long.
fn for_each_row(work: fn(&Row, &Path) -> Result<(), Failure>) -> Result<(), Failure> {
    let place = std::env::temp_dir().join(format!("wordline-rows-{}", std::process::id()));
    let done = rows().try_for_each(|row| work(&row, &place));
    let _ = std::fs::remove_dir_all(&place);
    done
}

impl Row {
    fn count_rooms(&self, place: &Path) -> Result<(), Failure> {
        let Some((by_file, operations)) = self.counted(place)? else { return Ok(()) };
        let counts = rooms::by_room(&by_file);
        let each = |count: u64| count as f64 / operations;
        print!("{:<54}{:>8.0}", self.name, each(counts.values().sum()));
        rooms::names().for_each(|room| print!("{:>10.0}", each(counts.get(room).copied().unwrap_or(0))));
        println!();
        Ok(())
    }

    fn measure(&self, place: &Path) -> Result<(), Failure> {
        let Some(folder) = self.written(self.requests[0], &place.join("measured"))? else { return Ok(()) };
        let mut rates = Vec::new();
        for _ in 0..ROUNDS {
            let output = Command::new(std::env::current_exe()?).arg("--row").arg(&folder).output()?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let figures: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
            let [seconds, operations, units] = figures[..] else { return Err(text.into()) };
            rates.push([operations / seconds / 1e6, units / seconds / 1e6]);
        }
        let middle =
            |index: usize| median(rates.iter().filter_map(|rate| rate.get(index).copied()).collect());
        let (operations, units) = (middle(0), middle(1));
        println!("{:<60} {operations:>8.3} M flash ops/s  {units:>8.3} M units/s", self.name);
        let Some(Before { rate, instructions, times }) = self.before else { return Ok(()) };
        report("    times the recorded rate", operations / rate, "", Goal::AtLeast(times));
        if let Some(instructions) = instructions.filter(|_| callgrind::is_there()) {
            let Some((by_file, operations)) = self.counted(place)? else { return Ok(()) };
            let now = by_file.values().sum::<u64>() as f64 / operations;
            println!("    {now:.0} instructions a flash operation, {instructions:.0} recorded");
            report("    times as many were recorded", instructions / now, "", Goal::AtLeast(TIMES));
        }
        Ok(())
    }

    /// Instructions by source file, and flash operations, of its shorter run.
    fn counted(&self, place: &Path) -> Result<Option<(callgrind::ByFile, f64)>, Failure> {
        let folder = self.written(self.requests[1], &place.join("counted"))?;
        folder.map(|folder| callgrind::of_replay(&folder)).transpose()
    }

    /// Writes the descriptions for so many requests into a folder; `None`, loudly, where what they need isn't here.
    fn written(&self, requests: u64, folder: &Path) -> Result<Option<PathBuf>, Failure> {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder)?;
        let Some(described) = self.described(requests, folder)? else { return Ok(None) };
        described.save(folder)?;
        Ok(Some(folder.to_path_buf()))
    }

    fn described(&self, requests: u64, folder: &Path) -> Result<Option<Described>, Failure> {
        let skipped = |what: &str| {
            println!("SKIPPED: {}: {what}", self.name);
            Ok(None)
        };
        let changed = |key: &str, value: String| (key.to_owned(), value);
        match &self.run {
            Run::Mqsim(load) => {
                let Some(shipped) = shipped_configuration() else {
                    return skipped("MQSim's shipped configuration isn't beside this project");
                };
                let Some(command) = command() else {
                    return skipped("no .venv/bin/wordline here, which reads MQSim's files (make setup)");
                };
                let files = Files::write(&shipped, *load, requests, folder)?;
                files.described(&command, folder).map(Some)
            }
            Run::Preset { device, workload } => Ok(Some(Described {
                device: (*device).to_owned(),
                scheme: String::new(),
                workload: (*workload).to_owned(),
                changes: vec![changed("workload.source.requests", requests.to_string())],
            })),
            Run::Trace { device, scheme, changes } => {
                let path: PathBuf =
                    [env!("CARGO_MANIFEST_DIR"), "../../../shared/traces/apps/fileserver.csv.zst"]
                        .iter()
                        .collect();
                if !path.is_file() {
                    return skipped("the recorded trace isn't beside this project");
                }
                let mut changes: Vec<_> =
                    changes.iter().map(|(key, value)| changed(key, (*value).to_owned())).collect();
                changes.push(changed("workload.source.path", format!("{:?}", path.display().to_string())));
                changes.push(changed("workload.source.max_requests", requests.to_string()));
                Ok(Some(Described {
                    device: (*device).to_owned(),
                    scheme: (*scheme).to_owned(),
                    workload: TRACE.to_owned(),
                    changes,
                }))
            }
        }
    }
}

/// Carries out what is described in a folder, which is started as a process; or what three files describe, with the changes
/// behind them (`key=value`), for profiles of any run. Prints seconds, flash operations and mapping units; with `json` behind
/// the changes the whole report.
///
/// # Errors
/// Descriptions that are wrong, a run that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    let described = match arguments {
        [folder] => Described::load(Path::new(folder))?,
        [device, scheme, workload, changes @ ..] => {
            let changes = changes.iter().filter_map(|change| change.split_once('='));
            let read = |path: &String| match path.as_str() {
                "-" => Ok(String::new()),
                path => std::fs::read_to_string(path),
            };
            Described {
                device: read(device)?,
                scheme: read(scheme)?,
                workload: read(workload)?,
                changes: changes.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            }
        }
        _ => return Err("allowed: a folder, or DEVICE SCHEME WORKLOAD [KEY=VALUE …] [json]".into()),
    };
    let work = described.carried_out(Path::new("."))?;
    if arguments.iter().any(|argument| argument == "json") {
        println!("{}", serde_json::to_string(&work.report)?);
    } else {
        println!("{:.6} {} {:.0}", work.seconds, work.operations, work.units);
    }
    Ok(())
}
