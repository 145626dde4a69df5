//! How far the units that one request wrote lie apart where they were moved, when moves have gone on for long.
//!
//! The host writes them side by side. Collection reads a victim row by row over its planes, while a program unit takes several rows of
//! one plane before the next plane follows; so what lies across a flash page's end is parted when it is moved, and a unit that is
//! moved alone shifts all that follows it. A state in which nothing is parted doesn't last: one single unit ends it. How far it
//! goes depends on the shape of rows and program units and on how often a unit is moved, and hardly on how large the drive is; so it
//! is measured on a small domain of the same shape. Collection by thresholds that rests leaves the program unit that it fills, so
//! that less is parted; at the host's pace it hardly rests.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::Collection;
use crate::blocks::order::{Order, Spot};
use wordline_base::divisor::Divisor;
use wordline_base::rng::{Xoshiro256PlusPlus, below, stream};

/// Levels of parting: pieces of a half, a quarter, … of what a flash page takes of a request.
pub const LEVELS: usize = 6;

/// Requests by how far they are spread: as many in each.
pub const QUARTERS: usize = 4;

/// How the requests lie that were moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parted {
    /// Of 2^32 of them those whose units lie in pieces of each level.
    pub levels: [u32; LEVELS],
    /// Requests among whose pieces those of one lie, of each quarter of the requests.
    pub among: [u32; QUARTERS],
}

/// Of the small domain: most planes, least units of a superblock, and superblocks.
const MOST_PLANES: u32 = 64;
const LEAST_UNITS: u32 = 1024;
const SUPERBLOCKS: [u32; 2] = [48, 200];

/// Requests of more units are hardly parted.
const MOST_UNITS: u32 = 256;

/// Overwrites of all that it holds: before something is counted, and while it is.
const OVERWRITES: [u32; 2] = [6, 2];

/// Superblocks that are left free for moves.
const RESERVE: usize = 2;

const NONE: u32 = u32::MAX;

/// A domain, as far as it matters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Planes that hold data.
    pub width: u32,
    /// Flash pages of a block.
    pub rows: u32,
    /// log2 of the mapping units of a flash page.
    pub unit_shift: u32,
    /// Rows that a program unit takes.
    pub rows_at_once: u32,
    /// Units that a request writes here.
    pub group: u32,
    /// Share of the places that hold data.
    pub filled: f64,
    /// Whether collection that rests leaves the program unit that it fills.
    pub leaves: bool,
}

/// How many requests that were moved lie in pieces, by level, and among how many.
pub fn parted(shape: Shape, collection: Collection, seed: u64) -> Parted {
    let Some(small) = small(shape) else { return Parted::default() };
    let Lying { pages, spread } = Domain::new(small, collection, seed).lying();
    let all: u64 = pages.iter().sum();
    // So many numbers drawn at random of a range lie over this part of it.
    let pages_of_all: u64 = (0..).zip(&pages).map(|(pages, count)| pages * count).sum();
    let of_each = (pages_of_all as f64 / all.max(1) as f64).max(2.0);
    let part = (of_each - 1.0) / (of_each + 1.0);
    let among = spread.map(|spread| (spread / part).round().clamp(1.0, f64::from(u16::MAX)) as u32);
    let mut found = [0; LEVELS];
    let levels = levels(shape);
    for (pages, &count) in (0u32..).zip(&pages) {
        // Between two levels so much of each that the mean stays.
        let above = levels.partition_point(|&level| level <= pages);
        let (Some(&low), Some(&high)) = (levels.get(above.wrapping_sub(1)), levels.get(above)) else {
            if above == levels.len() && above > 1 {
                found[above - 2] = add(found[above - 2], count as f64 / all.max(1) as f64);
            }
            continue;
        };
        let part = f64::from(pages - low) / f64::from(high - low);
        let share = count as f64 / all.max(1) as f64;
        found[above - 1] = add(found[above - 1], share * part);
        if above > 1 {
            found[above - 2] = add(found[above - 2], share * (1.0 - part));
        }
    }
    Parted { levels: found, among }
}

