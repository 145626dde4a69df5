//! Whether garbage collection keeps the streams of the host apart.

use serde::{Deserialize, Serialize};

use super::error::ConfigError;
use super::scheme::SchemeConfig;
use super::separation::SeparationKind;

/// What of the streams stays apart when garbage collection moves it (`scheme.gc.isolation`): the types of reclaim unit handles of
/// NVMe's Flexible Data Placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// Initially isolated: what is moved of all streams goes together.
    #[default]
    Initial,
    /// Persistently isolated: what is moved goes to a write point of its stream's own.
    Persistent,
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
