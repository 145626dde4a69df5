//! Gaps between requests: short ones within bursts and long ones between them.

/// Bins of an octave.
const PER_OCTAVE: f64 = 8.0;

/// Shorter gaps are taken for this one, ns: a drive doesn't tell them apart.
const LEAST: f64 = 1000.0;

/// By how much long gaps exceed short ones, on average, where there are bursts.
const APART: f64 = 4.0;

/// Share of the gaps that are short where there are bursts.
const ENOUGH: f64 = 0.01;

/// Share of the pairs of requests that are of one kind beyond chance, from which bursts are said to be of one kind.
const OF_ONE_KIND: f64 = 0.5;

/// Gaps between requests, by length.
#[derive(Default)]
pub(super) struct GapTally {
    bins: Vec<Bin>,
}

#[derive(Clone, Copy, Default)]
struct Bin {
    count: u64,
    sum_ns: f64,
    /// Between two reads or two writes.
    alike: u64,
}

/// Two exponential laws that the gaps are drawn from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TwoGaps {
    pub(super) short_ns: f64,
    pub(super) long_ns: f64,
    /// Share of the short ones.
    pub(super) short: f64,
    /// The gap that is as likely short as long; 0 where there is one law.
    pub(super) within_ns: u64,
}

impl GapTally {
    pub(super) fn add(&mut self, gap_ns: u64, alike: bool) {
        let bin = (PER_OCTAVE * libm::log2((gap_ns as f64).max(1.0))) as usize;
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, Bin::default());
        }
        if let Some(bin) = self.bins.get_mut(bin) {
            bin.count += 1;
            bin.sum_ns += gap_ns as f64;
            bin.alike += u64::from(alike);
        }
    }

    pub(super) fn mean_ns(&self) -> f64 {
        let (count, sum) =
            self.bins.iter().fold((0, 0.0), |(count, sum), bin| (count + bin.count, sum + bin.sum_ns));
        sum / (count as f64).max(1.0)
    }

    /// The two laws under which the gaps are likeliest (expectation and maximisation, from gaps below and above their geometric mean).
    pub(super) fn two(&self) -> TwoGaps {
        let gaps: Vec<(f64, f64)> =
            self.bins.iter().filter(|bin| bin.count > 0).map(Bin::mean_and_weight).collect();
        let total: f64 = gaps.iter().map(|gap| gap.1).sum();
        let one = TwoGaps { long_ns: self.mean_ns(), ..TwoGaps::default() };
        if total < 2.0 {
            return one;
        }
        let middle =
            libm::exp(gaps.iter().map(|(gap, weight)| weight * libm::log(*gap)).sum::<f64>() / total);
        let mut short = mean_of(gaps.iter().copied().filter(|gap| gap.0 <= middle));
        let mut long = mean_of(gaps.iter().copied().filter(|gap| gap.0 > middle));
        let mut share = 0.5;
        for _ in 0..300 {
            let odds = |gap: f64| {
                let (low, high) = (density(gap, short) * share, density(gap, long) * (1.0 - share));
                if low + high > 0.0 { low / (low + high) } else { f64::from(u8::from(gap < middle)) }
            };
            let short_gaps = || gaps.iter().map(|&(gap, weight)| (gap, weight * odds(gap)));
            let next = short_gaps().map(|gap| gap.1).sum::<f64>() / total;
            let next_short = mean_of(short_gaps());
            let next_long = mean_of(gaps.iter().map(|&(gap, weight)| (gap, weight * (1.0 - odds(gap)))));
            (share, short, long) = (next, next_short, next_long);
        }
        if !(ENOUGH..=1.0 - 1e-9).contains(&share) || long < APART * short {
            return one;
        }
        let within = libm::log(share * long / ((1.0 - share) * short)) / (1.0 / short - 1.0 / long);
        TwoGaps { short_ns: short, long_ns: long, short: share, within_ns: within.max(0.0) as u64 }
    }

    /// Whether what follows within this gap is mostly of one kind, beyond what the shares of reads and writes make.
    pub(super) fn together(&self, within_ns: u64, read_share: f64) -> bool {
        let most = (PER_OCTAVE * libm::log2((within_ns as f64).max(1.0))) as usize;
        let (alike, all) =
            self.bins.iter().take(most).fold((0, 0), |sum, bin| (sum.0 + bin.alike, sum.1 + bin.count));
        let chance = read_share * read_share + (1.0 - read_share) * (1.0 - read_share);
        // Where all is of one kind nothing can be said, and bursts say the most.
        chance > 0.999 || (alike as f64 / (all as f64).max(1.0) - chance) / (1.0 - chance) >= OF_ONE_KIND
    }
}

impl Bin {
    fn mean_and_weight(&self) -> (f64, f64) {
        ((self.sum_ns / self.count as f64).max(LEAST), self.count as f64)
    }
}

fn density(gap: f64, mean: f64) -> f64 {
    libm::exp(-gap / mean) / mean
}

/// Mean of values with weights, at least [`LEAST`].
fn mean_of(values: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (sum, weight) =
        values.fold((0.0, 0.0), |sum, (value, weight)| (sum.0 + value * weight, sum.1 + weight));
    if weight > 0.0 { (sum / weight).max(LEAST) } else { LEAST }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{stream, unit};

    fn tally(mean: impl Fn(f64) -> f64) -> GapTally {
        let mut rng = stream(1, "test");
        let mut tally = GapTally::default();
        for _ in 0..50_000 {
            let mean = mean(unit(&mut rng));
            tally.add((-mean * libm::log(1.0 - unit(&mut rng))) as u64, true);
        }
        tally
    }

    #[test]
    fn two_laws_are_found_again() {
        for (short, long, share) in [(3_500.0, 1e9, 0.95), (22_700.0, 749_000.0, 0.875), (50_000.0, 1e6, 0.3)]
        {
            let found = tally(|drawn| if drawn < share { short } else { long }).two();
            assert!((found.short_ns / short - 1.0).abs() < 0.05, "{found:?}");
            assert!((found.long_ns / long - 1.0).abs() < 0.05, "{found:?}");
            assert!((found.short - share).abs() < 0.02, "{found:?}");
            assert!((found.within_ns as f64) > 2.0 * short && (found.within_ns as f64) < long, "{found:?}");
        }
    }

    #[test]
    fn one_law_has_no_bursts() {
        let found = tally(|_| 1e6).two();
        assert_eq!(found.within_ns, 0);
        assert!((found.long_ns / 1e6 - 1.0).abs() < 0.02, "{found:?}");
        assert_eq!(GapTally::default().two().within_ns, 0);
    }
}
