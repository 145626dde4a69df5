//! Lengths and alignments of requests, in a table.

use std::collections::{BTreeMap, HashMap};

/// Alignment is kept modulo this, bytes: the largest usual flash page.
pub(super) const ALIGNMENT: u64 = 16_384;

/// Most entries of the table.
const MOST_SHAPES: usize = 4096;

/// Longest request of a twin, bytes; what is longer (trims of whole drives) is cut.
pub(super) const LONGEST: u64 = 1 << 30;

/// Length, bytes, and offset modulo [`ALIGNMENT`].
pub(super) type Shape = (u64, u64);

pub(super) fn shape_of(offset: u64, length: u64) -> Shape {
    (length.min(LONGEST), offset % ALIGNMENT)
}

/// Counts shapes.
#[derive(Default)]
pub(super) struct ShapeCounts(HashMap<Shape, u64>);

impl ShapeCounts {
    pub(super) fn add(&mut self, offset: u64, length: u64) {
        *self.0.entry(shape_of(offset, length)).or_default() += 1;
    }

    /// The most frequent shapes, the most frequent first.
    pub(super) fn table(self) -> ShapeTable {
        let mut all: Vec<(Shape, u64)> = self.0.into_iter().collect();
        all.sort_unstable_by_key(|&(shape, count)| (std::cmp::Reverse(count), shape));
        all.truncate(MOST_SHAPES);
        ShapeTable::new(all.into_iter().map(|(shape, _)| shape).collect())
    }
}

/// The shapes of a trace.
pub(super) struct ShapeTable {
    pub shapes: Vec<Shape>,
    /// By length, then alignment: the entry.
    index: BTreeMap<Shape, u16>,
}

impl ShapeTable {
    fn new(shapes: Vec<Shape>) -> Self {
        let index = shapes.iter().enumerate().map(|(number, shape)| (*shape, number as u16)).collect();
        Self { shapes, index }
    }

    /// The entry for this shape, or for the one nearest in length.
    pub(super) fn code(&self, offset: u64, length: u64) -> u16 {
        let shape = shape_of(offset, length);
        let above = self.index.range(shape..).next();
        let below = self.index.range(..shape).next_back();
        let distance = |entry: &(&Shape, &u16)| entry.0.0.abs_diff(shape.0);
        let nearest = above.into_iter().chain(below).min_by_key(distance);
        nearest.map_or(0, |(_, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_shapes_are_exact_and_others_near() {
        let mut counts = ShapeCounts::default();
        for (offset, length) in [(512, 4096), (512, 4096), (0, 4096), (16_384, 65_536)] {
            counts.add(offset, length);
        }
        let table = counts.table();
        assert_eq!(table.shapes, [(4096, 512), (4096, 0), (65_536, 0)]);
        assert_eq!(table.code(512 + (1 << 20), 4096), 0);
        assert_eq!(table.code(0, 4096), 1);
        assert_eq!(table.code(0, 60_000), 2);
    }
}
