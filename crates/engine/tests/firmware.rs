//! Drives with the firmware that they are sold with: a constant overload, one write at a time, and writes in order.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "figures beside their bounds, for --nocapture")]

use crate::common::*;
use crate::presets;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::host::{HostOp, HostRequest, RequestSource};
use wordline_engine::stats::report::Report;
use wordline_engine::{Before, LookedUp, Setup, Unobserved};

const MS: u64 = 1_000_000;

/// The preset with an eighth of its blocks, a sixteenth as long each; the shares of its space as they are.
fn enterprise() -> Setup {
    let (device, scheme) = presets::device(
        "enterprise-tlc",
        &[
            ("device.geometry.blocks", "171"),
            ("device.geometry.pages", "96"),
            ("device.capacity.user_bytes", "30046945280"),
        ],
    );
    let mut setup = Setup { device, scheme, kept: Kept::Nothing, ..setup(crate::common::device(1, 1, 1, 1)) };
    setup.start = start(Occupancy::All, 0.0);
    setup.start.layout = StartLayout::Steady;
    setup
}

/// Random overwrites of 4 KiB, one each so many ns.
fn random_writes(setup: &Setup, count: u64, every: u64) -> Made<impl FnMut(u64) -> HostRequest + use<>> {
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(11);
    made(count, move |number| write(number * every, random.below(pages)))
}

/// Writes answered in each interval of so many ns, but for the last.
fn timeline(setup: &Setup, source: &mut dyn RequestSource, interval: u64) -> (Report, Vec<f64>) {
    let drive = setup.prepare(&[]).unwrap();
    let (report, record) = record_on(setup, drive, source).unwrap();
    let ends = record.completions();
    let mut counts = vec![0.0; (ends.iter().max().unwrap() / interval) as usize + 1];
    ends.iter().for_each(|at| counts[(at / interval) as usize] += 1.0);
    counts.pop();
    (report, counts)
}

/// What an overload must look like, whether the host waits for answers or piles up requests.
fn stays_smooth(setup: &Setup, source: &mut dyn RequestSource) -> Report {
    let (report, rates) = timeline(setup, source, 100 * MS);
    // The drive starts with a superblock less than it wants to have free, and makes good for that first.
    let steady = &rates[7..];
    let mean = steady.iter().sum::<f64>() / steady.len() as f64;
    let variance = steady.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / steady.len() as f64;
    let (variation, waf) = (variance.sqrt() / mean, report.waf.unwrap());
    println!(
        "{} writes a second, variation over 100 ms {variation:.3}, longest {} ms, WAF {waf:.2}, {rates:?}",
        mean * 10.0,
        report.write.latency_ns.max as f64 / 1e6
    );
    assert!(rates.iter().all(|&rate| rate > 0.3 * mean), "{rates:?}");
    assert!(variation < 0.05, "{variation}: {rates:?}");
    assert!(report.gc.victims > 25 && report.gc.stalled_units == 0, "{:?}", report.gc);
    report
}

#[test]
fn writes_of_a_deep_queue_are_answered_all_the_time() {
    let setup = Setup { host: closed(256), ..enterprise() };
    let report = stays_smooth(&setup, &mut random_writes(&setup, 350_000, 0));
    assert!(report.write.latency_ns.max < 50 * MS, "{}", report.write.latency_ns.max);
}

#[test]
fn more_load_than_the_drive_takes_is_served_at_the_rate_that_it_takes() {
    let host = HostConfig { arrivals: Arrivals::Open, max_outstanding: 256, ..HostConfig::default() };
    let setup = Setup { host, ..enterprise() };
    // 400,000 writes a second, more than twice what it can do.
    stays_smooth(&setup, &mut random_writes(&setup, 350_000, 2_500));
}

#[test]
fn one_write_at_a_time_is_answered_from_the_buffer() {
    let setup = Setup { host: closed(1), ..enterprise() };
    let report = run(&setup, &mut random_writes(&setup, 50_000, 0)).unwrap();
    println!("mean {} ns, longest {} ns", report.write.latency_ns.mean, report.write.latency_ns.max);
    assert!(report.write.latency_ns.mean < 30_000.0, "{}", report.write.latency_ns.mean);
}

#[test]
fn writes_in_order_run_at_the_rate_of_the_wordlines() {
    let mut setup = Setup { host: closed(32), ..enterprise() };
    setup.start = start(Occupancy::None, 0.0);
    setup.window.warmup_requests = 4_000;
    let report = run(&setup, &mut made(32_000, |number| request(0, HostOp::Write, number * 32, 32))).unwrap();
    // 64 dies, each of which takes in and programs three pages of two planes, one after the other; the channels keep up.
    let data = 6.0 * (16_384.0 + 2_048.0) / 1.2;
    let expected = 64.0 * 6.0 * 16_384.0 / (361.0 + 816.0 + data + 1_198_829.0) * 1e9;
    let found = report.write.bandwidth_bytes_per_s;
    println!("{found} bytes a second, closed form {expected}");
    assert!((found / expected - 1.0).abs() < 0.02, "{found} instead of {expected}");
    assert!(report.waf.unwrap() < 1.01);
}

