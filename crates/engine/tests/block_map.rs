//! Block map, BAST and FAST: what switch, partial and full merges cost, and that every read finds the newest version.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::block_map::{BlockMapConfig, BlockMapKind};
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

/// Pages of a block.
const BLOCK: u64 = 16;

/// One plane, all of whose logical blocks are in data blocks, with so many log blocks.
fn blocks(policy: BlockMapKind, log_blocks: u32) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.block_map = BlockMapConfig { policy, log_blocks };
    setup
}

/// Single pages, one after the other.
fn writes(pages: impl IntoIterator<Item = u64>) -> Vec<HostRequest> {
    pages.into_iter().zip(0..).map(|(page, turn)| write(turn * 40_000_000, page)).collect()
}

fn figures(report: &Report, names: [&str; 4]) -> [u64; 4] {
    let figures = &report.systems["block_map"].figures;
    assert_eq!(figures["astray_pages"], 0, "{figures:?}");
    names.map(|name| figures[name])
}

const MERGES: [&str; 4] = ["switch_merges", "partial_merges", "full_merges", "units_to_copy"];

/// Merges by kind and units copied, programs and erases.
fn merges(setup: &Setup, mut requests: Vec<HostRequest>) -> ([u64; 4], u64, u64) {
    // Erases go on behind the last write.
    requests.push(read(10_000_000_000, 0));
    let report = run(setup, &mut Listed(requests)).unwrap();
    (figures(&report, MERGES), report.flash.programs, report.flash.erases)
}

#[test]
fn a_block_written_from_its_beginning_to_its_end_is_switched() {
    for policy in BlockMapKind::ALL {
        let (found, programs, erases) = merges(&blocks(policy, 2), writes(0..BLOCK));
        assert_eq!((found, programs, erases), ([1, 0, 0, 0], BLOCK, 1), "{policy:?}");
    }
}

#[test]
fn a_log_block_in_order_takes_in_the_rest_of_its_block() {
    // Five pages of the first block, then the third one, for which no log block is left.
    let requests = || writes((0..5).chain(32..33));
    for (policy, log_blocks) in [(BlockMapKind::Bast, 1), (BlockMapKind::Fast, 2), (BlockMapKind::Block, 1)] {
        let (found, programs, erases) = merges(&blocks(policy, log_blocks), requests());
        assert_eq!((found, programs, erases), ([0, 1, 0, 11], 6 + 11, 1), "{policy:?}");
    }
}

#[test]
fn the_sequential_log_block_of_fast_is_merged_for_a_page_of_its_block_that_isn_t_the_next() {
    // Pages 0 to 4, then 8: 5 to 7 are copied before it and 9 to 15 behind, and the log block is the data block.
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Fast, 2), writes((0..5).chain([8])));
    assert_eq!((found, programs, erases), ([0, 1, 0, 3 + 7], 16, 1));
    // Pages 0 to 4, then 2: the block is put together elsewhere, and the page goes to a shared log block.
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Fast, 2), writes((0..5).chain([2])));
    assert_eq!((found, programs, erases), ([0, 0, 1, 16], 6 + 16, 2));
}

#[test]
fn a_log_block_out_of_order_is_put_together_with_its_block_elsewhere() {
    // Pages 3 and 2 of the first block; then one of the third.
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Bast, 1), writes([3, 2, 32]));
    assert_eq!((found, programs, erases), ([0, 0, 1, 16], 3 + 16, 2));
}

#[test]
fn a_log_block_that_all_share_is_merged_with_each_block_that_has_pages_there() {
    // Sixteen pages of three blocks fill the only one; the next page makes room.
    let pages = (0..16).map(|turn| turn % 3 * BLOCK + 1 + turn / 3).chain([5 * BLOCK + 7]);
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Fast, 2), writes(pages));
    assert_eq!((found, programs, erases), ([0, 0, 3, 48], 17 + 48, 4));
}

#[test]
fn what_lies_in_several_shared_log_blocks_is_merged_at_once() {
    // Two of them, filled by the same two blocks: merging the first leaves nothing valid in the second.
    let pages = (0..32).map(|turn| turn % 2 * BLOCK + 1 + turn / 2 % 15).chain([5 * BLOCK + 7]);
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Fast, 3), writes(pages));
    assert_eq!((found, programs, erases), ([0, 0, 2, 32], 33 + 32, 4));
}

