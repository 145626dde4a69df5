//! Several flows: whose request enters next, when, and what is counted for whom.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::DeviceConfig;
use wordline_engine::config::cache::MaxWritesHold;
use wordline_engine::config::host::*;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::latency_target::{LatencyTarget, WhenFound};
use wordline_engine::config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};
use wordline_engine::host::schedulers::{Choice, HostPolicy, HostScheduler, HostView};
use wordline_engine::host::{Flow, HostOp, HostRequest};
use wordline_engine::stats::report::{DirectionReport, Report};
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay_flows};

/// A read of 4 KiB on an idle drive.
pub const READ: u64 = TR + XFER;

fn rules(name: &str) -> FlowRules {
    FlowRules::of_host(name, &HostConfig { arrivals: Arrivals::Open, ..HostConfig::default() })
}

pub fn closed_rules(name: &str, queue_depth: u32) -> FlowRules {
    FlowRules { arrivals: Arrivals::Closed, queue_depth, ..rules(name) }
}

pub fn with_host(device: DeviceConfig, host: HostConfig) -> Setup {
    Setup { host, ..setup(device) }
}

fn arbitrated(kind: ArbitrationKind, burst: u32, max_overtakes: Option<u32>) -> Setup {
    let arbitration = ArbitrationConfig { kind, burst, ..ArbitrationConfig::default() };
    with_host(
        device(1, 1, 1, 1),
        HostConfig { max_inside: 1, max_overtakes, arbitration, ..HostConfig::default() },
    )
}

fn record_with(
    setup: &Setup,
    flows: Vec<(FlowRules, Vec<HostRequest>)>,
    scheduler: Option<HostPolicy>,
) -> (Report, Record) {
    let mut device = setup.prepare(&[]).unwrap();
    let record = Record::default();
    device.set_probe(Box::new(record.clone()));
    let (rules, mut sources): (Vec<_>, Vec<_>) =
        flows.into_iter().map(|(rules, list)| (rules, Listed(list))).unzip();
    let flows = rules
        .into_iter()
        .zip(&mut sources)
        .map(|(rules, source)| Flow::new(rules, source))
        .collect::<Vec<_>>();
    let outcome = replay_flows(setup, &mut device, flows, scheduler, &mut Unobserved).unwrap();
    (outcome.report, record)
}

pub fn record_flows(setup: &Setup, flows: Vec<(FlowRules, Vec<HostRequest>)>) -> (Report, Record) {
    record_with(setup, flows, None)
}

/// Flow and time of each request that entered, in order.
fn entries(record: &Record) -> Vec<(u16, u64)> {
    let entered = |event: &Event| match event {
        Event::Arrived { request, at, .. } => Some((request.flow, *at)),
        _ => None,
    };
    record.events().iter().filter_map(entered).collect()
}

pub fn flows_of(record: &Record) -> Vec<u16> {
    entries(record).into_iter().map(|(flow, _)| flow).collect()
}

#[test]
fn while_the_most_writes_are_inside_reads_of_other_queues_pass_or_wait_as_the_drive_says() {
    // A bound that is never reached: without one a scheduler is refused.
    let mut host = HostConfig { max_inside: 99, ..HostConfig::default() };
    let entered = |host: &HostConfig, hold| {
        let mut setup = with_host(device(1, 1, 1, 1), host.clone());
        (setup.scheme.cache.max_writes, setup.scheme.cache.max_writes_hold) = (1, hold);
        let writer = (0..3).map(|page| write(0, page)).collect();
        let other = vec![read(5, 7), write(6, 9), read(7, 7)];
        let (_, record) = record_flows(&setup, vec![(rules("writer"), writer), (rules("other"), other)]);
        entries(&record)
    };
    const P: u64 = XFER + TPROG;
    // A queue is a FIFO for an arbitration; a scheduler of the host sees what is behind its head.
    for (kind, third) in [(HostSchedulerKind::None, (0, P)), (HostSchedulerKind::Paq, (1, 7))] {
        host.scheduler.kind = kind;
        assert_eq!(entered(&host, MaxWritesHold::Writes)[..3], [(0, 0), (1, 5), third], "{kind:?}");
        let held = entered(&host, MaxWritesHold::Commands);
        assert_eq!((held[0], held[1].1), ((0, 0), P), "{kind:?}");
    }
}

