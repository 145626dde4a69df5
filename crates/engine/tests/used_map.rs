//! The cache of the map by formula is the one that a long run leaves: what is hit, what must be read and what is written back begin
//! as they go on.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "figures beside their bounds, for --nocapture")]

use crate::common::*;
use wordline_base::draws::{Class, Draws, Order};
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::CapacityConfig;
use wordline_engine::config::run::{MapCacheStart, Occupancy, StartLayout};
use wordline_engine::config::scheme::{Eviction, MappingKind};
use wordline_engine::host::{HostOp, HostRequest, RequestSource};
use wordline_engine::time::Ns;
use wordline_engine::{Before, LookedUp, Setup, Unobserved, replay};

/// Which pages.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    Uniform,
    /// Nine tenths of the requests go to a tenth of the pages.
    HotCold,
    /// Shares that fall with the rank, as Zipf's law has it.
    Zipf,
    /// One behind the other.
    Sequential,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    policy: MappingKind,
    pattern: Pattern,
    /// Of the requests.
    write_share: f64,
    /// Pages of a request.
    units: u64,
    /// Of the map that is cached.
    share: f64,
    protected: f64,
    buffered: bool,
    layout: StartLayout,
}

const PLAIN: Case = Case {
    policy: MappingKind::Demand,
    pattern: Pattern::Uniform,
    write_share: 0.5,
    units: 1,
    share: 0.2,
    protected: 0.0,
    buffered: false,
    layout: StartLayout::InOrder,
};

impl Case {
    fn setup(self, seed: u64) -> Setup {
        let mut drive = device(4, 4, 1, 1);
        (drive.geometry.blocks, drive.geometry.pages) = (128, 32);
        // What lies in order was never moved: nothing is collected before the end.
        let spare = if self.layout == StartLayout::InOrder { 0.8 } else { 0.3 };
        drive.capacity = CapacityConfig { overprovisioning: Some(spare), user_bytes: None };
        let mut setup = setup(drive);
        let mapping = &mut setup.scheme.mapping;
        mapping.policy = self.policy;
        (mapping.cache_share, mapping.translation_entry_bytes) = (Some(self.share), 16);
        (mapping.batch_entries, mapping.eviction) = (512, Eviction::Background);
        if self.policy == MappingKind::Demand {
            mapping.protected_share = self.protected;
        }
        if self.buffered {
            setup.scheme.cache.policy = CacheKind::WriteBuffer;
            setup.scheme.cache.bytes = CacheBytes::Bytes(64 * 4096);
        }
        setup.host = closed(8);
        setup.start.layout = self.layout;
        (setup.kept, setup.seed) = (Kept::Nothing, seed);
        setup
    }

    fn classes(self, slots: u64) -> Vec<Class> {
        match self.pattern {
            Pattern::Uniform | Pattern::Sequential => vec![Class { ranks: slots, share: 1.0 }],
            Pattern::HotCold => {
                let hot = slots / 10;
                vec![Class { ranks: hot, share: 0.9 }, Class { ranks: slots - hot, share: 0.1 }]
            }
            Pattern::Zipf => {
                // The integral of 1/x over ranks that double.
                let (mut classes, mut first) = (Vec::new(), 0);
                let all = (slots as f64 + 1.0).ln();
                while first < slots {
                    let end = (2 * first + 1).min(slots);
                    let share = ((end as f64 + 1.0) / (first as f64 + 1.0)).ln() / all;
                    classes.push(Class { ranks: end - first, share });
                    first = end;
                }
                classes
            }
        }
    }

    fn load(self, bytes: u64) -> Vec<Draws> {
        let (alignment, start) = (4096 * self.units, 0);
        let slots = bytes / alignment;
        let order = match self.pattern {
            Pattern::Sequential => Order::InTurn(1),
            _ => Order::Drawn(self.classes(slots), Box::new(move |rank| rank * 7_919 % slots)),
        };
        let write_share = self.write_share;
        vec![Draws { share: 1.0, write_share, start, alignment, slots, bytes: alignment, order }]
    }

    fn requests(self, bytes: u64, seed: u64, count: u64) -> impl RequestSource {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let unit = move |random: &mut Random| random.below(1 << 53) as f64 / (1u64 << 53) as f64;
        let alignment = 4096 * self.units;
        let slots = bytes / alignment;
        let classes = self.classes(slots);
        made(count, move |number| {
            let slot = if self.pattern == Pattern::Sequential {
                number % slots
            } else {
                let (mut at, mut first) = (unit(&mut random), 0);
                let mut rank = 0;
                for class in &classes {
                    if at < class.share || first + class.ranks == slots {
                        rank = first + random.below(class.ranks);
                        break;
                    }
                    at -= class.share;
                    first += class.ranks;
                }
                rank * 7_919 % slots
            };
            let op = if unit(&mut random) < self.write_share { HostOp::Write } else { HostOp::Read };
            HostRequest {
                time: Ns(number),
                op,
                offset: slot * alignment,
                length: alignment,
                flow: 0,
                stream: 0,
            }
        })
    }

