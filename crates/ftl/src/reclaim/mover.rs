//! The mover of read reclaim, one for all policies: a superblock goes into one fresh superblock in the order of its pages.
//! Policies differ in which page goes where.

use crate::plan::Plan;
use crate::view::DriveView;
use wordline_base::class::Cause;
use wordline_base::ids::{Ppa, SuperblockId};
use wordline_config::reclaim::Holes;

/// Which page of a superblock goes to which place of the fresh one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each to the place that it has.
    InPlace,
    /// By mapping unit of the fresh superblock, in the order in which superblocks are filled: the mapping unit of the old one
    /// whose page it takes. A permutation; a place that is missing or names none stays unused.
    Permuted(Vec<u32>),
}

/// How a superblock is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Blocks (columns) that hold data in each superpage.
    pub columns: u32,
    /// Mapping units of a flash page.
    pub units_per_page: u32,
    /// Flash pages of one block that are programmed at once.
    pub pages_per_program: u32,
    /// Flash pages of a block.
    pub pages: u32,
}

impl Shape {
    /// That of a drive's superblocks.
    pub fn of(drive: &DriveView<'_>) -> Self {
        let geometry = drive.geometry();
        Self {
            columns: drive.data_planes(),
            units_per_page: geometry.units_per_page(),
            pages_per_program: geometry.pages_per_program,
            pages: geometry.pages_per_block,
        }
    }

    /// Mapping units of a superblock.
    pub fn units(&self) -> u32 {
        self.columns * self.pages * self.units_per_page
    }

    fn units_per_program(&self) -> u32 {
        self.pages_per_program * self.units_per_page
    }

    /// Column of a mapping unit.
    pub fn column(&self, unit: u32) -> u32 {
        unit / self.units_per_program() % self.columns
    }

    /// The first mapping unit of a flash page of a column.
    pub fn unit(&self, column: u32, page: u32) -> u32 {
        let program = page / self.pages_per_program * self.columns + column;
        program * self.units_per_program() + page % self.pages_per_program * self.units_per_page
    }
}

/// What moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// How.
    pub plan: Plan,
    /// Mapping units that are valid.
    pub pages: u32,
}

/// The plan that moves a superblock.
pub fn plan(drive: &DriveView<'_>, superblock: SuperblockId, order: &Order, holes: Holes) -> Move {
    let shape = Shape::of(drive);
    let valid = |unit: u32| {
        let ppa = drive.unit_at(superblock, unit);
        if drive.valid_lpa(ppa).is_some() { ppa } else { Ppa::NONE }
    };
    let units: Vec<Ppa> = match order {
        Order::InPlace => (0..shape.units()).map(valid).collect(),
        Order::Permuted(sources) => (0..shape.units())
            .zip(sources)
            .map(|(_, &source)| if source < shape.units() { valid(source) } else { Ppa::NONE })
            .collect(),
    };
    let units = match holes {
        Holes::Keep => units,
        Holes::Close => closed_up(&units, shape),
    };
    let pages = units.iter().filter(|ppa| ppa.is_some()).count() as u32;
    let plan = Plan::into_fresh(Cause::ReadReclaim, drive.split(superblock).0, superblock, &units);
    Move { plan, pages }
}

/// The pages of each column one after another.
fn closed_up(units: &[Ppa], shape: Shape) -> Vec<Ppa> {
    let mut closed = vec![Ppa::NONE; units.len()];
    for column in 0..shape.columns {
        let places = || (0..units.len() as u32).filter(|&unit| shape.column(unit) == column);
        let pages = places().filter_map(|unit| units.get(unit as usize)).filter(|ppa| ppa.is_some());
        for (place, &ppa) in places().zip(pages) {
            if let Some(closed) = closed.get_mut(place as usize) {
                *closed = ppa;
            }
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_pages_are_found_again_in_the_order_of_filling() {
        for pages_per_program in [1, 3] {
            for units_per_page in [1, 2] {
                let shape = Shape { columns: 4, units_per_page, pages_per_program, pages: 6 };
                let mut units: Vec<u32> = (0..4)
                    .flat_map(|column| (0..6).map(move |page| (column, page)))
                    .map(|(column, page)| {
                        assert_eq!(shape.column(shape.unit(column, page)), column);
                        shape.unit(column, page)
                    })
                    .collect();
                units.sort_unstable();
                let expected: Vec<u32> = (0..24).map(|page| page * units_per_page).collect();
                assert_eq!(units, expected, "{pages_per_program} {units_per_page}");
            }
        }
    }

    #[test]
    fn holes_are_closed_up_in_each_column_for_itself() {
        let shape = Shape { columns: 2, units_per_page: 1, pages_per_program: 1, pages: 3 };
        let ppa = |number: u32| if number == 0 { Ppa::NONE } else { Ppa(number) };
        let of = |units: [u32; 6]| closed_up(&units.map(ppa), shape);
        // Column 0: 0 3 5, column 1: 2 4 0.
        assert_eq!(of([0, 2, 3, 4, 5, 0]), [3, 2, 5, 4, 0, 0].map(ppa));
        assert_eq!(of([1, 2, 3, 4, 5, 6]), [1, 2, 3, 4, 5, 6].map(ppa));
        assert_eq!(of([0, 0, 0, 0, 0, 6]), [0, 6, 0, 0, 0, 0].map(ppa));
    }
}
