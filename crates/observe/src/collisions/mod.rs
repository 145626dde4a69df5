//! Read collisions as Jun et al. analyse them (papers/000, §II), for any scheme and workload.
//!
//! The text leaves open when a collision is counted. Two readings stand side by side: one that looks at each read as it is
//! issued to its die, and one that looks at the state of the dies every so many nanoseconds. `docs/collision.md` compares
//! both with the paper's table.

mod pairs;

use serde::{Deserialize, Serialize};

pub use pairs::PairsReport;
use pairs::{PairCounts, ratio};
use wordline_base::request::ReadThere;
use wordline_base::time::Ns;
use wordline_systems::collision::together::Together;

/// Time between two samples where the description names none, ns (§II-C).
pub const SAMPLE_NS: u64 = 10_000;

/// Chance that a read meets one of `others` that lie at random on the dies.
fn meets_one(others: u32, dies: u32) -> f64 {
    1.0 - (1.0 - 1.0 / f64::from(dies.max(1))).powi(others.min(1 << 20) as i32)
}

/// Chance that of so many reads at random on the dies two lie on one.
fn some_meet(reads: u32, dies: u32) -> f64 {
    if reads > dies {
        return 1.0;
    }
    1.0 - (0..reads).map(|read| 1.0 - f64::from(read) / f64::from(dies.max(1))).product::<f64>()
}

/// Where an operation is that goes before a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The die is at it.
    Running,
    /// It waits at the die, and none of its kind runs there.
    Queued,
}

/// What goes before a read that is issued.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ahead {
    /// A program.
    pub program: Option<Place>,
    /// An erase.
    pub erase: Option<Place>,
}

/// The recorder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CollisionProbe {
    every: u64,
    next: Ns,
    by_die: Vec<u64>,
    issued: u64,
    programs_ahead: u64,
    erases_ahead: u64,
    programs_queued: u64,
    erases_queued: u64,
    collisions: u64,
    imbalanced: u64,
    expected: f64,
    recorded: PairCounts,
    together: Vec<Together>,
    new: PairCounts,
    samples: u64,
    busy_samples: u64,
    with_idle_die: u64,
    outstanding: u128,
    with_collision: u64,
    with_imbalanced: u64,
    expected_samples: f64,
    sampled: PairCounts,
    sampled_together: Vec<Together>,
}

impl CollisionProbe {
    /// From `start` on, on so many dies, with a sample every so many ns (0: 10 µs).
    pub fn begin(start: Ns, dies: usize, every: u64) -> Self {
        Self {
            every: if every == 0 { SAMPLE_NS } else { every },
            next: start,
            by_die: vec![0; dies],
            issued: 0,
            programs_ahead: 0,
            erases_ahead: 0,
            programs_queued: 0,
            erases_queued: 0,
            collisions: 0,
            imbalanced: 0,
            expected: 0.0,
            recorded: PairCounts::default(),
            together: vec![Together::default(); dies],
            new: PairCounts::default(),
            samples: 0,
            busy_samples: 0,
            with_idle_die: 0,
            outstanding: 0,
            with_collision: 0,
            with_imbalanced: 0,
            expected_samples: 0.0,
            sampled: PairCounts::default(),
            sampled_together: vec![Together::default(); dies],
        }
    }

    /// The next sample.
    pub fn next(&self) -> Ns {
        self.next
    }

    /// A read was issued to a die, the last of `there`. `loads` are the commands of all dies, `reads` the reads of all.
    pub fn issued(&mut self, die: usize, there: &[ReadThere], loads: &[u32], reads: u32, ahead: Ahead) {
        self.issued += 1;
        self.programs_ahead += u64::from(ahead.program == Some(Place::Running));
        self.erases_ahead += u64::from(ahead.erase == Some(Place::Running));
        self.programs_queued += u64::from(ahead.program == Some(Place::Queued));
        self.erases_queued += u64::from(ahead.erase == Some(Place::Queued));
        if let Some(count) = self.by_die.get_mut(die) {
            *count += 1;
        }
        self.expected += meets_one(reads.saturating_sub(1), loads.len() as u32);
        let ([others @ .., last], Some(together)) = (there, self.together.get_mut(die)) else { return };
        if others.is_empty() {
            return together.is_alone();
        }
        together.comes(last.order);
        if let Some(sampled) = self.sampled_together.get_mut(die) {
            sampled.comes(last.order);
        }
        self.collisions += 1;
        let here = loads.get(die).copied().unwrap_or(0);
        let least = loads.iter().copied().min().unwrap_or(0);
        if here.saturating_sub(least) < 2 {
            return;
        }
        self.imbalanced += 1;
        self.new.add_with_last(there);
        self.recorded.add_new(there, together);
    }

