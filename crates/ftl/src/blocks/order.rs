//! Where in a superblock what it holds lies: any of its places, in pieces that stay side by side.

use super::mixing::Mixing;
use wordline_base::divisor::Divisor;
use wordline_base::permutation::Permutation;

/// A flash page of a domain, by row and plane, and a unit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Row of the superblock.
    pub row: u32,
    /// Plane, by its place among those of the domain that hold data.
    pub column: u32,
    /// Mapping unit of the flash page.
    pub unit: u32,
}

/// How the places of the superblocks of a domain follow one another.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Planes.
    pub width: Divisor,
    /// log2 of the units of a flash page.
    pub unit_shift: u32,
    /// Rows of a superblock.
    pub rows: u32,
    /// Rows that are programmed together: of these a plane's follow one another, then the next plane's. 1: row by row.
    pub rows_at_once: Divisor,
}

impl Order {
    /// The same, row by row.
    pub fn by_rows(self) -> Self {
        Self { rows_at_once: Divisor::new(1), ..self }
    }

    /// Where a place lies, counted in the order in which places are taken.
    #[inline]
    pub fn spot(&self, place: u32) -> Spot {
        let (page, unit) = (place >> self.unit_shift, place & ((1 << self.unit_shift) - 1));
        if self.rows_at_once.value() == 1 {
            let (row, column) = self.width.div_rem(page);
            return Spot { row, column, unit };
        }
        let (before, rest) = self.begun(page / (self.width.value() * self.rows_at_once.value()), page);
        let (column, row) = self.deep(before).div_rem(rest);
        Spot { row: before + row, column, unit }
    }

    /// The number of a place, the other way round.
    #[inline]
    pub fn place(&self, spot: Spot) -> u32 {
        let Spot { row, column, unit } = spot;
        let before = self.rows_at_once.div_rem(row).0 * self.rows_at_once.value();
        let page = before * self.width.value() + column * self.deep(before).value() + row - before;
        (page << self.unit_shift) + unit
    }

    /// Rows before a row of program units, and the number of a flash page among those of that row.
    #[inline]
    fn begun(&self, number: u32, page: u32) -> (u32, u32) {
        let before = number * self.rows_at_once.value();
        (before, page - before * self.width.value())
    }

    /// Rows of the program units that begin here: fewer at the end of a superblock.
    #[inline]
    fn deep(&self, before: u32) -> Divisor {
        let left = self.rows.saturating_sub(before);
        if left >= self.rows_at_once.value() { self.rows_at_once } else { Divisor::new(left) }
    }
}

/// The places of one superblock, from one of its rows on, in pieces of so many units, permuted.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    order: Order,
    piece: Divisor,
    first: u32,
    units: u32,
    pieces: Permutation,
    /// How pieces lie among one another, and what their kinds are drawn from.
    mixed: Option<(Mixing, u64)>,
}

impl Places {
    /// Those of `rows` rows from `first` on, which hold whole pieces of `piece` units; another permutation for each key. Only by
    /// rows may they begin anywhere.
    pub fn new(order: Order, [first, rows]: [u32; 2], piece: Divisor, key: u64) -> Self {
        let units = (order.width.value() * rows) << order.unit_shift;
        Self {
            order,
            piece,
            first,
            units,
            pieces: Permutation::new(piece.div_rem(units).0, key),
            mixed: None,
        }
    }

    /// The same with pieces that were moved.
    pub fn mixed(self, mixing: Mixing, key: u64) -> Self {
        Self { mixed: Some((mixing, key)), ..self }
    }

    /// Units of whole pieces.
    #[inline]
    fn whole(&self) -> u32 {
        self.piece.div_rem(self.units).0 * self.piece.value()
    }

    /// The place of what has this number in the superblock.
    #[inline]
    pub fn spot(&self, number: u32) -> Spot {
        let (piece, rest) = self.piece.div_rem(number);
        let place = self.pieces.forward(piece) * self.piece.value() + rest;
        let place = match &self.mixed {
            Some((mixing, key)) => mixing.forward(place, self.whole(), *key),
            None => place,
        };
        let spot = self.order.spot(place);
        Spot { row: spot.row + self.first, ..spot }
    }

    /// The number of what lies at a place; `None` outside of the rows.
    #[inline]
    pub fn number(&self, spot: Spot) -> Option<u32> {
        let row = spot.row.checked_sub(self.first)?;
        let place = self.order.place(Spot { row, ..spot });
        let place = match &self.mixed {
            Some((mixing, key)) if place < self.whole() => mixing.back(place, self.whole(), *key),
            _ => place,
        };
        let (piece, rest) = self.piece.div_rem(place);
        (place < self.units).then(|| self.pieces.back(piece) * self.piece.value() + rest)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_has_a_place_of_its_own_and_pieces_follow_the_order(
            width in 1u32..6, unit_shift in 0u32..3, rows in 1u32..14, rows_at_once in 1u32..4, split in 1u32..4,
            whole in 1u32..4, key: u64,
        ) {
            let page = 1 << unit_shift;
            let all = (width * rows) << unit_shift;
            let order = Order { width: Divisor::new(width), unit_shift, rows, rows_at_once: Divisor::new(rows_at_once) };
            for piece in [1, page.min(split.next_power_of_two()), page * whole] {
                if all % piece != 0 {
                    continue;
                }
                for order in [order, order.by_rows()] {
                    let places = Places::new(order, [0, rows], Divisor::new(piece), key);
                    let mut seen = std::collections::BTreeSet::new();
                    for number in 0..all {
                        let spot = places.spot(number);
                        prop_assert!(spot.row < rows && spot.column < width && spot.unit < page);
                        prop_assert!(seen.insert((spot.row, spot.column, spot.unit)));
                        prop_assert_eq!(places.number(spot), Some(number));
                        if number % piece > 0 {
                            let before = places.spot(number - 1);
                            prop_assert_eq!(order.place(before) + 1, order.place(spot), "side by side");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_plane_gets_all_rows_of_a_program_before_the_next() {
        let order = Order { width: Divisor::new(2), unit_shift: 1, rows: 5, rows_at_once: Divisor::new(3) };
        let at = |place| {
            let Spot { row, column, unit } = order.spot(place);
            (row, column, unit)
        };
        let first: Vec<_> = (0..8).map(at).collect();
        assert_eq!(
            first,
            [(0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1), (2, 0, 0), (2, 0, 1), (0, 1, 0), (0, 1, 1)]
        );
        assert_eq!([12, 14, 16].map(at), [(3, 0, 0), (4, 0, 0), (3, 1, 0)], "two rows are left at the end");
    }

    #[test]
    fn outside_of_its_rows_nothing_has_a_number() {
        let order = Order { width: Divisor::new(2), unit_shift: 0, rows: 6, rows_at_once: Divisor::new(1) };
        let places = Places::new(order, [2, 3], Divisor::new(1), 7);
        let number = |row| places.number(Spot { row, column: 1, unit: 0 });
        assert_eq!([0, 1, 5].map(number), [None; 3]);
        assert!([2, 3, 4].map(number).iter().all(Option::is_some));
    }
}
