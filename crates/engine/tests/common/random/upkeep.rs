//! What moves pages at no request's: reclaim, wear levelling, collection at idle time, SLC caches.

use super::*;

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
            let moves = [PageMoves::All, PageMoves::Needed, PageMoves::InSuperpages][group as usize % 3];
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
