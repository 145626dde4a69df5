//! What checked mode costs, and what a second run on a second core does.

use std::thread;
use std::time::Instant;

use wordline_engine::config::host::HostConfig;
use wordline_engine::device::Device;
use wordline_engine::{Kept, RunError, Setup};
use wordline_trace::config::SourceConfig;

use crate::Failure;
use crate::drive::{LARGE, setup, timed, uniform};
use crate::measure::{Goal, median, report};

/// Blocks a plane: 16 GiB.
const BLOCKS: u64 = 128;

/// Pages of 4 KiB in them.
const PAGES: usize = 4 << 20;

/// Times that each side is measured, in turn.
const ROUNDS: usize = 5;

/// Both.
///
/// # Errors
/// A run that fails.
pub fn run_all() -> Result<(), Failure> {
    checked()?;
    two_cores()
}

fn prepared(checked: bool) -> Result<(Setup, Device), Failure> {
    let mut setup = setup(LARGE, &[("device.geometry.blocks", BLOCKS)], 16, 1.0)?;
    setup.kept = Kept::of_checked(checked);
    let device = setup.prepare(&[])?;
    Ok((setup, device))
}

/// Pairs of runs, so that both sides meet the same load of the machine; the audit at the end is part of it.
fn checked() -> Result<(), Failure> {
    for (name, share, requests) in [("random reads", 1.0, 1_000_000), ("random writes", 0.0, 200_000)] {
        let (mut plain, mut checked) = (prepared(false)?, prepared(true)?);
        let config = SourceConfig::Synthetic(uniform(requests, share));
        let ratios = (0..ROUNDS)
            .map(|_| {
                let without = timed(&plain.0, &mut plain.1, &config)?.seconds;
                Ok(timed(&checked.0, &mut checked.1, &config)?.seconds / without)
            })
            .collect::<Result<Vec<_>, Failure>>()?;
        let name = format!("16 GiB: {name}: checked mode / without");
        report(&name, median(ratios), "of the time", Goal::AtMost(1.4));
    }
    Ok(())
}

fn two_cores() -> Result<(), Failure> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    if cores < 2 {
        println!("two runs on two cores: this machine has one");
        return Ok(());
    }
    let ((first_setup, mut first), (second_setup, mut second)) = (prepared(false)?, prepared(false)?);
    let ratio =
        together_to_alone(|| seconds(&first_setup, &mut first), || seconds(&second_setup, &mut second))?;
    report("16 GiB: two runs on two cores / one", ratio, "of the time", Goal::AtMost(1.1));
    // The map and the tables of physical pages.
    let tables = || vec![0_u32; 2 * PAGES];
    for (name, tables) in [
        ("two loops that touch no memory", [Vec::new(), Vec::new()]),
        ("two loops that look up tables of that size as often", [tables(), tables()]),
    ] {
        let [mut first, mut second] = tables;
        let ratio = together_to_alone(|| Ok(arithmetic(&mut first)), || Ok(arithmetic(&mut second)))?;
        report(&format!("    {name} / one"), ratio, "of the time", Goal::None);
    }
    Ok(())
}

/// How long the slower of two takes while the other runs beside it, by what the slower takes alone. Each has a thread of its own
/// either way: memory that a new thread asks for costs more than what one had before.
fn together_to_alone(
    mut first: impl FnMut() -> Result<f64, RunError> + Send,
    mut second: impl FnMut() -> Result<f64, RunError> + Send,
) -> Result<f64, Failure> {
    let ratios = (0..ROUNDS)
        .map(|_| {
            let alone = [in_threads(&mut [&mut first])?, in_threads(&mut [&mut second])?];
            let together = in_threads(&mut [&mut first, &mut second])?;
            Ok(together / alone[0].max(alone[1]))
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(median(ratios))
}

type Work<'a> = &'a mut (dyn FnMut() -> Result<f64, RunError> + Send);

/// The most seconds that one of these says it took, each in a thread.
fn in_threads(works: &mut [Work]) -> Result<f64, RunError> {
    thread::scope(|scope| {
        let threads: Vec<_> = works.iter_mut().map(|work| scope.spawn(work)).collect();
        let ended = |_| RunError::Inconsistent("a thread ended".into());
        threads.into_iter().try_fold(0.0_f64, |most, thread| Ok(most.max(thread.join().map_err(ended)??)))
    })
}

/// Seconds for as many additions and shifts as take about as long as a run: what sharing the machine costs by itself. With a
/// table, each eighth step changes an entry somewhere in it, which is about as often as a run looks at its tables.
fn arithmetic(table: &mut [u32]) -> f64 {
    let started = Instant::now();
    let mut state = std::hint::black_box(7_u64);
    for step in 0..60_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if step % 8 == 0 {
            let place = ((u128::from(state) * table.len() as u128) >> 64) as usize;
            table.get_mut(place).into_iter().for_each(|entry| *entry = entry.wrapping_add(1));
        }
    }
    std::hint::black_box(state);
    started.elapsed().as_secs_f64()
}

/// Time of a run whose errors can cross threads.
fn seconds(setup: &Setup, device: &mut Device) -> Result<f64, RunError> {
    let setup = Setup { host: HostConfig { queue_depth: 16, ..setup.host.clone() }, ..setup.clone() };
    timed(&setup, device, &SourceConfig::Synthetic(uniform(300_000, 0.7)))
        .map(|run| run.seconds)
        .map_err(|error| RunError::Inconsistent(error.to_string()))
}
