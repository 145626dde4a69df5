//! Greedy collection: the superblock with the fewest valid units, the lowest number among equals.

use super::VictimPolicy;
use crate::blocks::table::BlockView;
use crate::ids::SuperblockId;

/// Fewest valid units first.
#[derive(Clone, Copy, Debug)]
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
    use crate::blocks::BlockState::{Closing, Collecting, Free, Open};
    use crate::gc::sketch::{CAPACITY, Sketch};

    #[test]
    fn the_full_block_with_the_fewest_valid_units_goes_first() {
        let domain = Sketch::full(&[5, 3, 3, 0, 0, 1, 2]);
        let domain = domain.but(3, Free).but(4, Open).but(5, Collecting).but(6, Closing);
        assert_eq!(domain.chosen_by(&mut Greedy), Some(1));
    }

    #[test]
    fn nothing_is_chosen_when_nothing_would_be_won() {
        assert_eq!(Sketch::full(&[CAPACITY, CAPACITY, 0]).but(2, Free).chosen_by(&mut Greedy), None);
        assert_eq!(Sketch::default().chosen_by(&mut Greedy), None);
    }
}
