//! Requests of several mapping units leave their units side by side: a drive that is laid out by the formula reads and writes as
//! one on which such requests were carried out, and as one that they overwrote with simulated time.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "figures beside their bounds, for --nocapture")]

use crate::common::*;
use wordline_engine::config::run::StartLayout;
use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::host::{HostOp, RequestSource};
use wordline_engine::stats::report::Report;
use wordline_engine::{Before, Overwrites, Setup, Unobserved, WritePattern, replay};

/// How a drive comes to its start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// By the formula, where there is one.
    Formula,
    /// Overwrites of the workload's own without simulated time: of several sizes from single units that lie anywhere.
    CarriedOut,
    /// Requests of the workload's own with simulated time, which overwrite the drive so many times.
    Timed(u64),
}

/// Sizes of requests, mapping units, each as often as the others.
#[derive(Clone, Copy, Debug)]
struct Load {
    sizes: &'static [u64],
    /// Whether the scheme has what no formula knows: requests then are carried out whatever their size.
    keys: &'static [(&'static str, &'static str)],
}

impl Load {
    fn smallest(self) -> u64 {
        self.sizes.iter().copied().min().unwrap()
    }

    fn requests(self, pages: u64, seed: u64, count: u64) -> impl RequestSource {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let aligned = self.smallest();
        made(count, move |_| {
            let size = self.sizes[random.below(self.sizes.len() as u64) as usize];
            let op = if random.below(10) < 7 { HostOp::Read } else { HostOp::Write };
            let page = random.below((pages - size) / aligned + 1) * aligned;
            request(0, op, page, size)
        })
    }