pub fn reads(count: u64) -> Vec<HostRequest> {
    (0..count).map(|page| read(0, page)).collect()
}

#[test]
fn queues_take_turns_and_the_wait_for_a_turn_is_admission() {
    let setup = arbitrated(ArbitrationKind::RoundRobin, 1, None);
    let (report, record) = record_flows(&setup, vec![(rules("a"), reads(3)), (rules("b"), reads(2))]);
    let expected: Vec<_> = [0, 1, 0, 1, 0].iter().zip(0..).map(|(&flow, turn)| (flow, turn * READ)).collect();
    assert_eq!(entries(&record), expected);
    assert_eq!(record.completions(), (1..=5).map(|turn| turn * READ).collect::<Vec<_>>());
    assert_eq!(report.read.blame.mean.total_ns["admission"], u128::from((1 + 2 + 3 + 4) * READ));
    assert_eq!(report.flows[1].read.blame.mean.total_ns["admission"], u128::from((1 + 3) * READ));
}

#[test]
fn a_burst_lets_a_queue_go_several_times_in_one_turn() {
    let setup = arbitrated(ArbitrationKind::RoundRobin, 2, None);
    let (_, record) = record_flows(&setup, vec![(rules("a"), reads(5)), (rules("b"), reads(3))]);
    assert_eq!(flows_of(&record), [0, 0, 1, 1, 0, 0, 1, 0]);
}

fn of_priority(name: &str, priority: Priority, count: u64) -> (FlowRules, Vec<HostRequest>) {
    (FlowRules { priority, ..closed_rules(name, 8) }, (0..count).map(|n| read(0, n % 64)).collect())
}

#[test]
fn weighted_priorities_share_the_drive_by_their_weights() {
    let setup = arbitrated(ArbitrationKind::Weighted, 1, None);
    let flows = vec![
        of_priority("low", Priority::Low, 700),
        of_priority("high", Priority::High, 700),
        of_priority("medium", Priority::Medium, 700),
    ];
    let order = flows_of(&record_flows(&setup, flows).1);
    assert_eq!(order[..7], [1, 1, 1, 1, 2, 2, 0]);
    let share = |flow| order[..700].iter().filter(|&&of| of == flow).count();
    assert_eq!((share(1), share(2), share(0)), (400, 200, 100));
}

#[test]
fn a_flow_with_as_many_requests_inside_as_it_may_waits_while_others_enter() {
    for kind in [ArbitrationKind::RoundRobin, ArbitrationKind::Strict] {
        let arbitration = ArbitrationConfig { kind, ..ArbitrationConfig::default() };
        let setup = with_host(device(1, 1, 1, 1), HostConfig { arbitration, ..HostConfig::default() });
        let deep = FlowRules { max_inside: 2, ..closed_rules("deep", 6) };
        let flows = vec![(deep, reads(6)), (closed_rules("shallow", 3), reads(3))];
        let (report, record) = record_flows(&setup, flows);
        // Two of the one, all of the other; the first answer lets in the next.
        assert_eq!(entries(&record)[..5].iter().filter(|entry| **entry == (0, 0)).count(), 2, "{kind:?}");
        assert!(entries(&record)[5..].iter().all(|&(flow, time)| flow == 0 && time > 0), "{kind:?}");
        let waited = |flow: usize| report.flows[flow].read.blame.mean.total_ns["admission"];
        assert!(waited(0) > 0 && waited(1) == 0, "{kind:?}");
    }
}

#[test]
fn urgent_commands_go_before_weighted_ones() {
    let setup = arbitrated(ArbitrationKind::Weighted, 1, None);
    let late = |count| (0..count).map(|n| read(READ / 2, n)).collect();
    let urgent = FlowRules { priority: Priority::Urgent, ..rules("urgent") };
    let high = FlowRules { priority: Priority::High, ..rules("high") };
    let (_, record) = record_flows(&setup, vec![(high, reads(3)), (urgent, late(3))]);
    assert_eq!(flows_of(&record), [0, 1, 1, 1, 0, 0]);
}

