//! Draws the places of random requests.

use super::cover::Cover;
use crate::config::{Access, Zone};
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};
use crate::synthetic::{Permutation, Zipf};

/// Blocks of a file, and how they are chosen.
pub(super) struct Places {
    blocks: u64,
    kind: Kind,
    scatter: Permutation,
    rng: Xoshiro256PlusPlus,
}

enum Kind {
    /// Each once before any comes again: the turn, and how often all have come.
    Map {
        next: u64,
        round: u64,
        seed: u64,
    },
    /// The same by requests of several lengths: each block that one of them takes.
    Cover(Cover),
    Uniform,
    Zipf(Zipf),
    /// The exponent: ln h / ln (1 − h).
    Pareto(f64),
    /// Blocks within which the centre of each draw is shifted.
    Normal(f64),
    /// Share of requests up to and including the zone; first block and number.
    Zoned(Vec<(f64, u64, u64)>),
    /// The blocks, which is next, and how far they have moved.
    Sequence {
        list: Vec<u64>,
        next: usize,
        moved: u64,
        stride: bool,
    },
}

/// When a block may come again, of blocks that are all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    AtOnce,
    /// When requests began at all others.
    BehindAll,
    /// When requests took all others, whatever their lengths.
    OnceCovered,
}

/// Draws whose mean a normal place is, as in fio: so the standard deviation is a twelfth of the blocks.
const NORMAL_DRAWS: usize = 12;

impl Places {
    /// Places of `blocks` (at least 1) of `block_bytes`: draws follow from the first seed and name, which of them are hot from the
    /// second ones.
    pub(super) fn new(
        access: &Access,
        blocks: u64,
        block_bytes: u64,
        again: Again,
        [seed, places]: [u64; 2],
        [name, hot]: [&str; 2],
    ) -> Self {
        let kind = match access {
            Access::Random if again == Again::AtOnce => Kind::Uniform,
            Access::Random => match Cover::of(blocks).filter(|_| again == Again::OnceCovered) {
                Some(cover) => Kind::Cover(cover),
                None => Kind::Map { next: 0, round: 0, seed },
            },
            Access::Zipf(theta) => Kind::Zipf(Zipf::new(blocks, *theta)),
            Access::Pareto(h) => Kind::Pareto(libm::log(*h) / libm::log(1.0 - h)),
            Access::Normal(percent) => Kind::Normal((blocks as f64 * percent.min(50.0) / 100.0).ceil()),
            Access::Zoned(zones) => Kind::Zoned(laid_out(zones, blocks, block_bytes)),
            Access::Sequence { blocks, stride } => {
                Kind::Sequence { list: blocks.clone(), next: 0, moved: 0, stride: *stride }
            }
        };
        // What goes through all blocks has no hot ones.
        let (scattered, of) = if matches!(kind, Kind::Map { .. }) { (seed, name) } else { (places, hot) };
        Self {
            blocks,
            kind,
            scatter: Permutation::new(blocks, &mut stream(scattered, &format!("fio.map.{of}"))),
            rng: stream(seed, &format!("fio.places.{name}")),
        }
    }

    /// The next block.
    pub(super) fn draw(&mut self) -> u64 {
        let rng = &mut self.rng;
        match &mut self.kind {
            Kind::Map { next, round, seed } => {
                if *next == self.blocks {
                    (*next, *round) = (0, *round + 1);
                    let mut fresh = stream(*seed, &format!("fio.map.round.{round}"));
                    self.scatter = Permutation::new(self.blocks, &mut fresh);
                }
                *next += 1;
                self.scatter.apply(*next - 1)
            }
            Kind::Cover(cover) => cover.free_from(below(rng, self.blocks)),
            Kind::Uniform => below(rng, self.blocks),
            Kind::Zipf(zipf) => self.scatter.apply(zipf.sample(rng).min(self.blocks - 1)),
            Kind::Pareto(exponent) => {
                let rank = (self.blocks - 1) as f64 * libm::pow(unit(rng), *exponent);
                self.scatter.apply((rank as u64).min(self.blocks - 1))
            }
            Kind::Normal(width) => self.scatter.apply(normal(rng, self.blocks, *width)),
            Kind::Zoned(zones) => {
                let number = unit(rng);
                let zone = zones.iter().find(|zone| number < zone.0).or(zones.last());
                zone.map_or(0, |(_, first, count)| first + below(rng, (*count).max(1)))
            }
            Kind::Sequence { list, next, moved, stride } => {
                let block = list.get(*next).map_or(0, |block| block.wrapping_add(*moved));
                *next += 1;
                if *next >= list.len() {
                    *next = 0;
                    if *stride {
                        *moved = (*moved + list.len() as u64) % self.blocks;
                    }
                }
                block % self.blocks
            }
        }
    }
}

impl Places {
    /// The length of a request that would be so long, at a block that was drawn: it ends where another has been.
    pub(super) fn cut(&mut self, block: u64, length: u64, block_bytes: u64) -> u64 {
        match &mut self.kind {
            Kind::Cover(cover) => {
                let count = cover.take(block, length.div_ceil(block_bytes));
                length.min(count.saturating_mul(block_bytes))
            }
            _ => length,
        }
    }
}

