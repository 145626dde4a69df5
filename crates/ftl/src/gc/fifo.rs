//! First in, first out: the superblock that became full longest ago, as in a log that is written round and round.
//!
//! J. Menon, "A performance comparison of RAID-5 and log-structured arrays", HPDC 1995; P. Desnoyers, "Analytic models
//! of SSD write performance", ACM Transactions on Storage 10(2), 2014 (there called LRU).

use super::VictimPolicy;
use crate::blocks::Needs;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;

/// The longest full, of those from which something is to be won.
#[derive(Clone, Copy, Debug)]
pub struct Fifo;

impl VictimPolicy for Fifo {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let wins = |index: &&u32| blocks.valid[**index as usize] <= blocks.most_valid;
        blocks.full_order.iter().find(wins).map(|index| SuperblockId(blocks.first.0 + index))
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
    fn the_longest_full_goes_first_however_much_of_it_is_valid() {
        let mut domain = Sketch::full(&[0, 7, 1, 2]);
        domain.full_order = vec![1, 3, 0, 2];
        assert_eq!(domain.chosen_by(&mut Fifo), Some(1));
    }

    #[test]
    fn what_is_entirely_valid_is_passed_over() {
        let mut domain = Sketch::full(&[CAPACITY, 3, CAPACITY, 7]);
        domain.full_order = vec![2, 0, 3, 1];
        assert_eq!(domain.chosen_by(&mut Fifo), Some(3));
        assert_eq!(Sketch::full(&[CAPACITY; 3]).chosen_by(&mut Fifo), None);
        assert_eq!(Sketch::default().chosen_by(&mut Fifo), None);
    }
}
