//! The address space of a twin.

use std::collections::BTreeSet;

use super::codes::SLOTS;
use crate::footprint::Footprint;
use crate::rng::{Xoshiro256PlusPlus, below};

/// Regions by which a trace's address space is measured, bytes.
const REGION: u64 = 1 << 20;

/// Regions of one request that count: a trim of a whole drive touches no data.
const MOST_REGIONS: u64 = 1024;

/// Regions that a trace touches.
#[derive(Default)]
pub(super) struct Regions(BTreeSet<u64>);

impl Regions {
    pub(super) fn touch(&mut self, offset: u64, length: u64) {
        let last = offset.saturating_add(length.saturating_sub(1)) / REGION;
        self.0.extend((offset / REGION..=last).take(MOST_REGIONS as usize));
    }

    /// Their size together: what the trace takes when it is compacted.
    pub(super) fn bytes(&self) -> u64 {
        (self.0.len() as u64).max(1) * REGION
    }
}

/// Draws places that were not touched yet.
pub(super) struct FreshSpace {
    /// In pages of 4 KiB.
    touched: Footprint,
    bytes: u64,
    rng: Xoshiro256PlusPlus,
}

const PAGE: u64 = 4096;
const SLOT: u64 = super::shapes::ALIGNMENT;

/// Draws before the best of them is taken: the one with the most untouched space around it, so that streams don't run into
/// what others have touched.
const TRIES: usize = 16;

/// Octaves of space that are looked at.
const PROBES: u32 = 12;

impl FreshSpace {
    /// None when the space is larger than any drive.
    pub(super) fn new(bytes: u64, rng: Xoshiro256PlusPlus) -> Option<Self> {
        Some(Self { touched: Footprint::empty(bytes.div_ceil(PAGE))?, bytes, rng })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether the last page of a request was touched; what reaches beyond the space counts as touched.
    pub(super) fn is_touched(&self, offset: u64, length: u64) -> bool {
        let end = offset.saturating_add(length.max(1));
        end > self.bytes || self.touched.contains((end - 1) / PAGE)
    }

    /// Marks what a request touches.
    pub(super) fn touch(&mut self, offset: u64, length: u64) {
        if length > 0 {
            self.touched.insert_range(offset / PAGE, (offset + length - 1) / PAGE);
        }
    }

    /// An offset with this alignment (modulo 16 KiB) at which `length` bytes fit; with `slot`, one in this slot of 16 MiB, or in a
    /// small space of a sixteenth of it, and of 1 MiB at least.
    pub(super) fn draw(&mut self, length: u64, alignment: u64, slot: Option<u64>) -> u64 {
        let room = self.bytes.saturating_sub(length.saturating_add(alignment));
        let steps = room / SLOT + 1;
        let modulo = 1_u64 << (steps / 16).clamp(64, SLOTS).ilog2();
        let mut best = ((false, 0), alignment);
        for _ in 0..TRIES {
            let drawn = below(&mut self.rng, steps);
            let wanted =
                slot.map(|slot| drawn - drawn % modulo + slot % modulo).filter(|wanted| *wanted < steps);
            let offset = wanted.unwrap_or(drawn) * SLOT + alignment;
            let free = self.free_around(offset, length);
            let right = wanted.is_some() || slot.is_none();
            if (right && free > 0, free) >= best.0 {
                best = ((right && free > 0, free), offset);
            }
            if right && free == PROBES {
                break;
            }
        }
        best.1
    }

    /// How far the space on both sides of an offset is untouched, in octaves from the request's own length.
    fn free_around(&self, offset: u64, length: u64) -> u32 {
        let mut reach = length.max(1);
        for octave in 0..PROBES {
            let page = (offset + reach - 1) / PAGE;
            let before = offset.checked_sub(reach).map(|start| start / PAGE);
            let beyond = page >= self.touched.units();
            let first = octave == 0 && self.touched.contains(offset / PAGE);
            if beyond
                || first
                || self.touched.contains(page)
                || before.is_some_and(|page| self.touched.contains(page))
            {
                return octave;
            }
            reach *= 2;
        }
        PROBES
    }
}
