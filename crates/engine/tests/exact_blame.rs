//! Where the time of requests went adds up to their response times, exactly.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::device::*;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;

#[test]
fn blame_adds_up_exactly_for_every_request_whatever_happens() {
    for (depth, span) in [(4, SuperblockSpan::None), (32, SuperblockSpan::Drive), (64, SuperblockSpan::Die)] {
        let mut drive = device(2, 2, 1, 2);
        drive.geometry.mapping_unit_bytes = 2048;
        drive.link = LinkConfig {
            bytes_per_s: Some(500_000_000),
            submission_ns: 300,
            completion_ns: 200,
            ..LinkConfig::default()
        };
        drive.suspend = SuspendConfig {
            program_ns: Some(7_000),
            erase_ns: Some(9_000),
            resume_ns: 300,
            max_per_operation: 3,
            ..SuspendConfig::default()
        };
        drive.channel.read_command_ns = 290;
        let mut setup = setup(drive);
        setup.scheme.blocks.superblock = span;
        setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        setup.host = HostConfig { arrivals: Arrivals::Open, max_outstanding: depth, ..HostConfig::default() };
        setup.start = start(Occupancy::All, 1.0);
        let bytes = setup.logical_bytes().unwrap();
        let mut random = Random(u64::from(depth));
        let requests: Vec<_> = (0..20_000)
            .map(|number| {
                let op = if random.below(2) == 0 { HostOp::Read } else { HostOp::Write };
                let (offset, length) = (random.below(bytes), 1 + random.below(9_000));
                HostRequest {
                    time: Ns(number * 150_000),
                    op,
                    offset,
                    length: length.min(bytes - offset),
                    flow: 0,
                    stream: 0,
                }
            })
            .collect();
        // Checked mode compares the parts of every request with its response time; here are the sums.
        let (report, record) = record(&setup, requests.clone());
        let mut sums = [0u128; 2];
        for event in record.events() {
            if let Event::Completed { id, latency, at } = event {
                let request = &requests[id as usize];
                assert_eq!(at - request.time.0, latency);
                sums[usize::from(request.op == HostOp::Write)] += u128::from(latency);
            }
        }
        for (direction, sum) in [&report.read, &report.write].into_iter().zip(sums) {
            assert_eq!(direction.blame.mean.response_total_ns, sum);
            assert_eq!(direction.blame.mean.requests, direction.requests);
            for parts in [&direction.blame.mean, &direction.blame.tail] {
                assert_eq!(parts.total_ns.values().sum::<u128>(), parts.response_total_ns);
            }
            let tail = direction.blame.tail.requests as f64 / direction.requests as f64;
            assert!((0.009..0.05).contains(&tail), "a hundredth and its ties: {tail}");
        }
        let parts = &report.write.blame.mean.total_ns;
        for part in ["link", "cell", "transfer", "suspend", "die_wait.host_read", "die_wait.gc_erase"] {
            assert!(parts[part] > 0, "{part} took part");
        }
    }
}
