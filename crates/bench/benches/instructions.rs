//! Instructions of the hot paths, counted by callgrind: they hold still on a busy machine. Each count has a bound, 5% above
//! what was counted last; a change that needs more must move the bound, and say why.
//!
//! The release build at the end of the issue before the drive's optional parts took 2,871 instructions for a random read
//! and 56,410 for a random write with the 25.3 flash operations of its garbage collection, counted on the same drive.
#![allow(missing_docs, reason = "the macros make items without")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

use std::hint::black_box;

use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind};
use wordline_engine::config::layers::Layer;
use wordline_engine::config::run::{HostConfig, Occupancy, StartConfig};
use wordline_engine::config::{MeasureConfig, WindowConfig, resolve_run};
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};

const DRIVE: &str = include_str!("../drives/1tb-4k.toml");

/// Instructions that 20,000 random reads at queue depth 16 may take.
const READS: u64 = 0;
/// Instructions that 1,000 random writes under garbage collection may take.
const WRITES: u64 = 0;
/// Instructions that the preparation of the drive may take: its pages overwritten once.
const PREPARATION: u64 = 0;

/// Uniform requests of a page each.
struct Random {
    left: u64,
    pages: u64,
    op: HostOp,
    state: u64,
}

impl RequestSource for Random {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(512) {
            self.left -= 1;
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let offset = (self.state >> 33) % self.pages * 4096;
            batch.push(HostRequest { time: Ns::ZERO, op: self.op, offset, length: 4096, flow: 0, stream: 0 });
        }
        Ok(())
    }
}

/// A 64th of the drive.
fn setup() -> Setup {
    let blocks = vec![("device.geometry.blocks".to_owned(), "32".to_owned())];
    let device = Layer::from_toml("device", DRIVE).unwrap();
    let (device, scheme) = resolve_run(&device, &Layer::from_toml("scheme", "").unwrap(), &blocks).unwrap();
    Setup {
        device,
        scheme,
        host: HostConfig { queue_depth: 16, ..HostConfig::default() },
        start: StartConfig { occupancy: Occupancy::All, overwrite: 1.0 },
        window: WindowConfig::default(),
        measure: MeasureConfig::default(),
        seed: 1,
        checked: false,
    }
}

type Load = (Setup, Device, Random);

fn load(op: HostOp, requests: u64) -> Load {
    let setup = setup();
    let device = setup.prepare(&[]).unwrap();
    let pages = setup.logical_bytes().unwrap() / 4096;
    (setup, device, Random { left: requests, pages, op, state: 7 })
}

fn reads() -> Load {
    load(HostOp::Read, 20_000)
}

fn writes() -> Load {
    load(HostOp::Write, 1_000)
}

fn at_most(instructions: u64) -> LibraryBenchmarkConfig {
    let mut callgrind = Callgrind::default();
    callgrind.hard_limits([(EventKind::Ir, instructions)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(callgrind);
    config
}

#[library_benchmark(config = at_most(READS), setup = reads)]
#[bench::queue_depth_16()]
fn random_reads((setup, mut device, mut source): Load) -> Device {
    black_box(replay(&setup, &mut device, &mut source, &mut Unobserved).unwrap());
    device
}

#[library_benchmark(config = at_most(WRITES), setup = writes)]
#[bench::queue_depth_16()]
fn random_writes((setup, mut device, mut source): Load) -> Device {
    black_box(replay(&setup, &mut device, &mut source, &mut Unobserved).unwrap());
    device
}

#[library_benchmark(config = at_most(PREPARATION), setup = setup)]
#[bench::once()]
fn overwriting(setup: Setup) -> Device {
    black_box(setup.prepare(&[]).unwrap())
}

library_benchmark_group!(name = hot_paths, benchmarks = [random_reads, random_writes, overwriting]);
main!(library_benchmark_groups = hot_paths);
