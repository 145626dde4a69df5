//! What of a scheme can't be beside something else of it.

use super::cache::CacheKind;
use super::error::{ConfigError, word};
use super::isolation::Isolation;
use super::mapping::{MappingKind, UnmappedReads};
use super::nvm_set::NvmSetConfig;
use super::reclaim::ReclaimKind;
use super::redundancy::RedundancyConfig;
use super::scheme::{Level, PlacementKind, SchemeConfig};
use super::separation::SeparationKind;

impl RedundancyConfig {
    /// Refuses beside parity of pages what places pages elsewhere, knows no page beyond those of the host, or makes pages without a
    /// program of the host's.
    pub fn check_beside(&self, scheme: &SchemeConfig) -> Result<(), ConfigError> {
        if !self.in_pages() {
            return Ok(());
        }
        let beside = [
            (scheme.placement.policy != PlacementKind::Static, "placement.policy other than \"static\""),
            (
                scheme.placement.order.0[0] != Level::Channel,
                "a placement.order whose fastest level is no channel",
            ),
            (scheme.mapping.policy != MappingKind::Page, "mapping.policy other than \"page\""),
            (
                scheme.mapping.unmapped_reads == UnmappedReads::Allocate,
                "mapping.unmapped_reads = \"allocate\"",
            ),
            (scheme.gc.isolation != Isolation::default(), "gc.isolation = \"persistent\""),
            (scheme.gc.is_paced(), "gc.pace"),
            (scheme.separation.policy == SeparationKind::HotCold, "separation.policy = \"hot_cold\""),
            (scheme.reclaim.policy != ReclaimKind::None, "reclaim"),
            (scheme.slc_cache.is_on(), "slc_cache"),
            (scheme.partition.enabled, "partition"),
            (scheme.astro.enabled, "astro"),
            (scheme.block_map.is_on(), "block_map"),
        ];
        let refused =
            |what| ConfigError::new("redundancy.policy", "parity_pages", format!("\"none\" beside {what}"));
        beside.into_iter().find(|(on, _)| *on).map_or(Ok(()), |(_, what)| Err(refused(what)))
    }
}

impl Isolation {
    /// Refuses what it can't be beside, each with its reason.
    pub fn check_beside(self, scheme: &SchemeConfig) -> Result<(), ConfigError> {
        if self == Self::Initial {
            return Ok(());
        }
        let refuse = |allowed: &str| Err(ConfigError::new("gc.isolation", "\"persistent\"", allowed));
        if scheme.blocks.host_write_points < 2 {
            return refuse("\"initial\"; \"persistent\" with at least 2 scheme.blocks.host_write_points");
        }
        if scheme.separation.policy != SeparationKind::Stream {
            return refuse(
                "\"initial\" unless scheme.separation.policy is \"stream\", by which writes go apart",
            );
        }
        if scheme.separation.separate_hot_moves {
            return refuse(
                "\"initial\" beside scheme.separation.separate_hot_moves, which tells moves apart itself",
            );
        }
        let together = [
            ("scheme.slc_cache", "whose superblocks take all streams", scheme.slc_cache.is_on()),
            (
                "scheme.wear.static_spread",
                "whose moves of all streams go to the most worn blocks",
                scheme.wear.static_spread.is_some(),
            ),
            ("scheme.partition", "which says itself where moves go", scheme.partition.enabled),
            ("scheme.astro", "which says itself where moves go", scheme.astro.enabled),
            ("scheme.collision", "whose copies of all streams lie together", scheme.collision.enabled),
            ("scheme.hotr", "whose copies of all streams lie together", scheme.hotr.enabled),
        ];
        match together.iter().find(|(.., on)| *on) {
            Some((key, why, _)) => refuse(&format!("\"initial\" beside {key}, {why}")),
            None => Ok(()),
        }
    }
}

impl NvmSetConfig {
    /// Refuses what of a scheme with sets lies on planes of several at once.
    pub fn check_beside(scheme: &SchemeConfig) -> Result<(), ConfigError> {
        if scheme.nvm_set.is_empty() {
            return Ok(());
        }
        let SchemeConfig { mapping, redundancy, slc_cache, copies, gc, placement, cache, block_map, .. } =
            scheme;
        let cached = cache.policy != CacheKind::None;
        let beside = [
            // A page of the journal holds changes of several sets.
            (
                mapping.policy == MappingKind::Journaled,
                "mapping.policy",
                "\"journaled\"".to_owned(),
                "\"page\", \"demand\", \"segments\" or \"tpftl\"",
            ),
            (redundancy.is_on(), "redundancy.policy", format!("{:?}", redundancy.name()), "\"none\""),
            (slc_cache.is_on(), "slc_cache.policy", word(&slc_cache.policy), "\"none\""),
            (
                !copies.reserved_dies.is_empty(),
                "copies.reserved_dies",
                format!("{:?}", copies.reserved_dies),
                "[]",
            ),
            (copies.reserved_blocks > 0.0, "copies.reserved_blocks", copies.reserved_blocks.to_string(), "0"),
            (gc.rotating, "gc.rotating", true.to_string(), "false, since sets would wait for one another,"),
            // Units that are written back together are chosen by age, whatever their set.
            (
                placement.policy == PlacementKind::Dynamic && cached,
                "placement.policy",
                "\"dynamic\"".to_owned(),
                "\"static\" with a data cache",
            ),
            (scheme.collision.enabled, "collision.enabled", true.to_string(), "false"),
            (scheme.hotr.enabled, "hotr.enabled", true.to_string(), "false"),
            (scheme.partition.enabled, "partition.enabled", true.to_string(), "false"),
            (scheme.astro.enabled, "astro.enabled", true.to_string(), "false"),
            (block_map.is_on(), "block_map.policy", word(&block_map.policy), "\"off\""),
            (scheme.array.is_some(), "array", "several drives".to_owned(), "left out"),
        ];
        match beside.into_iter().find(|(on, ..)| *on) {
            Some((_, key, value, allowed)) => {
                Err(ConfigError::new(key, value, format!("{allowed} beside scheme.nvm_set")))
            }
            None => Ok(()),
        }
    }
}
