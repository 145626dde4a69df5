//! Random drives, schemes, hosts and requests.

use super::replicator::{Replicator, To, replicator};
use super::*;
use proptest::prelude::*;
use wordline_engine::config::astro::{AstroConfig, Gather, UpdatePriority, UpdatesOf};
use wordline_engine::config::background::BackgroundConfig;
use wordline_engine::config::cache::{
    CacheBytes, CacheConfig, CacheKind, DramConfig, DramRows, MaxWritesHold, PauseConfig, RateLimitConfig,
    ReadAdmission, Rewrites, ThrottleConfig,
};
use wordline_engine::config::collision::{CollisionConfig, RecordedPairs, VictimTie};
use wordline_engine::config::device::*;
use wordline_engine::config::firmware::FirmwareConfig;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::hotr::{HotrConfig, Staging, TrackedReads};
use wordline_engine::config::ideal::{IdealConfig, SecondServer};
use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::nand_modes::{
    CacheModeConfig, CacheReadOrder, CopybackBlocks, CopybackConfig, SlcModeConfig,
};
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::partition::{Adapts, BusyChannel, PartitionConfig, WhenBusy};
use wordline_engine::config::reclaim::{
    CountedPages, Holes, HostAccess, PageCountersConfig, PageMoves, ReclaimConfig, ReclaimKind,
    ReclaimPriority, ShuffleConfig, Ties,
};
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::*;
use wordline_engine::config::separation::SeparationKind;
use wordline_engine::config::slc_cache::{SlcCacheConfig, SlcCacheKind, WhenFull};
use wordline_engine::config::wear::{FreeBlock, WearConfig};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::sched::class::Class;
use wordline_engine::time::Ns;

const UNITS: [u32; 4] = [512, 1024, 2048, 4096];

/// Random cases of whole runs; more where `PROPTEST_CASES` asks for more.
pub fn cases() -> ProptestConfig {
    at_least(300)
}

/// So many cases, or more where the environment asks for more.
pub fn at_least(cases: u32) -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: default.cases.max(cases),
        max_shrink_iters: 400,
        failure_persistence: None,
        ..default
    }
}