/// Means of the quarters of what is weighted.
fn quarters(mut spans: Vec<(u32, u64)>) -> [f64; QUARTERS] {
    spans.sort_unstable();
    let all: u64 = spans.iter().map(|(_, weight)| weight).sum();
    let (mut sums, mut weights, mut before) = ([0.0; QUARTERS], [0.0; QUARTERS], 0);
    for (span, weight) in spans {
        let quarter = (before * QUARTERS as u64 / all.max(1)) as usize;
        if let (Some(sum), Some(own)) = (sums.get_mut(quarter), weights.get_mut(quarter)) {
            *sum += f64::from(span) * weight as f64;
            *own += weight as f64;
        }
        before += weight;
    }
    std::array::from_fn(|quarter| sums[quarter] / f64::max(weights[quarter], 1.0))
}

/// How the requests that were moved lay when they were overwritten.
struct Lying {
    /// How many on 0, 1, 2 … flash pages.
    pages: Vec<u64>,
    /// How many times its own units the places from the first to the last of one are, mean; those that lie on more flash pages count
    /// more.
    spread: [f64; QUARTERS],
}

fn add(share: u32, more: f64) -> u32 {
    share.saturating_add((more * f64::from(u32::MAX)) as u32)
}

/// Units of a request that share a flash page, if nothing is parted.
pub fn whole_piece(group: u32, unit_shift: u32) -> u32 {
    group.min(1 << unit_shift).max(1)
}

/// Flash pages of a request that isn't parted, and of one in pieces of each level.
fn levels(shape: Shape) -> Vec<u32> {
    let mut piece = whole_piece(shape.group, shape.unit_shift);
    let mut levels = vec![shape.group / piece];
    while piece.is_multiple_of(2) && levels.len() <= LEVELS {
        piece /= 2;
        levels.push(shape.group / piece);
    }
    levels
}

/// A small domain of this shape; `None` where nothing is parted.
fn small(shape: Shape) -> Option<Shape> {
    let Shape { width, rows, unit_shift, rows_at_once, group, .. } = shape;
    if !(2..=MOST_UNITS).contains(&group) || width == 0 || !(shape.filled > 0.0 && shape.filled < 1.0) {
        return None;
    }
    let width = width.min(MOST_PLANES);
    let of_units = (width * rows_at_once.max(1)) << unit_shift;
    let most = rows / rows_at_once.max(1);
    let fits = |turns: &u32| (turns * of_units).is_multiple_of(group) && turns * of_units >= 4 * group;
    let enough = |turns: &u32| turns * of_units >= LEAST_UNITS.max(2 * of_units);
    let turns = (1..=most).filter(fits).find(enough).or_else(|| (1..=most).rev().find(fits));
    Some(Shape { width, rows: turns? * rows_at_once.max(1), ..shape })
}

/// What is being filled.
#[derive(Clone, Copy)]
struct Open {
    superblock: u32,
    taken: u32,
}

/// A domain that is overwritten.
struct Domain {
    group: u32,
    /// Units of a superblock, of a row of it.
    units: u32,
    order: Order,
    /// The places of a superblock in the order in which they are read.
    read: Vec<u32>,
    superblocks: u32,
    groups: u32,
    collection: Collection,
    random: Xoshiro256PlusPlus,
    /// Place of each unit, unit of each place.
    place: Vec<u32>,
    unit: Vec<u32>,
    valid: Vec<u32>,
    /// Of each superblock, whether moves filled it.
    moved: Vec<bool>,
    /// Units of a program unit that collection leaves when it rests; 1: it leaves none.
    leaves: u32,
    free: Vec<u32>,
    /// Those that are full, in the order in which they became so.
    full: Vec<u32>,
    /// Of the host and of moves.
    open: [Open; 2],
}

impl Domain {
    fn new(shape: Shape, collection: Collection, seed: u64) -> Self {
        let Shape { width, rows, unit_shift, rows_at_once, group, filled, leaves } = shape;
        let units = (width * rows) << unit_shift;
        let [least, most] = SUPERBLOCKS;
        let spare = (RESERVE + 4) as f64 / (1.0 - filled);
        let superblocks = least.max(spare.min(f64::from(most)) as u32);
        let room = (superblocks - RESERVE as u32 - 3) * units;
        let groups = ((f64::from(superblocks * units) * filled) as u32).min(room) / group;
        let order = Order {
            width: Divisor::new(width),
            unit_shift,
            rows,
            rows_at_once: Divisor::new(rows_at_once.max(1)),
        };
        let by_rows = order.by_rows();
        let read = (0..units).map(|number| order.place(by_rows.spot(number))).collect();
        let nothing = Open { superblock: NONE, taken: units };
        Self {
            group,
            units,
            order,
            read,
            superblocks,
            groups,
            collection,
            random: stream(seed, "parting"),
            place: vec![NONE; (groups * group) as usize],
            unit: vec![NONE; (superblocks * units) as usize],
            valid: vec![0; superblocks as usize],
            moved: vec![false; superblocks as usize],
            leaves: if leaves { rows_at_once.max(1) << unit_shift } else { 1 },
            free: (0..superblocks).rev().collect(),
            full: Vec::new(),
            open: [nothing; 2],
        }
    }