    /// Takes the samples before `until`, of a state that holds until then: the commands at each die, and the reads of the
    /// host among them.
    pub fn take<'a>(&mut self, until: Ns, loads: &[u32], reads_at: impl Fn(usize) -> &'a [ReadThere]) {
        if self.next >= until {
            return;
        }
        let times = until.since(self.next).0.div_ceil(self.every);
        self.next = Ns(self.next.0.saturating_add(self.every.saturating_mul(times)));
        self.samples += times;
        let total: u32 = loads.iter().sum();
        if total == 0 {
            return;
        }
        self.busy_samples += times;
        self.outstanding += u128::from(total) * u128::from(times);
        let least = loads.iter().copied().min().unwrap_or(0);
        self.with_idle_die += if least == 0 { times } else { 0 };
        let (mut collides, mut imbalanced, mut reads) = (false, false, 0);
        for (die, (&load, together)) in loads.iter().zip(&mut self.sampled_together).enumerate() {
            let there = reads_at(die);
            reads += there.len() as u32;
            if there.len() < 2 {
                continue;
            }
            collides = true;
            if load - least >= 2 {
                imbalanced = true;
                self.sampled.add_new(there, together);
            }
        }
        self.with_collision += if collides { times } else { 0 };
        self.with_imbalanced += if imbalanced { times } else { 0 };
        self.expected_samples += some_meet(reads, loads.len() as u32) * times as f64;
    }

    /// Everything so far.
    pub fn report(&self) -> CollisionReport {
        let mean = ratio(self.issued, self.by_die.len() as u64);
        let square = |&count: &u64| (count as f64 - mean).powi(2);
        let variance = self.by_die.iter().map(square).sum::<f64>() / self.by_die.len().max(1) as f64;
        let busy = self.busy_samples.max(1) as f64;
        let sampled = self.sampled.report();
        CollisionReport {
            reads_issued: self.issued,
            reads_by_die: self.by_die.clone(),
            relative_std: if mean > 0.0 { variance.sqrt() / mean } else { 0.0 },
            programs_ahead: self.programs_ahead,
            erases_ahead: self.erases_ahead,
            programs_queued: self.programs_queued,
            erases_queued: self.erases_queued,
            at_issue: IssueReading {
                collisions: self.collisions,
                measured_ratio: ratio(self.collisions, self.issued),
                expected_ratio: self.expected / self.issued.max(1) as f64,
                imbalanced_share: ratio(self.imbalanced, self.collisions),
                pairs: self.recorded.report(),
                new_pairs: self.new.report(),
            },
            sampled: SampledReading {
                every_ns: self.every,
                samples: self.samples,
                busy_samples: self.busy_samples,
                average_outstanding: self.outstanding as f64 / self.samples.max(1) as f64,
                average_outstanding_busy: self.outstanding as f64 / busy,
                with_idle_die: ratio(self.with_idle_die, self.busy_samples),
                measured_ratio: ratio(self.with_collision, self.busy_samples),
                expected_ratio: self.expected_samples / busy,
                imbalanced_share: ratio(self.with_imbalanced, self.with_collision),
                pairs_for_each_read: ratio(sampled.occurrences, self.issued),
                pairs: sampled,
            },
        }
    }
}

/// Read collisions in the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CollisionReport {
    /// Reads of flash pages that the host's requests issued to dies.
    pub reads_issued: u64,
    /// The same by die.
    pub reads_by_die: Vec<u64>,
    /// Their standard deviation over the dies, divided by their mean (§II-C, table 3).
    pub relative_std: f64,
    /// Those that found their die busy with a program.
    pub programs_ahead: u64,
    /// Those that found it busy with an erase.
    pub erases_ahead: u64,
    /// Those that found it busy with something else, and a program waiting there before them.
    pub programs_queued: u64,
    /// The same of an erase.
    pub erases_queued: u64,
    /// Collisions as reads are issued.
    pub at_issue: IssueReading,
    /// Collisions in samples of the dies' state.
    pub sampled: SampledReading,
}

/// A collision is a read that is issued to a die with an outstanding read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IssueReading {
    /// Collisions.
    pub collisions: u64,
    /// Share of the reads.
    pub measured_ratio: f64,
    /// The same had each met as many reads, at random on the dies.
    pub expected_ratio: f64,
    /// Share of the collisions that are imbalanced.
    pub imbalanced_share: f64,
    /// Pairs of the reads at the die of an imbalanced collision, each once while both are queued.
    pub pairs: PairsReport,
    /// Those with the read that came only.
    pub new_pairs: PairsReport,
}

