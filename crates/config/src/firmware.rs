//! Controller CPU: how many cores, and what the firmware's work costs them.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};
use crate::left_out::is_default;

/// The controller's processor (`[device.cpu]`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuConfig {
    /// Cores that run firmware, 1 by default. They matter only where `scheme.firmware` names a cost.
    #[serde(default = "one_core")]
    pub cores: u32,
}

fn one_core() -> u32 {
    1
}

impl Default for CpuConfig {
    fn default() -> Self {
        Self { cores: one_core() }
    }
}

impl CpuConfig {
    /// Refuses what no controller has.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("cores", self.cores, 1, 256)
    }
}

/// What the firmware's work costs (`[scheme.firmware]`), ns on one core; all 0 by default: work that takes no time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirmwareConfig {
    /// Each read request, ns.
    #[serde(default)]
    pub read_request_ns: u64,
    /// Each write request, ns.
    #[serde(default)]
    pub write_request_ns: u64,
    /// Each TRIM request, ns.
    #[serde(default)]
    pub trim_request_ns: u64,
    /// Each flush request, ns.
    #[serde(default)]
    pub flush_request_ns: u64,
    /// Each mapping unit that is looked up for a read, or for a write of a part of it, ns.
    #[serde(default)]
    pub lookup_ns: u64,
    /// Each step of the search for a mapping unit among the cached entries of the map, whose number grows with the cache
    /// (`scheme.mapping.search_buckets`), for reads and writes, ns.
    #[serde(default, skip_serializing_if = "is_default")]
    pub search_step_ns: u64,
    /// Each mapping unit whose entry a write or a TRIM changes, ns.
    #[serde(default)]
    pub map_update_ns: u64,
    /// Each mapping unit that the drive moves of its own (garbage collection, plans), its lookup and map update included, ns.
    #[serde(default)]
    pub move_ns: u64,
    /// Each decision of a policy that takes firmware time: a victim chosen for collection, ns.
    #[serde(default)]
    pub decision_ns: u64,
    /// Each mapping unit to which read reclaim gives a place in another block of its superblock, beside `move_ns`, ns.
    #[serde(default)]
    pub shuffle_ns: u64,
}

/// Largest cost, ns: ten milliseconds. A TRIM of the largest drive at that cost for each unit is well below the end of
/// time.
const LARGEST_COST: u64 = 10_000_000;

impl FirmwareConfig {
    /// Refuses costs that no firmware has.
    pub fn validate(&self) -> Result<(), ConfigError> {
        for (key, cost) in [
            ("read_request_ns", self.read_request_ns),
            ("write_request_ns", self.write_request_ns),
            ("trim_request_ns", self.trim_request_ns),
            ("flush_request_ns", self.flush_request_ns),
            ("lookup_ns", self.lookup_ns),
            ("search_step_ns", self.search_step_ns),
            ("map_update_ns", self.map_update_ns),
            ("move_ns", self.move_ns),
            ("decision_ns", self.decision_ns),
            ("shuffle_ns", self.shuffle_ns),
        ] {
            check_range(key, cost, 0, LARGEST_COST)?;
        }
        Ok(())
    }
}