pub fn devices() -> impl Strategy<Value = DeviceConfig> {
    let counts = (1u32..4, 1u32..4, 1u32..3, 1u32..4, 8u32..24, 4u32..12, 0.15..0.6f64);
    let rules = prop_oneof![
        Just(MultiPlaneRule::None),
        Just(MultiPlaneRule::SameBlockAndPage),
        Just(MultiPlaneRule::SamePage),
        Just(MultiPlaneRule::Any)
    ];
    let times = (0u64..100_000, 0u64..1_000_000, 0u64..4_000_000, 0u64..500, 1u32..2000);
    // A request of the tests has up to eighty units, of which a command carries some.
    let most_units = prop::option::weighted(0.3, prop_oneof![1u64..4, 1u64..40]);
    let link = (prop::option::of(1_000_000u64..5_000_000_000), 0u64..1000, 0u64..1000, most_units);
    let arbitrations = prop_oneof![
        Just(ChannelArbitration::CommandFirst),
        Just(ChannelArbitration::Fifo),
        Just(ChannelArbitration::DataOutFirst)
    ];
    let steps = (0u64..100_000, 0u64..500_000, prop_oneof![Just(0u64), 0u64..300_000]);
    let suspend =
        (prop::option::of(0u64..50_000), prop::option::of(0u64..50_000), 0u64..5_000, 0u32..5, steps);
    let orders = prop_oneof![Just(CacheReadOrder::Sequential), Just(CacheReadOrder::Random)];
    let cache = (any::<bool>(), any::<bool>(), orders, 0u64..5_000, 0u64..5_000);
    let copyback = (any::<bool>(), any::<bool>(), 0u32..4);
    let rows = (1u64..10_000, 0u64..100, 10_000_000u64..5_000_000_000)
        .prop_map(|(bytes, gap_ns, rest_bytes_per_s)| DramRows { bytes, gap_ns, rest_bytes_per_s });
    let rows = (any::<bool>(), prop::option::of(rows));
    let dram = (0u64..2_000, prop::option::of(10_000_000u64..5_000_000_000), rows);
    let mqsim = (any::<bool>(), any::<bool>());
    let link = (link, dram, mqsim);
    (counts, 0usize..4, rules, times, link, suspend, arbitrations, (cache, copyback, any::<bool>())).prop_map(
        |(
            (channels, ways, dies, planes, blocks, pages, overprovisioning),
            unit,
            rule,
            times,
            (link, (access_ns, bytes_per_s, (whole_requests, rows)), (chips, written)),
            suspend,
            arbitration,
            (cache, (supported, same_plane_only, check_every), slc_mode),
        )| {
            let mut device = device(channels, ways, dies, planes);
            device.geometry.blocks = blocks + 8;
            device.geometry.pages = pages;
            device.geometry.pages_per_program =
                [3, 2, 1].into_iter().find(|&at_once| pages % at_once == 0).unwrap_or(1);
            device.geometry.mapping_unit_bytes = UNITS[unit];
            device.capacity.overprovisioning = Some(overprovisioning);
            device.multi_plane.rule = rule;
            (device.cell.read_ns, device.cell.program_ns) = (vec![times.0], vec![times.1]);
            device.cell.erase_ns = times.2;
            device.channel.read_command_ns = times.3;
            device.channel.mega_transfers_per_s = f64::from(times.4);
            device.link = LinkConfig {
                bytes_per_s: link.0,
                submission_ns: link.1,
                completion_ns: link.2,
                host_memory_ns: 5 * link.1,
                read_data: if link.1 % 2 == 0 { LinkData::Request } else { LinkData::Page },
                write_data: if link.2 % 2 == 0 { LinkData::Request } else { LinkData::Page },
                max_transfer_bytes: link.3.map(|units| units * u64::from(UNITS[unit])),
            };
            device.dram = DramConfig { bytes: None, access_ns, bytes_per_s, whole_requests, rows };
            device.suspend = SuspendConfig {
                program_ns: suspend.0,
                erase_ns: suspend.1,
                resume_ns: suspend.2,
                max_per_operation: suspend.3,
                program_step_ns: suspend.4.0,
                erase_step_ns: suspend.4.1,
                program_repeats_ns: suspend.4.2,
                erase_repeats_ns: suspend.4.2,
            };
            device.channel.arbitration = arbitration;
            device.cache_mode = CacheModeConfig {
                read: cache.0,
                program: cache.1,
                read_order: cache.2,
                read_busy_ns: cache.3,
                program_busy_ns: cache.4,
            };
            if written {
                device.channel.program_data = ProgramData::Written;
            }
            if chips {
                device.channel.commands = CommandTaker::Chip;
                device.channel.arbitration = ChannelArbitration::DataOutFirst;
                device.cache_mode = CacheModeConfig::default();
            }
            device.copyback =
                CopybackConfig { supported, same_plane_only, check_every, ..Default::default() };
            let plain = !(chips || device.cache_mode.read || device.cache_mode.program);
            if supported && same_plane_only && plain && check_every % 2 == 0 {
                device.copyback.blocks = CopybackBlocks::Plane;
            }
            if slc_mode {
                device.cell.technology = CellTechnology::Tlc;
                let [read_ns, program_ns, erase_ns] = [times.0 / 2, times.1 / 4, times.2 / 2];
                device.slc_mode = Some(SlcModeConfig { read_ns, program_ns, erase_ns });
            }
            device
        },
    )
}

