//! Where a run ends: with its last answer, or when the drive is idle where that is asked for; in checked mode the drive comes to rest
//! behind the result.
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::array::{ArrayConfig, ArrayLayout, ArrayMember, MirrorServe};
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::host::FlowRules;
use wordline_engine::config::measure::Until;
use wordline_engine::config::run::StartLayout;
use wordline_engine::config::run::{Occupancy, WindowConfig};
use wordline_engine::config::scheme::GcKind;
use wordline_engine::host::{Flow, HostRequest};
use wordline_engine::ids::Lpa;
use wordline_engine::time::Ns;
use wordline_engine::{
    Observer, Outcome, Overwritten, RunError, Setup, Unobserved, replay, replay_flows, simulate,
};

/// Writes are answered when they are in the buffer, and go to flash when it is half full, so much is left to do behind the
/// last answer.
fn buffered() -> Setup {
    let mut setup = setup(device(1, 2, 1, 1));
    setup.scheme.cache.policy = CacheKind::WriteBuffer;
    setup.scheme.cache.bytes = CacheBytes::Bytes(64 * 4096);
    (setup.scheme.cache.dirty_high, setup.scheme.cache.dirty_low) = (0.5, Some(0.1));
    setup.start = start(Occupancy::Share(0.8), 1.0);
    setup.host = closed(4);
    setup.kept = Kept::Nothing;
    setup
}

fn writes(count: u64) -> Vec<HostRequest> {
    (0..count).map(|number| write(0, number * 7 % 40)).collect()
}

fn outcome(setup: &Setup) -> Outcome {
    simulate(setup, &mut Listed(writes(500)), &[], &mut Unobserved).unwrap()
}

fn text(outcome: &Outcome) -> String {
    let mut report = outcome.report.clone();
    report.checked = None;
    let report = serde_json::to_string(&report).unwrap();
    format!("{report} {} {} {}", outcome.flash_operations, outcome.events, outcome.requests)
}

#[test]
fn what_the_drive_does_behind_the_last_answer_counts_only_where_it_is_asked_for() {
    let mut setup = buffered();
    let answered = outcome(&setup);
    setup.measure.until = Until::Idle;
    let idle = outcome(&setup);
    assert!(answered.flash_operations < idle.flash_operations);
    for outcome in [&answered, &idle] {
        // There is no warm-up, so all of the run is in the window, but for commands that began and have not ended.
        assert!(outcome.report.flash.operations <= outcome.flash_operations);
    }
    assert_eq!(idle.report.flash.operations, idle.flash_operations);
    assert!(answered.report.window.end_ns < idle.report.window.end_ns);
    let mean = |outcome: &Outcome| outcome.report.write.latency_ns.mean;
    assert_eq!(mean(&answered), mean(&idle));
}

#[test]
fn checked_mode_comes_to_rest_behind_the_result_and_leaves_it_as_it_is() {
    for until in [Until::LastAnswer, Until::Idle] {
        for (array, flows) in [(false, false), (true, false), (false, true)] {
            let mut setup = buffered();
            setup.measure.until = until;
            if array {
                let (of, serve) = (ArrayMember::Drives, MirrorServe::First);
                let layout = ArrayLayout::Striped;
                let config =
                    ArrayConfig { members: 2, layout, of, chunk_bytes: 4096, serve, read_window_ns: 0 };
                setup.scheme.array = Some(config);
            }
            let run = |setup: &Setup| {
                if !flows {
                    return outcome(setup);
                }
                let mut sources = [Listed(writes(200)), Listed(writes(300))];
                let rules = |name: &str| FlowRules::of_host(name, &setup.host);
                let [one, other] = &mut sources;
                let flows = vec![Flow::new(rules("one"), one), Flow::new(rules("other"), other)];
                let mut drive = setup.prepare(&[]).unwrap();
                replay_flows(setup, &mut drive, flows, None, &mut Unobserved).unwrap()
            };
            let plain = run(&setup);
            setup.kept = Kept::Checked;
            let checked = run(&setup);
            assert!(plain.report.checked.is_none() && checked.report.checked.is_some());
            assert_eq!(text(&plain), text(&checked), "{until:?} {array} {flows}");
        }
    }
}

#[test]
fn a_run_without_requests_and_one_without_a_window_end() {
    let setup = buffered();
    let none = simulate(&setup, &mut Listed(Vec::new()), &[], &mut Unobserved).unwrap();
    assert_eq!((none.requests, none.report.window.end_ns), (0, 0));
    let window = WindowConfig { warmup_requests: 1_000, ..WindowConfig::default() };
    let found = simulate(&Setup { window, ..setup }, &mut Listed(writes(500)), &[], &mut Unobserved);
    assert_eq!(found.map(|_| ()), Err(RunError::NothingMeasured { requests: 500 }));
}

/// Keeps what it is told, and stops the run at a time.
struct Told(Vec<(u64, Ns)>, Ns);

