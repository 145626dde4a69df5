//! Lengths of requests, counted one by one.

use std::collections::BTreeMap;

use super::{SizeBin, SizeInfo};

/// Different lengths that are told apart. A trace has some dozens, or, of requests up to 16 MiB in sectors, 32,768.
const MOST_LENGTHS: usize = 1 << 16;

/// Upper end of the first bin, bytes.
const FIRST_BIN: u64 = 512;

/// How many requests have which length.
#[derive(Default)]
pub(super) struct Sizes {
    counts: BTreeMap<u64, u64>,
    requests: u64,
    bytes: u64,
    max: u64,
}

impl Sizes {
    /// A request of so many bytes. Beyond [`MOST_LENGTHS`] a new length counts as the next longer one that is known, or as
    /// the longest.
    pub fn add(&mut self, length: u64) {
        self.requests += 1;
        self.bytes = self.bytes.saturating_add(length);
        self.max = self.max.max(length);
        let known = self.counts.len() < MOST_LENGTHS || self.counts.contains_key(&length);
        let length = if known { length } else { self.next_longer(length) };
        *self.counts.entry(length).or_default() += 1;
    }

    fn next_longer(&self, length: u64) -> u64 {
        let longer = self.counts.range(length..).next();
        longer.or(self.counts.last_key_value()).map_or(length, |(&length, _)| length)
    }

    /// Requests.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    /// Their bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Mean, percentiles, and ends; all 0 without requests.
    pub fn info(&self) -> SizeInfo {
        let Some((&min, _)) = self.counts.first_key_value() else { return SizeInfo::default() };
        let at = |per_cent| self.percentile(per_cent);
        SizeInfo {
            mean: self.bytes as f64 / self.requests as f64,
            min,
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p90: at(90),
            p99: at(99),
            max: self.max,
        }
    }

    /// The smallest length that so many per cent of the requests don't exceed.
    fn percentile(&self, per_cent: u64) -> u64 {
        let wanted = (u128::from(self.requests) * u128::from(per_cent)).div_ceil(100);
        let mut seen = 0;
        for (&length, &count) in &self.counts {
            seen += u128::from(count);
            if seen >= wanted {
                return length;
            }
        }
        self.max
    }

    /// Shares of the requests by powers of two, from the smallest that occurs.
    pub fn bins(&self) -> Vec<SizeBin> {
        let mut bins: Vec<SizeBin> = Vec::new();
        let (mut from, mut to) = (0, FIRST_BIN);
        while from <= self.max {
            let count: u64 = self.counts.range(from..=to).map(|(_, count)| count).sum();
            if count > 0 || !bins.is_empty() {
                bins.push(SizeBin { up_to_bytes: to, share: count as f64 / self.requests as f64 });
            }
            let Some(next) = to.checked_add(1) else { break };
            (from, to) = (next, to.saturating_mul(2));
        }
        bins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(lengths: &[(u64, u64)]) -> Sizes {
        let mut sizes = Sizes::default();
        for &(length, count) in lengths {
            (0..count).for_each(|_| sizes.add(length));
        }
        sizes
    }

    #[test]
    fn a_length_that_is_a_power_of_two_is_in_one_bin_and_shares_add_up() {
        let sizes = counted(&[(4096, 716), (4097, 75), (8192, 100), (65_536, 109)]);
        let bins: Vec<_> = sizes.bins().iter().map(|bin| (bin.up_to_bytes, bin.share)).collect();
        assert_eq!(bins, [(4096, 0.716), (8192, 0.175), (16_384, 0.0), (32_768, 0.0), (65_536, 0.109)]);
        assert!((bins.iter().map(|bin| bin.1).sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn percentiles_are_lengths_that_occur() {
        let info = counted(&[(512, 10), (4096, 80), (131_072, 9), (749_568, 1)]).info();
        assert_eq!([info.min, info.p25, info.p50, info.p75], [512, 4096, 4096, 4096]);
        assert_eq!([info.p90, info.p99, info.max], [4096, 131_072, 749_568]);
        assert_eq!(Sizes::default().info(), SizeInfo::default());
    }

    #[test]
    fn more_lengths_than_are_told_apart_are_rounded_and_none_is_lost() {
        let mut sizes = Sizes::default();
        (0..2 * MOST_LENGTHS as u64).for_each(|number| sizes.add(2 * number + 2));
        sizes.add(5);
        assert_eq!((sizes.counts.len(), sizes.requests()), (MOST_LENGTHS, 2 * MOST_LENGTHS as u64 + 1));
        assert_eq!(sizes.counts.get(&6), Some(&2), "5 counts as 6");
        assert!((sizes.bins().iter().map(|bin| bin.share).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(sizes.info().max, 4 * MOST_LENGTHS as u64);
    }

    #[test]
    fn the_longest_length_there_is_has_a_bin() {
        let bins = counted(&[(u64::MAX, 1)]).bins();
        assert_eq!(bins.last().map(|bin| (bin.up_to_bytes, bin.share)), Some((u64::MAX, 1.0)));
    }
}