/// None, or any policy with room for few units or many.
pub fn caches() -> impl Strategy<Value = CacheConfig> {
    let policies = prop_oneof![Just(CacheKind::None), Just(CacheKind::WriteBuffer), Just(CacheKind::Lru)];
    let reads = prop_oneof![Just(ReadAdmission::All), Just(ReadAdmission::None)];
    let kibibytes = prop_oneof![4u64..16, 4u64..400];
    let cold = prop::option::of(1_000u64..1_000_000);
    let pause = prop::option::of((1u64..40, 1u64..5_000_000, prop::option::of(0u64..8)));
    let pause = pause.prop_map(|pause| {
        pause.map(|(every_units, ns, room_units)| PauseConfig { every_units, ns, room_units })
    });
    let bounds = (0u32..6, 0u32..4);
    let throttle = prop::option::of((0.0..0.99f64, 1u64..400_000, any::<bool>()));
    let throttle = throttle.prop_map(|throttle| {
        throttle.map(|(from, gap_ns, by_moves)| ThrottleConfig { from, gap_ns, by_moves })
    });
    let rewrites = prop::sample::select(vec![Rewrites::Coalesce, Rewrites::Append]);
    let holds = prop::sample::select(vec![MaxWritesHold::Commands, MaxWritesHold::Writes]);
    let rate_limit = prop::option::of((1u64..400_000, any::<bool>(), 1u64..20, 1u64..5_000_000));
    let rate_limit = rate_limit.prop_map(|limit| {
        limit.map(|(gap_ns, by_moves, burst_units, beside_reads_ns)| RateLimitConfig {
            gap_ns,
            by_moves,
            burst_units,
            beside_reads_ns,
        })
    });
    let further = (pause, throttle, rewrites, holds, rate_limit);
    (policies, kibibytes, 0.0..1.0f64, 0.0..1.0f64, reads, cold, bounds, further).prop_map(
        |(policy, kibibytes, dirty_high, low, admit_reads, cold_period_ns, bounds, further)| CacheConfig {
            policy,
            bytes: CacheBytes::Bytes(kibibytes << 10),
            dirty_high,
            dirty_low: Some(low * dirty_high),
            admit_reads,
            cold_period_ns,
            max_write_backs: bounds.0,
            max_writes: bounds.1,
            pause: further.0,
            throttle: further.1,
            rewrites: further.2,
            max_writes_hold: further.3,
            rate_limit: further.4,
            past_collection: false,
        },
    )
}

/// One write point of the host, or several.
pub fn write_points() -> impl Strategy<Value = u32> {
    prop_oneof![2 => Just(1u32), 1 => Just(2u32), 1 => 3u32..5]
}

/// No order of one's own, or each class in a tier of its own, in any order.
pub fn tiers() -> impl Strategy<Value = Vec<Vec<Class>>> {
    use Class::{GcErase, GcProgram, GcRead, HostProgram, HostRead};
    let classes = Just(vec![HostRead, HostProgram, GcRead, GcProgram, GcErase]).prop_shuffle();
    prop_oneof![Just(vec![]), classes.prop_map(|order| order.into_iter().map(|class| vec![class]).collect())]
}

/// The whole map in DRAM, with a journal or without, or caches of a few entries in front of one on flash.
pub fn mappings() -> impl Strategy<Value = MappingConfig> {
    let few = (0u64..60, 0u32..40, 0.0..0.9f64, 4u32..32, (any::<bool>(), any::<bool>(), any::<bool>()));
    let demand =
        few.prop_map(|(entries, batch_entries, protected_share, bytes, (waits, looks_up, erased))| {
            MappingConfig {
                policy: MappingKind::Demand,
                cache_bytes: entries * 8,
                batch_entries,
                batch_until: if erased { BatchUntil::Erased } else { BatchUntil::Full },
                protected_share,
                translation_entry_bytes: bytes,
                write_back_lookups: looks_up,
                eviction: if waits { Eviction::Foreground } else { Eviction::Background },
                ..MappingConfig::default()
            }
        });
    let few = (0u64..6, 0u32..40, any::<bool>(), (any::<bool>(), any::<bool>()));
    let segments = few.prop_map(|(pages, batch_entries, host_memory, (waits, looks_up))| MappingConfig {
        policy: MappingKind::Segments,
        cache_bytes: pages * 512,
        batch_entries,
        host_memory,
        translation_entry_bytes: 16,
        write_back_lookups: looks_up,
        eviction: if waits { Eviction::Foreground } else { Eviction::Background },
        ..MappingConfig::default()
    });
    // Many journals are too small for a drive, or too large; the default fits most.
    let few = (prop_oneof![2 => Just(0u64), 1 => 1u64..200], 1u32..20, 4u32..32);
    let journaled = few.prop_map(|(kibibytes, journal_entry_bytes, bytes)| MappingConfig {
        policy: MappingKind::Journaled,
        journal_bytes: kibibytes << 10,
        journal_entry_bytes,
        translation_entry_bytes: bytes,
        ..MappingConfig::default()
    });
    prop_oneof![2 => Just(MappingConfig::default()), 1 => demand, 1 => segments, 1 => journaled]
}

