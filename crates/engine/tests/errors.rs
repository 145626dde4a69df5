//! Read counts, bit errors, retries and decoding.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::device::*;
use wordline_engine::config::errors::*;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{PlaneId, Ppa};
use wordline_engine::nand::bit_errors::raw_bit_error_rate;
use wordline_engine::stats::report::Report;
use wordline_engine::{Setup, Unobserved, replay};

/// A rate that depends on nothing.
fn constant(base: f64) -> RberConfig {
    RberConfig {
        base: Some(base),
        wear_factor: Some(0.0),
        retention_factor: Some(0.0),
        disturb_factor: Some(0.0),
        ..RberConfig::default()
    }
}

/// Half of all bits wrong at first, a tenth of that after each retry: of 8,192 bits, 4096, 410, 41. So two retries.
fn two_retries() -> ErrorsConfig {
    ErrorsConfig { rber: constant(0.5), retry_factor: 0.1, ..ErrorsConfig::default() }
}

fn with_errors(mut drive: DeviceConfig, errors: ErrorsConfig) -> Setup {
    drive.errors = Some(errors);
    setup(drive)
}

fn counting(drive: DeviceConfig, by: ReadCounting) -> Setup {
    let mut setup = setup(drive);
    setup.scheme.read_counts = by;
    setup
}

/// Replays requests and keeps the drive.
fn replayed(setup: &Setup, requests: Vec<HostRequest>) -> (Report, Device) {
    let mut drive = setup.prepare(&[]).unwrap();
    let outcome = replay(setup, &mut drive, &mut Listed(requests), &mut Unobserved).unwrap();
    (outcome.report, drive)
}

#[test]
fn every_array_read_counts_once_for_its_block_and_its_page() {
    let setup = counting(device(1, 1, 1, 1), ReadCounting::Page);
    // Page 3 is in block 0, page 20 is page 4 of block 1. Apart in time: reads that wait together share an array read.
    let requests = [3, 3, 5, 20, 3].iter().zip(0..).map(|(&page, n)| read(n * 1_000_000, page)).collect();
    let (report, drive) = replayed(&setup, requests);
    let counts = drive.read_counts().unwrap();
    assert_eq!([0, 1, 2].map(|block| counts.block(PlaneId(0), block)), [4, 1, 0]);
    assert_eq!([3, 5, 20, 4].map(|page| counts.page(Ppa(page))), [Some(3), Some(1), Some(1), Some(0)]);
    let disturb = report.read_disturb.unwrap();
    assert_eq!((disturb.reads, disturb.block_max, disturb.block_peak, disturb.page_max), (5, 4, 4, Some(3)));
    assert_eq!(disturb.block_mean, 5.0 / 32.0);
}

#[test]
fn reads_that_share_an_array_read_count_as_one() {
    let setup = counting(device(1, 1, 1, 1), ReadCounting::Block);
    let (report, drive) = replayed(&setup, vec![read(0, 9), read(1, 3), read(2, 3), read(3, 3)]);
    assert_eq!((report.flash.reads, drive.block_reads(PlaneId(0), 0)), (2, 2));
}

#[test]
fn each_plane_of_a_command_counts_for_its_own_block() {
    let setup = counting(device(1, 1, 1, 2), ReadCounting::Block);
    let (report, drive) = replayed(&setup, vec![request(0, HostOp::Read, 0, 2)]);
    assert_eq!((report.flash.transactions, report.flash.reads), (1, 2));
    assert_eq!([0, 1].map(|plane| drive.block_reads(PlaneId(plane), 0)), [1, 1]);
}

