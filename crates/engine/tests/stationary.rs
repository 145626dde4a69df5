//! A drive laid out in the steady state is in it from the first request on: write amplification and response times of the
//! first thousandth, hundredth and tenth of a long run have the expectation of the long run's.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "figures beside their bounds, for --nocapture")]

use crate::common::*;
use wordline_engine::config::array::{ArrayConfig, ArrayLayout, ArrayMember, MirrorServe};
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::{CapacityConfig, CellTechnology};
use wordline_engine::config::nand_modes::SlcModeConfig;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::{GcKind, MappingKind, SuperblockSpan};
use wordline_engine::config::slc_cache::{SlcCacheConfig, SlcCacheKind, WhenFull};
use wordline_engine::host::{HostOp, RequestSource};
use wordline_engine::{
    Before, LookedUp, Overwrites, Setup, Split, Stop, Unobserved, WritePattern, replay, replay_in_parts,
};

/// Writes of the long run.
const LONG: u64 = 200_000;

/// Which pages are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    Uniform,
    /// Nine tenths of the writes go to a tenth of the pages.
    HotCold,
    /// Zipf, exponent 0.9.
    Zipf,
}

impl Pattern {
    /// Writes without end of a drive of so many pages. Hot pages are the same whatever the seed.
    fn writes(self, pages: u64, seed: u64, count: u64) -> impl RequestSource {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        // Neighbours in rank lie apart; the number is prime to that of the pages.
        let place = move |rank: u64| rank * 7_919 % pages;
        let unit = move |random: &mut Random| random.below(1 << 53) as f64 / (1u64 << 53) as f64;
        made(count, move |_| {
            let page = match self {
                Self::Uniform => random.below(pages),
                Self::HotCold if unit(&mut random) < 0.9 => place(random.below(pages / 10)),
                Self::HotCold => place(pages / 10 + random.below(pages - pages / 10)),
                // The continuous inverse of the distribution, whose ranks are those of Zipf's law but for the first few.
                Self::Zipf => {
                    let whole = (pages as f64).powf(0.1) - 1.0;
                    place(((1.0 + unit(&mut random) * whole).powf(10.0) - 1.0) as u64 % pages)
                }
            };
            write(0, page)
        })
    }
}

/// What differs between the drives.
#[derive(Clone, Copy, Debug)]
struct Case {
    policy: GcKind,
    pattern: Pattern,
    queue_depth: u32,
    buffered: bool,
    paced: bool,
    /// An SLC cache, and what a write does that finds no room in it.
    slc: Option<WhenFull>,
    /// Whether a sixth of the map's entries are cached.
    demand: bool,
    /// Whether the map is kept on flash by a journal, on superblocks of all dies.
    journaled: bool,
}

const PLAIN: Case = Case {
    policy: GcKind::Greedy,
    pattern: Pattern::Uniform,
    queue_depth: 16,
    buffered: false,
    paced: false,
    slc: None,
    demand: false,
    journaled: false,
};

impl Case {
    fn overwrites(self) -> Overwrites {
        Overwrites { bytes: 4096, evenly: self.pattern == Pattern::Uniform }
    }

