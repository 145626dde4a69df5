//! Parity over the rows of superblocks, and reads that are rebuilt instead of waiting. Everything in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::device::*;
use wordline_engine::config::redundancy::{RebuildWhen, RedundancyConfig, RedundancyKind};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::HostOp;
use wordline_engine::redundancy::{BlockedRead, Decision, Redundancy};
use wordline_engine::stats::redundancy::RedundancyReport;
use wordline_engine::stats::report::Report;
use wordline_engine::{RunError, Setup};

fn parity(when: RebuildWhen, xor_ns: u64) -> RedundancyConfig {
    RedundancyConfig { policy: RedundancyKind::ParityRows, when, xor_ns }
}

/// Four channels of one die each; a superblock over all.
fn striped(when: RebuildWhen) -> Setup {
    let mut setup = setup(device(4, 1, 1, 1));
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.scheme.blocks.superblock = SuperblockSpan::Drive;
    setup.scheme.redundancy = parity(when, 0);
    setup
}

fn counted(report: &Report) -> RedundancyReport {
    report.redundancy.unwrap()
}

fn blame(report: &Report, part: &str) -> u128 {
    report.read.blame.mean.total_ns.get(part).copied().unwrap_or(0)
}

// The layout of four dies, three of which hold data in each row:
//   row 0: P 0 1 2    row 1: 3 P 4 5    row 2: 6 7 P 8    row 3: 9 10 11 P
// The first page that is written lands on the second die (behind the parity of its row).

#[test]
fn a_read_whose_die_programs_is_rebuilt_from_the_rest_of_its_stripe() {
    let (report, record) = record(&striped(RebuildWhen::AnyWait), vec![write(0, 100), read(10, 7)]);
    // Pages 6 and 8 and the parity, read at once on three channels.
    assert_eq!(record.completions(), [XFER + TPROG, 10 + TR + XFER]);
    let expected = RedundancyReport {
        blocked_reads: 1,
        reconstructed_reads: 1,
        source_reads: 3,
        ..RedundancyReport::default()
    };
    assert_eq!(counted(&report), expected);
    assert_eq!(report.flash.by_class["host_read"].operations, 3);
    assert_eq!((blame(&report, "cell"), blame(&report, "transfer")), (TR.into(), XFER.into()));
}

#[test]
fn a_read_whose_die_is_free_is_read_there() {
    let (report, record) = record(&striped(RebuildWhen::AnyWait), vec![write(0, 100), read(10, 6)]);
    assert_eq!(record.completions()[1], 10 + TR + XFER);
    assert_eq!((counted(&report), report.flash.reads), (RedundancyReport::default(), 1));
}

#[test]
fn only_work_of_collection_counts_when_asked_so() {
    let (report, record) = record(&striped(RebuildWhen::GcOnly), vec![write(0, 100), read(10, 7)]);
    assert_eq!(record.completions()[1], XFER + TPROG + TR + XFER);
    assert_eq!((counted(&report).blocked_reads, counted(&report).reconstructed_reads), (1, 0));
}

#[test]
fn a_read_waits_when_a_second_die_of_its_stripe_is_busy() {
    let requests = vec![write(0, 100), write(0, 101), read(10, 7)];
    let (report, record) = record(&striped(RebuildWhen::AnyWait), requests);
    assert_eq!(record.completions()[2], XFER + TPROG + TR + XFER);
    assert_eq!((counted(&report).blocked_reads, counted(&report).reconstructed_reads), (1, 0));
}

#[test]
fn a_rebuilt_read_follows_the_source_that_is_done_last_and_the_joining_is_blamed() {
    let mut setup = striped(RebuildWhen::AnyWait);
    setup.scheme.redundancy.xor_ns = 700;
    // Page 8 waits on its die for the read of page 5, which began 20 µs before.
    let requests = vec![read(0, 5), write(20_000, 100), read(20_000, 7)];
    let (report, record) = record(&setup, requests);
    let one = TR + XFER;
    assert_eq!(record.completions()[2], 2 * one + 700);
    assert_eq!(blame(&report, "xor"), 700);
    assert_eq!(blame(&report, "die_wait.host_read"), u128::from(one - 20_000));
    assert_eq!(report.read.blame.mean.response_total_ns, u128::from(one + 2 * one + 700 - 20_000));
}

