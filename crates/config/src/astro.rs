//! Speculative address translation (Kim et al., IEEE Access 2025; papers/003).

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Regions whose pages are put in order, so that where one lies can be guessed (`[scheme.astro]`); off by default.
/// `docs/astro.md` has the rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AstroConfig {
    /// Whether it is on; default false.
    #[serde(default)]
    pub enabled: bool,
    /// Logical pages of a region (LRS); 1 to 2^24, default 4096 (Table 1).
    #[serde(default = "default_region")]
    pub region_pages: u32,
    /// Logical pages for each bit of the update bitmap; 1 to 2^24, default 64 (§IV-A; Table 1 has 64, 256, 1024, 4096).
    #[serde(default = "default_coverage")]
    pub pages_per_bit: u32,
    /// Domains (planes, where superblocks are off) over which consecutive pages of a region go round; 0 to 64, 0 = all, at most
    /// 64. Default 1: a region's pages fill one block after the other (§III-B, figure 8).
    #[serde(default = "default_planes")]
    pub planes: u32,
    /// Reads of a region since it was ordered at which it is ordered (T_LPOread); 0 to 2^31, 0, the default = at read reclaim
    /// only (§IV-A).
    #[serde(default)]
    pub read_threshold: u32,
    /// Updates of a region beyond which it is ordered, as a share of its pages (T_LPOupdate); 0 to 1,000, default 0.25 (Table 1).
    #[serde(default = "default_update_share")]
    pub update_share: f64,
    /// Of which regions updates are counted; default `ordered`. The paper doesn't say.
    #[serde(default)]
    pub updates_of: UpdatesOf,
    /// How the commands of orders by updates go with others, whatever `scheme.scheduler.tiers` says of migration; default
    /// `reclaim`.
    #[serde(default)]
    pub update_priority: UpdatePriority,
    /// Share of a region's groups that must hold an update before an ordered region is ordered anew by reads, updates or collection;
    /// 0 to 1, default 0: the paper has no such bound.
    #[serde(default)]
    pub least_updated: f64,
    /// Whether a region with pages in a superblock that is collected is ordered, too, chosen as at reclaim (§I: "read reclaim or
    /// garbage collection time"; §IV-A names read reclaim and updates only); default false.
    #[serde(default)]
    pub at_collection: bool,
    /// Which pages of its region the reclaim of a block orders; default `region`. The paper doesn't say.
    #[serde(default)]
    pub gather: Gather,
    /// Regions that are ordered at the same time; 1 to 256, default 8.
    #[serde(default = "default_at_once")]
    pub at_once: u32,
    /// Free superblocks of a domain that ordering leaves alone; 2 to 2^20, default 2. With fewer nothing is ordered.
    #[serde(default = "default_spare")]
    pub spare_superblocks: u32,
}

/// Of which regions updates are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdatesOf {
    /// Of those that are in order (§III-D: the bitmap "monitors any updates on the rearranged region").
    #[default]
    Ordered,
    /// Of all, so that one that was never in order comes into order by being written (§IV-A: "when ... the update count in the
    /// logical region exceeds 25% of the LRS").
    All,
}

/// How the commands of orders by updates go with others. They are migration's, so what an SLC cache folds goes with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdatePriority {
    /// As those of read reclaim: ordering is done "in the background" (§I) at either.
    #[default]
    Reclaim,
    /// In order of arrival with the reads of the host.
    Equal,
    /// When nothing else waits, read reclaim included.
    Background,
}

/// Which pages of its region the reclaim of a block orders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gather {
    /// All of them, read from wherever they lie.
    #[default]
    Region,
    /// Those that lie in the block. The groups of the others count as updated.
    Block,
}

impl Default for AstroConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            region_pages: default_region(),
            pages_per_bit: default_coverage(),
            planes: default_planes(),
            read_threshold: 0,
            update_share: default_update_share(),
            updates_of: UpdatesOf::default(),
            update_priority: UpdatePriority::default(),
            least_updated: 0.0,
            at_collection: false,
            gather: Gather::default(),
            at_once: default_at_once(),
            spare_superblocks: default_spare(),
        }
    }
}

fn default_region() -> u32 {
    4096
}

fn default_planes() -> u32 {
    1
}

fn default_coverage() -> u32 {
    64
}

fn default_update_share() -> f64 {
    0.25
}

fn default_at_once() -> u32 {
    8
}

fn default_spare() -> u32 {
    2
}

impl AstroConfig {
    /// Refuses what can't be. Paths in errors are relative to `[astro]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("region_pages", self.region_pages, 1, 1 << 24)?;
        check_range("pages_per_bit", self.pages_per_bit, 1, 1 << 24)?;
        check_range("planes", self.planes, 0, 64)?;
        check_range("read_threshold", self.read_threshold, 0, 1 << 31)?;
        check_range("update_share", self.update_share, 0.0, 1_000.0)?;
        check_range("least_updated", self.least_updated, 0.0, 1.0)?;
        check_range("at_once", self.at_once, 1, 256)?;
        check_range("spare_superblocks", self.spare_superblocks, 2, 1 << 20)
    }
}
