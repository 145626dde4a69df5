//! Planes that collect beside what their die does for the host (`device.copyback.blocks = "plane"`), to the nanosecond.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::nand_modes::{CopybackBlocks, CopybackConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::host::HostRequest;
use wordline_engine::stats::report::Report;

const READ_COMMAND: u64 = 300;
const PROGRAM_COMMAND: u64 = 400;
const COPYBACK: u64 = READ_COMMAND + TR + PROGRAM_COMMAND + TPROG;
const ONE_READ: u64 = READ_COMMAND + TR + XFER;
const ONE_PROGRAM: u64 = PROGRAM_COMMAND + XFER + TPROG;
const FAR_APART: u64 = 100_000_000;

/// One die of two planes, each of which collects by itself. Even pages are on plane 0, odd ones on plane 1.
fn planes(blocks: CopybackBlocks) -> Setup {
    let mut device = device(1, 1, 1, 2);
    device.channel.read_command_ns = READ_COMMAND;
    device.channel.program_command_ns = PROGRAM_COMMAND;
    device.copyback = CopybackConfig { supported: true, blocks, ..CopybackConfig::default() };
    let mut setup = setup(device);
    setup.scheme.blocks.superblock = SuperblockSpan::None;
    setup
}

/// Overwrites a page of each block of plane 0, then another, each when the one before has had all its effects.
fn thinning(writes: u64) -> Vec<HostRequest> {
    (0..writes).map(|i| write((i + 1) * FAR_APART, 2 * ((i % 20) * 16 + i / 20))).collect()
}

/// How many writes it takes until plane 0 collects, and when its first copyback begins: behind the last of them.
fn first_copyback(setup: &Setup) -> (u64, u64) {
    let first = (1..200).find(|&writes| record(setup, thinning(writes + 1)).0.flash.copybacks > 0).unwrap();
    (first, first * FAR_APART + ONE_PROGRAM)
}

#[test]
fn the_other_plane_reads_and_programs_beside_a_copyback() {
    for (blocks, waits) in [(CopybackBlocks::Plane, false), (CopybackBlocks::Die, true)] {
        let setup = planes(blocks);
        let (first, begun) = first_copyback(&setup);
        let at = begun + 1_000;
        let beside = |request: HostRequest| {
            let (report, record) = record(&setup, [thinning(first), vec![request]].concat());
            (record.completions()[first as usize], report)
        };
        // A die does one thing at a time: the host's read and its program follow the copyback that has begun.
        let start = if waits { begun + COPYBACK } else { at };
        assert_eq!(beside(read(at, 401)).0, start + ONE_READ, "{blocks:?}");
        // The plane's own program waits for nothing of the die's: the read's data is through before it begins.
        let written = beside(write(at, 401)).0;
        assert_eq!(written, if waits { written } else { start + ONE_PROGRAM });
        assert!(written >= start + ONE_PROGRAM, "{blocks:?}");
    }
}

#[test]
fn a_read_of_the_plane_that_collects_waits_for_one_command_of_it() {
    let setup = planes(CopybackBlocks::Plane);
    let (first, begun) = first_copyback(&setup);
    let (report, record) = record(&setup, [thinning(first), vec![read(begun + 1_000, 400)]].concat());
    assert_eq!(record.completions()[first as usize], begun + COPYBACK + ONE_READ);
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!(blame["die_wait.gc_program"], u128::from(COPYBACK - 1_000));
    assert_eq!(blame.values().sum::<u128>(), u128::from(COPYBACK - 1_000 + ONE_READ));
}

#[test]
fn a_die_and_a_plane_that_want_each_other_take_turns() {
    let setup = planes(CopybackBlocks::Plane);
    let (first, begun) = first_copyback(&setup);
    // Three reads of the plane wait, one of another block each: a copyback goes between them.
    let reads = (0..3).map(|number| read(begun + 1_000, 400 + 32 * number)).collect();
    let (_, record) = record(&setup, [thinning(first), reads].concat());
    let turn = COPYBACK + ONE_READ;
    let done = [begun + turn, begun + 2 * turn, begun + 3 * turn];
    assert_eq!(record.completions()[first as usize..], done);
}