#[test]
fn parity_is_programmed_with_the_row_and_an_open_row_is_not_rebuilt() {
    let mut setup = striped(RebuildWhen::AnyWait);
    setup.start = start(Occupancy::None, 0.0);
    // Two pages of the row of three: no parity yet. The second program of that row keeps its die busy.
    let requests = vec![write(0, 0), write(600_000, 1), read(600_010, 1)];
    let (report, recorded) = record(&setup, requests);
    assert_eq!(recorded.completions()[2], 600_000 + XFER + TPROG + TR + XFER);
    assert_eq!((counted(&report).incomplete_rows, counted(&report).reconstructed_reads), (1, 0));
    assert!(!report.flash.by_class.contains_key("parity_program"));
    // With the third the parity follows; the first page of the next row lands on the first die, behind the parity.
    let next = 2_000_000;
    let requests = vec![write(0, 0), write(0, 1), write(0, 2), write(next, 3), read(next + 10, 0)];
    let (report, recorded) = record(&setup, requests);
    assert_eq!(report.flash.by_class["parity_program"].operations, 1);
    assert_eq!(counted(&report), RedundancyReport::default());
    assert_eq!(recorded.completions()[4], next + 10 + TR + XFER);
    assert!((report.waf_by_cause["parity"] - 0.25).abs() < 1e-9);
    // The second row: 3 P 4 5. Page 4 keeps the die of page 1 busy, which is rebuilt from pages 0 and 2 and the parity.
    let requests = vec![
        write(0, 0),
        write(0, 1),
        write(0, 2),
        write(next, 3),
        write(next * 2, 4),
        read(next * 2 + 10, 1),
    ];
    let (report, recorded) = record(&setup, requests);
    assert_eq!(recorded.completions()[5], next * 2 + 10 + TR + XFER);
    assert_eq!(counted(&report).reconstructed_reads, 1);
}

#[test]
fn a_page_that_is_trimmed_while_it_is_rebuilt_is_looked_up_anew() {
    let trim = request(30_000, HostOp::Trim, 7, 1);
    // The die of page 8 reads page 5 until 54 µs. By then page 7 is gone, so page 8 isn't read; the other two sources are
    // done at 74 µs.
    let requests = vec![read(0, 5), write(20_000, 100), read(20_000, 7), trim];
    let (report, record) = record(&striped(RebuildWhen::AnyWait), requests);
    let expected = RedundancyReport {
        blocked_reads: 1,
        source_reads: 3,
        abandoned_reads: 1,
        ..RedundancyReport::default()
    };
    assert_eq!(counted(&report), expected);
    assert_eq!(record.completions()[2], 20_000 + TR + XFER);
    assert_eq!(report.flash.by_class["host_read"].operations, 3);
}

/// Rebuilds whatever may be.
struct Always;

impl Redundancy for Always {
    fn blocked(&self, read: &BlockedRead) -> Decision {
        assert!(read.sources >= 2 && read.busy_sources <= read.sources);
        Decision::Reconstruct
    }
}

#[test]
fn a_policy_of_ones_own_decides() {
    let setup = striped(RebuildWhen::GcOnly);
    let mut device = setup.prepare(&[]).unwrap();
    device.set_redundancy(Box::new(Always));
    let requests = vec![write(0, 100), write(0, 101), read(10, 7)];
    let (report, record) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    // The source on the second busy die waits there.
    assert_eq!(record.completions()[2], XFER + TPROG + TR + XFER);
    assert_eq!(counted(&report).reconstructed_reads, 1);
}

#[test]
fn parity_needs_three_dies_and_the_space_for_it() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = striped(RebuildWhen::GcOnly);
        change(&mut setup);
        match setup.prepare(&[]).map(|_| ()).unwrap_err() {
            RunError::Config(error) => error.to_string(),
            other => panic!("{other}"),
        }
    };
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip] {
        let error = refused(&|setup| setup.scheme.blocks.superblock = span);
        assert!(error.contains("scheme.redundancy.policy") && error.contains("at least 3 dies"), "{error}");
    }
    let error = refused(&|setup| setup.device.geometry.channels = 2);
    assert!(error.contains("these lie on 2"), "{error}");
    // A quarter is parity: what is left of 0.3 is not enough of a reserve with 0.26.
    let error = refused(&|setup| setup.device.capacity.overprovisioning = Some(0.26));
    assert!(error.contains("device.capacity.overprovisioning"), "{error}");
    let error = refused(&|setup| setup.scheme.redundancy.xor_ns = 1 << 40);
    assert!(error.contains("scheme.redundancy.xor_ns"), "{error}");
}

