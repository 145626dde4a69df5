//! Redundancy inside the drive: parity over the dies of a superblock.

use serde::{Deserialize, Serialize};

use super::error::{ConfigError, check_range};

/// Parity inside the drive (`[scheme.redundancy]`); none by default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RedundancyConfig {
    /// What is redundant.
    #[serde(default)]
    pub policy: RedundancyKind,
    /// Which reads are rebuilt from the others of their stripe instead of waiting.
    #[serde(default)]
    pub when: RebuildWhen,
    /// Joining the pages of a stripe, ns; 0 to 10^9, default 0.
    #[serde(default)]
    pub xor_ns: u64,
}

/// What is redundant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RedundancyKind {
    /// Nothing.
    #[default]
    None,
    /// One die of each row of a superblock holds the parity of the others, another die in each row. Needs superblocks
    /// over at least 3 dies.
    ParityRows,
    /// As many logical pages as there are channels but one have a parity page, each on a channel of its own at the same place of it
    /// (Yan et al., FAST 2017). Needs at least 3 channels, and static placement with the channel as its fastest level.
    ParityPages,
}

/// Which reads are rebuilt instead of waiting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RebuildWhen {
    /// Those whose die programs or erases for garbage collection (Yan et al., FAST 2017).
    #[default]
    GcOnly,
    /// Those whose die programs or erases, whatever the cause.
    AnyWait,
}

impl RedundancyConfig {
    /// Whether there is parity.
    pub fn is_on(&self) -> bool {
        self.policy != RedundancyKind::None
    }

    /// Whether rows of superblocks have parity.
    pub fn in_rows(&self) -> bool {
        self.policy == RedundancyKind::ParityRows
    }

    /// Whether stripes of logical pages have parity.
    pub fn in_pages(&self) -> bool {
        self.policy == RedundancyKind::ParityPages
    }

    /// Its name, as a scheme has it.
    pub fn name(&self) -> &'static str {
        match self.policy {
            RedundancyKind::None => "none",
            RedundancyKind::ParityRows => "parity_rows",
            RedundancyKind::ParityPages => "parity_pages",
        }
    }

    /// Refuses what can't be. Paths in errors are relative to `[redundancy]`.
    pub fn validate(&self) -> Result<(), ConfigError> {
        check_range("xor_ns", self.xor_ns, 0, 1_000_000_000)
    }

    /// Planes of a superblock of `width` planes that hold data, by row.
    pub fn data_planes(&self, width: u32, planes_per_die: u32) -> Result<u32, ConfigError> {
        if !self.in_rows() {
            return Ok(width);
        }
        let dies = width / planes_per_die.max(1);
        if dies < 3 {
            let allowed = format!(
                "\"none\", or superblocks over at least 3 dies (scheme.blocks.superblock); these lie on {}",
                dies.max(1)
            );
            return Err(ConfigError::new("scheme.redundancy.policy", "parity_rows", allowed));
        }
        Ok(width - planes_per_die)
    }
}
