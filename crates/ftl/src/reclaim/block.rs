//! Reclaim of the worn block alone: papers/003 §II-E, and the block management of papers/001, Figure 1.

use super::{Decision, ReadReclaim, WornBlock};
use crate::view::DriveView;

/// The worn block alone is emptied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockReclaim;

impl ReadReclaim for BlockReclaim {
    fn reclaim(&mut self, _worn: &WornBlock, _drive: &DriveView<'_>) -> Decision {
        Decision::Block
    }
}
