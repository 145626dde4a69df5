//! Flows that begin and end as others do, and flows that keep step.
#![allow(clippy::unwrap_used)]

use crate::common::*;
use wordline_engine::config::host::{Arrivals, FlowRules, HostConfig, InStep};
use wordline_engine::host::{Flow, HostRequest};
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;
use wordline_engine::{Ending, Split, Stop, Unobserved, replay_flows, replay_flows_in_parts};

/// A read of 4 KiB on an idle drive.
const READ: u64 = TR + XFER;

fn rules(name: &str, queue_depth: u32) -> FlowRules {
    let host = HostConfig { arrivals: Arrivals::Closed, queue_depth, ..HostConfig::default() };
    FlowRules::of_host(name, &host)
}

fn reads(count: u64) -> Vec<HostRequest> {
    (0..count).map(|page| read(0, page % 64)).collect()
}

/// Flow and time of each request that entered, and the report.
fn run(flows: Vec<(FlowRules, Vec<HostRequest>)>) -> (Vec<(u16, u64)>, Report) {
    let setup = setup(device(1, 1, 1, 1));
    let mut drive = setup.prepare(&[]).unwrap();
    let record = Record::default();
    drive.set_probe(Box::new(record.clone()));
    let (rules, mut sources): (Vec<_>, Vec<_>) =
        flows.into_iter().map(|(rules, list)| (rules, Listed(list))).unzip();
    let flows: Vec<_> =
        rules.into_iter().zip(&mut sources).map(|(rules, source)| Flow::new(rules, source)).collect();
    let outcome = replay_flows(&setup, &mut drive, flows, None, &mut Unobserved).unwrap();
    let entered = |event: &Event| match event {
        Event::Arrived { request, at, .. } => Some((request.flow, *at)),
        _ => None,
    };
    (record.events().iter().filter_map(entered).collect(), outcome.report)
}

#[test]
fn a_flow_begins_with_the_last_answer_of_those_before_it_and_its_rates_are_of_its_own_time() {
    let second = FlowRules { after: vec![0], ..rules("second", 1) };
    let third = FlowRules { after: vec![1], ..rules("third", 1) };
    let (entries, report) = run(vec![(rules("first", 1), reads(3)), (second, reads(2)), (third, reads(4))]);
    let expected: Vec<_> =
        [0, 0, 0, 1, 1, 2, 2, 2, 2].iter().zip(0..).map(|(&flow, turn)| (flow, turn * READ)).collect();
    assert_eq!(entries, expected);
    let windows: Vec<_> =
        report.flows.iter().map(|flow| (flow.window.start_ns, flow.window.end_ns)).collect();
    assert_eq!(windows, [(0, 3 * READ), (3 * READ, 5 * READ), (5 * READ, 9 * READ)]);
    for flow in &report.flows {
        assert!((flow.read.iops * READ as f64 / 1e9 - 1.0).abs() < 1e-9, "{}: {}", flow.name, flow.read.iops);
    }
}

#[test]
fn a_start_counts_from_the_workloads_begin_and_a_stop_from_the_flows_own() {
    let (start_ns, stop_ns) = (10 * READ, 3 * READ);
    let later = FlowRules { start_ns, stop_ns, ..rules("later", 1) };
    let behind = FlowRules { start_ns: READ, after: vec![1], ..rules("behind", 1) };
    let (entries, _) = run(vec![(rules("first", 1), reads(2)), (later, reads(100)), (behind, reads(1))]);
    let at =
        |flow| entries.iter().filter(|entry| entry.0 == flow).map(|entry| entry.1 / READ).collect::<Vec<_>>();
    assert_eq!((at(0), at(1), at(2)), (vec![0, 1], vec![10, 11, 12, 13], vec![14]));
}

#[test]
fn times_of_an_open_flow_that_begins_later_count_from_its_begin() {
    let open = FlowRules { arrivals: Arrivals::Open, after: vec![0], ..rules("open", 1) };
    let times = vec![read(0, 1), read(5 * READ, 2)];
    let (entries, _) = run(vec![(rules("first", 1), reads(2)), (open, times)]);
    assert_eq!(entries[2..], [(1, 2 * READ), (1, 7 * READ)]);
}