#[test]
fn strict_priority_starves_the_lower_one_up_to_the_bound_on_overtakes() {
    let flows = || vec![of_priority("low", Priority::Low, 4), of_priority("high", Priority::High, 12)];
    let unbounded = record_flows(&arbitrated(ArbitrationKind::Strict, 1, None), flows()).1;
    assert_eq!(flows_of(&unbounded), [vec![1; 12], vec![0; 4]].concat());
    let bounded = record_flows(&arbitrated(ArbitrationKind::Strict, 1, Some(3)), flows()).1;
    assert_eq!(flows_of(&bounded), [1, 1, 1, 0].repeat(4));
}

#[test]
fn a_closed_loop_beside_an_open_one_each_keeps_its_times() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig::default());
    let closed = (closed_rules("closed", 1), reads(3));
    let open = (rules("open"), vec![read(60_000, 9), read(1_000_000, 9)]);
    let (report, record) = record_flows(&setup, vec![closed, open]);
    assert_eq!(entries(&record), [(0, 0), (0, READ), (1, 60_000), (0, 2 * READ), (1, 1_000_000)]);
    // The open loop's first read waits for the second of the closed loop, and makes its third wait.
    assert_eq!(record.completions(), [READ, 2 * READ, 3 * READ, 4 * READ, 1_000_000 + READ]);
    assert_eq!(report.flows[0].read.latency_ns.max, 2 * READ);
    assert_eq!(report.flows[1].read.latency_ns.max, 3 * READ - 60_000);
    assert_eq!(report.flows[1].read.latency_ns.min, READ);
}

#[test]
fn a_flow_thinks_between_an_answer_and_its_next_request() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig { max_inside: 1, ..HostConfig::default() });
    let thinking = FlowRules { think_time_ns: 7, ..closed_rules("thinking", 1) };
    let (_, record) = record_flows(&setup, vec![(thinking, reads(3)), (closed_rules("busy", 1), reads(2))]);
    // The busy one is always there first; the thinking one waits in its queue meanwhile.
    assert_eq!(entries(&record), [(0, 0), (1, READ), (0, 2 * READ), (1, 3 * READ), (0, 4 * READ)]);
}

#[test]
fn a_flow_of_batches_submits_as_many_at_once_as_it_waited_for() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig::default());
    let of = |submit_batch| {
        let rules = FlowRules { submit_batch, ..closed_rules("batches", 4) };
        let times = |&(_, time): &(u16, u64)| time / READ;
        entries(&record_flows(&setup, vec![(rules, reads(9))]).1).iter().map(times).collect::<Vec<_>>()
    };
    // One die: an answer every READ.
    assert_eq!(of(1), [0, 0, 0, 0, 1, 2, 3, 4, 5]);
    assert_eq!(of(2), [0, 0, 0, 0, 2, 2, 4, 4, 6]);
    assert_eq!(of(3), [0, 0, 0, 0, 3, 3, 3, 6, 6]);
    assert_eq!(of(4), [0, 0, 0, 0, 4, 4, 4, 4, 8]);
}

#[test]
fn a_batch_that_other_flows_hold_up_still_comes() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig { max_inside: 1, ..HostConfig::default() });
    let batches = FlowRules { submit_batch: 3, ..closed_rules("batches", 3) };
    let (_, record) = record_flows(&setup, vec![(batches, reads(7)), (closed_rules("busy", 2), reads(20))]);
    assert_eq!(flows_of(&record).iter().filter(|&&flow| flow == 0).count(), 7);
}

/// Reads and writes of a small drive, one every 20 µs.
fn mixed(count: u64, seed: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let request = |number| {
        let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
        request(number * 20_000, op, random.below(300), 1 + random.below(3))
    };
    (0..count).map(request).collect()
}

#[test]
fn a_flow_alone_runs_as_a_workload_without_flows() {
    for arrivals in [Arrivals::Open, Arrivals::Closed] {
        let host = HostConfig { arrivals, queue_depth: 5, max_outstanding: 7, ..HostConfig::default() };
        let setup = with_host(device(2, 1, 1, 2), host.clone());
        let plain = record(&setup, mixed(2000, 3)).1.events();
        let alone = record_flows(&setup, vec![(FlowRules::of_host("alone", &host), mixed(2000, 3))]);
        assert_eq!(alone.1.events(), plain);
        assert!(alone.0.flows.is_empty() && alone.0.streams.is_empty());
    }
}

