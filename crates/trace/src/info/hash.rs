//! Hashing of page numbers: fast, and the same on every machine.

use std::hash::{BuildHasherDefault, Hasher};

/// A hash map with [`Mixer`].
pub(crate) type Map<K, V> = std::collections::HashMap<K, V, BuildHasherDefault<Mixer>>;

/// A bijection of 64-bit numbers that spreads neighbours (the finaliser of SplitMix64).
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// One number for a page or a group of pages of a device, spread over all of 64 bits.
pub(super) fn spread(device: u16, number: u64) -> u64 {
    mix(mix(number).wrapping_add(u64::from(device).wrapping_mul(0x9e37_79b9_7f4a_7c15)))
}

/// A hasher for keys of few numbers.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0.rotate_left(5) ^ value);
    }
}
