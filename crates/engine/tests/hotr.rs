//! Hot read pages in a staging space, in whole runs in checked mode: nobody ever reads a stale copy.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::hotr::{Staging, TrackedReads};
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

/// Three chips of one die, of which the last is the staging space; pages go round the others.
fn three_chips(staging: Staging) -> Setup {
    let mut setup = setup(device(3, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.scheme.hotr.enabled = true;
    setup.scheme.hotr.staging = staging;
    setup.scheme.hotr.staging_share = 0.1;
    // As §III-C has it.
    setup.scheme.hotr.migrate = TrackedReads::Blocked;
    setup
}

fn figure(report: &Report, name: &str) -> u64 {
    report.systems["hotr"].figures[name]
}

fn runs(setup: &Setup, requests: Vec<HostRequest>) -> Report {
    run(&only_what_is_read(setup), &mut Listed(requests)).unwrap()
}

const MS: u64 = 1_000_000;

/// At each of these times die 0 begins a program, and 10 µs later page 0, on it, is read.
fn blocked_reads(times: &[u64]) -> Vec<HostRequest> {
    let with_write = |&time: &u64| [write(time, 100), read(time + 10_000, 0)];
    times.iter().flat_map(with_write).collect()
}

#[test]
fn a_blocked_read_is_known_then_staged_then_redirected() {
    for staging in [Staging::Chip, Staging::Overprovisioned] {
        let setup = three_chips(staging);
        // Page 100 is on the die of page 0, whether two or three dies hold data of the host.
        let writes = if staging == Staging::Chip { 100 } else { 102 };
        let mut requests = blocked_reads(&[0, 10 * MS, 20 * MS, 30 * MS]);
        requests.iter_mut().filter(|r| r.op == HostOp::Write).for_each(|r| r.offset = writes * 4096);
        let (report, record) = record(&setup, requests);
        let done = record.completions();
        let latency = |number: usize| done[2 * number + 1] - (number as u64 * 10 * MS + 10_000);
        // The first is entered, the second hits with an empty R-offset: both wait for the program.
        assert!(latency(0) > TPROG - 10_000 && latency(1) > TPROG - 10_000, "{staging:?}");
        assert_eq!((latency(2), latency(3)), (TR + XFER, TR + XFER), "{staging:?}");
        let counted = ["blocked", "redirected", "list_misses", "list_hits", "migrations"];
        assert_eq!(counted.map(|name| figure(&report, name)), [4, 2, 1, 1, 1], "{staging:?}");
        let copies = &report.copies.as_ref().unwrap().systems[0];
        assert_eq!((copies.made, copies.extra_reads, copies.reads_served), (1, 0, 2));
        let reserved: Vec<u32> = report.drive.reserved.iter().flat_map(|part| part.dies.clone()).collect();
        assert_eq!(reserved, if staging == Staging::Chip { vec![2] } else { vec![] });
    }
}

#[test]
fn an_unblocked_read_is_served_by_its_chip_and_a_write_deletes_the_entry() {
    let setup = three_chips(Staging::Chip);
    let mut requests = blocked_reads(&[0, 10 * MS]);
    // Staged by now, and nothing programs.
    requests.push(read(20 * MS, 0));
    requests.push(write(30 * MS, 0));
    // The entry is gone: this one is known anew, the one behind it staged anew, and the last redirected.
    requests.extend(blocked_reads(&[40 * MS, 50 * MS, 60 * MS]));
    let report = runs(&setup, requests);
    let counted = ["redirected", "list_misses", "list_hits", "migrations", "invalidated"];
    assert_eq!(counted.map(|name| figure(&report, name)), [1, 2, 3, 2, 1]);
}

#[test]
fn a_page_is_staged_with_its_second_read_whether_that_is_blocked_or_not() {
    for (migrate, redirected) in [(TrackedReads::All, 1), (TrackedReads::Blocked, 0)] {
        let mut setup = three_chips(Staging::Chip);
        setup.scheme.hotr.migrate = migrate;
        // Nothing programs at the first two; the third is blocked.
        let mut requests = vec![read(0, 0), read(10 * MS, 0)];
        requests.extend(blocked_reads(&[20 * MS]));
        let report = runs(&setup, requests);
        assert_eq!((figure(&report, "blocked"), figure(&report, "redirected")), (1, redirected));
    }
}

#[test]
fn redirection_to_a_staging_chip_that_programs_is_counted() {
    let setup = three_chips(Staging::Chip);
    let mut requests = blocked_reads(&[0, 10 * MS, 20 * MS]);
    // Page 2 is entered, hit while the die programs, and written to the staging chip from 20.7 ms on.
    requests.push(read(MS, 2));
    requests.push(read(20 * MS + 20_000, 2));
    requests.extend(blocked_reads(&[20 * MS + 600_000]));
    requests.sort_by_key(|request| request.time);
    let report = runs(&setup, requests);
    assert_eq!((figure(&report, "redirected"), figure(&report, "redirected_to_busy")), (2, 1));
}

/// A long read keeps die 0 busy, a program waits behind it, and page 0, there, is read.
fn reads_behind_a_queued_program(times: &[u64]) -> Vec<HostRequest> {
    let three = |&time: &u64| [read(time, 50), write(time + 1_000, 100), read(time + 2_000, 0)];
    times.iter().flat_map(three).collect()
}

#[test]
fn a_read_behind_a_program_that_waits_is_counted_and_blocked_where_the_scheme_says_so() {
    for queued_block in [false, true] {
        let mut setup = three_chips(Staging::Chip);
        setup.scheme.scheduler.policy = SchedulerKind::Fifo;
        setup.scheme.hotr.queued_block = queued_block;
        let report = runs(&setup, reads_behind_a_queued_program(&[0, 10 * MS, 20 * MS]));
        let counted = ["queued_behind", "blocked", "redirected", "redirected_to_queued"];
        let blocked = 3 * u64::from(queued_block);
        assert_eq!(counted.map(|name| figure(&report, name)), [3, blocked, blocked / 3, 0]);
    }
}

#[test]
fn a_read_of_a_staged_page_that_its_chip_serves_is_counted_once() {
    let mut setup = three_chips(Staging::Chip);
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    setup.scheme.hotr.migrate = TrackedReads::All;
    // Staged with their second reads; before the third of page 0 waits a program, which blocks nothing.
    let report = runs(&setup, reads_behind_a_queued_program(&[0, 10 * MS, 20 * MS]));
    let counted = ["migrations", "queued_behind", "blocked", "redirected"];
    assert_eq!(counted.map(|name| figure(&report, name)), [2, 3, 0, 0], "of pages 0 and 50");
}

#[test]
fn nothing_blocks_reads_that_have_a_server_of_their_own() {
    let mut setup = three_chips(Staging::Chip);
    setup.scheme.hotr.migrate = TrackedReads::All;
    setup.scheme.ideal.second_server = SecondServer::Die;
    let report = runs(&setup, blocked_reads(&[0, 10 * MS, 20 * MS]));
    assert_eq!(["migrations", "blocked", "redirected"].map(|name| figure(&report, name)), [1, 0, 0]);
}

#[test]
fn the_oldest_staged_page_gives_way_at_the_limit() {
    let mut setup = three_chips(Staging::Chip);
    setup.scheme.hotr.hot_share = Some(0.1);
    let mut requests = Vec::new();
    for (number, page) in [0u64, 2, 4].into_iter().enumerate() {
        for time in 0..3 {
            let at = (number as u64 * 3 + time) * 10 * MS;
            requests.extend([write(at, 100), read(at + 10_000, page)]);
        }
    }
    let report = runs(&setup, requests);
    assert_eq!((figure(&report, "staged_pages"), figure(&report, "migrations")), (1, 3));
    assert_eq!((figure(&report, "gave_way"), figure(&report, "redirected")), (2, 3));
}

/// Reads of few pages beside writes and TRIMs of all.
fn busy(seed: u64, count: u64, pages: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let time = number * 50_000;
            match random.below(20) {
                0..10 => read(time, random.below(24)),
                10..12 => read(time, random.below(pages)),
                12 => request(time, HostOp::Trim, random.below(pages - 3), 3),
                13 => write(time, random.below(24)),
                _ => write(time, random.below(pages)),
            }
        })
        .collect()
}

