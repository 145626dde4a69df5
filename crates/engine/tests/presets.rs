//! Every preset parses, resolves, has the capacity that its source prints, and says where its figures come from.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common;
use std::fs;
use std::path::{Path, PathBuf};
use wordline_engine::host::HostOp;
use wordline_engine::{Kept, Setup};

use wordline_engine::config::cache::CacheKind;
use wordline_engine::config::{DeviceConfig, Layer, SchemeConfig, resolve_run};

const GIB: f64 = (1u64 << 30) as f64;

/// Name, raw bytes, host bytes, and by what share each may differ (blocks of a die don't divide every capacity).
const CAPACITIES: [(&str, f64, f64, f64); 20] = [
    ("collision", 1024.0 * GIB, 0.93 * 1024.0 * GIB, 2e-4),
    ("shuffler", 64.0 * GIB, 0.80 * 64.0 * GIB, 1e-12),
    ("pacp", 128.0 * GIB, 0.90 * 128.0 * GIB, 1e-12),
    ("astro", 64.0 * GIB, 64e9, 1e-12),
    ("hotr-slc", 80.0 * GIB, 0.85 * 80.0 * GIB, 1e-12),
    ("hotr-mlc", 80.0 * GIB, 0.85 * 80.0 * GIB, 1e-12),
    ("hotr-tlc", 80.0 * GIB, 0.85 * 80.0 * GIB, 1e-12),
    ("hotr-qlc", 80.0 * GIB, 0.85 * 80.0 * GIB, 1e-12),
    ("mqsim", 512.0 * GIB, 0.93 * 512.0 * GIB, 1e-12),
    ("enterprise-tlc", 64.0 * 64.0 * GIB, 3.84e12, 1e-3),
    ("client-qlc", 8.0 * 128.0 * GIB, 1e12, 1e-3),
    ("pm9a3-960", 16.0 * 64.0 * GIB, 960e9, 1e-3),
    ("p5520-1920", 32.0 * 64.0 * GIB, 1920e9, 0.035),
    ("7450pro-960", 16.0 * 64.0 * GIB, 960e9, 0.08),
    ("wd-sn640-class-960", 16.0 * 64.0 * GIB, 960e9, 1e-3),
    ("zn540", 32.0 * 128.0 * GIB, 4e12, 1e-3),
    ("970evo-1000", 32.0 * 32.0 * GIB, 1e12, 1e-3),
    ("980-1000", 16.0 * 64.0 * GIB, 1e12, 1e-3),
    ("670p-2000", 16.0 * 128.0 * GIB, 2e12, 2e-3),
    ("sz985-800", 128.0 * 8.0 * GIB, 800e9, 1e-3),
];

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets").join(kind)
}

/// Name and text of every preset of a kind, by name.
fn presets(kind: &str) -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(folder(kind))
        .expect("the presets' folder")
        .map(|entry| {
            let path = entry.expect("a preset").path();
            assert_eq!(path.extension().and_then(|ending| ending.to_str()), Some("toml"), "{path:?}");
            let name = path.file_stem().expect("a name").to_str().expect("UTF-8").to_owned();
            (name, fs::read_to_string(&path).expect("text"))
        })
        .collect();
    found.sort();
    found
}

fn layer(name: &str, text: &str) -> Layer {
    Layer::from_toml(&format!("{name}.toml"), text).unwrap_or_else(|error| panic!("{error}"))
}

fn resolve(device: (&str, &str), scheme: (&str, &str), set: &[(&str, &str)]) -> (DeviceConfig, SchemeConfig) {
    let set: Vec<_> = set.iter().map(|(path, value)| ((*path).to_owned(), (*value).to_owned())).collect();
    resolve_run(&layer(device.0, device.1), &layer(scheme.0, scheme.1), &set)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The drive and its own defaults of a scheme.
pub fn device(name: &str, set: &[(&str, &str)]) -> (DeviceConfig, SchemeConfig) {
    let text = fs::read_to_string(folder("devices").join(format!("{name}.toml"))).expect("a preset");
    resolve((name, &text), ("none", ""), set)
}

#[test]
fn every_drive_with_a_cache_may_offer_streams() {
    let mut count = 0;
    for (name, text) in presets("devices") {
        let points = [("scheme.blocks.host_write_points", "4")];
        let (device, scheme) = resolve((&name, &text), ("none", ""), &points);
        if scheme.cache.policy != CacheKind::None {
            wordline_engine::run::logical_bytes(&device, &scheme)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            count += 1;
        }
    }
    assert!(count > 8, "{count}");
}

fn raw_bytes(device: &DeviceConfig) -> f64 {
    device.geometry.physical_units() as f64 * f64::from(device.geometry.mapping_unit_bytes)
}

fn host_bytes(device: &DeviceConfig) -> f64 {
    match (device.capacity.user_bytes, device.capacity.overprovisioning) {
        (Some(bytes), _) => bytes as f64,
        (None, share) => raw_bytes(device) * (1.0 - share.expect("one of the two")),
    }
}

#[test]
fn every_device_resolves_with_every_scheme() {
    for (device_name, device_text) in presets("devices") {
        for (scheme_name, scheme_text) in presets("schemes") {
            let (device, scheme) = resolve((&device_name, &device_text), (&scheme_name, &scheme_text), &[]);
            assert_eq!(device.name, device_name);
            assert_eq!(scheme.name, scheme_name);
            assert!(!device.description.is_empty() && !scheme.description.is_empty());
        }
    }
}

#[test]
fn capacities_are_those_of_the_sources() {
    let names: Vec<String> = presets("devices").into_iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), CAPACITIES.len(), "{names:?}");
    for (name, raw, host, tolerance) in CAPACITIES {
        let (drive, _) = device(name, &[]);
        let off = (raw_bytes(&drive) / raw - 1.0).abs();
        assert!(off <= tolerance, "{name}: raw {}", raw_bytes(&drive));
        let off = (host_bytes(&drive) / host - 1.0).abs();
        assert!(off <= tolerance, "{name}: host {}", host_bytes(&drive));
    }
}

