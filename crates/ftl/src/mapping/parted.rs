//! Which requests' units lie apart, and where: some groups change places piece by piece.

use crate::blocks::steady::{Parted, whole_piece};
use wordline_base::divisor::Divisor;
use wordline_base::permutation::Permutation;

/// Groups of which the pieces are dealt out among one another.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The first of these groups, and the one behind the last, by their drawn numbers.
    groups: [u32; 2],
    piece: Divisor,
    pieces: Permutation,
}

/// The units of a domain, in groups, some of which are parted.
#[derive(Clone, Debug)]
pub struct PartedGroups {
    group: Divisor,
    /// Draws which ones are.
    drawn: Permutation,
    levels: Vec<Level>,
}

impl PartedGroups {
    /// Of `groups` whole groups of `group` units on flash pages of 2^`unit_shift`.
    pub fn new(groups: u32, group: Divisor, unit_shift: u32, parted: Parted, key: u64) -> Self {
        let mut piece = whole_piece(group.value(), unit_shift);
        let mut levels = Vec::new();
        let (mut first, mut seed) = (0, key);
        for share in parted {
            piece /= 2;
            seed = seed.rotate_left(17).wrapping_mul(0x9fb2_1c65_1e98_df25);
            let count = (u64::from(groups) * u64::from(share)) >> 32;
            let end = first + (count as u32).min(groups - first);
            if piece > 0 && end > first {
                let pieces = (end - first) * (group.value() / piece);
                let pieces = Permutation::new(pieces, seed);
                levels.push(Level { groups: [first, end], piece: Divisor::new(piece), pieces });
            }
            first = end;
        }
        Self { group, drawn: Permutation::new(groups, key ^ 0x5851_f42d_4c95_7f2d), levels }
    }

    /// Where a unit goes among the places of groups.
    #[inline]
    pub fn forward(&self, number: u32) -> u32 {
        if self.levels.is_empty() {
            return number;
        }
        let (group, rest) = self.group.div_rem(number);
        self.exchanged(self.drawn.forward(group), rest, |pieces, piece| pieces.forward(piece))
    }

    /// The unit that goes there.
    #[inline]
    pub fn back(&self, number: u32) -> u32 {
        if self.levels.is_empty() {
            return number;
        }
        let (group, rest) = self.group.div_rem(number);
        let number = self.exchanged(group, rest, |pieces, piece| pieces.back(piece));
        let (group, rest) = self.group.div_rem(number);
        self.drawn.back(group) * self.group.value() + rest
    }

    #[inline]
    fn exchanged(&self, group: u32, rest: u32, go: impl Fn(&Permutation, u32) -> u32) -> u32 {
        let number = group * self.group.value() + rest;
        let of = |level: &&Level| level.groups[0] <= group && group < level.groups[1];
        let Some(level) = self.levels.iter().find(of) else { return number };
        let first = level.groups[0] * self.group.value();
        let (piece, rest) = level.piece.div_rem(number - first);
        first + go(&level.pieces, piece) * level.piece.value() + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_unit_has_a_place_of_its_own_and_pieces_stay_whole(
            groups in 0u32..200, shift in 0u32..5, unit_shift in 0u32..4, shares in [0u32..1 << 30, 0u32..1 << 30, 0u32..1 << 30],
            key: u64,
        ) {
            let mut parted = Parted::default();
            parted[..3].copy_from_slice(&shares);
            let group = 1 << shift;
            let found = PartedGroups::new(groups, Divisor::new(group), unit_shift, parted, key);
            let mut seen = vec![false; (groups * group) as usize];
            for unit in 0..groups * group {
                let place = found.forward(unit);
                prop_assert_eq!(found.back(place), unit);
                prop_assert!(!std::mem::replace(&mut seen[place as usize], true));
            }
        }
    }

    #[test]
    fn as_many_are_parted_as_are_asked_for() {
        let mut parted = Parted::default();
        parted[0] = 1 << 30;
        let found = PartedGroups::new(1000, Divisor::new(4), 2, parted, 7);
        let together = |group: u32| {
            let first = found.forward(group * 4) / 4;
            (1..4).all(|unit| found.forward(group * 4 + unit) / 4 == first)
        };
        let apart = (0..1000).filter(|&group| !together(group)).count();
        assert!((245..=250).contains(&apart), "{apart}");
    }
}
