//! ASTRO: regions get into order, guesses are right, and what is written, trimmed or moved is never guessed where it was.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::HostConfig;
use wordline_engine::config::astro::{AstroConfig, Gather, UpdatePriority, UpdatesOf};
use wordline_engine::config::device::{MultiPlaneConfig, MultiPlaneRule};
use wordline_engine::config::reclaim::{ReclaimConfig, ReclaimKind, ReclaimPriority};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

const READ: u64 = TR + XFER;

/// No entry of the map in DRAM, regions of 32 pages, and reclaim after so many reads.
fn astro(channels: u32, ways: u32, threshold: u32) -> Setup {
    let mut setup = setup(device(channels, ways, 1, 1));
    let mapping = &mut setup.scheme.mapping;
    (mapping.policy, mapping.cache_bytes) = (MappingKind::Demand, 0);
    mapping.translation_entry_bytes = 64;
    let policy = if threshold == 0 { ReclaimKind::None } else { ReclaimKind::Block };
    setup.scheme.reclaim = ReclaimConfig { policy, threshold: threshold.max(1), ..ReclaimConfig::default() };
    setup.scheme = only_read(setup.scheme);
    setup.scheme.astro = AstroConfig {
        enabled: true,
        region_pages: 32,
        pages_per_bit: 4,
        planes: 2,
        at_once: 2,
        ..AstroConfig::default()
    };
    // Collection keeps more free than ordering leaves alone.
    setup.scheme.gc.trigger = 0.15;
    setup.host = closed(4);
    setup
}

fn figure(report: &Report, name: &str) -> u64 {
    report.systems["astro"].figures[name]
}

fn reads(seed: u64, count: u64, pages: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(seed);
    made(count, move |_| read(0, random.below(pages)))
}

/// Reads, writes and TRIMs of a few pages each, most of them in one part of the drive.
fn mix(seed: u64, count: u64, pages: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|_| {
            let op = match random.below(10) {
                0..7 => HostOp::Read,
                7 => HostOp::Trim,
                _ => HostOp::Write,
            };
            let region = if random.below(10) < 7 { pages / 4 } else { pages };
            request(0, op, random.below(region - 3), 1 + random.below(3))
        })
        .collect()
}

#[test]
fn reclaim_puts_regions_in_order_and_their_pages_are_guessed() {
    for planes in [0, 1, 2] {
        for gather in [Gather::Region, Gather::Block] {
            let mut setup = astro(4, 1, 60);
            (setup.scheme.astro.planes, setup.scheme.astro.gather) = (planes, gather);
            setup.start = start(Occupancy::Share(0.3), 0.0);
            let pages = setup.logical_bytes().unwrap() / 4096 * 3 / 10;
            let report = run(&setup, &mut reads(1, 60_000, pages - 1)).unwrap();
            let what = format!("{planes} {gather:?}: {:?}", report.systems["astro"].figures);
            let counters = report.mapping.as_ref().unwrap().counters;
            assert!(figure(&report, "orders_by_reclaim") > 10, "{what}");
            assert_eq!((counters.guesses_wrong, counters.guesses_outdated), (0, 0), "{what}");
            let share = counters.guesses_right as f64 / 60_000.0;
            // What a block holds of a region is little: the groups of the rest are looked up.
            let least = if gather == Gather::Region { 0.8 } else { 0.0 };
            assert!(share >= least, "{what}: {share}");
        }
    }
}

#[test]
fn reads_of_a_region_and_updates_of_an_ordered_one_order_it() {
    let mut setup = astro(4, 1, 0);
    setup.scheme.astro.read_threshold = 50;
    setup.start = start(Occupancy::Share(0.3), 0.0);
    // Fifty reads of the first region; then nine of its 32 pages are written: more than a quarter.
    let reads = (0..50).map(|turn| read(turn * 1_000_000, turn % 32));
    let writes = (0..9).map(|turn| write(200_000_000 + turn * 1_000_000, turn));
    let last = read(400_000_000, 3);
    setup.host = setup_open();
    let (report, record) = record(&setup, reads.chain(writes).chain([last]).collect());
    let orders =
        ["orders_by_reads", "orders_by_updates", "orders_by_reclaim"].map(|name| figure(&report, name));
    assert_eq!((orders, figure(&report, "pages_by_updates")), ([1, 1, 0], 32));
    assert_eq!(*record.completions().last().unwrap(), 400_000_000 + READ, "guessed");
    // Pages that an order moves for updates are migrated, others are reclaimed.
    assert_eq!(report.other_moves["migration"].moved_units, 32);
    assert_eq!(report.other_moves["read_reclaim"].moved_units, 32);
}