    /// Four dies of `enterprise-tlc`, with its firmware, as much smaller in all else.
    fn setup(self, seed: u64) -> Setup {
        let mut keys: Vec<(String, String)> = [
            ("device.geometry.channels", "2"),
            ("device.geometry.ways", "2"),
            ("device.geometry.dies", "1"),
            ("device.geometry.blocks", "64"),
            ("device.geometry.pages", "48"),
            ("device.capacity.overprovisioning", "0.2"),
            ("scheme.cache.bytes", "4194304"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        keys.extend(self.keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        let text = include_str!("../../../presets/devices/enterprise-tlc.toml")
            .replace("user_bytes = 3_840_755_982_336", "");
        let scheme = include_str!("../../../presets/schemes/baseline.toml");
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let (device, scheme) = resolve_run(&layer(&text), &layer(scheme), &keys).unwrap();
        let mut setup = setup(device);
        setup.scheme = scheme;
        setup.host = closed(4);
        setup.start.layout = StartLayout::Steady;
        (setup.kept, setup.seed) = (Kept::Nothing, seed);
        setup
    }

    fn run(self, way: Way, seed: u64, count: u64) -> (Setup, Report) {
        let mut setup = self.setup(seed);
        let bytes = self.sizes.iter().copied().max().unwrap() * 4096;
        let overwrites = Overwrites { bytes, evenly: self.sizes.len() == 1 };
        let formula = way == Way::Formula && setup.has_steady_formula(overwrites);
        let units = setup.units_written_together(bytes).unwrap_or(1);
        setup.pattern = match way {
            Way::Formula => WritePattern::of(units, (!formula).then(|| format!("{:?}", self.sizes))),
            Way::CarriedOut => {
                // Units of one size that once lay apart part others when they are moved: such a drive had another past.
                let begins = if overwrites.evenly { units } else { 1 };
                WritePattern::of(begins, Some(format!("{:?}", self.sizes)))
            }
            Way::Timed(_) => None,
        };
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mean = self.sizes.iter().sum::<u64>() as f64 / self.sizes.len() as f64;
        let settle = setup.settling_requests(mean * 0.3 * 4096.0);
        setup.window.warmup_requests = match way {
            Way::Timed(times) => (times as f64 * pages as f64 / (mean * 0.3)) as u64,
            _ => settle,
        };
        let mut past = self.requests(pages, seed + 1000, u64::MAX);
        let carries_out = way == Way::CarriedOut || (way == Way::Formula && !formula);
        let before = Before {
            pattern: carries_out.then_some(&mut past as &mut dyn RequestSource),
            ..Before::default()
        };
        let mut drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
        let mut source = self.requests(pages, seed, setup.window.warmup_requests + count);
        let report = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap().report;
        (setup, report)
    }

    /// Flash reads for a host read, WAF, mean and p99 of reads and writes, µs, each of several runs.
    fn figures(self, way: Way, runs: u64, count: u64) -> [Figure; 6] {
        let all: Vec<[f64; 6]> = (0..runs)
            .map(|seed| {
                let (_, report) = self.run(way, seed, count);
                let reads =
                    report.flash.by_class["host_read"].operations as f64 / report.read.requests as f64;
                let [read, write] = [&report.read, &report.write].map(|direction| &direction.latency_ns);
                let us = |ns: u64| ns as f64 / 1000.0;
                let waf = report.waf.unwrap();
                [reads, waf, read.mean / 1000.0, us(read.p99), write.mean / 1000.0, us(write.p99)]
            })
            .collect();
        [0, 1, 2, 3, 4, 5].map(|which| Figure::of(all.iter().map(|run| run[which])))
    }
}

/// A figure over several runs.
#[derive(Clone, Copy, Debug)]
struct Figure {
    mean: f64,
    /// Standard error.
    error: f64,
}

impl Figure {
    fn of(values: impl Iterator<Item = f64> + Clone) -> Self {
        let count = values.clone().count() as f64;
        let mean = values.clone().sum::<f64>() / count;
        let squares = values.map(|value| (value - mean).powi(2)).sum::<f64>();
        Self { mean, error: (squares / (count * (count - 1.0))).sqrt() }
    }
}

const NAMES: [&str; 6] =
    ["flash reads for a read", "WAF", "read mean", "read p99", "write mean", "write p99"];

fn print(load: Load, way: Way, figures: &[Figure; 6]) {
    let text: Vec<String> = figures
        .iter()
        .zip(NAMES)
        .map(|(f, name)| format!("{name} {:.3} ± {:.3}", f.mean, 2.0 * f.error))
        .collect();
    println!("{:?} {way:?}: {}", load.sizes, text.join(", "));
}

const LOADS: [&[u64]; 5] = [&[1], &[2], &[4], &[8], &[16]];

/// By how much two figures may differ beyond chance: means and ratios, and percentiles.
const SPARE: [f64; 2] = [0.03, 0.06];

fn are_alike(load: Load, one: &[Figure; 6], other: &[Figure; 6]) {
    for (number, name) in NAMES.iter().enumerate() {
        let (one, other) = (one[number], other[number]);
        let spare = SPARE[usize::from(name.contains("p99"))] * other.mean;
        // Few runs tell their variance badly: the 99.9% quantile of Student's t for six degrees of freedom.
        let allowed = 5.96 * (one.error.powi(2) + other.error.powi(2)).sqrt() + spare;
        let off = (one.mean - other.mean).abs();
        assert!(off <= allowed, "{:?} {name}: {one:?} and {other:?}, allowed {allowed}", load.sizes);
    }
}

#[test]
fn the_formula_is_what_carried_out_requests_lead_to() {
    for sizes in LOADS {
        let load = Load { sizes, keys: &[] };
        let [formula, carried_out] = [Way::Formula, Way::CarriedOut].map(|way| {
            let figures = load.figures(way, 4, 4_000);
            print(load, way, &figures);
            figures
        });
        are_alike(load, &formula, &carried_out);
    }
}

/// Requests of several sizes have no formula: wherever carrying them out begins, it leads to the same.
#[test]
fn several_sizes_lead_to_one_state_from_wherever_they_begin() {
    let loads: [&[u64]; 2] = [&[1, 16], &[2, 4, 8]];
    for sizes in loads {
        let load = Load { sizes, keys: &[] };
        let [together, alone] = [Way::Formula, Way::CarriedOut].map(|way| {
            let figures = load.figures(way, 4, 4_000);
            print(load, way, &figures);
            figures
        });
        are_alike(load, &together, &alone);
    }
}

/// Where collection by thresholds rests, the program unit that it fills is left, with simulated time and without: requests of a flash
/// page are parted less than by moves that follow one another without a gap (1.41 reads for each).
#[test]
fn requests_of_a_flash_page_are_hardly_parted_where_collection_rests() {
    let keys = &[
        ("scheme.gc.pace.band", "0"),
        ("scheme.gc.policy", "\"windowed_greedy\""),
        ("scheme.blocks.superblock", "\"none\""),
    ];
    let load = Load { sizes: &[4], keys };
    for way in [Way::CarriedOut, Way::Timed(8)] {
        let figures = load.figures(way, 2, 2_000);
        print(load, way, &figures);
        assert!(figures[0].mean < 1.3, "{way:?} {figures:?}");
    }
}

#[test]
#[ignore = "a look at all three ways, which takes minutes"]
fn requests_with_simulated_time_lead_there_too() {
    for sizes in LOADS {
        let load = Load { sizes, keys: &[] };
        for way in [Way::Formula, Way::CarriedOut, Way::Timed(5)] {
            print(load, way, &load.figures(way, 4, 10_000));
        }
    }
}