/// Collection at thresholds, or paced.
pub fn paces() -> impl Strategy<Value = Option<PaceConfig>> {
    prop::option::of((1u32..5).prop_map(|band| PaceConfig { band }))
}

/// A partition of the channels, with adjustments after few accesses.
fn partitions() -> impl Strategy<Value = PartitionConfig> {
    let busy = prop_oneof![Just(BusyChannel::AllDies), Just(BusyChannel::AnyDie), Just(BusyChannel::Bus)];
    let adapts = prop_oneof![Just(Adapts::Always), Just(Adapts::WarmUp), Just(Adapts::Never)];
    let ways = (busy, adapts, any::<bool>(), any::<bool>(), any::<bool>());
    (1u32..4, ways, 1u64..100).prop_map(|(history, (busy, adapts, waits, with_gc, at_idle), interval)| {
        PartitionConfig {
            enabled: true,
            history,
            busy,
            when_busy: if waits { WhenBusy::Wait } else { WhenBusy::Other },
            adapts,
            interval_accesses: interval,
            migrate_with_gc: with_gc,
            migrate_at_idle: at_idle,
            ..PartitionConfig::default()
        }
    })
}

/// Schemes, a fifth of them with a partition where they may have one.
pub fn schemes() -> impl Strategy<Value = SchemeConfig> {
    (without_systems(), prop::option::weighted(0.2, partitions())).prop_map(|(mut scheme, partition)| {
        if let Some(partition) = partition {
            let spans_channels =
                matches!(scheme.blocks.superblock, SuperblockSpan::Channels | SuperblockSpan::Drive);
            if spans_channels {
                scheme.blocks.superblock = SuperblockSpan::Die;
            }
            (scheme.placement.policy, scheme.partition) = (PlacementKind::Dynamic, partition);
        }
        only_read(scheme)
    })
}

/// A map on flash of which no entry, one, or few are in DRAM, in pages of any number of entries; or any other map.
fn sparse_mappings() -> impl Strategy<Value = MappingConfig> {
    let entries = prop_oneof![2 => Just(0u64), 1 => Just(1), 1 => 2u64..40];
    let pages = (4u32..=64, prop_oneof![1 => Just(0u32), 2 => 64u32..512]);
    let ways = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let few = (entries, pages, 0u32..120, 0.0..0.9f64, ways).prop_map(
        |(
            entries,
            (bytes, page_bytes),
            batch_entries,
            protected_share,
            (segments, waits, looks_up, each, all),
        )| {
            let (policy, each_bytes) =
                if segments { (MappingKind::Segments, 512) } else { (MappingKind::Demand, 8) };
            MappingConfig {
                policy,
                cache_bytes: entries * each_bytes,
                batch_entries,
                protected_share: if segments { 0.0 } else { protected_share },
                translation_entry_bytes: bytes,
                translation_page_bytes: page_bytes,
                write_back_lookups: looks_up,
                eviction: if waits { Eviction::Foreground } else { Eviction::Background },
                loads: if each { Loads::Each } else { Loads::Shared },
                stored_at_start: if all { StoredPages::All } else { StoredPages::Occupied },
                ..MappingConfig::default()
            }
        },
    );
    prop_oneof![5 => few, 1 => mappings()]
}

