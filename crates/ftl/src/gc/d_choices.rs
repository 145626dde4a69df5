//! d-choices: the superblock with the fewest valid units of d that are drawn at random.
//!
//! B. Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
//! SIGMETRICS 2013; Y. Li, P. Lee, J. Lui, "Stochastic modeling of large-scale solid-state storage systems", SIGMETRICS 2013.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::VictimPolicy;
use super::standing::Standing;
use crate::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_base::ids::SuperblockId;
use wordline_base::rng::{below, next_of, stream};

/// The fewest valid units of `choices` full superblocks, drawn uniformly, with replacement.
///
/// Where nothing would be won from any that were drawn, it draws anew: a superblock that is entirely valid is never
/// chosen. With as many choices as there are superblocks it looks at all of them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DChoices {
    choices: u32,
    random: Xoshiro256PlusPlus,
    standing: Standing,
}

impl DChoices {
    /// With the stream `gc.d_choices` of the run.
    pub fn new(choices: u32, seed: u64) -> Self {
        Self { choices, random: stream(seed, "gc.d_choices"), standing: Standing::default() }
    }

    /// What its stream gives next.
    pub fn next_drawn(&self) -> u64 {
        next_of(&self.random)
    }

    /// Draws until enough full superblocks are found; in vain where few are full or few can be won from.
    fn by_drawing(&mut self, blocks: &BlockView<'_>) -> Option<usize> {
        let (mut drawn, mut best) = (0, (NOT_A_CANDIDATE, 0));
        for _ in 0..8 * u64::from(self.choices) + 64 {
            let index = below(&mut self.random, blocks.valid.len() as u32) as usize;
            let valid = blocks.valid[index];
            if valid >= NOT_A_CANDIDATE {
                continue;
            }
            drawn += 1;
            if valid < best.0 {
                best = (valid, index);
            }
            if drawn == self.choices {
                if best.0 <= blocks.most_valid {
                    return Some(best.1);
                }
                (drawn, best) = (0, (NOT_A_CANDIDATE, 0));
            }
        }
        None
    }

    /// Looks at every superblock and takes part of those that something can be won from, each with the same chance
    /// (selection sampling: Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S).
    fn by_looking(&mut self, blocks: &BlockView<'_>) -> Option<usize> {
        let candidates = || blocks.valid.iter().enumerate().filter(|(_, valid)| **valid <= blocks.most_valid);
        let mut left = candidates().count() as u32;
        let mut wanted = self.choices.min(left);
        let sample = candidates().filter(|_| {
            let taken = below(&mut self.random, left) < wanted;
            left -= 1;
            wanted -= u32::from(taken);
            taken
        });
        sample.min_by_key(|(_, valid)| **valid).map(|(index, _)| index)
    }
}

impl VictimPolicy for DChoices {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let few = (self.choices as usize) < blocks.valid.len();
        let standing = self.standing.of(blocks);
        let drawn = standing.or_else(|| if few { self.by_drawing(blocks) } else { None });
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

    /// Each is drawn as often, so the one of rank r from below of n wins with ((n − r + 1)^d − (n − r)^d) / n^d.
    #[test]
    fn the_rank_of_the_victim_is_that_of_the_smallest_of_d_draws() {
        let domain = Sketch::full(&[4, 1, 3, 0, 2]);
        for choices in 1..=4 {
            let chosen = domain.clone().tally(&mut DChoices::new(choices, 1), 100_000);
            for (index, &count) in chosen.iter().enumerate() {
                let rank = f64::from(domain.valid[index]);
                let share = ((5.0 - rank).powi(choices as i32) - (4.0 - rank).powi(choices as i32))
                    / 5f64.powi(choices as i32);
                assert!((f64::from(count) / 1e5 - share).abs() < 0.006, "{choices}: {index} {count} {share}");
            }
        }
    }

    #[test]
    fn as_many_choices_as_superblocks_are_greedy() {
        let domain = Sketch::full(&[5, 3, 7, 3, 8]);
        assert_eq!(domain.clone().tally(&mut DChoices::new(5, 1), 50), [0, 50, 0, 0, 0]);
        assert_eq!(domain.clone().tally(&mut DChoices::new(1 << 16, 1), 50), [0, 50, 0, 0, 0]);
    }

    #[test]
    fn only_full_superblocks_with_something_to_win_are_chosen_however_few() {
        let mut valid = vec![CAPACITY; 1000];
        (valid[17], valid[400], valid[401]) = (6, 7, 0);
        let domain = Sketch::full(&valid).but(401, BlockState::Open);
        for choices in [1, 2, 10] {
            let chosen = domain.clone().tally(&mut DChoices::new(choices, 3), 200);
            assert_eq!(chosen[17] + chosen[400], 200);
            if choices > 1 {
                assert!(chosen[17] > 150, "mostly both are seen: {chosen:?}");
            } else {
                assert!(chosen[17] > 60 && chosen[400] > 60, "{chosen:?}");
            }
        }
    }

    #[test]
    fn nothing_is_chosen_when_nothing_would_be_won() {
        for domain in [Sketch::default(), Sketch::full(&[CAPACITY; 20])] {
            assert_eq!(domain.chosen_by(&mut DChoices::new(3, 1)), None);
        }
    }

    #[test]
    fn the_seed_decides_and_nothing_else() {
        let domain = Sketch::full(&[0; 64]);
        let draw = |seed| domain.clone().tally(&mut DChoices::new(2, seed), 20);
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }
}
