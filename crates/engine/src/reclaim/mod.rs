//! Read reclaim: what is emptied when a block was read too often since its erase.
//!
//! The engine counts the array reads of every block. When one reaches the threshold, the systems of the scheme are asked
//! for a plan of their own ([`crate::systems::System::reclaim`]); without one the policy of this slot decides.

mod block;
pub mod mover;
mod superblock;

use crate::config::reclaim::{ReclaimConfig, ReclaimKind};
use crate::ids::{PlaneId, Ppa, SuperblockId};
use crate::systems::{DriveView, Plan};

pub use block::BlockReclaim;
pub use superblock::SuperblockReclaim;

/// A block that was read too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WornBlock {
    /// The superblock that it belongs to; full.
    pub superblock: SuperblockId,
    /// Its plane.
    pub plane: PlaneId,
    /// Its number in the plane.
    pub block: u32,
    /// The unit that was read last.
    pub ppa: Ppa,
    /// Array reads since its erase.
    pub reads: u32,
}

/// What is done about a worn block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing now. The question comes again with its next read.
    Leave,
    /// Its valid pages go elsewhere. Where blocks are the unit it is erased then; in a superblock it stays as it is until
    /// the superblock is erased, since the blocks of a superblock share one state (papers/001 §2.1).
    Block,
    /// Its superblock moves to a fresh one, page by page in place, and is erased.
    Superblock,
    /// These pages are moved; the plan's cause should be [`crate::sched::class::Cause::ReadReclaim`].
    Plan(Plan),
}

/// Decides what is done about a worn block.
///
/// A decision on a read-only view of the drive. It is asked once for a block, and again if its plan left valid pages in
/// it, or when it said [`Decision::Leave`].
pub trait ReadReclaim {
    /// A full superblock holds this block.
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision;

    /// Its state as bytes, for snapshots. One that keeps something beside its parameters must give it.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes up a state that [`Self::save`] gave; a text that says what is wrong with it otherwise.
    fn restore(&mut self, _state: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// A second one in the same state, which goes its own way; `None` if it can't be had: then the drive can't be forked.
    fn fork(&self) -> Option<Box<dyn ReadReclaim + Send>> {
        None
    }
}

/// The built-in policies, and a user's own.
#[derive(Default)]
pub enum ReclaimPolicy {
    /// Nothing is reclaimed.
    #[default]
    None,
    /// The block alone.
    Block(BlockReclaim),
    /// The superblock.
    Superblock(SuperblockReclaim),
    /// A user's own.
    Custom(Box<dyn ReadReclaim + Send>),
}

impl ReclaimPolicy {
    /// The one that a scheme names.
    pub fn new(config: &ReclaimConfig) -> Self {
        match config.policy {
            ReclaimKind::None => Self::None,
            ReclaimKind::Block => Self::Block(BlockReclaim),
            ReclaimKind::Superblock => Self::Superblock(SuperblockReclaim),
        }
    }
}

impl ReadReclaim for ReclaimPolicy {
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision {
        match self {
            Self::None => Decision::Leave,
            Self::Block(policy) => policy.reclaim(worn, drive),
            Self::Superblock(policy) => policy.reclaim(worn, drive),
            Self::Custom(policy) => policy.reclaim(worn, drive),
        }
    }
}

crate::snapshot::policies::policies!(ReclaimPolicy, "policy of read reclaim",
    none: [None], rebuilt: [Block, Superblock], stored: []);