    /// Hits, loads, write-backs and reads for them by request, entries and dirty entries at the end, and the mean response time, of
    /// requests behind a warm-up.
    fn figures(self, seed: u64, by_formula: bool, warmup: u64, count: u64) -> [f64; 7] {
        let mut setup = self.setup(seed);
        // Queues and collections under way settle in requests, as before any run.
        let warmup = warmup + setup.settling_requests(4096.0 * self.units as f64 * self.write_share);
        setup.window.warmup_requests = warmup;
        let bytes = setup.logical_bytes().unwrap();
        let load = self.load(bytes);
        let last = by_formula.then_some(LookedUp::Law(&load));
        let mut drive = setup
            .prepare_after(Vec::new(), &[], Before { last, ..Before::default() }, &mut Unobserved)
            .unwrap();
        let mut source = self.requests(bytes, seed, warmup + count);
        let report = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap().report;
        let mapping = report.mapping.unwrap();
        let of = |counted: u64| counted as f64 / count as f64;
        let counters = mapping.counters;
        [
            of(counters.hits),
            of(counters.loads),
            of(counters.write_backs),
            of(counters.write_back_reads),
            mapping.cached_entries as f64,
            mapping.dirty_entries as f64,
            report.latency_ns.unwrap().mean / 1000.0,
        ]
    }

    /// The first of many short runs, and a part of long ones; compared within what chance allows and a share: one of what is hit, and
    /// one of what is dirty and written back.
    fn begins_as_it_goes_on(self, [hit, written]: [f64; 2]) {
        const SHORT: u64 = 1_500;
        let in_order = self.layout == StartLayout::InOrder;
        let (before, apart, count) = if in_order { (18_000, 1_250, 3_000) } else { (150_000, 251, 40_000) };
        // Pages that began alike are written back in step for long: the ends of these runs are spread over a cycle.
        let long =
            |seed: u64| self.figures(seed, false, (before + seed * apart) / self.units, count / self.units);
        let long: Vec<[f64; 7]> = (0..12).map(long).collect();
        let first: Vec<[f64; 7]> = (10..22).map(|seed| self.figures(seed, true, 0, SHORT)).collect();
        let spares = [
            ("hits", hit),
            ("loads", hit),
            ("write-backs", written),
            ("reads for them", written),
            ("entries", hit),
            ("dirty entries", written),
            // Response times of the drive depend on more than its map.
            ("µs", hit + written),
        ];
        let mut wrong = Vec::new();
        for (which, (name, spare)) in spares.into_iter().enumerate() {
            let mean = |runs: &[[f64; 7]]| runs.iter().map(|run| run[which]).sum::<f64>() / runs.len() as f64;
            let error = |runs: &[[f64; 7]]| {
                let squares = runs.iter().map(|run| (run[which] - mean(runs)).powi(2)).sum::<f64>();
                squares / (runs.len() * (runs.len() - 1)) as f64
            };
            let (found, expected) = (mean(&first), mean(&long));
            let error = (error(&first) + error(&long)).sqrt();
            println!("{self:?} {name}: {found:.4} ± {:.4} of {expected:.4}", 2.0 * error);
            let allowed = spare * expected + 3.3 * error + if which < 4 { 0.002 } else { 0.0 };
            if (found - expected).abs() > allowed {
                wrong.push(format!("{name}: {found} of {expected}, allowed {allowed}"));
            }
        }
        assert!(wrong.is_empty(), "{self:?}: {wrong:#?}");
    }
}

const PATTERNS: [Pattern; 3] = [Pattern::Uniform, Pattern::HotCold, Pattern::Zipf];

#[test]
fn cached_entries_begin_as_reads_leave_them() {
    for pattern in PATTERNS {
        for protected in [0.0, 0.5] {
            Case { pattern, protected, write_share: 0.0, ..PLAIN }.begins_as_it_goes_on([0.03, 0.0]);
        }
    }
    Case { units: 4, write_share: 0.0, ..PLAIN }.begins_as_it_goes_on([0.03, 0.0]);
}

