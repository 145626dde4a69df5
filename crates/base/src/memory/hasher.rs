//! A hash of page numbers for tables whose order nothing depends on.

use std::hash::Hasher;

/// Spreads page numbers over a table by one multiplication, whose upper bits depend on all of the number.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageHasher(u64);

/// 2^64 divided by the golden ratio: neighbours come far apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Hasher for PageHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        // The table takes its place from the lower bits, and a mark from the upper ones.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(SPREAD).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
