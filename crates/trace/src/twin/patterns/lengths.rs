//! Lengths of requests and how often each comes.

use std::collections::BTreeMap;

use crate::config::SizeWeight;

/// Most different lengths that are counted, and that a model has.
const MOST: usize = 4096;
const SHOWN: usize = 48;

/// Requests by length.
#[derive(Default)]
pub(super) struct Lengths {
    counts: BTreeMap<u64, u64>,
}

impl Lengths {
    pub(super) fn add(&mut self, length: u64) {
        let length = length.clamp(1, 1 << 30);
        if self.counts.len() < MOST || self.counts.contains_key(&length) {
            *self.counts.entry(length).or_default() += 1;
        }
    }

    /// The most frequent lengths with their shares, each of the others counted as the nearest of these; 4 KiB where there is none.
    pub(super) fn weights(&self) -> Vec<SizeWeight> {
        let mut by_count: Vec<(u64, u64)> =
            self.counts.iter().map(|(length, count)| (*count, *length)).collect();
        by_count.sort_unstable_by(|a, b| b.cmp(a));
        let mut shown: BTreeMap<u64, u64> =
            by_count.iter().take(SHOWN).map(|(count, length)| (*length, *count)).collect();
        for (count, length) in by_count.iter().skip(SHOWN) {
            let below = shown.range(..length).next_back().map(|(length, _)| *length);
            let above = shown.range(length..).next().map(|(length, _)| *length);
            let near = [below, above].into_iter().flatten().min_by_key(|near| near.abs_diff(*length));
            if let Some(nearest) = near.and_then(|near| shown.get_mut(&near)) {
                *nearest += count;
            }
        }
        let total: u64 = shown.values().sum();
        if total == 0 {
            return vec![SizeWeight { bytes: super::PAGE, weight: 1.0 }];
        }
        let weight = |count: u64| (count as f64 / total as f64 * 1e6).round().max(1.0) / 1e6;
        shown.into_iter().map(|(bytes, count)| SizeWeight { bytes, weight: weight(count) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_lengths_count_as_the_nearest_frequent_one() {
        let mut lengths = Lengths::default();
        for number in 1..=SHOWN as u64 {
            (0..10).for_each(|_| lengths.add(number * 8192));
        }
        lengths.add(8192 + 512);
        let weights = lengths.weights();
        assert_eq!(weights.len(), SHOWN);
        assert!((weights[0].weight - 11.0 / 481.0).abs() < 1e-6, "{weights:?}");
        assert_eq!(Lengths::default().weights()[0].bytes, 4096);
    }
}