#[test]
fn an_erase_begins_the_count_anew() {
    let setup = counting(device(1, 1, 1, 1), ReadCounting::Page);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let reads = (0..10).map(|n| read(n * 1_000_000, 0));
    // Everything is rewritten in order: what is collected holds nothing valid, so nothing is read for it.
    let writes = (0..2 * pages).map(|n| write(20_000_000 + n * 4_000_000, n % pages));
    let (report, drive) = replayed(&setup, reads.chain(writes).collect());
    assert!(report.flash.erases > 0 && report.flash.by_class["gc_read"].operations == 0);
    let disturb = report.read_disturb.unwrap();
    assert_eq!(
        (disturb.reads, disturb.block_max, disturb.block_peak, disturb.page_max),
        (10, 0, 10, Some(0))
    );
    assert_eq!(drive.read_counts().unwrap().page(Ppa(0)), Some(0));
}

/// Reads, writes of whole and partial pages and TRIM over a drive that collects all the time.
fn busy(setup: &Setup, count: u64) -> Report {
    let bytes = setup.logical_bytes().unwrap();
    let mut random = Random(11);
    let mut source = made(count, |_| {
        let op = match random.below(20) {
            0 => HostOp::Trim,
            1..=8 => HostOp::Read,
            _ => HostOp::Write,
        };
        let (mut offset, mut length) = (random.below(bytes) / 4096 * 4096, 4096 * (1 + random.below(3)));
        if random.below(4) == 0 {
            (offset, length) = (offset + 512, 1_536);
        }
        HostRequest {
            time: wordline_engine::time::Ns(0),
            op,
            offset,
            length: length.min(bytes - offset),
            flow: 0,
            stream: 0,
        }
    });
    run(setup, &mut source).unwrap()
}

/// Reads are counted when the die takes them, operations when they end: what is between the two at the end.
fn under_way(reads: u64, report: &Report) -> u64 {
    reads - report.flash.reads
}

/// Superblocks, shared flash pages, suspension, several planes.
fn crowded() -> Setup {
    let mut drive = device(2, 1, 1, 2);
    drive.geometry.page_bytes = 8192;
    drive.suspend.program_ns = Some(20_000);
    let mut setup = setup(drive);
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    setup.start = start(Occupancy::Share(0.9), 1.5);
    setup.host = closed(12);
    setup
}

#[test]
fn reads_of_garbage_collection_count_like_those_of_the_host() {
    let mut setup = crowded();
    setup.scheme.read_counts = ReadCounting::Page;
    let report = busy(&setup, 4_000);
    assert!(report.flash.by_class["gc_read"].operations > 0 && report.flash.erases > 0);
    let disturb = report.read_disturb.as_ref().unwrap();
    assert!(under_way(disturb.reads, &report) <= 4);
    assert!(disturb.block_max <= disturb.block_peak);
    assert!(disturb.block_mean * 4.0 * 32.0 < disturb.reads as f64, "erased blocks have forgotten theirs");
}

#[test]
fn the_rate_is_that_of_the_published_equation() {
    let tlc = RberFit::Tlc72Layer.constants();
    let mlc = RberFit::Mlc2yNm.constants();
    let near =
        |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    // Computed apart from the engine.
    near(raw_bit_error_rate(&tlc, 0.0, 0.0, 0.0), 1.48e-3);
    near(raw_bit_error_rate(&tlc, 1000.0, 0.0, 0.0), 0.002_030_889_642_402_873);
    near(raw_bit_error_rate(&tlc, 1000.0, 90.0, 0.0), 0.003_906_966_381_646_986);
    near(raw_bit_error_rate(&tlc, 1000.0, 0.0, 100.0), 0.002_126_765_405_100_152);
    near(raw_bit_error_rate(&tlc, 3000.0, 365.0, 1000.0), 0.018_443_826_451_864_59);
    near(raw_bit_error_rate(&mlc, 0.0, 0.0, 0.0), 8.34e-5);
    near(raw_bit_error_rate(&mlc, 1000.0, 90.0, 0.0), 0.000_140_659_897_097_963_14);
    near(raw_bit_error_rate(&mlc, 3000.0, 30.0, 200_000.0), 0.000_389_254_947_487_452_4);
}

