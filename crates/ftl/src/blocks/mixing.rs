//! How the requests of a superblock that moves filled lie among one another.

use super::steady::{LEVELS, Parted, QUARTERS, whole_piece};
use wordline_base::divisor::Divisor;
use wordline_base::permutation::Permutation;

/// Most groups that are dealt out together.
const MOST_AMONG: u32 = 1 << 10;

/// Levels of which there is less than this part don't count.
const RARE: u32 = 100;

/// Groups of units that one request wrote each, so many neighbours at a time, whose pieces lie in any order among one another. No
/// two pieces of a group share a flash page: of what shares one, each is of other groups.
#[derive(Clone, Copy, Debug)]
pub struct Mixing {
    group: Divisor,
    /// Groups of each quarter of the neighbourhoods, which are parts of the largest ones, and units of these.
    among: [u32; QUARTERS],
    together: Divisor,
    /// log2 of the units of a flash page.
    unit_shift: u32,
    /// Of 2^32 neighbourhoods those whose pieces are as small as at each level, or smaller.
    from: [u32; LEVELS],
}

impl Mixing {
    /// Of groups of `group` units on flash pages of 2^`unit_shift`.
    pub fn new(group: Divisor, unit_shift: u32, parted: &Parted) -> Self {
        let mut from = parted.levels;
        (1..LEVELS).rev().for_each(|level| from[level - 1] = from[level - 1].saturating_add(from[level]));
        let counts = |&share: &u32| share > u32::MAX / RARE;
        let deepest = parted.levels.iter().rposition(counts).map_or(0, |level| level + 1);
        let piece = (whole_piece(group.value(), unit_shift) >> deepest).max(1);
        let least = ((1 << unit_shift) / piece).clamp(1, MOST_AMONG);
        let among = parted.among.map(|among| among.clamp(least, MOST_AMONG).next_power_of_two());
        let largest = among.into_iter().max().unwrap_or(least);
        let together = Divisor::new(group.value().saturating_mul(largest));
        Self { group, among, together, unit_shift, from }
    }

    /// Where what would lie at a place behind all of its group lies of `units` units, which are whole groups.
    #[inline]
    pub fn forward(&self, place: u32, units: u32, key: u64) -> u32 {
        let neighbours = self.neighbours(place, units, key);
        let (group, rest) = self.group.div_rem(place - neighbours.first);
        if group >= neighbours.classes * neighbours.of_class {
            return place;
        }
        let (class, number) = (group % neighbours.classes, group / neighbours.classes);
        let piece = number * neighbours.pieces + rest / neighbours.piece;
        let page = neighbours.order(class).forward(piece);
        neighbours.first + (page * neighbours.classes + class) * neighbours.piece + rest % neighbours.piece
    }

    /// The reverse.
    #[inline]
    pub fn back(&self, place: u32, units: u32, key: u64) -> u32 {
        let neighbours = self.neighbours(place, units, key);
        let rest = place - neighbours.first;
        if rest >= neighbours.classes * neighbours.of_class * self.group.value() {
            return place;
        }
        let (dealt, rest) = (rest / neighbours.piece, rest % neighbours.piece);
        let (page, class) = (dealt / neighbours.classes, dealt % neighbours.classes);
        let piece = neighbours.order(class).back(page);
        let group = piece / neighbours.pieces * neighbours.classes + class;
        let rest = piece % neighbours.pieces * neighbours.piece + rest;
        neighbours.first + group * self.group.value() + rest
    }

