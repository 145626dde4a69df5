//! The hard limit of read reclaim under every redundancy: what is read too often is closed, moved and erased, wherever it
//! lies.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use proptest::prelude::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::reclaim::{ReclaimConfig, ReclaimKind, ReclaimPriority};
use wordline_engine::config::redundancy::{RebuildWhen, RedundancyConfig, RedundancyKind};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{SchedulerKind, SuperblockSpan};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::reclaim::{Decision, ReadReclaim, WornBlock};
use wordline_engine::systems::DriveView;

fn parity(when: RebuildWhen) -> RedundancyConfig {
    RedundancyConfig { policy: RedundancyKind::ParityRows, when, xor_ns: 0 }
}

/// Four channels of one die each, empty; a superblock over all, with parity.
fn striped(threshold: u32, hard_limit: u32) -> Setup {
    let mut setup = setup(device(4, 1, 1, 1));
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.scheme.blocks.superblock = SuperblockSpan::Drive;
    setup.scheme.redundancy = parity(RebuildWhen::AnyWait);
    setup.scheme.reclaim = ReclaimConfig {
        policy: ReclaimKind::Superblock,
        threshold,
        hard_limit: Some(hard_limit),
        ..ReclaimConfig::default()
    };
    setup.start = start(Occupancy::None, 0.0);
    setup
}

#[test]
fn with_parity_a_superblock_that_is_never_filled_is_closed_at_the_limit_and_its_row_gets_its_parity() {
    // Row 0 is P 0 1 2, row 1 is 3 P 4 5: four pages leave the second row begun.
    for (pages, of_rows) in [(1, 1), (2, 1), (3, 1), (4, 2), (6, 2)] {
        let requests = (0..pages)
            .map(|page| write(0, page))
            .chain((0..500).map(|number| read(10_000_000 + number * 100_000, number % pages)))
            .collect();
        // What moves keeps its place, so the fresh superblock has the rows of the old one.
        let (report, _) = record(&striped(20, 30), requests);
        let (reclaim, peak) = (report.read_reclaim.unwrap(), report.read_disturb.unwrap().block_peak);
        assert!(reclaim.closed_early == 1 && reclaim.at_hard_limit >= 1, "{pages}: {reclaim:?}");
        // Beyond it: the pages that move, and reads of the host until all have.
        assert!((30..30 + 6 + 25).contains(&peak), "{pages}: {peak}");
        let closed = report.flash.by_class["parity_program"].operations;
        assert!(closed >= of_rows, "{pages}: {closed}");
    }
}

#[test]
fn a_row_that_is_begun_has_no_parity_until_its_superblock_is_closed() {
    // The two pages are read up to one below the limit, and once more.
    for (reads, parities) in [(9, 0), (10, 1)] {
        let setup = striped(10, 10);
        let mut device = setup.prepare(&[]).unwrap();
        device.set_reclaim(Box::new(Never));
        let reads = (0..reads).map(|number| read(10_000_000 + number * 1_000_000, 0));
        let requests = [write(0, 0), write(0, 1)].into_iter().chain(reads).chain([read(50_000_000, 1)]);
        let (report, _) = record_on(&setup, device, &mut Listed(requests.collect())).unwrap();
        let programmed = report.flash.by_class.get("parity_program").map_or(0, |class| class.operations);
        assert_eq!(programmed, parities);
    }
}

/// Nothing is moved, whatever is read.
struct Never;

impl ReadReclaim for Never {
    fn reclaim(&mut self, _: &WornBlock, _: &DriveView<'_>) -> Decision {
        Decision::Leave
    }
}