#[test]
fn a_plane_waits_for_what_its_die_does_on_it_and_goes_on_before_the_die_comes_back() {
    let setup = planes(CopybackBlocks::Plane);
    let (first, begun) = first_copyback(&setup);
    let programs = begun + COPYBACK;
    let more = vec![write(begun + 1_000, 400), read(programs + 10, 402), read(programs + 20, 401)];
    let (report, record) = record(&setup, [thinning(first), more].concat());
    let mut done = record.completions().split_off(first as usize);
    done.sort_unstable();
    // The die reads on the other plane while the second copyback is under way, and then on this one.
    let written = programs + ONE_PROGRAM;
    // Its data waits until the copyback's second command is through.
    let beside = written + READ_COMMAND + TR + PROGRAM_COMMAND + XFER;
    assert_eq!(done, [written, beside, written + COPYBACK + ONE_READ]);
    assert_eq!(report.dies[0].planes.len(), 2);
}

fn total(report: &Report, class: &str) -> (u64, u64) {
    let of = |die: usize| report.dies[die].planes.iter().map(|plane| plane.busy_ns[class]).sum::<u64>();
    (report.dies.iter().map(|die| die.busy_ns[class]).sum(), (0..report.dies.len()).map(of).sum())
}

#[test]
fn moves_and_erases_occupy_planes_and_no_die() {
    let setup = planes(CopybackBlocks::Plane);
    let (report, _) = record(&setup, thinning(200));
    let pages = report.flash.copybacks;
    assert!(pages > 50, "{pages}");
    assert_eq!(total(&report, "gc_program"), (0, pages * COPYBACK));
    assert_eq!(total(&report, "gc_erase"), (0, report.flash.erases * TERASE));
    assert_eq!(report.dies[0].planes[1].busy_ns["gc_program"], 0);
    assert_eq!(report.dies[0].planes[0].array_ns, pages * (TR + TPROG) + report.flash.erases * TERASE);
    assert_eq!(report.dies[0].busy_ns["host_program"], 200 * ONE_PROGRAM);
}

#[test]
fn busy_drives_whose_planes_collect_stay_consistent_and_exact() {
    let spans = [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip, SuperblockSpan::Drive];
    for (number, (count, units)) in [(1, 1), (2, 1), (2, 2), (3, 4)].into_iter().enumerate() {
        let mut setup = planes(CopybackBlocks::Plane);
        let geometry = &mut setup.device.geometry;
        (geometry.planes, geometry.channels, geometry.dies) = (count, 2, 2);
        geometry.mapping_unit_bytes = 4096 / units;
        setup.device.copyback.check_every = number as u32;
        setup.device.suspend.program_ns = Some(10_000);
        setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        setup.scheme.blocks.superblock = spans[number];
        setup.host = closed(32);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(5);
        let mut source = made(20_000, |_| any_request(&mut random, pages));
        let report = run(&setup, &mut source).unwrap();
        assert!(report.flash.copybacks > 0 && report.flash.suspensions > 0, "{number}: {:?}", report.flash);
        assert_eq!(total(&report, "gc_erase").0, 0);
        blame_adds_up(&report);
    }
}

#[test]
fn what_it_needs_and_what_it_excludes_is_refused_by_name() {
    let message = |change: &dyn Fn(&mut Setup)| {
        let mut setup = planes(CopybackBlocks::Plane);
        change(&mut setup);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    let refused: [&dyn Fn(&mut Setup); 4] = [
        &|setup| setup.device.copyback.supported = false,
        &|setup| setup.device.copyback.same_plane_only = false,
        &|setup| setup.device.cache_mode.read = true,
        &|setup| setup.scheme.ideal.second_server = wordline_engine::config::ideal::SecondServer::Die,
    ];
    for change in refused {
        assert!(message(change).contains("device.copyback.blocks"), "{}", message(change));
    }
}
