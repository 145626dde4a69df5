//! The benchmarks.

use std::time::Instant;

use wordline_engine::config::device::DeviceConfig;
use wordline_engine::config::run::{HostConfig, Occupancy, StartConfig};
use wordline_engine::config::{SchemeConfig, WindowConfig};
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::rng::{self, Xoshiro256PlusPlus};
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};

use crate::measure::{report, resident_bytes};

/// Uniformly random requests of one size over the whole drive.
struct Uniform {
    left: u64,
    pages: u32,
    bytes: u64,
    read_share: f64,
    address: Xoshiro256PlusPlus,
    kind: Xoshiro256PlusPlus,
}

impl Uniform {
    fn new(count: u64, drive: u64, bytes: u64, read_share: f64) -> Self {
        let pages = (drive / bytes) as u32;
        let (address, kind) = (rng::stream(1, "address"), rng::stream(1, "kind"));
        Self { left: count, pages, bytes, read_share, address, kind }
    }
}

impl RequestSource for Uniform {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(1024) {
            let read = f64::from(rng::below(&mut self.kind, 1 << 20)) < self.read_share * f64::from(1 << 20);
            let op = if read { HostOp::Read } else { HostOp::Write };
            let offset = u64::from(rng::below(&mut self.address, self.pages)) * self.bytes;
            batch.push(HostRequest { time: Ns::ZERO, op, offset, length: self.bytes, flow: 0 });
        }
        self.left -= self.left.min(1024);
        Ok(())
    }
}

/// The drives: MQSim's shipped one, and 1 TB of 4 KiB pages.
const DRIVES: [(&str, &str); 2] = [
    ("mqsim", include_str!("../../../presets/devices/mqsim.toml")),
    ("1TB-4k", include_str!("../drives/1tb-4k.toml")),
];

fn setup(text: &str, queue_depth: u32, overwrite: f64) -> Result<Setup, String> {
    let mut table: toml::Table = text.parse().map_err(|error| format!("{error}"))?;
    let scheme = table.remove("scheme").map_or(Ok(SchemeConfig::default()), |scheme| scheme.try_into());
    let device: DeviceConfig = table.try_into().map_err(|error| format!("{error}"))?;
    Ok(Setup {
        device,
        scheme: scheme.map_err(|error| format!("{error}"))?,
        host: HostConfig { queue_depth, ..HostConfig::default() },
        start: StartConfig { occupancy: Occupancy::All, overwrite },
        window: WindowConfig::default(),
        seed: 1,
        checked: false,
    })
}

/// Runs what the words select; everything without words.
pub fn run_all(words: &[String]) -> Result<(), String> {
    let wanted = |name: &str| words.iter().all(|word| name.contains(word.as_str()));
    for (drive, text) in DRIVES {
        if words.first().is_none_or(|word| drive.contains(word.as_str())) {
            speeds(drive, text, &wanted)?;
        }
    }
    Ok(())
}

fn speeds(drive: &str, text: &str, wanted: &dyn Fn(&str) -> bool) -> Result<(), String> {
    let untouched_before = resident_bytes();
    let base = setup(text, 16, 0.0)?;
    let fresh = base.prepare(&[]).map_err(|error| error.to_string())?;
    let untouched = resident_bytes().saturating_sub(untouched_before);
    let logical = fresh.logical_bytes();
    let units = base.device.geometry.physical_units() as f64;
    report(
        &format!("{drive}: memory of the untouched drive / full tables"),
        untouched as f64 / (8.0 * units),
        "",
        1.0 / 16.0,
        false,
    );
    drop(fresh);
    let started = Instant::now();
    let share: f64 = std::env::var("OVERWRITE").ok().and_then(|v| v.parse().ok()).unwrap_or(0.3);
    let mut device = setup(text, 16, share)?.prepare(&[]).map_err(|error| error.to_string())?;
    let wall = started.elapsed().as_secs_f64();
    let pages = 0.3 * logical as f64 / f64::from(base.device.geometry.mapping_unit_bytes);
    println!("{drive}: overwritten at random: {:.1} ns a page of the host ({wall:.1} s)", wall * 1e9 / pages);
    let bytes = resident_bytes().saturating_sub(untouched_before) as f64 / units;
    report(&format!("{drive}: memory"), bytes, "B/page", 10.0, false);
    for (name, count, read_share, depth, goal) in [
        ("4 KiB random reads, queue depth 16", 4_000_000, 1.0, 16, 3.0),
        ("4 KiB random reads, queue depth 64", 4_000_000, 1.0, 64, 3.0),
        ("4 KiB random reads, queue depth 256", 4_000_000, 1.0, 256, 3.0),
        ("4 KiB random writes under GC, queue depth 16", 1_000_000, 0.0, 16, 1.5),
        ("70/30 mix under GC, queue depth 16", 2_000_000, 0.7, 16, 1.5),
    ] {
        if !wanted(&format!("{drive}: {name}")) {
            continue;
        }
        let setup = setup(text, depth, 0.0)?;
        let size = u64::from(setup.device.geometry.mapping_unit_bytes).min(4096);
        let count = std::env::var("REQUESTS").ok().and_then(|v| v.parse().ok()).unwrap_or(count);
        let mut source = Uniform::new(count, logical, size, read_share);
        let before = device.flash_operations();
        let started = Instant::now();
        let outcome =
            replay(&setup, &mut device, &mut source, &mut Unobserved).map_err(|error| error.to_string())?;
        let wall = started.elapsed().as_secs_f64();
        let operations = (outcome.flash_operations - before) as f64;
        report(&format!("{drive}: {name}"), operations / wall / 1e6, "M flash ops/s", goal, true);
        let _ = outcome
            .report
            .waf
            .map(|waf| println!("    WAF {waf:.2}, {:.0} ns a flash operation", wall * 1e9 / operations));
    }
    Ok(())
}