/// A place about the middle, whose own centre lies within half the width to either side of it. A shift beyond the blocks is halved
/// until it isn't, so that none of the ends gets all that would lie behind it.
fn normal(rng: &mut Xoshiro256PlusPlus, blocks: u64, width: f64) -> u64 {
    let mean = (0..NORMAL_DRAWS).map(|_| unit(rng)).sum::<f64>() / NORMAL_DRAWS as f64;
    let place = ((mean * blocks as f64) as u64).min(blocks - 1);
    let mut shift = if width > 0.0 { ((unit(rng) - 0.5) * width) as i64 } else { 0 };
    loop {
        match place.checked_add_signed(shift).filter(|place| *place < blocks) {
            Some(place) => return place,
            None => shift /= 2,
        }
    }
}

/// Zones with a place; what is left of the requests and of the space goes to a last one, as in fio.
fn laid_out(zones: &[Zone], blocks: u64, block_bytes: u64) -> Vec<(f64, u64, u64)> {
    let (mut share, mut first) = (0.0, 0);
    let mut out = Vec::new();
    for zone in zones {
        let wanted = match zone.bytes {
            Some(bytes) => bytes / block_bytes.max(1),
            None => (blocks as f64 * zone.space.unwrap_or(0.0) / 100.0).round() as u64,
        };
        let count = wanted.min(blocks.saturating_sub(first));
        share += zone.access / 100.0;
        if count > 0 {
            out.push((share, first, count));
        }
        first += count;
    }
    if out.is_empty() || (share < 1.0 - 1e-9 && first < blocks) {
        out.push((1.0, first.min(blocks - 1), (blocks - first).max(1)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(access: Access, draws: usize, replaced: bool) -> Vec<u32> {
        let again = if replaced { Again::AtOnce } else { Again::BehindAll };
        let mut places = Places::new(&access, 100, 4096, again, [1, 1], ["test", "test"]);
        let mut counts = vec![0; 100];
        (0..draws).for_each(|_| counts[places.draw() as usize] += 1);
        counts
    }

    #[test]
    fn the_random_map_takes_every_block_once_a_round() {
        assert_eq!(counts(Access::Random, 300, false), [3; 100]);
        assert!(counts(Access::Random, 300, true).iter().any(|count| *count != 3));
    }

    #[test]
    fn pareto_h_of_the_requests_go_to_the_rest_of_the_places() {
        let mut found = counts(Access::Pareto(0.2), 100_000, false);
        found.sort_unstable_by(|a, b| b.cmp(a));
        let hot: u32 = found[..20].iter().sum();
        assert!((78_000..83_000).contains(&hot), "{hot}");
    }

    /// Standard deviation of the ranks that a normal distribution draws, in shares of the blocks, and the most draws of one block.
    fn spread(percent: f64) -> (f64, u32) {
        let mut rng = stream(1, "test");
        let mut counts = vec![0_u32; 1000];
        let width = percent * 10.0;
        (0..200_000).for_each(|_| counts[normal(&mut rng, 1000, width) as usize] += 1);
        let squares = counts.iter().zip(0_u32..).map(|(count, rank)| {
            let from_middle = f64::from(rank) - 499.5;
            f64::from(*count) * from_middle * from_middle
        });
        let deviation = (squares.sum::<f64>() / 200_000.0).sqrt() / 1000.0;
        (deviation, counts.into_iter().max().unwrap())
    }

    #[test]
    fn normal_places_spread_over_a_twelfth_and_over_their_deviation_too() {
        // The deviation is the width of an even shift: its variance is a twelfth of its square.
        for percent in [0.0, 10.0, 50.0] {
            let (found, most) = spread(percent);
            let expected = (1.0 / 144.0 + percent * percent / 120_000.0).sqrt();
            assert!((found / expected - 1.0).abs() < 0.02, "{percent}: {found}, not {expected}");
            assert!(most < 1_200, "{percent}: {most} of one block");
        }
    }

    #[test]
    fn a_normal_distribution_of_no_deviation_has_many_places() {
        let found = counts(Access::Normal(0.0), 100_000, false);
        assert!(found.iter().filter(|count| **count > 100).count() > 40, "{found:?}");
        let wide = counts(Access::Normal(100.0), 100_000, false);
        assert!(wide.iter().max() < Some(&3_000), "{wide:?}");
    }

    #[test]
    fn zones_get_their_shares() {
        let zone = |access, space| Zone { access, space: Some(space), bytes: None };
        let found = counts(
            Access::Zoned(vec![zone(60.0, 10.0), zone(30.0, 20.0), zone(8.0, 30.0), zone(2.0, 40.0)]),
            100_000,
            false,
        );
        let sum = |range: std::ops::Range<usize>| found[range].iter().sum::<u32>();
        assert!((59_000..61_000).contains(&sum(0..10)));
        assert!((29_000..31_000).contains(&sum(10..30)));
        assert!((1_800..2_200).contains(&sum(60..100)));
    }

    #[test]
    fn zones_of_bytes_leave_the_rest_to_a_last_one() {
        let zone = |access, bytes| Zone { access, space: None, bytes: Some(bytes) };
        let found = counts(Access::Zoned(vec![zone(90.0, 4096 * 10)]), 10_000, false);
        let first: u32 = found[..10].iter().sum();
        assert!((8_800..9_200).contains(&first), "{first}");
        assert!(found[10..].iter().all(|count| *count < 60));
    }
}