#[test]
fn a_bound_of_the_whole_drive_holds_a_single_flow_as_its_own_bound_does() {
    let arrivals = Arrivals::Open;
    let own = HostConfig { arrivals, max_outstanding: 3, ..HostConfig::default() };
    let whole = HostConfig { arrivals, max_inside: 3, ..HostConfig::default() };
    let events = |host| record(&with_host(device(2, 1, 1, 1), host), mixed(500, 5)).1.events();
    assert_eq!(events(whole), events(own));
}

#[test]
fn figures_of_flows_and_streams_add_up_to_those_of_the_drive() {
    let host = HostConfig { max_inside: 6, ..HostConfig::default() };
    let mut setup = with_host(device(2, 1, 1, 2), host);
    setup.window.warmup_requests = 300;
    let of_stream = |name, stream| FlowRules { stream, ..rules(name) };
    let flows = vec![
        (of_stream("a", 7), mixed(1000, 1)),
        (of_stream("b", 2), mixed(600, 2)),
        (FlowRules { stream: 7, ..closed_rules("c", 3) }, mixed(400, 3)),
    ];
    let (report, _) = record_flows(&setup, flows);
    let names: Vec<_> = report.flows.iter().map(|flow| flow.name.as_str()).collect();
    let streams: Vec<_> = report.streams.iter().map(|stream| stream.stream).collect();
    assert_eq!((names, streams), (vec!["a", "b", "c"], vec![2, 7]));
    // Rates are of a flow's own time.
    let length = |start_ns, end_ns| (end_ns - start_ns) as f64;
    let window = length(report.window.start_ns, report.window.end_ns);
    let of_window: Vec<f64> =
        report.flows.iter().map(|flow| length(flow.window.start_ns, flow.window.end_ns) / window).collect();
    assert!(of_window.iter().any(|&share| share < 0.9) && of_window.contains(&1.0), "{of_window:?}");
    let adds_up = |whole: &DirectionReport, parts: Vec<&DirectionReport>, of_window: &[f64]| {
        assert!(whole.requests > 300);
        assert_eq!(whole.requests, parts.iter().map(|part| part.requests).sum::<u64>());
        assert_eq!(whole.bytes, parts.iter().map(|part| part.bytes).sum::<u64>());
        let iops: f64 = parts.iter().zip(of_window).map(|(part, share)| part.iops * share).sum();
        assert!((whole.iops - iops).abs() < 1e-6 * whole.iops);
        assert_eq!(whole.latency_ns.max, parts.iter().map(|part| part.latency_ns.max).max().unwrap());
        for (name, &total) in &whole.blame.mean.total_ns {
            assert_eq!(
                total,
                parts.iter().filter_map(|part| part.blame.mean.total_ns.get(name)).sum::<u128>()
            );
        }
    };
    adds_up(&report.read, report.flows.iter().map(|flow| &flow.read).collect(), &of_window);
    adds_up(&report.write, report.flows.iter().map(|flow| &flow.write).collect(), &of_window);
    adds_up(&report.read, report.streams.iter().map(|stream| &stream.read).collect(), &[1.0; 2]);
    adds_up(&report.write, report.streams.iter().map(|stream| &stream.write).collect(), &[1.0; 2]);
    assert_eq!(report.trim.requests, report.flows.iter().map(|flow| flow.trim.requests).sum::<u64>());
    assert_eq!(
        report.flows[0].read.requests + report.flows[2].read.requests,
        report.streams[1].read.requests
    );
}

/// Uniform reads: of the few that enter in order of arrival, some go to the same die.
fn conflicting(count: u64) -> Vec<HostRequest> {
    let mut random = Random(11);
    (0..count).map(|_| read(0, random.below(1000))).collect()
}

fn scheduled(kind: HostSchedulerKind, device: DeviceConfig, max_inside: u32) -> Setup {
    let scheduler = HostSchedulerConfig { kind, ..HostSchedulerConfig::default() };
    with_host(device, HostConfig { max_inside, scheduler, ..HostConfig::default() })
}

