//! The firmware's work on the controller's cores, nanosecond by nanosecond.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::device::MultiPlaneRule;
use wordline_engine::config::firmware::FirmwareConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};

const UNLOADED: u64 = TR + XFER;
/// A read of one unit: 1,000 ns for the request and 300 for the lookup.
const READ: u64 = 1_300;

fn costs() -> FirmwareConfig {
    FirmwareConfig {
        read_request_ns: 1_000,
        write_request_ns: 2_000,
        trim_request_ns: 500,
        flush_request_ns: 700,
        lookup_ns: 300,
        map_update_ns: 40,
        ..FirmwareConfig::default()
    }
}

/// Eight channels of one die each, so that single requests meet on the cores only.
fn with_cores(cores: u32) -> Setup {
    let mut setup = setup(device(8, 1, 1, 1));
    setup.device.cpu.cores = cores;
    setup.scheme.firmware = costs();
    setup
}

#[test]
fn a_lone_read_is_longer_by_its_firmware_work() {
    let (report, record) = record(&with_cores(1), vec![read(7, 0)]);
    assert_eq!(record.completions(), [7 + READ + UNLOADED]);
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!((blame["cpu"], blame.get("cpu_wait")), (u128::from(READ), None));
}

#[test]
fn requests_wait_for_the_only_core_in_order_of_arrival() {
    let (report, record) = record(&with_cores(1), vec![read(0, 0), read(0, 1), read(100, 2)]);
    assert_eq!(record.completions(), [READ, 2 * READ, 3 * READ].map(|end| end + UNLOADED));
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!(blame["cpu"], u128::from(3 * READ));
    assert_eq!(blame["cpu_wait"], u128::from(READ + 2 * READ - 100));
}

#[test]
fn two_cores_work_at_once_and_a_third_request_takes_the_one_that_is_free_first() {
    // Four lookups keep core 0 for 2,200 ns, so the third request follows the second on core 1.
    let requests = vec![request(0, HostOp::Read, 4, 4), read(0, 1), read(0, 2)];
    let (report, record) = record(&with_cores(2), requests);
    let done = record.completions();
    assert_eq!(done[1..], [READ + UNLOADED, 2 * READ + UNLOADED]);
    let cpu = report.cpu.unwrap();
    assert_eq!([cpu.cores[0].busy_ns, cpu.cores[1].busy_ns], [2_200, 2 * READ]);
    assert_eq!((cpu.by_cost["read_request"].count, cpu.by_cost["lookup"].count), (3, 6));
}

#[test]
fn a_request_queued_on_a_core_is_passed_by_one_that_needs_none() {
    let mut setup = with_cores(1);
    setup.scheme.firmware.flush_request_ns = 0;
    let flush = HostRequest { time: Ns(10), op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 };
    assert_eq!(completions(&setup, vec![read(0, 0), flush]), [READ + UNLOADED, 10]);
}

#[test]
fn each_kind_of_request_has_its_own_cost() {
    let alone = |request| completions(&with_cores(1), vec![request])[0];
    let program = XFER + TPROG;
    assert_eq!(alone(write(0, 3)), 2_000 + 40 + program);
    assert_eq!(alone(request(0, HostOp::Trim, 3, 5)), 500 + 5 * 40);
    assert_eq!(alone(request(0, HostOp::Flush, 0, 0)), 700);
    // The last 512 bytes of unit 3 and all of unit 4: two updates, and a lookup of what is written in part.
    let part = HostRequest { offset: 4 * 4096 - 512, length: 512 + 4096, ..write(0, 0) };
    assert_eq!(alone(part), 2_000 + 2 * 40 + 300 + UNLOADED + program);
    // TRIM forgets units that lie wholly in its range only.
    let trim = HostRequest { offset: 4 * 4096 - 512, length: 512 + 4096, ..request(0, HostOp::Trim, 0, 0) };
    assert_eq!(alone(trim), 500 + 40);
}

#[test]
fn work_begins_when_the_link_has_brought_the_request() {
    let mut setup = with_cores(1);
    setup.device.link.submission_ns = 400;
    let done = completions(&setup, vec![read(0, 0), read(0, 1)]);
    assert_eq!(done, [400 + READ + UNLOADED, 400 + 2 * READ + UNLOADED], "the second comes at 800");
}

/// The last of them opens a block, and so begins a collection.
const WRITES: u64 = 16 * 33 + 1;

/// One plane; every block holds one page that stays. A write every 10 ms, so that each collection is over before the
/// next begins. Returns when the drive came to rest, and the report of the whole run.
fn collecting(firmware: FirmwareConfig) -> (u64, Report) {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::None, 0.0);
    setup.scheme.firmware = firmware;
    let mut drive = setup.prepare(&[]).unwrap();
    let page = |number: u64| if number.is_multiple_of(16) { 100 + number / 16 } else { number % 16 };
    let mut source = made(WRITES, |number| write(10_000_000 * number, page(number)));
    replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap();
    (drive.now().0, drive.report())
}

