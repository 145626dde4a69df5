//! How superblocks are reclaimed.

use serde::{Deserialize, Serialize};

/// How a superblock was reclaimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Routine {
    /// Every page kept its block.
    InPlace,
    /// Some blocks exchanged cards.
    Partial,
    /// All blocks did.
    Full,
    /// Pages went to blocks by their counts.
    Regrouped,
}
