//! A small histogram that is emptied often: the response times of one interval.

use serde::{Deserialize, Serialize};

/// Buckets in each octave: 0.8% wide.
const BUCKET_BITS: u32 = 7;

/// Counts by value, in buckets at most 0.8% wide; emptying it costs no more than what was touched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LeanHistogram {
    counts: Vec<u32>,
    /// First and last bucket touched.
    touched: (usize, usize),
    total: u64,
    sum: u128,
    max: u64,
}

fn bucket_of(value: u64) -> usize {
    let octave = (u64::BITS - value.leading_zeros()).saturating_sub(BUCKET_BITS + 1);
    ((octave as usize) << BUCKET_BITS) + (value >> octave) as usize
}

/// Largest value of a bucket.
fn top_of(bucket: usize) -> u64 {
    let octave = (bucket >> BUCKET_BITS).saturating_sub(1);
    let base = (bucket - (octave << BUCKET_BITS)) as u64;
    (base << octave) | ((1 << octave) - 1)
}

impl Default for LeanHistogram {
    fn default() -> Self {
        let counts = vec![0; bucket_of(u64::MAX) + 1];
        Self { counts, touched: (usize::MAX, 0), total: 0, sum: 0, max: 0 }
    }
}

impl LeanHistogram {
    /// Takes a value in.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bucket = bucket_of(value);
        self.counts[bucket] = self.counts[bucket].saturating_add(1);
        self.touched = (self.touched.0.min(bucket), self.touched.1.max(bucket));
        self.total += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    /// Values taken in.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Their sum.
    pub fn sum(&self) -> u128 {
        self.sum
    }

    /// The largest; 0 without any.
    pub fn max(&self) -> u64 {
        self.max
    }

    /// The smallest values that at least these shares of all don't exceed: each exact or up to 0.8% above. `shares` in
    /// rising order. `None` without values.
    pub fn quantiles<const N: usize>(&self, shares: [f64; N]) -> Option<[u64; N]> {
        if self.total == 0 {
            return None;
        }
        let mut found = [self.max; N];
        let (mut seen, mut next) = (0, 0);
        for bucket in self.touched.0..=self.touched.1 {
            seen += u64::from(self.counts[bucket]);
            while next < N && seen >= ((self.total as f64 * shares[next]).ceil() as u64).max(1) {
                found[next] = top_of(bucket).min(self.max);
                next += 1;
            }
        }
        Some(found)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        if self.total > 0 {
            self.counts[self.touched.0..=self.touched.1].fill(0);
            (self.touched, self.total, self.sum, self.max) = ((usize::MAX, 0), 0, 0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn quantiles_are_at_most_a_bucket_above_the_exact_ones(
            mut values in prop::collection::vec(prop_oneof![0u64..300, any::<u64>()], 1..200)
        ) {
            let mut histogram = LeanHistogram::default();
            histogram.record(7);
            histogram.clear();
            values.iter().for_each(|&value| histogram.record(value));
            values.sort_unstable();
            let found = histogram.quantiles([0.5, 0.99]).unwrap();
            for (share, found) in [0.5, 0.99].into_iter().zip(found) {
                let exact = values[(values.len() as f64 * share).ceil() as usize - 1];
                prop_assert!(found >= exact && (found - exact) as f64 <= exact as f64 * 0.008, "{found} for {exact}");
            }
            prop_assert_eq!(histogram.max(), values[values.len() - 1]);
            prop_assert_eq!(histogram.sum(), values.iter().map(|&value| u128::from(value)).sum::<u128>());
        }
    }

    #[test]
    fn an_emptied_one_knows_nothing() {
        let mut histogram = LeanHistogram::default();
        histogram.record(1000);
        histogram.clear();
        assert_eq!((histogram.quantiles([0.5]), histogram.total(), histogram.max()), (None, 0, 0));
    }
}
