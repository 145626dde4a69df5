//! Where single requests begin: how popular places are, and reads that come back soon.

use super::runs::Runs;
use super::{ClassPattern, PAGE, rounded};
use crate::info::sample::Sample;
use crate::info::zipf;
use crate::twin::page_counts::{KINDS, PageCounts, PageKind};

/// Places of a class that are followed at most.
const MOST: usize = 1 << 18;

/// The latest reads that are looked at: 2^6 to 2^12.
const LATEST: std::ops::RangeInclusive<u32> = 6..=12;

/// Least share of reads that come back soon, and least skew of popularity, that are told.
const LEAST_RECENT: f64 = 0.05;
const LEAST_THETA: f64 = 0.2;
const LEAST_FRESH: f64 = 0.15;

/// Single requests of each kind of pages.
#[derive(Default)]
pub(super) struct Places {
    kinds: [Class; KINDS],
}

struct Class {
    places: Sample<u64, Place>,
    /// Of all places, and of those that are followed.
    reads: u64,
    writes: u64,
    /// Reads of followed places by how many reads of the class ago the place was read: up to 2^n. Later ones don't count.
    back: [u64; 32],
}

#[derive(Clone, Copy, Default)]
struct Place {
    reads: u32,
    writes: u32,
    /// Reads that didn't come back within the longest distance that is looked at.
    fresh: u32,
    last: u64,
}

impl Places {
    /// A single request that begins at a page of this kind.
    pub(super) fn add(&mut self, kind: PageKind, offset: u64, read: bool) {
        if let Some(class) = self.kinds.get_mut(kind as usize) {
            class.add(offset / PAGE, read);
        }
    }

    /// The pages of each kind that has any.
    pub(super) fn finish(&self, pages: &PageCounts, runs: &Runs) -> Vec<ClassPattern> {
        let reads: u64 = self.kinds.iter().map(|class| class.reads).sum();
        let writes: u64 = self.kinds.iter().map(|class| class.writes).sum();
        let share = |part: u64, whole: u64| part as f64 / (whole as f64).max(1.0);
        let all = PageKind::ALL.into_iter().zip(pages.by_kind()).zip(&self.kinds);
        let there = all.filter(|((_, pages), _)| *pages > 0);
        there
            .map(|((kind, pages), class)| {
                let (recent_share, recent_reads) = class.recent();
                let theta = class.theta(recent_share);
                let (run, run_by_chance) = runs.means(kind);
                let turn = runs.turn(kind);
                ClassPattern {
                    class: kind,
                    pages,
                    bytes: class.pages_drawn(theta, recent_share).max(pages) * PAGE,
                    reads: rounded(share(class.reads, reads)),
                    writes: rounded(share(class.writes, writes)),
                    theta: rounded(theta),
                    recent_share: rounded(recent_share),
                    recent_reads,
                    run: rounded(run),
                    run_by_chance: rounded(run_by_chance),
                    turn: rounded(turn),
                }
            })
            .collect()
    }
}

impl Default for Class {
    fn default() -> Self {
        Self { places: Sample::of(MOST), reads: 0, writes: 0, back: [0; 32] }
    }
}

impl Class {
    fn add(&mut self, page: u64, read: bool) {
        self.reads += u64::from(read);
        self.writes += u64::from(!read);
        let Some(place) = self.places.at(page) else { return };
        if read {
            let ago = self.reads - place.last;
            let again = place.reads > 0;
            if again {
                let bin = ago.next_power_of_two().trailing_zeros() as usize;
                if let Some(count) = self.back.get_mut(bin) {
                    *count += 1;
                }
            }
            place.fresh += u32::from(!again || ago > 1 << *LATEST.end());
            (place.reads, place.last) = (place.reads.saturating_add(1), self.reads);
        } else {
            place.writes = place.writes.saturating_add(1);
        }
    }

    /// Share of the reads that come back to one of the latest beyond what popularity makes, and how many these are: the fewest with
    /// nine tenths of the largest share.
    fn recent(&self) -> (f64, u32) {
        // What was read of places that are followed, and of those that were given up.
        let followed = (self.reads as f64 * self.places.rate()).max(1.0);
        let shares: Vec<(u32, f64)> = LATEST
            .map(|power| {
                let latest = f64::from(1_u32 << power);
                let back: u64 = self.back.iter().take(power as usize + 1).sum();
                let chance: f64 = self
                    .places
                    .values()
                    .map(|place| place.comes_within(latest, self.reads, self.places.rate()))
                    .sum();
                let share = back as f64 / followed;
                (1 << power, (share - chance) / (1.0 - chance).max(0.05))
            })
            .collect();
        let most = shares.iter().map(|share| share.1).fold(0.0, f64::max);
        let fewest = shares.iter().find(|share| share.1 >= 0.9 * most);
        match fewest {
            Some((reads, share)) if *share >= LEAST_RECENT && self.reads > 1_000 => (share.min(0.99), *reads),
            _ => (0.0, 0),
        }
    }