#[test]
fn a_row_that_was_closed_early_is_rebuilt_from_what_it_holds() {
    let setup = striped(5, 5);
    let mut device = setup.prepare(&[]).unwrap();
    device.set_reclaim(Box::new(Never));
    // Pages 0 and 1 lie on the second and third die; the fourth has nothing of their row, whose parity is on the first.
    let late = 100_000_000;
    let requests = [write(0, 0), write(0, 1)]
        .into_iter()
        .chain((0..5).map(|number| read(10_000_000 + number * 1_000_000, 0)))
        // The first page of the next superblock keeps the second die busy.
        .chain([write(late, 9), read(late + 10, 0)])
        .collect();
    let (report, record) = record_on(&setup, device, &mut Listed(requests)).unwrap();
    let counts = report.redundancy.unwrap();
    assert_eq!((counts.blocked_reads, counts.incomplete_rows), (1, 0));
    assert_eq!((counts.reconstructed_reads, counts.source_reads), (1, 2));
    assert_eq!(*record.completions().last().unwrap(), late + 10 + TR + XFER);
    assert_eq!(report.read_reclaim.unwrap().closed_early, 1);
    assert_eq!(report.flash.by_class["parity_program"].operations, 1);
}

/// Reads of a few pages, with a write of one of them, or elsewhere, now and then.
fn hot(seed: u64, count: u64, pages: u64, writes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let mut all: Vec<_> = (0..pages).map(|page| write(0, page)).collect();
    all.extend((0..count).map(|_| {
        let page = random.below(pages);
        if writes > 0 && random.below(writes) == 0 {
            let page = if random.below(2) == 0 { page } else { random.below(150) };
            return write(0, page);
        }
        request(0, HostOp::Read, page, 1)
    }));
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Beyond the limit a block is read by what is under way, by the moves of its pages, and by what its die has time for
    /// between the commands that close and empty it: not without end.
    #[test]
    fn no_block_is_read_on_and_on_beyond_the_hard_limit(
        (policy, priority, when) in (0usize..4, 0usize..3, 0usize..3),
        (threshold, beyond) in (20u32..120, 0u32..120),
        (planes, at_once, units) in (1u32..3, prop_oneof![Just(1u32), Just(2)], prop_oneof![Just(4096u32), Just(2048)]),
        (depth, pages, writes) in (1u32..17, 1u64..40, prop_oneof![Just(0u64), 20u64..400]),
        (full, cached, paced) in (any::<bool>(), any::<bool>(), any::<bool>()),
        scheduler in prop_oneof![Just(SchedulerKind::Fifo), Just(SchedulerKind::ReadFirst)],
        seed: u64,
    ) {
        let mut setup = striped(threshold, threshold + beyond);
        let geometry = &mut setup.device.geometry;
        (geometry.planes, geometry.pages_per_program, geometry.mapping_unit_bytes) = (planes, at_once, units);
        let geometry = geometry.clone();
        let policies =
            [ReclaimKind::Superblock, ReclaimKind::Block, ReclaimKind::Shuffler, ReclaimKind::Page];
        setup.scheme.reclaim.policy = policies[policy];
        setup.scheme.reclaim.priority =
            [ReclaimPriority::Foreground, ReclaimPriority::Equal, ReclaimPriority::Background][priority];
        // Those that rearrange pages are refused beside parity.
        setup.scheme.redundancy = match when {
            1 if policy < 2 => parity(RebuildWhen::GcOnly),
            2 if policy < 2 => parity(RebuildWhen::AnyWait),
            _ => RedundancyConfig::default(),
        };
        if full {
            setup.start = start(Occupancy::All, 0.5);
        }
        if cached {
            let (policy, bytes) = (CacheKind::WriteBuffer, CacheBytes::Bytes(1 << 18));
            setup.scheme.cache = CacheConfig { policy, bytes, ..CacheConfig::default() };
        }
        setup.scheme.gc.pace = paced.then_some(PaceConfig { band: 1 });
        setup.scheme.scheduler.policy = scheduler;
        setup.host = closed(depth);
        let count = 6_000;
        let report = run(&setup, &mut Listed(hot(seed, count, pages, writes)));
        let report = report.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let peak = report.read_disturb.unwrap().block_peak;
        let rows = u64::from(geometry.pages);
        let emptying = rows * (TR + u64::from(planes) * XFER + TPROG) + TERASE;
        // Closing it, and winning the space for its pages, may each take as long as moving them.
        let between = 3 * emptying / TR;
        let bound = u64::from(threshold + beyond) + u64::from(depth) + rows * 2 + between;
        prop_assert!(u64::from(peak) <= bound, "{peak} reads, at most {bound}: {:?}", report.read_reclaim);
    }
}
