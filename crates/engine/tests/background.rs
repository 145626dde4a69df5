//! Garbage collection at idle time, and writes kept apart by how hot they are.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::measure::Until;
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
fn what_is_collected_behind_the_last_answer_counts_though_the_flash_was_at_rest_by_then() {
    let victims = |until| {
        let mut setup = worn_in(Some(true));
        setup.measure.until = until;
        record(&setup, vec![write(0, 0)]).0.background_gc.map_or(0, |background| background.victims)
    };
    assert_eq!(victims(Until::LastAnswer), 0);
    assert!(victims(Until::Idle) > 0);
}

#[test]
fn a_request_waits_for_the_operation_under_way_and_the_rest_of_the_victim_stays() {
    // Idle since 1 ms after the first answer: reads of 54 µs, programs of 504 µs and now and then an erase.
    let (mut given_up, mut waited) = (0, 0);
    for step in 0..60 {
        let at = 15_000_000 + step * 313_131;
        for late in [read(at, 5), write(at, 5)] {
            let (report, record) = record(&worn_in(Some(true)), vec![read(0, 0), late]);
            let latency = record.completions()[1] - at;
            let own = if report.read.requests == 2 { READ } else { PROGRAM };
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
    // Collected before the late request comes, and when the drive is asked again long after.
    let of = |preemptible, at, end| {
        let requests = vec![read(0, 0), read(at, 5), read(end, 7)];
        let mut setup = worn_in(Some(preemptible));
        // The second pause is too short to count.
        setup.scheme.maintenance.idle_after_ns = 5_000_000;
        let background = record(&setup, requests).0.background_gc.unwrap();
        (background.given_up, background.victims)
    };
    let (mut given_up, mut went_on) = (0, 0);
    for step in 0..10 {
        let at = 20_000_000 + step * 1_313_131;
        let [preemptible, other] = [true, false].map(|preemptible| of(preemptible, at, at + 4_900_000));
        given_up += preemptible.0;
        assert_eq!(other.0, 0);
        went_on += u64::from(other.1 > preemptible.1);
    }
    assert!(given_up > 3 && went_on > 3, "{given_up} {went_on}");
}

/// WAF when 19 of 20 writes go to a twentieth of the pages.
fn skewed(policy: SeparationKind, separate_hot_moves: bool, overprovisioning: f64) -> f64 {
    let mut setup = setup(device(1, 1, 1, 1));
    (setup.device.geometry.blocks, setup.device.geometry.pages) = (128, 64);
    setup.device.capacity.overprovisioning = Some(overprovisioning);
    setup.kept = Kept::Nothing;
    setup.scheme.blocks.host_write_points = 2;
    setup.scheme.separation = SeparationConfig { policy, separate_hot_moves, ..SeparationConfig::default() };
    setup.host = closed(8);
    setup.window.warmup_drive_writes = 3.0;
    let pages = setup.logical_bytes().unwrap() / 4096;
    let hot_pages = pages / 20;
    let mut random = Random(3);
    let mut source = made(6 * pages, move |_| {
        let hot = random.below(20) > 0;
        let page = if hot { random.below(hot_pages) } else { hot_pages + random.below(pages - hot_pages) };
        HostRequest { stream: u16::from(hot), ..write(0, page) }
    });
    run(&setup, &mut source).unwrap().waf.unwrap()
}

#[test]
fn hot_writes_kept_apart_lower_write_amplification() {
    for (overprovisioning, margin) in [(0.2, 0.93), (0.3, 0.85)] {
        let of = |policy, separate_hot_moves| skewed(policy, separate_hot_moves, overprovisioning);
        let together = of(SeparationKind::None, false);
        let streams = of(SeparationKind::Stream, false);
        let hot_cold = of(SeparationKind::HotCold, false);
        let moves_too = of(SeparationKind::HotCold, true);
        println!(
            "together {together:.2}, streams {streams:.2}, hot_cold {hot_cold:.2}, moves too {moves_too:.2}"
        );
        for apart in [streams, hot_cold, moves_too] {
            assert!(apart < margin * together, "{overprovisioning}: {apart} {together}");
        }
    }
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
