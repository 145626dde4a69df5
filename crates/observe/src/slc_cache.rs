//! The SLC cache: counters of the window, and their section of the report.

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;

/// What happened in the window, mapping units.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct SlcCacheCounters {
    /// Host writes placed in SLC mode.
    pub cached: u64,
    /// Host writes placed in native blocks.
    pub direct: u64,
    /// When the first of the latter was placed.
    pub first_direct: Option<Ns>,
    /// Units that were moved out of SLC blocks, whatever the cause.
    pub folded: u64,
    /// Superblocks that were folded, or erased since nothing valid was left.
    pub superblocks: u64,
}

/// The SLC cache in the window; sizes in mapping units of data, at its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SlcCacheReport {
    /// What the cache may hold now.
    pub size_units: u64,
    /// What it may always hold.
    pub min_units: u64,
    /// What it may hold at most.
    pub max_units: u64,
    /// What the blocks hold that are in SLC mode now, valid or not.
    pub used_units: u64,
    /// Valid units in them.
    pub valid_units: u64,
    /// Units of the host that were given a place in SLC mode.
    pub cached_units: u64,
    /// Units of the host that were given a place in a native block.
    pub direct_units: u64,
    /// Units moved out of SLC blocks, whatever the cause.
    pub folded_units: u64,
    /// Superblocks emptied by folding, and those erased since nothing in them was valid any more.
    pub folded_superblocks: u64,
    /// Time from the start of the window to the first unit that went directly; `None` if all went to the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_direct_ns: Option<u64>,
}
