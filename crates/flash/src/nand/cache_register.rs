//! Cache registers: with one, a die can have its array work for one command while the channel works for another.

use serde::{Deserialize, Serialize};

use super::die::Command;
use wordline_base::time::Ns;
use wordline_config::nand_modes::{CacheModeConfig, CacheReadOrder};

/// What the second of a die's two commands does. The first one, [`Die::command`](super::die::Die::command), is the
/// one that uses the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Aside {
    /// There is none.
    #[default]
    Nothing,
    /// A read whose data waits in the page register until the command of the next read has passed.
    Held,
    /// The array reads for it.
    Reading,
    /// The array has read for it; its data waits in the page register until the cache register is empty.
    Read,
    /// The array programs for it.
    Programming,
}

/// The second command of one die.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct CacheRegister {
    /// What it does.
    pub aside: Aside,
    /// The command.
    pub command: Command,
    /// When the array's work for it begins and ends.
    pub array: [Ns; 2],
    /// When the die's first command began to wait for this one.
    pub since: Ns,
}

/// The cache operations of a drive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CacheOperations {
    /// Whether reads overlap.
    pub read: bool,
    /// Whether programs overlap.
    pub program: bool,
    /// Whether a cache read must be of the next page of the block.
    pub sequential_reads: bool,
    /// Time from the page register to the cache register.
    pub read_busy: Ns,
    /// Time from the cache register to the page register.
    pub program_busy: Ns,
    /// By die; empty when neither overlaps.
    pub registers: Vec<CacheRegister>,
}

impl CacheOperations {
    /// From a validated description, for so many dies.
    pub fn new(config: &CacheModeConfig, dies: usize) -> Self {
        let on = config.read || config.program;
        Self {
            read: config.read,
            program: config.program,
            sequential_reads: config.read_order == CacheReadOrder::Sequential,
            read_busy: Ns(config.read_busy_ns),
            program_busy: Ns(config.program_busy_ns),
            registers: vec![CacheRegister::default(); if on { dies } else { 0 }],
        }
    }

    /// Whether any command may overlap another of its die.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.read || self.program
    }
}
