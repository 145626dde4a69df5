//! Pairs of reads that are at a die together, and how often.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use wordline_base::request::ReadThere;
use wordline_systems::collision::together::Together;

/// Reads of a die that are told apart: the last of its queue. A die under more load than it takes has thousands.
const MOST_TOGETHER: usize = 64;

/// Most pairs that are told apart in a reading.
const MOST_PAIRS: usize = 1 << 24;

/// How often each pair of logical pages met.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PairCounts {
    counts: BTreeMap<(u32, u32), u64>,
    occurrences: u64,
    dropped: u64,
}

impl PairCounts {
    /// The read that came last met each of the others.
    pub fn add_with_last(&mut self, there: &[ReadThere]) {
        let [others @ .., last] = there else { return };
        let (beyond, near) = nearest(others);
        near.iter().for_each(|other| self.add(other, last));
        self.dropped += beyond;
    }

    /// An imbalanced collision of these reads: the pairs that it hasn't counted yet.
    pub fn add_new(&mut self, there: &[ReadThere], together: &mut Together) {
        let is_new = |read: &&ReadThere| together.is_new(read.order);
        let uncounted = |reads: &[ReadThere]| {
            let counted = reads.len() - reads.iter().filter(is_new).count();
            pairs_of(reads.len()) - pairs_of(counted)
        };
        let (_, near) = nearest(there);
        self.dropped += uncounted(there) - uncounted(near);
        for (number, later) in near.iter().enumerate() {
            let later_is_new = is_new(&later);
            let earlier = near.iter().take(number).filter(|read| later_is_new || is_new(read));
            earlier.for_each(|earlier| self.add(earlier, later));
        }
        together.counted(there.iter().map(|read| read.order));
    }

    fn add(&mut self, a: &ReadThere, b: &ReadThere) {
        let (a, b) = (a.lpa.0, b.lpa.0);
        let pair = (a.min(b), a.max(b));
        if pair.0 == pair.1 {
            return;
        }
        if self.counts.len() >= MOST_PAIRS && !self.counts.contains_key(&pair) {
            self.dropped += 1;
            return;
        }
        *self.counts.entry(pair).or_default() += 1;
        self.occurrences += 1;
    }

    /// What was counted.
    pub fn report(&self) -> PairsReport {
        let mut curve: BTreeMap<u64, u64> = BTreeMap::new();
        for &count in self.counts.values() {
            *curve.entry(count).or_default() += 1;
        }
        let distinct = self.counts.len() as u64;
        let share = |of: f64| share_of_pairs(&curve, distinct, of * self.occurrences as f64);
        PairsReport {
            distinct,
            occurrences: self.occurrences,
            mean_repetition: ratio(self.occurrences, distinct),
            share_for_half: share(0.5),
            share_for_80_percent: share(0.8),
            dropped: self.dropped,
            repetitions: curve,
        }
    }
}

/// Share of the pairs, the most frequent first, that make up so many occurrences.
fn share_of_pairs(curve: &BTreeMap<u64, u64>, distinct: u64, wanted: f64) -> f64 {
    let (mut pairs, mut occurrences) = (0.0, 0.0);
    for (&count, &number) in curve.iter().rev() {
        let (count, number) = (count as f64, number as f64);
        if occurrences + count * number >= wanted {
            pairs += ((wanted - occurrences) / count).max(0.0);
            break;
        }
        (pairs, occurrences) = (pairs + number, occurrences + count * number);
    }
    if distinct == 0 { 0.0 } else { pairs / distinct as f64 }
}

/// a / b; 0 of nothing.
pub fn ratio(a: u64, b: u64) -> f64 {
    if b == 0 { 0.0 } else { a as f64 / b as f64 }
}

/// The last of those at a die, and how many are before them.
fn nearest(there: &[ReadThere]) -> (u64, &[ReadThere]) {
    let beyond = there.len().saturating_sub(MOST_TOGETHER);
    (beyond as u64, there.get(beyond..).unwrap_or_default())
}

