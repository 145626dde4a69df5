//! Response times of flushes and TRIMs: distribution, rate, intervals and blame, as those of reads and writes.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::run::Occupancy;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::DirectionReport;

/// A page's program on an idle die.
const PROGRAM: u64 = XFER + TPROG;

/// Two dies, one request at a time; a write buffer that keeps all it is given until a flush.
fn buffered() -> Setup {
    let mut setup = setup(device(1, 2, 1, 1));
    setup.scheme.cache = CacheConfig {
        policy: CacheKind::WriteBuffer,
        bytes: CacheBytes::Bytes(1 << 20),
        dirty_high: 1.0,
        ..CacheConfig::default()
    };
    setup.host = closed(1);
    setup
}

fn flush() -> HostRequest {
    HostRequest { length: 0, ..request(0, HostOp::Flush, 0, 0) }
}

fn adds_up(direction: &DirectionReport) {
    assert!(direction.requests > 0);
    for parts in [&direction.blame.mean, &direction.blame.tail] {
        assert_eq!(parts.total_ns.values().sum::<u128>(), parts.response_total_ns);
    }
    let mean = &direction.blame.mean;
    assert_eq!(mean.requests, direction.requests);
    let total = direction.latency_ns.mean * direction.requests as f64;
    assert!((mean.response_total_ns as f64 - total).abs() < 1e-6 * total.max(1.0));
    let binned = direction.latency_ns.histogram.iter().map(|bin| bin.1).sum::<u64>();
    assert_eq!(binned, direction.requests);
}

#[test]
fn a_write_ahead_log_lives_off_the_percentiles_of_its_flushes() {
    // Each entry of the log is a write and a flush; each tenth is of two pages, on one die, and takes two programs.
    let mut setup = buffered();
    setup.device.geometry.ways = 1;
    setup.start = start(Occupancy::None, 0.0);
    let entries = 300u64;
    let requests = (0..entries)
        .flat_map(|entry| {
            [request(0, HostOp::Write, 2 * (entry % 50), 1 + u64::from(entry % 10 == 9)), flush()]
        })
        .collect();
    let (report, _) = record(&setup, requests);
    let found = &report.flush;
    adds_up(found);
    assert_eq!((found.requests, found.bytes), (entries, 0));
    let latency = &found.latency_ns;
    let digits =
        |found: u64, exact: u64| assert!(found.abs_diff(exact) * 1000 <= exact, "{found} for {exact}");
    digits(latency.p50, PROGRAM);
    digits(latency.p95, 2 * PROGRAM);
    digits(latency.p99_99, 2 * PROGRAM);
    assert_eq!((latency.min, latency.max), (PROGRAM, 2 * PROGRAM));
    assert!((latency.mean - 1.1 * PROGRAM as f64).abs() < 1e-6);
    // The writes take no time, so the drive does nothing else: the time of the run is that of its flushes.
    let window = report.window.end_ns - report.window.start_ns;
    assert_eq!(found.blame.mean.response_total_ns, u128::from(window));
    assert_eq!(found.blame.mean.total_ns["write_back"], u128::from(window));
    assert!((found.iops - entries as f64 / (window as f64 / 1e9)).abs() < 1e-6);
    for path in ["flush.iops", "flush.latency_ns.mean", "flush.latency_ns.p50", "flush.latency_ns.p95"] {
        let interval = report.intervals.figures[path].expect(path);
        assert!(interval.low <= interval.high, "{path}");
    }
    let mean = report.intervals.figures["flush.latency_ns.mean"].unwrap();
    assert!(mean.low <= latency.mean && latency.mean <= mean.high, "{mean:?}");
    assert!(!report.intervals.figures.contains_key("flush.bandwidth_bytes_per_s"));
    assert!(!report.intervals.figures.contains_key("trim.iops"), "there was none");
    assert_eq!((report.trim.requests, report.trim.latency_ns.max), (0, 0));
}

#[test]
fn without_a_cache_a_flush_and_a_trim_wait_for_the_link_and_the_firmware_only() {
    let mut setup = setup(device(1, 2, 1, 1));
    (setup.device.link.submission_ns, setup.device.link.completion_ns) = (300, 200);
    (setup.scheme.firmware.flush_request_ns, setup.scheme.firmware.trim_request_ns) = (40, 50);
    setup.scheme.firmware.map_update_ns = 7;
    setup.host = closed(1);
    setup.start = start(Occupancy::All, 0.0);
    let requests =
        (0..400).flat_map(|page| [write(0, page % 20), flush(), request(0, HostOp::Trim, page, 2)]).collect();
    let (report, _) = record(&setup, requests);
    for (direction, firmware) in [(&report.flush, 40), (&report.trim, 50 + 2 * 7)] {
        adds_up(direction);
        assert_eq!((direction.latency_ns.min, direction.latency_ns.max), (500 + firmware, 500 + firmware));
        assert_eq!(direction.blame.mean.mean_ns["cpu"], firmware as f64);
        assert_eq!(direction.blame.mean.mean_ns["link"], 500.0);
    }
    assert_eq!(report.trim.bytes, 400 * 8192);
    assert!(report.trim.bandwidth_bytes_per_s > 0.0);
    assert!(report.intervals.figures["trim.latency_ns.p90"].is_some());
    let few: Vec<_> = report.notes().into_iter().filter(|note| note.kind == "few_in_tail").collect();
    let of = |kind: &str| few.iter().any(|note| note.found.contains(kind));
    assert!(of("of flushes") && of("of TRIMs"), "{few:?}");
}

#[test]
fn a_run_of_flushes_alone_has_batches_too() {
    let (report, _) = record(&buffered(), (0..400).map(|_| flush()).collect());
    assert!(report.intervals.batches >= 20, "{}", report.intervals.batches);
    assert!(report.intervals.figures.contains_key("flush.latency_ns.p99"));
}
