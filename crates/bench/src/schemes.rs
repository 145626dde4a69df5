//! What systems cost the simulator: the same trace with each of them and without.

use std::time::Instant;

use wordline_engine::config::host::HostConfig;
use wordline_engine::config::layers::Layer;
use wordline_engine::config::resolve_run;
use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::run::volume::Volume;
use wordline_engine::{Setup, Unobserved, replay};
use wordline_trace::config::SourceConfig;

use crate::cases::mixed_trace;
use crate::drive::source;
use crate::measure::{Goal, median, report};
use crate::{Failure, callgrind};

/// What a run with the scheme may take by one without.
const AT_MOST: f64 = 1.5;

/// Times that each side is measured, in turn.
const ROUNDS: usize = 5;

/// Requests of a measured run, and of the two whose difference in instructions is counted.
const REQUESTS: u64 = 200_000;
const LENGTHS: [u64; 2] = [5_000, 20_000];

/// Requests inside the drive.
const QUEUE_DEPTH: u32 = 16;

const HOTR_TLC: &str = include_str!("../../../presets/devices/hotr-tlc.toml");

/// The drive of papers/004 with stripes of 4+1.
const FIVE_CHANNELS: [(&str, &str); 3] = [
    ("device.geometry.channels", "5"),
    ("device.geometry.ways", "4"),
    ("device.capacity.overprovisioning", "0.35"),
];

/// A scheme on the drive of its paper.
struct Case {
    name: &'static str,
    device: &'static str,
    scheme: &'static str,
    /// What it is compared with; empty: the defaults.
    without: &'static str,
    changes: &'static [(&'static str, &'static str)],
}

const CASES: [Case; 5] = [
    Case {
        name: "collision",
        device: include_str!("../../../presets/devices/collision.toml"),
        scheme: include_str!("../../../presets/schemes/collision.toml"),
        without: "",
        changes: &[],
    },
    Case {
        name: "hotr",
        device: HOTR_TLC,
        scheme: include_str!("../../../presets/schemes/hotr.toml"),
        without: "",
        changes: &FIVE_CHANNELS,
    },
    Case {
        name: "parity-rebuild",
        device: HOTR_TLC,
        scheme: include_str!("../../../presets/schemes/parity-rebuild.toml"),
        without: "",
        changes: &FIVE_CHANNELS,
    },
    Case {
        name: "rails",
        device: HOTR_TLC,
        scheme: include_str!("../../../presets/schemes/rails.toml"),
        without: "",
        changes: &FIVE_CHANNELS,
    },
    Case {
        name: "pacp",
        device: include_str!("../../../presets/devices/pacp.toml"),
        scheme: include_str!("../../../presets/schemes/pacp.toml"),
        without: include_str!("../../../presets/schemes/dynamic.toml"),
        changes: &[],
    },
];

/// All schemes.
///
/// # Errors
/// A run that fails.
pub fn run_all() -> Result<(), Failure> {
    println!("schemes on and off: {}, {REQUESTS} requests", mixed_trace().0);
    CASES.iter().try_for_each(compared)
}

/// Pairs of runs, so that both sides meet the same load of the machine.
fn compared(case: &Case) -> Result<(), Failure> {
    let (mut ratios, mut operations) = (Vec::new(), [0; 2]);
    for _ in 0..ROUNDS {
        let [without, with] = [false, true].map(|on| carried_out(case, on, REQUESTS));
        let (without, with) = (without?, with?);
        ratios.push(with.0 / without.0);
        operations = [without.1, with.1];
    }
    let goal = Goal::AtMost(AT_MOST);
    let time = median(ratios);
    report(&format!("{}: with the scheme / without", case.name), time, "of the time", goal);
    let more = operations[1] as f64 / operations[0] as f64;
    println!("    {more:.2} times the flash operations");
    report("    for each flash operation", time / more, "of the time", Goal::None);
    if let Some([without, with]) = counted(case)? {
        report(&format!("{}: with the scheme / without", case.name), with / without, "of instructions", goal);
    }
    Ok(())
}

/// Instructions of a request without the scheme and with it; `None` without valgrind.
fn counted(case: &Case) -> Result<Option<[f64; 2]>, Failure> {
    if !callgrind::is_there() {
        return Ok(None);
    }
    let each = |on: &str| {
        let count =
            |length: u64| callgrind::instructions(&[], &["scheme", case.name, on, &length.to_string()]);
        let [short, long] = LENGTHS.map(count);
        Ok::<f64, Failure>((long? - short?) as f64 / (LENGTHS[1] - LENGTHS[0]) as f64)
    };
    Ok(Some([each("off")?, each("on")?]))
}

/// Carries out a run that callgrind counts; returns its flash operations.
///
/// # Errors
/// A name that there is not, or a run that fails.
pub fn count(name: &str, on: &str, requests: &str) -> Result<u64, Failure> {
    let case = CASES.iter().find(|case| case.name == name).ok_or_else(|| format!("no scheme {name}"))?;
    Ok(carried_out(case, on == "on", requests.parse()?)?.1)
}

/// Seconds and flash operations of a run on a drive that was just prepared.
fn carried_out(case: &Case, on: bool, requests: u64) -> Result<(f64, u64), Failure> {
    let setup = setup(case, on)?;
    match &setup.scheme.array {
        Some(config) => replayed(&setup, setup.prepare_array(config, &[], &mut Unobserved)?, requests),
        None => replayed(&setup, setup.prepare(&[])?, requests),
    }
}

fn replayed(setup: &Setup, mut drive: impl Volume, requests: u64) -> Result<(f64, u64), Failure> {
    let mut config = mixed_trace().1;
    match &mut config {
        SourceConfig::Trace(trace) => {
            trace.max_requests = Some(requests);
            trace.repeat = 1;
        }
        SourceConfig::Synthetic(made) => made.requests = requests,
        _ => return Err("neither a trace nor made".into()),
    }
    let mut source = source(&config, drive.logical_bytes())?;
    let started = Instant::now();
    let outcome = replay(setup, &mut drive, source.as_mut(), &mut Unobserved)?;
    Ok((started.elapsed().as_secs_f64(), outcome.flash_operations))
}

fn setup(case: &Case, on: bool) -> Result<Setup, Failure> {
    let changes: Vec<_> =
        case.changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let device = Layer::from_toml("device", case.device)?;
    let scheme = Layer::from_toml("scheme", if on { case.scheme } else { case.without })?;
    let (device, scheme) = resolve_run(&device, &scheme, &changes)?;
    let host = HostConfig { queue_depth: QUEUE_DEPTH, ..HostConfig::default() };
    let start = StartConfig { occupancy: Occupancy::All, ..StartConfig::default() };
    Ok(Setup { host, start, ..Setup::of(device, scheme) })
}
