//! Address translation: what a lookup costs that DRAM can't answer, and that no entry is ever lost.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::device::{DeviceConfig, TransferUnit};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;

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

/// A busy drive of 2 units a page.
pub fn busy(span: SuperblockSpan, placement: PlacementKind, at_once: u32) -> Setup {
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

pub fn mix(seed: u64, count: u64, bytes: u64) -> impl wordline_engine::host::RequestSource {
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
