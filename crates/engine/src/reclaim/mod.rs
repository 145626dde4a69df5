//! Read reclaim: what is emptied when a block was read too often since its erase.
//!
//! The engine counts the array reads of every block. When one reaches the threshold, the systems of the scheme are asked
//! for a plan of their own ([`crate::systems::System::reclaim`]); without one the policy of this slot decides.

mod block;
mod evened;
pub mod mover;
mod page_counters;
mod shuffler;
mod superblock;

use wordline_config::reclaim::{ReclaimConfig, ReclaimKind};

use crate::nand::Geometry;
use crate::systems::{DriveView, Plan};
use mover::Order;
use wordline_base::ids::{Lpa, SuperblockId};

pub use crate::stats::reclaim::Routine;
pub use crate::systems::WornBlock;
pub use block::BlockReclaim;
pub use page_counters::PageCounters;
pub use shuffler::Shuffler;
pub use superblock::SuperblockReclaim;

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
    /// The same, in another order.
    Rearranged(Routine, Order),
    /// These pages are moved; the plan's cause should be [`wordline_base::class::Cause::ReadReclaim`].
    Plan(Plan),
}

/// Array reads of the blocks of a superblock since its erase, in the order of its planes.
pub fn reads_by_block(drive: &DriveView<'_>, superblock: SuperblockId) -> Vec<u32> {
    let (domain, block) = drive.split(superblock);
    drive.planes(domain).iter().map(|&plane| drive.block_reads(plane, block)).collect()
}

/// Decides what is done about a worn block.
///
/// A decision on a read-only view of the drive. It is asked once for a block, and again if its plan left valid pages in
/// it, or when it said [`Decision::Leave`].
pub trait ReadReclaim {
    /// A full superblock holds this block.
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision;

    /// Whether it wants to be told of the host's reads of logical pages at the flash; asked once.
    fn counts_pages(&self) -> bool {
        false
    }

    /// The host read this page from the flash.
    fn page_read(&mut self, _lpa: Lpa) {}

    /// Bytes of controller memory that its counters take; asked once, before the data cache gets the rest.
    fn bytes(&self) -> u64 {
        0
    }

    wordline_base::state_methods!(ReadReclaim);
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
    /// The superblock, its blocks exchanging cards.
    Shuffler(Box<Shuffler>),
    /// The superblock, its pages regrouped by their counts.
    Page(PageCounters),
    /// A user's own.
    Custom(Box<dyn ReadReclaim + Send>),
}

impl ReclaimPolicy {
    /// What the random stream of the policy gives next; `None` where it has none.
    pub fn next_drawn(&self) -> Option<u64> {
        match self {
            Self::Shuffler(policy) => Some(policy.next_drawn()),
            Self::Page(policy) => policy.next_drawn(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Custom(_) => None,
        }
    }

    /// The one that a scheme names, for a drive with so many logical pages in a run with this seed.
    pub fn new(config: &ReclaimConfig, geometry: &Geometry, logical_units: u32, seed: u64) -> Self {
        match config.policy {
            ReclaimKind::None => Self::None,
            ReclaimKind::Block => Self::Block(BlockReclaim),
            ReclaimKind::Superblock => Self::Superblock(SuperblockReclaim),
            ReclaimKind::Shuffler => Self::Shuffler(Box::new(Shuffler::new(config.shuffle, seed))),
            ReclaimKind::Page => Self::Page(PageCounters::new(config.pages, geometry, logical_units, seed)),
        }
    }
}

impl ReadReclaim for ReclaimPolicy {
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision {
        match self {
            Self::None => Decision::Leave,
            Self::Block(policy) => policy.reclaim(worn, drive),
            Self::Superblock(policy) => policy.reclaim(worn, drive),
            Self::Shuffler(policy) => policy.reclaim(worn, drive),
            Self::Page(policy) => policy.reclaim(worn, drive),
            Self::Custom(policy) => policy.reclaim(worn, drive),
        }
    }

    fn counts_pages(&self) -> bool {
        match self {
            Self::Page(policy) => policy.counts_pages(),
            Self::Custom(policy) => policy.counts_pages(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => false,
        }
    }

    #[inline]
    fn page_read(&mut self, lpa: Lpa) {
        match self {
            Self::Page(policy) => policy.page_read(lpa),
            Self::Custom(policy) => policy.page_read(lpa),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => {}
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Self::Page(policy) => policy.bytes(),
            Self::Custom(policy) => policy.bytes(),
            Self::None | Self::Block(_) | Self::Superblock(_) | Self::Shuffler(_) => 0,
        }
    }
}

wordline_base::policies!(ReclaimPolicy, "policy of read reclaim",
    none: [None], rebuilt: [Block, Superblock], stored: [Shuffler, Page]);