#[test]
fn a_region_with_few_updated_groups_is_not_ordered_anew() {
    // Its eight groups have four pages each: one written page updates an eighth of them, five in sequence a quarter.
    for (least, written, orders) in [(0.0, 0, 2), (0.25, 1, 1), (0.25, 5, 2), (1.0, 5, 1)] {
        let mut setup = astro(4, 1, 0);
        let astro = &mut setup.scheme.astro;
        (astro.read_threshold, astro.update_share, astro.least_updated) = (50, 1_000.0, least);
        setup.start = start(Occupancy::Share(0.3), 0.0);
        setup.host = setup_open();
        let reads = |from: u64| (0..60).map(move |turn| read(from + turn * 1_000_000, 31));
        let writes = (0..written).map(|turn| write(200_000_000 + turn * 1_000_000, turn));
        let (report, _) = record(&setup, reads(0).chain(writes).chain(reads(400_000_000)).collect());
        assert_eq!(figure(&report, "orders_by_reads"), orders, "{least}, {written} written");
    }
}

#[test]
fn regions_get_into_order_when_superblocks_with_their_pages_are_collected_if_that_is_asked_for() {
    let orders = |at_collection: bool| {
        let mut setup = astro(4, 1, 0);
        (setup.scheme.astro.at_collection, setup.scheme.astro.update_share) = (at_collection, 1_000.0);
        setup.start = start(Occupancy::Share(0.5), 0.0);
        let pages = setup.logical_bytes().unwrap() / 4096 / 2;
        let mut random = Random(3);
        let mut source = made(8_000, |number| {
            let page = random.below(pages);
            if number % 4 == 0 { write(0, page) } else { read(0, page) }
        });
        let report = run(&setup, &mut source).unwrap();
        let guessed = report.mapping.as_ref().unwrap().counters.guesses_right;
        assert!(report.gc.victims > 10, "{:?}", report.gc);
        (figure(&report, "orders_by_collection"), figure(&report, "pages_by_collection"), guessed)
    };
    assert_eq!(orders(false), (0, 0, 0));
    let (ordered, pages, guessed) = orders(true);
    assert!(ordered > 5 && pages > 32 * 5 && guessed > 100, "{ordered} {pages} {guessed}");
}

#[test]
fn updates_order_a_region_that_was_never_in_order_if_those_of_all_count() {
    for (updates_of, writes, orders) in
        [(UpdatesOf::All, 8, 0), (UpdatesOf::All, 9, 1), (UpdatesOf::Ordered, 20, 0)]
    {
        let mut setup = astro(4, 1, 0);
        setup.scheme.astro.updates_of = updates_of;
        setup.start = start(Occupancy::Share(0.3), 0.0);
        setup.host = setup_open();
        // A quarter of the 32 pages of the first region is eight. Page 25 is not written: its entry is not in DRAM.
        let writes_then_read =
            (0..writes).map(|turn| write(turn * 1_000_000, turn)).chain([read(400_000_000, 25)]);
        let (report, record) = record(&setup, writes_then_read.collect());
        assert_eq!(figure(&report, "orders_by_updates"), orders, "{updates_of:?}, {writes} writes");
        let looked_up = if orders == 1 { 0 } else { READ };
        assert_eq!(*record.completions().last().unwrap(), 400_000_000 + READ + looked_up);
    }
}

/// The longest of 40 reads beside an order by updates, of the two dies over which it goes, ns.
fn longest_beside_an_order(priority: UpdatePriority) -> u64 {
    let mut setup = astro(2, 1, 1_000_000);
    setup.scheme.reclaim.priority = ReclaimPriority::Background;
    (setup.scheme.astro.updates_of, setup.scheme.astro.update_priority) = (UpdatesOf::All, priority);
    setup.start = start(Occupancy::Share(0.3), 0.0);
    setup.host = setup_open();
    let writes = (0..9).map(|turn| write(turn * 1_000_000, turn));
    let reads = (0..40).map(|turn| read(9_000_000 + turn * 250_000, 40 + turn % 2));
    let (report, record) = record(&setup, writes.chain(reads).collect());
    assert_eq!(figure(&report, "pages_by_updates"), 32, "{priority:?}");
    let done = record.completions();
    let took = done.iter().skip(9).zip(0..).map(|(&done, turn)| done - 9_000_000 - turn * 250_000);
    took.max().unwrap()
}

