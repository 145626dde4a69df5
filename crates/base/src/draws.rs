//! A load as a law of chance: requests of some kinds, each with a length and with places that are drawn independently of one
//! another or come in turn. What such a load leaves in a cache is known without carrying it out.

use std::ops::Range;

/// Which place, a *slot* of the region, has which rank.
pub type Places = Box<dyn Fn(u64) -> u64 + Send>;

/// Requests of one kind.
pub struct Draws {
    /// How many of the load's requests are of it.
    pub share: f64,
    /// Share of them that write; the others read.
    pub write_share: f64,
    /// First byte of the region.
    pub start: u64,
    /// Bytes from slot to slot.
    pub alignment: u64,
    /// Slots of the region.
    pub slots: u64,
    /// Length, bytes. A request that would leave the region begins at the last slot from which it doesn't.
    pub bytes: u64,
    /// Which slots.
    pub order: Order,
}

/// In which order the slots of a region come.
pub enum Order {
    /// Each request's rank is drawn on its own; those of a class with equal chances. The classes follow one another in rank.
    Drawn(Vec<Class>, Places),
    /// Equal parts, one for each stream; streams take turns, each going through its part from the start again and again.
    InTurn(u32),
}

/// Ranks that are drawn with equal chances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// How many.
    pub ranks: u64,
    /// Share of the requests that go to them all.
    pub share: f64,
}

impl Draws {
    /// Bytes of the region.
    pub fn region_bytes(&self) -> u64 {
        self.slots.saturating_mul(self.alignment)
    }

    /// Units of so many bytes that a request to a slot touches.
    pub fn units(&self, slot: u64, unit_bytes: u64) -> Range<u64> {
        let last = self.region_bytes().saturating_sub(self.bytes) / self.alignment.max(1);
        let first = self.start + slot.min(last) * self.alignment;
        first / unit_bytes..(first + self.bytes.max(1)).div_ceil(unit_bytes)
    }
}

/// What a workload overwrites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overwrites {
    /// Bytes of a write: where they differ, of those writes that write most.
    pub bytes: u64,
    /// Whether all have this size, lie at multiples of it, and overwrite each part of the drive with the same chance.
    pub evenly: bool,
}

impl Overwrites {
    /// Single bytes all over the drive: each mapping unit by itself.
    pub const ALONE: Self = Self { bytes: 1, evenly: true };
}
