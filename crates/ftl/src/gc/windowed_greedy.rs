//! Windowed greedy: the superblock with the fewest valid units of those that became full longest ago.
//!
//! X. Hu, E. Eleftheriou, R. Haas, I. Iliadis, R. Pletka, "Write amplification analysis in flash-based solid state
//! drives", SYSTOR 2009.

use super::VictimPolicy;
use crate::blocks::Needs;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;

/// The fewest valid units of the `window` longest full from which something is to be won; the longest full of equals.
///
/// With a window of one this is FIFO, with one of all superblocks greedy.
#[derive(Clone, Copy, Debug)]
pub struct WindowedGreedy {
    /// Superblocks.
    pub window: u32,
}

impl VictimPolicy for WindowedGreedy {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let valid = |index: &&u32| blocks.valid[**index as usize];
        let oldest = blocks.full_order.iter().filter(|index| valid(index) <= blocks.most_valid);
        let fewest = oldest.take(self.window as usize).min_by_key(valid);
        fewest.map(|index| SuperblockId(blocks.first.0 + index))
    }

    fn needs(&self) -> Needs {
        Needs { full_order: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gc::sketch::{CAPACITY, Sketch};

    #[test]
    fn the_fewest_valid_units_within_the_window_win() {
        let mut domain = Sketch::full(&[0, 7, 4, 2, 4]);
        domain.full_order = vec![1, 4, 2, 3, 0];
        let chosen: Vec<_> =
            (1..=6).filter_map(|window| domain.chosen_by(&mut WindowedGreedy { window })).collect();
        assert_eq!(chosen, [1, 4, 4, 3, 0, 0]);
    }

    #[test]
    fn what_is_entirely_valid_takes_no_place_in_the_window() {
        let mut domain = Sketch::full(&[5, CAPACITY, CAPACITY, 3]);
        domain.full_order = vec![2, 1, 0, 3];
        assert_eq!(domain.chosen_by(&mut WindowedGreedy { window: 1 }), Some(0));
        assert_eq!(domain.chosen_by(&mut WindowedGreedy { window: 2 }), Some(3));
        assert_eq!(Sketch::full(&[CAPACITY; 3]).chosen_by(&mut WindowedGreedy { window: 3 }), None);
    }
}
