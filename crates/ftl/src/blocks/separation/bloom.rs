//! Hot pages by multiple Bloom filters: D. Park, D. Du, "Hot data identification for flash-based storage systems using
//! multiple bloom filters", MSST 2011.
//!
//! How often: a write is noted in the filter whose turn it is or, if that holds the page already, in the next one that does
//! not; so the number of filters that hold a page counts its writes, up to four. How lately: after every `decay_writes`
//! writes the oldest filter is emptied, and each filter's weight falls with the time since it was emptied.

use serde::{Deserialize, Serialize};

use super::Separation;
use wordline_base::ids::Lpa;
use wordline_config::separation::SeparationConfig;

/// Filters.
const FILTERS: usize = 4;
/// Bits that a page sets in a filter.
const HASHES: u32 = 2;

/// The filters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct HotCold {
    /// Bits of the filters, those of one number side by side: bit b of filter f is bit f of entry b.
    bits: Vec<u8>,
    mask: u32,
    decay_writes: u32,
    hot_at: u32,
    /// Filter whose turn it is to note a write.
    turn: usize,
    /// The filter that is emptied next: the oldest.
    oldest: usize,
    /// Writes since one was emptied.
    writes: u32,
}

impl HotCold {
    /// Nothing written yet, on a drive of so many mapping units.
    pub fn new(config: &SeparationConfig, logical_units: u32) -> Self {
        let decay_writes = match config.decay_writes {
            0 => (logical_units / FILTERS as u32).max(1),
            writes => writes,
        };
        let bits = match config.filter_bits {
            0 => decay_writes.saturating_mul(16),
            bits => bits,
        };
        let bits = bits.clamp(64, 1 << 31).next_power_of_two();
        Self {
            bits: vec![0; bits as usize],
            mask: bits - 1,
            decay_writes,
            hot_at: config.hot_at,
            turn: 0,
            oldest: 0,
            writes: 0,
        }
    }

    /// The filters that hold a page (but for false positives), one bit each, and its places in them.
    fn find(&self, lpa: Lpa) -> (u8, [usize; HASHES as usize]) {
        // Both halves of a mixed number: two hashes as good as independent (Stafford's mix of SplitMix64).
        let mut hash = u64::from(lpa.0).wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
        let places = [(hash as u32 & self.mask) as usize, ((hash >> 32) as u32 & self.mask) as usize];
        (places.iter().fold(0b1111, |held, &place| held & self.bits[place]), places)
    }

    /// Hotness of a page in half points: a filter that was emptied last counts 4, the one before it 3, … (the paper's
    /// weights are 2, 1.5, 1 and 0.5).
    pub fn hotness(&self, lpa: Lpa) -> u32 {
        let held = self.find(lpa).0;
        (0..FILTERS)
            .filter(|&filter| held & (1 << filter) != 0)
            .map(|filter| ((filter + FILTERS - self.oldest) % FILTERS) as u32 + 1)
            .sum()
    }

    /// A page is written.
    pub fn note(&mut self, lpa: Lpa) {
        let (held, places) = self.find(lpa);
        let free =
            (0..FILTERS).map(|step| (self.turn + step) % FILTERS).find(|filter| held & (1 << filter) == 0);
        if let Some(filter) = free {
            for place in places {
                self.bits[place] |= 1 << filter;
            }
        }
        self.turn = (self.turn + 1) % FILTERS;
        self.writes += 1;
        if self.writes >= self.decay_writes {
            self.writes = 0;
            let keep = !(1u8 << self.oldest);
            self.bits.iter_mut().for_each(|bits| *bits &= keep);
            self.oldest = (self.oldest + 1) % FILTERS;
        }
    }
}

impl Separation for HotCold {
    fn write_point(&mut self, lpa: Lpa, _stream: u16, _points: u8) -> u8 {
        self.note(lpa);
        u8::from(self.is_hot(lpa))
    }

    fn is_hot(&self, lpa: Lpa) -> bool {
        self.hotness(lpa) >= self.hot_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filters(decay_writes: u32, filter_bits: u32) -> HotCold {
        HotCold::new(&SeparationConfig { decay_writes, filter_bits, ..SeparationConfig::default() }, 1 << 20)
    }

    #[test]
    fn each_write_adds_a_filter_and_four_are_the_most() {
        let mut filters = filters(1_000, 1 << 16);
        // Filter 0 is emptied next and counts 1, filter 3 counts 4.
        let hotness: Vec<u32> = (0..6)
            .map(|_| {
                filters.note(Lpa(7));
                filters.hotness(Lpa(7))
            })
            .collect();
        assert_eq!(hotness, [1, 3, 6, 10, 10, 10]);
        assert_eq!(filters.hotness(Lpa(8)), 0);
    }

    #[test]
    fn what_is_written_no_more_cools_down() {
        let mut filters = filters(10, 1 << 16);
        (0..4).for_each(|_| filters.note(Lpa(7)));
        let mut next = 100;
        let hotness: Vec<u32> = (0..5)
            .map(|_| {
                let before = filters.oldest;
                while filters.oldest == before {
                    filters.note(Lpa(next));
                    next += 1;
                }
                filters.hotness(Lpa(7))
            })
            .collect();
        // Each time the oldest of its filters is emptied and the others count one less.
        assert_eq!(hotness, [6, 3, 1, 0, 0]);
    }

    #[test]
    fn a_page_that_is_written_often_is_hot_and_one_that_is_not_is_cold() {
        let mut filters = filters(256, 0);
        let mut hot = [0u32; 2];
        for number in 0..4_000u32 {
            // One of 16 pages every second time, else one of 4,000 in turn.
            let lpa = if number % 2 == 0 { Lpa(number / 2 % 16) } else { Lpa(1_000 + number) };
            let is_hot = filters.write_point(lpa, 0, 2) == 1;
            hot[(number % 2) as usize] += u32::from(is_hot);
        }
        assert!(hot[0] > 1_800 && hot[1] < 60, "{hot:?} of 2,000 each");
    }
}