/// Regions of any size that are put in order after few reads or updates, one or several at once.
fn regions() -> impl Strategy<Value = AstroConfig> {
    let sizes = (1u32..80, 1u32..70, 0u32..5);
    let when =
        (prop_oneof![1 => Just(0u32), 1 => Just(1), 2 => 2u32..60], prop_oneof![Just(0.0), 0.0..1.5f64]);
    let at_once = prop_oneof![1 => Just(1u32), 1 => 2u32..9];
    let priority = prop_oneof![
        Just(UpdatePriority::Reclaim),
        Just(UpdatePriority::Equal),
        Just(UpdatePriority::Background)
    ];
    let ways = (any::<bool>(), any::<bool>(), priority);
    (sizes, when, ways, at_once, 2u32..5).prop_map(
        |(
            sizes,
            (read_threshold, update_share),
            (all, block, update_priority),
            at_once,
            spare_superblocks,
        )| AstroConfig {
            enabled: true,
            region_pages: sizes.0,
            pages_per_bit: sizes.1,
            planes: sizes.2,
            read_threshold,
            update_share,
            updates_of: if all { UpdatesOf::All } else { UpdatesOf::Ordered },
            update_priority,
            least_updated: if all { f64::from(at_once % 3) / 4.0 } else { 0.0 },
            at_collection: spare_superblocks % 2 == 0,
            gather: if block { Gather::Block } else { Gather::Region },
            at_once,
            spare_superblocks,
        },
    )
}

/// Schemes that guess where pages are, with whatever else moves them.
pub fn guessing_schemes() -> impl Strategy<Value = SchemeConfig> {
    (without_systems(), sparse_mappings(), regions(), upkeep()).prop_map(
        |(scheme, mapping, astro, (mut reclaim, wear, background, _))| {
            if reclaim.policy.rearranges() {
                reclaim.policy = ReclaimKind::Superblock;
            }
            let unmapped_reads = scheme.mapping.unmapped_reads;
            let gc = GcConfig { background, ..scheme.gc };
            let mapping = MappingConfig { unmapped_reads, ..mapping };
            SchemeConfig { mapping, gc, reclaim, wear, astro, ..scheme }
        },
    )
}

fn without_systems() -> impl Strategy<Value = SchemeConfig> {
    let spans = prop_oneof![
        Just(SuperblockSpan::None),
        Just(SuperblockSpan::Die),
        Just(SuperblockSpan::Chip),
        Just(SuperblockSpan::Channels),
        Just(SuperblockSpan::Drive)
    ];
    let placement = prop_oneof![Just(PlacementKind::Static), Just(PlacementKind::Dynamic)];
    let scheduler = prop_oneof![
        Just(SchedulerKind::Fifo),
        Just(SchedulerKind::ReadFirst),
        Just(SchedulerKind::ReadFirstSuspend)
    ];
    let scheduler = (scheduler, tiers());
    let unmapped = (prop_oneof![Just(UnmappedReads::Zeros), Just(UnmappedReads::Allocate)], mappings());
    let collection = prop_oneof![
        3 => Just(GcKind::Greedy),
        1 => Just(GcKind::DChoices),
        1 => Just(GcKind::Random),
        1 => Just(GcKind::Fifo),
        1 => Just(GcKind::CostBenefit),
        1 => Just(GcKind::WindowedGreedy)
    ];
    let collection = (collection, 1u32..40, 1u32..40, paces());
    (
        spans,
        placement,
        0usize..24,
        scheduler,
        (prop::option::of(0u64..5_000_000), prop::option::weighted(0.3, 1u32..8)),
        (unmapped, caches()),
        0.0..0.15f64,
        0.0..0.2f64,
        collection,
    )
        .prop_map(|(span, policy, order, (scheduler, tiers), bounds, unmapped, trigger, more, gc)| {
            let ((unmapped_reads, mapping), cache) = unmapped;
            let (starvation_bound_ns, suspends_below_waiting_writes) = bounds;
            SchemeConfig {
                mapping: MappingConfig { unmapped_reads, ..mapping },
                placement: PlacementConfig { policy, order: PlacementOrder::all()[order] },
                blocks: BlocksConfig { superblock: span, ..BlocksConfig::default() },
                gc: GcConfig {
                    policy: gc.0,
                    choices: gc.1,
                    window: gc.2,
                    trigger,
                    stop: Some(trigger + more),
                    rotating: gc.1 % 3 == 0
                        && gc.3.is_none()
                        && !matches!(span, SuperblockSpan::Channels | SuperblockSpan::Drive),
                    pace: gc.3,
                    ..Default::default()
                },
                scheduler: SchedulerConfig {
                    policy: scheduler,
                    tiers,
                    starvation_bound_ns,
                    suspends_below_waiting_writes,
                },
                cache,
                ..Default::default()
            }
        })
}