#[test]
fn flows_without_requests_hold_nobody_up() {
    let empty = FlowRules { after: vec![0], ..rules("empty", 1) };
    let last = FlowRules { after: vec![1], ..rules("last", 1) };
    let (entries, _) = run(vec![(rules("first", 1), reads(1)), (empty, Vec::new()), (last, reads(1))]);
    assert_eq!(entries, [(0, 0), (2, READ)]);
}

#[test]
fn a_flow_that_is_over_ends_others_whether_they_have_begun_or_not() {
    let first = FlowRules { ends: vec![1, 2], ..rules("first", 1) };
    let never = FlowRules { after: vec![1], ..rules("never", 1) };
    let last = FlowRules { after: vec![2], ..rules("last", 1) };
    let flows =
        vec![(first, reads(3)), (rules("endless", 1), reads(1000)), (never, reads(5)), (last, reads(2))];
    let (entries, _) = run(flows);
    let count = |flow| entries.iter().filter(|entry| entry.0 == flow).count();
    assert_eq!((count(0), count(2), count(3)), (3, 0, 2));
    assert!((2..=4).contains(&count(1)), "{}", count(1));
}

#[test]
fn flows_keep_step_by_their_weights_until_one_has_ended() {
    let of = |name, weight| FlowRules { in_step: Some(InStep { group: 0, weight }), ..rules(name, 4) };
    let free = rules("free", 1);
    let (entries, _) = run(vec![(of("three", 3), reads(60)), (of("one", 1), reads(100)), (free, reads(5))]);
    let of_both: Vec<u16> = entries.iter().map(|entry| entry.0).filter(|&flow| flow < 2).collect();
    for passed in 1..80 {
        let [three, one] =
            [0, 1].map(|flow| of_both[..passed].iter().filter(|&&at| at == flow).count() as i64);
        assert!((three - 3 * one).abs() <= 6, "{three} and {one}");
    }
    assert_eq!(of_both.len(), 160, "behind the end of one the other goes on");
}

#[test]
fn flows_one_after_the_other_may_be_split() {
    let setup = setup(device(1, 1, 1, 1));
    let run = |stops: &[u64]| {
        let mut drive = setup.prepare(&[]).unwrap();
        let mut bytes: Option<Vec<u8>> = None;
        for after_requests in stops.iter().copied().chain([u64::MAX]) {
            let mut sources = [Listed(reads(20)), Listed(reads(30)), Listed(reads(500)), Listed(reads(10))];
            let step = |weight| Some(InStep { group: 0, weight });
            let all = [
                FlowRules { in_step: step(2), ..rules("a", 2) },
                FlowRules { in_step: step(3), ends: vec![2], ..rules("b", 2) },
                FlowRules { start_ns: 5 * READ, ..rules("c", 1) },
                FlowRules { after: vec![0, 1], ..rules("d", 4) },
            ];
            let flows: Vec<_> =
                all.into_iter().zip(&mut sources).map(|(rules, source)| Flow::new(rules, source)).collect();
            let (mut save, mut input) = (Vec::new(), bytes.as_deref());
            let resume = input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
            let stop = Stop { after_requests, at: Ns::NEVER };
            let split = Split { resume, stop, save: Some(&mut save), workload: "" };
            match replay_flows_in_parts(&setup, &mut drive, flows, None, &mut Unobserved, split).unwrap() {
                Ending::Finished(outcome) => return serde_json::to_string(&outcome.report).unwrap(),
                Ending::Stopped { .. } => {}
            }
            bytes = Some(save);
            drive = setup.empty_drive().unwrap();
        }
        String::new()
    };
    let whole = run(&[]);
    for stops in [vec![1], vec![3, 19, 50, 51, 52, 60], vec![70]] {
        assert!(run(&stops) == whole, "{stops:?}");
    }
}
