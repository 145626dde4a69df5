//! The course of flows beside one another: what they settle by, what is measured, how they end.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::*;
use wordline_engine::config::host::*;
use wordline_engine::config::latency_target::{LatencyTarget, WhenFound};
use wordline_engine::host::{Flow, FlowSet, HostOp, HostRequest, RequestSource, Settling};
use wordline_engine::stats::report::FlowReport;
use wordline_engine::{Ending, Outcome, Setup, Split, Stop, Unobserved, replay_flows, replay_flows_in_parts};

/// Requests of flows go to the pages before this, those like them to as many behind it.
const OWN: u64 = 450;

struct Described {
    rules: FlowRules,
    op: HostOp,
    requests: u64,
}

fn flow(name: &str, op: HostOp, requests: u64, queue_depth: u32) -> Described {
    let rules = FlowRules { name: name.into(), ..FlowRules::of_host("", &closed(queue_depth)) };
    Described { rules, op, requests }
}

fn setup() -> Setup {
    let mut setup = crate::common::setup(device(2, 1, 2, 1));
    setup.host = HostConfig { max_inside: 8, ..closed(1) };
    setup
}

/// The sources of each: its own requests, and those like them, every 10 µs where they have times.
fn sources(flows: &[Described]) -> Vec<[Box<dyn RequestSource>; 2]> {
    let each = |(flow, seed): (&Described, u64)| {
        let op = flow.op;
        let of = move |count, first, seed| -> Box<dyn RequestSource> {
            let mut random = Random(seed);
            Box::new(made(count, move |number| request(number * 10_000, op, first + random.below(OWN), 1)))
        };
        [of(flow.requests, 0, 2 * seed), of(u64::MAX, OWN, 2 * seed + 1)]
    };
    flows.iter().zip(1..).map(each).collect()
}

fn set<'a>(
    flows: &[Described],
    sources: &'a mut [[Box<dyn RequestSource>; 2]],
    settling: Settling,
) -> FlowSet<'a> {
    let each = flows.iter().zip(sources).map(|(flow, [own, alike])| Flow {
        alike: Some(&mut **alike),
        ..Flow::new(flow.rules.clone(), &mut **own)
    });
    FlowSet { flows: each.collect(), settling }
}

fn run_of(setup: &Setup, flows: &[Described], settling: Settling) -> (Outcome, Vec<(u64, HostRequest)>) {
    let mut device = setup.prepare(&[]).unwrap();
    let record = Record::default();
    device.set_probe(Box::new(record.clone()));
    let mut sources = sources(flows);
    let outcome =
        replay_flows(setup, &mut device, set(flows, &mut sources, settling), None, &mut Unobserved).unwrap();
    let entered = |event: &Event| match event {
        Event::Arrived { request, at, .. } => Some((*at, *request)),
        _ => None,
    };
    (outcome, record.events().iter().filter_map(entered).collect())
}

fn is_own(request: &HostRequest) -> bool {
    request.offset < OWN * 4096
}

fn requests(flow: &FlowReport) -> u64 {
    flow.read.requests + flow.write.requests
}

const WRITTEN: Settling = Settling { bytes: 300 * 4096, requests: 10_000 };

#[test]
fn what_settles_is_taken_from_no_flow_and_not_measured() {
    // The writer has a tenth of the requests and gets half of the drive.
    let mut flows = [flow("reader", HostOp::Read, 2_000, 4), flow("writer", HostOp::Write, 200, 32)];
    for goes_on in [true, false] {
        flows.iter_mut().for_each(|flow| flow.rules.goes_on = goes_on);
        let (outcome, entered) = run_of(&setup(), &flows, WRITTEN);
        let report = outcome.report;
        let own =
            |flow: u16| entered.iter().filter(|(_, request)| request.flow == flow && is_own(request)).count();
        assert_eq!((own(0), own(1)), (2_000, 200));
        let first = entered.iter().position(|(_, request)| is_own(request)).unwrap();
        assert_eq!(report.window.start_ns, entered[first].0);
        let written = |some: &[(u64, HostRequest)]| {
            some.iter()
                .filter(|(_, request)| request.op == HostOp::Write)
                .map(|(_, request)| request.length)
                .sum::<u64>()
        };
        let rest = 64 * 4096;
        assert!((WRITTEN.bytes..WRITTEN.bytes + rest).contains(&written(&entered[..first])));
        // Every request that is not of the settling is measured, and no other.
        let measured: u64 = report.flows.iter().map(requests).sum();
        assert_eq!(measured + outcome.settling_requests, outcome.requests);
        if !goes_on {
            assert_eq!(report.flows.iter().map(requests).collect::<Vec<_>>(), [2_000, 200]);
        }
    }
}