#[test]
fn reads_wait_for_orders_by_updates_no_longer_than_for_reclaim() {
    // What runs when a read or its page of the map comes is finished first, and no more of the order comes before it.
    let most = 2 * (TPROG + XFER + READ);
    for priority in [UpdatePriority::Reclaim, UpdatePriority::Background] {
        let longest = longest_beside_an_order(priority);
        assert!(longest <= most, "{priority:?}: {longest}");
    }
    let longest = longest_beside_an_order(UpdatePriority::Equal);
    assert!(longest > most, "in order of arrival: {longest}");
}

fn setup_open() -> HostConfig {
    setup(device(1, 1, 1, 1)).host
}

#[test]
fn what_is_written_or_trimmed_is_looked_up_until_its_region_is_ordered_again() {
    let mut setup = astro(4, 1, 0);
    setup.scheme.astro.read_threshold = 40;
    setup.scheme.astro.update_share = 1_000.0;
    setup.start = start(Occupancy::Share(0.3), 0.0);
    setup.host = setup_open();
    let mut requests: Vec<_> = (0..40).map(|turn| read(turn * 1_000_000, turn % 32)).collect();
    let late = 200_000_000;
    requests.push(write(late, 5));
    requests.push(request(late + 1_000_000, HostOp::Trim, 9, 1));
    let after: Vec<u64> = vec![4, 5, 7, 3, 8, 10, 12];
    requests
        .extend(after.iter().zip(0..).map(|(&page, turn)| read(late + 5_000_000 + turn * 1_000_000, page)));
    let (report, record) = record(&setup, requests);
    let done = record.completions();
    let took: Vec<u64> =
        (0..after.len()).map(|turn| done[42 + turn] - (late + 5_000_000 + turn as u64 * 1_000_000)).collect();
    // Pages 4 to 7 and 8 to 11 are the groups of what was written and trimmed.
    let expected = [2, 2, 2, 1, 2, 2, 1].map(|times| times * READ);
    assert_eq!(took, expected);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.guesses_right, counters.guesses_wrong, counters.guesses_outdated), (2, 0, 0));
}

#[test]
fn a_page_that_held_nothing_is_guessed_in_vain_once() {
    let mut setup = astro(4, 1, 0);
    setup.scheme.astro.read_threshold = 40;
    setup.start = start(Occupancy::None, 0.0);
    setup.host = setup_open();
    // Page 2 of the region is a hole.
    let mut requests: Vec<_> =
        (0..32).filter(|&page| page != 2).map(|page| write(page * 1_000_000, page)).collect();
    requests.extend((0..40).map(|turn| read(50_000_000 + turn * 1_000_000, 3 + turn % 29)));
    requests.extend(
        [2, 3, 2, 30].iter().zip(0..).map(|(&page, turn)| read(300_000_000 + turn * 1_000_000, page)),
    );
    let (report, record) = record(&setup, requests);
    let done = record.completions();
    let took: Vec<u64> =
        (0..4).map(|turn| done[71 + turn] - (300_000_000 + turn as u64 * 1_000_000)).collect();
    // The guess and the page of the map; the group, of which page 3 is one, is looked up from then on.
    assert_eq!(took, [2 * READ, 2 * READ, READ, READ]);
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.guesses_wrong, counters.guesses_outdated), (1, 0));
}

#[test]
fn no_read_finds_anything_else_under_every_policy_of_collection_on_a_full_drive() {
    for policy in GcKind::ALL {
        for (planes, share, span) in [
            (0, 1.0, SuperblockSpan::None),
            (1, 0.5, SuperblockSpan::Channels),
            (2, 0.9, SuperblockSpan::None),
        ] {
            let mut setup = astro(2, 2, 40);
            setup.device.capacity.overprovisioning = Some(0.35);
            setup.scheme.gc.policy = policy;
            setup.scheme.blocks.superblock = span;
            (setup.scheme.astro.planes, setup.scheme.astro.read_threshold) = (planes, 150);
            setup.start = start(Occupancy::Share(share), 0.5);
            let pages = setup.logical_bytes().unwrap() / 4096;
            let what = format!("{policy:?} {planes} {share} {span:?}");
            let report = run(&setup, &mut Listed(mix(7, 8_000, pages)))
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            let counters = report.mapping.as_ref().unwrap().counters;
            assert_eq!(counters.guesses_outdated, 0, "{what}");
            assert!(report.gc.victims > 0, "{what}");
            let least = if share == 1.0 { 0 } else { 100 };
            assert!(
                counters.guesses_right >= least,
                "{what}: {counters:?} {:?}",
                report.systems["astro"].figures
            );
        }
    }
}

