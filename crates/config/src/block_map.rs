//! Maps of blocks with log blocks: block map, BAST and FAST.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// A map of logical blocks, whose changed pages lie in log blocks (`[scheme.block_map]`); off by default. `docs/mapping.md` has
/// the rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockMapConfig {
    /// How changes are kept until a logical block is put together again; default `off`.
    #[serde(default)]
    pub policy: BlockMapKind,
    /// Log blocks of each domain (plane, where superblocks are off); 1 to 2^16, with `fast` from 2 on, and as far as the spare
    /// space goes. Default 8. With `block`: logical blocks that are being replaced at the same time.
    #[serde(default = "default_log_blocks")]
    pub log_blocks: u32,
}

/// How changes are kept until a logical block is put together again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockMapKind {
    /// A map of pages.
    #[default]
    Off,
    /// Not at all: a change begins a new block, into which what is not changed is copied.
    Block,
    /// In a log block for each logical block that changes (Kim, Kim, Noh, Min, Cho 2002).
    Bast,
    /// In one log block for what is written from the beginning of a logical block on, and in others shared by all (Lee, Park,
    /// Chung, Lee, Park, Song 2007).
    Fast,
}

impl BlockMapKind {
    /// Every one that maps blocks.
    pub const ALL: [Self; 3] = [Self::Block, Self::Bast, Self::Fast];
}

impl Default for BlockMapConfig {
    fn default() -> Self {
        Self { policy: BlockMapKind::default(), log_blocks: default_log_blocks() }
    }
}

fn default_log_blocks() -> u32 {
    8
}

impl BlockMapConfig {
    /// Whether blocks are mapped.
    pub fn is_on(&self) -> bool {
        self.policy != BlockMapKind::Off
    }

    /// Refuses what can't be. Paths in errors are relative to `[block_map]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let least = if self.policy == BlockMapKind::Fast { 2 } else { 1 };
        check_range("log_blocks", self.log_blocks, least, 1 << 16)
    }
}