    /// How requests that were moved lie, once it was overwritten for long.
    fn lying(mut self) -> Lying {
        let mut fill: Vec<u32> = (0..self.place.len() as u32).collect();
        // Units all over the place at first: that is left sooner than a state in which nothing is parted, and of one plane that lasts.
        let lasts = self.leaves > 1 && self.order.width.value() == 1;
        for last in (1..if lasts { 0 } else { fill.len() }).rev() {
            let other = below(&mut self.random, last as u32 + 1) as usize;
            fill.swap(last, other);
        }
        fill.into_iter().for_each(|unit| self.write_for_host(unit));
        let [before, counted] = OVERWRITES.map(|times| times * self.groups);
        let mut counts = vec![0; self.group as usize + 1];
        let least = u64::from(self.group / whole_piece(self.group, self.order.unit_shift));
        let (mut pages, mut spans) = (Vec::new(), Vec::new());
        for number in 0..before + counted {
            let first = below(&mut self.random, self.groups.max(1)) * self.group;
            let units = first..first + self.group;
            if number >= before && self.was_moved(first) {
                pages.clear();
                pages.extend(units.clone().map(|unit| self.page_of(unit)));
                pages.sort_unstable();
                pages.dedup();
                counts[pages.len()] += 1;
                if let Some(places) = self.places_between(units.clone()) {
                    let weight = pages.len() as u64 - least + u64::from(least > 1);
                    spans.push((places, weight));
                }
            }
            units.for_each(|unit| self.write_for_host(unit));
        }
        Lying { pages: counts, spread: quarters(spans).map(|span| span / f64::from(self.group)) }
    }

    /// Whether it was a move that brought a unit where it is.
    fn was_moved(&self, unit: u32) -> bool {
        self.moved[(self.place[unit as usize] / self.units) as usize]
    }

    /// Places from the first to the last of these units; `None` where they lie in several superblocks.
    fn places_between(&self, units: Range<u32>) -> Option<u32> {
        let places = &self.place[units.start as usize..units.end as usize];
        let (first, last) = (*places.iter().min()?, *places.iter().max()?);
        (first / self.units == last / self.units).then_some(last - first + 1)
    }

    /// A number of the flash page on which a unit lies.
    fn page_of(&self, unit: u32) -> u32 {
        let place = self.place[unit as usize];
        let Spot { row, column, .. } = self.order.spot(place % self.units);
        (place / self.units * self.units) + row * self.order.width.value() + column
    }

    fn write_for_host(&mut self, unit: u32) {
        if self.open[0].taken == self.units && self.free.len() <= RESERVE {
            while self.free.len() <= RESERVE && self.collect() {}
            let moves = &mut self.open[1];
            moves.taken = moves.taken.next_multiple_of(self.leaves).min(self.units);
        }
        self.write(unit, 0);
    }

    fn write(&mut self, unit: u32, by: usize) {
        if self.open[by].taken == self.units {
            let Some(superblock) = self.free.pop() else { return };
            if self.open[by].superblock != NONE {
                self.full.push(self.open[by].superblock);
            }
            self.open[by] = Open { superblock, taken: 0 };
            self.moved[superblock as usize] = by == 1;
        }
        let old = self.place[unit as usize];
        if old != NONE {
            self.unit[old as usize] = NONE;
            self.valid[(old / self.units) as usize] -= 1;
        }
        let Open { superblock, taken } = self.open[by];
        let place = superblock * self.units + taken;
        self.open[by].taken += 1;
        self.place[unit as usize] = place;
        self.unit[place as usize] = unit;
        self.valid[superblock as usize] += 1;
    }

    /// Empties a victim; whether there was one.
    fn collect(&mut self) -> bool {
        let Some(number) = self.victim() else { return false };
        let victim = self.full.remove(number);
        for number in 0..self.read.len() {
            let unit = self.unit[(victim * self.units + self.read[number]) as usize];
            if unit != NONE {
                self.write(unit, 1);
            }
        }
        self.free.insert(0, victim);
        true
    }

