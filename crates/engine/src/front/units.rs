//! The mapping units of a range of bytes.

use std::ops::{Range, RangeInclusive};

use wordline_flash::nand::Geometry;

/// The mapping units that a range touches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units {
    first: u32,
    last: u32,
    /// The range: its first byte, and that behind its last.
    offset: u64,
    end: u64,
    unit_bytes: u64,
}

impl Units {
    /// Those of a range that isn't empty.
    #[inline(always)]
    pub fn of(geometry: &Geometry, offset: u64, length: u64) -> Self {
        let end = offset + length;
        let number = |byte| geometry.unit_of_byte(byte) as u32;
        let (first, last) = (number(offset), number(end - 1));
        Self { first, last, offset, end, unit_bytes: u64::from(geometry.unit_bytes) }
    }

    /// How many.
    #[inline(always)]
    pub(super) fn count(&self) -> u32 {
        self.last - self.first + 1
    }

    /// Their numbers.
    #[inline(always)]
    pub fn numbers(&self) -> RangeInclusive<u32> {
        self.first..=self.last
    }

    /// Bytes of one that the range has.
    #[inline(always)]
    pub fn wanted(&self, unit: u32) -> u32 {
        let start = u64::from(unit) * self.unit_bytes;
        (self.end.min(start + self.unit_bytes) - self.offset.max(start)) as u32
    }
}

/// The units that lie wholly in a range.
pub(super) fn whole_units(unit_bytes: u32, offset: u64, length: u64) -> Range<u32> {
    let unit = u64::from(unit_bytes);
    offset.div_ceil(unit) as u32..((offset + length) / unit) as u32
}
