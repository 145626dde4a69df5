//! Pairs of reads that are at a die together, and how often.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::ids::Lpa;

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
    /// A page met each of these once.
    pub fn add_all(&mut self, page: Lpa, others: &[Lpa]) {
        let (beyond, near) = nearest(others);
        near.iter().for_each(|&other| self.add(other, page, 1));
        self.dropped += beyond;
    }

    fn add(&mut self, a: Lpa, b: Lpa, times: u64) {
        let pair = (a.0.min(b.0), a.0.max(b.0));
        if pair.0 == pair.1 {
            return;
        }
        if self.counts.len() >= MOST_PAIRS && !self.counts.contains_key(&pair) {
            self.dropped += times;
            return;
        }
        *self.counts.entry(pair).or_default() += times;
        self.occurrences += times;
    }

    /// What was counted, and what those who are together still have met.
    pub fn report(&self, together: &[Together]) -> PairsReport {
        let mut all = self.clone();
        together.iter().for_each(|group| group.clone().part(&mut all));
        all.counted()
    }

    fn counted(&self) -> PairsReport {
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
fn nearest(there: &[Lpa]) -> (u64, &[Lpa]) {
    let beyond = there.len().saturating_sub(MOST_TOGETHER);
    (beyond as u64, there.get(beyond..).unwrap_or_default())
}

/// Pairs among so many.
fn pairs_of(reads: usize) -> u64 {
    let reads = reads as u64;
    reads * reads.saturating_sub(1) / 2
}

/// The reads at one die when something last happened there. How often two met is counted when one of them is gone: a queue of
/// n reads takes n additions for each that passes through it, and not n² at each.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Together {
    /// What happened so far.
    clock: u64,
    /// The reads, in their order, and the clock before each came.
    members: Vec<(Lpa, u64)>,
}

impl Together {
    /// These reads are at the die, so many times more.
    pub fn meet(&mut self, there: &[Lpa], times: u64, pairs: &mut PairCounts) {
        let (_, near) = nearest(there);
        pairs.dropped += (pairs_of(there.len()) - pairs_of(near.len())) * times;
        let mut coming = near.iter().peekable();
        let mut stay = Vec::with_capacity(near.len());
        let mut gone = Vec::new();
        for &member in &self.members {
            let stays = coming.next_if(|&&read| read == member.0).is_some();
            if stays { stay.push(member) } else { gone.push(member) }
        }
        self.settle(&gone, &stay, pairs);
        stay.extend(coming.map(|&read| (read, self.clock)));
        self.members = stay;
        self.clock += times;
    }

    /// Counts how often those who are gone met each other and those who stay.
    fn settle(&self, gone: &[(Lpa, u64)], stay: &[(Lpa, u64)], pairs: &mut PairCounts) {
        for (number, first) in gone.iter().enumerate() {
            for second in gone.iter().skip(number + 1).chain(stay) {
                let times = self.clock - first.1.max(second.1);
                if times > 0 {
                    pairs.add(first.0, second.0, times);
                }
            }
        }
    }

    /// All go.
    fn part(self, pairs: &mut PairCounts) {
        self.settle(&self.members, &[], pairs);
    }
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
    use rand::RngExt;

    use super::*;

    #[test]
    fn shares_of_pairs_follow_the_curve() {
        // Ten pairs once, one pair thirty times.
        let curve = BTreeMap::from([(1, 10), (30, 1)]);
        assert!((share_of_pairs(&curve, 11, 15.0) - 0.5 / 11.0).abs() < 1e-12);
        assert!((share_of_pairs(&curve, 11, 32.0) - 3.0 / 11.0).abs() < 1e-12);
    }

    /// Each pair of those present, at each meeting: what [`Together`] counts with less work.
    fn naive(meetings: &[(Vec<Lpa>, u64)]) -> PairCounts {
        let mut pairs = PairCounts::default();
        for (there, times) in meetings {
            for (number, &a) in there.iter().enumerate() {
                there[..number].iter().for_each(|&b| pairs.add(a, b, *times));
            }
        }
        pairs
    }

    #[test]
    fn reads_that_come_and_go_meet_as_often_as_they_are_there_together() {
        let mut random = crate::rng::stream(1, "collisions test");
        let mut below = |bound: u32| random.random_range(0..bound);
        for _ in 0..50 {
            let (mut there, mut meetings) = (Vec::new(), Vec::new());
            for _ in 0..100 {
                for _ in 0..below(4) {
                    there.push(Lpa(below(8)));
                }
                for _ in 0..below(4).min(there.len() as u32) {
                    // The first as a rule; now and then one from the middle.
                    let place = if below(4) == 0 { below(there.len() as u32) as usize } else { 0 };
                    there.remove(place);
                }
                meetings.push((there.clone(), u64::from(below(3) + 1)));
            }
            let (mut together, mut pairs) = (Together::default(), PairCounts::default());
            meetings.iter().for_each(|(there, times)| together.meet(there, *times, &mut pairs));
            assert_eq!(pairs.report(&[together]), naive(&meetings).report(&[]));
        }
    }

    #[test]
    fn of_a_long_queue_the_last_are_told_apart_and_the_rest_counted() {
        let queue: Vec<Lpa> = (0..1000).map(Lpa).collect();
        let (mut together, mut pairs) = (Together::default(), PairCounts::default());
        together.meet(&queue, 2, &mut pairs);
        let report = pairs.report(&[together]);
        assert_eq!(report.occurrences, 2 * 64 * 63 / 2);
        assert_eq!(report.dropped, 2 * (1000 * 999 / 2 - 64 * 63 / 2));
    }
}