pub fn hosts() -> impl Strategy<Value = HostConfig> {
    let depth = prop_oneof![Just(1u32), 2u32..8, Just(16), Just(64)];
    prop_oneof![
        (depth, 0u64..50_000).prop_map(|(depth, think)| HostConfig { think_time_ns: think, ..closed(depth) }),
        (0.1..2.0f64, 0u32..8).prop_map(|(time_scale, max_outstanding)| HostConfig {
            arrivals: Arrivals::Open,
            time_scale,
            max_outstanding,
            ..HostConfig::default()
        })
    ]
}

pub fn layouts() -> impl Strategy<Value = StartLayout> {
    prop_oneof![Just(StartLayout::InOrder), Just(StartLayout::Steady)]
}

pub fn occupancies() -> impl Strategy<Value = Occupancy> {
    prop_oneof![Just(Occupancy::All), Just(Occupancy::None), (0.0..1.0f64).prop_map(Occupancy::Share)]
}

/// Requests within a drive of `bytes`, biased towards a hot eighth, some unaligned.
pub fn requests(seed: u64, count: usize, bytes: u64) -> Vec<HostRequest> {
    mixed_requests(seed, count, bytes, 40_000, |turn| match turn {
        0 => HostOp::Flush,
        1 | 2 => HostOp::Trim,
        3..=9 => HostOp::Read,
        10 => HostOp::WriteFua,
        _ => HostOp::Write,
    })
}

/// The same with so many reads and TRIMs among twenty; the others write, but for one that flushes.
pub fn requests_with(
    (reads, trims): (u64, u64),
    longest: u64,
    seed: u64,
    count: usize,
    bytes: u64,
) -> Vec<HostRequest> {
    mixed_requests(seed, count, bytes, longest, |turn| match turn {
        19 => HostOp::Flush,
        18 => HostOp::WriteFua,
        turn if turn < trims => HostOp::Trim,
        turn if turn < trims + reads => HostOp::Read,
        _ => HostOp::Write,
    })
}

fn mixed_requests(
    seed: u64,
    count: usize,
    bytes: u64,
    longest: u64,
    op_of: impl Fn(u64) -> HostOp,
) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let mut time = 0;
    (0..count)
        .map(|_| {
            time += random.below(300_000);
            let op = op_of(random.below(20));
            let space = if random.below(2) == 0 { bytes } else { (bytes / 8).max(1) };
            let (mut offset, mut length) = (random.below(space), 1 + random.below(longest));
            if random.below(4) > 0 {
                (offset, length) = (offset / 4096 * 4096, length.div_ceil(4096) * 4096);
            }
            let length = length.min(bytes - offset);
            HostRequest { time: Ns(time), op, offset, length, flow: 0, stream: 0 }
        })
        .collect()
}

