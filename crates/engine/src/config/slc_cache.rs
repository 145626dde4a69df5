//! The SLC cache: blocks in SLC mode that take the host's writes first, in front of cells of several bits.

use serde::{Deserialize, Serialize};

use super::device::DeviceConfig;
use super::error::{ConfigError, check_range};
use crate::nand::Geometry;

/// SLC cache (`[scheme.slc_cache]`); the device's `[slc_mode]` gives its times. Bytes are those of data that the cache can
/// hold: a block in SLC mode has `geometry.pages` ÷ bits pages, rounded down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcCacheConfig {
    /// How its size is ruled; `none` by default.
    #[serde(default)]
    pub policy: SlcCacheKind,
    /// `static`: bytes of the cache, rounded up to whole blocks of every plane. One of this and `share` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// `static`: share of the blocks that is reserved. `dynamic`: share of the free native space that is used in SLC mode;
    /// default 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// `dynamic`: bytes that it always has, rounded up to whole blocks of every plane; default 0.
    #[serde(default)]
    pub min_bytes: u64,
    /// `dynamic`: bytes that it has at most, rounded down to whole blocks; left out: no bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// What a write does when the cache has no room.
    #[serde(default)]
    pub when_full: WhenFull,
    /// Whether an idle drive folds what the cache holds (`scheme.maintenance.idle_after_ns`); default true.
    #[serde(default = "yes")]
    pub fold_at_idle: bool,
}

fn yes() -> bool {
    true
}

impl Default for SlcCacheConfig {
    fn default() -> Self {
        Self {
            policy: SlcCacheKind::None,
            bytes: None,
            share: None,
            min_bytes: 0,
            max_bytes: None,
            when_full: WhenFull::Direct,
            fold_at_idle: yes(),
        }
    }
}

/// How the size of the SLC cache is ruled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlcCacheKind {
    /// There is no cache.
    #[default]
    None,
    /// Blocks reserved for it.
    Static,
    /// Blocks out of the free space: the fuller the drive, the smaller the cache.
    Dynamic,
}

/// What a write of the host does when the SLC cache has no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhenFull {
    /// It goes to native blocks.
    #[default]
    Direct,
    /// It waits until blocks of the cache are folded.
    FoldFirst,
}

/// Sizes of the cache in blocks of each plane, and so in superblocks of each domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheSizes {
    /// It always has these.
    pub least: u32,
    /// It never has more.
    pub most: u32,
    /// Share of the free native space that is used.
    pub share: f64,
}

impl SlcCacheConfig {
    /// Whether there is a cache.
    pub fn is_on(&self) -> bool {
        self.policy != SlcCacheKind::None
    }

    /// Refuses what makes no sense. Paths in errors are relative to `[scheme.slc_cache]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("share", self.share.unwrap_or(1.0), 0.0, 1.0)?;
        if self.policy == SlcCacheKind::Static && self.bytes.is_some() == self.share.is_some() {
            let given = if self.bytes.is_some() { "with share" } else { "left out" };
            return Err(ConfigError::new("bytes", given, "one of bytes and share with policy = \"static\""));
        }
        if self.max_bytes.is_some_and(|most| most < self.min_bytes) {
            let allowed = format!("at least min_bytes, {}", self.min_bytes);
            return Err(ConfigError::new("max_bytes", self.max_bytes.unwrap_or(0), allowed));
        }
        Ok(())
    }

    /// Sizes on this drive; zero without a cache. Paths in errors are whole.
    pub fn sizes(&self, device: &DeviceConfig, geometry: &Geometry) -> Result<CacheSizes, ConfigError> {
        if !self.is_on() {
            return Ok(CacheSizes::default());
        }
        let pages = geometry.pages_per_block / device.cell.technology.bits() as u32;
        if device.slc_mode.is_none() || pages == 0 {
            let allowed =
                "none, for a device without [slc_mode] or with fewer pages in a block than bits in a cell";
            let policy = if self.policy == SlcCacheKind::Static { "static" } else { "dynamic" };
            return Err(ConfigError::new("scheme.slc_cache.policy", policy, allowed));
        }
        // One block in SLC mode of every plane.
        let row = u64::from(pages) * u64::from(geometry.page_bytes) * u64::from(geometry.planes());
        let blocks = geometry.blocks_per_plane;
        let up = |bytes: u64| u32::try_from(bytes.div_ceil(row)).unwrap_or(u32::MAX);
        let down = |bytes: u64| u32::try_from(bytes / row).unwrap_or(u32::MAX);
        let share = self.share.unwrap_or(1.0);
        Ok(match self.policy {
            SlcCacheKind::Dynamic => {
                let least = up(self.min_bytes);
                let most = self.max_bytes.map_or(blocks, down).min(blocks).max(least);
                CacheSizes { least, most, share }
            }
            SlcCacheKind::None | SlcCacheKind::Static => {
                let fixed = self.bytes.map_or((share * f64::from(blocks)).ceil() as u32, up);
                CacheSizes { least: fixed, most: fixed, share: 0.0 }
            }
        })
    }

    /// The key that asks for the least size, and its value, for errors.
    pub fn least_key(&self) -> (&'static str, String) {
        match (self.policy, self.bytes) {
            (SlcCacheKind::Dynamic, _) => ("scheme.slc_cache.min_bytes", self.min_bytes.to_string()),
            (_, Some(bytes)) => ("scheme.slc_cache.bytes", bytes.to_string()),
            _ => ("scheme.slc_cache.share", self.share.unwrap_or(0.0).to_string()),
        }
    }
}
