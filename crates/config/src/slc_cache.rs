//! The SLC cache: blocks in SLC mode that take the host's writes first, in front of cells of several bits.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

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

    /// The key that asks for the least size, and its value, for errors.
    pub fn least_key(&self) -> (&'static str, String) {
        match (self.policy, self.bytes) {
            (SlcCacheKind::Dynamic, _) => ("scheme.slc_cache.min_bytes", self.min_bytes.to_string()),
            (_, Some(bytes)) => ("scheme.slc_cache.bytes", bytes.to_string()),
            _ => ("scheme.slc_cache.share", self.share.unwrap_or(0.0).to_string()),
        }
    }
}