#[test]
fn the_block_map_copies_what_comes_before_a_write_and_what_comes_behind() {
    // Page 5: the five before it. Page 2 again: the ten behind, and a new block with the two before it.
    let (found, programs, erases) = merges(&blocks(BlockMapKind::Block, 1), writes([5, 2]));
    assert_eq!((found, programs, erases), ([0, 1, 0, 5 + 10 + 2], 2 + 17, 1));
}

#[test]
fn pages_that_were_trimmed_are_not_copied() {
    let trims = (8..16).map(|page| request(page * 1_000, HostOp::Trim, page, 1));
    let later = |request: HostRequest| HostRequest {
        time: request.time + wordline_engine::time::Ns(1_000_000),
        ..request
    };
    let requests = trims.chain(writes([3, 2, 32]).into_iter().map(later)).collect();
    let (found, programs, _) = merges(&blocks(BlockMapKind::Bast, 1), requests);
    assert_eq!((found, programs), ([0, 0, 1, 8], 3 + 8));
}

#[test]
fn reads_find_pages_in_data_blocks_and_in_log_blocks_at_once() {
    for policy in BlockMapKind::ALL {
        let mut requests = writes([3]);
        requests.extend((0..5).map(|page| read(100_000_000 + page * 1_000_000, page)));
        let (_, record) = record(&blocks(policy, 2), requests);
        let done = record.completions();
        let took: Vec<u64> =
            (0..5).map(|page| done[1 + page] - 100_000_000 - page as u64 * 1_000_000).collect();
        assert_eq!(took, [TR + XFER; 5], "{policy:?}");
    }
}

/// Requests of all kinds, most of them on a part of the drive.
fn mix(seed: u64, count: u64, pages: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let mut next = 0;
    (0..count)
        .map(|_| {
            let region = if random.below(10) < 7 { pages / 8 } else { pages };
            let (mut first, length) = (random.below(region - 4), 1 + random.below(4));
            let op = match random.below(20) {
                0..7 => HostOp::Read,
                7 => HostOp::Trim,
                8..13 => {
                    // A stream that goes round the drive.
                    first = next % (pages - 8);
                    next += length;
                    HostOp::Write
                }
                _ => HostOp::Write,
            };
            let mut request = request(0, op, first, length);
            if random.below(10) == 0 {
                // A part of a page.
                request.length -= 1024;
            }
            request
        })
        .collect()
}

#[test]
fn every_read_finds_the_newest_version_whatever_the_drive_on_a_full_drive() {
    for policy in BlockMapKind::ALL {
        for (units, planes, span, depth) in [
            (1, 2, SuperblockSpan::None, 1),
            (1, 1, SuperblockSpan::Drive, 12),
            (4, 2, SuperblockSpan::None, 12),
            (2, 2, SuperblockSpan::Die, 5),
            (3, 1, SuperblockSpan::Channels, 32),
        ] {
            if policy == BlockMapKind::Block && units > 1 {
                continue;
            }
            for share in [0.0, 0.5, 1.0] {
                let mut setup = setup(device(2, 2, 1, planes));
                setup.scheme.block_map = BlockMapConfig { policy, log_blocks: 3 };
                let geometry = &mut setup.device.geometry;
                match units {
                    3 => (geometry.pages_per_program, geometry.pages) = (3, 12),
                    units => geometry.page_bytes = 4096 * units,
                }
                setup.scheme.blocks.superblock = span;
                setup.start = start(Occupancy::Share(share), 0.0);
                setup.host = closed(depth);
                let pages = setup.logical_bytes().unwrap() / 4096;
                let what = format!("{policy:?} {units} {planes} {span:?} {share}");
                let report = run(&setup, &mut Listed(mix(7, 3_000, pages)))
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                let [_, partial, full, copied] = figures(&report, MERGES);
                assert!(partial + full > 0 && copied > 0, "{what}: {:?}", report.systems);
                assert!(report.checked.is_some_and(|checked| checked.reads_verified > 0), "{what}");
            }
        }
    }
}

#[test]
fn they_stand_behind_a_data_cache() {
    for policy in BlockMapKind::ALL {
        for cache in [CacheKind::WriteBuffer, CacheKind::Lru] {
            let mut setup = setup(device(2, 1, 1, 2));
            if policy != BlockMapKind::Block {
                setup.device.geometry.page_bytes = 8192;
            }
            setup.scheme.block_map = BlockMapConfig { policy, log_blocks: 4 };
            setup.scheme.cache =
                CacheConfig { policy: cache, bytes: CacheBytes::Bytes(128 << 10), ..CacheConfig::default() };
            setup.host = closed(8);
            let pages = setup.logical_bytes().unwrap() / 4096;
            let report = run(&setup, &mut Listed(mix(3, 4_000, pages))).unwrap();
            let [_, partial, full, _] = figures(&report, MERGES);
            assert!(partial + full > 0, "{policy:?} {cache:?}");
        }
    }
}