fn under_stress(staging: Staging) -> Setup {
    let mut setup = three_chips(staging);
    setup.device.geometry.channels = 4;
    (setup.device.geometry.blocks, setup.device.geometry.pages) = (16, 8);
    setup.device.geometry.page_bytes = 8192;
    stressed(setup)
}

#[test]
fn no_stale_copy_is_read_under_collection_read_reclaim_and_trim_alone_and_beside_collision() {
    let (mut made, mut redirected) = (0, 0);
    for staging in [Staging::Chip, Staging::Overprovisioned] {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            for scheduler in [SchedulerKind::Fifo, SchedulerKind::ReadFirstSuspend] {
                for (list_length, collision) in [(8, false), (1_000, false), (1_000, true)] {
                    let mut setup = under_stress(staging);
                    setup.scheme.placement.policy = placement;
                    setup.scheme.scheduler.policy = scheduler;
                    if staging == Staging::Overprovisioned {
                        setup.scheme.blocks.superblock = SuperblockSpan::Channels;
                    }
                    setup.scheme.hotr.list_length = list_length;
                    setup.scheme.hotr.hot_share = (list_length >= 10).then_some(0.1);
                    setup.scheme.collision.enabled = collision;
                    setup.scheme.collision.copies_share = 0.05;
                    let pages = only_what_is_read(&setup).logical_bytes().unwrap() / 4096;
                    let report = runs(&setup, busy(7, 3_000, pages));
                    let what = format!("{staging:?} {placement:?} {scheduler:?} {list_length} {collision}");
                    assert!(report.gc.victims > 0, "{what}");
                    assert!(report.read_reclaim.as_ref().unwrap().operations > 0, "{what}");
                    assert!(report.checked.as_ref().unwrap().reads_verified > 0);
                    let copies = &report.copies.as_ref().unwrap().systems;
                    assert_eq!(copies.len(), 1 + usize::from(collision), "{what}");
                    let own = copies.iter().find(|copies| copies.system == "hotr").unwrap();
                    assert!(own.units_max <= own.budget_units, "{what}");
                    assert!(u64::from(own.units_now) >= figure(&report, "staged_pages"), "{what}");
                    made += own.made;
                    redirected += figure(&report, "redirected");
                }
            }
        }
    }
    assert!(made > 100 && redirected > 100, "{made} {redirected}");
}

#[test]
fn a_run_that_is_split_gives_the_bytes_of_one_that_is_not() {
    let setup = under_stress(Staging::Chip);
    let requests = busy(8, 2_000, setup.logical_bytes().unwrap() / 4096);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert!(whole == in_parts(&setup, &requests, &[after(700), after(1_500)]).unwrap());
}

#[test]
fn a_superblock_across_the_staging_chip_and_others_is_refused() {
    let mut setup = three_chips(Staging::Chip);
    setup.scheme.blocks.superblock = SuperblockSpan::Channels;
    let error = setup.logical_bytes().unwrap_err().to_string();
    assert!(error.contains("superblock"), "{error}");
}
