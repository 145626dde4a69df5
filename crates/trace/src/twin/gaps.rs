//! The gaps between arrivals, in at most 256 values.

use std::collections::BTreeMap;

use super::codes::MOST_GAPS;

/// Bins to an octave before any are merged.
const BINS_PER_OCTAVE: u32 = 32;

/// Counts gaps in narrow logarithmic bins.
#[derive(Default)]
pub(super) struct GapCounts(BTreeMap<u32, (u64, u128)>);

impl GapCounts {
    pub(super) fn add(&mut self, gap_ns: u64) {
        let entry = self.0.entry(bin(gap_ns)).or_default();
        entry.0 += 1;
        entry.1 += u128::from(gap_ns);
    }

    /// The values that stand for all gaps: neighbouring bins are merged, those first whose merging costs least (their
    /// counts times the square of their distance in octaves, Ward's criterion); a value is the mean of its bins, so that the
    /// sum of all gaps is kept.
    pub(super) fn table(&self) -> GapTable {
        let mut bins: Vec<Bin> = self.0.values().map(|&(count, sum)| Bin { count, sum }).collect();
        while bins.len() > MOST_GAPS {
            let costs =
                bins.windows(2).map(|pair| pair.first().zip(pair.last()).map_or(0.0, |(a, b)| a.cost(b)));
            let Some((index, _)) = costs.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            let next = bins.remove(index + 1);
            if let Some(bin) = bins.get_mut(index) {
                bin.count += next.count;
                bin.sum += next.sum;
            }
        }
        GapTable(bins.iter().map(|bin| (bin.mean()).round() as u64).collect())
    }
}

struct Bin {
    count: u64,
    sum: u128,
}

impl Bin {
    fn mean(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64
    }

    fn cost(&self, other: &Self) -> f64 {
        let (a, b) = (self.count as f64, other.count as f64);
        let distance = libm::log2((other.mean() + 50.0) / (self.mean() + 50.0));
        a * b / (a + b) * distance * distance
    }
}

/// Bin of a gap: 0 alone, then logarithmic.
fn bin(gap_ns: u64) -> u32 {
    if gap_ns == 0 {
        return 0;
    }
    1 + (libm::log2(gap_ns as f64) * f64::from(BINS_PER_OCTAVE)) as u32
}

/// Values that stand for gaps, ns, ascending.
pub(super) struct GapTable(pub Vec<u64>);

impl GapTable {
    /// The value nearest in logarithm.
    pub(super) fn code(&self, gap_ns: u64) -> u8 {
        let next = self.0.partition_point(|value| *value < gap_ns);
        let (Some(above), Some(below)) = (self.0.get(next), next.checked_sub(1).and_then(|i| self.0.get(i)))
        else {
            return next.min(self.0.len().saturating_sub(1)) as u8;
        };
        let middle = libm::sqrt(*above as f64) * libm::sqrt(*below as f64);
        if gap_ns as f64 > middle { next as u8 } else { (next - 1) as u8 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_gaps_are_kept_exactly_and_many_near() {
        let mut few = GapCounts::default();
        [0, 0, 7, 1_000_000].iter().for_each(|gap| few.add(*gap));
        let table = few.table();
        assert_eq!(table.0, [0, 7, 1_000_000]);
        assert_eq!([0, 7, 900_000, u64::MAX].map(|gap| table.code(gap)), [0, 1, 2, 2]);
        let mut many = GapCounts::default();
        let gaps: Vec<u64> = (0..10_000_u64).map(|i| i * i * 37 % 1_000_003).collect();
        gaps.iter().for_each(|gap| many.add(*gap));
        let table = many.table();
        assert_eq!(table.0.len(), MOST_GAPS);
        let kept: u64 = gaps.iter().map(|gap| table.0[usize::from(table.code(*gap))]).sum();
        let sum: u64 = gaps.iter().sum();
        assert!((kept as f64 / sum as f64 - 1.0).abs() < 0.02, "{kept} {sum}");
    }
}