#[test]
fn without_wrong_bits_a_read_takes_as_long_as_ever() {
    let errors = ErrorsConfig { rber: constant(0.0), ..ErrorsConfig::default() };
    let (report, record) =
        record(&with_errors(device(1, 1, 1, 1), errors), vec![read(7, 0), write(1_000_000, 1)]);
    assert_eq!(record.completions(), [7 + TR + XFER, 1_000_000 + XFER + TPROG]);
    let errors = report.errors.unwrap();
    assert_eq!((errors.codewords, errors.raw_bit_errors, errors.pages_by_retries), (4, 0, vec![1]));
}

#[test]
fn each_retry_takes_another_cell_read_and_is_blamed_as_such() {
    let (report, record) = record(&with_errors(device(1, 1, 1, 1), two_retries()), vec![read(7, 0)]);
    assert_eq!(record.completions(), [7 + TR + 2 * TR + XFER]);
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!((blame["cell"], blame["retry"], blame["transfer"]), (TR.into(), (2 * TR).into(), XFER.into()));
    let errors = report.errors.unwrap();
    assert_eq!((errors.retries, errors.pages_by_retries, errors.uncorrectable_pages), (2, vec![0, 0, 1], 0));
    assert_eq!(report.dies[0].array_ns, 3 * TR);
}

#[test]
fn a_retry_may_take_another_time_than_a_read_and_decodes_in_vain_before_it() {
    let errors = ErrorsConfig { retry_read_ns: Some(70_000), decode_ns: 3_000, ..two_retries() };
    let (report, record) = record(&with_errors(device(1, 1, 1, 1), errors), vec![read(0, 0)]);
    assert_eq!(record.completions(), [TR + 2 * 73_000 + XFER + 3_000]);
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!((blame["retry"], blame["decode"]), (146_000, 3_000));
}

#[test]
fn retries_hold_the_die_and_decoding_does_not() {
    let errors = ErrorsConfig { decode_ns: 30_000, ..two_retries() };
    let (report, record) =
        record(&with_errors(device(1, 1, 1, 1), errors), vec![read(0, 0), read(0, 1), read(0, 2)]);
    let one = TR + 2 * (TR + 30_000) + XFER;
    assert_eq!(record.completions(), [one + 30_000, 2 * one + 30_000, 3 * one + 30_000]);
    assert_eq!(report.read.blame.mean.total_ns["die_wait.host_read"], u128::from(3 * one));
}

#[test]
fn pages_decode_side_by_side() {
    let errors = ErrorsConfig { rber: constant(0.0), decode_ns: 500_000, ..ErrorsConfig::default() };
    let setup = with_errors(device(2, 1, 1, 1), errors);
    let done = completions(&setup, vec![read(0, 0), read(0, 1), read(0, 2)]);
    let first = TR + XFER;
    assert_eq!(done, [first + 500_000, first + 500_000, 2 * first + 500_000]);
}

#[test]
fn a_part_of_a_page_is_decoded_before_it_is_written_with_the_rest() {
    let errors = ErrorsConfig { decode_ns: 9_000, ..two_retries() };
    let part = HostRequest { length: 512, ..write(0, 0) };
    let (report, record) = record(&with_errors(device(1, 1, 1, 1), errors), vec![part]);
    let blame = &report.write.blame.mean.total_ns;
    assert_eq!(record.completions(), [TR + 2 * (TR + 9_000) + XFER + 9_000 + XFER + TPROG]);
    assert_eq!((blame["retry"], blame["decode"], blame["cell"]), (118_000, 9_000, (TR + TPROG).into()));
}

#[test]
fn planes_read_together_are_retried_together() {
    let (report, record) =
        record(&with_errors(device(1, 1, 1, 2), two_retries()), vec![request(0, HostOp::Read, 0, 2)]);
    assert_eq!(record.completions(), [3 * TR + 2 * XFER]);
    assert_eq!(report.errors.unwrap().pages_by_retries, [0, 0, 2]);
}

