//! Drives with the firmware that they are sold with: a constant overload, one write at a time, and writes in order.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "the figures that docs/devices.md has")]

use crate::common::*;
use crate::presets;
use wordline_engine::Setup;
use wordline_engine::config::run::{Arrivals, HostConfig, Occupancy, StartLayout};
use wordline_engine::host::HostRequest;
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;

const MS: u64 = 1_000_000;

/// The preset with an eighth of its blocks, a sixteenth as long each; the shares of its space as they are.
fn enterprise() -> Setup {
    let (device, scheme) = presets::device(
        "enterprise-tlc",
        &[
            ("device.geometry.blocks", "171"),
            ("device.geometry.pages", "96"),
            ("device.capacity.user_bytes", "30046945280"),
        ],
    );
    let mut setup = Setup { device, scheme, checked: false, ..setup(device_of_a_die()) };
    setup.start = start(Occupancy::All, 0.0);
    setup.start.layout = StartLayout::Steady;
    setup
}

fn device_of_a_die() -> wordline_engine::config::DeviceConfig {
    device(1, 1, 1, 1)
}

/// Random overwrites of 4 KiB at these times.
fn random_writes(setup: &Setup, count: u64, every: u64) -> Made<impl FnMut(u64) -> HostRequest + use<>> {
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(11);
    made(count, move |number| write(number * every, random.below(pages)))
}

/// Writes answered in each 10 ms.
fn timeline(setup: &Setup, source: &mut dyn wordline_engine::host::RequestSource) -> (Report, Vec<f64>) {
    let drive = setup.prepare(&[]).unwrap();
    let (report, record) = record_on(setup, drive, source).unwrap();
    let ends = record.completions();
    let mut counts = vec![0.0; (ends.iter().max().unwrap() / (10 * MS)) as usize + 1];
    ends.iter().for_each(|at| counts[(at / (10 * MS)) as usize] += 1.0);
    counts.pop();
    (report, counts)
}

#[test]
fn tmp_look() {
    let mut setup = enterprise();
    setup.host = closed(256);
    let begun = std::time::Instant::now();
    let (report, counts) = timeline(&setup, &mut random_writes(&setup, 300_000, 0));
    println!("{:?}", begun.elapsed());
    println!("{counts:?}");
    println!("waf {:?} gc {:?} paced {:?} iops {} lat {:?}", report.waf, report.gc, report.paced_gc, report.write.iops, report.write.latency_ns);
    println!("cache {:?}", report.cache);
    println!("flash {:?}", report.flash);
}
