//! Address translation: what the firmware keeps of the map in DRAM.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};
use crate::left_out::is_default;

/// Address translation (`[scheme.mapping]`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MappingConfig {
    /// Which table translates.
    #[serde(default)]
    pub policy: MappingKind,
    /// What a read of a page that holds no data does.
    #[serde(default)]
    pub unmapped_reads: UnmappedReads,
    /// Memory of the cached entries of `demand` and `tpftl` (0 = none is kept), or of the translation pages of `segments` (at least one is
    /// kept), bytes; default 256 KiB.
    #[serde(default = "default_cache")]
    pub cache_bytes: u64,
    /// The same as a share of all entries (or, `segments`, pages), in the place of `cache_bytes`; 0 to 1, left out by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_share: Option<f64>,
    /// What `cache_share` is a share of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub cache_share_of: ShareOf,
    /// DRAM that a cached entry takes, or a change of one that isn't cached (a logical and a physical page number), bytes; 1 to 64,
    /// default 8. Cached entries of `tpftl` take `node_entry_bytes`.
    #[serde(default = "default_entry")]
    pub entry_bytes: u32,
    /// Bytes of an entry in a translation page on flash (a physical page number); 1 to 64, default 4. A translation page
    /// is one mapping unit.
    #[serde(default = "default_translation_entry")]
    pub translation_entry_bytes: u32,
    /// Bytes of entries in a translation page, which are also what a read of one sends over the channel; 0, the default = a
    /// mapping unit, which it takes on flash in any case.
    #[serde(default, skip_serializing_if = "is_default")]
    pub translation_page_bytes: u32,
    /// Which translation pages are on flash before the first request.
    #[serde(default, skip_serializing_if = "is_default")]
    pub stored_at_start: StoredPages,
    /// How many look-ups one read of a translation page serves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub loads: Loads,
    /// Buckets of the table in which cached entries are searched, whose chains grow with the cache; 0, the default = a sorted
    /// table, whose search takes a step for each doubling. A step costs `scheme.firmware.search_step_ns`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub search_buckets: u32,
    /// Share of the cache for entries that were used again (segmented LRU); 0 to 0.95, default 0: plain LRU.
    #[serde(default)]
    pub protected_share: f64,
    /// Changes, by moves and TRIMs, of entries that aren't cached, held in DRAM to be written together; 0, the default =
    /// as many as a superblock has mapping units. With `cache_bytes` = 0 those by writes are among them.
    #[serde(default)]
    pub batch_entries: u32,
    /// When such changes are written at the latest.
    #[serde(default, skip_serializing_if = "is_default")]
    pub batch_until: BatchUntil,
    /// What a request does whose entry takes the place of one that must be written first.
    #[serde(default)]
    pub eviction: Eviction,
    /// Whether the cached entries or pages, and the changes that are held, lie in the host's memory: each look-up takes
    /// `device.link.host_memory_ns`, and the controller's DRAM is not charged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host_memory: bool,
    /// Whether what the data cache writes back needs its entry in DRAM before it gets a place, as writes of the host do; false
    /// by default: it changes its entry, wherever that is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub write_back_lookups: bool,
    /// DRAM of an entry in a translation page node of `tpftl` (its offset in the translation page, and a physical page number),
    /// bytes; 1 to 64, default 6.
    #[serde(default = "default_node_entry", skip_serializing_if = "is_default_node_entry")]
    pub node_entry_bytes: u32,
    /// DRAM of a node besides its entries (the number of its translation page), bytes; 0 to 64, default 4.
    #[serde(default = "default_node", skip_serializing_if = "is_default_node")]
    pub node_bytes: u32,
    /// Whether a miss takes in what else of its request lies in the same translation page.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub request_prefetch: bool,
    /// Nodes by which their number has to fall until a miss also takes in as many entries behind it as are cached in a row before
    /// it, and to rise until it no longer does; 0 to 65536, default 3; 0 = never.
    #[serde(default = "default_threshold", skip_serializing_if = "is_default_threshold")]
    pub prefetch_threshold: u32,
    /// Whether all dirty entries of a node are clean when one of them was written.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub batch_update: bool,
    /// Whether clean entries of a node make room before dirty ones.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub clean_first: bool,
    /// Flash that the journal of `journaled` goes round in, bytes, rounded up to whole program units; at least two of them; 0, the
    /// default = a quarter of the translation pages.
    #[serde(default, skip_serializing_if = "is_default")]
    pub journal_bytes: u64,
    /// Bytes of a change in the journal (a logical and a physical page number); 1 to 64, default 8.
    #[serde(default = "default_entry", skip_serializing_if = "is_default_entry")]
    pub journal_entry_bytes: u32,
}

impl Default for MappingConfig {
    fn default() -> Self {
        Self {
            policy: MappingKind::default(),
            unmapped_reads: UnmappedReads::default(),
            cache_bytes: default_cache(),
            cache_share: None,
            cache_share_of: ShareOf::default(),
            entry_bytes: default_entry(),
            translation_entry_bytes: default_translation_entry(),
            translation_page_bytes: 0,
            stored_at_start: StoredPages::default(),
            loads: Loads::default(),
            search_buckets: 0,
            protected_share: 0.0,
            batch_entries: 0,
            batch_until: BatchUntil::default(),
            eviction: Eviction::default(),
            host_memory: false,
            write_back_lookups: false,
            node_entry_bytes: default_node_entry(),
            node_bytes: default_node(),
            request_prefetch: true,
            prefetch_threshold: default_threshold(),
            batch_update: true,
            clean_first: true,
            journal_bytes: 0,
            journal_entry_bytes: default_entry(),
        }
    }
}

