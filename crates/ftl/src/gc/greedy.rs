//! Greedy collection: the superblock with the fewest valid units, the lowest number among equals.

use super::VictimPolicy;
use crate::blocks::table::BlockView;
use wordline_base::ids::SuperblockId;

/// Fewest valid units first.
#[derive(Clone, Copy, Debug)]
pub struct Greedy;

impl VictimPolicy for Greedy {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        // Scanning one flat array costs less than keeping buckets sorted on every write.
        let (fewest, index) = lowest(blocks.valid)?;
        (fewest < blocks.capacity).then(|| SuperblockId(blocks.first.0 + index as u32))
    }
}

/// Entries of a part of the array.
const PART: usize = 128;

/// The lowest number, and the first place where it stands. Every number is below 2^31.
fn lowest(numbers: &[u32]) -> Option<(u32, usize)> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has what the function is compiled for.
        return unsafe { lowest_avx2(numbers) };
    }
    lowest_portable(numbers)
}

/// The same, compiled for wider registers with a minimum of their own.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn lowest_avx2(numbers: &[u32]) -> Option<(u32, usize)> {
    lowest_portable(numbers)
}

/// Part by part, so that only one part is searched for the place.
#[inline(always)]
fn lowest_portable(numbers: &[u32]) -> Option<(u32, usize)> {
    let mut best = (i32::MAX, 0);
    for (part, some) in numbers.chunks(PART).enumerate() {
        let lowest = some.iter().fold(i32::MAX, |lowest, &number| lowest.min(number as i32));
        if lowest < best.0 {
            best = (lowest, part * PART);
        }
    }
    let lowest = best.0 as u32;
    let place = numbers.get(best.1..)?.iter().position(|&number| number == lowest)?;
    Some((lowest, best.1 + place))
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
    fn the_first_of_the_lowest_is_found_in_any_part() {
        let mut random = wordline_base::rng::stream(3, "lowest");
        for length in [0, 1, 7, PART - 1, PART, PART + 1, 5 * PART + 3] {
            for bound in [2, 5, 1000] {
                let numbers: Vec<u32> =
                    (0..length).map(|_| wordline_base::rng::below(&mut random, bound)).collect();
                let expected = numbers.iter().zip(0..).min().map(|(&number, place)| (number, place));
                assert_eq!(lowest(&numbers), expected);
                assert_eq!(lowest_portable(&numbers), expected);
            }
        }
    }

    #[test]
    fn nothing_is_chosen_when_nothing_would_be_won() {
        assert_eq!(Sketch::full(&[CAPACITY, CAPACITY, 0]).but(2, Free).chosen_by(&mut Greedy), None);
        assert_eq!(Sketch::default().chosen_by(&mut Greedy), None);
    }
}
