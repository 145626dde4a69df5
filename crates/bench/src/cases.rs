//! The benchmarks: drives whose tables are larger than the caches, overwritten at random, statistics and blame on.

use std::path::PathBuf;
use std::time::Instant;

use wordline_engine::Setup;
use wordline_engine::device::Device;
use wordline_trace::config::{OutOfRange, SourceConfig, TraceConfig};

use crate::bare;
use crate::drive::{LARGE, MQSIM, setup, timed};
use crate::measure::{Goal, report, resident_bytes};
use crate::{Failure, drive};

/// The drives: MQSim's shipped one, and 1 TiB of 4 KiB pages.
const DRIVES: [(&str, &str); 2] = [("mqsim", MQSIM), ("1tb-4k", LARGE)];

/// A load, and how many million flash operations a second it should reach.
struct Load {
    name: &'static str,
    requests: u64,
    read_share: f64,
    queue_depth: u32,
    goal: Goal,
}

const LOADS: [Load; 4] = [
    Load {
        name: "4 KiB random reads, queue depth 16",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 16,
        goal: Goal::AtLeast(10.0),
    },
    Load {
        name: "4 KiB random reads, queue depth 64",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 64,
        goal: Goal::AtLeast(10.0),
    },
    Load {
        name: "4 KiB random reads, queue depth 256",
        requests: 4_000_000,
        read_share: 1.0,
        queue_depth: 256,
        goal: Goal::None,
    },
    Load {
        name: "4 KiB random writes under GC, queue depth 16",
        requests: 1_000_000,
        read_share: 0.0,
        queue_depth: 16,
        goal: Goal::AtLeast(6.0),
    },
];

/// Runs the drives whose names contain one of the words; all without words.
pub fn run_all(words: &[String]) -> Result<(), Failure> {
    for (drive, text) in DRIVES {
        if words.is_empty() || words.iter().any(|word| drive.contains(word.as_str())) {
            run_drive(drive, text)?;
        }
    }
    Ok(())
}

fn run_drive(drive: &str, text: &str) -> Result<(), Failure> {
    untouched(drive, text)?;
    let mut device = overwritten(drive, text)?;
    let mut ns = Vec::new();
    for load in &LOADS {
        let config = uniform(load.requests, load.read_share);
        ns.push(measure(drive, text, &mut device, load.name, &config, load.queue_depth, load.goal)?);
    }
    let (name, config) = mixed_trace();
    measure(drive, text, &mut device, &name, &config, 16, Goal::AtLeast(6.0))?;
    drop(device);
    match ns[..] {
        [reads, .., writes] if text == LARGE => beside_bare_loops(drive, reads, writes),
        _ => Ok(()),
    }
}

/// Flash operations that the bare loop of reads does, and writes that the other one does.
const BARE: [usize; 2] = [20_000_000, 500_000];

/// What the engine takes for a flash operation, ns, beside loops that do nothing but what can't be left out.
fn beside_bare_loops(drive: &str, reads: f64, writes: f64) -> Result<(), Failure> {
    let setup = setup(LARGE, &[], 16, 0.0)?;
    let bare_reads = bare::reads(BARE[0]);
    println!("    bare loop: {bare_reads:.1} ns a read");
    report(&format!("{drive}: reads / bare loop"), reads / bare_reads, "of the time", Goal::AtMost(5.0));
    let (bare_writes, operations) =
        bare::writes(BARE[1], setup.logical_bytes()? / 4096, setup.scheme.gc.trigger)?;
    println!("    bare loop: {bare_writes:.1} ns a flash operation, {operations:.1} for each write");
    report(&format!("{drive}: writes / bare loop"), writes / bare_writes, "of the time", Goal::AtMost(2.0));
    Ok(())
}

/// Bytes of the full tables: a logical and a physical page number for each page.
fn full_tables(setup: &Setup) -> f64 {
    8.0 * setup.device.geometry.physical_units() as f64
}

fn untouched(drive: &str, text: &str) -> Result<(), Failure> {
    let before = resident_bytes();
    let setup = setup(text, &[], 16, 0.0)?;
    let started = Instant::now();
    let device = setup.prepare(&[])?;
    let milliseconds = started.elapsed().as_secs_f64() * 1e3;
    let memory = resident_bytes().saturating_sub(before) as f64;
    drop(device);
    println!("{drive}: an untouched drive, every page occupied, is ready in {milliseconds:.1} ms");
    report(
        &format!("{drive}: untouched / full tables"),
        memory / full_tables(&setup),
        "",
        Goal::AtMost(1.0 / 16.0),
    );
    Ok(())
}

fn overwritten(drive: &str, text: &str) -> Result<Device, Failure> {
    let before = resident_bytes();
    let started = Instant::now();
    let setup = setup(text, &[], 16, 1.0)?;
    let device = setup.prepare(&[])?;
    let wall = started.elapsed().as_secs_f64();
    println!("{drive}: overwritten at random once in {wall:.1} s");
    // Every block that was erased had been programmed whole, but for those that the layout filled.
    let geometry = &setup.device.geometry;
    let programmed = device.report().erase_counts.mean * geometry.physical_units() as f64;
    report(
        &format!("{drive}: preparation, GC included"),
        wall * 1e9 / programmed,
        "ns/page",
        Goal::AtMost(25.0),
    );
    let memory = resident_bytes().saturating_sub(before) as f64;
    report(&format!("{drive}: memory"), memory * 8.0 / full_tables(&setup), "B/page", Goal::AtMost(9.0));
    Ok(device)
}

fn uniform(requests: u64, read_share: f64) -> SourceConfig {
    SourceConfig::Synthetic(drive::uniform(requests, read_share))
}

/// A recorded trace where there is one beside the project, else a made mix.
pub(crate) fn mixed_trace() -> (String, SourceConfig) {
    let recorded: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/traces/apps/fileserver.csv.zst"].iter().collect();
    if recorded.is_file() {
        let trace = TraceConfig { out_of_range: OutOfRange::Wrap, ..TraceConfig::of_file(recorded) };
        return ("mixed trace (fileserver), queue depth 16".into(), SourceConfig::Trace(trace));
    }
    ("70/30 mix (no recorded trace here), queue depth 16".into(), uniform(1_000_000, 0.7))
}

fn measure(
    drive: &str,
    text: &str,
    device: &mut Device,
    name: &str,
    config: &SourceConfig,
    queue_depth: u32,
    goal: Goal,
) -> Result<f64, Failure> {
    let setup = setup(text, &[], queue_depth, 0.0)?;
    let run = timed(&setup, device, config)?;
    let rate = run.operations / run.seconds / 1e6;
    report(&format!("{drive}: {name}"), rate, "M flash ops/s", goal);
    let waf = run.outcome.report.waf.map_or(String::new(), |waf| format!(", WAF {waf:.2}"));
    println!("    {:.0} ns a flash operation{waf}", run.ns());
    Ok(run.ns())
}
