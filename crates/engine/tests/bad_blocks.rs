//! Bad blocks from the factory and in use, spares, retirement and the end of a drive's life. Everything in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::bad_blocks::BadBlocksConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{GcKind, PlacementKind, SuperblockSpan};
use wordline_engine::host::HostOp;
use wordline_engine::{RunError, Setup};

fn with(config: BadBlocksConfig) -> Setup {
    let mut setup = setup(device(2, 1, 1, 1));
    setup.device.capacity.overprovisioning = Some(0.4);
    setup.device.bad_blocks = Some(config);
    setup.scheme.blocks.superblock = SuperblockSpan::Drive;
    setup.start = start(Occupancy::Share(0.9), 0.3);
    setup.host = closed(8);
    setup
}

fn mix(pages: u64, count: u64, seed: u64) -> impl wordline_engine::host::RequestSource {
    let mut random = Random(seed);
    made(count, move |_| {
        let op = match random.below(12) {
            0..3 => HostOp::Read,
            11 => HostOp::Trim,
            _ => HostOp::Write,
        };
        let length = 1 + random.below(3);
        request(0, op, random.below(pages - length), length)
    })
}

fn pages(setup: &Setup) -> u64 {
    setup.logical_bytes().unwrap() / 4096
}

#[test]
fn without_bad_blocks_nothing_is_told_of_them() {
    let mut setup = with(BadBlocksConfig::default());
    setup.device.bad_blocks = None;
    let report = run(&setup, &mut mix(pages(&setup), 200, 1)).unwrap();
    assert!(report.bad_blocks.is_none() && report.end_of_life.is_none());
}

#[test]
fn a_table_that_makes_no_block_bad_changes_no_time() {
    let setup = with(BadBlocksConfig::default());
    let mut plain = setup.clone();
    plain.device.bad_blocks = None;
    let [one, other] = [&setup, &plain].map(|setup| run(setup, &mut mix(pages(setup), 2_000, 3)).unwrap());
    assert_eq!(one.window.end_ns, other.window.end_ns);
    assert_eq!((one.flash.erases, one.gc.victims), (other.flash.erases, other.gc.victims));
    assert!(one.erase_counts.max.abs_diff(other.erase_counts.max) <= 1);
}

#[test]
fn factory_bad_blocks_take_space_and_are_never_used() {
    let config = BadBlocksConfig {
        factory: vec![[0, 0], [0, 5], [1, 31]],
        spare_blocks_per_plane: 1,
        ..BadBlocksConfig::default()
    };
    let setup = with(config);
    let report = run(&setup, &mut mix(pages(&setup), 3_000, 1)).unwrap();
    let counts = report.bad_blocks.unwrap();
    assert_eq!((counts.factory, counts.grown), (3, 0));
    // Plane 0 has 30 good blocks: 29 superblocks and a spare; plane 1 has 31 and so two spares.
    assert_eq!(counts.spares_left, 1 + 2);
    // A bad block and a spare are never erased.
    assert!(report.erase_counts.distribution[&0] >= 3 + 3);
    assert!(report.gc.victims > 20 && report.erase_counts.max > 1);
}

#[test]
fn the_same_seed_gives_the_same_bad_blocks() {
    let config = BadBlocksConfig { factory_share: 0.05, erase_failures: 0.01, ..BadBlocksConfig::default() };
    let counts = |seed| {
        let mut setup = with(BadBlocksConfig { spare_blocks_per_plane: 3, ..config.clone() });
        setup.device.geometry.blocks = 64;
        setup.seed = seed;
        let report = run(&setup, &mut mix(pages(&setup), 3_000, 1)).unwrap();
        (report.bad_blocks.unwrap(), report.window.end_ns)
    };
    assert_eq!(counts(1), counts(1));
    assert_ne!(counts(1), counts(2));
}

