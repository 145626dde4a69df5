//! Keys of address translation.

use super::{DriveRule, Rule, has_no_cache, has_no_own};
use crate::mapping::MappingKind;

pub(super) const OF_MAP: &[DriveRule] = &[
    Rule {
        keys: &["scheme.mapping.search_buckets"],
        applies: |_, scheme| scheme.firmware.search_step_ns == 0,
        why: "a step of a search takes no time with scheme.firmware.search_step_ns = 0",
    },
    Rule {
        keys: &["scheme.mapping.write_back_lookups"],
        applies: |_, scheme| has_no_cache(scheme),
        why: "nothing is written back without a scheme.cache.policy",
    },
    Rule {
        keys: &["workload.start.map_cache"],
        applies: |_, scheme| has_no_own(scheme) && !scheme.mapping.policy.is_cached(),
        why: "the whole map is in DRAM with this scheme.mapping.policy",
    },
    Rule {
        keys: &["scheme.firmware.search_step_ns"],
        applies: |_, scheme| has_no_own(scheme) && !scheme.mapping.policy.is_cached(),
        why: "the whole map is in DRAM with this scheme.mapping.policy, and nothing is searched",
    },
    Rule {
        keys: &["device.link.host_memory_ns"],
        applies: |_, scheme| !scheme.mapping.host_memory,
        why: "nothing lies in the host's memory without scheme.mapping.host_memory",
    },
    Rule {
        keys: &["scheme.mapping.cache_bytes"],
        applies: |_, scheme| scheme.mapping.cache_share.is_some(),
        why: "scheme.mapping.cache_share is in its place",
    },
    Rule {
        keys: &["scheme.mapping.cache_share_of"],
        applies: |_, scheme| scheme.mapping.cache_share.is_none(),
        why: "it is of scheme.mapping.cache_share, which is left out",
    },
    Rule {
        keys: &["scheme.mapping.protected_share", "scheme.mapping.eviction"],
        applies: |_, scheme| {
            let mapping = &scheme.mapping;
            let none = mapping.cache_share.map_or(mapping.cache_bytes == 0, |share| share == 0.0);
            has_no_own(scheme) && none && mapping.policy != MappingKind::Segments
        },
        why: "no entry is cached with scheme.mapping.cache_bytes = 0",
    },
    Rule {
        keys: &["scheme.reclaim.map_blocks"],
        applies: |_, scheme| has_no_own(scheme) && !scheme.mapping.policy.is_on_flash(),
        why: "no page of the map is on flash with this scheme.mapping.policy",
    },
];
