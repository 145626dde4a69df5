//! Schemes without systems: order, placement, collection, firmware, data caches.

use super::*;

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

/// Collection at thresholds, or paced.
pub fn paces() -> impl Strategy<Value = Option<PaceConfig>> {
    prop::option::of((1u32..5).prop_map(|band| PaceConfig { band }))
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

pub fn without_systems() -> impl Strategy<Value = SchemeConfig> {
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

/// Keeps streams apart where moves go, too, if the scheme can.
pub fn isolate(scheme: &mut SchemeConfig, persistent: bool) {
    let isolation = if persistent { Isolation::Persistent } else { Isolation::Initial };
    if isolation.check_beside(scheme).is_ok() {
        scheme.gc.isolation = isolation;
    }
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
