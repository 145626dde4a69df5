//! Random collection: any superblock, each with the same chance.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::VictimPolicy;
use super::standing::Standing;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;
use wordline_base::rng::{below, next_of, stream};

/// Draws before every superblock is looked at.
const TRIES: u32 = 64;

/// Any full superblock from which something is to be won, each with the same chance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Random {
    random: Xoshiro256PlusPlus,
    standing: Standing,
}

impl Random {
    /// With the stream `gc.random` of the run.
    pub fn new(seed: u64) -> Self {
        Self { random: stream(seed, "gc.random"), standing: Standing::default() }
    }

    /// What its stream gives next.
    pub fn next_drawn(&self) -> u64 {
        next_of(&self.random)
    }

    fn by_drawing(&mut self, blocks: &BlockView<'_>) -> Option<usize> {
        let count = blocks.valid.len() as u32;
        (0..TRIES.min(count)).find_map(|_| {
            let index = below(&mut self.random, count) as usize;
            (blocks.valid[index] <= blocks.most_valid).then_some(index)
        })
    }

    fn by_looking(&mut self, blocks: &BlockView<'_>) -> Option<usize> {
        let candidates = || (0..blocks.valid.len()).filter(|&index| blocks.valid[index] <= blocks.most_valid);
        let drawn = below(&mut self.random, candidates().count() as u32);
        candidates().nth(drawn as usize)
    }
}

impl VictimPolicy for Random {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let standing = self.standing.of(blocks);
        let drawn = standing.or_else(|| self.by_drawing(blocks));
        let index = drawn.or_else(|| self.by_looking(blocks))?;
        self.standing.set(blocks, index);
        Some(SuperblockId(blocks.first.0 + index as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockState;
    use crate::gc::sketch::{CAPACITY, Sketch};

    #[test]
    fn every_candidate_has_the_same_chance() {
        let domain = Sketch::full(&[0, 7, 8, 3, 5, 0]).but(5, BlockState::Closing);
        let chosen = domain.clone().tally(&mut Random::new(1), 40_000);
        for index in [0, 1, 3, 4] {
            assert!(chosen[index].abs_diff(10_000) < 400, "{chosen:?}");
        }
        assert_eq!((chosen[2], chosen[5]), (0, 0));
    }

    #[test]
    fn a_choice_stands_until_it_is_carried_out() {
        let mut domain = Sketch::full(&[3; 50]);
        let mut random = Random::new(1);
        let chosen = domain.chosen_by(&mut random);
        for _ in 0..20 {
            assert_eq!(domain.chosen_by(&mut random), chosen);
        }
        let index = chosen.unwrap_or(0);
        domain.erases[index as usize] += 1;
        assert_ne!(domain.chosen_by(&mut random), chosen, "once erased it is one of fifty again");
        let again = domain.chosen_by(&mut random).unwrap_or(0);
        assert_ne!(domain.but(again, BlockState::Collecting).chosen_by(&mut random), Some(again));
    }

    #[test]
    fn a_single_candidate_of_many_is_found_at_once() {
        let mut valid = vec![CAPACITY; 5000];
        valid[4321] = 7;
        assert_eq!(Sketch::full(&valid).tally(&mut Random::new(1), 10)[4321], 10);
    }

    #[test]
    fn nothing_is_chosen_when_nothing_would_be_won() {
        for domain in [Sketch::default(), Sketch::full(&[CAPACITY; 20])] {
            assert_eq!(domain.chosen_by(&mut Random::new(1)), None);
        }
    }
}