#[test]
fn a_run_may_be_split_while_blocks_are_merged() {
    for policy in BlockMapKind::ALL {
        let mut setup = setup(device(2, 1, 1, 1));
        setup.scheme.block_map = BlockMapConfig { policy, log_blocks: 3 };
        setup.host = closed(8);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let requests = mix(9, 1_000, pages);
        let whole = in_parts(&setup, &requests, &[]).unwrap();
        let stops: Vec<_> = (1..6).map(|part| after(part * 151)).collect();
        assert!(in_parts(&setup, &requests, &stops).unwrap() == whole, "{policy:?}");
    }
}

/// WAF of writes of one page each.
fn waf(policy: BlockMapKind, requests: Vec<HostRequest>) -> f64 {
    let mut setup = setup(device(2, 1, 1, 1));
    setup.scheme.block_map = BlockMapConfig { policy, log_blocks: 6 };
    setup.host = closed(4);
    run(&setup, &mut Listed(requests)).unwrap().waf.unwrap()
}

#[test]
fn random_writes_cost_fast_less_than_bast_and_bast_less_than_the_block_map() {
    let mut random = Random(11);
    let requests: Vec<_> = (0..2_000).map(|_| write(0, random.below(16 * 40))).collect();
    let [block, bast, fast] = BlockMapKind::ALL.map(|policy| waf(policy, requests.clone()));
    assert!(1.0 < fast && fast < 0.8 * bast && bast < 0.95 * block, "{fast} {bast} {block}");
}

#[test]
fn sequential_writes_are_programmed_once() {
    for policy in BlockMapKind::ALL {
        let rounds = (0..2).flat_map(|_| (0..16 * 40).map(|page| write(0, page))).collect();
        assert_eq!(waf(policy, rounds), 1.0, "{policy:?}");
    }
}

#[test]
fn the_ledger_has_the_map_of_blocks_and_the_pages_of_log_blocks() {
    for (policy, bytes) in
        [(BlockMapKind::Block, 23 * 4 + 2 * 4), (BlockMapKind::Fast, 23 * 4 + 2 * (4 + 64))]
    {
        let report = run(&blocks(policy, 2), &mut Listed(writes([1]))).unwrap();
        assert_eq!(report.dram.bytes_by_user.get("map"), None, "{policy:?}");
        assert_eq!(report.dram.bytes_by_user["block_map"], bytes, "{policy:?}");
    }
}

#[test]
fn what_would_move_pages_beside_it_or_takes_too_much_space_is_refused_by_its_key() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = blocks(BlockMapKind::Fast, 4);
        change(&mut setup);
        setup.prepare(&[]).err().unwrap().to_string()
    };
    type Case<'a> = (&'a dyn Fn(&mut Setup), &'a str);
    let cases: [Case<'_>; 10] = [
        (&|setup| setup.scheme.mapping.policy = MappingKind::Demand, "scheme.mapping.policy"),
        (&|setup| setup.scheme.placement.policy = PlacementKind::Dynamic, "scheme.placement.policy"),
        (&|setup| setup.scheme.gc.policy = GcKind::Fifo, "scheme.gc.policy"),
        (&|setup| setup.scheme.collision.enabled = true, "scheme.collision.enabled"),
        (&|setup| setup.scheme.wear.static_spread = Some(2), "scheme.wear.static_spread"),
        (&|setup| setup.start.overwrite = 0.5, "workload.start.overwrite = 0.5: allowed: 0 beside"),
        (&|setup| setup.start.occupancy = Occupancy::Footprint, "occupancy = \"footprint\""),
        (&|setup| setup.start.occupancy = Occupancy::Span, "workload.start.occupancy = \"span\""),
        (&|setup| setup.scheme.block_map.log_blocks = 8, "scheme.block_map.log_blocks = 8: allowed: up to 7"),
        (&|setup| setup.scheme.block_map.log_blocks = 1, "scheme.block_map.log_blocks = 1"),
    ];
    for (change, expected) in cases {
        let error = refused(change);
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let mut setup = blocks(BlockMapKind::Block, 1);
    setup.device.geometry.page_bytes = 8192;
    assert!(setup.prepare(&[]).err().unwrap().to_string().contains("scheme.block_map.policy"));
}