/// Pairs among so many.
fn pairs_of(reads: usize) -> u64 {
    let reads = reads as u64;
    reads * reads.saturating_sub(1) / 2
}

/// Pairs of logical pages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairsReport {
    /// Different pairs.
    pub distinct: u64,
    /// How often any of them met.
    pub occurrences: u64,
    /// Occurrences of a pair, in the mean.
    pub mean_repetition: f64,
    /// Share of the pairs, the most frequent first, that make up half of the occurrences.
    pub share_for_half: f64,
    /// The same for 80%.
    pub share_for_80_percent: f64,
    /// Occurrences of pairs that were not told apart, as there were too many.
    pub dropped: u64,
    /// Occurrences → pairs with so many.
    pub repetitions: BTreeMap<u64, u64>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::RngExt;

    use super::*;
    use wordline_base::ids::{Lpa, Ppa};

    fn read(page: u32, order: u64) -> ReadThere {
        ReadThere { lpa: Lpa(page), ppa: Ppa(page), order }
    }

    #[test]
    fn shares_of_pairs_follow_the_curve() {
        // Ten pairs once, one pair thirty times.
        let curve = BTreeMap::from([(1, 10), (30, 1)]);
        assert!((share_of_pairs(&curve, 11, 15.0) - 0.5 / 11.0).abs() < 1e-12);
        assert!((share_of_pairs(&curve, 11, 32.0) - 3.0 / 11.0).abs() < 1e-12);
    }

    #[test]
    fn reads_that_come_and_go_make_a_pair_once_while_both_are_there() {
        let mut random = wordline_base::rng::stream(1, "collisions test");
        let mut below = |bound: u32| random.random_range(0..bound);
        for _ in 0..50 {
            let (mut there, mut order) = (Vec::new(), 0);
            let (mut together, mut pairs) = (Together::default(), PairCounts::default());
            // Of every two reads that were there at a collision, by their place among the arrivals.
            let mut met = BTreeSet::new();
            let mut naive: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            for _ in 0..100 {
                for _ in 0..below(4) {
                    order += 1;
                    there.push(read(below(8), order));
                    together.comes(order);
                }
                for _ in 0..below(4).min(there.len() as u32) {
                    // The first as a rule; now and then one from the middle.
                    let place = if below(4) == 0 { below(there.len() as u32) as usize } else { 0 };
                    there.remove(place);
                }
                for (number, a) in there.iter().enumerate() {
                    for b in there.iter().take(number).filter(|b| b.lpa != a.lpa) {
                        if met.insert((b.order, a.order)) {
                            *naive.entry((a.lpa.0.min(b.lpa.0), a.lpa.0.max(b.lpa.0))).or_default() += 1;
                        }
                    }
                }
                pairs.add_new(&there, &mut together);
            }
            assert_eq!(pairs.counts, naive);
        }
    }

    #[test]
    fn of_a_long_queue_the_last_are_told_apart_and_the_rest_counted_once() {
        let queue: Vec<_> = (0..1000).map(|page| read(page, u64::from(page) + 1)).collect();
        let (mut together, mut pairs) = (Together::default(), PairCounts::default());
        pairs.add_new(&queue, &mut together);
        pairs.add_new(&queue, &mut together);
        let report = pairs.report();
        assert_eq!(report.occurrences, 64 * 63 / 2);
        assert_eq!(report.dropped, 1000 * 999 / 2 - 64 * 63 / 2);
        let longer: Vec<_> = (0..1001).map(|page| read(page, u64::from(page) + 1)).collect();
        pairs.add_new(&longer, &mut together);
        let report = pairs.report();
        assert_eq!(
            (report.occurrences, report.occurrences + report.dropped),
            (64 * 63 / 2 + 63, 1001 * 1000 / 2)
        );
    }
}
