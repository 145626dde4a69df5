//! Percentiles of response times, many of one histogram: its bins are walked once.

/// Bins that hold something, ascending.
pub struct Percentiles {
    /// The longest response time of each bin, ns, and the requests up to it.
    bins: Vec<(u64, u64)>,
    /// The shortest and the longest of all, ns.
    range: [u64; 2],
}

impl Percentiles {
    /// Of bins, each with its longest response time and its requests, and the shortest and the longest response time.
    pub fn new(bins: impl Iterator<Item = (u64, u64)>, range: [u64; 2]) -> Self {
        let mut up_to = 0;
        let bins = bins.map(|(longest, requests)| {
            up_to += requests;
            (longest, up_to)
        });
        Self { bins: bins.collect(), range }
    }

    /// Requests of all bins.
    fn requests(&self) -> u64 {
        self.bins.last().map_or(0, |&(_, up_to)| up_to)
    }

    /// The response time that this share of requests doesn't exceed, ns; 0 without any.
    pub fn at(&self, share: f64) -> u64 {
        let rank = ((share.min(1.0) * self.requests() as f64).ceil() as u64).max(1);
        let bin = self.bins.partition_point(|&(_, up_to)| up_to < rank);
        let found = self.bins.get(bin).map_or(0, |&(longest, _)| longest);
        let [min, max] = self.range;
        found.clamp(min.min(max), max)
    }

    /// The response time of this rank, from 1 for the shortest on, ns.
    pub fn at_rank(&self, rank: u64) -> u64 {
        self.at((rank as f64 - 0.5) / self.requests().max(1) as f64)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::histogram;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn they_are_those_of_the_histogram(values in prop::collection::vec(1u64..1 << 40, 1..60), shares in prop::collection::vec(0.001f64..1.1, 1..9)) {
            let mut histogram = histogram::empty().unwrap();
            values.iter().for_each(|&value| histogram.record(value).unwrap());
            let bins = histogram.iter_recorded().map(|bin| (bin.value_iterated_to(), bin.count_at_value()));
            let percentiles = Percentiles::new(bins, [0, u64::MAX]);
            for share in shares.into_iter().chain([0.5, 0.99, 1.0]) {
                prop_assert_eq!(percentiles.at(share), histogram.value_at_quantile(share));
            }
        }
    }

    #[test]
    fn ranks_count_from_the_shortest_and_nothing_lies_beyond_the_range() {
        let percentiles = Percentiles::new([(10, 2), (23, 1)].into_iter(), [9, 22]);
        assert_eq!([1, 2, 3].map(|rank| percentiles.at_rank(rank)), [10, 10, 22]);
        assert_eq!(Percentiles::new(std::iter::empty(), [u64::MAX, 0]).at(0.5), 0);
    }
}