#[test]
fn without_redundancy_nothing_is_told_of_it() {
    let mut setup = striped(RebuildWhen::AnyWait);
    setup.scheme.redundancy = RedundancyConfig::default();
    let (report, _) = record(&setup, vec![write(0, 100), read(10, 7)]);
    assert!(report.redundancy.is_none());
}

/// Reads, writes of whole and of parts of pages, and TRIMs.
fn mix(pages: u64, count: u64, seed: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(seed);
    made(count, move |_| {
        let op = match random.below(10) {
            0..4 => HostOp::Read,
            9 => HostOp::Trim,
            _ => HostOp::Write,
        };
        let length = 1 + random.below(5);
        let mut request = request(0, op, random.below(pages - length), length);
        if random.below(4) == 0 {
            request.length -= 512;
        }
        request
    })
}

#[test]
fn stripes_stay_whole_under_collection_and_trim() {
    let mut abandoned = 0;
    for span in [SuperblockSpan::Chip, SuperblockSpan::Channels, SuperblockSpan::Drive] {
        for (planes, unit, at_once, policy) in [
            (1, 8192, 1, PlacementKind::Static),
            (2, 8192, 1, PlacementKind::Dynamic),
            (2, 4096, 1, PlacementKind::Static),
            (1, 4096, 4, PlacementKind::Dynamic),
        ] {
            for (seed, when) in [(1, RebuildWhen::GcOnly), (2, RebuildWhen::AnyWait)] {
                let mut setup = setup(device(3, 1, 3, planes));
                setup.device.geometry.blocks = 16;
                setup.device.geometry.page_bytes = 8192;
                setup.device.geometry.mapping_unit_bytes = unit;
                setup.device.geometry.pages_per_program = at_once;
                setup.device.multi_plane.rule = MultiPlaneRule::SameBlockAndPage;
                setup.device.capacity.overprovisioning = Some(0.6);
                setup.device.suspend = SuspendConfig {
                    program_ns: Some(20_000),
                    erase_ns: Some(30_000),
                    resume_ns: 5_000,
                    max_per_operation: 2,
                    ..SuspendConfig::default()
                };
                if planes == 1 {
                    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
                }
                setup.scheme.redundancy = parity(when, 1_500 * (seed - 1));
                setup.scheme.blocks.superblock = span;
                setup.scheme.placement.policy = policy;
                setup.scheme.gc.trigger = 0.1;
                setup.start = start(Occupancy::Share(0.9), 0.7);
                setup.host = closed(12);
                let what = format!("{span:?} {planes} {unit} {at_once} {policy:?} {when:?}");
                let mut device = setup.prepare(&[]).unwrap();
                let always = seed == 2 && (planes == 2 || span == SuperblockSpan::Drive);
                if always {
                    device.set_redundancy(Box::new(Always));
                }
                let pages = device.logical_bytes() / 4096;
                let (report, _) = record_on(&setup, device, &mut mix(pages, 3_000, seed)).expect(&what);
                let counts = counted(&report);
                assert!(report.gc.victims > 5, "{what}: {} victims", report.gc.victims);
                assert!(counts.blocked_reads > 50, "{what}: {counts:?}");
                assert!(counts.reconstructed_reads > 0 || when == RebuildWhen::GcOnly, "{what}: {counts:?}");
                // Of each row one die in three or nine is parity; rows that are open at the ends make the rest.
                let dies = if span == SuperblockSpan::Drive { 9.0 } else { 3.0 };
                let programs = report.flash.programs as f64;
                let share = report.flash.by_class["parity_program"].operations as f64 / programs;
                assert!((share - 1.0 / dies).abs() < 0.02, "{what}: {share}");
                abandoned += counts.abandoned_reads;
            }
        }
    }
    assert!(abandoned > 0, "some pages move while they are rebuilt");
}

#[test]
fn a_run_with_parity_may_be_split_by_snapshots() {
    let setup = Setup { host: closed(8), ..striped(RebuildWhen::AnyWait) };
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    let mix: Vec<_> = (0..1_000)
        .map(|_| {
            let op = if random.below(2) == 0 { HostOp::Read } else { HostOp::Write };
            request(0, op, random.below(pages - 2), 1 + random.below(2))
        })
        .collect();
    let whole = in_parts(&setup, &mix, &[]).unwrap();
    let stops: Vec<_> = (1..8).map(|part| after(part * 123)).collect();
    assert!(in_parts(&setup, &mix, &stops).unwrap() == whole);
}