/// The state of the dies at fixed instants; ratios are over those with an outstanding command.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SampledReading {
    /// Time between two samples, ns.
    pub every_ns: u64,
    /// Samples.
    pub samples: u64,
    /// Those with an outstanding command.
    pub busy_samples: u64,
    /// Mean commands outstanding on all dies, over all samples.
    pub average_outstanding: f64,
    /// The same over the busy ones.
    pub average_outstanding_busy: f64,
    /// Share with a die that has nothing to do.
    pub with_idle_die: f64,
    /// Share with two reads on one die.
    pub measured_ratio: f64,
    /// The same had the reads lain at random.
    pub expected_ratio: f64,
    /// Share of those with an imbalanced collision, of those with any.
    pub imbalanced_share: f64,
    /// Occurrences of imbalanced pairs, for each read issued.
    pub pairs_for_each_read: f64,
    /// Imbalanced pairs, each once while both reads are queued.
    pub pairs: PairsReport,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use wordline_base::ids::{Lpa, Ppa};

    /// Reads of these logical pages, in the order in which they came.
    fn reads(pages: &[(u32, u64)]) -> Vec<ReadThere> {
        pages.iter().map(|&(page, order)| ReadThere { lpa: Lpa(page), ppa: Ppa(page), order }).collect()
    }

    #[test]
    fn a_third_read_makes_three_pairs_and_a_fourth_three_more() {
        let mut probe = CollisionProbe::begin(Ns::ZERO, 3, 0);
        let program = |place| Ahead { program: Some(place), erase: None };
        probe.issued(0, &reads(&[(1, 1)]), &[1, 1, 1], 1, program(Place::Running));
        // Balanced: recorded when the third comes, with those of the third, and not again with the fourth.
        probe.issued(0, &reads(&[(1, 1), (2, 2)]), &[2, 1, 1], 2, program(Place::Queued));
        let three = reads(&[(1, 1), (2, 2), (3, 3)]);
        probe.issued(0, &three, &[3, 1, 1], 3, Ahead::default());
        let of_three = probe.report().at_issue;
        assert_eq!((of_three.pairs.distinct, of_three.new_pairs.distinct), (3, 2));
        let four = reads(&[(1, 1), (2, 2), (3, 3), (4, 4)]);
        probe.issued(0, &four, &[4, 1, 1], 4, Ahead::default());
        probe.issued(1, &reads(&[(8, 5), (9, 6)]), &[4, 2, 1], 6, Ahead::default());
        let report = probe.report();
        let issue = &report.at_issue;
        assert_eq!((report.reads_issued, issue.collisions, report.programs_ahead), (5, 4, 1));
        assert_eq!((report.programs_queued, report.erases_ahead, report.erases_queued), (1, 0, 0));
        assert_eq!(issue.imbalanced_share, 2.0 / 4.0);
        assert_eq!((issue.new_pairs.distinct, issue.new_pairs.occurrences), (5, 5));
        assert_eq!((issue.pairs.distinct, issue.pairs.occurrences), (6, 6));
        assert_eq!(issue.pairs.repetitions, BTreeMap::from([(1, 6)]));
        let expected =
            (0.0 + 1.0 / 3.0 + 5.0 / 9.0 + (1.0 - (2.0f64 / 3.0).powi(3)) + (1.0 - (2.0f64 / 3.0).powi(5)))
                / 5.0;
        assert!((issue.expected_ratio - expected).abs() < 1e-12);
        assert!((report.relative_std - (26.0f64 / 9.0).sqrt() / (5.0 / 3.0)).abs() < 1e-12);
        // The same pages again are another meeting.
        probe.issued(0, &reads(&[(1, 7), (2, 8)]), &[2, 0, 0], 2, Ahead::default());
        let again = probe.report().at_issue.pairs;
        assert_eq!((again.distinct, again.occurrences), (6, 7));
    }

    #[test]
    fn samples_count_for_as_long_as_their_state_holds_and_pairs_once() {
        let mut probe = CollisionProbe::begin(Ns(0), 2, 10);
        let first = |reads: &'static [ReadThere]| move |die| if die == 0 { reads } else { &[] };
        let reads = |pages| &*reads(pages).leak();
        probe.take(Ns(25), &[2, 0], first(reads(&[(1, 1), (2, 2)])));
        probe.take(Ns(26), &[0, 0], first(&[]));
        probe.take(Ns(100), &[0, 0], first(&[]));
        probe.take(Ns(101), &[1, 0], first(reads(&[(5, 3)])));
        let sampled = probe.report().sampled;
        assert_eq!((sampled.samples, sampled.busy_samples, sampled.pairs.occurrences), (11, 4, 1));
        assert_eq!((sampled.average_outstanding_busy, sampled.with_idle_die), (7.0 / 4.0, 1.0));
        assert_eq!((sampled.measured_ratio, sampled.expected_ratio), (0.75, 3.0 * 0.5 / 4.0));
    }

    #[test]
    fn chances_of_meeting_are_those_of_balls_in_bins() {
        assert!((some_meet(8, 16) - 0.879).abs() < 0.001 && some_meet(17, 16) == 1.0);
    }
}
