//! Read reclaim: when a block was read too often since its erase, and what is done about it.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Read reclaim (`[scheme.reclaim]`). Any policy but `none` switches the counting of reads by block on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReclaimConfig {
    /// What is emptied when a block was read too often. A system of the scheme may answer with a plan of its own.
    #[serde(default)]
    pub policy: ReclaimKind,
    /// Array reads of a block since its erase at which it is to be reclaimed; 1 to 2^31, default 10,000 (papers/001,
    /// Table 1; papers/003, Table 1 has 1,024).
    #[serde(default = "default_threshold")]
    pub threshold: u32,
    /// Reads of a block at which its reclaim goes before all else; `threshold` to 2^31; left out: twice the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_limit: Option<u32>,
    /// How reclaim goes with the host's commands until the hard limit.
    #[serde(default)]
    pub priority: ReclaimPriority,
    /// What the host does about pages that are being moved.
    #[serde(default)]
    pub host_access: HostAccess,
    /// What becomes of the places of invalid pages when a superblock moves to a fresh one.
    #[serde(default)]
    pub holes: Holes,
    /// Whether reads of the map's pages lead to a reclaim, too. Without, a block is reclaimed when a page of the host is read in
    /// it, so one that holds the map alone never is, as in cells that reads don't disturb.
    #[serde(default = "yes")]
    pub map_blocks: bool,
    /// When `shuffler` shuffles.
    #[serde(default)]
    pub shuffle: ShuffleConfig,
    /// The counters of `page`.
    #[serde(default)]
    pub pages: PageCountersConfig,
}

impl Default for ReclaimConfig {
    fn default() -> Self {
        Self {
            policy: ReclaimKind::default(),
            threshold: default_threshold(),
            hard_limit: None,
            priority: ReclaimPriority::default(),
            host_access: HostAccess::default(),
            holes: Holes::default(),
            map_blocks: yes(),
            shuffle: ShuffleConfig::default(),
            pages: PageCountersConfig::default(),
        }
    }
}

fn yes() -> bool {
    true
}

fn default_threshold() -> u32 {
    10_000
}

/// What is emptied when a block was read too often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReclaimKind {
    /// Nothing: read disturb goes on.
    #[default]
    None,
    /// The block alone. In a superblock its valid pages leave, and it is erased with the superblock later.
    Block,
    /// The superblock of the block (papers/001 §2.1).
    Superblock,
    /// The superblock; blocks that were read unevenly exchange cards (papers/001 §3).
    Shuffler,
    /// The superblock; pages go to its blocks by the counts of their reads (papers/001 §4.1, "Page").
    Page,
}

impl ReclaimKind {
    /// Whether pages go to other blocks of the superblock than they came from.
    pub fn rearranges(self) -> bool {
        matches!(self, Self::Shuffler | Self::Page)
    }
}

/// When blocks exchange cards. The imbalance Δ of a block is the distance of its reads from the mean of its superblock, by
/// that mean (papers/001, equation 7).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShuffleConfig {
    /// All blocks take part from this largest Δ on; default 0.30 (papers/001 §4.2).
    #[serde(default = "default_full")]
    pub full: f64,
    /// Otherwise those whose Δ is at least this, if they are more than one; default 0.10 (papers/001 §4.2).
    #[serde(default = "default_partial")]
    pub partial: f64,
}

fn default_full() -> f64 {
    0.30
}

fn default_partial() -> f64 {
    0.10
}

impl Default for ShuffleConfig {
    fn default() -> Self {
        Self { full: default_full(), partial: default_partial() }
    }
}