    #[inline]
    fn neighbours(&self, place: u32, units: u32, key: u64) -> Neighbours {
        let (number, rest) = self.together.div_rem(place);
        let drawn = spread(key ^ u64::from(number)) >> 40;
        let among = self.among.get(drawn as usize % QUARTERS).copied().unwrap_or(1);
        let size = among.saturating_mul(self.group.value());
        let first = place - rest % size;
        let groups = self.group.div_rem(units.saturating_sub(first).min(size)).0;
        let key = spread(key ^ u64::from(first).wrapping_mul(0xff51_afd7_ed55_8ccd));
        let drawn = (key >> 32) as u32;
        let level = self.from.iter().filter(|&&from| drawn < from).count();
        let whole = whole_piece(self.group.value(), self.unit_shift);
        let piece = (whole >> level).max(1);
        let classes = ((1 << self.unit_shift) / piece).max(1);
        Neighbours {
            first,
            classes,
            of_class: groups / classes,
            piece,
            pieces: self.group.value() / piece,
            key,
        }
    }
}

/// Groups that are dealt out among one another; those behind them that fill no class are left as they are.
struct Neighbours {
    /// Their first unit.
    first: u32,
    /// Groups of each class have their own part of the flash pages.
    classes: u32,
    of_class: u32,
    /// Units that stay side by side, and how many such pieces a group has.
    piece: u32,
    pieces: u32,
    key: u64,
}

impl Neighbours {
    /// The order of the pieces of a class.
    #[inline]
    fn order(&self, class: u32) -> Permutation {
        Permutation::new(self.of_class * self.pieces, spread(self.key ^ u64::from(class)))
    }
}

/// Spreads the bits of a number over the upper ones.
#[inline]
fn spread(number: u64) -> u64 {
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number.rotate_left(29).wrapping_mul(0xd134_2543_de82_ef95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn every_unit_has_a_place_of_its_own(
            groups in 1u32..60, pages in 0u32..4, unit_shift in 0u32..4, among in proptest::array::uniform4(0u32..9),
            levels in proptest::array::uniform6(0u32..1 << 31), key: u64,
        ) {
            let group = if pages == 0 { 1 << (unit_shift / 2) } else { pages << unit_shift };
            let mixing = Mixing::new(Divisor::new(group), unit_shift, &Parted { levels, among });
            let units = groups * group;
            let mut seen = BTreeSet::new();
            for place in 0..units {
                let to = mixing.forward(place, units, key);
                prop_assert!(to < units && seen.insert(to));
                prop_assert_eq!(mixing.back(to, units, key), place);
            }
        }
    }

    /// Flash pages on which each of 512 groups of `group` units lies, mean.
    fn pages(group: u32, parted: Parted) -> f64 {
        let mixing = Mixing::new(Divisor::new(group), 2, &parted);
        let of = |first: u32| {
            let pages = (first..first + group).map(|place| mixing.forward(place, 512 * group, 7) / 4);
            pages.collect::<BTreeSet<_>>().len()
        };
        (0..512).map(|number| of(number * group)).sum::<usize>() as f64 / 512.0
    }

    #[test]
    fn as_many_are_parted_as_are_asked_for() {
        let parted = |levels| Parted { levels, among: [4; QUARTERS] };
        let whole = [0; LEVELS];
        assert_eq!([2, 4, 16].map(|group| pages(group, parted(whole))), [1.0, 1.0, 4.0]);
        let half = [1 << 31, 0, 0, 0, 0, 0];
        assert!((pages(4, parted(half)) - 1.5).abs() < 0.1, "{}", pages(4, parted(half)));
        assert!((pages(16, parted(half)) - 6.0).abs() < 0.4);
        assert_eq!(pages(2, parted([u32::MAX, 0, 0, 0, 0, 0])), 2.0, "two units of a page of four");
        assert_eq!(pages(4, parted([0, u32::MAX, 0, 0, 0, 0])), 4.0);
    }

    #[test]
    fn pieces_stay_among_their_neighbours() {
        let parted = Parted { levels: [0; LEVELS], among: [4; QUARTERS] };
        let mixing = Mixing::new(Divisor::new(4), 1, &parted);
        let of = |place: u32| mixing.forward(place, 20, 1);
        assert!((0..16).all(|place| of(place) < 16) && (0..16).any(|place| of(place) != place));
        assert!(
            (16..20).all(|place| of(place) == place || of(place) == place ^ 2),
            "the last has no neighbour"
        );
    }
}