#[test]
fn a_flow_that_looks_for_its_queue_depth_settles_as_one_that_does_not() {
    let target = LatencyTarget {
        ns: 1_000_000,
        percentile: 100.0,
        window_ns: 5_000_000,
        ramp_ns: 0,
        when_found: WhenFound::Stop,
    };
    let mut flows = [flow("looking", HostOp::Write, 2_000, 32), flow("reader", HostOp::Read, 2_000, 4)];
    let (_, plain) = run_of(&setup(), &flows, WRITTEN);
    (flows[0].rules.latency_target, flows[0].rules.goes_on) = (Some(target), false);
    let (outcome, entered) = run_of(&setup(), &flows, WRITTEN);
    let settling = outcome.settling_requests as usize;
    assert!(settling > 300 && entered[..settling] == plain[..settling]);
    let found = &outcome.report.latency_targets[0];
    assert!(found.is_found && found.queue_depth.is_some(), "{found:?}");
}

#[test]
fn a_flow_that_is_done_goes_on_until_the_last_has_its_number_unless_it_is_told_to_stop() {
    let mut flows = [flow("long", HostOp::Read, 4_000, 4), flow("short", HostOp::Read, 200, 32)];
    let (both, _) = run_of(&setup(), &flows, Settling::default());
    let report = &both.report;
    assert!(requests(&report.flows[1]) > 1_000, "{}", requests(&report.flows[1]));
    assert_eq!(requests(&report.flows[0]), 4_000);
    assert!(report.flows.iter().all(|flow| flow.window.end_ns == report.window.end_ns));
    assert!(report.notes().iter().all(|note| note.kind != "ended_flow" && note.kind != "idle_flow"));

    flows[1].rules.goes_on = false;
    let (apart, _) = run_of(&setup(), &flows, Settling::default());
    let report = &apart.report;
    assert_eq!(requests(&report.flows[1]), 200);
    let mean = |outcome: &Outcome| outcome.report.flows[0].read.latency_ns.mean;
    assert!(mean(&apart) < 0.8 * mean(&both), "{} apart, {} together", mean(&apart), mean(&both));
    let notes = report.notes();
    let note = notes.iter().find(|note| note.kind == "ended_flow").unwrap();
    assert!(note.found.starts_with("flow short ended after "), "{}", note.found);
    // Its rate is that of the time in which it ran: about what it is beside the other to the end.
    let (own, whole) = (report.flows[1].read.iops, both.report.flows[1].read.iops);
    assert!((0.9..1.1).contains(&(own / whole)), "{own} apart, {whole} together");
    let seconds = (report.flows[1].window.end_ns - report.window.start_ns) as f64 / 1e9;
    assert!((own * seconds - 200.0).abs() < 1e-6);
}

#[test]
fn times_of_an_open_loop_count_from_where_its_part_begins() {
    let open = |name: &str, requests| {
        let mut open = flow(name, HostOp::Read, requests, 1);
        open.rules.arrivals = Arrivals::Open;
        open
    };
    let flows = [open("short", 20), open("long", 60)];
    let mut setup = setup();
    setup.host.max_inside = 0;
    let (_, entered) = run_of(&setup, &flows, Settling { bytes: u64::MAX, requests: 30 });
    let times =
        |flow: u16| entered.iter().filter(move |(_, request)| request.flow == flow).map(|(at, _)| *at);
    // Both come every 10 µs from the first to the last of the longer one: no gap, nothing twice, whatever is drawn from.
    for flow in [0, 1] {
        let times: Vec<u64> = times(flow).collect();
        let gaps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let odd: Vec<&u64> = gaps.iter().filter(|gap| **gap != 10_000).collect();
        // Its own begin when the drive has settled, in the middle of a gap or at its start.
        assert!(odd.len() <= 1 && odd.iter().all(|gap| **gap < 10_000), "{gaps:?}");
    }
    assert_eq!(times(0).max().unwrap() / 10_000, times(1).max().unwrap() / 10_000);
}