#[test]
fn schedulers_that_know_dies_answer_reads_sooner_than_a_queue_when_dies_conflict() {
    let mean = |kind| {
        let setup = scheduled(kind, device(4, 1, 1, 1), 4);
        let flows = vec![(closed_rules("reader", 24), conflicting(4000))];
        record_flows(&setup, flows).0.read.latency_ns.mean
    };
    let [fifo, piq, paq] =
        [HostSchedulerKind::None, HostSchedulerKind::Piq, HostSchedulerKind::Paq].map(mean);
    println!("mean read latency, ns: FIFO {fifo:.0}, PIQ {piq:.0}, PAQ {paq:.0}");
    assert!(piq < 0.95 * fifo, "{piq} of {fifo}");
    assert!(paq < 0.9 * fifo, "{paq} of {fifo}");
}

#[test]
fn fios_gives_flows_the_same_time_where_a_round_robin_gives_them_as_many_requests() {
    let shares = |kind| {
        let setup = scheduled(kind, device(1, 1, 1, 1), 2);
        let writes = (0..300).map(|page| write(0, page % 200)).collect();
        let reader = (0..6000).map(|page| read(0, 200 + page % 100)).collect();
        let flows = vec![(closed_rules("reader", 4), reader), (closed_rules("writer", 16), writes)];
        let order = flows_of(&record_flows(&setup, flows).1);
        let last_write = order.iter().rposition(|&flow| flow == 1).unwrap();
        order[..last_write].iter().filter(|&&flow| flow == 0).count()
    };
    let round_robin = shares(HostSchedulerKind::None);
    assert!((290..=310).contains(&round_robin), "{round_robin} reads beside 300 writes");
    let fios = shares(HostSchedulerKind::Fios);
    // A write takes some nine times as long as a read.
    assert!(fios > 5 * round_robin, "{fios} reads beside 300 writes");
}

/// Always the youngest.
struct Youngest;

impl HostScheduler for Youngest {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        Choice::Take(view.waiting.len() - 1)
    }
}

#[test]
fn no_request_is_overtaken_more_often_than_allowed() {
    let run = |max_overtakes| {
        let host = HostConfig { max_inside: 1, max_overtakes, ..HostConfig::default() };
        let setup = with_host(device(1, 1, 1, 1), host);
        let policy = HostPolicy::Custom(Box::new(Youngest));
        let (_, record) = record_with(&setup, vec![(rules("only"), reads(7))], Some(policy));
        let page = |event: &Event| match event {
            Event::Arrived { request, .. } => Some(request.offset / 4096),
            _ => None,
        };
        record.events().iter().filter_map(page).collect::<Vec<_>>()
    };
    assert_eq!(run(None), [6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(run(Some(2)), [6, 5, 0, 4, 3, 1, 2]);
}

/// Waits for a time before each request, or for ever.
struct Hesitant(u64);

impl HostScheduler for Hesitant {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        let until = if self.0 == 0 { Ns::NEVER } else { view.waiting[0].arrival + Ns(self.0) };
        if until > view.now { Choice::WaitUntil(until) } else { Choice::Take(0) }
    }
}

#[test]
fn a_scheduler_may_let_a_request_wait_but_not_for_good() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig { max_inside: 1, ..HostConfig::default() });
    let entered = |wait| {
        let policy = HostPolicy::Custom(Box::new(Hesitant(wait)));
        let list = vec![read(100, 0), read(150, 1)];
        entries(&record_with(&setup, vec![(rules("only"), list)], Some(policy)).1)
    };
    assert_eq!(entered(1000), [(0, 1100), (0, 1100 + READ)]);
    assert_eq!(entered(0), [(0, 100), (0, 100 + READ)]);
}

/// Every built-in: the compiler refuses a list that lacks one.
fn schedulers() -> [HostSchedulerKind; 4] {
    use HostSchedulerKind::*;
    match None {
        None | Piq | Fios | Paq => [None, Piq, Fios, Paq],
    }
}