    fn setup(self, seed: u64) -> Setup {
        let mut drive = device(4, 4, 1, 1);
        (drive.geometry.blocks, drive.geometry.pages) = (128, 32);
        drive.capacity = CapacityConfig { overprovisioning: Some(0.2), user_bytes: None };
        let mut setup = setup(drive);
        setup.scheme.gc.policy = self.policy;
        if self.buffered {
            setup.scheme.cache.policy = CacheKind::WriteBuffer;
            setup.scheme.cache.bytes = CacheBytes::Bytes(1 << 20);
        }
        if self.paced {
            setup.scheme.gc.pace = Some(PaceConfig { band: 2 });
        }
        if let Some(when_full) = self.slc {
            setup.device.cell.technology = CellTechnology::Tlc;
            setup.device.slc_mode =
                Some(SlcModeConfig { read_ns: 20_000, program_ns: 50_000, erase_ns: 1_000_000 });
            // Twelve blocks of each plane: more than settles in requests.
            let bytes = Some(12 * 10 * 4096 * 16);
            setup.scheme.slc_cache = SlcCacheConfig {
                policy: SlcCacheKind::Static,
                bytes,
                when_full,
                ..SlcCacheConfig::default()
            };
            setup.start.settle_requests = Some(1_000);
        }
        if self.demand {
            setup.scheme.mapping.policy = MappingKind::Demand;
            setup.scheme.mapping.cache_bytes = 1 << 16;
            setup.start.settle_requests = Some(1_000);
        }
        if self.journaled {
            setup.scheme.mapping.policy = MappingKind::Journaled;
            setup.scheme.blocks.superblock = SuperblockSpan::Drive;
            // The superblock that is opened for the map leaves fewer free than this.
            setup.scheme.gc.trigger = 0.05;
        }
        setup.host = closed(self.queue_depth);
        setup.start.layout = StartLayout::Steady;
        (setup.kept, setup.seed) = (Kept::Nothing, seed);
        let has_formula = setup.has_steady_formula(self.overwrites());
        let named = !has_formula || self.slc.is_some() || self.demand;
        setup.pattern = WritePattern::of(1, named.then(|| format!("{:?}", self.pattern)));
        setup.window.warmup_requests = setup.settling_requests(4096.0);
        setup
    }

    /// Pages programmed and answered, and the mean response time in µs, of the first `requests` of a run with this seed.
    fn first(self, seed: u64, requests: u64) -> [f64; 3] {
        let setup = self.setup(seed);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut past = self.pattern.writes(pages, seed + 1000, u64::MAX);
        let mut last = self.pattern.writes(pages, seed + 2000, u64::MAX);
        let before = Before {
            pattern: (!setup.has_steady_formula(self.overwrites()))
                .then_some(&mut past as &mut dyn RequestSource),
            never_rests: self.slc.is_some(),
            last: self.demand.then_some(LookedUp::Requests(&mut last)),
            never_trims: true,
            in_sequence: false,
        };
        let drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
        let all = setup.window.warmup_requests + requests;
        // What is programmed counts up to the last request's arrival, with others under way as in a longer run …
        let mut source = self.pattern.writes(pages, seed, all + 128);
        let stop = Stop { after_requests: all, ..Stop::default() };
        let split = Split { stop, ..Split::default() };
        let mut stopped = drive.fork().unwrap();
        replay_in_parts(&setup, &mut stopped, &mut source, &mut Unobserved, split).unwrap();
        // … and response times of all that arrived, so of a run that goes on to its end.
        let (mut source, mut whole) = (self.pattern.writes(pages, seed, all), drive);
        let outcome = replay(&setup, &mut whole, &mut source, &mut Unobserved).unwrap();
        let report = stopped.report();
        let written = report.write.bytes as f64 / 4096.0;
        [report.waf.unwrap() * written, written, outcome.report.write.latency_ns.mean / 1000.0]
    }

    /// WAF and mean response time over runs with different seeds, each with the variance of that figure.
    fn mean_of(self, runs: u64, requests: u64) -> [(f64, f64); 2] {
        let found: Vec<[f64; 3]> = (0..runs).map(|seed| self.first(seed, requests)).collect();
        // A ratio of means: a mean of ratios would count runs with few answers as much as others.
        [0, 2].map(|which| {
            let of = |run: &[f64; 3]| if which == 0 { run[1] } else { 1.0 };
            let all = found.iter().map(of).sum::<f64>();
            let ratio = found.iter().map(|run| run[which]).sum::<f64>() / all;
            let squares = found.iter().map(|run| (run[which] - ratio * of(run)).powi(2)).sum::<f64>();
            (ratio, squares * runs as f64 / ((runs - 1) as f64 * all * all))
        })
    }

