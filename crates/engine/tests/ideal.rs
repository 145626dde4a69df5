//! The ideal second server: reads of the host never wait for other work of their die, and still for each other.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{MappingKind, SchedulerKind};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

const UNLOADED: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;

fn ideal(second_server: SecondServer) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.ideal.second_server = second_server;
    setup
}

#[test]
fn a_read_does_not_wait_for_a_program_of_its_die() {
    // At 10 µs the data of the write is on the die, the channel free.
    let done = |server| completions(&ideal(server), vec![write(0, 0), read(10_000, 1)]);
    assert_eq!(done(SecondServer::None), [PROGRAM, PROGRAM + UNLOADED]);
    assert_eq!(done(SecondServer::Die), [PROGRAM, 10_000 + UNLOADED]);
    assert_eq!(done(SecondServer::DieAndChannel), [PROGRAM, 10_000 + UNLOADED]);
}

#[test]
fn nor_does_the_read_of_the_map_that_it_waits_for() {
    let done = |server| {
        let mut setup = ideal(server);
        setup.scheme.mapping.policy = MappingKind::Demand;
        setup.scheme.mapping.cache_bytes = 0;
        // The entry of the write is read first, too.
        completions(&setup, vec![write(0, 0), read(UNLOADED + 10_000, 1)])
    };
    assert_eq!(done(SecondServer::None), [UNLOADED + PROGRAM, UNLOADED + PROGRAM + 2 * UNLOADED]);
    assert_eq!(done(SecondServer::DieAndChannel), [UNLOADED + PROGRAM, UNLOADED + 10_000 + 2 * UNLOADED]);
}

#[test]
fn a_read_waits_for_a_transfer_to_its_die_unless_the_channel_is_doubled_too() {
    let done = |server| completions(&ideal(server), vec![write(0, 0), read(100, 1)]);
    assert_eq!(done(SecondServer::Die)[1], XFER + UNLOADED);
    assert_eq!(done(SecondServer::DieAndChannel)[1], 100 + UNLOADED);
}

#[test]
fn a_read_of_the_page_that_is_being_programmed_finds_its_data() {
    let (report, record) = record(&ideal(SecondServer::Die), vec![write(0, 0), read(10_000, 0)]);
    assert_eq!(record.completions(), [PROGRAM, 10_000 + UNLOADED]);
    assert!(record.events().contains(&Event::Read { id: 1, page: 0, version: Some(1), at: 10_000 }));
    assert_eq!(report.checked.unwrap().reads_verified, 1);
}

#[test]
fn reads_wait_for_reads_of_their_die() {
    for server in [SecondServer::Die, SecondServer::DieAndChannel] {
        let (report, record) = record(&ideal(server), vec![read(0, 0), read(0, 1)]);
        assert_eq!(record.completions(), [UNLOADED, 2 * UNLOADED]);
        assert_eq!(report.read.blame.mean.total_ns["die_wait.host_read"], u128::from(UNLOADED));
    }
}

#[test]
fn the_second_bus_carries_one_read_at_a_time() {
    let mut setup = ideal(SecondServer::DieAndChannel);
    setup.device.geometry.ways = 2;
    assert_eq!(completions(&setup, vec![read(0, 0), read(0, 1)]), [UNLOADED, UNLOADED + XFER]);
}

#[test]
fn the_read_of_a_read_modify_write_is_work_of_a_write() {
    let part = HostRequest { length: 512, ..write(1, 2) };
    let done = completions(&ideal(SecondServer::DieAndChannel), vec![write(0, 1), part]);
    assert_eq!(done, [PROGRAM, PROGRAM + UNLOADED + PROGRAM]);
}

/// Writes without a pause over a full drive, which collects all the time, and now and then a read.
fn under_load(second_server: SecondServer) -> Report {
    let mut setup = ideal(second_server);
    setup.start = start(Occupancy::All, 1.0);
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(11);
    let mut source = made(4_000, |number| {
        let op = if number % 10 == 0 { HostOp::Read } else { HostOp::Write };
        request(number * 900_000, op, random.below(pages), 1)
    });
    run(&setup, &mut source).unwrap()
}

#[test]
fn a_read_behind_erases_and_collection_has_its_unloaded_latency() {
    let real = under_load(SecondServer::None);
    assert!(real.read.latency_ns.max > TERASE, "{:?}", real.read.latency_ns);
    assert!(real.read.blame.mean.total_ns["die_wait.gc_erase"] > 0);
    let free = under_load(SecondServer::DieAndChannel);
    assert!(free.flash.erases > 50 && free.gc.moved_units > 1_000, "{:?}", free.flash);
    assert_eq!((free.read.latency_ns.min, free.read.latency_ns.max), (UNLOADED, UNLOADED));
}

#[test]
fn with_a_shared_channel_reads_wait_for_transfers_only() {
    let report = under_load(SecondServer::Die);
    let blame = &report.read.blame.mean.total_ns;
    let waits = |resource: &str| -> u128 {
        blame.iter().filter(|(name, _)| name.starts_with(resource)).map(|(_, ns)| ns).sum()
    };
    assert_eq!(waits("die_wait"), 0);
    assert!(waits("channel_wait") > 0);
    // Its command and its data: each behind one transfer at most, besides those that go before it in line.
    assert!(report.read.latency_ns.max <= UNLOADED + 4 * XFER, "{}", report.read.latency_ns.max);
}

#[test]
fn writes_gain_from_reads_that_are_out_of_their_way() {
    let (real, free) = (under_load(SecondServer::None), under_load(SecondServer::DieAndChannel));
    assert!(free.write.latency_ns.mean < real.write.latency_ns.mean);
    assert_eq!(free.write.blame.mean.total_ns["die_wait.host_read"], 0);
}

#[test]
fn the_report_keeps_real_dies_and_tells_of_second_servers_beside_them() {
    let mut setup = ideal(SecondServer::DieAndChannel);
    (setup.device.geometry.channels, setup.device.geometry.ways) = (2, 2);
    let (report, _) = record(&setup, vec![read(0, 0), read(0, 4), read(0, 1), write(0, 1)]);
    assert_eq!((report.dies.len(), report.channels.len()), (4, 2));
    assert_eq!(report.drive.not_physical, ["scheme.ideal.second_server = die_and_channel"]);
    // Pages go to the channels in turn, then to the ways: page 0 and page 4 are on die 0, page 1 on die 2.
    let second = |die: usize| report.dies[die].second_server.clone().unwrap();
    assert_eq!((second(0).busy_ns, second(0).array_ns), (2 * UNLOADED, Some(2 * TR)));
    assert_eq!((second(2).busy_ns, second(1).busy_ns), (UNLOADED, 0));
    assert_eq!((report.dies[2].busy_ns["host_program"], report.dies[2].busy_ns["host_read"]), (PROGRAM, 0));
    assert_eq!((report.dies[2].array_ns, report.dies[2].max_outstanding), (TPROG, 2));
    assert_eq!(report.channels[0].busy_ns["host_read"], 0);
    assert_eq!(report.channels[0].second_server.clone().unwrap().busy_ns, 2 * XFER);
}

#[test]
fn a_real_drive_says_nothing_of_ideals() {
    let text = serde_json::to_string(&under_load(SecondServer::None)).unwrap();
    assert!(!text.contains("second_server") && !text.contains("not_physical"));
}