/// Counters of the host's reads of logical pages at the flash, 4 bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageCountersConfig {
    /// Consecutive logical pages (mapping units) that share a counter; 1 to 65,536, default 1.
    #[serde(default = "one_page")]
    pub group: u32,
    /// Whether the counters of what is reclaimed start anew. Not printed; by default they go on.
    #[serde(default)]
    pub restart: bool,
    /// Which pages there are counters for.
    #[serde(default)]
    pub for_pages: CountedPages,
    /// In which order pages of the same count go to blocks. Not printed.
    #[serde(default)]
    pub ties: Ties,
    /// How many pages change blocks. Not printed.
    #[serde(default)]
    pub moves: PageMoves,
}

fn one_page() -> u32 {
    1
}

impl Default for PageCountersConfig {
    fn default() -> Self {
        Self {
            group: one_page(),
            restart: false,
            for_pages: CountedPages::default(),
            ties: Ties::default(),
            moves: PageMoves::default(),
        }
    }
}

/// How many pages change blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageMoves {
    /// All are dealt out anew: each goes to the block with the smallest sum of counts so far.
    #[default]
    All,
    /// As few as make the imbalance Δ of the sums of counts less than 0.10 in every block, from which on blocks take part in
    /// shuffling (papers/001 §4.2): of the block with the largest sum the page that is read most changes places with the page
    /// of the one with the smallest that is read least. The others keep block and offset.
    Needed,
    /// Within superpages: every page keeps its offset; of a superpage the page that is read most goes to the block with the
    /// smallest sum so far. Not the paper's Page, which ignores "the underlying MP organization" (papers/001 §4.3.5): what
    /// counters could do without that fault.
    InSuperpages,
}

/// In which order pages of the same count go to blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ties {
    /// At random: counts alone decide, "without considering the underlying MP organization" (papers/001 §4.3.5).
    #[default]
    Random,
    /// In that of their logical pages: those of a group go to the blocks in turn, as the placement dealt them out, so that
    /// superpages stay together and so does what is skewed inside a group.
    Logical,
}

/// Which pages there are counters for: what they take of the controller's DRAM. The counts are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedPages {
    /// As many as the drive has physical pages: on 64 GiB of 8 KiB pages 32 MiB, which leave nothing of a cache of 32 MB
    /// (papers/001, Figure 16).
    #[default]
    Raw,
    /// As many as the host sees.
    Logical,
}

/// How the commands of read reclaim go with those of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReclaimPriority {
    /// Before every other command.
    Foreground,
    /// In order of arrival with the reads of the host.
    #[default]
    Equal,
    /// When nothing else waits; before every other command once the hard limit is passed.
    Background,
}

/// What the host does about pages of what is being emptied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostAccess {
    /// Reads find a page where it is until it has been moved, and writes replace it there.
    #[default]
    OldPlace,
    /// All valid pages are locked when the emptying begins. Reads and writes that come for one wait until its move has been
    /// programmed; reads are answered with the data that was moved, and writes are programmed then.
    Wait,
}

/// What becomes of the places of invalid pages when a superblock moves to a fresh one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holes {
    /// They stay unused until the next erase: a page keeps its offset, and what lay in one superpage still does.
    #[default]
    Keep,
    /// In each block the valid pages follow one another; pages of one superpage part.
    Close,
}

impl ReclaimConfig {
    /// Whether anything is ever reclaimed.
    pub fn is_on(&self) -> bool {
        self.policy != ReclaimKind::None
    }

    /// Reads at which reclaim goes before all else.
    pub fn hard_limit(&self) -> u32 {
        self.hard_limit.unwrap_or(self.threshold.saturating_mul(2))
    }

    /// Refuses thresholds that make no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("threshold", self.threshold, 1, 1 << 31)?;
        check_range("shuffle.full", self.shuffle.full, 0.0, 1e6)?;
        check_range("shuffle.partial", self.shuffle.partial, 0.0, self.shuffle.full)?;
        check_range("pages.group", self.pages.group, 1, 1 << 16)?;
        match self.hard_limit {
            Some(limit) => check_range("hard_limit", limit, self.threshold, 1 << 31),
            None => Ok(()),
        }
    }
}
