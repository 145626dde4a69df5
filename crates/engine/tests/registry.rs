//! Every built-in policy of every slot passes the audit by existing; a user's own policy, however silly, never corrupts
//! the drive.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind, ReadAdmission};
use wordline_engine::config::device::*;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::nand_modes::SlcModeConfig;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::reclaim::{ReclaimConfig, ReclaimKind, ReclaimPriority};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::config::separation::{SeparationConfig, SeparationKind};
use wordline_engine::config::slc_cache::{SlcCacheConfig, SlcCacheKind, WhenFull};
use wordline_engine::config::wear::{FreeBlock, WearConfig};
use wordline_engine::device::Device;
use wordline_engine::gc::VictimPolicy;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{PlaneId, SuperblockId};
use wordline_engine::placement::{Placement, PlacementView, ProgramIntent};
use wordline_engine::sched::class::Class;
use wordline_engine::sched::{QueueView, Scheduler};
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup};

/// The variants of an enum. A new one doesn't compile until it is in the list, and is tested from then on.
macro_rules! registry {
    ($name:ident: $kind:ident { $($variant:ident),+ }) => {
        const $name: &[$kind] = &[$($kind::$variant),+];
        const _: fn($kind) = |kind| match kind { $($kind::$variant => ()),+ };
    };
}

registry!(MAPPINGS: MappingKind { Page, Demand, Segments, Tpftl, Journaled });
registry!(UNMAPPED: UnmappedReads { Zeros, Allocate });
registry!(PLACEMENTS: PlacementKind { Static, Dynamic });
registry!(SPANS: SuperblockSpan { None, Die, Chip, Channels, Drive });
registry!(COLLECTIONS: GcKind { Greedy, DChoices, Random, Fifo, CostBenefit, WindowedGreedy });
registry!(RECLAIMS: ReclaimKind { None, Block, Superblock, Shuffler, Page });
registry!(PRIORITIES: ReclaimPriority { Foreground, Equal, Background });
registry!(FREE_BLOCKS: FreeBlock { Oldest, LeastWorn });
registry!(SEPARATIONS: SeparationKind { None, Stream, HotCold });
registry!(ISOLATIONS: Isolation { Initial, Persistent });
registry!(SLC_CACHES: SlcCacheKind { None, Static, Dynamic });
registry!(WHEN_FULL: WhenFull { Direct, FoldFirst });
registry!(SCHEDULERS: SchedulerKind { Fifo, ReadFirst, ReadFirstSuspend });
registry!(CACHES: CacheKind { None, WriteBuffer, Lru });
registry!(READS: ReadAdmission { All, None });
registry!(RULES: MultiPlaneRule { None, SameBlockAndPage, SamePage, Any });
registry!(ARBITRATIONS: ChannelArbitration { CommandFirst, Fifo, DataOutFirst });
registry!(TRANSFERS: TransferUnit { Requested, Page });