#[test]
fn a_spare_replaces_a_block_that_fails_and_superblocks_stay_whole() {
    let config = BadBlocksConfig {
        spare_blocks_per_plane: 4,
        endurance_cycles: Some(12),
        endurance_spread: 0.2,
        ..BadBlocksConfig::default()
    };
    let setup = with(config);
    let mut requests = 200;
    let counts = loop {
        let report = run(&setup, &mut mix(pages(&setup), requests, 1)).unwrap();
        let counts = report.bad_blocks.unwrap();
        if counts.replaced > 0 {
            break counts;
        }
        assert!(requests < 20_000 && report.end_of_life.is_none(), "{counts:?}");
        requests += 100;
    };
    assert_eq!((counts.grown, counts.retired_superblocks), (counts.replaced, 0));
    assert_eq!(counts.spares_left, 8 - counts.replaced);
}

#[test]
fn a_worn_drive_ends_with_a_result_that_says_so() {
    for (policy, gc) in [(PlacementKind::Static, GcKind::Greedy), (PlacementKind::Dynamic, GcKind::Fifo)] {
        for span in [SuperblockSpan::None, SuperblockSpan::Drive] {
            let config = BadBlocksConfig {
                spare_blocks_per_plane: 2,
                endurance_cycles: Some(6),
                endurance_spread: 0.2,
                ..BadBlocksConfig::default()
            };
            let mut setup = with(config);
            setup.scheme.blocks.superblock = span;
            setup.scheme.placement.policy = policy;
            setup.scheme.gc.policy = gc;
            let what = format!("{policy:?} {span:?}");
            let report = run(&setup, &mut mix(pages(&setup), 100_000, 1)).expect(&what);
            let end = report.end_of_life.expect(&what);
            let counts = report.bad_blocks.unwrap();
            assert_eq!(end.time_ns, report.window.end_ns, "{what}");
            assert_eq!(end.erases, counts.erases, "{what}");
            // 64 blocks of about 6 erases each, most of which are used up.
            assert!((150..450).contains(&end.erases), "{what} {end:?}");
            assert!(counts.retired_superblocks > 0 && counts.replaced >= 1, "{what} {counts:?}");
            assert!(end.host_bytes_written > setup.logical_bytes().unwrap(), "{what}");
            assert!(end.host_bytes_written < end.erases * 16 * 4096 * 4, "{what} {end:?}");
        }
    }
}

#[test]
fn a_drive_under_writes_outlives_the_blocks_that_fail_when_they_are_erased() {
    for seed in 1..=4 {
        let mut setup = setup(device(1, 1, 1, 2));
        setup.device.capacity.overprovisioning = Some(0.3);
        setup.device.bad_blocks =
            Some(BadBlocksConfig { erase_failures: 0.01, ..BadBlocksConfig::default() });
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        (setup.start, setup.host, setup.seed) = (start(Occupancy::All, 1.0), closed(16), seed);
        let pages = pages(&setup);
        let mut random = Random(seed);
        let mut writes = made(60_000, move |_| request(0, HostOp::Write, random.below(pages), 1));
        let report = run(&setup, &mut writes).unwrap();
        // Of 32 superblocks 23 hold the data, 2 are open, 3 kept free.
        let retired = report.bad_blocks.unwrap().retired_superblocks;
        assert!(report.end_of_life.is_some() && retired >= 4, "seed {seed}: {retired}");
    }
}

#[test]
fn a_drive_whose_life_ends_behind_the_last_answer_is_no_fault() {
    let mut ended_behind = 0;
    for count in (1..=60).map(|tens| tens * 10) {
        let config = BadBlocksConfig {
            spare_blocks_per_plane: 1,
            program_failures: 0.02,
            erase_failures: 0.05,
            ..BadBlocksConfig::default()
        };
        let mut setup = with(config);
        (setup.device.geometry.pages, setup.device.geometry.blocks) = (8, 24);
        setup.scheme.blocks.superblock = SuperblockSpan::None;
        let report = run(&setup, &mut mix(pages(&setup), count, 1)).expect("no fault");
        ended_behind += usize::from(report.end_of_life.is_none() && report.checked.is_none());
    }
    assert!(ended_behind > 0);
}

