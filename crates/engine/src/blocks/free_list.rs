//! The erased superblocks of a domain.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::ids::SuperblockId;

/// Erased superblocks, the longest erased first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FreeList {
    oldest_first: VecDeque<SuperblockId>,
}

impl FreeList {
    /// Superblocks in it.
    #[inline]
    pub fn len(&self) -> u32 {
        self.oldest_first.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.oldest_first.is_empty()
    }

    /// Takes the one to be written next.
    pub fn take(&mut self) -> Option<SuperblockId> {
        self.oldest_first.pop_front()
    }

    /// Puts one back that was erased just now.
    pub fn put(&mut self, superblock: SuperblockId) {
        self.oldest_first.push_back(superblock);
    }
}
