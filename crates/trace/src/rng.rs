//! Numbers from the engine's named random streams.

use rand::Rng;
pub(crate) use wordline_base::rng::{Xoshiro256PlusPlus, stream};

/// A number below `bound`, without division; the bias is at most `bound` / 2^64.
#[inline]
pub(crate) fn below(rng: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// A number from 0 to below 1, in steps of 2^-53.
#[inline]
pub(crate) fn unit(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}
