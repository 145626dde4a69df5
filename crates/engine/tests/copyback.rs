//! Copyback in garbage collection: pages move inside a die, to the nanosecond.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::*;
use wordline_engine::config::nand_modes::{CacheModeConfig, CopybackConfig, SlcModeConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::DomainId;
use wordline_engine::nand::CellMode;
use wordline_engine::stats::report::Report;

const READ_COMMAND: u64 = 300;
const PROGRAM_COMMAND: u64 = 400;
const COPYBACK: u64 = READ_COMMAND + TR + PROGRAM_COMMAND + TPROG;
const FAR_APART: u64 = 100_000_000;

fn copying(planes: u32) -> Setup {
    let mut device = device(1, 1, 1, planes);
    device.channel.read_command_ns = READ_COMMAND;
    device.channel.program_command_ns = PROGRAM_COMMAND;
    device.copyback = CopybackConfig { supported: true, ..CopybackConfig::default() };
    let mut setup = setup(device);
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup
}

/// Overwrites one page (of every plane) of each block, then another, each when the one before has had all its effects.
fn thinning(writes: u64, planes: u64) -> Vec<HostRequest> {
    let overwrite = |i: u64| (i % 20) * 16 + i / 20;
    (0..writes).map(|i| request((i + 1) * FAR_APART, HostOp::Write, overwrite(i) * planes, planes)).collect()
}

fn busy(report: &Report) -> (u64, u64) {
    (report.dies[0].busy_ns["gc_program"], report.channels[0].busy_ns["gc_program"])
}

#[test]
fn a_page_moves_in_the_time_of_its_read_and_its_program_and_two_commands() {
    let (report, _) = record(&copying(1), thinning(200, 1));
    let pages = report.flash.copybacks;
    assert!(pages > 100, "{pages}");
    assert_eq!(report.flash.by_class["gc_read"].operations, 0);
    // A page that was overwritten since its copyback was queued is copied for nothing: one in each victim, here.
    assert!(pages - report.gc.moved_units <= report.gc.victims);
    assert_eq!(busy(&report), (pages * COPYBACK, pages * (READ_COMMAND + PROGRAM_COMMAND)));
    let host_and_erases = 200 * TPROG + report.flash.erases * TERASE;
    assert_eq!(report.dies[0].array_ns, host_and_erases + pages * (TR + TPROG));
}

#[test]
fn every_nth_copyback_sends_its_data_to_the_controller_and_back() {
    for every in [1, 4] {
        let mut setup = copying(1);
        setup.device.copyback.check_every = every;
        let (report, _) = record(&setup, thinning(200, 1));
        let pages = report.flash.copybacks;
        let checks = pages / u64::from(every);
        assert_eq!(busy(&report).0, pages * COPYBACK + checks * 2 * XFER);
        assert_eq!(busy(&report).1, pages * (READ_COMMAND + PROGRAM_COMMAND) + checks * 2 * XFER);
    }
}

#[test]
fn data_that_is_checked_takes_its_energy_on_the_channel_twice() {
    for every in [0, 1, 4] {
        let mut setup = copying(1);
        setup.device.copyback.check_every = every;
        setup.device.energy.channel_pj_per_byte = 3;
        let (report, _) = record(&setup, thinning(200, 1));
        let checks = report.flash.copybacks.checked_div(u64::from(every)).unwrap_or(0);
        assert_eq!(report.energy.unwrap().total_pj, u128::from((200 + 2 * checks) * 4096 * 3));
    }
}

#[test]
fn planes_copy_together_where_sources_and_destinations_fit_the_rule() {
    let mut setup = copying(2);
    setup.device.channel.program_command_extra_plane_ns = 50;
    let (report, _) = record(&setup, thinning(200, 2));
    let pages = report.flash.copybacks;
    assert_eq!(report.flash.by_class["gc_program"].transactions * 2, pages);
    assert_eq!(busy(&report).0, pages / 2 * (COPYBACK + 50));
    setup.device.multi_plane.rule = MultiPlaneRule::None;
    let (report, _) = record(&setup, thinning(200, 2));
    assert_eq!(busy(&report).0, report.flash.copybacks * COPYBACK);
}

#[test]
fn a_flash_page_that_is_not_wholly_valid_goes_through_the_controller() {
    let mut setup = copying(1);
    setup.device.geometry.page_bytes = 8192;
    // The first of two units of each flash page of a block, then of the next block.
    let overwrites = (0..400).map(|i| write((i + 1) * FAR_APART, i % 350 * 2)).collect();
    let (report, _) = record(&setup, overwrites);
    assert!(report.flash.by_class["gc_read"].operations > 0);
    assert!(report.flash.copybacks * 2 < report.gc.moved_units);
}

#[test]
fn an_slc_block_is_not_copied_back_into_a_native_one() {
    let mut setup = copying(1);
    setup.device.cell.technology = CellTechnology::Tlc;
    setup.device.slc_mode = Some(SlcModeConfig { read_ns: 20_000, program_ns: 100_000, erase_ns: 1_000_000 });
    setup.start = start(wordline_engine::config::run::Occupancy::None, 0.0);
    setup.scheme.gc.trigger = 0.2;
    let mut drive = setup.prepare(&[]).unwrap();
    assert!(drive.open_for_host_in(DomainId(0), CellMode::Slc));
    let writes = (0..140).map(|page| write(page * FAR_APART, page)).collect();
    let (report, _) = record_on(&setup, drive, &mut Listed(writes)).unwrap();
    assert!(report.gc.moved_units > 0);
    assert_eq!(report.flash.copybacks, 0);
}

#[test]
fn a_copyback_is_suspended_only_while_it_programs() {
    let mut setup = copying(1);
    setup.device.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: None,
        resume_ns: 5_000,
        max_per_operation: 2,
        ..SuspendConfig::default()
    };
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    // The window ends with the last answer: what one write sets off is seen with the next.
    let first =
        (1..200).find(|&writes| record(&setup, thinning(writes + 1, 1)).0.flash.copybacks > 0).unwrap();
    // Behind that write's own program the first page is copied.
    let begun = first * FAR_APART + PROGRAM_COMMAND + XFER + TPROG;
    let one_read = READ_COMMAND + TR + XFER;
    let read_at = |at: u64| {
        let (report, record) = record(&setup, [thinning(first, 1), vec![read(at, 300)]].concat());
        let done = record.completions()[first as usize];
        (report.flash.suspensions, done, busy(&report).0)
    };
    let programs = begun + READ_COMMAND + TR + PROGRAM_COMMAND;
    assert_eq!(read_at(begun + READ_COMMAND + 10).1, programs + 20_000 + one_read);
    assert_eq!(read_at(programs + 7).1, programs + 7 + 20_000 + one_read);
    assert_eq!(read_at(begun + 10).0, 1);
    let late = begun + COPYBACK - 20_000;
    assert_eq!(read_at(late).1, begun + COPYBACK + one_read, "too late to suspend");
}

#[test]
fn busy_drives_that_copy_back_stay_consistent_and_exact() {
    for (number, (planes, units)) in [(1, 1), (2, 1), (2, 2), (3, 4)].into_iter().enumerate() {
        let mut setup = copying(planes);
        (setup.device.geometry.channels, setup.device.geometry.dies) = (2, 2);
        setup.device.geometry.mapping_unit_bytes = 4096 / units;
        setup.device.copyback.same_plane_only = number % 2 == 0;
        setup.device.copyback.check_every = number as u32;
        setup.device.cache_mode = CacheModeConfig { read: true, program: true, ..Default::default() };
        setup.device.suspend.program_ns = Some(10_000);
        setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        let spans = [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip, SuperblockSpan::Drive];
        setup.scheme.blocks.superblock = spans[number];
        setup.host = closed(32);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(5);
        let mut source = made(20_000, |_| any_request(&mut random, pages));
        let report = run(&setup, &mut source).unwrap();
        assert!(report.flash.copybacks > 0 && report.flash.suspensions > 0, "{number}: {:?}", report.flash);
        blame_adds_up(&report);
    }
}
