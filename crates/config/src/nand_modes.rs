//! What a flash die can do beside plain reads, programs and erases: SLC-mode blocks, cache operations, copyback.

use serde::{Deserialize, Serialize};

use super::cell::{CellTechnology, LONGEST_NS};
use super::error::{ConfigError, check_range};

/// Times of blocks that hold one bit in each cell though the cells could hold more. Such a block has
/// `geometry.pages` ÷ bits pages, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlcModeConfig {
    /// tR of a page in SLC mode, ns.
    pub read_ns: u64,
    /// tPROG of a page in SLC mode, ns.
    pub program_ns: u64,
    /// tERASE of a block in SLC mode, ns.
    pub erase_ns: u64,
}

/// Cache operations (ONFI 5.1, "Read Cache" and "Page Cache Program"): the array works on the next page while the
/// cache register's content is on the channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CacheModeConfig {
    /// Whether the array reads the next page while the data of the one before leaves.
    #[serde(default)]
    pub read: bool,
    /// Whether the data of the next page comes in while the array programs the one before.
    #[serde(default)]
    pub program: bool,
    /// Which read may follow which.
    #[serde(default)]
    pub read_order: CacheReadOrder,
    /// tRCBSY without the rest of the array's own read: data moves from the page register to the cache register, ns.
    #[serde(default)]
    pub read_busy_ns: u64,
    /// tCBSY without the rest of the program before: data moves from the cache register to the page register, ns.
    #[serde(default)]
    pub program_busy_ns: u64,
}

/// Which read may follow which as a cache read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheReadOrder {
    /// The next page of the same block ("Read Cache Sequential").
    #[default]
    Sequential,
    /// Any page of the die ("Read Cache Random").
    Random,
}

/// Copyback: a flash page moves inside a die, without its data on the channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CopybackConfig {
    /// Whether the die can.
    #[serde(default)]
    pub supported: bool,
    /// Whether source and destination must lie in one plane; otherwise in one die.
    #[serde(default = "default_same_plane")]
    pub same_plane_only: bool,
    /// Every so many copybacks of a die the data goes out to the controller and back, to be checked; 0: never.
    #[serde(default)]
    pub check_every: u32,
    /// What a copyback keeps other work from; so do the other commands that move pages, and the erases behind them.
    #[serde(default)]
    pub blocks: CopybackBlocks,
}

/// What a copyback keeps other work from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopybackBlocks {
    /// Its die.
    #[default]
    Die,
    /// Its plane: the die reads and programs on its other planes meanwhile ("plane-blocking GC": Yan et al., FAST 2017). Needs
    /// `same_plane_only`.
    Plane,
}

fn default_same_plane() -> bool {
    true
}

impl Default for CopybackConfig {
    fn default() -> Self {
        Self {
            supported: false,
            same_plane_only: default_same_plane(),
            check_every: 0,
            blocks: CopybackBlocks::Die,
        }
    }
}

impl SlcModeConfig {
    pub(super) fn validate(&self, technology: CellTechnology) -> Result<(), ConfigError> {
        if technology == CellTechnology::Slc {
            let allowed = "no such table with cell.technology = \"slc\": its cells hold one bit anyway";
            return Err(ConfigError::new("read_ns", self.read_ns, allowed));
        }
        check_range("read_ns", self.read_ns, 0, LONGEST_NS)?;
        check_range("program_ns", self.program_ns, 0, LONGEST_NS)?;
        check_range("erase_ns", self.erase_ns, 0, LONGEST_NS)
    }
}

impl CacheModeConfig {
    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        check_range("read_busy_ns", self.read_busy_ns, 0, LONGEST_NS)?;
        check_range("program_busy_ns", self.program_busy_ns, 0, LONGEST_NS)
    }
}
