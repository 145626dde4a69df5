//! Draws the places of random requests.

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
    Uniform,
    Zipf(Zipf),
    /// The exponent: ln h / ln (1 − h).
    Pareto(f64),
    /// Standard deviation, blocks.
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

impl Places {
    /// Places of `blocks` (at least 1) of `block_bytes`: draws follow from `seed`, which of them are hot from `places`.
    pub(super) fn new(
        access: &Access,
        blocks: u64,
        block_bytes: u64,
        replaced: bool,
        [seed, places]: [u64; 2],
        name: &str,
    ) -> Self {
        let kind = match access {
            Access::Random if replaced => Kind::Uniform,
            Access::Random => Kind::Map { next: 0, round: 0, seed },
            Access::Zipf(theta) => Kind::Zipf(Zipf::new(blocks, *theta)),
            Access::Pareto(h) => Kind::Pareto(libm::log(*h) / libm::log(1.0 - h)),
            Access::Normal(percent) => Kind::Normal(blocks as f64 * percent / 100.0),
            Access::Zoned(zones) => Kind::Zoned(laid_out(zones, blocks, block_bytes)),
            Access::Sequence { blocks, stride } => {
                Kind::Sequence { list: blocks.clone(), next: 0, moved: 0, stride: *stride }
            }
        };
        // What goes through all blocks has no hot ones.
        let scattered = if matches!(kind, Kind::Map { .. }) { seed } else { places };
        Self {
            blocks,
            kind,
            scatter: Permutation::new(blocks, &mut stream(scattered, &format!("fio.map.{name}"))),
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
            Kind::Uniform => below(rng, self.blocks),
            Kind::Zipf(zipf) => self.scatter.apply(zipf.sample(rng).min(self.blocks - 1)),
            Kind::Pareto(exponent) => {
                let rank = (self.blocks - 1) as f64 * libm::pow(unit(rng), *exponent);
                self.scatter.apply((rank as u64).min(self.blocks - 1))
            }
            Kind::Normal(deviation) => {
                // Box and Muller; what falls outside is drawn to the nearest end.
                let radius = libm::sqrt(-2.0 * libm::log(1.0 - unit(rng)));
                let normal = radius * libm::cos(2.0 * std::f64::consts::PI * unit(rng));
                let place = self.blocks as f64 / 2.0 + normal * *deviation;
                self.scatter.apply((place.max(0.0) as u64).min(self.blocks - 1))
            }
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
        let mut places = Places::new(&access, 100, 4096, replaced, [1, 1], "test");
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
