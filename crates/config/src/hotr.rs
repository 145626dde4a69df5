//! Hot reads in a staging space (Wu et al., DATE 2019; papers/004).

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Copies of hot read pages in a staging space (`[scheme.hotr]`); off by default. `docs/hotr.md` has the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HotrConfig {
    /// Whether it is on; default false.
    #[serde(default)]
    pub enabled: bool,
    /// Where the staging space is: `chip` (default, dedicated chips) or `overprovisioned` (§III-A has both).
    #[serde(default)]
    pub staging: Staging,
    /// Chips that are the staging space with `chip`: the last ones; 1 to 1,024, default 1 (§III-A: a dedicated chip).
    #[serde(default = "one")]
    pub staging_chips: u32,
    /// Most mapping units in the staging space with `overprovisioned`, as a share of the drive's flash pages; 0 to 1,
    /// default 0.05, the share that one chip of the paper's twenty is.
    #[serde(default = "default_staging_share")]
    pub staging_share: f64,
    /// Most pages that are staged, as a share of the pages that were read so far; 0 to 1. Left out: the staging space is the
    /// bound (§III-B: "Since the capacity of the staging space is limited, not all popular read data pages are migrated").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_share: Option<f64>,
    /// In its place: so many pages (mapping units), fixed; 1 to 2^31. Left out: no such bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hot_pages: Option<u32>,
    /// Entries of each chip's R-LRU list; 1 to 2^24, default 16,384. The paper doesn't say.
    #[serde(default = "default_length")]
    pub list_length: u32,
    /// Reads of a page before the one that is blocked from which on it counts as hot; 1 to 2^20, default 1 (§III-C: any
    /// hit of the list).
    #[serde(default = "one")]
    pub hot_count: u32,
    /// Which reads the list knows: `all` (default, §III-B) or `blocked` (the strict reading of §III-C).
    #[serde(default)]
    pub track: TrackedReads,
    /// Which hits migrate: `all` (default, §III-B: "when the popular read data pages of an SSD are requested by user
    /// applications, they are concurrently migrated") or `blocked` (§III-C says it of those only).
    #[serde(default)]
    pub migrate: TrackedReads,
    /// Whether a chip that erases blocks a read, too; default false (§III-C speaks of programs).
    #[serde(default)]
    pub erases_block: bool,
    /// Whether a program that waits at the chip before the read blocks it, too; default false (§III-C: the on-going write
    /// requests being processed).
    #[serde(default)]
    pub queued_block: bool,
}

/// Where the staging space is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Staging {
    /// Chips that hold nothing else.
    #[default]
    Chip,
    /// The over-provisioned space of all chips; a page is staged on another chip than its own.
    Overprovisioned,
}

/// Which reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackedReads {
    /// Every read.
    #[default]
    All,
    /// Those that find their chip busy with a program.
    Blocked,
}

impl Default for HotrConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            staging: Staging::default(),
            staging_chips: one(),
            staging_share: default_staging_share(),
            hot_share: None,
            hot_pages: None,
            list_length: default_length(),
            hot_count: one(),
            track: TrackedReads::All,
            migrate: TrackedReads::All,
            erases_block: false,
            queued_block: false,
        }
    }
}

fn one() -> u32 {
    1
}

fn default_staging_share() -> f64 {
    0.05
}

fn default_length() -> u32 {
    16_384
}

impl HotrConfig {
    /// Refuses what can't be. Paths in errors are relative to `[hotr]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("staging_chips", self.staging_chips, 1, 1_024)?;
        check_range("staging_share", self.staging_share, 0.0, 1.0)?;
        if let Some(share) = self.hot_share {
            check_range("hot_share", share, 0.0, 1.0)?;
        }
        if let Some(pages) = self.hot_pages {
            check_range("hot_pages", pages, 1, 1 << 31)?;
            if self.hot_share.is_some() {
                return Err(ConfigError::new("hot_pages", pages, "one of hot_pages and hot_share, or none"));
            }
        }
        check_range("list_length", self.list_length, 1, 1 << 24)?;
        check_range("hot_count", self.hot_count, 1, 1 << 20)
    }
}
