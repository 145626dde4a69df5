//! "Page" of papers/001 with whole superpages: each page keeps its offset, and of a superpage the one that is read most goes to the
//! block with the smallest sum so far (`scheme.reclaim.pages.moves = "in_superpages"`).

use std::cmp::Reverse;

use super::Counted;
use crate::reclaim::mover::Shape;

/// Where pages come from, by mapping unit of the fresh superblock. Superpages go by the falling count of their most read page, of
/// equals the first; of blocks whose sums are equal the first.
pub(super) fn in_superpages(shape: Shape, pages: &[Counted]) -> Vec<u32> {
    let mut at: Vec<Option<&Counted>> = vec![None; shape.units() as usize];
    for page in pages {
        if let Some(place) = at.get_mut(page.unit as usize) {
            *place = Some(page);
        }
    }
    let mut rows: Vec<(Vec<&Counted>, u32)> = (0..shape.pages)
        .flat_map(|page| (0..shape.units_per_page).map(move |unit| shape.unit(0, page) + unit))
        .map(|first| (row(shape, &at, first), first))
        .collect();
    rows.sort_by_key(|(pages, first)| (Reverse(pages.first().map(|page| page.reads)), *first));
    let mut sources = vec![u32::MAX; shape.units() as usize];
    let mut sums = vec![0u64; shape.columns as usize];
    for (pages, first) in rows {
        let mut blocks: Vec<usize> = (0..sums.len()).collect();
        blocks.sort_by_key(|&block| sums.get(block).copied());
        for (page, block) in pages.into_iter().zip(blocks) {
            let place = of_column(shape, first, block as u32) as usize;
            if let (Some(source), Some(sum)) = (sources.get_mut(place), sums.get_mut(block)) {
                *source = page.unit;
                *sum += u64::from(page.reads);
            }
        }
    }
    sources
}

/// The mapping unit of a column that lies beside this one of the first.
fn of_column(shape: Shape, first: u32, column: u32) -> u32 {
    first + shape.unit(column, 0)
}

/// The pages of a superpage, the most read one first, of equals the one that comes first by ties and place.
fn row<'a>(shape: Shape, at: &[Option<&'a Counted>], first: u32) -> Vec<&'a Counted> {
    let place = |column| at.get(of_column(shape, first, column) as usize).copied().flatten();
    let mut pages: Vec<&Counted> = (0..shape.columns).filter_map(place).collect();
    pages.sort_by_key(|page| (Reverse(page.reads), page.tie, page.unit));
    pages
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::ids::Lpa;

    const SHAPE: Shape = Shape { columns: 3, units_per_page: 1, pages_per_program: 1, pages: 2 };

    fn from(shape: Shape, reads: &[Option<u32>]) -> Vec<u32> {
        let pages: Vec<_> = (0..)
            .zip(reads)
            .filter_map(|(unit, reads)| Some(Counted::of((*reads)?, Lpa(unit), unit)))
            .collect();
        in_superpages(shape, &pages)
    }

    #[test]
    fn the_most_read_page_of_a_superpage_goes_to_the_block_with_the_smallest_sum() {
        // The second superpage has the most read page: 90, 20, 10 go to blocks 0, 1, 2. Then 40 to block 2, 30 to 1 and 5 to 0.
        let sources = from(SHAPE, &[Some(40), Some(30), Some(5), Some(20), Some(10), Some(90)]);
        assert_eq!(sources, [2, 1, 0, 5, 3, 4]);
    }

    #[test]
    fn empty_places_stay_in_their_superpage() {
        let sources = from(SHAPE, &[None, Some(7), None, None, None, Some(1)]);
        assert_eq!(sources, [1, u32::MAX, u32::MAX, u32::MAX, 5, u32::MAX]);
        assert_eq!(from(SHAPE, &[None; 6]), [u32::MAX; 6]);
    }

    #[test]
    fn units_of_pages_that_are_programmed_together_keep_page_and_place() {
        let shape = Shape { columns: 2, units_per_page: 2, pages_per_program: 2, pages: 2 };
        let reads: Vec<_> = (0..16).map(|unit| Some(unit % 5)).take(8).collect();
        let sources = from(shape, &reads);
        for (place, source) in (0..).zip(sources) {
            assert_eq!(place % 4, source % 4, "offset of {source}");
        }
    }
}
