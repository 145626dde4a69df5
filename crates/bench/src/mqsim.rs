//! Short runs on MQSim's drive, each in a process of its own, start-up included; and MQSim's own files by `wordline mqsim`,
//! beside a binary of MQSim that the user built (`MQSIM=path`), pair by pair, or beside what was measured of it once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use wordline_engine::config::host::Arrivals;
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::{Unobserved, simulate};
use wordline_trace::config::{OutOfRange, SourceConfig, TraceConfig};

use crate::Failure;
use crate::drive::{MQSIM, setup, source, uniform};
use crate::measure::{Goal, median, peak_bytes, report};
use crate::mqsim_files::{self, Files};

/// Times that each process is started; the middle one counts.
const ROUNDS: usize = 3;

/// A run and its goal, s.
struct Run {
    name: &'static str,
    load: Load,
    goal: f64,
}

enum Load {
    /// A million random requests of 4 KiB at queue depth 16, reads or writes, without garbage collection.
    Random { read_share: f64 },
    /// A trace that MQSim ships, at its own arrival times.
    Trace { file: &'static str },
    /// A drive that is 75% full, in its steady state, and 100,000 random writes on it.
    Steady,
}

const RUNS: [Run; 5] = [
    Run { name: "reads", load: Load::Random { read_share: 1.0 }, goal: 0.15 },
    Run { name: "writes", load: Load::Random { read_share: 0.0 }, goal: 0.25 },
    Run { name: "tpcc", load: Load::Trace { file: "tpcc-small.trace" }, goal: 0.03 },
    Run { name: "wsrch", load: Load::Trace { file: "wsrch-small.trace" }, goal: 0.03 },
    Run { name: "steady", load: Load::Steady, goal: 2.0 },
];

/// Memory that the run of a million reads may have, MB.
const MEGABYTES: f64 = 150.0;

/// Carries one of them out: what is started as a process.
///
/// # Errors
/// A run that there is not, or that fails.
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    let [name, rest @ ..] = arguments else { return Err("the name of a run".into()) };
    let run = RUNS.iter().find(|run| run.name == name).ok_or("no such run")?;
    let mut setup = setup(MQSIM, &[], 16, 0.0)?;
    let config = match &run.load {
        Load::Random { read_share } => {
            if *read_share < 1.0 {
                setup.start.occupancy = Occupancy::None;
            }
            SourceConfig::Synthetic(uniform(1_000_000, *read_share))
        }
        Load::Trace { .. } => {
            setup.host.arrivals = Arrivals::Open;
            let path = rest.first().ok_or("the trace's path")?;
            let wrap = OutOfRange::Wrap;
            SourceConfig::Trace(TraceConfig { out_of_range: wrap, ..TraceConfig::of_file(path) })
        }
        Load::Steady => {
            setup.start.occupancy = Occupancy::Share(0.75);
            setup.start.layout = StartLayout::AtTrigger;
            SourceConfig::Synthetic(uniform(100_000, 0.0))
        }
    };
    let mut requests = source(&config, setup.logical_bytes()?)?;
    let outcome = simulate(&setup, requests.as_mut(), &[], &mut Unobserved)?;
    println!("{} {}", outcome.report.gc.victims, peak_bytes());
    Ok(())
}

/// All of them, what MQSim ships, and the start of the command line.
///
/// # Errors
/// A process that fails.
pub fn run_all() -> Result<(), Failure> {
    let binary = std::env::var_os("MQSIM").map(PathBuf::from);
    RUNS.iter().try_for_each(|run| measure(run, binary.as_deref()))?;
    let place = std::env::temp_dir().join(format!("wordline-mqsim-{}", std::process::id()));
    let done = beside_mqsim(binary.as_deref(), &place);
    let _ = std::fs::remove_dir_all(&place);
    done?;
    if binary.is_none() {
        println!("    MQSIM=path measures a binary of MQSim beside ours, with the same files");
    }
    command_line()
}