fn any_flow() -> impl Strategy<Value = (FlowRules, u64, u64)> {
    let priorities =
        prop::sample::select(vec![Priority::Urgent, Priority::High, Priority::Medium, Priority::Low]);
    (any::<bool>(), 1u32..12, 0u64..100_000, 0u32..6, priorities, 1u32..5, (0u64..150, any::<u64>()))
        .prop_map(|(open, queue_depth, think_time_ns, max_outstanding, priority, weight, (count, seed))| {
            let submit_batch = 1 + (seed >> 8) as u32 % queue_depth;
            let arrivals = if open { Arrivals::Open } else { Arrivals::Closed };
            let stream = (seed % 3) as u16;
            let target = LatencyTarget {
                ns: 1 + seed % 3_000_000,
                percentile: [50.0, 99.0, 100.0][(seed >> 16) as usize % 3],
                window_ns: 1 + (seed >> 32) % 5_000_000,
                ramp_ns: 0,
                when_found: WhenFound::Hold,
            };
            let some = FlowRules {
                latency_target: (!open && seed & 4 == 0).then_some(target),
                arrivals,
                queue_depth,
                think_time_ns,
                submit_batch,
                max_outstanding,
                priority,
                weight,
                stream,
                ..rules("some")
            };
            (some, count, seed)
        })
}