fn default_cache() -> u64 {
    256 << 10
}

fn default_entry() -> u32 {
    8
}

fn is_default_entry(bytes: &u32) -> bool {
    *bytes == default_entry()
}

fn default_node_entry() -> u32 {
    6
}

fn is_default_node_entry(bytes: &u32) -> bool {
    *bytes == default_node_entry()
}

fn default_node() -> u32 {
    4
}

fn is_default_node(bytes: &u32) -> bool {
    *bytes == default_node()
}

fn default_threshold() -> u32 {
    3
}

fn is_default_threshold(nodes: &u32) -> bool {
    *nodes == default_threshold()
}

fn yes() -> bool {
    true
}

fn is_yes(said: &bool) -> bool {
    *said
}

fn default_translation_entry() -> u32 {
    4
}

/// Which table translates addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MappingKind {
    /// A page map, whole in DRAM.
    #[default]
    Page,
    /// A page map on flash, whose entries are cached on demand (DFTL, Gupta et al. 2009).
    Demand,
    /// A page map on flash, whose translation pages are cached whole.
    Segments,
    /// A page map on flash, whose entries are cached by translation page and fetched ahead (TPFTL, Zhou et al. 2015).
    Tpftl,
    /// A page map, whole in DRAM, which a journal and write-backs of translation pages keep on flash.
    Journaled,
}

impl MappingKind {
    /// Whether the map lies on flash, in translation pages.
    pub fn is_on_flash(self) -> bool {
        self != Self::Page
    }

    /// Whether DRAM holds only some of it.
    pub fn is_cached(self) -> bool {
        matches!(self, Self::Demand | Self::Segments | Self::Tpftl)
    }

    /// Whether a formula says what a load of a known law leaves in the cache; else its requests go through it one by one.
    pub fn leaves_by_formula(self) -> bool {
        matches!(self, Self::Demand | Self::Segments)
    }
}

/// What the cached share is a share of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// All entries of the map.
    #[default]
    Map,
    /// Those of pages that hold data at the moment, so that the cache grows with the data.
    Occupied,
}

/// Which translation pages are on flash before the first request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredPages {
    /// Those with an entry of a page that holds data. Of the others the directory knows that they are empty: no look-up reads
    /// them.
    #[default]
    Occupied,
    /// All of them: a look-up reads an empty one, too.
    All,
}

/// How many look-ups one read of a translation page serves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loads {
    /// All that wait for it.
    #[default]
    Shared,
    /// One: each has a read of its own.
    Each,
}

/// When changes of entries that aren't cached are written at the latest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchUntil {
    /// When there are more than `batch_entries`.
    #[default]
    Full,
    /// And whenever a superblock has been erased: what its collection changed is written within it (DFTL, §3.3).
    Erased,
}

/// What a request does whose entry takes the place of one that must be written first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Eviction {
    /// It waits until that entry is on flash, as in DFTL.
    #[default]
    Foreground,
    /// It goes on: the translation page is written from a buffer of its own.
    Background,
}

/// What a read of a page that holds no data does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnmappedReads {
    /// Zeros from the controller, without a flash read.
    #[default]
    Zeros,
    /// The page gets a place at that moment, at no cost, and is read there (papers/000 §II-B does so).
    Allocate,
}

impl MappingConfig {
    /// Bytes of a translation page that hold entries, where it is a mapping unit of so many bytes.
    pub fn page_bytes(&self, unit_bytes: u32) -> u32 {
        match self.translation_page_bytes {
            0 => unit_bytes,
            bytes => bytes.min(unit_bytes),
        }
    }

    /// Refuses what no firmware can do.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("cache_bytes", self.cache_bytes, 0, 1 << 40)?;
        check_range("entry_bytes", self.entry_bytes, 1, 64)?;
        check_range("translation_entry_bytes", self.translation_entry_bytes, 1, 64)?;
        check_range("protected_share", self.protected_share, 0.0, 0.95)?;
        if let Some(share) = self.cache_share {
            check_range("cache_share", share, 0.0, 1.0)?;
        }
        if self.translation_page_bytes > 0 {
            let least = self.translation_entry_bytes;
            check_range("translation_page_bytes", self.translation_page_bytes, least, 1 << 20)?;
        }
        check_range("node_entry_bytes", self.node_entry_bytes, 1, 64)?;
        check_range("node_bytes", self.node_bytes, 0, 64)?;
        check_range("prefetch_threshold", self.prefetch_threshold, 0, 1 << 16)?;
        check_range("search_buckets", self.search_buckets, 0, 1 << 30)?;
        // What the journal may take depends on the drive.
        check_range("journal_bytes", self.journal_bytes, 0, 1 << 48)?;
        check_range("journal_entry_bytes", self.journal_entry_bytes, 1, 64)?;
        check_range("batch_entries", self.batch_entries, 0, 1 << 30)
    }
}
