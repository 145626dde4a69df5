//! The data cache in the controller's DRAM: hits, misses and back-pressure to the nanosecond, write amplification, and random
//! runs with every policy in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::cache_rates::throttle;
use crate::cache_versions::all_rewrites;
use crate::common::{self, *};
use wordline_engine::Setup;
use wordline_engine::config::cache::{
    CacheBytes, CacheConfig, CacheKind, DramConfig, DramRows, MaxWritesHold, PauseConfig, ReadAdmission,
    Rewrites,
};
use wordline_engine::config::errors::ErrorsConfig;
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind, SuperblockSpan, UnmappedReads};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::data_cache::CacheReport;
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;

/// Data of a page on the channel, and its program.
pub const P: u64 = XFER + TPROG;

pub fn cached(setup: Setup, policy: CacheKind, units: u64, high: f64) -> Setup {
    let bytes = CacheBytes::Bytes(units * u64::from(setup.device.geometry.mapping_unit_bytes));
    let mut setup = setup;
    setup.scheme.cache = CacheConfig { policy, bytes, dirty_high: high, ..CacheConfig::default() };
    setup.scheme = only_read(setup.scheme);
    setup
}

/// One die whose pages are of one unit.
pub fn buffer(units: u64, high: f64) -> Setup {
    cached(setup(device(1, 1, 1, 1)), CacheKind::WriteBuffer, units, high)
}

pub fn lru(units: u64, high: f64) -> Setup {
    cached(setup(device(1, 1, 1, 1)), CacheKind::Lru, units, high)
}

/// Flash pages of four units.
pub fn shared_pages(mut setup: Setup) -> Setup {
    setup.device.geometry.page_bytes = 16384;
    setup
}

pub fn fua(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::WriteFua, page, 1)
}

pub fn flush(time: u64) -> HostRequest {
    HostRequest { time: Ns(time), op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 }
}

pub fn trim(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::Trim, page, 1)
}

pub fn bytes(time: u64, op: HostOp, offset: u64, length: u64) -> HostRequest {
    HostRequest { time: Ns(time), op, offset, length, flow: 0, stream: 0 }
}

pub fn counts(report: &Report) -> &CacheReport {
    report.cache.as_ref().unwrap()
}

pub fn blamed(report: &Report, part: &str) -> u128 {
    report.write.blame.mean.total_ns[part]
}

#[test]
fn a_write_is_answered_when_it_is_in_the_buffer_and_a_read_hits_it_there() {
    let (report, record) = record(&buffer(8, 1.0), vec![write(0, 5), read(10, 5), read(20, 6), write(30, 5)]);
    assert_eq!(record.completions(), [0, 10, 20 + TR + XFER, 30]);
    let counts = counts(&report);
    assert_eq!((counts.read_hits, counts.read_misses), (1, 1));
    assert_eq!((counts.write_hits, counts.write_misses, counts.dirty_max), (1, 1, 1));
    assert_eq!((report.flash.programs, counts.capacity_units), (0, 8));
}

#[test]
fn without_a_cache_a_write_is_answered_when_it_is_programmed_and_fua_changes_nothing() {
    let setup = setup(device(1, 1, 1, 1));
    let (report, record) = record(&setup, vec![write(0, 5), fua(2 * P, 5), flush(4 * P)]);
    assert_eq!(record.completions(), [P, 3 * P, 4 * P]);
    assert!(report.cache.is_none());
    assert_eq!(report.write.requests, 2);
}

#[test]
fn an_access_takes_the_drams_time_one_after_the_other() {
    let mut setup = buffer(8, 1.0);
    setup.device.dram =
        DramConfig { bytes: None, access_ns: 100, bytes_per_s: Some(4_096_000_000), ..DramConfig::default() };
    let half = bytes(5000, HostOp::Read, 0, 2048);
    let (report, record) = record(&setup, vec![write(0, 0), write(0, 1), half]);
    assert_eq!(record.completions(), [1100, 2200, 5000 + 100 + 500]);
    assert_eq!(blamed(&report, "cache"), 3300);
    assert_eq!(report.read.blame.mean.total_ns["cache"], 600);
}