fn any_host() -> impl Strategy<Value = HostConfig> {
    let kinds = vec![ArbitrationKind::RoundRobin, ArbitrationKind::Weighted, ArbitrationKind::Strict];
    let scheduler =
        (prop::sample::select(schedulers().to_vec()), 1u32..20, 1_000u64..2_000_000, 0u64..200_000);
    let arbitration = (prop::sample::select(kinds), prop::sample::select(vec![0u32, 1, 2, 8]));
    (1u32..9, prop::option::of(0u32..20), scheduler, arbitration).prop_map(
        |(max_inside, max_overtakes, (kind, window, timeslice_ns, anticipation_ns), (arbitration, burst))| {
            let mut host = HostConfig { max_inside, max_overtakes, ..HostConfig::default() };
            host.scheduler = HostSchedulerConfig { kind, window, timeslice_ns, anticipation_ns };
            if kind == HostSchedulerKind::None {
                (host.arbitration.kind, host.arbitration.burst) = (arbitration, burst);
            }
            host
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// In checked mode, so that blame adds up and the drive passes its audit.
    #[test]
    fn every_request_of_every_flow_is_served_within_the_bounds(
        host in any_host(),
        flows in prop::collection::vec(any_flow(), 1..5),
    ) {
        let (most, of_flow) = (host.max_inside as usize, flows.clone());
        let setup = with_host(device(2, 1, 2, 1), only_read_of_host(host));
        setup.validate().unwrap();
        let lists = flows.into_iter().map(|(rules, count, seed)| (rules, mixed(count, seed))).collect();
        let (report, record) = record_flows(&setup, lists);
        let mut inside = 0usize;
        for event in record.events() {
            match event {
                Event::Arrived { .. } => inside += 1,
                Event::Completed { .. } => inside -= 1,
                _ => {}
            }
            prop_assert!(inside <= most);
        }
        let order = flows_of(&record);
        for (number, (rules, count, _)) in of_flow.iter().enumerate() {
            prop_assert_eq!(order.iter().filter(|&&flow| usize::from(flow) == number).count() as u64, *count);
            if let Some(flow) = report.flows.get(number) {
                prop_assert_eq!(&flow.name, &rules.name);
                prop_assert_eq!(flow.read.requests + flow.write.requests + flow.trim.requests, *count);
            }
        }
        let repeated = of_flow.into_iter().map(|(rules, count, seed)| (rules, mixed(count, seed))).collect();
        prop_assert_eq!(record_flows(&setup, repeated).1.events(), record.events());
    }
}

#[test]
fn streams_keep_data_that_die_together_in_the_same_blocks() {
    let waf = |streams: [u16; 2]| {
        let mut drive = device(1, 1, 1, 1);
        drive.geometry.blocks = 64;
        let mut setup = with_host(drive, HostConfig { max_inside: 4, ..HostConfig::default() });
        setup.scheme.blocks.host_write_points = 2;
        setup.window.warmup_drive_writes = 4.0;
        let mut random = Random(1);
        let log = (0..5000).map(|number| write(0, number % 200)).collect();
        let updates = (0..5000).map(|_| write(0, 200 + random.below(400))).collect();
        let of = |name, stream| FlowRules { stream, ..closed_rules(name, 4) };
        let flows = vec![(of("log", streams[0]), log), (of("updates", streams[1]), updates)];
        record_flows(&setup, flows).0.waf.unwrap()
    };
    let (together, apart) = (waf([0, 0]), waf([0, 1]));
    assert!(apart - 1.0 < 0.9 * (together - 1.0), "WAF {together} together, {apart} apart");
}

#[test]
fn a_thousand_flows_share_a_drive_request_by_request() {
    let setup = arbitrated(ArbitrationKind::RoundRobin, 1, None);
    let flows = (0..1000).map(|number| (rules(&format!("{number}")), reads(2))).collect();
    let order = flows_of(&record_flows(&setup, flows).1);
    assert!(order.iter().enumerate().all(|(turn, &flow)| usize::from(flow) == turn % 1000));
}

#[test]
fn what_no_nvme_host_does_is_refused() {
    let error = |host: HostConfig| host.validate().unwrap_err().to_string();
    let default = HostConfig::default;
    let arbitration = |arbitration| HostConfig { arbitration, ..default() };
    let burst = ArbitrationConfig { burst: 3, ..Default::default() };
    assert!(error(arbitration(burst)).starts_with("arbitration.burst = 3: allowed: 1, 2, 4"));
    let heavy = ArbitrationConfig { high_weight: 257, ..Default::default() };
    assert_eq!(error(arbitration(heavy)), "arbitration.high_weight = 257: allowed: 1 to 256");
    let scheduler = HostSchedulerConfig { kind: HostSchedulerKind::Paq, ..Default::default() };
    let unbounded = HostConfig { scheduler: scheduler.clone(), ..default() };
    assert!(error(unbounded).starts_with("max_inside = 0: allowed: 1 to 1048576 with a scheduler"));
    let strict = ArbitrationConfig { kind: ArbitrationKind::Strict, ..Default::default() };
    let both = HostConfig { scheduler, max_inside: 4, arbitration: strict, ..default() };
    assert!(error(both).starts_with("arbitration.kind = \"strict\": allowed: round_robin with a scheduler"));
    let window = HostSchedulerConfig { window: 0, ..Default::default() };
    assert_eq!(
        error(HostConfig { scheduler: window, ..default() }),
        "scheduler.window = 0: allowed: 1 to 1024"
    );
    let flow = |rules: FlowRules| rules.validate().unwrap_err().to_string();
    assert_eq!(flow(closed_rules("x", 65_537)), "queue_depth = 65537: allowed: 1 to 65536");
    assert_eq!(flow(FlowRules { weight: 0, ..rules("x") }), "weight = 0: allowed: 1 to 256");
    let batch = FlowRules { submit_batch: 5, ..closed_rules("x", 4) };
    assert_eq!(flow(batch), "submit_batch = 5: allowed: 1 to 4, its queue_depth");
    let target =
        LatencyTarget { ns: 1, percentile: 0.0, window_ns: 1, ramp_ns: 0, when_found: WhenFound::Hold };
    let looking = FlowRules { latency_target: Some(target.clone()), ..closed_rules("x", 4) };
    assert_eq!(flow(looking), "latency_target.percentile = 0: allowed: 0.000001 to 100");
    let open = FlowRules { latency_target: Some(target), ..rules("x") };
    assert!(flow(open).starts_with("latency_target.ns = 1: allowed: left out with arrivals of their own"));
    let steady = SteadyEnd {
        of: SteadyOf::Iops,
        by: SteadyBy::Slope,
        limit_share: None,
        limit: Some(1.0),
        duration_ns: 1_999,
        interval_ns: 1_000,
        ramp_ns: 0,
    };
    let ends = |steady: SteadyEnd| flow(FlowRules { steady_end: Some(steady), ..rules("x") });
    assert!(ends(steady.clone()).starts_with("steady_end.duration_ns = 1999: allowed: 2 to 100000 times"));
    let both = SteadyEnd { duration_ns: 2_000, limit_share: Some(0.1), ..steady };
    assert_eq!(ends(both), "steady_end.limit = 1: allowed: left out beside limit_share");
    let none = replay_flows(
        &setup(device(1, 1, 1, 1)),
        &mut setup(device(1, 1, 1, 1)).prepare(&[]).unwrap(),
        Vec::new(),
        None,
        &mut Unobserved,
    );
    assert_eq!(none.unwrap_err().to_string(), "workload.flow = 0: allowed: 1 to 65535 flows");
}
