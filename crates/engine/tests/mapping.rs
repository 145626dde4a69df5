//! Address translation: what a lookup costs that DRAM can't answer, what a guess costs, and that no entry is ever lost.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::device::{DeviceConfig, TransferUnit};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{Lpa, Ppa};
use wordline_engine::mapping::{Found, Lookup, MapView, Mapping, Update, WriteBack};
use wordline_engine::stats::report::Report;
use wordline_engine::systems::{Action, DriveView, Event, System, SystemPolicy, Watches};
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup};

/// A flash page on its way to the controller, and one on its way to the cells.
pub const READ: u64 = TR + XFER;
pub const PROGRAM: u64 = XFER + TPROG;

/// Entries of a translation page of 64 entries of 64 bytes.
pub const ENTRIES: u64 = 64;

/// A map on flash with room for so many entries in DRAM.
pub fn demand(device: DeviceConfig, entries: u64) -> Setup {
    let mut setup = setup(device);
    setup.scheme.mapping.policy = MappingKind::Demand;
    setup.scheme.mapping.cache_bytes = entries * 8;
    setup.scheme.mapping.translation_entry_bytes = 64;
    setup
}

#[test]
fn a_miss_takes_the_read_of_the_map_page_and_then_that_of_the_page_and_a_hit_the_latter_only() {
    let setup = demand(device(1, 1, 1, 1), 8);
    let (report, record) = record(&setup, vec![read(0, 5), read(1_000_000, 5), read(2_000_000, 6)]);
    assert_eq!(record.completions(), [2 * READ, 1_000_000 + READ, 2_000_000 + 2 * READ]);
    let mapping = report.mapping.as_ref().unwrap();
    assert_eq!((mapping.lookups, mapping.counters.hits, mapping.counters.misses), (3, 1, 2));
    assert_eq!((mapping.counters.loads, mapping.cached_entries, mapping.dirty_entries), (2, 2, 0));
    assert_eq!(report.read.blame.mean.total_ns["translation"], u128::from(2 * READ));
    assert_eq!(report.flash.by_class["map_read"].operations, 2);
}

#[test]
fn look_ups_that_wait_for_one_translation_page_may_have_a_read_each() {
    let mut setup = demand(device(1, 1, 1, 1), 8);
    setup.device.geometry.mapping_unit_bytes = setup.device.geometry.page_bytes;
    setup.scheme.mapping.loads = Loads::Each;
    let (report, record) = record(&setup, vec![request(0, HostOp::Read, 0, 3)]);
    assert_eq!(report.mapping.as_ref().unwrap().counters.loads, 3);
    assert_eq!(report.flash.by_class["map_read"].operations, 3);
    // One die: three reads of the map, and the last page behind them and behind the two that came before it.
    setup.scheme.mapping.loads = Loads::Shared;
    let (_, shared) = self::record(&setup, vec![request(0, HostOp::Read, 0, 3)]);
    assert_eq!(shared.completions(), [4 * READ]);
    assert_eq!(record.completions(), [6 * READ]);
}

#[test]
fn a_cache_by_share_of_the_occupied_entries_grows_with_them() {
    let hits = |of| {
        let mut setup = demand(device(1, 1, 1, 1), 0);
        setup.start = start(Occupancy::None, 0.0);
        let mapping = &mut setup.scheme.mapping;
        (mapping.cache_share, mapping.cache_share_of) = (Some(0.5), of);
        // Eight pages are written, and read twice in the same order: half of them never suffices for an LRU list.
        let turns = (0..8).map(|page| write(0, page)).chain((0..16).map(|read_| read(0, read_ % 8)));
        let requests = turns.zip(0..).map(|(one, turn)| HostRequest { time: Ns(turn * 10_000_000), ..one });
        record(&setup, requests.collect()).0.mapping.unwrap()
    };
    let (whole, occupied) = (hits(ShareOf::Map), hits(ShareOf::Occupied));
    assert_eq!((whole.counters.hits - whole.counters.hits_of_writes, whole.cached_entries), (16, 8));
    assert_eq!((occupied.counters.hits - occupied.counters.hits_of_writes, occupied.cached_entries), (0, 4));
}

