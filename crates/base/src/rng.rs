//! Named random streams: one for each use, so that a new use never disturbs an old one.

use rand::SeedableRng;
pub use rand_xoshiro::Xoshiro256PlusPlus;

/// The stream called `name` of a run with this `seed`. The same on every machine and in every version.
pub fn stream(seed: u64, name: &str) -> Xoshiro256PlusPlus {
    // FNV-1a of the name, mixed with the seed; the generator's own seeding spreads the bits.
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    Xoshiro256PlusPlus::seed_from_u64(seed ^ hash.rotate_left(17))
}

/// A number below `bound`, without bias worth naming (2^-32) and without division.
#[inline]
pub fn below(rng: &mut Xoshiro256PlusPlus, bound: u32) -> u32 {
    use rand::Rng;
    let wide = u128::from(rng.next_u64()) * u128::from(bound);
    (wide >> 64) as u32
}

/// A number from 0 to below 1, in steps of 2^-53.
#[inline]
pub fn unit(rng: &mut Xoshiro256PlusPlus) -> f64 {
    use rand::Rng;
    (rng.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// What a stream gives next, without taking it: for whoever compares states.
pub fn next_of(rng: &Xoshiro256PlusPlus) -> u64 {
    use rand::Rng;
    rng.clone().next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_name_and_seed_and_repeat() {
        let draw = |seed, name| below(&mut stream(seed, name), u32::MAX);
        assert_eq!(draw(1, "a"), draw(1, "a"));
        assert_ne!(draw(1, "a"), draw(1, "b"));
        assert_ne!(draw(1, "a"), draw(2, "a"));
    }
}