#[test]
fn a_stop_counts_from_a_flow_s_first_own_request_and_ends_it_for_good() {
    let mut flows = [flow("reader", HostOp::Read, 1_000_000, 2), flow("writer", HostOp::Write, 1_000, 2)];
    flows[0].rules.stop_ns = 20_000_000;
    let (outcome, entered) = run_of(&setup(), &flows, WRITTEN);
    let report = outcome.report;
    let reads = entered.iter().filter(|(_, request)| request.op == HostOp::Read && is_own(request));
    let last = reads.map(|(at, _)| *at).max().unwrap();
    assert!((15_000_000..=20_000_000).contains(&(last - report.window.start_ns)));
    let behind = |(at, request): &&(u64, HostRequest)| *at > last && request.op == HostOp::Read;
    assert_eq!(entered.iter().find(behind), None);
    let window = &report.flows[0].window;
    assert!((20_000_000..30_000_000).contains(&(window.end_ns - window.start_ns)));
}

#[test]
fn a_warm_up_counts_behind_the_settling() {
    let flows = [flow("reader", HostOp::Read, 500, 4), flow("writer", HostOp::Write, 500, 4)];
    let mut setup = setup();
    setup.window.warmup_requests = 100;
    let (outcome, _) = run_of(&setup, &flows, WRITTEN);
    // Requests that had arrived when the flows had settled may enter during the warm-up.
    let warmup = outcome.report.window.warmup_requests;
    assert!((0..=16).contains(&(outcome.settling_requests + 100 - warmup)), "{warmup}");
}

#[test]
fn a_flow_that_others_starve_ends_a_run_all_the_same() {
    let mut flows = [flow("first", HostOp::Read, 100, 8), flow("starved", HostOp::Read, 10, 1)];
    flows[0].rules.priority = Priority::High;
    let mut setup = setup();
    setup.kept = Kept::Nothing;
    setup.host.max_inside = 1;
    setup.host.arbitration.kind = ArbitrationKind::Strict;
    let (outcome, _) = run_of(&setup, &flows, Settling { bytes: u64::MAX, requests: 500 });
    assert_eq!(requests(&outcome.report.flows[1]), 10);
    assert!((65_536..66_500).contains(&outcome.requests), "{}", outcome.requests);
}

#[test]
fn a_run_that_is_saved_in_any_part_of_its_course_goes_on_as_if_it_had_not_been() {
    let flows = || {
        let mut flows = vec![
            flow("short", HostOp::Write, 60, 3),
            flow("long", HostOp::Read, 400, 4),
            flow("stops", HostOp::Write, 40, 2),
            flow("open", HostOp::Read, 100, 1),
        ];
        flows[2].rules.goes_on = false;
        (flows[3].rules.arrivals, flows[3].rules.max_outstanding) = (Arrivals::Open, 3);
        flows
    };
    let settling = Settling { bytes: u64::MAX, requests: 150 };
    let (whole, _) = run_of(&setup(), &flows(), settling);
    for after_requests in [20, 149, 150, 151, 155, 200, 300, 450, 600] {
        let (mut saved, described) = (Vec::new(), flows());
        let part = |resume: Option<&[u8]>, save: Option<&mut Vec<u8>>| {
            let begins = resume.is_none();
            let mut drive =
                if begins { setup().prepare(&[]).unwrap() } else { setup().empty_drive().unwrap() };
            let mut input = resume;
            let split = Split {
                resume: input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read),
                stop: Stop {
                    after_requests: if begins { after_requests } else { u64::MAX },
                    ..Stop::default()
                },
                save: save.map(|bytes| bytes as &mut dyn std::io::Write),
                workload: "course",
            };
            let mut sources = sources(&described);
            let flows = set(&described, &mut sources, settling);
            replay_flows_in_parts(&setup(), &mut drive, flows, None, &mut Unobserved, split).unwrap()
        };
        let ending = part(None, Some(&mut saved));
        assert!(matches!(ending, Ending::Stopped { .. }), "{after_requests} of {}", whole.requests);
        let Ending::Finished(resumed) = part(Some(&saved), None) else { panic!("it stopped") };
        let told = |outcome: &Outcome| serde_json::to_string(&outcome.report).unwrap();
        assert!(told(&resumed) == told(&whole), "{after_requests}");
        assert_eq!(resumed.requests, whole.requests);
    }
}