#[test]
fn all_translation_pages_may_be_on_flash_from_the_start() {
    let mut setup = demand(device(1, 1, 1, 1), 8);
    setup.start = start(Occupancy::None, 0.0);
    setup.scheme.mapping.stored_at_start = StoredPages::All;
    let (report, record) = record(&setup, vec![read(0, 5), write(1_000_000, 5)]);
    assert_eq!(record.completions(), [READ, 1_000_000 + PROGRAM]);
    assert_eq!(report.mapping.unwrap().counters.loads, 1);
}

#[test]
fn what_the_data_cache_writes_back_may_need_its_entry_first() {
    // A whole page; a part of one, whose rest is read; the same page again, whose entry is there by then.
    for (looks_up, loads) in [(false, 0), (true, 2)] {
        let mut setup = demand(device(1, 1, 1, 1), 8);
        setup.scheme.mapping.write_back_lookups = looks_up;
        setup.scheme.cache = CacheConfig {
            policy: CacheKind::WriteBuffer,
            bytes: CacheBytes::Bytes(8 * 4096),
            ..CacheConfig::default()
        };
        let flush = |time| HostRequest { op: HostOp::Flush, length: 0, ..write(time, 0) };
        let part = HostRequest { length: 512, ..write(2_000_000, 70) };
        let requests =
            vec![write(0, 5), flush(1), part, flush(2_000_001), write(4_000_000, 5), flush(4_000_001)];
        let (report, record) = record(&setup, requests);
        let load = u64::from(looks_up) * READ;
        let ended: Vec<u64> = record.completions().into_iter().skip(1).step_by(2).collect();
        assert_eq!(ended, [1 + load + PROGRAM, 2_000_001 + load + READ + PROGRAM, 4_000_001 + PROGRAM]);
        let mapping = report.mapping.unwrap();
        assert_eq!((mapping.counters.loads, mapping.counters.misses_of_writes), (loads, loads));
    }
}

#[test]
fn a_translation_page_may_be_shorter_than_a_mapping_unit() {
    let mut setup = demand(device(1, 1, 1, 1), 8);
    setup.device.channel.transfer = TransferUnit::Requested;
    setup.scheme.mapping.translation_page_bytes = 512;
    let (report, record) = record(&setup, vec![read(0, 5)]);
    assert_eq!(report.mapping.unwrap().entries_per_page, 8);
    assert_eq!(record.completions(), [TR + XFER / 8 + READ]);
}

#[test]
fn a_search_takes_a_step_for_each_doubling_of_the_cache_or_for_each_entry_of_a_chain() {
    // The cache holds 0, 1, 2, 3 and 4 entries when the five reads come.
    for (buckets, steps) in [(0, [0, 1, 2, 2, 3]), (2, [0, 1, 1, 2, 2])] {
        let mut setup = demand(device(1, 1, 1, 1), 8);
        setup.scheme.firmware.search_step_ns = 1_000;
        setup.scheme.mapping.search_buckets = buckets;
        let requests = (0..5).map(|turn| read(turn * 1_000_000, turn)).collect();
        let (_, record) = record(&setup, requests);
        let expected =
            steps.into_iter().zip(0..).map(|(steps, turn)| turn * 1_000_000 + steps * 1_000 + 2 * READ);
        assert_eq!(record.completions(), expected.collect::<Vec<u64>>(), "{buckets}");
    }
}

#[test]
fn pages_that_wait_for_one_translation_page_are_served_by_one_read_of_it() {
    // Logical page l lies on channel l mod 4; the translation page behind them all, wherever it is, is read once.
    let setup = demand(device(4, 1, 1, 1), 8);
    let (report, record) = record(&setup, vec![read(0, 0), read(0, 1), read(0, 2), read(0, 3)]);
    assert_eq!(record.completions(), [2 * READ; 4]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.misses, counters.loads), (4, 1));
}

#[test]
fn a_write_waits_for_its_entry_and_leaves_it_dirty() {
    let setup = demand(device(1, 1, 1, 1), 8);
    let (report, record) = record(&setup, vec![write(0, 5), write(1_000_000, 5)]);
    assert_eq!(record.completions(), [READ + PROGRAM, 1_000_000 + PROGRAM]);
    let mapping = report.mapping.unwrap();
    assert_eq!((mapping.counters.misses, mapping.counters.hits, mapping.dirty_entries), (1, 1, 1));
    assert_eq!((mapping.counters.write_backs, report.waf), (0, Some(1.0)));
}

