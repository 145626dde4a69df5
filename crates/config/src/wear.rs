//! Wear levelling: which erased block is written next, and when blocks with cold data are emptied to be worn as well.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Wear levelling (`[scheme.wear]`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WearConfig {
    /// Dynamic wear levelling: which of the erased superblocks of a domain is opened next.
    #[serde(default)]
    pub free_block: FreeBlock,
    /// Static wear levelling: a domain's largest erase count may exceed that of a full superblock by so many, or a cold
    /// one of those is emptied; 1 to 10^6; left out: never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_spread: Option<u32>,
    /// Erases of a domain from one static move to the next, at least; 1 to 10^6, default 16.
    #[serde(default = "default_interval")]
    pub static_interval: u32,
}

impl Default for WearConfig {
    fn default() -> Self {
        Self { free_block: FreeBlock::default(), static_spread: None, static_interval: default_interval() }
    }
}

fn default_interval() -> u32 {
    16
}

/// Which of the erased superblocks of a domain is opened next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreeBlock {
    /// The one that was erased longest ago.
    #[default]
    Oldest,
    /// The one with the fewest erases, the longest erased of equals.
    LeastWorn,
}

impl WearConfig {
    /// Refuses what makes no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        if let Some(spread) = self.static_spread {
            check_range("static_spread", spread, 1, 1_000_000)?;
        }
        check_range("static_interval", self.static_interval, 1, 1_000_000)
    }
}