#[test]
fn a_failed_program_loses_nothing_and_costs_its_block() {
    for span in [SuperblockSpan::None, SuperblockSpan::Drive] {
        let config = BadBlocksConfig {
            spare_blocks_per_plane: 6,
            program_failures: 0.001,
            ..BadBlocksConfig::default()
        };
        let mut setup = with(config);
        setup.scheme.blocks.superblock = span;
        let report = run(&setup, &mut mix(pages(&setup), 3_000, 1)).unwrap();
        let counts = report.bad_blocks.unwrap();
        assert!(counts.failed_programs > 2, "{counts:?}");
        assert!(counts.grown > 0 && counts.grown <= counts.failed_programs, "{counts:?}");
    }
}

#[test]
fn drives_that_lose_blocks_stay_consistent_under_collection_and_trim() {
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Drive] {
        for seed in 1..4 {
            let config = BadBlocksConfig {
                factory_share: 0.02,
                spare_blocks_per_plane: 2,
                program_failures: 0.0005,
                erase_failures: 0.005,
                ..BadBlocksConfig::default()
            };
            let mut setup = with(config);
            setup.device.geometry.planes = 2;
            setup.device.geometry.blocks = 48;
            setup.seed = seed;
            setup.scheme.blocks.superblock = span;
            let report = run(&setup, &mut mix(pages(&setup), 8_000, seed)).expect("no fault");
            let counts = report.bad_blocks.unwrap();
            assert!(counts.grown > 0 && report.gc.victims > 20, "{span:?} {seed}: {counts:?}");
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |config: BadBlocksConfig| match with(config).prepare(&[]).map(|_| ()).unwrap_err() {
        RunError::Config(error) => error.to_string(),
        other => panic!("{other}"),
    };
    let none = BadBlocksConfig::default;
    for (config, key) in [
        (BadBlocksConfig { factory_share: 0.6, ..none() }, "device.bad_blocks.factory_share"),
        (BadBlocksConfig { factory: vec![[2, 0]], ..none() }, "device.bad_blocks.factory"),
        (BadBlocksConfig { spare_blocks_per_plane: 32, ..none() }, "spare_blocks_per_plane"),
        (BadBlocksConfig { erase_failures: 1.5, ..none() }, "device.bad_blocks.erase_failures"),
        (BadBlocksConfig { endurance_cycles: Some(0), ..none() }, "device.bad_blocks.endurance_cycles"),
        (BadBlocksConfig { slc_endurance_cycles: Some(9), ..none() }, "none without endurance_cycles"),
        // Too little is left for the capacity.
        (BadBlocksConfig { spare_blocks_per_plane: 12, ..none() }, "device.capacity.overprovisioning"),
    ] {
        let error = refused(config);
        assert!(error.contains(key), "{error}");
    }
}

/// Erases of dies and channels are those of their physical blocks, as `erase_counts` has them.
#[test]
fn erases_of_dies_and_channels_make_up_those_of_all_blocks() {
    let config = BadBlocksConfig {
        spare_blocks_per_plane: 4,
        endurance_cycles: Some(9),
        ..BadBlocksConfig::default()
    };
    let setup = with(config);
    let report = run(&setup, &mut mix(pages(&setup), 3_000, 5)).unwrap();
    assert!(report.bad_blocks.unwrap().grown > 0);
    let all: u64 =
        report.erase_counts.distribution.iter().map(|(count, blocks)| u64::from(*count) * blocks).sum();
    let dies: Vec<_> = report.dies.iter().map(|die| die.erases).collect();
    let channels: Vec<_> = report.channels.iter().map(|channel| channel.erases).collect();
    for spans in [dies, channels] {
        assert_eq!(spans.iter().map(|span| span.total).sum::<u64>(), all);
        assert_eq!(spans.iter().map(|span| span.max).max(), Some(report.erase_counts.max));
    }
}
