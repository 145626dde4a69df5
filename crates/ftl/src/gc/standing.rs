//! A choice by chance stands until it is carried out.
//!
//! The engine asks for a victim as soon as it needs one, and again later when there is no room for its pages yet. Room is
//! short for superblocks with many valid units, so that one who draws anew each time favours the others: at 7%
//! over-provisioning the write amplification of random collection came out 9% too low.

use serde::{Deserialize, Serialize};

use crate::blocks::table::BlockView;

/// The last choice in each domain.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Standing {
    /// Index of the superblock and its erase count at that time.
    last: Vec<Option<(u32, u32)>>,
}

impl Standing {
    fn domain(blocks: &BlockView<'_>) -> usize {
        blocks.first.index() / blocks.valid.len().max(1)
    }

    /// The last choice, if it waits to be carried out.
    pub fn of(&self, blocks: &BlockView<'_>) -> Option<usize> {
        let (index, erases) = (*self.last.get(Self::domain(blocks))?)?;
        let index = index as usize;
        (blocks.valid[index] <= blocks.most_valid && blocks.erases[index] == erases).then_some(index)
    }

    /// This one is chosen.
    pub fn set(&mut self, blocks: &BlockView<'_>, index: usize) {
        let domain = Self::domain(blocks);
        if self.last.len() <= domain {
            self.last.resize(domain + 1, None);
        }
        self.last[domain] = Some((index as u32, blocks.erases[index]));
    }
}