    /// Asserts that the expectation of the first parts is that of the long run.
    fn is_stationary(self) {
        let long = self.mean_of(3, LONG);
        let by_formula = self.setup(0).pattern.is_none();
        for (part, runs, spare) in [(1000, 40, 0.04), (100, 16, 0.02), (10, 5, 0.02)] {
            // Windows of overwrites agree no better than their length tells.
            let spare = if by_formula { spare } else { 0.05 };
            let first = self.mean_of(runs, LONG / part);
            for (what, (mean, variance), (expected, of_long)) in
                [("WAF", first[0], long[0]), ("µs", first[1], long[1])]
            {
                let error = (variance + of_long).sqrt();
                println!("{self:?} 1/{part}: {mean:.3} ± {:.3} {what} of {expected:.3}", 2.0 * error);
                // What chance allows once in a thousand. Few runs tell their variance badly, and two hundred writes are less than
                // the buffer and a row of superpages hold: so much is spared for that.
                let allowed = 3.3 * error + spare * expected;
                assert!(
                    (mean - expected).abs() < allowed,
                    "{self:?}, the first 1/{part}: {mean} {what}, the long run {expected}, allowed {allowed}"
                );
            }
        }
    }
}

#[test]
fn every_policy_begins_as_it_goes_on_and_one_at_every_queue_depth() {
    let greedy = [1, 16, 64].map(|queue_depth| (GcKind::Greedy, queue_depth));
    let others = [(GcKind::DChoices, 16), (GcKind::Random, 64), (GcKind::Fifo, 1)];
    for (policy, queue_depth) in greedy.into_iter().chain(others) {
        Case { policy, queue_depth, ..PLAIN }.is_stationary();
    }
}

#[test]
fn with_a_buffer_it_begins_as_it_goes_on() {
    for queue_depth in [1, 16, 64] {
        Case { queue_depth, buffered: true, ..PLAIN }.is_stationary();
    }
}

#[test]
fn a_paced_collection_begins_in_the_middle_of_its_victims() {
    for (queue_depth, buffered) in [(1, true), (16, false), (16, true), (64, true)] {
        Case { queue_depth, buffered, paced: true, ..PLAIN }.is_stationary();
    }
}

#[test]
fn a_paced_drive_that_keeps_its_map_on_flash_begins_as_it_goes_on() {
    Case { paced: true, journaled: true, ..PLAIN }.is_stationary();
}

#[test]
fn a_skewed_load_begins_with_what_its_own_past_left() {
    for (pattern, policy) in [
        (Pattern::Zipf, GcKind::Greedy),
        (Pattern::HotCold, GcKind::Greedy),
        (Pattern::HotCold, GcKind::CostBenefit),
        (Pattern::Uniform, GcKind::WindowedGreedy),
    ] {
        Case { pattern, policy, paced: true, buffered: true, ..PLAIN }.is_stationary();
    }
}

#[test]
fn an_slc_cache_begins_used_up_as_a_load_without_a_rest_leaves_it() {
    for when_full in [WhenFull::Direct, WhenFull::FoldFirst] {
        Case { slc: Some(when_full), ..PLAIN }.is_stationary();
    }
    Case { slc: Some(WhenFull::Direct), paced: true, buffered: true, ..PLAIN }.is_stationary();
    Case { slc: Some(WhenFull::Direct), pattern: Pattern::HotCold, ..PLAIN }.is_stationary();
}

