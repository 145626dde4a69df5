//! Replication of pages that keep colliding, in whole runs in checked mode: nobody ever reads a stale copy.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

/// Four dies on four channels, filled to a half in order: page p is on die p modulo 4.
fn four_dies() -> Setup {
    let mut setup = setup(device(4, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.scheme.collision.enabled = true;
    setup.scheme.collision.copies_share = 0.05;
    setup
}

/// Every millisecond the same pages are read together.
fn together(pages: &[u64], times: u64) -> Vec<HostRequest> {
    (0..times).flat_map(|time| pages.iter().map(move |&page| read(time * 1_000_000, page))).collect()
}

fn figure(report: &Report, name: &str) -> u64 {
    report.systems["collision"].figures[name]
}

fn runs(setup: &Setup, requests: Vec<HostRequest>) -> Report {
    run(&only_what_is_read(setup), &mut Listed(requests)).unwrap()
}

#[test]
fn two_pages_of_a_die_that_are_read_together_are_told_apart() {
    let setup = four_dies();
    let report = runs(&setup, together(&[0, 4], 200));
    assert_eq!(figure(&report, "replications_decided"), 1);
    let copies = report.copies.as_ref().unwrap();
    assert_eq!((copies.systems[0].made, copies.systems[0].extra_reads), (1, 0), "from the buffer");
    // A pair that is seen again is weighed; from then on nobody waits.
    assert_eq!((figure(&report, "collisions"), figure(&report, "reads_of_replica")), (2, 198));
    assert_eq!(report.read.latency_ns.p95 / 1000, (TR + XFER) / 1000);
    let mut plain = setup;
    plain.scheme.collision.enabled = false;
    let plain = runs(&plain, together(&[0, 4], 200));
    assert!(plain.systems.is_empty() && plain.copies.is_none());
    assert!(report.read.latency_ns.mean < 0.8 * plain.read.latency_ns.mean);
    assert_eq!(plain.flash.reads, report.flash.reads, "no read more");
}

#[test]
fn a_pair_is_weighed_from_so_many_collisions_on() {
    for least in 1..5 {
        let mut setup = four_dies();
        setup.scheme.collision.least_occurrences = least;
        let report = runs(&setup, together(&[0, 4], 20));
        assert_eq!(figure(&report, "replications_decided"), 1, "{least}");
        assert_eq!(figure(&report, "collisions"), u64::from(least));
    }
    // Two others come in between each time, more than a short list holds.
    let mut setup = four_dies();
    setup.scheme.collision.pairs_per_die = 1;
    let turns: Vec<HostRequest> =
        (0..20).flat_map(|time| later(together(&[0, 4 + 4 * (time % 2)], 1), time * 1_000_000)).collect();
    assert_eq!(figure(&runs(&setup, turns), "replications_decided"), 0);
}

#[test]
fn balanced_collisions_record_nothing() {
    // Two reads for each die: every die has two.
    let report = runs(&four_dies(), together(&[0, 1, 2, 3, 4, 5, 6, 7], 20));
    assert_eq!(figure(&report, "collisions"), 4 * 20);
    assert_eq!(figure(&report, "recorded_pairs"), 0);
    // A die with two while another has none.
    let report = runs(&four_dies(), together(&[0, 1, 2, 4], 1));
    assert_eq!((figure(&report, "imbalanced_collisions"), figure(&report, "recorded_pairs")), (1, 1));
}

#[test]
fn a_third_read_records_the_pair_of_the_others_too() {
    for (record, pairs) in [("all", 3), ("new", 2)] {
        let mut setup = four_dies();
        setup.scheme.collision.record = serde_json::from_str(&format!("\"{record}\"")).unwrap();
        // A read a nanosecond costs more than any benefit.
        setup.scheme.collision.rate_window_ns = 1_000;
        let requests = vec![read(0, 1), read(0, 2), read(0, 3), read(0, 0), read(0, 4), read(0, 8)];
        let report = runs(&setup, requests);
        // With the second read of die 0 the others have one: balanced. Only the third is two ahead of them.
        assert_eq!(figure(&report, "imbalanced_collisions"), 1);
        assert_eq!(figure(&report, "recorded_pairs"), pairs, "{record}");
    }
}

#[test]
fn a_pair_counts_once_while_both_its_reads_are_queued_whatever_joins() {
    for (record, pairs) in [("all", 6), ("new", 6)] {
        let mut setup = four_dies();
        setup.scheme.collision.record = serde_json::from_str(&format!("\"{record}\"")).unwrap();
        // All fit in the list. A pair of the first three would be weighed if it were counted again with the fourth.
        setup.scheme.collision.pairs_per_die = 6;
        let report = runs(&setup, together(&[0, 4, 8, 12], 1));
        assert_eq!(figure(&report, "imbalanced_collisions"), 3);
        assert_eq!(figure(&report, "recorded_pairs"), pairs, "{record}");
        assert_eq!(figure(&report, "replications_decided"), 0, "{record}");
        let again = runs(&setup, together(&[0, 4, 8, 12], 2));
        assert!(figure(&again, "replications_decided") > 0, "they are read together again");
    }
}

fn later(requests: Vec<HostRequest>, by: u64) -> impl Iterator<Item = HostRequest> {
    requests.into_iter().map(move |mut request| {
        request.time.0 += by;
        request
    })
}

#[test]
fn the_dearer_the_destination_the_more_collisions_it_takes() {
    let collisions = |others: u64| {
        let mut setup = four_dies();
        setup.scheme.collision.rate_window_ns = 10_000_000;
        // Reads of dies 1 to 3 in turn over 60 ms; none is there when the two pages of die 0 are read.
        let mut requests: Vec<HostRequest> =
            (0..others).map(|number| read(100_000 + number * 60_000_000 / others, 1 + number % 3)).collect();
        requests.extend(later(together(&[0, 4], 40), 20_000_000));
        requests.sort_by_key(|request| request.time);
        let report = runs(&setup, requests);
        assert_eq!(figure(&report, "replications_decided"), 1, "{others}");
        figure(&report, "recorded_pairs")
    };
    // At r reads a second of the destination d collisions must be worth d · 50 µs > r · (500 µs)² / 2.
    assert_eq!(collisions(30), 2, "167 reads a second cost 21 µs: as soon as a pair is seen again");
    let dear = collisions(300);
    assert!((4..=6).contains(&dear), "1,667 reads a second cost 208 µs: {dear}");
}

#[test]
fn the_least_recently_read_gives_way_and_the_better_place_stays() {
    let mut setup = four_dies();
    let pages = 4 * 32 * 16;
    setup.scheme.collision.copies_share = 1.5 / f64::from(pages);
    let mut requests = together(&[0, 4], 20);
    requests.extend(later(together(&[1, 5], 20), 20_000_000));
    let report = runs(&setup, requests);
    assert_eq!(figure(&report, "replications_decided"), 2);
    let given_up = figure(&report, "dropped_originals") + figure(&report, "dropped_replicas");
    assert_eq!(given_up, 1);
    let copies = &report.copies.as_ref().unwrap().systems[0];
    assert_eq!((copies.made, copies.units_now, copies.units_max, copies.dropped["asked"]), (2, 1, 1, 1));
    assert_eq!(copies.promoted, figure(&report, "dropped_originals"));
    // Wherever the first page stayed, it doesn't collide any more.
    assert!(figure(&report, "collisions") < 8);
}

/// Reads of a few pages that collide, among writes and TRIMs of all.
fn busy(seed: u64, count: u64, pages: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let time = number * 30_000;
            match random.below(20) {
                0..12 => read(time, random.below(6) * 4),
                12..14 => read(time, random.below(pages)),
                14 => request(time, HostOp::Trim, random.below(pages - 3), 3),
                15 => write(time, random.below(6) * 4),
                _ => write(time, random.below(pages)),
            }
        })
        .collect()
}

