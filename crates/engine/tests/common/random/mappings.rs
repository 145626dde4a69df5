//! Maps on flash, and regions whose places are guessed.

use super::*;

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
    let few = (0u64..300, 0u32..40, 0u32..8, 0u32..4, 4u32..32, any::<[bool; 5]>());
    let tpftl = few.prop_map(|(cache_bytes, batch_entries, node_bytes, prefetch_threshold, bytes, ways)| {
        let [request_prefetch, batch_update, clean_first, looks_up, waits] = ways;
        MappingConfig {
            policy: MappingKind::Tpftl,
            cache_bytes,
            batch_entries,
            node_bytes,
            prefetch_threshold,
            request_prefetch,
            batch_update,
            clean_first,
            translation_entry_bytes: bytes,
            write_back_lookups: looks_up,
            eviction: if waits { Eviction::Foreground } else { Eviction::Background },
            ..MappingConfig::default()
        }
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
    prop_oneof![2 => Just(MappingConfig::default()), 1 => demand, 1 => segments, 1 => tpftl, 1 => journaled]
}

/// A map on flash of which no entry, one, or few are in DRAM, in pages of any number of entries; or any other map.
pub fn sparse_mappings() -> impl Strategy<Value = MappingConfig> {
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
pub fn regions() -> impl Strategy<Value = AstroConfig> {
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
