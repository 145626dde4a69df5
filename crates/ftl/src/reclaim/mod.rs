//! Read reclaim: what is emptied when a block was read too often since its erase.
//!
//! The engine counts the array reads of every block. When one reaches the threshold, the systems of the scheme are asked
//! for a plan of their own; without one the policy of this slot decides.

mod block;
pub mod mover;
mod record;
mod routine;
mod superblock;

use crate::plan::Plan;
use crate::view::DriveView;
use mover::Order;
use wordline_base::ids::{Lpa, SuperblockId};

pub use crate::events::WornBlock;
pub use block::BlockReclaim;
pub use record::ReclaimRecord;
pub use routine::Routine;
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
