//! Pages that are being moved out of a block: the host goes to the old place, or waits until the move is programmed.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::reclaim::{HostAccess, ReclaimConfig, ReclaimKind, ReclaimPriority};
use wordline_engine::config::run::Occupancy;
use wordline_engine::host::HostOp;
use wordline_engine::stats::report::Report;
use wordline_engine::{RunError, Setup};

use HostAccess::{OldPlace, Wait};

const READ: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;
/// The read of the worn block that leads to its reclaim begins here.
const BEGINS: u64 = 9_000_000;

/// One plane, half full; a block is emptied when it has been read ten times, and nothing else is to be done.
fn reclaiming(host_access: HostAccess) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.scheme.reclaim = ReclaimConfig {
        policy: ReclaimKind::Block,
        threshold: 10,
        hard_limit: Some(1_000),
        priority: ReclaimPriority::Background,
        host_access,
        ..ReclaimConfig::default()
    };
    setup
}

/// Ten reads of page 0, 1 ms apart, and another request while the block's 16 pages move.
fn beside(host_access: HostAccess, other: wordline_engine::host::HostRequest) -> (Report, u64) {
    let reads = (0..10).map(|number| read(number * 1_000_000, 0)).chain([other]).collect();
    let (report, trace) = record(&reclaiming(host_access), reads);
    (report, *trace.completions().last().unwrap())
}

/// When the move of a page of the block is programmed, if nothing else is done: one after the other, in groups of four that are
/// read ahead.
fn moved(page: u64) -> u64 {
    let pages_read = (page / 4 + 1) * 4;
    BEGINS + READ + pages_read * READ + (page + 1) * PROGRAM
}

#[test]
fn a_read_of_a_page_that_is_to_be_moved_is_answered_when_its_move_is_programmed() {
    let arrival = BEGINS + READ + 1;
    let of = |access| beside(access, read(arrival, 15));
    let (report, at) = of(Wait);
    let moving = report.read.blame.mean.total_ns["moving"];
    assert_eq!(u128::from(at - arrival), moving);
    // It is the last one of the block to be moved.
    let whole = 16 * (READ + PROGRAM);
    assert_eq!(at, BEGINS + READ + whole);
    // Ten reads of the host, and those that move.
    assert_eq!(report.flash.reads, 26);
    let (report, at) = of(OldPlace);
    assert!(!report.read.blame.mean.total_ns.contains_key("moving"));
    // Behind the command of a move that is under way.
    assert!(at <= arrival + PROGRAM + READ, "{at}");
}

#[test]
fn a_page_that_has_been_moved_is_read_where_it_is() {
    let after = moved(15) + 1;
    let (report, at) = beside(Wait, read(after, 0));
    assert_eq!(report.flash.reads, 27);
    assert!(at <= after + TERASE + READ, "{at}");
    assert!(!report.read.blame.mean.total_ns.contains_key("moving"));
}

#[test]
fn a_write_of_a_page_that_is_to_be_moved_is_programmed_behind_its_move() {
    let arrival = BEGINS + READ + 1;
    let moved_and_done = |access| {
        let (report, at) = beside(access, write(arrival, 15));
        (report.read_reclaim.unwrap().moved_units, at)
    };
    let (units, at) = moved_and_done(Wait);
    assert_eq!((units, at), (16, BEGINS + READ + 16 * (READ + PROGRAM) + PROGRAM));
    // At its old place it is overwritten before its turn comes.
    let (units, at) = moved_and_done(OldPlace);
    assert!(units < 15 && at <= arrival + 2 * PROGRAM, "{units} {at}");
}

#[test]
fn a_read_that_waits_for_a_move_finds_a_page_that_is_trimmed_meanwhile_without_data() {
    let arrival = BEGINS + READ + 1;
    let reads = (0..10).map(|number| read(number * 1_000_000, 0));
    let requests = reads.chain([read(arrival, 15), request(arrival + 1, HostOp::Trim, 15, 1)]).collect();
    let (_, trace) = record(&reclaiming(Wait), requests);
    let of_the_page: Vec<_> = trace
        .events()
        .into_iter()
        .filter(|event| matches!(event, Event::Read { page: 15, .. } | Event::TookEffect { page: 15, .. }))
        .collect();
    // Not the other way round: data of before would have to be found then.
    assert!(matches!(
        of_the_page[..],
        [Event::TookEffect { id: 11, .. }, Event::Read { id: 10, version: None, .. }]
    ));
}

#[test]
fn collection_keeps_the_host_waiting_where_that_is_asked_for_and_nowhere_else() {
    let of = |access| {
        let mut setup = setup(device(1, 1, 1, 1));
        setup.start = start(Occupancy::All, 2.0);
        setup.host = closed(4);
        setup.scheme.gc.host_access = access;
        let pages = setup.prepare(&[]).unwrap().logical_bytes() / 4096;
        let mut random = Random(7);
        let mut source = made(2_000, |number| {
            let page = random.below(pages);
            if number % 2 == 0 { read(0, page) } else { write(0, page) }
        });
        let report = run(&setup, &mut source).unwrap();
        let waited = |total: &std::collections::BTreeMap<String, u128>| total.get("moving").copied();
        let parts = [&report.read, &report.write].map(|of| waited(&of.blame.mean.total_ns).unwrap_or(0));
        (report.gc.victims > 20, parts.map(|part| part > 0))
    };
    assert_eq!(of(OldPlace), (true, [false, false]));
    assert_eq!(of(Wait), (true, [true, true]));
}

#[test]
fn where_moves_pause_for_the_host_it_must_not_wait_for_them() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.gc.host_access = Wait;
    setup.scheme.gc.background = Some(BackgroundConfig { stop: 0.5, preemptible: false });
    let Err(RunError::Config(error)) = setup.prepare(&[]) else { panic!("it must be refused") };
    assert!(error.to_string().contains("scheme.gc.background"), "{error}");
}
