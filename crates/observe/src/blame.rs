//! Blame: where the nanoseconds of a response time went. The parts of a request add up to it exactly.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use wordline_base::memory::Table;
pub use wordline_base::parts::{PARTS, Part, Parts};

/// Buckets in each octave of latency: 0.8% wide.
const BUCKET_BITS: u32 = 7;

/// Figures of a bucket: requests, sum of their response times, and the sum of each part.
const FIGURES: usize = 2 + PARTS;

/// Sums of parts by bucket of response time, so that the blame of any percentile can be told at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlameRecorder {
    /// [`FIGURES`] for each bucket, in one table of zeros: it costs memory where requests fall only.
    buckets: Table<u64>,
}

/// Blame summed over a set of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlameSum {
    /// Requests of the set.
    pub requests: u64,
    /// Sum of their response times, ns.
    pub response: u128,
    /// Sum of each part, ns, in the order of [`Part::names`].
    #[serde(with = "by_part")]
    pub parts: [u128; PARTS],
}

/// A figure of each part, saved as a list.
mod by_part {
    use super::{Deserialize, Deserializer, Error, PARTS, Serialize, Serializer};

    pub fn serialize<S: Serializer>(parts: &[u128; PARTS], serializer: S) -> Result<S::Ok, S::Error> {
        parts.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u128; PARTS], D::Error> {
        let parts = Vec::<u128>::deserialize(deserializer)?;
        parts.try_into().map_err(|_| D::Error::custom("not as many parts as there are"))
    }
}

impl Default for BlameSum {
    fn default() -> Self {
        Self { requests: 0, response: 0, parts: [0; PARTS] }
    }
}

impl BlameSum {
    /// Takes a request in.
    pub fn add(&mut self, latency: u64, inside: [Option<&Parts>; 2], outside: &[(Part, u64)]) {
        self.requests += 1;
        self.response += u128::from(latency);
        for parts in inside.into_iter().flatten() {
            parts.iter().for_each(|(index, ns)| self.parts[index] += u128::from(ns));
        }
        for &(part, ns) in outside {
            self.parts[part.index()] += u128::from(ns);
        }
    }

    /// Takes in what another has.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.response += other.response;
        self.parts.iter_mut().zip(other.parts).for_each(|(sum, ns)| *sum += ns);
    }
}

/// Bucket of a response time.
fn bucket_of(latency: u64) -> usize {
    let octave = (u64::BITS - latency.leading_zeros()).saturating_sub(BUCKET_BITS + 1);
    ((octave as usize) << BUCKET_BITS) + (latency >> octave) as usize
}

/// Buckets of a level, as a power of two.
const LEVEL_BITS: u32 = 3;

/// The level of a response time: levels are at most 6.25% wide, or 8 ns.
pub fn level_of(latency: u64) -> u16 {
    (bucket_of(latency) >> LEVEL_BITS) as u16
}

impl Default for BlameRecorder {
    fn default() -> Self {
        Self { buckets: Table::zeroed((bucket_of(u64::MAX) + 1) * FIGURES) }
    }
}

impl BlameRecorder {
    /// Takes a request in. `inside` are the parts of its time in the drive, `outside` those before and after.
    #[inline(always)]
    pub fn record(&mut self, latency: u64, inside: [Option<&Parts>; 2], outside: &[(Part, u64)]) {
        let bucket = &mut self.buckets[bucket_of(latency) * FIGURES..][..FIGURES];
        bucket[0] += 1;
        bucket[1] = bucket[1].saturating_add(latency);
        let sums = &mut bucket[2..];
        for parts in inside.into_iter().flatten() {
            parts.iter().for_each(|(index, ns)| sums[index] += ns);
        }
        for &(part, ns) in outside {
            sums[part.index()] += ns;
        }
    }

    /// Requests by level ([`level_of`]) from the bucket of one response time to that of another, ascending; levels without
    /// any are left out.
    pub fn levels(&self, first: u64, last: u64) -> Vec<(u16, u64)> {
        let (first, last) = (bucket_of(first), bucket_of(last));
        let mut levels: Vec<(u16, u64)> = Vec::new();
        let buckets = self.buckets.chunks_exact(FIGURES).enumerate().take(last + 1).skip(first);
        for (bucket, figures) in buckets.filter(|(_, figures)| figures[0] > 0) {
            let level = (bucket >> LEVEL_BITS) as u16;
            match levels.last_mut().filter(|(known, _)| *known == level) {
                Some((_, count)) => *count += figures[0],
                None => levels.push((level, figures[0])),
            }
        }
        levels
    }

    /// Sum over the requests in the buckets of these response times and all between them. What lies beyond was perhaps never
    /// written, and isn't touched.
    pub fn between(&self, first: u64, last: u64) -> BlameSum {
        let mut sum = BlameSum { requests: 0, response: 0, parts: [0; PARTS] };
        let buckets = self.buckets.chunks_exact(FIGURES).take(bucket_of(last) + 1).skip(bucket_of(first));
        for bucket in buckets.filter(|bucket| bucket[0] > 0) {
            sum.requests += bucket[0];
            sum.response += u128::from(bucket[1]);
            for (total, &part) in sum.parts.iter_mut().zip(&bucket[2..]) {
                *total += u128::from(part);
            }
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wordline_base::class::Class;

    proptest! {
        #[test]
        fn buckets_are_in_order_and_less_than_one_percent_wide(a: u64, b: u64) {
            let (low, high) = (a.min(b), a.max(b));
            prop_assert!(bucket_of(low) <= bucket_of(high));
            if bucket_of(low) == bucket_of(high) {
                prop_assert!((high - low) as f64 <= low as f64 * 0.008);
            }
        }
    }

    proptest! {
        #[test]
        fn levels_count_every_request_once(mut values in prop::collection::vec(prop_oneof![0u64..300, any::<u64>()], 1..50)) {
            let mut blame = BlameRecorder::default();
            values.iter().for_each(|&ns| blame.record(ns, [None, None], &[]));
            values.sort_unstable();
            let levels = blame.levels(values[0], values[values.len() - 1]);
            let mut expected: Vec<(u16, u64)> = Vec::new();
            for part in values.chunk_by(|one, other| level_of(*one) == level_of(*other)) {
                expected.push((level_of(part[0]), part.len() as u64));
            }
            prop_assert_eq!(levels, expected);
        }
    }

    #[test]
    fn the_tail_holds_the_slow_requests_only_and_its_parts_add_up() {
        let mut blame = BlameRecorder::default();
        for latency in [100, 100, 5000] {
            let mut parts = Parts::default();
            parts.add(Part::Cell, latency - 10);
            parts.add(Part::DieWait(Class::GcErase), 10);
            blame.record(latency, [Some(&parts), None], &[(Part::Link, 0), (Part::Admission, 0)]);
        }
        let tail = blame.between(5000, 5000);
        assert_eq!((tail.requests, tail.response, tail.parts.iter().sum::<u128>()), (1, 5000, 5000));
        assert_eq!(blame.between(0, u64::MAX).response, 5200);
        assert_eq!(blame.between(100, 4900).response, 200);
    }
}