#[test]
fn page_types_may_fail_more_or_less() {
    let mut drive = device(1, 1, 1, 1);
    drive.cell.technology = CellTechnology::Mlc;
    let setup = with_errors(drive, ErrorsConfig { page_type_factors: vec![0.0, 1.0], ..two_retries() });
    let done = completions(&setup, vec![read(0, 0), read(1_000_000, 1)]);
    assert_eq!(done, [TR + XFER, 1_000_000 + 3 * TR + XFER]);
}

#[test]
fn what_no_retry_corrects_is_counted_and_answered() {
    let errors = ErrorsConfig { retry_factor: 1.0, max_retries: 3, ..two_retries() };
    let mut setup = with_errors(device(1, 1, 1, 1), errors);
    let (report, record) = record(&setup, vec![read(0, 0), read(1_000_000, 1)]);
    assert_eq!(record.completions(), [4 * TR + XFER, 1_000_000 + 4 * TR + XFER]);
    let errors = report.errors.unwrap();
    assert_eq!((errors.uncorrectable_pages, errors.uncorrectable_by_class["host_read"]), (2, 2));
    assert_eq!((errors.retries, errors.pages_by_retries), (6, vec![0, 0, 0, 2]));
    setup.device.errors.as_mut().unwrap().max_retries = 0;
    assert_eq!(completions(&setup, vec![read(0, 0)]), [TR + XFER]);
}

#[test]
fn retries_are_reads_too() {
    let setup = with_errors(device(1, 1, 1, 1), two_retries());
    let (report, drive) = replayed(&setup, vec![read(0, 0), read(1_000_000, 3)]);
    assert_eq!((drive.block_reads(PlaneId(0), 0), report.flash.reads), (6, 2));
    assert_eq!(report.read_disturb.unwrap().reads, 6);
}

#[test]
fn the_mean_of_the_drawn_errors_is_bits_times_rate() {
    let rate = 1.3e-3;
    let errors = ErrorsConfig { rber: constant(rate), parity_bytes: 128, ..ErrorsConfig::default() };
    let mut setup = with_errors(device(2, 1, 1, 1), errors);
    setup.host = closed(4);
    let report = run(&setup, &mut made(5_000, |number| read(0, number % 500))).unwrap();
    let errors = report.errors.unwrap();
    // Four codewords of 1,024 + 128 bytes in each page.
    assert_eq!(errors.codewords, 20_000);
    let bits = 20_000.0 * 8.0 * 1_152.0;
    let deviation = (bits * rate * (1.0 - rate)).sqrt();
    let found = errors.raw_bit_errors as f64;
    assert!((found - bits * rate).abs() < 4.0 * deviation, "{found} of {}", bits * rate);
    assert_eq!(errors.mean_rber, Some(found / bits));
}

#[test]
fn only_the_codewords_that_are_wanted_are_decoded() {
    let mut setup =
        with_errors(device(1, 1, 1, 1), ErrorsConfig { rber: constant(0.0), ..ErrorsConfig::default() });
    let part = HostRequest { length: 1_536, ..read(0, 0) };
    let codewords = |setup: &Setup| record(setup, vec![part]).0.errors.unwrap().codewords;
    assert_eq!(codewords(&setup), 2);
    setup.device.channel.transfer = TransferUnit::Page;
    assert_eq!(codewords(&setup), 4);
}

#[test]
fn old_data_loses_charge_and_what_is_written_now_is_young() {
    let rber = RberConfig {
        retention_factor: Some(0.01),
        retention_cycles_exponent: Some(0.0),
        retention_days_exponent: Some(1.0),
        ..constant(0.0)
    };
    let errors = ErrorsConfig { rber, age_days: 50.0, ..two_retries() };
    let setup = with_errors(device(1, 1, 1, 1), errors);
    let done =
        completions(&setup, vec![read(0, 5), write(1_000_000, 5), read(2_000_000, 5), read(3_000_000, 6)]);
    assert_eq!(done[0], 3 * TR + XFER);
    assert_eq!(done[2], 2_000_000 + TR + XFER);
    assert_eq!(done[3], 3_000_000 + 3 * TR + XFER);
}

