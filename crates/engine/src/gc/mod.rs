//! Garbage collection: which superblock is emptied next, and how far the emptying of each domain has come.

pub mod collector;
pub mod greedy;

use crate::blocks::table::BlockView;
use crate::config::scheme::GcKind;
use crate::ids::SuperblockId;

pub use greedy::Greedy;

/// Chooses the superblock to collect.
///
/// A pure decision on the superblocks of one domain. It may choose only superblocks that are [`Full`] and returns
/// `None` when collecting none of them would free a page.
///
/// [`Full`]: crate::blocks::BlockState::Full
pub trait VictimPolicy {
    /// The next victim among these superblocks.
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId>;
}

/// The built-in policies, and a user's own.
pub enum GcPolicy {
    /// Fewest valid units.
    Greedy(Greedy),
    /// A user's own.
    Custom(Box<dyn VictimPolicy + Send>),
}

impl GcPolicy {
    /// The one that a scheme names.
    pub fn new(kind: GcKind) -> Self {
        match kind {
            GcKind::Greedy => Self::Greedy(Greedy),
        }
    }
}

impl VictimPolicy for GcPolicy {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        match self {
            Self::Greedy(policy) => policy.choose(blocks),
            Self::Custom(policy) => policy.choose(blocks),
        }
    }
}
