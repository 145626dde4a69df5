//! A sample of what is counted by key: all keys while there are few, then half of them, chosen by a hash, and so on.
//! Memory stays bounded, and shares become estimates from the keys that are left.

use std::hash::Hash;

use super::hash::{Map, mix, spread};

/// What a sample is chosen by.
pub(crate) trait SampleKey: Copy + Eq + Hash {
    /// A number spread over all of 64 bits.
    fn spread(&self) -> u64;
}

/// A page.
impl SampleKey for u64 {
    fn spread(&self) -> u64 {
        mix(*self)
    }
}

/// A page, or a group of pages, of a device.
impl SampleKey for (u16, u64) {
    fn spread(&self) -> u64 {
        spread(self.0, self.1)
    }
}

/// Values by key, of at most so many keys.
pub(crate) struct Sample<K, V> {
    kept: Map<K, V>,
    most: usize,
    /// Keys whose spread, shifted right by 32, lies below are kept.
    below: u64,
}

/// All keys are.
const ALL: u64 = 1 << 32;

impl<K: SampleKey, V: Default> Sample<K, V> {
    pub(crate) fn of(most: usize) -> Self {
        Self { kept: Map::default(), most, below: ALL }
    }

    /// The value of a key; none if the key is among those that were given up.
    #[inline]
    pub(crate) fn at(&mut self, key: K) -> Option<&mut V> {
        if !self.keeps(key) {
            return None;
        }
        if self.kept.len() >= self.most && !self.kept.contains_key(&key) {
            self.make_room();
            if !self.keeps(key) {
                return None;
            }
        }
        Some(self.kept.entry(key).or_default())
    }

    fn keeps(&self, key: K) -> bool {
        key.spread() >> 32 < self.below
    }

    fn make_room(&mut self) {
        while self.kept.len() >= self.most && self.below > 1 {
            self.below /= 2;
            let below = self.below;
            self.kept.retain(|key, _| key.spread() >> 32 < below);
        }
    }

    /// Share of the keys that is kept.
    pub(crate) fn rate(&self) -> f64 {
        self.below as f64 / ALL as f64
    }

    /// Keys that are kept.
    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// What is kept, in no order: sums and sorted values only may depend on it.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        self.kept.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_kept_while_it_is_little_and_then_an_even_part() {
        let mut sample = Sample::<u64, u64>::of(1_000);
        let mut count = |keys: std::ops::Range<u64>| {
            keys.for_each(|key| {
                if let Some(value) = sample.at(key) {
                    *value += 1;
                }
            });
            (sample.len(), sample.rate())
        };
        assert_eq!(count(0..1_000), (1_000, 1.0));
        // What is there goes on being counted when no other fits.
        assert_eq!(count(0..1_000), (1_000, 1.0));
        let (kept, rate) = count(1_000..100_000);
        assert!(kept <= 1_000 && rate <= 1.0 / 64.0, "{kept} {rate}");
        assert!((kept as f64 / rate / 100_000.0 - 1.0).abs() < 0.15, "{kept} {rate}");
        let first = sample.values().filter(|value| **value == 2).count();
        assert!(first < 50 && sample.values().all(|value| (1..=2).contains(value)), "{first}");
    }
}
