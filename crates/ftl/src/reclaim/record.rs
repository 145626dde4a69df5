//! What is told of a reclaim when it is decided.

use serde::{Deserialize, Serialize};

use super::Routine;

/// One reclaim of a superblock (a block, where there are none), as it was decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReclaimRecord {
    /// When, ns since the start of the run.
    pub time_ns: u64,
    /// Its number.
    pub superblock: u32,
    /// How often this data has been reclaimed before, from superblock to superblock.
    pub round: u32,
    /// Array reads of each of its blocks since their erase.
    pub reads: Vec<u32>,
    /// Which pages went to other blocks.
    pub routine: Routine,
    /// Mapping units that were valid.
    pub moved: u32,
    /// Those that were not.
    pub holes: u32,
}
