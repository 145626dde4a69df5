//! What work is for, and what waits for it.

use super::harness::{Alone, Did, UNIT};
use proptest::prelude::*;
use wordline_base::request::HostOp;
use wordline_base::time::Ns;
use wordline_config::firmware::FirmwareConfig;

fn costs() -> FirmwareConfig {
    FirmwareConfig {
        read_request_ns: 1000,
        write_request_ns: 2000,
        trim_request_ns: 3000,
        flush_request_ns: 4000,
        lookup_ns: 10,
        map_update_ns: 100,
        search_step_ns: 1,
        move_ns: 50,
        decision_ns: 700,
        ..FirmwareConfig::default()
    }
}

/// The work that one request alone is, ns.
fn work(op: HostOp, offset: u64, length: u64) -> u64 {
    let mut drive = Alone::new(1, &costs());
    drive.search_steps = 3;
    drive.request(op, offset, length);
    drive.run_dry();
    assert_eq!(drive.did, [(drive.now, Did::Delivered(0))]);
    drive.now
}

#[test]
fn a_read_looks_up_and_searches_every_unit_that_it_touches() {
    assert_eq!(work(HostOp::Read, 0, UNIT), 1000 + 10 + 3);
    assert_eq!(work(HostOp::Read, UNIT - 512, 1024), 1000 + 2 * (10 + 3));
}

#[test]
fn a_write_changes_the_entry_of_every_unit_and_looks_up_those_that_it_writes_in_part() {
    assert_eq!(work(HostOp::Write, 0, 2 * UNIT), 2000 + 2 * (100 + 3));
    assert_eq!(work(HostOp::Write, 512, UNIT), 2000 + 2 * (100 + 3) + 2 * 10);
    assert_eq!(work(HostOp::WriteFua, 0, 2 * UNIT), 2000 + 2 * (100 + 3));
}

#[test]
fn a_trim_changes_the_entries_of_whole_units_and_a_flush_none() {
    assert_eq!(work(HostOp::Trim, 512, 3 * UNIT), 3000 + 2 * 100);
    assert_eq!(work(HostOp::Flush, 0, u64::MAX), 4000);
}

#[test]
fn a_request_that_finds_every_core_at_work_waits_and_both_are_noted() {
    let mut drive = Alone::new(1, &costs());
    drive.request(HostOp::Read, 0, UNIT);
    drive.request(HostOp::Read, 0, UNIT);
    drive.run_dry();
    assert_eq!(drive.did, [(1010, Did::Delivered(0)), (2020, Did::Delivered(1))]);
    assert_eq!(drive.noted, [(0, 0, 1010), (1, 1010, 1010)]);
}

#[test]
fn what_costs_nothing_goes_on_at_once_beside_cores_at_work() {
    let mut drive = Alone::new(1, &FirmwareConfig { read_request_ns: 1000, ..FirmwareConfig::default() });
    drive.request(HostOp::Read, 0, UNIT);
    drive.request(HostOp::Write, 0, UNIT);
    drive.programs(0, &[Some(4)]);
    assert!(!drive.plan_page());
    assert_eq!(drive.did, [(0, Did::Delivered(1)), (0, Did::Enqueued(0))]);
}

#[test]
fn programs_that_come_together_go_on_together_when_the_last_of_them_is_worked_for() {
    let mut drive = Alone::new(2, &costs());
    drive.programs(0, &[Some(1), Some(4), None]);
    drive.run_dry();
    let end = 4 * 50;
    assert_eq!(drive.did, [(end, Did::Enqueued(0)), (end, Did::Enqueued(1)), (end, Did::Enqueued(2))]);
}

#[test]
fn programs_of_a_domain_keep_their_order_and_those_of_another_overtake() {
    let mut drive = Alone::new(2, &costs());
    drive.programs(0, &[Some(4)]);
    drive.programs(0, &[Some(1)]);
    drive.programs(1, &[Some(1)]);
    drive.run_dry();
    assert_eq!(drive.did, [(100, Did::Enqueued(2)), (200, Did::Enqueued(0)), (200, Did::Enqueued(1))]);
}

#[test]
fn programs_that_move_nothing_cost_nothing() {
    let mut drive = Alone::new(1, &costs());
    drive.programs(0, &[None, None]);
    assert_eq!(drive.did, [(0, Did::Enqueued(0)), (0, Did::Enqueued(1))]);
}

#[test]
fn a_page_of_a_plan_gets_its_place_after_a_move_is_worked_for() {
    let mut drive = Alone::new(1, &costs());
    assert!(drive.plan_page());
    drive.run_dry();
    assert_eq!(drive.did, [(50, Did::Placed(0))]);
}

#[test]
fn a_decision_delays_what_comes_behind_it_and_nothing_waits_for_it() {
    let mut drive = Alone::new(1, &costs());
    drive.decide();
    drive.request(HostOp::Read, 0, UNIT);
    drive.run_dry();
    assert_eq!((drive.did, drive.noted), (vec![(1710, Did::Delivered(0))], vec![(0, 700, 1010)]));
}

#[test]
fn entries_come_from_the_hosts_memory_in_the_order_in_which_they_were_asked_for() {
    let mut memory = Alone::new(1, &costs()).host_memory;
    assert!(memory.is_on());
    assert_eq!([memory.fetch(Ns(10), 7), memory.fetch(Ns(40), 3)], [Some(Ns(510)), None]);
    assert_eq!(memory.take(), Some((7, Some(Ns(540)))));
    assert_eq!(memory.take(), Some((3, None)));
    assert_eq!(memory.take(), None);
}

proptest! {
    #[test]
    fn every_request_is_delivered_once_and_no_earlier_than_its_work_takes(
        cores in 1u32..5,
        requests in prop::collection::vec((0u64..2000, 1u64..40), 1..60),
    ) {
        let mut drive = Alone::new(cores, &costs());
        let mut arrived = Vec::new();
        for &(gap, units) in &requests {
            // What is done by then goes on first.
            let until = drive.now + gap;
            drive.run_until(until);
            arrived.push((drive.now, 1000 + 10 * units));
            drive.request(HostOp::Read, 0, units * UNIT);
        }
        drive.run_dry();
        let mut delivered = vec![None; requests.len()];
        for (at, did) in &drive.did {
            let Did::Delivered(number) = did else { panic!("{did:?}") };
            prop_assert_eq!(delivered[*number as usize].replace(*at), None);
        }
        let mut busy = 0;
        for (at, (arrival, work)) in delivered.iter().zip(&arrived) {
            prop_assert!(at.unwrap() >= arrival + work);
            busy += work;
        }
        let report = drive.cpu.report(Ns(drive.now)).unwrap();
        prop_assert_eq!(report.cores.iter().map(|core| core.busy_ns).sum::<u64>(), busy);
        // With as many cores as requests nobody waits.
        if requests.len() <= cores as usize {
            prop_assert!(drive.noted.iter().all(|noted| noted.1 == 0));
        }
    }
}