    fn victim(&mut self) -> Option<usize> {
        let valid = |domain: &Self, number: usize| domain.valid[domain.full[number] as usize];
        let count = self.full.len();
        if count == 0 {
            return None;
        }
        match self.collection {
            Collection::Greedy => (0..count).min_by_key(|&number| valid(self, number)),
            Collection::Fifo => Some(0),
            Collection::Choices(choices) => {
                let choices = choices.clamp(1, self.superblocks);
                let drawn: Vec<usize> =
                    (0..choices).map(|_| below(&mut self.random, count as u32) as usize).collect();
                drawn.into_iter().min_by_key(|&number| valid(self, number))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        width: 8,
        rows: 48,
        unit_shift: 2,
        rows_at_once: 3,
        group: 2,
        filled: 1.0 / 1.2,
        leaves: false,
    };

    /// Flash pages of a request, mean.
    fn mean(shape: Shape, parted: Parted) -> f64 {
        let levels = levels(shape);
        let share = |parts: u32| f64::from(parts) / f64::from(u32::MAX);
        let whole = 1.0 - parted.levels.iter().map(|&parts| share(parts)).sum::<f64>();
        let others =
            levels.iter().skip(1).zip(parted.levels).map(|(&pages, parts)| f64::from(pages) * share(parts));
        whole * f64::from(levels[0]) + others.sum::<f64>()
    }

    #[test]
    fn levels_halve_the_pieces() {
        assert_eq!(levels(SHAPE), [1, 2]);
        assert_eq!(levels(Shape { group: 4, ..SHAPE }), [1, 2, 4]);
        assert_eq!(levels(Shape { group: 16, ..SHAPE }), [4, 8, 16]);
        assert_eq!(levels(Shape { group: 1, ..SHAPE }), [1]);
    }

    #[test]
    fn what_program_units_of_one_row_take_is_parted_less() {
        let part = |rows_at_once| {
            let shape = Shape { rows_at_once, group: 4, ..SHAPE };
            mean(shape, parted(shape, Collection::Greedy, 1))
        };
        let (one, three) = (part(1), part(3));
        assert!(one < three && (2.4..3.0).contains(&three), "{one} {three}");
    }

    #[test]
    fn a_share_is_as_likely_under_another_seed_and_on_a_wider_drive() {
        let found: Vec<f64> = [(8, 1), (8, 2), (64, 3)]
            .map(|(width, seed)| {
                let shape = Shape { width, rows: 960, ..SHAPE };
                mean(shape, parted(shape, Collection::Greedy, seed))
            })
            .into();
        assert!(found.iter().all(|mean| (mean / found[0] - 1.0).abs() < 0.03), "{found:?}");
        assert!(found.iter().all(|mean| (1.5..1.7).contains(mean)), "{found:?}");
    }

    #[test]
    fn collection_that_rests_parts_less_and_nothing_on_one_plane() {
        for group in [2, 4, 16] {
            let shape = Shape { leaves: true, group, ..SHAPE };
            let of = |shape: Shape| mean(shape, parted(shape, Collection::Greedy, 1));
            assert!(of(shape) < of(Shape { leaves: false, ..shape }), "{group}");
            let whole = f64::from(levels(shape)[0]);
            assert_eq!(of(Shape { width: 1, ..shape }), whole, "{group}");
        }
    }

    #[test]
    fn single_units_and_what_no_small_domain_is_made_up_of_are_never_parted() {
        for shape in [
            Shape { group: 1, ..SHAPE },
            Shape { group: 1024, ..SHAPE },
            Shape { filled: 1.0, ..SHAPE },
            Shape { width: 0, ..SHAPE },
        ] {
            assert_eq!(parted(shape, Collection::Greedy, 1), Parted::default(), "{shape:?}");
        }
    }

    #[test]
    fn every_policy_with_a_formula_comes_to_an_end() {
        for collection in
            [Collection::Greedy, Collection::Choices(1), Collection::Choices(4), Collection::Fifo]
        {
            for filled in [0.01, 0.5, 0.93, 0.999] {
                let shape = Shape { filled, ..SHAPE };
                let mean = mean(shape, parted(shape, collection, 1));
                assert!((1.0..=2.0).contains(&mean), "{collection:?} {filled} {mean}");
            }
        }
    }
}