#[test]
fn an_entry_that_pushes_out_a_dirty_one_waits_until_that_is_written_or_only_for_its_flash() {
    for (eviction, expected) in [
        // The page of the map, that of the dirty entry, its program, and the page itself.
        (Eviction::Foreground, 2 * READ + PROGRAM + READ),
        // Its read comes right behind that of the other page of the map.
        (Eviction::Background, 3 * READ),
    ] {
        let mut setup = demand(device(1, 1, 1, 1), 1);
        setup.scheme.mapping.eviction = eviction;
        let (report, record) = record(&setup, vec![write(0, 5), read(5_000_000, ENTRIES)]);
        assert_eq!(record.completions()[1], 5_000_000 + expected, "{eviction:?}");
        let mapping = report.mapping.unwrap();
        assert_eq!((mapping.counters.write_back_reads, mapping.counters.loads), (1, 2), "{eviction:?}");
        assert_eq!(mapping.dirty_entries, 0, "{eviction:?}");
        let translation = report.read.blame.mean.total_ns["translation"];
        let waited = if eviction == Eviction::Foreground { expected - READ } else { READ };
        assert_eq!(translation, u128::from(waited), "{eviction:?}");
    }
}

#[test]
fn one_write_of_a_map_page_cleans_all_its_dirty_entries() {
    let mut setup = demand(device(1, 1, 1, 1), 4);
    setup.scheme.mapping.eviction = Eviction::Background;
    let apart = 5_000_000;
    // Three dirty entries of one translation page; the fourth and the fifth come from another one and push two out.
    let pages = [1, 2, 3, ENTRIES, ENTRIES + 1];
    let requests = pages.iter().zip(0..).map(|(&page, turn)| {
        let op = if page < ENTRIES { HostOp::Write } else { HostOp::Read };
        request(turn * apart, op, page, 1)
    });
    let mut requests: Vec<_> = requests.collect();
    requests.push(read(5 * apart, ENTRIES + 2));
    let (report, _) = record(&setup, requests);
    let mapping = report.mapping.unwrap();
    assert_eq!((mapping.counters.write_backs, mapping.dirty_entries), (1, 0));
    assert_eq!((mapping.counters.misses, mapping.counters.write_back_reads), (6, 1));
}

#[test]
fn a_page_of_the_map_that_was_never_written_needs_no_read() {
    let mut setup = demand(device(1, 1, 1, 1), 8);
    setup.start = start(Occupancy::None, 0.0);
    let (report, record) = record(&setup, vec![read(0, 5), write(1_000, 5), read(2_000_000, 5)]);
    assert_eq!(record.completions(), [0, 1_000 + PROGRAM, 2_000_000 + READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.loads, counters.misses, counters.hits), (0, 1, 2));
}

#[test]
fn without_a_cache_every_lookup_reads_the_map() {
    let setup = demand(device(1, 1, 1, 1), 0);
    let (report, record) = record(&setup, vec![read(0, 5), read(1_000_000, 5)]);
    assert_eq!(record.completions(), [2 * READ, 1_000_000 + 2 * READ]);
    assert_eq!(report.mapping.unwrap().counters.misses, 2);
}

#[test]
fn without_a_cache_a_change_that_is_held_answers_no_look_up() {
    let setup = demand(device(1, 1, 1, 1), 0);
    let (report, record) = record(&setup, vec![write(0, 5), read(10_000_000, 5), write(20_000_000, 5)]);
    let done = record.completions();
    assert_eq!([done[1] - 10_000_000, done[2] - 20_000_000], [2 * READ, READ + PROGRAM]);
    let mapping = report.mapping.unwrap();
    assert_eq!((mapping.counters.misses, mapping.counters.hits, mapping.dirty_entries), (3, 0, 1));
}

