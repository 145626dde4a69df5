//! Redundancy: stripes of data and parity, and reads that are rebuilt from the rest of their stripe instead of waiting.

pub mod page_stripes;
pub mod parity_rows;
pub mod rows;

use wordline_base::class::Class;
use wordline_base::ids::{DieId, Ppa};
use wordline_base::policies;
use wordline_config::redundancy::RedundancyConfig;

pub use page_stripes::PageStripes;
pub use parity_rows::ParityRows;
pub use rows::Rows;

/// A read of the host that would wait, because its die programs or erases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockedRead {
    /// The page.
    pub ppa: Ppa,
    /// Its die.
    pub die: DieId,
    /// What the die does.
    pub running: Class,
    /// Other dies of the stripe that hold something of the row.
    pub sources: u32,
    /// How many of those program or erase themselves.
    pub busy_sources: u32,
    /// Flash pages that wait or run on the other dies of the stripe, on the one that has most.
    pub most_outstanding: u32,
}

/// What becomes of a read that would wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It waits.
    Wait,
    /// The engine reads the other pages of the stripe and joins them.
    Reconstruct,
}

/// Decides about reads that would wait. Asked only where the stripe is complete, all of it programmed, parity included.
pub trait Redundancy {
    /// Whether to wait or to rebuild.
    fn blocked(&self, read: &BlockedRead) -> Decision;

    wordline_base::state_methods!(Redundancy);
}

/// The built-in policies, and a user's own.
pub enum RedundancyPolicy {
    /// Rotating parity over the rows of superblocks.
    ParityRows(ParityRows),
    /// A user's own decision over the same stripes.
    Custom(Box<dyn Redundancy + Send>),
}

impl RedundancyPolicy {
    /// The one that a scheme names; `None` without parity in rows.
    pub fn new(config: &RedundancyConfig) -> Option<Self> {
        config.in_rows().then(|| Self::ParityRows(ParityRows::new(config.when)))
    }
}

impl Redundancy for RedundancyPolicy {
    fn blocked(&self, read: &BlockedRead) -> Decision {
        match self {
            Self::ParityRows(policy) => policy.blocked(read),
            Self::Custom(policy) => policy.blocked(read),
        }
    }
}

policies!(RedundancyPolicy, "redundancy", rebuilt: [ParityRows], stored: []);
