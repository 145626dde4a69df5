//! How a drive came to the state in which its first request found it.

use serde::{Deserialize, Serialize};

/// How the drive came to its start.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Whether its pages lie by the formula of the steady state, before what was overwritten.
    pub formula: bool,
    /// Write amplification of each window of overwrites without simulated time; each window writes a quarter of what the
    /// drive holds.
    pub waf_of_windows: Vec<f64>,
    /// Whether the last of them agree, or none were needed.
    pub agrees: bool,
    /// Mapping units that the SLC cache took before, whether they are valid still or not; 0 where it began empty.
    pub slc_cache_units: u64,
    /// Pages that were looked up in the cache of the map, or changed there, before; 0 where it began empty.
    pub map_accesses: u64,
}