#[test]
fn a_dram_whose_rows_alone_take_time_is_waited_for() {
    let mut setup = buffer(8, 1.0);
    // Two rows of a unit, one of which costs its gap, then nothing beyond the last whole row.
    setup.device.dram.rows = Some(DramRows { bytes: 2048, gap_ns: 70, rest_bytes_per_s: 1_000_000_000 });
    let (_, record) = record(&setup, vec![write(0, 5)]);
    assert_eq!(record.completions(), [70]);
}

#[test]
fn a_write_that_finds_no_room_waits_for_it_first_come_first_served() {
    let (report, record) = record(&buffer(2, 0.5), (0..4).map(|page| write(0, page)).collect());
    assert_eq!(record.completions(), [0, 0, P, 2 * P]);
    assert_eq!(blamed(&report, "buffer"), u128::from(3 * P));
    assert_eq!((counts(&report).stalls, counts(&report).write_backs), (2, 2), "up to the last answer");
}

#[test]
fn while_so_many_writes_are_inside_no_further_command_is_taken() {
    let mut setup = buffer(2, 0.5);
    // The read hits the buffer. Without a bound it is answered when it comes.
    let requests = || vec![write(0, 0), write(0, 1), write(0, 2), write(0, 3), read(10, 1), write(20, 4)];
    assert_eq!(completions(&setup, requests()), [0, 0, P, 2 * P, 10, 3 * P]);
    setup.scheme.cache.max_writes = 1;
    let (report, record) = record(&setup, requests());
    // The third waits inside for a program, the fourth before the drive for that and inside for another.
    assert_eq!(record.completions()[..4], [0, 0, P, 2 * P]);
    assert_eq!(
        record.completions()[4],
        3 * P + TR + XFER,
        "behind the fourth, and the program that began then"
    );
    assert_eq!(record.completions()[5], 3 * P);
    assert_eq!(report.write.blame.mean.total_ns["admission"], u128::from(P + 2 * P - 20));
    assert_eq!(blamed(&report, "buffer"), u128::from(3 * P), "each for a program");
    setup.scheme.cache.max_writes = 3;
    assert_eq!(completions(&setup, requests())[4], 10, "two are inside");
    // Without a cache, too: the read goes to the die when the write is answered.
    setup.scheme.cache = CacheConfig { max_writes: 1, ..CacheConfig::default() };
    assert_eq!(completions(&setup, vec![write(0, 0), read(0, 9)]), [P, P + TR + XFER]);
}

#[test]
fn reads_pass_where_the_most_writes_inside_hold_writes_only() {
    let mut setup = buffer(2, 0.5);
    (setup.scheme.cache.max_writes, setup.scheme.cache.max_writes_hold) = (1, MaxWritesHold::Writes);
    // In one queue the read that hits the buffer is behind a write that isn't taken before the third is answered.
    let requests = vec![write(0, 0), write(0, 1), write(0, 2), read(5, 1), write(5, 3), read(10, 2)];
    assert_eq!(completions(&setup, requests), [0, 0, P, 5, 2 * P, P]);
}

#[test]
fn write_back_pauses_after_so_many_units_and_the_buffer_takes_what_it_has_room_for() {
    let mut setup = buffer(4, 0.25);
    const PAUSE: u64 = 50_000_000;
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: None });
    // Two are sent on, one after the other. The pause begins when the third would be.
    let apart = 10 * P;
    let requests = (0..8).map(|number| write(number * apart, number)).collect();
    let (report, record) = record(&setup, requests);
    let end = 2 * apart + PAUSE;
    // Four fit in, from the third on; the seventh waits for the first program behind the pause.
    let at: Vec<u64> = (0..6).map(|number| number * apart).collect();
    assert_eq!(record.completions()[..6], at);
    assert_eq!(record.completions()[6], end + P);
    assert!(end > 7 * apart && record.completions()[7] > end + P, "the eighth waits, too");
    assert_eq!(counts(&report).stalls, 2);
    // With room for one the fifth is the first to wait: the third had entered when the pause began.
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: Some(1) });
    let done = completions(&setup, (0..6).map(|number| write(number * apart, number)).collect());
    assert_eq!(done[..5], [0, apart, 2 * apart, 3 * apart, end]);
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: None });
    // A flush is no write-back that may wait.
    let flushed = vec![write(0, 0), write(apart, 1), write(2 * apart, 2), flush(2 * apart + 10)];
    assert_eq!(completions(&setup, flushed)[3], 2 * apart + 10 + P);
}