#[test]
fn a_day_of_simulated_time_is_a_day_of_retention() {
    let rber = RberConfig {
        retention_factor: Some(0.5),
        retention_cycles_exponent: Some(0.0),
        retention_days_exponent: Some(1.0),
        ..constant(0.0)
    };
    let setup = with_errors(device(1, 1, 1, 1), ErrorsConfig { rber, ..two_retries() });
    let day = 86_400_000_000_000;
    let done = completions(&setup, vec![write(0, 5), read(1_000_000, 5), read(day, 5)]);
    assert_eq!(done[1..], [1_000_000 + TR + XFER, day + 3 * TR + XFER]);
}

#[test]
fn wear_is_that_of_the_start_and_of_the_erases_since() {
    let rber = RberConfig { wear_factor: Some(0.25), wear_cycles_exponent: Some(1.0), ..constant(0.0) };
    let errors = ErrorsConfig { rber, ..two_retries() };
    let worn = with_errors(device(1, 1, 1, 1), ErrorsConfig { start_cycles: 2, ..errors.clone() });
    assert_eq!(completions(&worn, vec![read(0, 0)]), [3 * TR + XFER]);
    let fresh = with_errors(device(1, 1, 1, 1), errors);
    let pages = fresh.logical_bytes().unwrap() / 4096;
    // Rewritten in order until blocks are used for the second time.
    let writes = (0..5 * pages).map(|n| write(n * 4_000_000, n % pages));
    let (last, again) = (5 * pages - 1, 20 * pages * 4_000_000);
    let requests = [read(0, 0)].into_iter().chain(writes).chain([read(again, last % pages)]).collect();
    let (report, record) = record(&fresh, requests);
    let done = record.completions();
    assert!(report.erase_counts.max >= 1);
    assert_eq!(report.errors.unwrap().pages_by_retries.first(), Some(&1), "no retry of the fresh block");
    assert!(done.last() > Some(&(again + TR + XFER)));
}

#[test]
fn the_reads_of_a_block_disturb_its_pages_and_no_others() {
    let rber = RberConfig {
        disturb_factor: Some(0.002),
        disturb_cycles_exponent: Some(0.0),
        disturb_reads_exponent: Some(1.0),
        reads: DisturbReads::PerBlock,
        ..constant(0.0)
    };
    let errors = ErrorsConfig { max_retries: 1, retry_factor: 0.0, rber, ..ErrorsConfig::default() };
    let mut setup = with_errors(device(1, 1, 1, 1), errors);
    let requests =
        |reads: u64| (0..reads).map(|n| read(n * 1_000_000, n % 16)).chain([read(reads * 1_000_000, 20)]);
    let (report, record) = record(&setup, requests(16).collect());
    let done = record.completions();
    // 8,192 bits: none wrong before the first read; far more than 72 after fifteen (0.03 of them).
    assert_eq!(
        (done[0], done[15], done[16]),
        (TR + XFER, 15_000_000 + 2 * TR + XFER, 16_000_000 + TR + XFER)
    );
    assert_eq!(report.errors.unwrap().uncorrectable_pages, 0);
    // Spread over the block's sixteen pages the same reads are one each: 16 bits in the mean.
    setup.device.errors.as_mut().unwrap().rber.reads = DisturbReads::PerPage;
    let (report, _) =
        record_on(&setup, setup.prepare(&[]).unwrap(), &mut Listed(requests(16).collect())).unwrap();
    assert_eq!(report.errors.unwrap().retries, 0);
}

/// Errors that take none, some and more retries than there are, with decoding.
fn troubled() -> Setup {
    let mut setup = crowded();
    setup.scheme.read_counts = ReadCounting::Block;
    let errors = ErrorsConfig { decode_ns: 7_000, max_retries: 2, ..two_retries() };
    setup.device.errors = Some(ErrorsConfig { rber: constant(0.009), retry_factor: 0.98, ..errors });
    setup
}