/// Keeps streams apart where moves go, too, if the scheme can.
pub fn isolate(scheme: &mut SchemeConfig, persistent: bool) {
    let isolation = if persistent { Isolation::Persistent } else { Isolation::Initial };
    if isolation.check_beside(scheme).is_ok() {
        scheme.gc.isolation = isolation;
    }
}

/// The same requests, each of one of so many streams.
pub fn of_streams(mut requests: Vec<HostRequest>, streams: u32) -> Vec<HostRequest> {
    let mut random = Random(u64::from(streams));
    requests.iter_mut().for_each(|request| request.stream = random.below(u64::from(streams)) as u16);
    requests
}

/// Firmware without and with costs.
pub fn firmware() -> impl Strategy<Value = FirmwareConfig> {
    let costs = prop::array::uniform9(prop_oneof![Just(0u64), 1u64..20_000]);
    let some = costs.prop_map(|costs| FirmwareConfig {
        search_step_ns: costs[4] / 10,
        read_request_ns: costs[0],
        write_request_ns: costs[1],
        trim_request_ns: costs[2],
        flush_request_ns: costs[3],
        lookup_ns: costs[4],
        map_update_ns: costs[5],
        move_ns: costs[6],
        decision_ns: costs[7],
        shuffle_ns: costs[8],
    });
    prop_oneof![Just(FirmwareConfig::default()), some]
}

/// No system, or one that copies the page of every so-manieth read, with what else it does as often.
pub fn replicators() -> impl Strategy<Value = Option<Replicator>> {
    let to = prop_oneof![Just(To::LeastBusy), Just(To::EveryPlane)];
    let some = (1u64..4, to, 1u32..100, prop::array::uniform4(0u64..12)).prop_map(
        |(every, to, budget, [drop_every, promote_every, plan_every, extra_every])| Replicator {
            drop_every,
            promote_every,
            plan_every,
            extra_every,
            ..replicator(every, to, budget)
        },
    );
    prop::option::of(some)
}

/// The systems that a scheme names: none, or with lists and budgets of any size.
pub fn systems() -> impl Strategy<Value = (CollisionConfig, HotrConfig)> {
    let collision = (0u32..8, 0.0..0.2f64, any::<bool>(), any::<bool>(), any::<bool>(), 2u32..9, 1u32..4);
    let collision =
        collision.prop_map(|(pairs_per_die, copies_share, later, all, replace_copies, reads, least)| {
            CollisionConfig {
                enabled: true,
                pairs_per_die,
                copies_share,
                least_occurrences: least,
                rate_window_ns: 1_000_000,
                tie: if later { VictimTie::Later } else { VictimTie::Earlier },
                record: if all { RecordedPairs::All } else { RecordedPairs::New },
                reads_considered: reads,
                replace_copies,
            }
        });
    let hotr = (any::<bool>(), 0.0..0.2f64, 0.0..1.0f64, 1u32..40, any::<bool>(), any::<bool>());
    let hotr = hotr.prop_map(|(chip, staging_share, hot_share, list_length, all, erases_block)| HotrConfig {
        enabled: true,
        staging: if chip { Staging::Chip } else { Staging::Overprovisioned },
        staging_share,
        hot_share: (hot_share < 0.5).then_some(2.0 * hot_share),
        list_length,
        migrate: if all { TrackedReads::All } else { TrackedReads::Blocked },
        erases_block,
        ..HotrConfig::default()
    });
    (
        prop_oneof![Just(CollisionConfig::default()), collision],
        prop_oneof![2 => Just(HotrConfig::default()), 1 => hotr],
    )
}

pub fn ideals() -> impl Strategy<Value = IdealConfig> {
    let servers = prop_oneof![
        3 => Just(SecondServer::None),
        1 => Just(SecondServer::Die),
        1 => Just(SecondServer::DieAndChannel)
    ];
    servers.prop_map(|second_server| IdealConfig { second_server })
}

