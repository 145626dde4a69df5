//! Flows that end by themselves: when the queue depth is found that keeps a latency, and when they are steady.

use crate::common::*;
use crate::flows::{READ, closed_rules, flows_of, reads, record_flows, with_host};
use wordline_engine::config::host::{FlowRules, HostConfig};
use wordline_engine::config::latency_target::{LatencyTarget, WhenFound};
use wordline_engine::config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};

#[test]
fn a_flow_finds_how_many_requests_may_be_outstanding_while_answers_come_in_time() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig::default());
    // One die: of n requests outstanding each takes n reads.
    let found = |queue_depth, most_reads, count| {
        let target = LatencyTarget {
            ns: most_reads * READ,
            percentile: 100.0,
            window_ns: 50 * READ,
            ramp_ns: 0,
            when_found: WhenFound::Stop,
        };
        let looking = FlowRules { latency_target: Some(target), ..closed_rules("looking", queue_depth) };
        let (report, record) =
            record_flows(&setup, vec![(looking, (0..count).map(|n| read(0, n % 64)).collect())]);
        let target = report.latency_targets[0].clone();
        (target.queue_depth, target.is_found, flows_of(&record).len() as u64)
    };
    let (depth, is_found, taken) = found(64, 11, 5_000);
    assert_eq!((depth, is_found), (Some(11), true));
    assert!((300..1_000).contains(&taken), "{taken}");
    assert_eq!(found(8, 11, 5_000).0, Some(8));
    assert_eq!(found(64, 11, 120), (Some(2), false, 120));
    let too_fast =
        LatencyTarget { ns: 1, percentile: 99.0, window_ns: READ, ramp_ns: 0, when_found: WhenFound::Stop };
    let looking = FlowRules { latency_target: Some(too_fast), ..closed_rules("looking", 4) };
    let (report, _) = record_flows(&setup, vec![(looking, reads(64))]);
    assert_eq!((report.latency_targets[0].queue_depth, report.latency_targets[0].is_found), (None, true));
    assert!(report.notes().iter().any(|note| note.kind == "latency_target"));
}

#[test]
fn flows_of_a_group_end_together_when_their_rate_is_steady() {
    let setup = with_host(device(1, 1, 1, 1), HostConfig::default());
    let rule = SteadyEnd {
        of: SteadyOf::Iops,
        by: SteadyBy::Deviation,
        limit_share: Some(0.1),
        limit: None,
        duration_ns: 8 * 50 * READ,
        interval_ns: 50 * READ,
        ramp_ns: 0,
    };
    let run = |group: &str, think_time_ns| {
        let flow = |name: &str, think_time_ns, first| {
            let (steady_end, group) = (Some(rule.clone()), group.to_owned());
            let flow = FlowRules { steady_end, group, think_time_ns, ..closed_rules(name, 2) };
            (flow, (0u64..3_000).map(|n| read(0, first + n % 64)).collect())
        };
        let (report, record) = record_flows(&setup, vec![flow("a", 0, 0), flow("b", think_time_ns, 64)]);
        let taken = flows_of(&record);
        let of = |flow| taken.iter().filter(|&&other| other == flow).count();
        ([of(0), of(1)], report)
    };
    // One die: both together have a read every READ, whatever each has.
    let ([a, b], report) = run("g", 0);
    assert!((395..=420).contains(&(a + b)), "{a} {b}");
    assert_eq!(report.steady_ends[0].flows, ["a", "b"]);
    assert!(report.steady_ends[0].attained && report.steady_ends.len() == 1);
    assert!(report.notes().iter().any(|note| note.kind == "steady_end"));
    // One that hardly comes is never steady by itself.
    let ([_, b], report) = run("", 40 * READ);
    assert_eq!((b, report.steady_ends[0].attained, report.steady_ends[1].attained), (3_000, true, false));
    assert!(report.notes().iter().any(|note| note.kind == "not_steady"));
}