#[test]
fn no_pause_begins_while_writes_wait_for_room() {
    let mut setup = buffer(2, 0.5);
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 3, ns: 1_000_000_000, room_units: None });
    let done = completions(&setup, (0..6).map(|page| write(0, page)).collect());
    assert_eq!(done[..5], [0, 0, P, 2 * P, 3 * P], "put off");
}

#[test]
fn a_pause_of_no_time_is_refused() {
    for (pause, key) in [
        (PauseConfig { every_units: 0, ns: 1, room_units: None }, "pause.every_units = 0"),
        (PauseConfig { every_units: 1, ns: 0, room_units: None }, "pause.ns = 0"),
    ] {
        let cache = CacheConfig { pause: Some(pause), ..CacheConfig::default() };
        let error = cache.validate().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_write_to_a_unit_that_is_held_needs_no_room() {
    let requests = vec![write(0, 0), write(0, 1), write(0, 2), write(10, 1)];
    assert_eq!(completions(&buffer(2, 0.5), requests), [0, 0, P, 10]);
}

#[test]
fn a_whole_flash_page_goes_before_an_older_unit_that_would_go_alone() {
    let mut setup = shared_pages(cached(setup(device(2, 1, 1, 1)), CacheKind::WriteBuffer, 16, 5.0 / 16.0));
    setup.scheme.cache.dirty_low = Some(1.0 / 16.0);
    let requests = vec![write(0, 0), write(0, 4), write(0, 5), write(0, 6), write(0, 7), read(10_000_000, 0)];
    let (report, record) = record(&setup, requests);
    assert_eq!((report.flash.programs, counts(&report).write_backs), (1, 4));
    assert_eq!(record.completions()[5], 10_000_000, "the older one is still there");
}

#[test]
fn an_lru_cache_keeps_what_was_read_and_gives_up_what_was_used_longest_ago() {
    let apart = 100_000;
    let pages = [0, 1, 0, 2, 0, 1];
    let requests: Vec<_> = pages.iter().zip(0..).map(|(&page, number)| read(number * apart, page)).collect();
    let (report, record) = record(&lru(2, 1.0), requests.clone());
    let latencies: Vec<_> = record.completions().iter().zip(0..).map(|(done, n)| done - n * apart).collect();
    let miss = TR + XFER;
    assert_eq!(latencies, [miss, miss, 0, miss, 0, miss]);
    assert_eq!((counts(&report).evictions, counts(&report).read_hits), (2, 2));
    let mut setup = lru(2, 1.0);
    setup.scheme.cache.admit_reads = ReadAdmission::None;
    assert_eq!(counts(&common::record(&setup, requests).0).read_hits, 0);
}

#[test]
fn write_back_begins_at_the_high_watermark_and_ends_at_the_low_one() {
    let mut setup = buffer(8, 0.5);
    setup.scheme.cache.dirty_low = Some(0.25);
    let (report, _) = record(&setup, (0..3).map(|page| write(0, page)).collect());
    assert_eq!(report.flash.programs + counts(&report).write_backs, 0);
    let mut drive = setup.prepare(&[]).unwrap();
    let mut four = Listed((0..4).map(|page| write(page, page)).collect());
    wordline_engine::replay(&setup, &mut drive, &mut four, &mut wordline_engine::Unobserved).unwrap();
    assert_eq!(drive.report().flash.programs, 2, "of four, until two are left");
}

#[test]
fn dirty_units_are_counted_over_time() {
    let mut requests = vec![write(0, 0), write(0, 1), flush(1000)];
    requests.push(read(1000 + 4 * P, 9));
    let (report, record) = record(&buffer(8, 1.0), requests);
    let end = record.completions()[3] as f64;
    // Two until the die takes the first program at once, one until it takes the second.
    let area = 2.0 * 1000.0 + P as f64;
    assert_eq!((counts(&report).dirty_mean, counts(&report).dirty_max), (area / end, 2));
}

/// Write amplification of random writes of 4 KiB on flash pages of 16 KiB, one at a time.
fn amplification(policy: CacheKind, placement: PlacementKind) -> f64 {
    let mut setup = shared_pages(cached(setup(device(4, 1, 1, 2)), policy, 256, 0.5));
    setup.device.geometry.blocks = 64;
    setup.scheme.placement.policy = placement;
    setup.start = start(Occupancy::None, 0.0);
    setup.host = closed(8);
    let mut random = Random(4);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let report = run(&setup, &mut made(4_000, |_| write(0, random.below(pages)))).unwrap();
    let by_cause = &report.waf_by_cause;
    by_cause["host"] + by_cause.get("write_back").unwrap_or(&0.0)
}

#[test]
fn small_writes_on_large_flash_pages_cost_no_more_than_their_bytes_with_a_buffer() {
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        assert!(amplification(CacheKind::None, placement) > 2.0);
        for policy in [CacheKind::WriteBuffer, CacheKind::Lru] {
            let with = amplification(policy, placement);
            assert!(with < 1.02, "{policy:?} {placement:?}: {with}");
        }
    }
}

/// Requests of all kinds, many of them to few pages.
pub fn mixed(seed: u64, count: u64, bytes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let op = match random.below(24) {
                0 => HostOp::Flush,
                1 | 2 => HostOp::Trim,
                3 => HostOp::WriteFua,
                4..=11 => HostOp::Read,
                _ => HostOp::Write,
            };
            let space = [bytes, bytes / 8, bytes / 64][random.below(3) as usize].max(1);
            let (mut offset, mut length) = (random.below(space), 1 + random.below(20_000));
            match random.below(4) {
                0 => {}
                1 => (offset, length) = (offset / 512 * 512, length.div_ceil(512) * 512),
                _ => (offset, length) = (offset / 2048 * 2048, length.div_ceil(2048) * 2048),
            }
            HostRequest {
                time: Ns(number * 20_000),
                op,
                offset,
                length: length.min(bytes - offset),
                flow: 0,
                stream: 0,
            }
        })
        .collect()
}