#[test]
fn what_a_collection_changed_is_written_when_its_block_is_erased() {
    let written = |until| {
        let mut setup = busy(SuperblockSpan::None, PlacementKind::Static, 1);
        let mapping = &mut setup.scheme.mapping;
        (mapping.cache_bytes, mapping.batch_entries, mapping.batch_until) = (0, 1 << 20, until);
        let bytes = setup.logical_bytes().unwrap();
        let report = run(&setup, &mut mix(3, 1_000, bytes)).unwrap();
        assert!(report.gc.victims > 10);
        let mapping = report.mapping.unwrap();
        (mapping.counters.write_backs, mapping.dirty_entries)
    };
    let ((never, all), (by_erases, left)) = (written(BatchUntil::Full), written(BatchUntil::Erased));
    assert_eq!(never, 0);
    assert!(by_erases > 10 && left < all / 4, "{by_erases} written, {left} of {all} left");
}

#[test]
fn a_cached_share_of_the_entries_is_the_share_of_hits_under_uniform_reads() {
    for share in [0.1, 0.25, 0.5] {
        let mut setup = demand(device(2, 1, 1, 2), 0);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let entries = (pages as f64 * share) as u64;
        setup.scheme.mapping.cache_bytes = entries * 8;
        setup.host = closed(1);
        let count = 40_000;
        setup.window.warmup_requests = 8_000;
        let mut random = Random(11);
        let report = run(&setup, &mut made(count, |_| read(0, random.below(pages)))).unwrap();
        let found = report.mapping.unwrap().hit_ratio.unwrap();
        let expected = entries as f64 / pages as f64;
        // Four standard deviations of a binomial share.
        let error = 4.0 * (expected * (1.0 - expected) / 32_000.0).sqrt();
        assert!((found - expected).abs() < error, "{share}: {found} instead of {expected}");
        assert_eq!(report.read.latency_ns.max, 2 * READ, "one at a time: a miss at worst");
        let mean = READ as f64 * (2.0 - found);
        assert!((report.read.latency_ns.mean - mean).abs() < 1.0, "{share}: {}", report.read.latency_ns.mean);
    }
}

#[test]
fn protected_entries_outlive_a_scan() {
    let hits = |protected_share| {
        let mut setup = demand(device(1, 1, 1, 1), 16);
        setup.scheme.mapping.protected_share = protected_share;
        // Four pages used twice, twenty pages once, and the four again.
        let hot = || (0..4).chain(0..4);
        let order: Vec<u64> = hot().chain(100..120).chain(0..4).collect();
        let requests = order.iter().zip(0..).map(|(&page, turn)| read(turn * 1_000_000, page)).collect();
        record(&setup, requests).0.mapping.unwrap().counters.hits
    };
    assert_eq!((hits(0.0), hits(0.5)), (4, 8));
}

