//! Shuffler (papers/001 §3): blocks of a superblock that were read unevenly exchange cards as a superblock is reclaimed, in a
//! Latin square, so that what lay in one superpage still does.

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use crate::events::WornBlock;
use crate::reclaim::mover::{Order, Shape};
use crate::reclaim::{Decision, ReadReclaim, Routine, reads_by_block};
use crate::view::DriveView;
use wordline_base::rng::{below, next_of, stream};
use wordline_config::reclaim::ShuffleConfig;

/// Exchanges cards by the reads of blocks alone: it keeps no counters of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shuffler {
    full: f64,
    partial: f64,
    random: Xoshiro256PlusPlus,
}

/// The imbalance Δ of each block (equation 7).
fn imbalances(reads: &[u32]) -> Vec<f64> {
    let sum: u64 = reads.iter().map(|&reads| u64::from(reads)).sum();
    let count = reads.len() as u64;
    // Of whole numbers, so that a distance of exactly 30% is 0.30.
    reads.iter().map(|&reads| (u64::from(reads) * count).abs_diff(sum) as f64 / sum.max(1) as f64).collect()
}

/// Which blocks exchange cards (Algorithm 1).
fn participants(reads: &[u32], thresholds: ShuffleConfig) -> (Routine, Vec<u32>) {
    let imbalances = imbalances(reads);
    let above = |threshold: f64| -> Vec<u32> {
        (0..).zip(&imbalances).filter(|&(_, &delta)| delta >= threshold).map(|(block, _)| block).collect()
    };
    if reads.len() > 1 && !above(thresholds.full).is_empty() {
        return (Routine::Full, (0..reads.len() as u32).collect());
    }
    let some = above(thresholds.partial);
    if some.len() > 1 { (Routine::Partial, some) } else { (Routine::InPlace, Vec::new()) }
}

/// The card of each page offset: so many cards, as large as each other or one page larger, the larger ones first.
fn cards(pages: u32, count: u32, random: &mut Xoshiro256PlusPlus) -> Vec<u32> {
    let mut cards: Vec<u32> = (0..pages).map(|page| page % count).collect();
    for last in (1..pages).rev() {
        cards.swap(last as usize, below(random, last + 1) as usize);
    }
    cards
}

/// Where pages come from when these blocks exchange cards: card j of the i-th of them goes to the (i − j mod n)-th (equation 9),
/// each page to its own offset.
fn exchanged(shape: Shape, blocks: &[u32], cards: &[u32]) -> Vec<u32> {
    let mut sources: Vec<u32> = (0..shape.units()).collect();
    let count = blocks.len();
    for (page, &card) in (0..).zip(cards) {
        for (place, &to) in blocks.iter().enumerate() {
            let Some(&from) = blocks.get((place + card as usize) % count) else { continue };
            for unit in 0..shape.units_per_page {
                if let Some(source) = sources.get_mut((shape.unit(to, page) + unit) as usize) {
                    *source = shape.unit(from, page) + unit;
                }
            }
        }
    }
    sources
}

impl Shuffler {
    /// That of a run with this seed.
    pub fn new(config: ShuffleConfig, seed: u64) -> Self {
        Self { full: config.full, partial: config.partial, random: stream(seed, "reclaim: cards") }
    }

    /// What its stream gives next.
    pub fn next_drawn(&self) -> u64 {
        next_of(&self.random)
    }
}

impl ReadReclaim for Shuffler {
    fn reclaim(&mut self, worn: &WornBlock, drive: &DriveView<'_>) -> Decision {
        let thresholds = ShuffleConfig { full: self.full, partial: self.partial };
        let (routine, blocks) = participants(&reads_by_block(drive, worn.superblock), thresholds);
        if blocks.is_empty() {
            return Decision::Superblock;
        }
        let shape = Shape::of(drive);
        let cards = cards(shape.pages, blocks.len() as u32, &mut self.random);
        Decision::Rearranged(routine, Order::Permuted(exchanged(shape, &blocks, &cards)))
    }
}

