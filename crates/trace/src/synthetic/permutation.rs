//! A random bijection of 0..n in constant memory: which slot has which rank.
//!
//! Odd multiplications and xor-shifts are bijections of 0..2^b; with 2^b the power of two at or above n, a value
//! that falls outside 0..n is sent through again until it falls inside (cycle walking), which keeps the whole a
//! bijection and takes fewer than two rounds on average.

use rand::Rng;

use crate::rng::Xoshiro256PlusPlus;

/// A bijection of `0..n`.
#[derive(Clone, Debug)]
pub(crate) struct Permutation {
    n: u64,
    mask: u64,
    shift: u32,
    offset: u64,
    factors: [u64; 3],
}

impl Permutation {
    /// One of very many, drawn by `rng`; `n` is at least 1.
    pub(crate) fn new(n: u64, rng: &mut Xoshiro256PlusPlus) -> Self {
        let bits = (64 - n.saturating_sub(1).leading_zeros()).max(1);
        Self {
            n,
            mask: u64::MAX >> (64 - bits),
            shift: bits.div_ceil(2),
            offset: rng.next_u64(),
            factors: [rng.next_u64() | 1, rng.next_u64() | 1, rng.next_u64() | 1],
        }
    }

    /// Where `index`, below n, goes.
    #[inline]
    pub(crate) fn apply(&self, index: u64) -> u64 {
        debug_assert!(index < self.n, "an index of the permuted set");
        let mut value = index;
        loop {
            value = self.round(value);
            if value < self.n {
                return value;
            }
        }
    }

    #[inline]
    fn round(&self, value: u64) -> u64 {
        let mut value = value.wrapping_add(self.offset) & self.mask;
        for factor in self.factors {
            value = value.wrapping_mul(factor) & self.mask;
            value ^= value >> self.shift;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    #[test]
    fn every_index_is_hit_once() {
        for n in [1, 2, 3, 5, 64, 1000, 4096, 65_537] {
            let permutation = Permutation::new(n, &mut stream(n, "test"));
            let mut hit = vec![false; n as usize];
            for index in 0..n {
                hit[permutation.apply(index) as usize] = true;
            }
            assert!(hit.iter().all(|hit| *hit), "{n}");
        }
    }

    #[test]
    fn neighbours_are_scattered_evenly() {
        let n = 1_000_003;
        let permutation = Permutation::new(n, &mut stream(5, "test"));
        let mut parts = [0_u32; 10];
        for index in 0..10_000 {
            parts[(permutation.apply(index) * 10 / n) as usize] += 1;
        }
        assert!(parts.iter().all(|count| (850..1150).contains(count)), "{parts:?}");
    }

    #[test]
    fn the_largest_sets_work() {
        for n in [1 << 32, u64::MAX] {
            assert!(Permutation::new(n, &mut stream(1, "test")).apply(n - 1) < n);
        }
    }
}
