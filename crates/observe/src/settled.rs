//! How a drive came to the state in which its first request found it.

use serde::{Deserialize, Serialize};

/// How the drive came to its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Whether its pages lie by the formula of the steady state, before what was overwritten.
    pub formula: bool,
    /// Mapping units that this formula has side by side, as one request writes them; 0 without it.
    pub units_together: u32,
    /// Write amplification of each window of overwrites without simulated time; each window writes a quarter of what the
    /// drive holds.
    pub waf_of_windows: Vec<f64>,
    /// Flash pages on which each unit that a window overwrote had lain: those that reads of what is written have to read.
    pub pages_of_windows: Vec<f64>,
    /// Whether neither has a trend any more, or no windows were needed.
    pub agrees: bool,
    /// Mapping units that the SLC cache took before, whether they are valid still or not; 0 where it began empty.
    pub slc_cache_units: u64,
    /// Pages that were looked up in the cache of the map, or changed there, before; 0 where it began empty.
    pub map_accesses: u64,
}