/// A small drive that collects all the time.
pub fn collecting() -> Setup {
    let mut drive = device(2, 2, 1, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (16, 6);
    drive.geometry.page_bytes = 8192;
    drive.geometry.mapping_unit_bytes = 2048;
    drive.capacity.overprovisioning = Some(0.5);
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.2;
    setup.start = start(Occupancy::Share(0.9), 2.0);
    setup
}

#[test]
fn random_runs_pass_the_audit_with_every_size_and_threshold() {
    let mut seed = 0;
    for (policy, rewrites) in all_rewrites() {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            for (units, high, low) in [(4, 0.0, 0.0), (8, 1.0, 1.0), (40, 0.5, 0.1), (400, 0.9, 0.0)] {
                for dram in [
                    DramConfig::default(),
                    DramConfig {
                        bytes: None,
                        access_ns: 700,
                        bytes_per_s: Some(1 << 30),
                        ..DramConfig::default()
                    },
                ] {
                    let mut setup = cached(collecting(), policy, units, high);
                    setup.scheme.cache.dirty_low = Some(low);
                    setup.scheme.cache.rewrites = rewrites;
                    setup.scheme.placement.policy = placement;
                    setup.device.dram = dram;
                    setup.scheme.mapping.unmapped_reads =
                        if seed % 3 == 0 { UnmappedReads::Allocate } else { UnmappedReads::Zeros };
                    setup.host = if seed % 2 == 0 { closed(16) } else { setup.host };
                    seed += 1;
                    let requests = mixed(seed, 1_500, setup.logical_bytes().unwrap());
                    let what = format!("{policy:?} {rewrites:?} {placement:?} {units} {high} {low}");
                    let report =
                        run(&setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
                    let counts = counts(&report);
                    assert!(report.gc.moved_units > 0 && counts.merges > 0, "{what}: {counts:?}");
                    assert!(counts.read_hits > 0 && counts.write_hits > 0, "{what}: {counts:?}");
                    assert!(units > 40 || counts.stalls > 0, "{what}: {counts:?}");
                }
            }
        }
    }
}

#[test]
fn a_cache_works_with_whatever_else_a_drive_may_have() {
    type Change = fn(&mut Setup);
    let parts: [(&str, Change); 6] = [
        ("program units", |setup| {
            setup.device.geometry.pages_per_program = 3;
            setup.device.capacity.overprovisioning = Some(0.75);
        }),
        ("second servers", |setup| setup.scheme.ideal.second_server = SecondServer::DieAndChannel),
        ("firmware", |setup| {
            (setup.scheme.firmware.write_request_ns, setup.scheme.firmware.map_update_ns) = (3_000, 700);
        }),
        ("decoding", |setup| {
            setup.device.errors = Some(ErrorsConfig { decode_ns: 9_000, ..ErrorsConfig::default() });
        }),
        ("cache operations and copyback", |setup| {
            (setup.device.cache_mode.read, setup.device.cache_mode.program) = (true, true);
            setup.device.copyback.supported = true;
        }),
        ("suspension, superblocks and a link", |setup| {
            setup.device.suspend.program_ns = Some(20_000);
            setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
            setup.scheme.blocks.superblock = SuperblockSpan::Die;
            setup.device.link.bytes_per_s = Some(1 << 30);
        }),
    ];
    for (number, (what, change)) in parts.into_iter().enumerate() {
        for (policy, rewrites) in all_rewrites() {
            let mut setup = cached(collecting(), policy, 40, 0.5);
            setup.scheme.cache.rewrites = rewrites;
            setup.scheme.cache.throttle = (rewrites == Rewrites::Append).then_some(throttle(0.25, 30_000));
            setup.device.dram.access_ns = 300;
            change(&mut setup);
            let requests = mixed(number as u64, 1_500, setup.logical_bytes().unwrap());
            let report = run(&setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(counts(&report).merges > 0 && report.gc.moved_units > 0, "{what}");
        }
    }
}

#[test]
fn a_run_with_a_cache_repeats_byte_for_byte() {
    let result = || {
        let setup = cached(collecting(), CacheKind::Lru, 40, 0.5);
        let requests = mixed(7, 1_000, setup.logical_bytes().unwrap());
        serde_json::to_string(&run(&setup, &mut Listed(requests)).unwrap()).unwrap()
    };
    assert_eq!(result(), result());
}

#[test]
fn the_cache_takes_what_the_others_leave_and_the_report_says_who_uses_what() {
    let mut setup = lru(8, 0.5);
    let map = 4 * setup.logical_bytes().unwrap() / 4096;
    setup.device.dram.bytes = Some(map + 10 * 4096 + 100);
    let dram = |setup: &Setup| record(setup, vec![read(0, 0)]).0;
    let report = dram(&setup).dram;
    assert_eq!(report.free_bytes, Some(2 * 4096 + 100));
    assert_eq!((report.bytes_by_user["map"], report.bytes_by_user["data_cache"]), (map, 8 * 4096));
    setup.scheme.cache.bytes = CacheBytes::Rest;
    let report = dram(&setup);
    assert_eq!((report.dram.free_bytes, counts(&report).capacity_units), (Some(0), 10));
}

#[test]
fn descriptions_that_do_not_fit_say_which_key_and_why() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = lru(8, 0.5);
        change(&mut setup);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    let over = refused(&|setup| setup.device.dram.bytes = Some(20_000));
    assert!(over.starts_with("device.dram.bytes = 20000: allowed: at least "), "{over}");
    assert!(over.contains("map ") && over.contains("data_cache 32768"), "{over}");
    let rest = refused(&|setup| setup.scheme.cache.bytes = CacheBytes::Rest);
    assert!(rest.starts_with("scheme.cache.bytes = rest: allowed: a number"), "{rest}");
    let small = refused(&|setup| setup.scheme.cache.bytes = CacheBytes::Bytes(4095));
    assert_eq!(small, "scheme.cache.bytes = 4095: allowed: at least the 4096 bytes of a flash page");
    let low = refused(&|setup| setup.scheme.cache.dirty_low = Some(0.6));
    assert_eq!(low, "scheme.cache.dirty_low = 0.6: allowed: 0 to 0.5");
    let text = "name = \"x\"\n[cache]\npolicy = \"lru\"\nbytes = \"most\"\n";
    let layer = wordline_engine::config::Layer::from_toml("x.toml", text).unwrap();
    let error = wordline_engine::config::Layers::new()
        .with(layer.under("scheme"))
        .resolve::<wordline_engine::config::SchemeConfig>("scheme")
        .unwrap_err()
        .to_string();
    assert!(error.contains("cache.bytes") && error.contains("a number of bytes, or rest"), "{error}");
}