#[test]
fn a_region_is_guessed_while_it_is_ordered_anew() {
    // One region of many pages, read again and again: its next order begins soon after the last one has ended.
    let mut setup = astro(4, 1, 0);
    let config = &mut setup.scheme.astro;
    (config.region_pages, config.planes, config.read_threshold) = (64, 4, 100);
    setup.start = start(Occupancy::Share(0.3), 0.0);
    setup.window.warmup_requests = 500;
    let report = run(&setup, &mut reads(4, 5_000, 64)).unwrap();
    let orders = figure(&report, "orders_by_reads");
    assert!(orders > 10, "{orders}");
    let counters = report.mapping.as_ref().unwrap().counters;
    assert_eq!((counters.guesses_wrong, counters.guesses_outdated), (0, 0));
    let share = counters.guesses_right as f64 / 4_500.0;
    assert!(share > 0.99, "{share} of the reads were guessed");
}

/// A page of an ordered region is written while its guessed read waits behind a program, with one of another page that lies in
/// its flash page or on another plane of its die: reads that could go together.
fn guessed_beside_another(rule: MultiPlaneRule, page_bytes: u32) -> Report {
    let mut setup = astro(2, 1, 0);
    let geometry = &mut setup.device.geometry;
    (geometry.planes, geometry.page_bytes) = (2, page_bytes);
    setup.device.multi_plane = MultiPlaneConfig { rule, ..setup.device.multi_plane };
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.scheme.astro.read_threshold = 40;
    setup.scheme.astro.update_share = 1_000.0;
    setup.start = start(Occupancy::Share(0.3), 0.0);
    setup.host = setup_open();
    let mut requests: Vec<_> = (0..40).map(|turn| read(turn * 1_000_000, turn % 32)).collect();
    // Any two neighbours, behind a program on any plane.
    let mut now = 200_000_000;
    for page in 0..31 {
        for busy in 64..68 {
            requests.push(write(now, busy));
            requests.extend([read(now + 100_000, page), read(now + 100_001, page + 1)]);
            requests.push(write(now + 150_000, page + 1));
            now += 10_000_000;
            // In order again.
            requests.extend((0..40).map(|turn| read(now + turn * 1_000_000, turn % 32)));
            now += 100_000_000;
        }
    }
    record(&setup, requests).0
}

#[test]
fn a_guess_is_taken_back_also_where_its_read_goes_with_another() {
    for (rule, page_bytes) in
        [(MultiPlaneRule::Any, 4096), (MultiPlaneRule::SamePage, 4096), (MultiPlaneRule::None, 8192)]
    {
        let report = guessed_beside_another(rule, page_bytes);
        let counters = report.mapping.as_ref().unwrap().counters;
        let what = format!("{rule:?} {page_bytes}: {counters:?}");
        assert_eq!(counters.guesses_outdated, 0, "{what}");
        assert!(counters.guesses_withdrawn > 0 && counters.guesses_right > 1_000, "{what}");
    }
}

#[test]
fn reads_are_answered_however_often_their_regions_are_ordered() {
    for seed in 0..12 {
        let mut setup = astro(3, 1, 3);
        setup.scheme.reclaim.policy = ReclaimKind::Superblock;
        setup.scheme.reclaim.priority = ReclaimPriority::Foreground;
        let config = &mut setup.scheme.astro;
        (config.region_pages, config.read_threshold, config.update_share) = (8, 1, 0.0);
        (config.updates_of, config.at_once) = (UpdatesOf::All, 8);
        setup.device.capacity.overprovisioning = Some(0.5);
        setup.start = start(Occupancy::All, 0.0);
        setup.host = closed(16);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let report = run(&setup, &mut Listed(mix(seed, 2_000, pages)))
            .unwrap_or_else(|error| panic!("{seed}: {error}"));
        let counters = report.mapping.as_ref().unwrap().counters;
        assert_eq!(counters.guesses_outdated, 0, "{seed}: {counters:?}");
    }
}

#[test]
fn without_spare_space_blocks_are_reclaimed_without_order() {
    let mut setup = astro(2, 1, 40);
    setup.scheme.astro.spare_superblocks = 32;
    setup.start = start(Occupancy::Share(0.5), 0.0);
    let report = run(&setup, &mut reads(3, 5_000, 100)).unwrap();
    let figures = ["orders_by_reclaim", "ordered_regions"].map(|name| figure(&report, name));
    assert_eq!(figures, [0, 0]);
    assert!(figure(&report, "without_space") > 0 && figure(&report, "residual_pages") > 0);
    assert!(report.read_reclaim.is_some_and(|reclaim| reclaim.moved_units > 0));
}

