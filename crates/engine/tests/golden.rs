//! One small run, byte for byte: the same result in every run, on every machine and on several threads at once.
//! `WORDLINE_BLESS=1` rewrites the checked-in result after a change that is meant to change it.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use std::path::PathBuf;

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::*;
use wordline_engine::config::run::{Occupancy, WindowConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;

/// A drive with a little of everything: superpages, shared flash pages, page types, a link, suspension, collection.
fn everything() -> Setup {
    let mut drive = device(2, 2, 1, 2);
    drive.geometry.page_bytes = 8192;
    drive.geometry.spare_bytes = 448;
    drive.cell = CellConfig {
        technology: CellTechnology::Tlc,
        read_ns: vec![40_000, 55_000, 70_000],
        program_ns: vec![300_000, 500_000, 900_000],
        erase_ns: 3_000_000,
        page_types: vec![0, 1, 2],
        first_pages: vec![0, 0],
    };
    drive.channel.mega_transfers_per_s = 533.0;
    (drive.channel.read_command_ns, drive.channel.program_command_ns) = (290, 361);
    drive.channel.transfer_spare = true;
    drive.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: Some(40_000),
        resume_ns: 1_000,
        max_per_operation: 4,
        ..SuspendConfig::default()
    };
    drive.link = LinkConfig {
        bytes_per_s: Some(3_282_051_283),
        submission_ns: 49,
        completion_ns: 11,
        ..LinkConfig::default()
    };
    let mut setup = setup(drive);
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    setup.scheme.scheduler.starvation_bound_ns = Some(5_000_000);
    setup.scheme.gc.trigger = 0.1;
    setup.start = start(Occupancy::Share(0.9), 1.5);
    setup.window.warmup_requests = 500;
    setup.host = closed(12);
    setup
}

fn result() -> String {
    let setup = everything();
    let bytes = setup.logical_bytes().unwrap();
    let mut random = Random(2026);
    let mut source = made(6_000, |number| {
        let op = match random.below(20) {
            0 => HostOp::Trim,
            1 => HostOp::Flush,
            2..=9 => HostOp::Read,
            _ => HostOp::Write,
        };
        let (mut offset, mut length) = (random.below(bytes) / 4096 * 4096, 4096 * (1 + random.below(3)));
        if random.below(5) == 0 {
            (offset, length) = (offset + 512, 1_536);
        }
        HostRequest { time: Ns(number), op, offset, length: length.min(bytes - offset), flow: 0, stream: 0 }
    });
    let report = run(&setup, &mut source).unwrap();
    let mut text = serde_json::to_string_pretty(&report).unwrap();
    text.push('\n');
    text
}

#[test]
fn the_result_of_a_fixed_run_is_the_checked_in_one() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/everything.json");
    let found = result();
    if std::env::var_os("WORDLINE_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    let first =
        found.lines().zip(expected.lines()).enumerate().find(|(_, (found, expected))| found != expected);
    let told = "WORDLINE_BLESS=1 rewrites it if the change is meant";
    assert!(found == expected, "first difference (line from 0, found, expected): {first:?}; {told}");
}

#[test]
fn the_golden_run_exercises_what_it_is_for() {
    let report: serde_json::Value = serde_json::from_str(&result()).unwrap();
    for path in [
        "/flash/suspensions",
        "/flash/multi_plane",
        "/gc/moved_units",
        "/gc/victims",
        "/read/requests",
        "/trim/requests",
        "/flush/requests",
        "/drive/unmapped_reads",
        "/checked/reads_verified",
    ] {
        assert!(report.pointer(path).and_then(serde_json::Value::as_u64) > Some(0), "{path}");
    }
}

#[test]
fn the_same_run_gives_the_same_bytes_again_and_on_two_threads_at_once() {
    let first = result();
    assert_eq!(first, result());
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(result)).collect();
    for thread in threads {
        assert_eq!(first, thread.join().unwrap());
    }
}

#[test]
fn another_seed_gives_another_result() {
    let of_seed = |seed| {
        let setup = Setup { seed, window: WindowConfig::default(), ..everything() };
        let report = run(&setup, &mut made(100, |page| read(0, page))).unwrap();
        serde_json::to_string(&report).unwrap()
    };
    assert_eq!(of_seed(1), of_seed(1));
    assert_ne!(of_seed(1), of_seed(2));
}
