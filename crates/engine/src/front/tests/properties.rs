//! Random requests behind random links: each is handed on once, byte by byte, and answered once (the drive around the front sees
//! to that, and checked mode to its parts); and a link is what a list of its transfers says.

use std::collections::BTreeMap;

use super::harness::{Alone, BLANK, Described, Did, UNIT, described};
use proptest::prelude::*;
use wordline_base::parts::Part;
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;
use wordline_config::device::{LinkConfig, LinkData};

fn link_data() -> impl Strategy<Value = LinkData> {
    prop_oneof![Just(LinkData::Request), Just(LinkData::Page)]
}

fn links() -> impl Strategy<Value = LinkConfig> {
    let times = || prop_oneof![Just(0), 1..5_000u64];
    let rate = prop::option::of(100_000_000..20_000_000_000u64);
    let most = prop::option::of((1..4u64).prop_map(|units| units * UNIT));
    (rate, times(), times(), link_data(), link_data(), most).prop_map(
        |(bytes_per_s, submission_ns, completion_ns, read_data, write_data, max_transfer_bytes)| LinkConfig {
            bytes_per_s,
            submission_ns,
            completion_ns,
            read_data,
            write_data,
            max_transfer_bytes,
            ..LinkConfig::default()
        },
    )
}

fn drives() -> impl Strategy<Value = Described> {
    (links(), prop_oneof![Just(0), 1..20_000u64], any::<[bool; 2]>()).prop_map(
        |(link, work, [holds_writes, looks_up])| Described {
            link,
            work,
            holds_writes,
            looks_up,
            ..described()
        },
    )
}

/// Requests, how long before each the host waits, and how long it had each ready.
fn requests() -> impl Strategy<Value = Vec<(HostRequest, u64, u64)>> {
    use HostOp::{Flush, Read, Trim, Write, WriteFua};
    let op = prop_oneof![4 => Just(Read), 4 => Just(Write), 1 => Just(WriteFua), 1 => Just(Trim), 1 => Just(Flush)];
    let sectors = u64::from(BLANK + 8) * UNIT / 512;
    let lengths = prop_oneof![0..4u64, Just(8), Just(16), 0..60u64];
    let request = (op, 0..sectors, lengths).prop_map(move |(op, first, count)| {
        let (offset, length) = (first * 512, count.min(sectors - first) * 512);
        HostRequest { time: Ns::ZERO, op, offset, length, flow: 0, stream: 0 }
    });
    let wait = || prop_oneof![Just(0), 0..200_000u64];
    prop::collection::vec((request, wait(), wait()), 1..60)
}

fn run(rules: &Described, requests: &[(HostRequest, u64, u64)]) -> Alone {
    let mut drive = Alone::new(rules);
    for &(request, pause, ready) in requests {
        drive.run(drive.now() + pause);
        drive.submit_of(request, drive.now().saturating_sub(ready), true);
        assert!(drive.front.fits());
    }
    drive.run_dry();
    drive
}

/// Bytes read and written by unit, and how often each was trimmed.
#[derive(Debug, Default, PartialEq)]
struct Work {
    read: BTreeMap<u32, u64>,
    written: BTreeMap<u32, u64>,
    trimmed: BTreeMap<u32, u64>,
}

impl Work {
    fn of(requests: &[(HostRequest, u64, u64)]) -> Self {
        let mut work = Self::default();
        for (request, ..) in requests {
            for sector in request.offset / 512..(request.offset + request.length) / 512 {
                let unit = (sector * 512 / UNIT) as u32;
                match request.op {
                    HostOp::Read => *work.read.entry(unit).or_default() += 512,
                    HostOp::Write | HostOp::WriteFua => *work.written.entry(unit).or_default() += 512,
                    HostOp::Trim => {
                        let is_last = (sector + 1) * 512 % UNIT == 0;
                        let is_whole = (sector + 1) * 512 - request.offset >= UNIT;
                        if is_last && is_whole {
                            *work.trimmed.entry(unit).or_default() += 1;
                        }
                    }
                    HostOp::Flush => {}
                }
            }
        }
        work
    }

    fn done_by(drive: &Alone) -> Self {
        let mut work = Self::default();
        for (_, did) in drive.asked_for() {
            match did {
                Did::Read(unit, bytes) => *work.read.entry(unit).or_default() += u64::from(bytes),
                Did::Write(unit, bytes) => *work.written.entry(unit).or_default() += u64::from(bytes),
                Did::Trim(unit) => *work.trimmed.entry(unit).or_default() += 1,
                Did::Flush | Did::Idle(_) | Did::Completed(_) => {}
            }
        }
        work
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn each_request_is_handed_on_once_and_answered_once(rules in drives(), requests in requests()) {
        let mut drive = run(&rules, &requests);
        prop_assert_eq!(Work::done_by(&drive), Work::of(&requests));
        prop_assert_eq!(drive.front.take_completed() as usize, requests.len());
        for (id, (request, ..)) in requests.iter().enumerate() {
            let told = drive.told_of(id as u64);
            prop_assert_eq!(&told.asked, request);
            prop_assert_eq!(drive.completed(id as u64), Some(told.end));
            prop_assert_eq!(told.parts.total(), told.latency);
            prop_assert!(told.blamed(Part::Link) >= rules.link.submission_ns + rules.link.completion_ns);
        }
        let idle = drive.did.iter().filter_map(|&(_, did)| if let Did::Idle(idle) = did { Some(idle) } else { None });
        prop_assert!(idle.enumerate().all(|(place, idle)| idle == (place % 2 == 1)));
    }

    #[test]
    fn a_link_is_what_a_list_of_its_transfers_says(rules in drives(), requests in requests()) {
        let mut rules = rules;
        rules.link.max_transfer_bytes = None;
        (rules.link.read_data, rules.link.write_data) = (LinkData::Request, LinkData::Request);
        let drive = run(&rules, &requests);
        let LinkConfig { bytes_per_s, submission_ns, completion_ns, .. } = rules.link;
        let data = |bytes: u64| bytes_per_s.map_or(0, |rate| (bytes * 1_000_000_000).div_ceil(rate));
        let (mut now, mut free, mut core, mut worked) = (0, 0, 0, Vec::new());
        for (id, &(request, pause, _)) in requests.iter().enumerate() {
            now += pause;
            let carried = if request.op.is_write() { request.length } else { 0 };
            free = now.max(free) + data(carried) + submission_ns;
            core = free.max(core) + rules.work;
            worked.push((core, id as u64));
        }
        prop_assert_eq!(&drive.worked, &worked);
        let mut free = 0;
        for told in &drive.told {
            let carried = if told.asked.op == HostOp::Read { told.asked.length } else { 0 };
            free = told.certain.max(free) + data(carried) + completion_ns;
            prop_assert_eq!(told.end, free);
        }
    }
}