#[test]
fn a_run_may_be_split_while_regions_are_ordered() {
    let mut setup = astro(2, 2, 40);
    (setup.scheme.astro.planes, setup.scheme.astro.read_threshold) = (0, 150);
    setup.start = start(Occupancy::Share(0.7), 0.5);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let requests = mix(9, 3_000, pages);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    let stops: Vec<_> = (1..8).map(|part| after(part * 371)).collect();
    assert!(in_parts(&setup, &requests, &stops).unwrap() == whole);
}

#[test]
fn the_ledger_has_the_table_and_both_buffers() {
    let setup = astro(1, 1, 60);
    let report = run(&setup, &mut reads(1, 10, 100)).unwrap();
    // 358 pages: 12 regions of 9 bytes and 8 bits; a bit for each page of two regions under way; two regions and a block of
    // 4 KiB pages.
    assert_eq!(report.dram.bytes_by_user["astro"], 12 * 9 + 12 + 2 * 4 + (2 * 32 + 16) * 4096);
}

/// Requests of so many threads that each think this long, in a drive whose regions are in order, and without guesses: the
/// mean time from one request of a thread to the next, ns, and the share of guesses.
fn cycle(speculates: bool, threads: u32, think_ns: u64) -> (f64, f64) {
    // Sixty-four dies, so that requests seldom meet. Each region is read 250 times, once, before the window opens.
    let mut setup = astro(16, 4, 0);
    setup.kept = Kept::Nothing;
    setup.scheme.astro.enabled = speculates;
    let config = &mut setup.scheme.astro;
    (config.region_pages, config.planes, config.read_threshold) = (64, 4, 250);
    config.at_once = 64;
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.host = HostConfig { think_time_ns: think_ns, ..closed(threads) };
    let setup = &mut only_what_is_read(&setup);
    let pages = setup.logical_bytes().unwrap() / 4096 / 2;
    let (before, counted) = if speculates { (pages * 340 / 64, pages * 80 / 64) } else { (1, 30_000) };
    setup.window.warmup_requests = before;
    let report = run(setup, &mut reads(5, before + counted, pages)).unwrap();
    let mapping = report.mapping.unwrap();
    let share = mapping.counters.guesses_right as f64 / mapping.lookups as f64;
    (report.read.latency_ns.mean + think_ns as f64, share)
}

#[test]
fn the_speed_up_of_guesses_is_that_of_the_formula() {
    for threads in [1, 5] {
        for think_ns in [0, 6_000, 14_100, 20_000] {
            let (without, none) = cycle(false, threads, think_ns);
            let (with, share) = cycle(true, threads, think_ns);
            assert_eq!(none, 0.0);
            assert!(share >= 0.99, "{threads} {think_ns}: {share} of the reads were guessed");
            let (f, x) = (READ as f64, think_ns as f64);
            let expected = (2.0 * f + x) / ((2.0 - share) * f + x);
            let found = without / with;
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{threads} {think_ns}: {found}, by formula {expected}"
            );
        }
    }
}

#[test]
fn a_region_of_more_superblocks_than_a_plan_opens_is_refused() {
    let mut setup = astro(2, 1, 0);
    let block = setup.device.geometry.pages;
    setup.scheme.astro.region_pages = 64 * block;
    assert!(setup.prepare(&[]).is_ok());
    setup.scheme.astro.region_pages += 1;
    let error = setup.prepare(&[]).err().unwrap().to_string();
    let expected =
        format!("scheme.astro.region_pages = {}: allowed: as many as 64 superblocks hold", 64 * block + 1);
    assert!(error.contains(&expected), "{error}");
}

#[test]
fn blocks_of_the_map_are_reclaimed_or_left_alone() {
    for map_blocks in [true, false] {
        let mut setup = astro(1, 1, 40);
        setup.scheme.astro.enabled = false;
        setup.scheme.reclaim.map_blocks = map_blocks;
        setup.start = start(Occupancy::Share(0.5), 0.0);
        let setup = only_what_is_read(&setup);
        // One page of each of many blocks, so that the map's block is read more often than any of them.
        let report = run(&setup, &mut made(200, |turn| read(0, turn % 8 * 16))).unwrap();
        let reclaim = report.read_reclaim.as_ref().unwrap();
        assert_eq!((reclaim.worn_blocks > 0, report.mapping.unwrap().counters.misses), (map_blocks, 200));
    }
}