/// The preset with a quarter of its blocks, a thirty-second as long each; the shares of its space as they are.
fn client() -> Setup {
    let (device, scheme) = presets::device(
        "client-qlc",
        &[
            ("device.geometry.blocks", "171"),
            ("device.geometry.pages", "96"),
            ("device.capacity.user_bytes", "7700000000"),
            ("scheme.slc_cache.min_bytes", "93900000"),
            ("scheme.mapping.cache_bytes", "524288"),
            ("scheme.mapping.batch_entries", "65536"),
        ],
    );
    let start = start(Occupancy::All, 0.0);
    Setup { device, scheme, start, kept: Kept::Nothing, ..setup(crate::common::device(1, 1, 1, 1)) }
}

#[test]
fn random_writes_to_a_full_client_drive_go_on_when_its_cache_is_full() {
    let setup = Setup { host: closed(16), ..client() };
    let (report, rates) = timeline(&setup, &mut random_writes(&setup, 100_000, 0), 100 * MS);
    println!("longest {} ms, WAF {:?}, {rates:?}", report.write.latency_ns.max as f64 / 1e6, report.waf);
    let cache = report.slc_cache.unwrap();
    assert!(
        cache.first_direct_ns.unwrap() < 100 * MS && cache.direct_units > 3 * cache.cached_units,
        "{cache:?}"
    );
    // 1,600 a second are what cells of four bits, a WAF of 8 and the map leave.
    assert!(rates.iter().all(|&rate| rate > 50.0), "{rates:?}");
    assert!(report.write.latency_ns.max < 100 * MS, "{}", report.write.latency_ns.max);
    assert!(report.gc.victims > 40 && report.gc.stalled_units == 0, "{:?}", report.gc);
}

#[test]
fn a_client_drive_that_was_written_at_random_goes_on_at_that_rate() {
    let mut setup = Setup { host: closed(16), ..client() };
    setup.start.layout = StartLayout::Steady;
    setup.window.warmup_requests = setup.settling_requests(4096.0);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let of = |seed: u64, count: u64| {
        let mut random = Random(seed);
        made(count, move |_| write(0, random.below(pages)))
    };
    let mut last = of(7, u64::MAX);
    let before = Before { never_rests: true, last: Some(LookedUp::Requests(&mut last)), ..Before::default() };
    let drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
    let (report, record) =
        record_on(&setup, drive, &mut of(11, setup.window.warmup_requests + 60_000)).unwrap();
    let ends = record.completions();
    let measured = ends.get(setup.window.warmup_requests as usize..).unwrap();
    let rate = |from: usize, to: usize| (to - from) as f64 * 1e9 / (measured[to - 1] - measured[from]) as f64;
    let (first, later) = (rate(0, 6_000), rate(6_000, 60_000));
    println!("{first} then {later} writes a second, {:?} {:?}", report.slc_cache, report.waf_by_cause);
    // The blocks of the map itself begin new: what its programs take is won from the data's until the first of them is collected.
    assert!((0.5..1.2).contains(&(first / later)), "{first} {later}");
    let cache = report.slc_cache.unwrap();
    assert!(cache.direct_units > 20 * cache.cached_units, "{cache:?}");
    // The changes held are as many as there is room for, and programs of the map go on.
    let map = report.mapping.unwrap();
    assert!(map.dirty_entries > 60_000 && map.counters.write_backs > 100, "{map:?}");
}

#[test]
fn the_map_of_a_client_drive_lies_in_the_hosts_memory() {
    let setup = Setup { host: closed(1), ..client() };
    let pages = setup.logical_bytes().unwrap() / 4096;
    // A part of the drive whose map fits, read twice: 8 translation pages.
    let report = run(&setup, &mut made(16_384, |number| read(0, number * 7 % 8_192))).unwrap();
    let mapping = report.mapping.unwrap();
    assert_eq!((mapping.counters.loads, mapping.counters.misses), (8, 8));
    assert!(report.dram.bytes_by_user["map"] < 1 << 14, "{:?}", report.dram);
    // Random reads of all of it mostly read the map first.
    let mut random = Random(3);
    let far = run(&setup, &mut made(4_000, |_| read(0, random.below(pages)))).unwrap();
    assert!(far.mapping.unwrap().hit_ratio.unwrap() < 0.1);
    let (near, far) = (report.read.latency_ns.mean, far.read.latency_ns.mean);
    assert!(far > 1.4 * near, "{near} {far}");
}