/// Guesses; right for even pages, and at some other place for odd ones.
struct Guesser {
    elsewhere: fn(&MapView<'_>, Ppa) -> Ppa,
    knows: u32,
    found: std::sync::Arc<std::sync::Mutex<Vec<(Lpa, Lpa)>>>,
}

impl Mapping for Guesser {
    fn name(&self) -> &str {
        "guesser"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let truth = view.find(lookup.lpa);
        if self.knows == lookup.lpa.0 || !truth.is_some() {
            return Found::Known(truth);
        }
        Found::Guess(if lookup.lpa.0.is_multiple_of(2) { truth } else { (self.elsewhere)(view, truth) })
    }
    fn wrong_guess(&mut self, lpa: Lpa, _guessed: Ppa, found: Lpa) {
        self.knows = lpa.0;
        self.found.lock().unwrap().push((lpa, found));
    }
}

/// Replays with the guesser; tells what wrong guesses found.
fn guessing(
    setup: &Setup,
    elsewhere: fn(&MapView<'_>, Ppa) -> Ppa,
    requests: Vec<HostRequest>,
) -> (Report, Record, Vec<(Lpa, Lpa)>) {
    let mut drive = setup.prepare(&[]).unwrap();
    let found = std::sync::Arc::default();
    let policy = Guesser { elsewhere, knows: u32::MAX, found: std::sync::Arc::clone(&found) };
    drive.set_mapping(Box::new(policy));
    let (report, record) = record_on(setup, drive, &mut Listed(requests)).unwrap();
    let found = found.lock().unwrap().clone();
    (report, record, found)
}

#[test]
fn a_right_guess_costs_nothing_and_a_wrong_one_its_read() {
    let setup = setup(device(1, 1, 1, 1));
    let next = |_: &MapView<'_>, truth: Ppa| Ppa(truth.0 + 1);
    let (report, record, found) = guessing(&setup, next, vec![read(0, 4), read(1_000_000, 7)]);
    assert_eq!(record.completions(), [READ, 1_000_000 + 2 * READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.guessed, counters.guesses_right, counters.guesses_wrong), (2, 1, 1));
    assert_eq!(found, [(Lpa(7), Lpa(8))]);
    let parts = &report.read.blame.mean.total_ns;
    assert_eq!((parts["misprediction"], parts["cell"]), (u128::from(READ), u128::from(2 * TR)));
    assert_eq!(parts.values().sum::<u128>(), report.read.blame.mean.response_total_ns);
}

#[test]
fn the_time_of_a_wrong_guess_covers_its_wait_too() {
    let setup = setup(device(1, 1, 1, 1));
    // The wrong place and the right one are on the die that is busy with another read.
    let next = |_: &MapView<'_>, truth: Ppa| Ppa(truth.0 + 1);
    let (report, record, _) = guessing(&setup, next, vec![read(0, 4), read(0, 7)]);
    assert_eq!(record.completions(), [READ, 3 * READ]);
    assert_eq!(report.read.blame.mean.total_ns["misprediction"], u128::from(2 * READ));
}

#[test]
fn guessing_at_an_erased_page_or_one_that_is_being_programmed_is_wrong_and_harmless() {
    let setup = setup(device(1, 1, 1, 1));
    // The last page of the drive is erased: nobody can tell what was there.
    let erased = |view: &MapView<'_>, _: Ppa| Ppa(view.sizes.physical_units - 1);
    let (_, record, found) = guessing(&setup, erased, vec![read(0, 7)]);
    assert_eq!((record.completions(), found), (vec![2 * READ], vec![(Lpa(7), Lpa::NONE)]));
    // Logical page 0 is being written: where it comes to is guessed for another.
    let coming = |view: &MapView<'_>, _: Ppa| view.find(Lpa(0));
    let requests = vec![write(0, 0), read(XFER + 1_000, 7)];
    let (_, record, found) = guessing(&setup, coming, requests);
    assert_eq!(record.completions(), [PROGRAM, PROGRAM + 2 * READ]);
    assert_eq!(found, [(Lpa(7), Lpa(0))]);
}

#[test]
fn an_outdated_copy_is_a_wrong_guess() {
    let setup = setup(device(1, 1, 1, 1));
    // Where logical page 7 was before the write: the seventh page of the first block.
    let before = |_: &MapView<'_>, _: Ppa| Ppa(7);
    let (report, record, found) = guessing(&setup, before, vec![write(0, 7), read(1_000_000, 7)]);
    assert_eq!(record.completions(), [PROGRAM, 1_000_000 + 2 * READ]);
    assert_eq!(found, [(Lpa(7), Lpa(7))]);
    assert_eq!(report.mapping.unwrap().counters.guesses_outdated, 1);
}

/// Says what it is told to.
struct Saying(fn(&Lookup, &MapView<'_>) -> Found);

impl Mapping for Saying {
    fn name(&self) -> &str {
        "saying"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        (self.0)(lookup, view)
    }
    fn updated(&mut self, update: &Update, _: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if update.lpa == Lpa(99) {
            writes.push(WriteBack { page: 1 << 20, whole: true });
        }
    }
}

#[test]
fn a_mapping_that_says_what_cannot_be_is_named() {
    type Say = fn(&Lookup, &MapView<'_>) -> Found;
    let wrong: [(Say, HostRequest, &str); 5] = [
        (|_, _| Found::Known(Ppa(77)), read(0, 5), "Known(Ppa(77)) for Lpa(5), but it is at Ppa(5)"),
        (|_, _| Found::Load(6), read(0, 5), "Load(6) for Lpa(5), of 6 translation pages"),
        (|_, _| Found::Guess(Ppa(512)), read(0, 5), "Guess(Ppa(512)) for Lpa(5), of 512 physical pages"),
        (|_, _| Found::Load(0), read(0, 5), "Load(0) for Lpa(5), again, the answer to question 17"),
        (
            |lookup, view| Found::Known(view.find(lookup.lpa)),
            write(0, 99),
            "the mapping asked to write translation page 1048576 of 6",
        ),
    ];
    for (say, request, expected) in wrong {
        let setup = demand(device(1, 1, 1, 1), 8);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.set_mapping(Box::new(Saying(say)));
        let error = record_on(&setup, drive, &mut Listed(vec![request])).map(|_| ()).unwrap_err();
        let RunError::Inconsistent(text) = error else { panic!("{error}") };
        assert!(text.contains(expected), "{text}");
    }
}

/// Never has an entry written.
struct Forgetful(u32);

impl Mapping for Forgetful {
    fn name(&self) -> &str {
        "forgetful"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        if std::mem::replace(&mut self.0, u32::MAX) == lookup.lpa.0 {
            return Found::Known(view.find(lookup.lpa));
        }
        Found::Load(view.sizes.page_of(lookup.lpa))
    }
    fn loaded(&mut self, _: u32, lookup: &Lookup, _: &MapView<'_>, _: &mut Vec<WriteBack>) {
        self.0 = lookup.lpa.0;
    }
    fn keeps_map_on_flash(&self) -> bool {
        true
    }
}

#[test]
fn checked_mode_finds_an_entry_that_was_lost_when_it_is_loaded_and_at_the_end() {
    let lost = |requests| {
        let setup = demand(device(1, 1, 1, 1), 8);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.set_mapping(Box::new(Forgetful(u32::MAX)));
        match record_on(&setup, drive, &mut Listed(requests)).map(|_| ()) {
            Err(RunError::Inconsistent(text)) => text.contains("the map on flash has Lpa(5) at Ppa(5)"),
            other => panic!("{other:?}"),
        }
    };
    assert!(lost(vec![write(0, 5)]));
    assert!(lost(vec![write(0, 5), read(10_000_000, 5), read(20_000_000, 6)]));
}

/// Notes what it is asked: page, pages of the request from there on, flow.
struct Listener(Asked);

type Asked = std::sync::Arc<std::sync::Mutex<Vec<(u32, u32, Option<u16>)>>>;

impl Mapping for Listener {
    fn name(&self) -> &str {
        "listener"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        self.0.lock().unwrap().push((lookup.lpa.0, lookup.units, lookup.flow));
        Found::Known(view.find(lookup.lpa))
    }
}

#[test]
fn a_look_up_says_how_much_of_its_request_is_to_come_and_whose_it_is() {
    let setup = setup(device(1, 1, 1, 1));
    let mut drive = setup.prepare(&[]).unwrap();
    let asked = Asked::default();
    drive.set_mapping(Box::new(Listener(asked.clone())));
    // Parts of pages count as pages.
    let some = HostRequest { offset: 5 * 4096 + 512, length: 8192, flow: 3, ..read(0, 5) };
    record_on(&setup, drive, &mut Listed(vec![some, write(1_000_000, 9)])).unwrap();
    let flow = Some(3);
    assert_eq!(*asked.lock().unwrap(), [(5, 3, flow), (6, 2, flow), (7, 1, flow), (9, 1, Some(0))]);
}

/// A system that knows where even pages are, supposes where those divisible by three are, and leaves the rest to
/// the mapping policy.
struct Regions;

impl System for Regions {
    fn name(&self) -> &str {
        "regions"
    }
    fn watches(&self) -> Watches {
        Watches::TRANSLATION
    }
    fn find(&mut self, lookup: &Lookup, drive: &DriveView<'_>) -> Option<Found> {
        let ppa = drive.find(lookup.lpa);
        match lookup.lpa.0 {
            even if even.is_multiple_of(2) => Some(Found::Known(ppa)),
            third if third.is_multiple_of(3) && ppa.is_some() => Some(Found::Guess(ppa)),
            _ => None,
        }
    }
}

#[test]
fn a_system_answers_before_the_policy() {
    let setup = demand(device(1, 1, 1, 1), 8);
    let mut drive = setup.prepare(&[]).unwrap();
    drive.add_system(SystemPolicy::Custom(Box::new(Regions)));
    let requests = vec![read(0, 4), read(1_000_000, 9), read(2_000_000, 7)];
    let (report, record) = record_on(&setup, drive, &mut Listed(requests)).unwrap();
    assert_eq!(record.completions(), [READ, 1_000_000 + READ, 2_000_000 + 2 * READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.hits, counters.guessed, counters.misses), (1, 1, 1));
}

/// A system that guesses the same wrong place whenever a page of the map has been loaded.
struct Stubborn(bool);

impl System for Stubborn {
    fn name(&self) -> &str {
        "stubborn"
    }
    fn watches(&self) -> Watches {
        Watches::TRANSLATION
    }
    fn find(&mut self, _: &Lookup, _: &DriveView<'_>) -> Option<Found> {
        self.0.then_some(Found::Guess(Ppa(8)))
    }
    fn told(&mut self, event: &Event, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {
        match *event {
            Event::WrongGuess { .. } => self.0 = false,
            Event::Loaded { .. } => self.0 = true,
            _ => {}
        }
    }
}

#[test]
fn a_page_whose_entry_was_loaded_is_known_whatever_a_system_guesses() {
    for entries in [0, 1, 8] {
        let setup = demand(device(1, 1, 1, 1), entries);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.add_system(SystemPolicy::Custom(Box::new(Stubborn(true))));
        let (report, record) = record_on(&setup, drive, &mut Listed(vec![read(0, 7)])).unwrap();
        assert_eq!(record.completions(), [3 * READ]);
        let counters = report.mapping.unwrap().counters;
        assert_eq!((counters.guesses_wrong, counters.guesses_right, counters.loads), (1, 0, 1));
    }
}

/// A busy drive of 2 units a page.
fn busy(span: SuperblockSpan, placement: PlacementKind, at_once: u32) -> Setup {
    let mut drive = device(2, 1, 1, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (24, 8);
    drive.geometry.mapping_unit_bytes = 2048;
    drive.geometry.pages_per_program = at_once;
    drive.capacity.overprovisioning = Some(0.5);
    let mut setup = demand(drive, 8);
    setup.scheme.blocks.superblock = span;
    setup.scheme.placement.policy = placement;
    setup.scheme.gc.trigger = 0.15;
    setup.start = start(Occupancy::Share(0.9), 1.0);
    setup.host = closed(16);
    setup
}

fn mix(seed: u64, count: u64, bytes: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(seed);
    made(count, move |number| {
        let op = match random.below(10) {
            0 => HostOp::Trim,
            1..=3 => HostOp::Read,
            _ => HostOp::Write,
        };
        let (mut offset, mut length) = (random.below(bytes), 1 + random.below(12_000));
        if random.below(3) > 0 {
            (offset, length) = (offset / 2048 * 2048, length.div_ceil(2048) * 2048);
        }
        HostRequest {
            time: Ns(number * 10_000),
            op,
            offset,
            length: length.min(bytes - offset),
            flow: 0,
            stream: 0,
        }
    })
}

#[test]
fn no_entry_is_lost_under_collection_trim_and_partial_writes() {
    let spans = [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Channels, SuperblockSpan::Drive];
    for span in spans {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            for (entries, batch, at_once) in [(0, 1, 1), (1, 3, 2), (8, 0, 1), (100, 20, 2)] {
                for (eviction, until) in
                    [(Eviction::Foreground, BatchUntil::Full), (Eviction::Background, BatchUntil::Erased)]
                {
                    let mut setup = busy(span, placement, at_once);
                    let mapping = &mut setup.scheme.mapping;
                    (mapping.cache_bytes, mapping.batch_entries) = (entries * 8, batch);
                    (mapping.eviction, mapping.batch_until) = (eviction, until);
                    mapping.protected_share = 0.5;
                    let bytes = setup.logical_bytes().unwrap();
                    let what = format!("{span:?} {placement:?} {entries} {batch} {at_once} {eviction:?}");
                    let report = run(&setup, &mut mix(3, 1_000, bytes))
                        .unwrap_or_else(|error| panic!("{what}: {error}"));
                    let mapping = report.mapping.as_ref().unwrap();
                    assert!(report.gc.victims > 0, "{what}: nothing was collected");
                    assert!(report.waf_by_cause["mapping"] > 0.0, "{what}");
                    assert!(mapping.counters.loads > 0 && mapping.counters.write_backs > 0, "{what}");
                    assert!(mapping.counters.hits + mapping.counters.misses == mapping.lookups, "{what}");
                    for parts in [&report.read.blame.mean, &report.write.blame.tail] {
                        assert_eq!(parts.total_ns.values().sum::<u128>(), parts.response_total_ns, "{what}");
                    }
                }
            }
        }
    }
}

/// Answers by chance: knows, guesses right, guesses anywhere on the drive, or has the map read.
struct Chance(Random, u32);

impl Mapping for Chance {
    fn name(&self) -> &str {
        "chance"
    }
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let truth = view.find(lookup.lpa);
        if std::mem::replace(&mut self.1, u32::MAX) == lookup.lpa.0 {
            return Found::Known(truth);
        }
        match self.0.below(5) {
            0 if truth.is_some() => Found::Guess(truth),
            1 | 2 => Found::Guess(Ppa(self.0.below(u64::from(view.sizes.physical_units)) as u32)),
            3 => Found::Load(self.0.below(u64::from(view.sizes.translation_pages)) as u32),
            _ => Found::Known(truth),
        }
    }
    fn loaded(&mut self, _: u32, lookup: &Lookup, _: &MapView<'_>, _: &mut Vec<WriteBack>) {
        self.1 = lookup.lpa.0;
    }
    fn wrong_guess(&mut self, lpa: Lpa, _: Ppa, _: Lpa) {
        if self.0.below(2) == 0 {
            self.1 = lpa.0;
        }
    }
}

#[test]
fn whatever_a_policy_answers_reads_find_the_newest_version() {
    for span in [SuperblockSpan::None, SuperblockSpan::Drive] {
        for (at_once, suspends) in [(1, false), (2, true)] {
            let mut setup = busy(span, PlacementKind::Dynamic, at_once);
            if suspends {
                setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
                setup.device.suspend.program_ns = Some(10_000);
                setup.device.suspend.erase_ns = Some(20_000);
                setup.device.suspend.max_per_operation = 3;
            }
            let mut drive: Device = setup.prepare(&[]).unwrap();
            drive.set_mapping(Box::new(Chance(Random(7), u32::MAX)));
            let bytes = drive.logical_bytes();
            let (report, _) = record_on(&setup, drive, &mut mix(5, 3_000, bytes)).unwrap();
            let counters = report.mapping.unwrap().counters;
            assert!(counters.guesses_wrong > 100 && counters.guesses_right > 100, "{counters:?}");
            assert!(report.gc.victims > 0);
        }
    }
}

#[test]
fn the_map_costs_the_dram_that_its_description_says() {
    let bytes = |setup: &Setup| setup.prepare(&[]).unwrap().mapping_bytes();
    let mut setup = demand(device(1, 1, 1, 1), 10);
    // 358 logical pages: 6 translation pages; the batch holds a block of 16 pages.
    assert_eq!(bytes(&setup), (10 + 16) * 8 + 6 * 4);
    setup.scheme.mapping = MappingConfig::default();
    assert_eq!(bytes(&setup), 358 * 4);
}

#[test]
fn a_description_that_no_map_can_have_is_refused() {
    let refused = |change: fn(&mut MappingConfig)| {
        let mut setup = demand(device(1, 1, 1, 1), 10);
        change(&mut setup.scheme.mapping);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|mapping| mapping.entry_bytes = 0),
        "scheme.mapping.entry_bytes = 0: allowed: 1 to 64"
    );
    assert!(refused(|mapping| mapping.protected_share = 1.0).contains("scheme.mapping.protected_share = 1"));
}

#[test]
fn a_run_with_a_cached_map_may_be_split_by_snapshots() {
    let setup = Setup { host: closed(8), ..busy(SuperblockSpan::Die, PlacementKind::Static, 1) };
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(3);
    let mix: Vec<_> = (0..1_000)
        .map(|_| {
            let op = if random.below(2) == 0 { HostOp::Read } else { HostOp::Write };
            request(0, op, random.below(pages - 2), 1 + random.below(2))
        })
        .collect();
    let whole = in_parts(&setup, &mix, &[]).unwrap();
    let stops: Vec<_> = (1..8).map(|part| after(part * 123)).collect();
    assert!(in_parts(&setup, &mix, &stops).unwrap() == whole);
}