#[test]
fn a_move_delays_its_program_by_its_work_and_a_decision_what_comes_later() {
    let (without, plain) = collecting(FirmwareConfig::default());
    assert!(plain.gc.victims > 1 && plain.gc.victims == plain.gc.moved_units, "{:?}", plain.gc);
    let last_write = 10_000_000 * (WRITES - 1) + XFER + TPROG;
    assert_eq!(without, last_write + UNLOADED + XFER + TPROG + TERASE, "collection is the last to end");
    let (with, report) = collecting(FirmwareConfig { move_ns: 7_777, ..FirmwareConfig::default() });
    assert_eq!(with - without, 7_777);
    let moves = &report.cpu.unwrap().by_cost["move"];
    assert_eq!((moves.count, moves.total_ns), (plain.gc.moved_units, 7_777 * plain.gc.moved_units));
    // The victim is chosen as the write comes; its page is read behind the write, and the core is busy for longer.
    let both = FirmwareConfig { move_ns: 7_777, decision_ns: 1_000_000, ..FirmwareConfig::default() };
    let (end, report) = collecting(both);
    assert_eq!(end - without, 7_777 + 1_000_000 - (XFER + TPROG + UNLOADED));
    assert_eq!(report.cpu.unwrap().by_cost["decision"].count, plain.gc.victims);
}

#[test]
fn planes_still_program_together_what_is_moved() {
    let commands = |firmware| {
        let mut setup = setup(device(1, 1, 1, 4));
        setup.device.multi_plane.rule = MultiPlaneRule::SameBlockAndPage;
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        setup.scheme.firmware = firmware;
        setup.start = start(Occupancy::All, 1.0);
        setup.host = closed(1);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(3);
        let report = run(&setup, &mut made(2_000, |_| write(0, random.below(pages)))).unwrap();
        let programs = &report.flash.by_class["gc_program"];
        assert!(programs.operations > 1_000);
        programs.operations as f64 / programs.transactions as f64
    };
    let with = commands(FirmwareConfig { move_ns: 5_000, ..FirmwareConfig::default() });
    assert!(with > 3.5, "{with} of 4 planes");
    assert!((with - commands(FirmwareConfig::default())).abs() < 0.2);
}

/// Reads, writes and TRIMs over a drive that collects, with costs for all work.
fn busy(cores: u32, firmware: FirmwareConfig) -> (Report, String) {
    let mut setup = setup(device(2, 2, 1, 2));
    setup.device.geometry.mapping_unit_bytes = 2048;
    setup.device.cpu.cores = cores;
    setup.scheme.firmware = firmware;
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    setup.start = start(Occupancy::All, 1.0);
    setup.host = closed(8);
    let mut random = Random(5);
    let mut drive = setup.prepare(&[]).unwrap();
    let pages = drive.logical_bytes() / 4096;
    let mut source = made(3_000, |_| any_request(&mut random, pages));
    let outcome = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap();
    (drive.report(), serde_json::to_string(&outcome.report).unwrap())
}

fn all_costs() -> FirmwareConfig {
    FirmwareConfig { move_ns: 900, decision_ns: 3_000, ..costs() }
}

#[test]
fn the_costs_by_name_and_the_cores_tell_of_the_same_time() {
    for cores in [1, 3] {
        let (report, _) = busy(cores, all_costs());
        let cpu = report.cpu.unwrap();
        let by_core: u64 = cpu.cores.iter().map(|core| core.busy_ns).sum();
        assert_eq!(cpu.by_cost.values().map(|cost| cost.total_ns).sum::<u64>(), by_core);
        assert_eq!(cpu.cores.len() as u32, cores);
        assert_eq!(cpu.by_cost["read_request"].count, report.read.requests);
        assert_eq!(cpu.by_cost["write_request"].count, report.write.requests);
        assert_eq!(cpu.by_cost["trim_request"].count, report.trim.requests);
        assert_eq!(cpu.by_cost["decision"].count, report.gc.victims);
        assert!(cpu.by_cost["move"].count >= report.gc.moved_units && report.gc.moved_units > 0);
    }
}

#[test]
fn a_core_that_is_always_busy_bounds_the_rate() {
    let mut setup = with_cores(1);
    setup.scheme.firmware = FirmwareConfig { read_request_ns: 100_000, ..FirmwareConfig::default() };
    setup.host = closed(64);
    let report = run(&setup, &mut made(5_000, |number| read(0, number % 64))).unwrap();
    assert!((report.read.iops / 10_000.0 - 1.0).abs() < 1e-3, "{}", report.read.iops);
}

#[test]
fn cores_without_work_change_nothing() {
    let (report, plain) = busy(1, FirmwareConfig::default());
    assert!(report.cpu.is_none() && !plain.contains("\"cpu"));
    assert_eq!(plain, busy(16, FirmwareConfig::default()).1);
}

#[test]
fn the_same_work_gives_the_same_bytes_and_more_cores_other_ones() {
    assert_eq!(busy(2, all_costs()).1, busy(2, all_costs()).1);
    assert_ne!(busy(2, all_costs()).1, busy(1, all_costs()).1);
}

#[test]
fn a_cost_or_a_count_out_of_range_is_refused_by_its_key() {
    let mut setup = with_cores(0);
    assert_eq!(setup.validate().unwrap_err().to_string(), "device.cpu.cores = 0: allowed: 1 to 256");
    setup.device.cpu.cores = 1;
    setup.scheme.firmware.lookup_ns = 10_000_001;
    let error = setup.validate().unwrap_err().to_string();
    assert_eq!(error, "scheme.firmware.lookup_ns = 10000001: allowed: 0 to 10000000");
}