#[test]
fn a_drive_full_of_errors_stays_consistent_and_its_blame_adds_up() {
    let report = busy(&troubled(), 6_000);
    let errors = report.errors.as_ref().unwrap();
    assert_eq!(errors.pages_by_retries.len(), 3);
    assert!(errors.pages_by_retries.iter().all(|&pages| pages > 0), "{errors:?}");
    let reads = errors.pages_by_retries.iter().sum::<u64>();
    assert!(under_way(reads, &report) <= 4);
    assert_eq!(report.read_disturb.as_ref().unwrap().reads, reads + errors.retries);
    for class in ["host_read", "gc_read"] {
        assert!(errors.uncorrectable_by_class[class] > 0, "{class}");
    }
    assert!(errors.uncorrectable_pages < errors.pages_by_retries[2]);
    assert!(report.flash.suspensions > 0 && report.flash.multi_plane > 0 && report.gc.moved_units > 0);
    for direction in [&report.read, &report.write] {
        for blame in [&direction.blame.mean, &direction.blame.tail] {
            assert_eq!(blame.total_ns.values().sum::<u128>(), blame.response_total_ns);
        }
        assert!(direction.blame.mean.total_ns["retry"] > 0 && direction.blame.mean.total_ns["decode"] > 0);
    }
}

#[test]
fn errors_repeat_with_the_seed_and_differ_without() {
    let of_seed = |seed| serde_json::to_string(&busy(&Setup { seed, ..troubled() }, 500)).unwrap();
    assert_eq!(of_seed(1), of_seed(1));
    let raw = |seed| {
        let setup = Setup { seed, ..with_errors(device(1, 1, 1, 1), troubled().device.errors.unwrap()) };
        run(&setup, &mut made(50, |page| read(0, page))).unwrap().errors.unwrap().raw_bit_errors
    };
    assert_eq!(raw(1), raw(1));
    assert_ne!(raw(1), raw(2));
}

#[test]
fn the_window_counts_its_own_reads_only() {
    let mut setup = with_errors(device(1, 1, 1, 1), two_retries());
    setup.window.warmup_requests = 3;
    let (report, drive) = replayed(&setup, (0..5).map(|n| read(n * 1_000_000, n)).collect());
    assert_eq!(report.errors.unwrap().pages_by_retries, [0, 0, 2]);
    assert_eq!(report.read_disturb.unwrap().reads, 6);
    assert_eq!(drive.block_reads(PlaneId(0), 0), 15, "the block remembers the warm-up");
}

#[test]
fn nothing_is_reported_unless_asked_for() {
    let (report, drive) = replayed(&setup(device(1, 1, 1, 1)), vec![read(0, 0)]);
    assert!(drive.read_counts().is_none());
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!((json.get("read_disturb"), json.get("errors")), (None, None));
}

fn resolved(overrides: &[(&str, &str)]) -> Result<(DeviceConfig, SchemeConfig), String> {
    let text = std::fs::read_to_string("../../presets/devices/mqsim.toml").unwrap();
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let device = Layer::from_toml("mqsim.toml", &text).unwrap();
    let scheme = Layer::from_toml("none", "").unwrap();
    resolve_run(&device, &scheme, &overrides).map_err(|error| error.to_string())
}

#[test]
fn one_key_of_the_table_switches_errors_on_and_the_rest_keep_their_defaults() {
    assert_eq!(resolved(&[]).unwrap().0.errors, None);
    let (device, scheme) = resolved(&[
        ("device.errors.rber.fit", "\"mlc_2y_nm\""),
        ("device.errors.rber.base", "0.001"),
        ("scheme.read_counts", "\"page\""),
    ])
    .unwrap();
    let errors = device.errors.unwrap();
    let expected = RberConfig { fit: RberFit::Mlc2yNm, base: Some(0.001), ..RberConfig::default() };
    assert_eq!(errors, ErrorsConfig { rber: expected, ..ErrorsConfig::default() });
    assert_eq!(errors.rber.constants(), RberConstants { base: 0.001, ..RberFit::Mlc2yNm.constants() });
    assert_eq!(scheme.read_counts, ReadCounting::Page);
}