#[test]
fn cached_entries_begin_as_writes_leave_them() {
    for pattern in PATTERNS {
        for write_share in [0.5, 1.0] {
            Case { pattern, write_share, ..PLAIN }.begins_as_it_goes_on([0.03, 0.1]);
        }
    }
    Case { units: 4, write_share: 1.0, ..PLAIN }.begins_as_it_goes_on([0.03, 0.1]);
}

#[test]
fn cached_entries_begin_as_writes_behind_a_buffer_leave_them() {
    for pattern in PATTERNS {
        Case { pattern, buffered: true, ..PLAIN }.begins_as_it_goes_on([0.05, 0.15]);
    }
}

#[test]
fn cached_entries_begin_as_writes_and_the_moves_of_collection_leave_them() {
    // The larger the cache, the more it matters that pages which were written lately are moved less than others, which the formula
    // leaves out: too much is dirty at first.
    for (share, written) in [(0.1, 0.15), (0.2, 0.15), (0.5, 0.45)] {
        Case { share, layout: StartLayout::Steady, ..PLAIN }.begins_as_it_goes_on([0.03, written]);
    }
}

#[test]
fn cached_pages_begin_as_reads_and_writes_leave_them() {
    for pattern in PATTERNS {
        for write_share in [0.0, 0.5] {
            let case = Case { policy: MappingKind::Segments, pattern, write_share, ..PLAIN };
            case.begins_as_it_goes_on([0.05, 0.1]);
        }
    }
    for buffered in [false, true] {
        let case = Case { policy: MappingKind::Segments, buffered, layout: StartLayout::Steady, ..PLAIN };
        case.begins_as_it_goes_on([0.05, 0.1]);
    }
}

#[test]
fn the_cache_of_a_sequential_load_holds_what_came_last() {
    for policy in [MappingKind::Demand, MappingKind::Segments] {
        for write_share in [0.0, 1.0] {
            let case = Case { policy, pattern: Pattern::Sequential, write_share, ..PLAIN };
            let found = case.figures(3, true, 0, 4_000);
            let long = case.figures(3, false, 2 * (13_107 / case.units), 4_000);
            println!("{case:?}: {found:?} of {long:?}");
            for which in 0..6 {
                let allowed = 0.05 * long[which] + 0.01;
                assert!(
                    (found[which] - long[which]).abs() <= allowed,
                    "{case:?} {which}: {found:?} {long:?}"
                );
            }
        }
    }
}

#[test]
fn a_cache_that_has_room_for_all_holds_all_and_one_that_shall_be_empty_nothing() {
    let case = Case { share: 1.0, write_share: 0.0, ..PLAIN };
    let [hits, loads, .., entries, _, _] = case.figures(1, true, 0, 500);
    assert_eq!((hits, loads), (1.0, 0.0));
    let mut setup = case.setup(1);
    let bytes = setup.logical_bytes().unwrap();
    assert_eq!(entries, (bytes / 4096) as f64);
    setup.start.map_cache = MapCacheStart::Empty;
    let load = case.load(bytes);
    let before = Before { last: Some(LookedUp::Law(&load)), ..Before::default() };
    let mut drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
    let mut source = case.requests(bytes, 1, 500);
    let report = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap().report;
    assert!(report.mapping.unwrap().hit_ratio.unwrap() < 0.05);
    assert_eq!(report.start.map_accesses, 0);
}

#[test]
fn only_entries_of_pages_that_hold_data_are_kept_and_checked_mode_agrees() {
    for policy in [MappingKind::Demand, MappingKind::Segments] {
        for buffered in [false, true] {
            for layout in [StartLayout::InOrder, StartLayout::Steady, StartLayout::AtTrigger] {
                for share in [0.0, 0.05, 0.9] {
                    let case = Case { policy, buffered, layout, share, ..PLAIN };
                    let mut setup = case.setup(5);
                    (setup.kept, setup.start.occupancy) = (Kept::Checked, Occupancy::Share(0.5));
                    let bytes = setup.logical_bytes().unwrap();
                    let load = case.load(bytes);
                    let before = Before { last: Some(LookedUp::Law(&load)), ..Before::default() };
                    let mut drive = setup.prepare_after(Vec::new(), &[], before, &mut Unobserved).unwrap();
                    let mut source = case.requests(bytes / 2, 5, 3_000);
                    let report = replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap().report;
                    let mapping = report.mapping.unwrap();
                    let misses = mapping.counters.misses as f64 / (mapping.lookups as f64).max(1.0);
                    assert!(share < 0.9 || misses < 0.01, "{case:?}: {misses}");
                }
            }
        }
    }
}
