//! Separation of writes: which of the host's write points takes a page.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Separation of writes (`[scheme.separation]`) over the `scheme.blocks.host_write_points` write points of a domain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeparationConfig {
    /// What decides the write point.
    #[serde(default)]
    pub policy: SeparationKind,
    /// `hot_cold`: page writes after which the oldest of its filters is emptied; 0 = a quarter of the drive's pages.
    #[serde(default)]
    pub decay_writes: u32,
    /// `hot_cold`: bits of each filter, rounded up to a power of two; 0 = sixteen for each of `decay_writes`.
    #[serde(default)]
    pub filter_bits: u32,
    /// Whether pages that are hot keep apart when garbage collection moves them, too: one more write point in each domain.
    #[serde(default)]
    pub separate_hot_moves: bool,
    /// `hot_cold`: a page whose hotness (0 to 10, half points of the paper's 0 to 5) reaches this is hot; default 8.
    #[serde(default = "default_hot")]
    pub hot_at: u32,
}

impl Default for SeparationConfig {
    fn default() -> Self {
        Self {
            policy: SeparationKind::default(),
            decay_writes: 0,
            filter_bits: 0,
            separate_hot_moves: false,
            hot_at: default_hot(),
        }
    }
}

fn default_hot() -> u32 {
    8
}

/// What decides the write point of a page that the host writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeparationKind {
    /// Nothing: the first takes all.
    None,
    /// The stream of the request: with two or more write points the drive offers as many.
    #[default]
    Stream,
    /// How often and how lately the page was written: multiple Bloom filters (Park and Du 2011). The first write point
    /// takes cold pages, the second hot ones.
    HotCold,
}

impl SeparationConfig {
    /// Refuses what makes no sense with so many write points of the host.
    pub fn validate(&self, host_write_points: u32) -> Result<(), ConfigError> {
        if self.policy == SeparationKind::HotCold && host_write_points < 2 {
            return Err(ConfigError::new(
                "policy",
                "hot_cold",
                "hot_cold with at least 2 scheme.blocks.host_write_points",
            ));
        }
        check_range("decay_writes", self.decay_writes, 0, 1 << 31)?;
        check_range("filter_bits", self.filter_bits, 0, 1 << 31)?;
        check_range("hot_at", self.hot_at, 1, 10)
    }
}
