//! A permutation of the numbers below any bound, as a formula: what lies where needs no table.

/// Multiplier that spreads the bits of a number over those above it: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Rounds, each of which changes one half of the bits by the other.
const ROUNDS: u32 = 6;

/// A pseudo-random permutation of 0 to `size` − 1.
///
/// A Feistel network over as many bits as `size` needs; a number that comes out beyond `size` goes through again until it
/// doesn't (Black and Rogaway, "Ciphers with arbitrary finite domains", CT-RSA 2002). It takes less than two turns on
/// average.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    size: u32,
    low_bits: u32,
    /// Masks of the lower and the upper half of the bits.
    masks: [u32; 2],
    key: u64,
}

impl Permutation {
    /// Of the numbers below `size`; another one for each key.
    pub fn new(size: u32, key: u64) -> Self {
        let bits = u32::BITS - size.saturating_sub(1).leading_zeros();
        let low_bits = bits / 2;
        let mask = |bits: u32| ((1u64 << bits) - 1) as u32;
        Self { size, low_bits, masks: [mask(low_bits), mask(bits - low_bits)], key }
    }

    /// Where a number below `size` goes; any other stays.
    #[inline]
    pub fn forward(&self, number: u32) -> u32 {
        self.walk(number, |[low, high]| {
            (0..ROUNDS).fold([low, high], |halves, round| self.turn(halves, round))
        })
    }

    /// The number that goes there.
    #[inline]
    pub fn back(&self, number: u32) -> u32 {
        self.walk(number, |[low, high]| {
            (0..ROUNDS).fold([low, high], |halves, round| self.turn(halves, ROUNDS - 1 - round))
        })
    }

    #[inline]
    fn walk(&self, number: u32, network: impl Fn([u32; 2]) -> [u32; 2]) -> u32 {
        // Two numbers or fewer have no half of their bits to be changed by.
        if number >= self.size || self.masks[0] == 0 {
            return number;
        }
        let mut halves = [number & self.masks[0], number >> self.low_bits];
        // The network permutes a power of two of numbers, so a cycle comes back below `size`, where it began.
        loop {
            halves = network(halves);
            let number = halves[1] << self.low_bits | halves[0];
            if number < self.size {
                return number;
            }
        }
    }

    /// One round, which is its own inverse, on the lower and the upper half of the bits.
    #[inline(always)]
    fn turn(&self, [low, high]: [u32; 2], round: u32) -> [u32; 2] {
        let mixed = |half: u32| {
            let key = self.key.rotate_left(11 * round);
            (((u64::from(half) ^ key).wrapping_mul(SPREAD)) >> 32) as u32
        };
        if round.is_multiple_of(2) {
            [low, high ^ (mixed(low) & self.masks[1])]
        } else {
            [low ^ (mixed(high) & self.masks[0]), high]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_permutation_and_goes_back(size in 0u32..3000, key: u64) {
            let permutation = Permutation::new(size, key);
            let mut seen = vec![false; size as usize];
            for number in 0..size {
                let to = permutation.forward(number);
                prop_assert_eq!(permutation.back(to), number);
                prop_assert!(!std::mem::replace(&mut seen[to as usize], true));
            }
        }

        #[test]
        fn it_goes_back_at_any_size(size in 1u32.., key: u64, number: u32) {
            let permutation = Permutation::new(size, key);
            let to = permutation.forward(number % size);
            prop_assert!(to < size);
            prop_assert_eq!(permutation.back(to), number % size);
        }
    }

    /// Of numbers in a row, as many must fall into each of 64 parts as by chance, and the next one must fall anywhere.
    #[test]
    fn neighbours_are_spread_as_if_by_chance() {
        for size in [100_000u32, (1 << 17) + 1, 1_000_003] {
            let permutation = Permutation::new(size, 0x0123_4567_89ab_cdef);
            let part = |number: u32| (u64::from(permutation.forward(number)) * 8 / u64::from(size)) as usize;
            let (mut pairs, count) = ([0u32; 64], 64_000);
            (0..count).for_each(|number| pairs[8 * part(number) + part(number + 1)] += 1);
            let expected = f64::from(count) / 64.0;
            let chi: f64 = pairs.iter().map(|&pairs| (f64::from(pairs) - expected).powi(2) / expected).sum();
            // Chi square with 63 degrees of freedom lies below 120 but for one time in 50,000.
            assert!(chi < 120.0, "{size}: {chi}");
        }
    }
}
