//! The measured window holds what it should: what a warm-up leaves out, and from when flash work counts.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::RunError;
use wordline_engine::config::run::WindowConfig;
use wordline_engine::host::HostRequest;

/// Reads and writes in turn, one every 100 µs, of the first pages.
fn in_turn(count: u64) -> Vec<HostRequest> {
    (0..count)
        .map(
            |number| {
                if number % 2 == 0 { write(number * 100_000, number) } else { read(number * 100_000, number) }
            },
        )
        .collect()
}

fn windowed(window: WindowConfig) -> wordline_engine::stats::report::Report {
    let mut setup = setup(device(2, 1, 1, 1));
    setup.window = window;
    run(&setup, &mut Listed(in_turn(40))).unwrap()
}

#[test]
fn a_warm_up_of_requests_leaves_them_out() {
    let whole = windowed(WindowConfig::default());
    assert_eq!((whole.window.start_ns, whole.window.warmup_requests), (0, 0));
    assert_eq!((whole.write.requests, whole.read.requests), (20, 20));
    for warmup_requests in [1, 7, 39] {
        let report = windowed(WindowConfig { warmup_requests, ..WindowConfig::default() });
        assert_eq!(report.window.warmup_requests, warmup_requests);
        assert_eq!(report.window.start_ns, warmup_requests * 100_000, "it opens with the first that counts");
        assert_eq!(report.write.requests, (40 - warmup_requests) / 2);
        assert_eq!(report.write.requests + report.read.requests, 40 - warmup_requests);
        assert_eq!(report.window.end_ns, whole.window.end_ns);
    }
}

#[test]
fn a_warm_up_of_time_leaves_out_what_arrives_in_it() {
    for warmup_ns in [1, 100_000, 100_001, 3_900_000] {
        let report = windowed(WindowConfig { warmup_ns, ..WindowConfig::default() });
        assert_eq!(report.window.warmup_requests, u64::div_ceil(warmup_ns, 100_000));
        assert_eq!(report.read.requests + report.write.requests, 40 - report.window.warmup_requests);
    }
}

#[test]
fn a_warm_up_begins_behind_the_requests_that_settle_the_drive() {
    let drive = setup(device(2, 1, 1, 1)).logical_bytes().unwrap() as f64;
    let pages =
        |pages: f64| WindowConfig { warmup_drive_writes: pages * 4096.0 / drive, ..Default::default() };
    let windows = [
        (WindowConfig::default(), 10),
        (WindowConfig { warmup_requests: 3, ..Default::default() }, 13),
        (WindowConfig { warmup_ns: 250_000, ..Default::default() }, 13),
        (pages(1.9), 13),
    ];
    for (window, first) in windows {
        let mut setup = setup(device(2, 1, 1, 1));
        (setup.window, setup.settling) = (window, 10);
        let report = run(&setup, &mut Listed(in_turn(40))).unwrap();
        assert_eq!((report.window.warmup_requests, report.window.start_ns), (first, first * 100_000));
    }
}

#[test]
fn a_warm_up_of_drive_writes_ends_with_the_bytes_written() {
    let drive = setup(device(2, 1, 1, 1)).logical_bytes().unwrap() as f64;
    for pages in [1u32, 5, 19] {
        let warmup_drive_writes = (f64::from(pages) * 4096.0 - 1.0) / drive;
        let report = windowed(WindowConfig { warmup_drive_writes, ..WindowConfig::default() });
        assert_eq!(report.window.warmup_requests, 2 * u64::from(pages) - 1);
        assert_eq!(report.write.requests, 20 - u64::from(pages));
        assert_eq!(report.read.requests, 21 - u64::from(pages));
    }
}

#[test]
fn all_bounds_of_the_warm_up_must_be_passed_and_may_lie_beyond_the_run() {
    let both = WindowConfig { warmup_ns: 500_000, warmup_requests: 9, ..WindowConfig::default() };
    assert_eq!(windowed(both).window.warmup_requests, 9);
    let mut setup = setup(device(2, 1, 1, 1));
    setup.window.warmup_requests = 1_000;
    let error = run(&setup, &mut Listed(in_turn(40))).unwrap_err();
    assert_eq!(error, RunError::NothingMeasured { requests: 40 });
}

#[test]
fn flash_work_and_busy_time_count_from_the_windows_start() {
    let whole = windowed(WindowConfig::default());
    let report = windowed(WindowConfig { warmup_ns: 2_000_000, ..WindowConfig::default() });
    let window = report.window.end_ns - report.window.start_ns;
    for (die, before) in report.dies.iter().zip(&whole.dies) {
        let [busy, all]: [u64; 2] = [die, before].map(|die| die.busy_ns.values().sum());
        assert!(busy <= window && busy < all, "{busy} of {window}, in all {all}");
    }
    assert!(report.flash.programs >= report.write.requests && report.flash.programs < whole.flash.programs);
    for channel in &report.channels {
        assert!(channel.busy_ns.values().sum::<u64>() <= window);
    }
}