    /// Skew of popularity; 0 where places are all alike.
    fn theta(&self, recent_share: f64) -> f64 {
        let fit = |count: fn(&Place) -> u32| {
            let mut counts: Vec<u32> = self.places.values().map(count).collect();
            counts.sort_unstable_by(|a, b| b.cmp(a));
            zipf::fit(&counts).map_or(0.0, |fit| fit.theta)
        };
        // Reads that come back make some places popular for a while: without them all may be alike.
        if recent_share > 0.0 && fit(|place| place.fresh + place.writes) < LEAST_FRESH {
            return 0.0;
        }
        let theta = fit(|place| place.reads + place.writes);
        if theta < LEAST_THETA { 0.0 } else { theta.min(3.0) }
    }

    /// Pages that the requests are drawn from, so that as many different ones came as did.
    fn pages_drawn(&self, theta: f64, recent_share: f64) -> u64 {
        let different = self.places.len() as f64 / self.places.rate();
        let draws = self.reads as f64 * (1.0 - recent_share) + self.writes as f64;
        if different < 1.0 || draws <= different {
            return different as u64;
        }
        let (mut low, mut high) = (different, 64.0 * different);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if different_of(middle, theta, draws) < different { low = middle } else { high = middle }
        }
        low as u64
    }
}

impl Place {
    /// Reads of this place among all whose place was read within the latest, were each read drawn by itself.
    fn comes_within(&self, latest: f64, reads: u64, rate: f64) -> f64 {
        let chance = f64::from(self.reads) / (reads as f64).max(1.0);
        chance / rate * -libm::expm1(latest * libm::log1p(-chance.min(1.0 - 1e-12)))
    }
}

/// Different pages of so many that come in so many draws by Zipf's law; ranks in steps of a tenth.
fn different_of(pages: f64, theta: f64, draws: f64) -> f64 {
    let steps = || {
        std::iter::successors(Some(1.0), |rank: &f64| Some((rank + 1.0).max(libm::floor(rank * 1.1))))
            .take_while(move |rank| *rank <= pages)
            .map(move |rank| (rank, ((rank + 1.0).max(libm::floor(rank * 1.1)).min(pages + 1.0) - rank)))
    };
    let weight = |rank: f64, count: f64| libm::exp(-theta * libm::log(rank + (count - 1.0) / 2.0));
    let total: f64 = steps().map(|(rank, count)| count * weight(rank, count)).sum();
    steps().map(|(rank, count)| count * -libm::expm1(-draws * weight(rank, count) / total)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::hash::mix;
    use crate::rng::{below, stream, unit};
    use crate::synthetic::Zipf;

    fn found(pages: u64, theta: f64, recent: (f64, u64), draws: usize) -> Class {
        let (mut rng, zipf) = (stream(1, "test"), Zipf::new(pages, theta));
        let (mut class, mut past) = (Class::default(), Vec::<u64>::new());
        for _ in 0..draws {
            let back = unit(&mut rng) < recent.0 && !past.is_empty();
            let page = if back {
                past[past.len() - 1 - below(&mut rng, recent.1.min(past.len() as u64)) as usize]
            } else {
                mix(zipf.sample(&mut rng)) >> 20
            };
            past.push(page);
            class.add(page, true);
        }
        class
    }

    #[test]
    fn popularity_and_the_pages_behind_it_are_found_again() {
        for (pages, theta) in [(16_384, 0.6), (16_384, 0.8), (65_536, 1.0)] {
            let class = found(pages, theta, (0.0, 1), 200_000);
            let (recent, _) = class.recent();
            assert!(recent < LEAST_RECENT, "{recent}");
            let law = class.theta(recent);
            assert!((law - theta).abs() < 0.12, "{law} for {theta}");
            let drawn = class.pages_drawn(theta, 0.0) as f64 / pages as f64;
            assert!((0.9..1.1).contains(&drawn), "{drawn}");
        }
    }

    #[test]
    fn places_all_alike_have_no_skew() {
        let class = found(8_192, 0.0, (0.0, 1), 100_000);
        assert!(class.theta(0.0).abs() < 1e-9, "{}", class.theta(0.0));
    }

    #[test]
    fn reads_that_come_back_soon_are_told_from_popularity() {
        for (theta, share, latest) in [(0.0, 0.5, 100), (0.0, 0.3, 1_000), (0.8, 0.6, 4_096)] {
            let class = found(100_000, theta, (share, latest), 200_000);
            let (recent, reads) = class.recent();
            assert!((recent - share).abs() < 0.1, "{recent} for {share}");
            assert!((latest / 2..=latest * 2).contains(&u64::from(reads)), "{reads} for {latest}");
            assert_eq!(class.theta(recent) > 0.0, theta > 0.0, "{}", class.theta(recent));
        }
    }
}