impl Observer for Told {
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool {
        self.0.push((requests_done, simulated));
        simulated < self.1
    }
}

#[test]
fn the_observer_is_told_of_the_last_answer_and_of_the_time_that_goes_on() {
    let mut setup = buffered();
    let run = |setup: &Setup, told: &mut Told| simulate(setup, &mut Listed(writes(500)), &[], told);
    let mut told = Told(Vec::new(), Ns::NEVER);
    let report = run(&setup, &mut told).unwrap().report;
    assert_eq!(told.0.last(), Some(&(500, Ns(report.window.end_ns))));
    setup.measure.until = Until::Idle;
    let mut told = Told(Vec::new(), Ns::NEVER);
    run(&setup, &mut told).unwrap();
    let behind: Vec<Ns> = told.0.iter().filter(|(done, _)| *done == 500).map(|&(_, time)| time).collect();
    assert!(behind.len() > 3 && behind.is_sorted(), "{behind:?}");
    let mut stops = Told(Vec::new(), behind[1]);
    assert_eq!(run(&setup, &mut stops).map(|_| ()), Err(RunError::Cancelled));
}

/// Keeps how far a drive is that is prepared, and stops that after so many overwrites.
struct Preparing(Vec<Overwritten>, u64);

impl Observer for Preparing {
    fn progress(&mut self, _requests_done: u64, _simulated: Ns) -> bool {
        true
    }

    fn preparing(&mut self, overwritten: Overwritten) -> bool {
        self.0.push(overwritten);
        overwritten.done < self.1
    }
}

#[test]
fn the_observer_is_told_how_far_the_overwriting_of_a_drive_is() {
    let mut setup = buffered();
    let mut told = Preparing(Vec::new(), u64::MAX);
    setup.prepare_observed(&[], &mut told).unwrap();
    let pages = told.0.last().unwrap().pages;
    assert_eq!(
        told.0.last(),
        Some(&Overwritten { done: pages, least: pages, pages }),
        "once each, on average"
    );
    assert!(told.0.iter().is_sorted_by_key(|told| told.done));

    setup.start.layout = StartLayout::Steady;
    setup.start.overwrite = 0.0;
    setup.scheme.gc.policy = GcKind::CostBenefit;
    let mut told = Preparing(Vec::new(), u64::MAX);
    setup.prepare_observed(&[], &mut told).unwrap();
    let (first, last) = (told.0.first().unwrap(), told.0.last().unwrap());
    // Six windows at least: of a quarter of the pages, as many on each plane.
    let shape = &setup.device.geometry;
    let planes = u64::from(shape.channels * shape.ways * shape.dies * shape.planes);
    assert_eq!((first.least, first.pages), (6 * (pages / 4 / planes * planes), pages));
    assert!(last.done == last.least && last.least >= first.least, "{last:?}");
    let mut stops = Preparing(Vec::new(), 1);
    assert_eq!(setup.prepare_observed(&[], &mut stops).map(|_| ()), Err(RunError::Cancelled));
}

#[test]
fn a_drive_that_is_filled_with_a_footprint_can_be_stopped() {
    let mut setup = buffered();
    setup.start = start(Occupancy::Footprint, 0.0);
    let footprint = [Lpa(3), Lpa(1)];
    let mut told = Told(Vec::new(), Ns::NEVER);
    setup.prepare_observed(&footprint, &mut told).unwrap();
    assert!(told.0.iter().all(|told| *told == (0, Ns::ZERO)) && !told.0.is_empty());
    let mut stops = Told(Vec::new(), Ns::ZERO);
    assert_eq!(setup.prepare_observed(&footprint, &mut stops).map(|_| ()), Err(RunError::Cancelled));
}

#[test]
fn checked_mode_collects_nothing_for_requests_that_do_not_come() {
    let mut setup = setup(device(1, 2, 1, 1));
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.start = start(Occupancy::All, 1.0);
    // From the first collection on a third of the drive is to be won, some ten superblocks of each plane.
    (setup.scheme.gc.trigger, setup.scheme.gc.stop) = (0.1, Some(0.3));
    setup.host = closed(1);
    let behind = |until: Until| {
        let mut setup = setup.clone();
        (setup.kept, setup.measure.until) = (Kept::Checked, until);
        let mut drive = setup.prepare(&[]).unwrap();
        let found: Vec<u64> = (40..60)
            .map(|count| {
                let writes = Listed((0..count).map(|number| write(0, number * 7 % 200)).collect());
                let outcome = replay(&setup, &mut drive, &mut { writes }, &mut Unobserved).unwrap();
                assert!(outcome.report.checked.is_some());
                drive.flash_operations() - outcome.flash_operations
            })
            .collect();
        found.into_iter().max().unwrap()
    };
    // At most what is under way: a superblock of each plane, read, programmed and erased.
    let most = behind(Until::LastAnswer);
    assert!(most > 0 && most <= 2 * (2 * 16 + 1), "{most}");
    assert_eq!(behind(Until::Idle), 0);
}