impl wordline_base::snapshot::Stored for Shuffler {}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    fn routine(reads: &[u32]) -> (Routine, Vec<u32>) {
        participants(reads, ShuffleConfig::default())
    }

    #[test]
    fn the_routine_follows_from_the_distances_to_the_mean() {
        assert_eq!(imbalances(&[10_000, 4_000, 9_000, 9_000]), [0.25, 0.5, 0.125, 0.125]);
        assert_eq!(routine(&[10_000, 4_000, 9_000, 9_000]), (Routine::Full, vec![0, 1, 2, 3]));
        assert_eq!(routine(&[10_000, 8_000, 9_000, 9_000]), (Routine::Partial, vec![0, 1]));
        // One block alone has nobody to exchange with.
        assert_eq!(routine(&[10_000, 8_200, 8_200, 8_200]), (Routine::InPlace, vec![]));
        assert_eq!(routine(&[10_000, 7_000, 7_000, 7_000]), (Routine::InPlace, vec![]));
        // At the thresholds themselves: Δ = 0.30 and 0.10 (Algorithm 1 has "at least").
        assert_eq!(routine(&[13_000, 7_000]).0, Routine::Full);
        assert_eq!(routine(&[11_000, 9_000]), (Routine::Partial, vec![0, 1]));
        assert_eq!(routine(&[0, 0]).0, Routine::InPlace);
        assert_eq!(routine(&[10_000]).0, Routine::InPlace);
    }

    #[test]
    fn four_blocks_exchange_four_cards_as_in_figure_3() {
        let shape = Shape { columns: 4, units_per_page: 1, pages_per_program: 1, pages: 4 };
        let sources = exchanged(shape, &[0, 1, 2, 3], &[0, 1, 2, 3]);
        let goes_to = |block: u32| -> Vec<u32> {
            let place = |card| sources.iter().position(|&source| source == shape.unit(block, card)).unwrap();
            (0..4).map(|card| shape.column(place(card) as u32)).collect()
        };
        assert_eq!([0, 1, 2, 3].map(goes_to), [[0, 3, 2, 1], [1, 0, 3, 2], [2, 1, 0, 3], [3, 2, 1, 0]]);
    }

    #[test]
    fn cards_are_as_large_as_each_other_and_anew_each_time() {
        let mut random = stream(3, "test");
        let mut sizes = [0; 3];
        let first = cards(1024, 3, &mut random);
        first.iter().for_each(|&card| sizes[card as usize] += 1);
        assert_eq!(sizes, [342, 341, 341]);
        assert_ne!(first, cards(1024, 3, &mut random));
        assert_ne!(first[..6], [0, 1, 2, 0, 1, 2]);
        assert_eq!(first, cards(1024, 3, &mut stream(3, "test")));
    }

    #[test]
    fn every_page_moves_once_and_keeps_its_offset_and_others_stay() {
        let mut random = stream(3, "test");
        for (units_per_page, pages_per_program) in [(1, 1), (2, 1), (2, 4)] {
            let shape = Shape { columns: 5, units_per_page, pages_per_program, pages: 16 };
            let mut offset = vec![0; shape.units() as usize];
            for (column, page) in (0..5).flat_map(|column| (0..16).map(move |page| (column, page))) {
                for unit in 0..units_per_page {
                    offset[(shape.unit(column, page) + unit) as usize] = page * units_per_page + unit;
                }
            }
            for blocks in [vec![0, 1, 2, 3, 4], vec![1, 4], vec![0, 2, 3]] {
                let sources = exchanged(shape, &blocks, &cards(16, blocks.len() as u32, &mut random));
                let mut sorted = sources.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..shape.units()), "a permutation");
                let mut exchanges = vec![vec![0; 5]; 5];
                for (unit, &source) in (0..).zip(&sources) {
                    assert_eq!(offset[unit as usize], offset[source as usize], "superpages stay superpages");
                    exchanges[shape.column(source) as usize][shape.column(unit) as usize] += 1;
                }
                // A Latin square: each block gives each other the same number of pages, but for one.
                let share = 16 / blocks.len() as u32 * units_per_page;
                for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))) {
                    let pages = exchanges[from as usize][to as usize];
                    match (blocks.contains(&from), blocks.contains(&to)) {
                        (true, true) => assert!((share..=share + units_per_page).contains(&pages)),
                        _ => assert_eq!(pages, if from == to { 16 * units_per_page } else { 0 }),
                    }
                }
            }
        }
    }
}
