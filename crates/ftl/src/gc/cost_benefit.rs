//! Cost-benefit collection: what is won, weighted by how long it is likely to stay won, for what it costs.
//!
//! A. Kawaguchi, S. Nishioka, H. Motoda, "A flash-memory based file system", USENIX 1995 technical conference: age ×
//! (1 − u) / 2u; after M. Rosenblum and J. Ousterhout, "The design and implementation of a log-structured file
//! system", ACM Transactions on Computer Systems 10(1), 1992: (1 − u) × age / (1 + u).

use super::VictimPolicy;
use crate::blocks::Needs;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;

/// The largest age × (1 − u) / 2u, where u is the share of valid units: they are read and programmed, 2u, to win 1 − u.
/// The lowest number among equals.
///
/// The age counts the units that the host wrote since the superblock changed last, and 1.
#[derive(Clone, Copy, Debug)]
pub struct CostBenefit;

impl VictimPolicy for CostBenefit {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let mut best: Option<(f64, usize)> = None;
        for (index, (&valid, &changed)) in blocks.valid.iter().zip(blocks.changed).enumerate() {
            if valid > blocks.most_valid {
                continue;
            }
            let age = blocks.clock.saturating_sub(changed) + 1;
            // An empty superblock costs nothing: its ratio is infinite. The factor ½ changes no order.
            let ratio = age as f64 * f64::from(blocks.capacity - valid) / f64::from(valid);
            if best.is_none_or(|(largest, _)| ratio > largest) {
                best = Some((ratio, index));
            }
        }
        best.map(|(_, index)| SuperblockId(blocks.first.0 + index as u32))
    }

    fn needs(&self) -> Needs {
        Needs { last_change: true, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockState;
    use crate::gc::sketch::{CAPACITY, Sketch};

    fn aged(valid: &[u32], ages: &[u64]) -> Sketch {
        let changed = ages.iter().map(|age| 1001 - age).collect();
        Sketch { changed, clock: 1000, ..Sketch::full(valid) }
    }

    #[test]
    fn the_largest_ratio_of_benefit_to_cost_wins() {
        // age × (8 − v) / v: 10 × 1 = 10 against 31 × 1/3 = 10.3, then against 29 × 1/3 = 9.7.
        assert_eq!(aged(&[4, 6], &[10, 31]).chosen_by(&mut CostBenefit), Some(1));
        assert_eq!(aged(&[4, 6], &[10, 29]).chosen_by(&mut CostBenefit), Some(0));
        assert_eq!(aged(&[4, 6], &[10, 30]).chosen_by(&mut CostBenefit), Some(0), "the first of equals");
    }

    #[test]
    fn among_equally_old_ones_it_is_greedy_and_an_empty_one_is_taken_at_once() {
        assert_eq!(aged(&[4, 2, 3], &[9, 9, 9]).chosen_by(&mut CostBenefit), Some(1));
        assert_eq!(aged(&[1, 0, 7], &[900, 1, 900]).chosen_by(&mut CostBenefit), Some(1));
    }

    #[test]
    fn only_full_superblocks_with_something_to_win_are_chosen() {
        let domain = aged(&[CAPACITY, 7, 0], &[1000, 1, 1000]).but(2, BlockState::Collecting);
        assert_eq!(domain.chosen_by(&mut CostBenefit), Some(1));
        assert_eq!(aged(&[CAPACITY; 2], &[5, 6]).chosen_by(&mut CostBenefit), None);
        assert_eq!(Sketch::default().chosen_by(&mut CostBenefit), None);
    }
}
