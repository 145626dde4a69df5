//! Read reclaim: when a block was read too often since its erase, and what is done about it.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Read reclaim (`[scheme.reclaim]`). Any policy but `none` switches the counting of reads by block on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReclaimConfig {
    /// What is emptied when a block was read too often. A system of the scheme may answer with a plan of its own.
    #[serde(default)]
    pub policy: ReclaimKind,
    /// Array reads of a block since its erase at which it is to be reclaimed; 1 to 2^31, default 10,000 (papers/001,
    /// Table 1; papers/003, Table 1 has 1,024).
    #[serde(default = "default_threshold")]
    pub threshold: u32,
    /// Reads of a block at which its reclaim goes before all else; `threshold` to 2^31; left out: twice the threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hard_limit: Option<u32>,
    /// How reclaim goes with the host's commands until the hard limit.
    #[serde(default)]
    pub priority: ReclaimPriority,
    /// What becomes of the places of invalid pages when a superblock moves to a fresh one.
    #[serde(default)]
    pub holes: Holes,
}

impl Default for ReclaimConfig {
    fn default() -> Self {
        Self {
            policy: ReclaimKind::default(),
            threshold: default_threshold(),
            hard_limit: None,
            priority: ReclaimPriority::default(),
            holes: Holes::default(),
        }
    }
}

fn default_threshold() -> u32 {
    10_000
}

/// What is emptied when a block was read too often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReclaimKind {
    /// Nothing: read disturb goes on.
    #[default]
    None,
    /// The block alone. In a superblock its valid pages leave, and it is erased with the superblock later.
    Block,
    /// The superblock of the block (papers/001 §2.1).
    Superblock,
}

/// How the commands of read reclaim go with those of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReclaimPriority {
    /// Before every other command.
    Foreground,
    /// In order of arrival with the reads of the host.
    #[default]
    Equal,
    /// When nothing else waits; before every other command once the hard limit is passed.
    Background,
}

/// What becomes of the places of invalid pages when a superblock moves to a fresh one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holes {
    /// They stay unused until the next erase: a page keeps its offset, and what lay in one superpage still does.
    #[default]
    Keep,
    /// In each block the valid pages follow one another; pages of one superpage part.
    Close,
}

impl ReclaimConfig {
    /// Whether anything is ever reclaimed.
    pub fn is_on(&self) -> bool {
        self.policy != ReclaimKind::None
    }

    /// Reads at which reclaim goes before all else.
    pub fn hard_limit(&self) -> u32 {
        self.hard_limit.unwrap_or(self.threshold.saturating_mul(2))
    }

    /// Refuses thresholds that make no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("threshold", self.threshold, 1, 1 << 31)?;
        match self.hard_limit {
            Some(limit) => check_range("hard_limit", limit, self.threshold, 1 << 31),
            None => Ok(()),
        }
    }
}
