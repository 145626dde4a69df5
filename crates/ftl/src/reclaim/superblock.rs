//! Reclaim of whole superblocks: the baseline of papers/001 §4.1, whatever the reads of the other blocks are.

use super::{Decision, ReadReclaim, WornBlock};
use crate::view::DriveView;

/// The worn block's superblock is emptied and erased.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockReclaim;

impl ReadReclaim for SuperblockReclaim {
    fn reclaim(&mut self, _worn: &WornBlock, _drive: &DriveView<'_>) -> Decision {
        Decision::Superblock
    }
}