/// A full drive must be able to hold the free blocks that GC keeps, and a few open ones.
#[test]
fn gc_triggers_fit_the_spare_area() {
    for (name, ..) in CAPACITIES {
        let (drive, scheme) = device(name, &[]);
        let blocks = f64::from(drive.geometry.blocks);
        let spare = blocks * (1.0 - host_bytes(&drive) / raw_bytes(&drive));
        assert!(blocks * scheme.gc.trigger <= spare - 4.0, "{name}: {spare} spare blocks of each plane");
    }
}

#[test]
fn the_other_readings_resolve() {
    for channels in ["8", "16", "32", "48", "64"] {
        let (drive, _) = device("pacp", &[("device.geometry.channels", channels)]);
        assert_eq!(drive.geometry.channels.to_string(), channels);
    }
    device("collision", &[("device.geometry.mapping_unit_bytes", "4096")]);
    device("collision", &[("device.channel.mega_transfers_per_s", "125")]);
    device("mqsim", &[("device.channel.mega_transfers_per_s", "333.334")]);
}

/// The baseline sets nothing; the keys in its comments are the built-in defaults, and spelled right.
#[test]
fn the_comments_of_the_baseline_are_the_defaults() {
    let text = fs::read_to_string(folder("schemes").join("baseline.toml")).expect("a preset");
    let bare = |line: &str| {
        let code = line.strip_prefix("# ")?;
        let key = code
            .split_once(" = ")
            .is_some_and(|(key, _)| key.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        // Left out by default, so that it's refused beside a policy that doesn't read it.
        let owned = code.starts_with("hard_limit");
        ((key && !owned) || code.starts_with('[')).then(|| code.to_owned())
    };
    assert!(
        text.contains(&format!(
            "# hard_limit = {}_000 ",
            SchemeConfig::default().reclaim.hard_limit() / 1000
        ))
    );
    let uncommented: Vec<String> =
        text.lines().map(|line| bare(line).unwrap_or_else(|| line.to_owned())).collect();
    let mqsim = fs::read_to_string(folder("devices").join("mqsim.toml")).expect("a preset");
    let (_, mut scheme) = resolve(("mqsim", &mqsim), ("baseline", &uncommented.join("\n")), &[]);
    assert_eq!(scheme.gc.stop.take(), Some(scheme.gc.trigger));
    assert_eq!(std::mem::take(&mut scheme.scheduler.tiers).len(), 2);
    assert!(scheme.scheduler.starvation_bound_ns.take().is_some());
    assert!(scheme.gc.background.take().is_some() && scheme.gc.pace.take().is_some());
    assert!(scheme.wear.static_spread.take().is_some());
    let defaults = SchemeConfig {
        name: scheme.name.clone(),
        description: scheme.description.clone(),
        ..SchemeConfig::default()
    };
    assert_eq!(scheme, defaults);
}

/// Whether a line gives a figure.
fn is_figure(line: &str) -> bool {
    let code = line.split('#').next().unwrap_or_default();
    let value = code.split_once('=').map(|(_, value)| value.trim_start()).unwrap_or_default();
    value.starts_with(|c: char| c.is_ascii_digit() || c == '[')
}

#[test]
fn every_figure_of_a_device_names_its_source() {
    for (name, text) in presets("devices") {
        let mut above = "";
        for line in text.lines() {
            let said = line.contains('#') || above.starts_with('#');
            assert!(!is_figure(line) || said, "{name}: no source for `{line}`");
            above = line;
        }
    }
}

#[test]
fn every_device_runs_the_baseline_at_its_full_size() {
    for (name, _) in presets("devices") {
        let (device, scheme) = device(&name, &[]);
        let mut setup =
            Setup { device, scheme, kept: Kept::Nothing, ..common::setup(common::device(1, 1, 1, 1)) };
        setup.host = common::closed(16);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = common::Random(9);
        let mut source = common::made(3_000, |number| {
            let op = if number % 10 < 7 { HostOp::Read } else { HostOp::Write };
            common::request(0, op, random.below(pages - 4), 1 + random.below(4))
        });
        let report = common::run(&setup, &mut source).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((report.read.requests, report.write.requests), (2_100, 900), "{name}");
        for direction in [&report.read, &report.write] {
            let blame = &direction.blame.mean;
            assert_eq!(blame.total_ns.values().sum::<u128>(), blame.response_total_ns, "{name}");
        }
        // No read is faster than the fastest cell, no drive slower than its slowest operations one after the other.
        // Where a buffer answers, so few writes stay there, and are read there.
        let buffered = setup.scheme.cache.policy != CacheKind::None;
        let fastest = setup.device.cell.read_ns.iter().min().copied().unwrap_or(0);
        assert!(buffered || report.read.latency_ns.min >= fastest, "{name}: {}", report.read.latency_ns.min);
        assert!(report.read.latency_ns.p50 >= fastest, "{name}: {}", report.read.latency_ns.p50);
        assert!((buffered || report.flash.programs >= 900 / 16) && report.flash.reads > 0, "{name}");
    }
}