fn under_stress() -> Setup {
    let mut setup = four_dies();
    (setup.device.geometry.blocks, setup.device.geometry.pages) = (16, 8);
    (setup.device.geometry.ways, setup.device.geometry.page_bytes) = (1, 8192);
    stressed(setup)
}

#[test]
fn no_stale_copy_is_read_under_collection_read_reclaim_and_trim() {
    let mut made = 0;
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        for superblock in [SuperblockSpan::None, SuperblockSpan::Channels] {
            for scheduler in [SchedulerKind::Fifo, SchedulerKind::ReadFirstSuspend] {
                for share in [0.004, 0.1] {
                    let mut setup = under_stress();
                    setup.scheme.placement.policy = placement;
                    setup.scheme.blocks.superblock = superblock;
                    setup.scheme.scheduler.policy = scheduler;
                    setup.scheme.collision.copies_share = share;
                    setup.scheme.collision.replace_copies = share > 0.05;
                    let pages = setup.logical_bytes().unwrap() / 4096;
                    let report = runs(&setup, busy(7, 3_000, pages));
                    let what = format!("{placement:?} {superblock:?} {scheduler:?} {share}");
                    assert!(report.gc.victims > 0, "{what}");
                    assert!(report.read_reclaim.as_ref().unwrap().operations > 0, "{what}");
                    assert!(report.checked.as_ref().unwrap().reads_verified > 0);
                    let copies = &report.copies.as_ref().unwrap().systems[0];
                    assert!(copies.units_max <= copies.budget_units, "{what}");
                    assert!(u64::from(copies.units_now) >= figure(&report, "replicated_pages"), "{what}");
                    made += copies.made;
                }
            }
        }
    }
    assert!(made > 100, "{made}");
}

