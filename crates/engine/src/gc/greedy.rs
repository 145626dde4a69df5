//! Greedy collection: the superblock with the fewest valid units, the lowest number among equals.

use super::VictimPolicy;
use crate::blocks::table::BlockView;
use crate::ids::SuperblockId;

/// Fewest valid units first.
pub struct Greedy;

impl VictimPolicy for Greedy {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        // Scanning one flat array costs less than keeping buckets sorted on every write.
        let fewest = blocks.valid.iter().map(|&valid| valid as i32).min()? as u32;
        if fewest >= blocks.capacity {
            return None;
        }
        let index = blocks.valid.iter().position(|&valid| valid == fewest)?;
        Some(SuperblockId(blocks.first.0 + index as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::blocks::table::{BlockState, NOT_A_CANDIDATE};

    fn choose(valid: &[u32], state: &[BlockState]) -> Option<u32> {
        let flag = |&state: &BlockState| if state == BlockState::Full { 0 } else { NOT_A_CANDIDATE };
        let valid: Vec<u32> =
            valid.iter().zip(state.iter().map(flag)).map(|(valid, flag)| valid | flag).collect();
        let view = BlockView { first: SuperblockId(100), valid: &valid, state, erases: &[0; 8], capacity: 8 };
        Greedy.choose(&view).map(|superblock| superblock.0)
    }

    #[test]
    fn the_full_block_with_the_fewest_valid_units_goes_first() {
        use BlockState::{Closing, Collecting, Free, Full, Open};
        assert_eq!(
            choose(&[5, 3, 3, 0, 0, 1, 2], &[Full, Full, Full, Free, Open, Collecting, Closing]),
            Some(101)
        );
    }

    #[test]
    fn nothing_is_chosen_when_nothing_would_be_won() {
        assert_eq!(choose(&[8, 8, 0], &[BlockState::Full, BlockState::Full, BlockState::Free]), None);
        assert_eq!(choose(&[], &[]), None);
    }
}
