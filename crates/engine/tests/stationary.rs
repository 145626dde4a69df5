//! A drive laid out in the steady state is in it from the first request on: write amplification and latencies of the first
//! thousandth, hundredth and tenth of a long run have the expectation of the long run's.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "the figures that docs/validation.md has")]

use crate::common::*;
use wordline_engine::config::device::CapacityConfig;
use wordline_engine::config::run::StartLayout;
use wordline_engine::config::scheme::GcKind;
use wordline_engine::{Setup, Split, Stop, Unobserved, replay_in_parts};

const LONG: u64 = 400_000;

fn laid_out(policy: GcKind, queue_depth: u32) -> Setup {
    let mut drive = device(4, 4, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (128, 32);
    drive.capacity = CapacityConfig { overprovisioning: Some(0.2), user_bytes: None };
    let mut setup = setup(drive);
    setup.scheme.gc.policy = policy;
    setup.host = closed(queue_depth);
    setup.start.layout = StartLayout::Steady;
    setup.checked = false;
    setup
}

/// WAF and mean response time, µs, of the first `requests` uniform writes of a run with this seed.
fn first(setup: &Setup, seed: u64, requests: u64) -> [f64; 2] {
    let setup = Setup { seed, ..setup.clone() };
    let logical = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let settling = setup.settling_requests(4096.0);
    let mut setup = setup;
    setup.window.warmup_requests = settling;
    let mut source = made(settling + requests + 2 * 64, |_| write(0, random.below(logical)));
    let mut device = setup.prepare(&[]).unwrap();
    // It stops while others are under way, as a part of a long run does.
    let stop = Stop { after_requests: settling + requests, ..Stop::default() };
    let split = Split { stop, ..Split::default() };
    replay_in_parts(&setup, &mut device, &mut source, &mut Unobserved, split).unwrap();
    let report = device.report();
    [report.waf.unwrap(), report.write.latency_ns.mean / 1000.0]
}

#[test]
fn explore() {
    for policy in [GcKind::Greedy, GcKind::DChoices, GcKind::Random, GcKind::Fifo] {
        for queue_depth in [1, 16, 64] {
            let setup = laid_out(policy, queue_depth);
            let long = first(&setup, 99, LONG);
            for (part, seeds) in [(1000, 60), (100, 20), (10, 5)] {
                let runs: Vec<[f64; 2]> = (0..seeds).map(|seed| first(&setup, seed, LONG / part)).collect();
                let text: Vec<String> = [0, 1]
                    .map(|index| {
                        let mean = runs.iter().map(|run| run[index]).sum::<f64>() / seeds as f64;
                        let var = runs.iter().map(|run| (run[index] - mean).powi(2)).sum::<f64>()
                            / (seeds - 1) as f64;
                        format!("{mean:.3} ± {:.3} of {:.3}", 2.0 * (var / seeds as f64).sqrt(), long[index])
                    })
                    .to_vec();
                println!("{policy:?} {queue_depth} 1/{part}: {}", text.join("  "));
            }
        }
    }
}
