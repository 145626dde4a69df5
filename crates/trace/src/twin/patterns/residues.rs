//! Where reads begin within aligned groups of pages.

use super::PAGE;
use crate::info::hash::Map;
use crate::twin::model::Skew;

/// Largest group, bytes.
const GROUP: u64 = 1 << 20;
const PLACES: usize = (GROUP / PAGE) as usize;

/// Least share that is more than chance.
const LEAST: f64 = 0.05;

/// How many standard deviations of chance an excess must exceed: the largest of twenty is taken.
const SURE: f64 = 5.0;

/// Reads by the page in which they begin.
#[derive(Default)]
pub(super) struct Begins {
    residues: Residues,
    of_page: Map<u64, u32>,
}

impl Begins {
    pub(super) fn add(&mut self, offset: u64) {
        self.residues.add(offset);
        let count = self.of_page.entry(offset / PAGE).or_default();
        *count = count.saturating_add(1);
    }

    /// Pages that chance would make as uneven as these, were each read as often: few where few get most reads.
    fn alike(&self) -> f64 {
        let counts = self.of_page.values().map(|count| u128::from(*count));
        let (sum, squares) =
            counts.fold((0, 0), |(sum, squares), count| (sum + count, squares + count * count));
        sum as f64 * sum as f64 / f64::max(squares as f64, 1.0)
    }

    /// How much more often reads begin in the first piece of a group than in the mean of all: of the groups with the largest excess the
    /// smallest, with the largest pieces. Nothing where it is no more than chance, were the pages read dealt out at random.
    pub(super) fn skew(&self) -> Option<Skew> {
        self.residues.skew(self.alike())
    }
}

/// Reads by the page in which they begin within the largest group.
struct Residues {
    counts: Vec<u64>,
}

impl Default for Residues {
    fn default() -> Self {
        Self { counts: vec![0; PLACES] }
    }
}

/// Number of the page within its group.
fn place(offset: u64) -> usize {
    (offset % GROUP / PAGE) as usize
}

/// Pages of a group, each twice as many as those before: 16 KiB to 1 MiB.
fn groups() -> impl Iterator<Item = usize> {
    (2..=8).map(|power| 1 << power)
}

impl Residues {
    fn add(&mut self, offset: u64) {
        if let Some(count) = self.counts.get_mut(place(offset)) {
            *count += 1;
        }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum::<u64>() as f64
    }

    /// Reads by their page within groups of so many.
    fn folded(&self, pages: usize) -> Vec<u64> {
        let mut folded = vec![0; pages];
        for group in self.counts.chunks(pages) {
            folded.iter_mut().zip(group).for_each(|(sum, count)| *sum += count);
        }
        folded
    }

    /// Chance that two of them begin alike in groups of so many pages.
    fn chance(&self, pages: usize) -> f64 {
        let total = self.total().max(1.0);
        self.folded(pages).iter().map(|count| (*count as f64 / total) * (*count as f64 / total)).sum()
    }

    /// As [`Begins::skew`], of so many pages that are read alike.
    fn skew(&self, alike: f64) -> Option<Skew> {
        let total = self.total();
        let mut best: Option<Skew> = None;
        for of in [2_usize, 4, 8, 16] {
            for piece in [1_usize, 2, 4, 8, 16] {
                let first: u64 = self.folded(of * piece).iter().take(piece).sum();
                let excess = of as f64 * first as f64 / total.max(1.0) - 1.0;
                let sure = excess > LEAST.max(SURE * libm::sqrt(of as f64 / alike.max(1.0)));
                let known = best.as_ref().map_or(0.0, |best| best.excess);
                let same = best.as_ref().is_some_and(|best| best.of == of as u64);
                // Within a hundredth the same excess: larger pieces of as many, but no more of them.
                if sure && (excess > 1.05 * known || (same && excess > 0.97 * known)) {
                    best = Some(Skew {
                        bytes: piece as u64 * PAGE,
                        of: of as u64,
                        pieces: 1,
                        excess: super::rounded(excess),
                    });
                }
            }
        }
        best
    }
}

/// Requests of bursts that begin as their first one does.
#[derive(Default)]
pub(super) struct Alike {
    residues: Residues,
    /// Of each size of groups.
    alike: [u64; 7],
    all: u64,
}

impl Alike {
    /// A request behind the first one of its burst.
    pub(super) fn add(&mut self, first: u64, offset: u64) {
        self.all += 1;
        self.residues.add(offset);
        for (count, pages) in self.alike.iter_mut().zip(groups()) {
            *count += u64::from(place(first) % pages == place(offset) % pages);
        }
    }

    /// Bytes of the largest groups in which they do, and their share beyond chance; 0 and 0 where they don't.
    pub(super) fn aligned(&self) -> (u64, f64) {
        let shares: Vec<(u64, f64)> = self
            .alike
            .iter()
            .zip(groups())
            .map(|(count, pages)| {
                let chance = self.residues.chance(pages);
                let share = (*count as f64 / (self.all as f64).max(1.0) - chance) / (1.0 - chance).max(1e-9);
                (pages as u64 * PAGE, share.min(1.0))
            })
            .collect();
        let most = shares.iter().map(|share| share.1).fold(0.0, f64::max);
        let largest = shares.iter().rev().find(|share| most > LEAST && share.1 > 0.75 * most);
        largest.copied().unwrap_or((0, 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{below, stream};

    #[test]
    fn the_piece_that_is_read_more_often_is_found() {
        let (mut begins, mut rng) = (Begins::default(), stream(1, "test"));
        // Stripes of four pieces of 8 KiB, the first of which gets half of the reads.
        for _ in 0..60_000 {
            let piece = if below(&mut rng, 2) == 0 { 0 } else { 1 + below(&mut rng, 3) };
            begins.add(below(&mut rng, 512) * 32_768 + piece * 8192 + below(&mut rng, 2) * 4096);
        }
        let skew = begins.skew().unwrap();
        assert_eq!((skew.bytes, skew.of), (8192, 4));
        assert!((skew.excess - 1.0).abs() < 0.05, "{skew:?}");
    }

    #[test]
    fn reads_all_alike_have_no_skew() {
        let mut begins = Begins::default();
        (0..60_000_u64).for_each(|number| begins.add(number * 4096));
        assert_eq!(begins.skew(), None);
    }

    #[test]
    fn popular_pages_that_lie_anywhere_have_no_skew() {
        for theta in [0.9, 1.1, 1.3] {
            for seed in 0..20 {
                let (mut begins, mut rng) = (Begins::default(), stream(seed, "test"));
                // The page of each rank is drawn, and read as often as a Zipf law has it.
                for rank in 1..=20_000 {
                    let page = below(&mut rng, 1 << 24);
                    let reads = 3_000.0 / libm::pow(f64::from(rank), theta);
                    (0..reads.round() as u64).for_each(|_| begins.add(page * PAGE));
                }
                assert_eq!(begins.skew(), None, "theta {theta}, seed {seed}");
            }
        }
    }

    #[test]
    fn requests_that_begin_as_the_first_does_are_told_from_chance() {
        let mut alike = Alike::default();
        for number in 0..40_000_u64 {
            let first = number * 31 % 64 * 4096;
            let chance = number * 4_049 % 64 * 4096;
            alike.add(first, (number << 18) + if number % 10 < 7 { first } else { chance });
        }
        let (bytes, share) = alike.aligned();
        assert_eq!(bytes, 262_144);
        assert!((share - 0.7).abs() < 0.03, "{share}");
    }
}