#[test]
fn a_wrong_key_is_named_with_its_value_and_what_is_allowed() {
    for (key, value, said) in [
        ("device.errors.rber.base", "0.7", "device.errors.rber.base = 0.7: allowed: 0 to 0.5"),
        ("device.errors.retry_factor", "1.5", "device.errors.retry_factor = 1.5: allowed: 0 to 1"),
        (
            "device.errors.correctable_bits",
            "9000",
            "device.errors.correctable_bits = 9000: allowed: 0 to 8192",
        ),
        ("device.errors.page_type_factors", "[1.0, 2.0, 3.0]", "device.errors.page_type_factors"),
        ("device.errors.rber.fit", "\"slc\"", "tlc_72_layer"),
        ("scheme.read_counts", "\"die\"", "block"),
    ] {
        let error = resolved(&[(key, value)]).unwrap_err();
        assert!(error.contains(said), "{error}");
    }
}

/// Allowed values up to `most`, and now and then what can be written besides.
fn figure(most: f64) -> impl Strategy<Value = f64> {
    let beyond = prop::sample::select(vec![-1.0, 1e300, f64::NAN, f64::INFINITY]);
    prop_oneof![20 => 0.0..=most, 10 => 0.0..=most * 1e-3, 5 => Just(0.0), 5 => Just(most), 1 => beyond]
}

fn count(low: u32, most: u32) -> impl Strategy<Value = u32> {
    prop_oneof![20 => low..=most, 5 => Just(low), 1 => prop::sample::select(vec![0, 1 << 20, u32::MAX])]
}

fn any_errors() -> impl Strategy<Value = ErrorsConfig> {
    let given = |most| prop::option::of(figure(most));
    let rates =
        (given(0.5), given(1.0), given(10.0), given(1.0), given(10.0), given(10.0), given(1.0), given(10.0));
    let rates = (rates, given(10.0));
    let figures = (figure(36_500.0), figure(1.0), prop::collection::vec(figure(1000.0), 0..3), any::<bool>());
    let counts = (count(0, 5_000), count(16, 5_000), count(0, 500), count(0, 500), count(0, 8));
    let times = (prop::option::of(count(0, 100_000)), count(0, 100_000));
    (rates, figures, counts, times).prop_map(|(rates, figures, counts, times)| ErrorsConfig {
        slc_factor: 1.0,
        rber: RberConfig {
            fit: if figures.3 { RberFit::Tlc72Layer } else { RberFit::Mlc2yNm },
            base: rates.0.0,
            wear_factor: rates.0.1,
            wear_cycles_exponent: rates.0.2,
            retention_factor: rates.0.3,
            retention_cycles_exponent: rates.0.4,
            retention_days_exponent: rates.0.5,
            disturb_factor: rates.0.6,
            disturb_cycles_exponent: rates.0.7,
            disturb_reads_exponent: rates.1,
            reads: if figures.3 { DisturbReads::PerBlock } else { DisturbReads::PerPage },
        },
        page_type_factors: figures.2,
        start_cycles: counts.0,
        age_days: figures.0,
        codeword_bytes: counts.1,
        parity_bytes: counts.2,
        correctable_bits: counts.3,
        max_retries: counts.4,
        retry_read_ns: times.0.map(u64::from),
        retry_factor: figures.1,
        decode_ns: u64::from(times.1),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_errors_are_refused_or_survived(errors in any_errors()) {
        let mut drive = device(1, 1, 1, 2);
        drive.cell.technology = CellTechnology::Mlc;
        let mut setup = with_errors(drive, errors);
        setup.host = closed(8);
        if setup.validate().is_ok() {
            let mixed = |number: u64| match number % 3 {
                0 => write(0, number % 40),
                _ => read(0, number * 7 % 50),
            };
            let report = run(&setup, &mut made(150, mixed)).map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(report.read.requests, 100);
        }
    }
}