fn measure(run: &Run, binary: Option<&Path>) -> Result<(), Failure> {
    let mut arguments = vec!["--mqsim".to_owned(), run.name.to_owned()];
    let trace = match &run.load {
        Load::Trace { file } => match trace(file, binary) {
            Some(path) => Some(path),
            None => {
                println!("mqsim: {}: no {file} here, not measured", run.name);
                return Ok(());
            }
        },
        _ => None,
    };
    arguments.extend(trace.iter().map(|path| path.display().to_string()));
    let (mut ours, mut last) = (Vec::new(), String::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        let output = Command::new(std::env::current_exe()?).args(&arguments).output()?;
        ours.push(started.elapsed().as_secs_f64());
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stdout).into());
        }
        last = String::from_utf8_lossy(&output.stdout).into_owned();
    }
    report(&format!("mqsim: {}, start-up included", run.name), median(ours), "s", Goal::AtMost(run.goal));
    let mut figures = last.split_whitespace().filter_map(|word| word.parse::<f64>().ok());
    let (victims, megabytes) = (figures.next().unwrap_or(f64::NAN), figures.next().unwrap_or(f64::NAN) / 1e6);
    let reads = matches!(run.load, Load::Random { read_share: 1.0 });
    let goal = if reads { Goal::AtMost(MEGABYTES) } else { Goal::None };
    report(&format!("mqsim: {}, memory", run.name), megabytes, "MB", goal);
    println!("    {victims:.0} victims of garbage collection");
    Ok(())
}

/// A trace that MQSim ships: beside its binary, or beside this project.
fn trace(file: &str, binary: Option<&Path>) -> Option<PathBuf> {
    let beside = binary.and_then(Path::parent).map(|folder| folder.join("traces").join(file));
    let shared = [env!("CARGO_MANIFEST_DIR"), "../../../shared/mqsim", file].iter().collect();
    beside.into_iter().chain([shared]).find(|path| path.is_file())
}

/// Requests of the runs beside MQSim.
const REQUESTS: u64 = 1_000_000;

/// A run of MQSim's own two files by both, and what MQSim took once, on another machine.
struct Pair {
    name: &'static str,
    load: mqsim_files::Load,
    recorded: &'static str,
}

const PAIRS: [Pair; 3] = [
    Pair {
        name: "shipped, a million reads",
        load: mqsim_files::Load { reads: true, shipped: true },
        recorded: "13.9 to 17.6 s",
    },
    Pair {
        name: "shipped, a million writes",
        load: mqsim_files::Load { reads: false, shipped: true },
        recorded: "23.9 to 31.2 s",
    },
    Pair {
        name: "whole map, cache off, a million reads",
        load: mqsim_files::Load { reads: true, shipped: false },
        recorded: "not recorded",
    },
];

/// `wordline mqsim` and MQSim with the same two files, processes whole, one after the other.
fn beside_mqsim(binary: Option<&Path>, place: &Path) -> Result<(), Failure> {
    let (Some(shipped), Some(command)) = (mqsim_files::shipped_configuration(), mqsim_files::command())
    else {
        println!(
            "SKIPPED: beside MQSim: its shipped configuration or .venv/bin/wordline (make setup) isn't here"
        );
        return Ok(());
    };
    for pair in &PAIRS {
        let files = Files::write(&shipped, pair.load, REQUESTS, place)?;
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(seconds_of(&mut files.with_ours(&command, place))?);
            if let Some(binary) = binary {
                theirs.push(seconds_of(&mut files.with_mqsim(binary)?)?);
            }
        }
        let ours = median(ours);
        report(&format!("mqsim's files: {}", pair.name), ours, "s", Goal::None);
        match theirs.is_empty() {
            true => println!("    MQSim with the same files: {}, recorded on another machine", pair.recorded),
            false => {
                let theirs = median(theirs);
                println!("    MQSim with the same files {theirs:.2} s: {:.1} times ours", theirs / ours);
            }
        }
    }
    Ok(())
}

fn seconds_of(command: &mut Command) -> Result<f64, Failure> {
    let started = Instant::now();
    let status = command.status()?;
    if !status.success() {
        return Err(format!("{}: {status}", command.get_program().display()).into());
    }
    Ok(started.elapsed().as_secs_f64())
}

/// How long the command takes to start.
fn command_line() -> Result<(), Failure> {
    let command: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../.venv/bin/wordline"].iter().collect();
    if !command.is_file() {
        println!("command line: no .venv/bin/wordline here (make setup), its start is not measured");
        return Ok(());
    }
    let start = || -> Result<f64, Failure> {
        let started = Instant::now();
        Command::new(&command).arg("--version").stdout(Stdio::null()).status()?;
        Ok(started.elapsed().as_secs_f64())
    };
    start()?;
    let times = (0..5).map(|_| start()).collect::<Result<Vec<_>, _>>()?;
    report("command line: start", median(times), "s", Goal::AtMost(0.25));
    Ok(())
}