/// Requests of all kinds on a drive of so many bytes, a third of them unaligned.
fn requests(seed: u64, count: u64, bytes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let op = match random.below(10) {
                0 => HostOp::Trim,
                1..=3 => HostOp::Read,
                4 if random.below(4) == 0 => HostOp::Flush,
                5 if random.below(4) == 0 => HostOp::WriteFua,
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
        .collect()
}

/// A small drive of 2 units in a page that collects all the time.
fn small() -> Setup {
    let mut drive = device(2, 2, 2, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (14, 6);
    drive.geometry.mapping_unit_bytes = 2048;
    drive.capacity.overprovisioning = Some(0.5);
    drive.suspend = SuspendConfig {
        program_ns: Some(10_000),
        erase_ns: Some(20_000),
        resume_ns: 500,
        max_per_operation: 3,
        ..SuspendConfig::default()
    };
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.2;
    setup.host = closed(16);
    setup.start = start(Occupancy::Share(0.9), 2.0);
    setup
}

fn passes(setup: &Setup, count: u64, what: &str) -> Report {
    let requests = requests(3, count, setup.logical_bytes().unwrap());
    let report = run(setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
    let served = report.read.requests + report.write.requests + report.trim.requests + report.flush.requests;
    assert_eq!(served, count, "{what}");
    assert!(report.checked.as_ref().is_some_and(|checked| checked.reads_verified > 0), "{what}");
    report
}

#[test]
fn every_order_of_placement_passes_with_every_superblock_span() {
    let orders = PlacementOrder::all();
    assert_eq!(orders.len(), 24);
    for &policy in PLACEMENTS {
        for &order in &orders {
            for &superblock in SPANS {
                let mut setup = small();
                setup.scheme.placement = PlacementConfig { policy, order };
                setup.scheme.blocks.superblock = superblock;
                let what = format!("{policy:?} {} {superblock:?}", String::from(order));
                let report = passes(&setup, 1_000, &what);
                assert!(report.gc.victims > 0, "{what}: nothing was collected");
            }
        }
    }
}

#[test]
fn every_slc_cache_passes_with_every_span_and_every_collection() {
    for &policy in SLC_CACHES {
        for &when_full in WHEN_FULL {
            for &superblock in SPANS {
                for &collection in COLLECTIONS {
                    let mut setup = small();
                    setup.device.cell.technology = CellTechnology::Tlc;
                    setup.device.slc_mode =
                        Some(SlcModeConfig { read_ns: 20_000, program_ns: 90_000, erase_ns: 1_000_000 });
                    (setup.scheme.blocks.superblock, setup.scheme.gc.policy) = (superblock, collection);
                    setup.scheme.gc.trigger = 0.1;
                    let share = Some(if policy == SlcCacheKind::Static { 0.1 } else { 1.0 });
                    setup.scheme.slc_cache =
                        SlcCacheConfig { policy, when_full, share, ..Default::default() };
                    setup.scheme = only_read(setup.scheme);
                    setup.start = start(Occupancy::Share(0.6), 0.0);
                    let what = format!("{policy:?} {when_full:?} {superblock:?} {collection:?}");
                    let report = passes(&setup, 1_000, &what);
                    let cached = report.slc_cache.map_or(0, |cache| cache.cached_units);
                    assert_eq!(cached > 0, policy != SlcCacheKind::None, "{what}");
                }
            }
        }
    }
}

#[test]
fn every_scheduler_passes_with_every_rule_for_planes_and_every_span() {
    for &policy in SCHEDULERS {
        for &rule in RULES {
            for &superblock in SPANS {
                for starvation_bound_ns in [None, Some(0), Some(200_000)] {
                    let mut setup = small();
                    setup.device.multi_plane.rule = rule;
                    setup.scheme.blocks.superblock = superblock;
                    setup.scheme.scheduler =
                        SchedulerConfig { policy, starvation_bound_ns, ..Default::default() };
                    let what = format!("{policy:?} {rule:?} {superblock:?} {starvation_bound_ns:?}");
                    let report = passes(&setup, 500, &what);
                    assert_eq!(report.flash.multi_plane > 0, rule != MultiPlaneRule::None, "{what}");
                    let suspends =
                        policy == SchedulerKind::ReadFirstSuspend && starvation_bound_ns != Some(0);
                    assert!(!suspends || report.flash.suspensions > 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn every_order_of_classes_passes() {
    let classes = [Class::HostRead, Class::HostProgram, Class::GcRead, Class::GcProgram, Class::GcErase];
    for first in classes {
        for last in classes.into_iter().filter(|&last| last != first) {
            let middle = classes.into_iter().filter(|&class| class != first && class != last).collect();
            let mut setup = small();
            setup.scheme.scheduler.tiers = vec![vec![first], middle, vec![last]];
            passes(&setup, 1_000, &format!("{first:?} first, {last:?} last"));
        }
    }
}

#[test]
fn every_other_choice_passes() {
    for &policy in MAPPINGS {
        for &unmapped_reads in UNMAPPED {
            for &collection in COLLECTIONS {
                for &arbitration in ARBITRATIONS {
                    for &transfer in TRANSFERS {
                        for stop in [None, Some(0.25)] {
                            let mut setup = small();
                            setup.scheme.mapping = MappingConfig {
                                policy,
                                unmapped_reads,
                                cache_bytes: 64,
                                batch_entries: 5,
                                ..Default::default()
                            };
                            setup.scheme.gc.policy = collection;
                            (setup.scheme.gc.choices, setup.scheme.gc.window) = (2, 3);
                            setup.scheme.gc.stop = stop;
                            (setup.device.channel.arbitration, setup.device.channel.transfer) =
                                (arbitration, transfer);
                            setup.device.channel.read_command_ns = 300;
                            let what = format!(
                                "{policy:?} {unmapped_reads:?} {collection:?} {arbitration:?} {transfer:?} {stop:?}"
                            );
                            setup.scheme = only_read(setup.scheme);
                            passes(&setup, 1_500, &what);
                        }
                    }
                }
            }
        }
    }
}

/// The small drive with more spare space, and pauses in which it is idle.
fn with_pauses() -> (Setup, Vec<HostRequest>) {
    let mut setup = small();
    setup.device.geometry.blocks = 22;
    setup.host = HostConfig { arrivals: Arrivals::Open, max_outstanding: 16, ..HostConfig::default() };
    let bytes = setup.logical_bytes().unwrap();
    let mut requests = requests(3, 1_000, bytes);
    for (number, request) in requests.iter_mut().enumerate() {
        // 20 µs apart, and 30 ms after every hundredth.
        request.time = Ns(number as u64 * 20_000 + number as u64 / 100 * 30_000_000);
    }
    (setup, requests)
}

#[test]
fn read_reclaim_passes_at_every_priority_with_every_scheduler_and_span() {
    for &policy in RECLAIMS {
        for &priority in PRIORITIES {
            for &scheduler in SCHEDULERS {
                for &superblock in SPANS {
                    let (mut setup, requests) = with_pauses();
                    setup.scheme.scheduler.policy = scheduler;
                    setup.scheme.blocks.superblock = superblock;
                    setup.scheme.reclaim = ReclaimConfig {
                        policy,
                        threshold: 6,
                        hard_limit: Some(9),
                        priority,
                        ..ReclaimConfig::default()
                    };
                    setup.scheme = only_read(setup.scheme);
                    let what = format!("{policy:?} {priority:?} {scheduler:?} {superblock:?}");
                    let report = run(&setup, &mut Listed(requests)).unwrap_or_else(|e| panic!("{what}: {e}"));
                    let operations = report.read_reclaim.map_or(0, |reclaim| reclaim.operations);
                    assert_eq!(operations > 0, policy != ReclaimKind::None, "{what}");
                }
            }
        }
    }
}

#[test]
fn wear_levelling_collection_at_idle_time_and_separation_pass_together() {
    for &free_block in FREE_BLOCKS {
        for &separation in SEPARATIONS {
            for &superblock in SPANS {
                for (preemptible, separate_hot_moves) in [(true, false), (false, true), (true, true)] {
                    let (mut setup, requests) = with_pauses();
                    setup.scheme.blocks.superblock = superblock;
                    setup.scheme.blocks.host_write_points = 2;
                    setup.scheme.gc.trigger = 0.05;
                    setup.scheme.wear = WearConfig { free_block, static_spread: Some(2), static_interval: 2 };
                    setup.scheme.gc.background = Some(BackgroundConfig { stop: 0.5, preemptible });
                    setup.scheme.gc.pace = separate_hot_moves.then_some(PaceConfig { band: 1 });
                    setup.scheme.separation = SeparationConfig {
                        policy: separation,
                        separate_hot_moves,
                        ..SeparationConfig::default()
                    };
                    let what = format!("{free_block:?} {separation:?} {superblock:?} {preemptible}");
                    let report = run(&setup, &mut Listed(requests)).unwrap_or_else(|e| panic!("{what}: {e}"));
                    assert!(report.background_gc.is_some_and(|gc| gc.victims > 0), "{what}");
                    assert!(report.gc.victims > 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn streams_pass_with_every_isolation_collection_span_placement_and_cache() {
    for &isolation in ISOLATIONS {
        for &policy in COLLECTIONS {
            for &superblock in SPANS {
                for &placement in PLACEMENTS {
                    for &cache in CACHES {
                        let mut setup = small();
                        // Of the spare superblocks four are open.
                        setup.device.geometry.blocks = 20;
                        setup.scheme.gc = GcConfig { policy, isolation, trigger: 0.1, ..setup.scheme.gc };
                        setup.scheme.blocks = BlocksConfig { superblock, host_write_points: 2 };
                        setup.scheme.placement.policy = placement;
                        let bytes = CacheBytes::Bytes(64 << 10);
                        setup.scheme.cache = CacheConfig { policy: cache, bytes, ..Default::default() };
                        let what = format!("{isolation:?} {policy:?} {superblock:?} {placement:?} {cache:?}");
                        let setup = only_what_is_read(&setup);
                        let mut requests = requests(3, 400, setup.logical_bytes().unwrap());
                        let mut random = Random(5);
                        requests.iter_mut().for_each(|request| request.stream = random.below(2) as u16);
                        let report = run(&setup, &mut Listed(requests))
                            .unwrap_or_else(|error| panic!("{what}: {error}"));
                        assert!(report.gc.victims > 0, "{what}");
                        assert!(report.checked.is_some_and(|checked| checked.reads_verified > 0), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn paced_collection_passes_with_every_policy_span_placement_and_cache() {
    for &policy in COLLECTIONS {
        for &superblock in SPANS {
            for &placement in PLACEMENTS {
                for &cache in CACHES {
                    let mut setup = small();
                    setup.scheme.gc =
                        GcConfig { policy, pace: Some(PaceConfig { band: 1 }), ..setup.scheme.gc };
                    setup.scheme.blocks.superblock = superblock;
                    setup.scheme.placement.policy = placement;
                    setup.scheme.cache = CacheConfig {
                        policy: cache,
                        bytes: CacheBytes::Bytes(64 << 10),
                        ..Default::default()
                    };
                    let what = format!("{policy:?} {superblock:?} {placement:?} {cache:?}");
                    setup.scheme = only_read(setup.scheme);
                    assert!(passes(&setup, 600, &what).gc.victims > 0, "{what}");
                }
            }
        }
    }
}

#[test]
fn every_cache_passes_with_every_placement_span_and_scheduler() {
    for &policy in CACHES {
        for &admit_reads in READS {
            for &placement in PLACEMENTS {
                for &superblock in SPANS {
                    for &scheduler in SCHEDULERS {
                        let mut setup = small();
                        let bytes = CacheBytes::Bytes(64 << 10);
                        setup.scheme.cache = CacheConfig { policy, bytes, admit_reads, ..Default::default() };
                        setup.scheme.placement.policy = placement;
                        setup.scheme.blocks.superblock = superblock;
                        setup.scheme.scheduler.policy = scheduler;
                        let what =
                            format!("{policy:?} {admit_reads:?} {placement:?} {superblock:?} {scheduler:?}");
                        setup.scheme = only_read(setup.scheme);
                        let report = passes(&setup, 700, &what);
                        assert_eq!(report.cache.is_some(), policy != CacheKind::None, "{what}");
                    }
                }
            }
        }
    }
}

/// Runs a drive with a user's own policy in checked mode.
fn with(change: impl FnOnce(&mut Device), count: u64) -> Result<Report, RunError> {
    let setup = small();
    let mut drive = setup.prepare(&[]).unwrap();
    change(&mut drive);
    let requests = requests(4, count, drive.logical_bytes());
    record_on(&setup, drive, &mut Listed(requests)).map(|(report, _)| report)
}

/// Why a run ended; the drive must have been consistent up to there.
fn fault(result: Result<Report, RunError>) -> String {
    match result {
        Err(RunError::Inconsistent(what)) => what,
        other => panic!("{other:?}"),
    }
}

struct Placing<F>(F);

impl<F: FnMut(u32, &PlacementView<'_>) -> u32 + Send> Placement for Placing<F> {
    fn place(&mut self, program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId {
        PlaneId((self.0)(program.lpa.0, view))
    }
}

#[test]
fn a_placement_of_ones_own_works_whatever_plane_of_the_drive_it_names() {
    let mut random = Random(9);
    let anywhere = move |_: u32, view: &PlacementView<'_>| loop {
        let plane = random.below(u64::from(view.geometry.planes())) as u32;
        if (view.has_room)(PlaneId(plane)) {
            return plane;
        }
    };
    let report = with(|drive| drive.set_placement(Box::new(Placing(anywhere))), 3_000).unwrap();
    assert!(report.gc.moved_units > 0);
    let beyond = |lpa: u32, _: &PlacementView<'_>| lpa / 2 % 16 + 16 * (lpa % 5);
    let what = fault(with(|drive| drive.set_placement(Box::new(Placing(beyond))), 3_000));
    assert!(
        what.contains("the placement chose PlaneId(") && what.ends_with("of a drive of 16 planes"),
        "{what}"
    );
}

#[test]
fn a_placement_that_always_names_one_plane_fills_it_and_is_told_so() {
    let always_first =
        |drive: &mut Device| drive.set_placement(Box::new(Placing(|_: u32, _: &PlacementView<'_>| 0)));
    let what = fault(with(always_first, 3_000));
    assert!(what.ends_with("requests wait for free space that no collection can win"), "{what}");
    let report = with(always_first, 20).unwrap();
    let programs = |die: usize| report.dies[die].busy_ns["host_program"];
    assert!(programs(0) > 0 && (1..8).all(|die| programs(die) == 0), "all that fits goes to its die");
}

struct Choosing<F>(F);

impl<F: FnMut(&BlockView<'_>) -> Option<u32> + Send> VictimPolicy for Choosing<F> {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        (self.0)(blocks).map(SuperblockId)
    }
}

/// Full superblocks with something to win, by valid units.
fn candidates(blocks: &BlockView<'_>) -> Vec<(u32, u32)> {
    let numbered = (blocks.first.0..).zip(blocks.valid);
    let mut found: Vec<_> = numbered
        .filter(|&(_, &valid)| valid + 2 <= blocks.capacity)
        .map(|(number, &valid)| (valid, number))
        .collect();
    found.sort_unstable();
    found
}

fn collecting(
    choose: impl FnMut(&BlockView<'_>) -> Option<u32> + Send + 'static,
) -> Result<Report, RunError> {
    with(|drive| drive.set_gc(Box::new(Choosing(choose))), 3_000)
}

#[test]
fn a_collection_of_ones_own_works_even_with_the_worst_victims() {
    let best = collecting(|blocks| candidates(blocks).first().map(|&(_, number)| number)).unwrap();
    let worst = collecting(|blocks| candidates(blocks).last().map(|&(_, number)| number)).unwrap();
    assert!(best.gc.victims > 0);
    assert!(worst.waf > best.waf, "{:?} and {:?}", worst.waf, best.waf);
    let mut random = Random(5);
    let by_chance = move |blocks: &BlockView<'_>| {
        let found = candidates(blocks);
        found.get(random.below(found.len().max(1) as u64) as usize).map(|&(_, number)| number)
    };
    let report = collecting(by_chance).unwrap();
    assert!(report.waf > best.waf && report.waf < worst.waf);
}

#[test]
fn a_collection_that_chooses_wrongly_is_named() {
    type Wrong = fn(&BlockView<'_>) -> Option<u32>;
    let wrong: [(Wrong, &str); 4] = [
        (|blocks| Some(blocks.first.0 + blocks.valid.len() as u32), "the next domain's"),
        (|_| Some(u32::MAX), "none at all"),
        (|_| Some(1_000_000), "beyond the drive"),
        (
            |blocks| {
                use wordline_engine::blocks::BlockState::Open;
                blocks
                    .state
                    .iter()
                    .position(|&state| state == Open)
                    .map(|index| blocks.first.0 + index as u32)
            },
            "the open one",
        ),
    ];
    for (choose, which) in wrong {
        let what = fault(collecting(choose));
        assert!(what.contains("the GC policy chose"), "{which}: {what}");
        assert!(what.contains("which is not a full superblock of"), "{which}: {what}");
    }
}

#[test]
fn a_collection_that_never_chooses_leaves_writes_waiting_and_says_so() {
    let what = fault(collecting(|_| None));
    assert!(what.ends_with("requests wait for free space that no collection can win"), "{what}");
}

struct Scheduling<F> {
    next: F,
    suspends: bool,
    longest: u64,
}

impl<F: Fn(&QueueView<'_>) -> Option<Class>> Scheduler for Scheduling<F> {
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        (self.next)(view)
    }
    fn suspends(&self, _running: Class, _waiting_writes: u32) -> bool {
        self.suspends
    }
    fn longest_suspension(&self) -> Ns {
        Ns(self.longest)
    }
}

fn scheduled(
    next: impl Fn(&QueueView<'_>) -> Option<Class> + Send + 'static,
    suspends: bool,
    longest: u64,
) -> Result<Report, RunError> {
    with(|drive| drive.set_scheduler(Box::new(Scheduling { next, suspends, longest })), 3_000)
}

fn last_class(view: &QueueView<'_>) -> Option<Class> {
    Class::ALL.into_iter().rev().find(|&class| view.first(class).is_some())
}

fn youngest(view: &QueueView<'_>) -> Option<Class> {
    Class::ALL.into_iter().max_by_key(|&class| view.first(class).map(|(order, _)| order))
}

#[test]
fn a_scheduler_of_ones_own_works_in_any_order_and_however_it_interrupts() {
    for (suspends, longest) in [(false, 0), (true, 0), (true, 100_000), (true, u64::MAX)] {
        for report in [scheduled(last_class, suspends, longest), scheduled(youngest, suspends, longest)] {
            let report = report.unwrap();
            assert_eq!(report.flash.suspensions > 0, suspends);
            assert!(report.gc.victims > 0);
        }
    }
}

#[test]
fn a_scheduler_that_names_a_class_of_which_nothing_waits_is_an_error() {
    let what = fault(scheduled(|_| Some(Class::GcErase), false, 0));
    assert!(what.contains("scheduler"), "{what}");
}

#[test]
fn a_scheduler_that_names_no_class_although_commands_wait_is_an_error() {
    let what = fault(scheduled(|_| None, false, 0));
    assert!(what.contains("scheduler"), "{what}");
}