/// Not so of write amplification: the blocks of the map itself begin new.
#[test]
fn a_cached_map_begins_with_what_was_looked_up_before() {
    let case = Case { demand: true, ..PLAIN };
    let setup = case.setup(1);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let hit_ratio = |used: bool, requests: u64| {
        let mut last = case.pattern.writes(pages, 3, u64::MAX);
        let last = used.then_some(LookedUp::Requests(&mut last));
        let before = Before { last, ..Before::default() };
        let mut drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
        let mut source = case.pattern.writes(pages, 1, setup.window.warmup_requests + requests);
        let outcome = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap();
        outcome.report.mapping.unwrap().hit_ratio.unwrap()
    };
    let (long, first, empty) = (hit_ratio(true, 20_000), hit_ratio(true, 1_000), hit_ratio(false, 1_000));
    println!("hit ratio {first} at first, {long} later, {empty} of a cache that begins empty");
    assert!((first - long).abs() < 0.05, "{first} {long}");
    assert!(empty < 0.6 * long, "{empty} {long}");
}

#[test]
fn a_load_that_gives_pages_up_begins_with_what_it_leaves() {
    let setup = PLAIN.setup(1);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let requests = |seed: u64, count: u64| {
        let mut random = Random(seed | 1);
        made(count, move |_| {
            let op = if random.below(10) < 2 { HostOp::Trim } else { HostOp::Write };
            request(0, op, random.below(pages), 1)
        })
    };
    let waf = |warmup: u64| {
        let mut past = requests(77, u64::MAX);
        let before = Before { pattern: Some(&mut past), ..Before::default() };
        let mut drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
        // What was last of a page was a write in eight of ten cases.
        let held = drive.report().drive.mapped_units as f64 / pages as f64;
        assert!((held - 0.8).abs() < 0.03, "{held}");
        let mut run = setup.clone();
        run.window.warmup_requests += warmup;
        let mut source = requests(5, run.window.warmup_requests + 20_000);
        replay(&run, &mut drive, &mut source, &mut Unobserved).unwrap().report.waf.unwrap()
    };
    let (first, late) = (waf(0), waf(100_000));
    println!("WAF {first} at first, {late} later");
    assert!((first / late - 1.0).abs() < 0.05, "{first} {late}");
}

#[test]
fn the_drives_of_an_array_begin_with_what_its_load_left_on_each() {
    let case = Case { pattern: Pattern::HotCold, ..PLAIN };
    for layout in [ArrayLayout::Striped, ArrayLayout::Mirrored] {
        let mut setup = case.setup(1);
        let serve = MirrorServe::First;
        let of = ArrayMember::Drives;
        let config = ArrayConfig { members: 2, layout, of, chunk_bytes: 8192, serve, read_window_ns: 0 };
        setup.scheme.array = Some(config.clone());
        setup.window.warmup_requests = setup.settling_requests(4096.0);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let waf = |warmup: u64| {
            let mut past = [71, 71].map(|seed| case.pattern.writes(pages, seed, u64::MAX));
            let before = past.iter_mut().map(|past| Before {
                pattern: Some(past as &mut dyn RequestSource),
                never_trims: true,
                ..Before::default()
            });
            let before = before.collect();
            let mut array = setup.prepare_array_after(&config, &[], before, &mut Unobserved).unwrap();
            let mut run = setup.clone();
            run.window.warmup_requests += warmup;
            let mut source = case.pattern.writes(pages, 5, run.window.warmup_requests + 20_000);
            replay(&run, &mut array, &mut source, &mut Unobserved).unwrap().report.waf.unwrap()
        };
        let (first, late) = (waf(0), waf(200_000));
        println!("{layout:?}: WAF {first} at first, {late} later");
        assert!((first / late - 1.0).abs() < 0.05, "{layout:?}: {first} {late}");
    }
}

#[test]
fn a_load_that_writes_nothing_of_what_the_drive_holds_leaves_it_as_it_is() {
    let mut setup = PLAIN.setup(1);
    setup.start.occupancy = Occupancy::Share(0.25);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut past = made(u64::MAX, move |number| write(0, pages / 2 + number % (pages / 2)));
    let before = Before { pattern: Some(&mut past), never_trims: true, ..Before::default() };
    let drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
    assert_eq!((drive.report().drive.mapped_units, drive.units_erased()), (pages / 4, 0));
}
