//! Garbage collection at idle time, and writes kept apart by how hot they are.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

mod common;

use common::*;
use wordline_engine::Setup;
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::separation::{SeparationConfig, SeparationKind};
use wordline_engine::host::HostRequest;

const READ: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;

/// One plane of 32 blocks of 16 pages, full and overwritten: collection begins with the first writes.
fn worn_in(background: Option<bool>) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::All, 2.0);
    setup.scheme.gc.background = background.map(|preemptible| BackgroundConfig { stop: 0.25, preemptible });
    setup
}

/// A burst of single-page writes spread over the drive.
fn burst(at: u64, count: u64) -> impl Iterator<Item = HostRequest> {
    (0..count).map(move |number| write(at, number * 37 % 350))
}

#[test]
fn a_burst_after_an_idle_gap_needs_no_collection() {
    let of = |background| {
        let mut setup = worn_in(background);
        setup.window.warmup_requests = 1;
        let requests = [write(0, 0)].into_iter().chain(burst(2_000_000_000, 60)).collect();
        let report = record(&setup, requests).0;
        (report.gc.victims, report.write.latency_ns.max)
    };
    let (victims, longest) = of(None);
    assert!(victims > 2);
    for preemptible in [true, false] {
        assert_eq!(of(Some(preemptible)), (0, 60 * PROGRAM));
    }
    assert!(longest > 60 * PROGRAM);
}

#[test]
fn idle_gaps_are_used_and_counted() {
    let setup = worn_in(Some(true));
    let requests = (0..4).flat_map(|gap| burst(gap * 1_000_000_000, 50)).collect();
    let report = record(&setup, requests).0;
    let background = report.background_gc.unwrap();
    assert_eq!((background.idle_times, background.given_up), (3, 0));
    assert!(background.victims > 3 && background.victims <= report.gc.victims, "{background:?}");
    assert!(record(&worn_in(None), vec![read(0, 0)]).0.background_gc.is_none());
}

#[test]
fn a_request_waits_for_the_operation_under_way_and_the_rest_of_the_victim_stays() {
    // Idle 1 ms after the first answer; from then on reads of 54 µs, programs of 504 µs and now and then an erase.
    let (mut given_up, mut waited) = (0, 0);
    for step in 0..60 {
        let at = 1_700_000 + step * 313_131;
        for late in [read(at, 5), write(at, 5)] {
            let (report, record) = record(&worn_in(Some(true)), vec![write(0, 0), late]);
            let latency = record.completions()[1] - at;
            let own = if report.read.requests > 0 { READ } else { PROGRAM };
            assert!(latency <= own + TERASE, "{at}: {latency}");
            // Beside an erase nothing takes longer than a program.
            waited += u64::from(latency > own + PROGRAM);
            given_up += report.background_gc.unwrap().given_up;
        }
    }
    assert!(given_up > 60, "{given_up}");
    assert!(waited < 60, "{waited} of 120 met an erase");
}

#[test]
fn what_is_not_preemptible_goes_on_until_it_is_done() {
    let of = |preemptible| {
        let requests = vec![write(0, 0), read(2_000_000, 5), read(3_000_000, 5)];
        let mut setup = worn_in(Some(preemptible));
        setup.scheme.maintenance.idle_after_ns = 1_000_000;
        let report = record(&setup, requests.into_iter().chain([read(400_000_000, 7)]).collect()).0;
        let background = report.background_gc.unwrap();
        (background.given_up > 0, background.idle_times)
    };
    assert_eq!((of(true).0, of(false).0), (true, false));
}

/// WAF when nine tenths of the writes go to a tenth of the pages, drawn over the whole drive.
fn skewed(policy: SeparationKind, moves_apart: bool) -> f64 {
    let mut setup = setup(device(1, 1, 1, 1));
    (setup.device.geometry.blocks, setup.device.geometry.pages) = (128, 64);
    setup.device.capacity.overprovisioning = Some(0.2);
    setup.checked = false;
    setup.scheme.blocks.host_write_points = 2;
    setup.scheme.separation = SeparationConfig { policy, moves_apart, ..SeparationConfig::default() };
    setup.host = closed(8);
    setup.window.warmup_drive_writes = 4.0;
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    let source = made(8 * pages, move |_| {
        let hot = random.below(10) > 0;
        let page = if hot { random.below(pages / 10) * 10 } else { random.below(pages) };
        HostRequest { flow: u16::from(hot), ..write(0, page) }
    });
    let mut source = source;
    run(&setup, &mut source).unwrap().waf.unwrap()
}

#[test]
fn hot_writes_kept_apart_lower_write_amplification() {
    let together = skewed(SeparationKind::None, false);
    let streams = skewed(SeparationKind::Stream, false);
    let hot_cold = skewed(SeparationKind::HotCold, false);
    let moves_too = skewed(SeparationKind::HotCold, true);
    println!(
        "together {together:.3}, streams {streams:.3}, hot_cold {hot_cold:.3}, moves too {moves_too:.3}"
    );
    assert!(streams < 0.98 * together);
    assert!(hot_cold < 0.99 * together);
    // Collection mixes what it moves: only when that keeps apart too is the gain large.
    assert!(moves_too < 0.8 * together);
}

#[test]
fn hot_and_cold_need_two_write_points() {
    let mut setup = worn_in(None);
    setup.scheme.separation.policy = SeparationKind::HotCold;
    let error = setup.prepare(&[]).err().unwrap().to_string();
    assert!(
        error.contains("scheme.separation.policy = hot_cold: allowed: hot_cold with at least 2"),
        "{error}"
    );
}