/// What moves pages at no request's: read reclaim, wear levelling, collection at idle time; and where writes go apart.
pub fn upkeep()
-> impl Strategy<Value = (ReclaimConfig, WearConfig, Option<BackgroundConfig>, (SeparationKind, bool))> {
    let reclaim = (
        prop::sample::select(vec![
            ReclaimKind::None,
            ReclaimKind::Block,
            ReclaimKind::Superblock,
            ReclaimKind::Shuffler,
            ReclaimKind::Page,
        ]),
        (0.0..0.5f64, 0.0..1.0f64, 1u32..10, any::<bool>()),
        1u32..40,
        prop::option::of(0u32..20),
        prop::sample::select(vec![Holes::Keep, Holes::Close]),
        prop::sample::select(vec![
            ReclaimPriority::Foreground,
            ReclaimPriority::Equal,
            ReclaimPriority::Background,
        ]),
    );
    let reclaim =
        reclaim.prop_map(|(policy, (full, partial, group, restart), threshold, above, holes, priority)| {
            let hard_limit = above.map(|above| threshold + above);
            let shuffle = ShuffleConfig { full, partial: full * partial };
            let ties = if restart { Ties::Logical } else { Ties::Random };
            let moves = if group % 2 == 0 { PageMoves::Needed } else { PageMoves::All };
            let pages = PageCountersConfig { group, restart, for_pages: CountedPages::Raw, ties, moves };
            let map_blocks = threshold % 5 > 0;
            let host_access = if threshold % 3 == 0 { HostAccess::Wait } else { HostAccess::OldPlace };
            ReclaimConfig {
                policy,
                threshold,
                hard_limit,
                priority,
                host_access,
                holes,
                map_blocks,
                shuffle,
                pages,
            }
        });
    let wear = (any::<bool>(), prop::option::of(1u32..5), 1u32..6);
    let wear = wear.prop_map(|(least, static_spread, static_interval)| WearConfig {
        free_block: if least { FreeBlock::LeastWorn } else { FreeBlock::Oldest },
        static_spread,
        static_interval,
    });
    let background = prop::option::of((0.36..0.6f64, any::<bool>()))
        .prop_map(|some| some.map(|(stop, preemptible)| BackgroundConfig { stop, preemptible }));
    let separation =
        prop::sample::select(vec![SeparationKind::None, SeparationKind::Stream, SeparationKind::HotCold]);
    (reclaim, wear, background, (separation, any::<bool>()))
}

/// None, one of blocks reserved, or one out of free space. Idle after a while without requests, or never.
pub fn slc_caches() -> impl Strategy<Value = (SlcCacheConfig, u64)> {
    let kinds =
        prop_oneof![Just(SlcCacheKind::None), Just(SlcCacheKind::Static), Just(SlcCacheKind::Dynamic)];
    let when_full = prop_oneof![Just(WhenFull::Direct), Just(WhenFull::FoldFirst)];
    let idle = prop_oneof![0u64..2_000_000, Just(1 << 60)];
    (kinds, 0.0..1.0f64, 0u64..1_000_000, when_full, any::<bool>(), idle).prop_map(
        |(policy, share, min_bytes, when_full, fold_at_idle, idle)| {
            let fixed = policy == SlcCacheKind::Static;
            // What is reserved must fit into the spare space.
            let share = Some(if fixed { share / 8.0 } else { share });
            let min_bytes = if policy == SlcCacheKind::Dynamic { min_bytes } else { 0 };
            let cache =
                SlcCacheConfig { policy, share, min_bytes, when_full, fold_at_idle, ..Default::default() };
            (cache, idle)
        },
    )
}

/// Chips that take commands as one have no second server.
pub fn fitting(ideal: IdealConfig, device: &DeviceConfig) -> IdealConfig {
    if device.channel.commands == CommandTaker::Chip { IdealConfig::default() } else { ideal }
}