#[test]
fn a_run_that_is_split_gives_the_bytes_of_one_that_is_not() {
    let setup = under_stress();
    let requests = busy(8, 2_000, setup.logical_bytes().unwrap() / 4096);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert!(whole == in_parts(&setup, &requests, &[after(700), after(1_500)]).unwrap());
}

#[test]
fn the_recorder_of_collisions_sees_what_the_system_counts_and_changes_nothing() {
    let mut setup = under_stress();
    let requests = busy(9, 1_500, setup.logical_bytes().unwrap() / 4096);
    let plain = runs(&setup, requests.clone());
    setup.measure.collisions = true;
    let mut report = runs(&setup, requests);
    let collisions = report.collisions.take().unwrap();
    assert_eq!(serde_json::to_string(&report).unwrap(), serde_json::to_string(&plain).unwrap());
    assert_eq!(collisions.reads_issued, figure(&report, "reads_issued"));
    assert_eq!(collisions.at_issue.collisions, figure(&report, "collisions"));
    assert_eq!(collisions.reads_by_die.iter().sum::<u64>(), collisions.reads_issued);
    assert!(
        collisions.at_issue.pairs.occurrences > collisions.at_issue.new_pairs.occurrences,
        "some were balanced before"
    );
    assert!(collisions.sampled.busy_samples > 0 && collisions.sampled.measured_ratio > 0.0);
    assert!(collisions.programs_ahead > 0);
}

/// RR8 of the paper on its drive's times: eight random reads outstanding over sixteen dies.
#[test]
fn eight_random_reads_over_sixteen_dies_collide_as_often_as_the_readings_say() {
    let mut setup = setup(device(8, 2, 1, 1));
    setup.device.cell.read_ns = vec![60_000];
    setup.device.geometry.blocks = 256;
    setup.kept = Kept::Nothing;
    setup.measure.collisions = true;
    setup.host = closed(8);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(8);
    let mut source = made(40_000, |_| read(0, random.below(pages)));
    let report = run(&setup, &mut source).unwrap();
    let collisions = report.collisions.unwrap();
    // The chance to meet one of seven others, at random, is 1 − (15/16)^7 = 0.364; of fewer, where several reads end
    // at once and the first to follow meets those that are left.
    let (measured, expected) = (collisions.at_issue.measured_ratio, collisions.at_issue.expected_ratio);
    assert!((0.3..0.3645).contains(&expected) && (measured - expected).abs() < 0.02, "{measured} {expected}");
    // Some two of eight on one die of sixteen: 0.879.
    let (measured, expected) = (collisions.sampled.measured_ratio, collisions.sampled.expected_ratio);
    assert!((0.75..0.8795).contains(&expected), "{expected}");
    assert!((measured - expected).abs() < 0.08, "{measured} {expected}");
    assert_eq!((collisions.at_issue.imbalanced_share, collisions.sampled.imbalanced_share), (1.0, 1.0));
    assert!((7.0..8.01).contains(&collisions.sampled.average_outstanding_busy));
}
