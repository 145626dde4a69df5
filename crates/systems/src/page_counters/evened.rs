//! "Page" of papers/001 with as few moves as evenness needs: pages of a superblock change places until its blocks are read about
//! as often, the others keep block and offset (`scheme.reclaim.pages.moves = "needed"`).

use super::Counted;
use crate::reclaim::mover::Shape;

/// Blocks are even when none is further from the mean than this share of it: Shuffler leaves them then (papers/001 §4.2).
const EVEN: f64 = 0.10;

/// A place of a superblock: how often its page is read, and where it lies now. A place without a page is read never.
type Place = (u32, bool, u32);

/// Where pages come from, by mapping unit of the fresh superblock: as before, but for those that change places. Of the block
/// with the largest sum of reads the page goes whose reads are nearest to what evens the two without going past the mean; it
/// takes the place of the one that is read least in the block with the smallest sum, if possible an empty one.
pub(super) fn evened(shape: Shape, pages: &[Counted]) -> Vec<u32> {
    let mut sources = vec![u32::MAX; shape.units() as usize];
    let mut reads = vec![0u32; shape.units() as usize];
    for page in pages {
        if let (Some(source), Some(count)) =
            (sources.get_mut(page.unit as usize), reads.get_mut(page.unit as usize))
        {
            (*source, *count) = (page.unit, page.reads);
        }
    }
    let mut blocks: Vec<Vec<Place>> = vec![Vec::new(); shape.columns as usize];
    for ((unit, &source), &count) in (0..).zip(&sources).zip(&reads) {
        if let Some(block) = blocks.get_mut(shape.column(unit) as usize) {
            block.push((count, source != u32::MAX, unit));
        }
    }
    blocks.iter_mut().for_each(|block| block.sort_unstable());
    let mut sums: Vec<u64> =
        blocks.iter().map(|block| block.iter().map(|place| u64::from(place.0)).sum()).collect();
    let mean = sums.iter().sum::<u64>() / sums.len().max(1) as u64;
    while let Some((from, to)) = uneven(&sums, mean) {
        let Some(change) = next_change(&blocks, (from, to), &sums, mean) else { break };
        let (Some(hot), Some(cold)) = (taken(&mut blocks, from, change), taken(&mut blocks, to, 0)) else {
            break;
        };
        sources.swap(hot.2 as usize, cold.2 as usize);
        // The places stay where they are; what lies there is what changed.
        put(&mut blocks, from, (cold.0, cold.1, hot.2));
        put(&mut blocks, to, (hot.0, hot.1, cold.2));
        let moved = u64::from(hot.0 - cold.0);
        sums.iter_mut().enumerate().for_each(|(block, sum)| {
            *sum = if block == from { *sum - moved } else { *sum + moved * u64::from(block == to) };
        });
    }
    sources
}

/// The blocks with the largest and the smallest sum, of equals the first, if any block is too far from the mean.
fn uneven(sums: &[u64], mean: u64) -> Option<(usize, usize)> {
    let far = |sum: &u64| sum.abs_diff(mean) as f64 >= EVEN * mean as f64 && sum.abs_diff(mean) > 0;
    sums.iter().any(far).then_some(())?;
    let from = sums.iter().enumerate().max_by_key(|(block, sum)| (**sum, usize::MAX - block))?.0;
    let to = sums.iter().enumerate().min_by_key(|(block, sum)| (**sum, *block))?.0;
    Some((from, to))
}

/// Which page of the block `from` changes places with the first of `to`, if one brings both nearer to the mean.
fn next_change(blocks: &[Vec<Place>], (from, to): (usize, usize), sums: &[u64], mean: u64) -> Option<usize> {
    let (above, below) = (sums.get(from)?.checked_sub(mean)?, mean.checked_sub(*sums.get(to)?)?);
    let least = u64::from(blocks.get(to)?.first()?.0);
    let pages = blocks.get(from)?;
    let fitting = pages.partition_point(|page| u64::from(page.0) <= least + above.min(below));
    let chosen = fitting.checked_sub(1)?;
    (u64::from(pages.get(chosen)?.0) > least).then_some(chosen)
}

fn taken(blocks: &mut [Vec<Place>], block: usize, at: usize) -> Option<Place> {
    let block = blocks.get_mut(block)?;
    (at < block.len()).then(|| block.remove(at))
}

fn put(blocks: &mut [Vec<Place>], block: usize, place: Place) {
    if let Some(block) = blocks.get_mut(block) {
        block.insert(block.partition_point(|other| other < &place), place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::ids::Lpa;

    const SHAPE: Shape = Shape { columns: 3, units_per_page: 1, pages_per_program: 1, pages: 2 };

    /// Pages by place: blocks are columns, so places 0 and 3 are those of the first.
    fn from(reads: [Option<u32>; 6]) -> Vec<u32> {
        let pages: Vec<_> =
            (0..).zip(reads).filter_map(|(unit, reads)| Some(Counted::of(reads?, Lpa(unit), unit))).collect();
        evened(SHAPE, &pages)
    }

    #[test]
    fn even_blocks_keep_all_their_pages() {
        assert_eq!(from([Some(50), Some(52), Some(48), Some(50), Some(48), Some(52)]), [0, 1, 2, 3, 4, 5]);
        assert_eq!(
            from([Some(0), None, Some(0), None, None, None]),
            [0, u32::MAX, 2, u32::MAX, u32::MAX, u32::MAX]
        );
        assert_eq!(from([None; 6]), [u32::MAX; 6]);
    }

    #[test]
    fn the_fitting_page_of_the_most_read_block_changes_places_with_the_least_read_of_the_least_read_one() {
        // 120, 90 and 60 reads: 30 too many in the first, 30 too few in the last, where 10 are the fewest.
        let sources = from([Some(40), Some(45), Some(10), Some(80), Some(45), Some(50)]);
        assert_eq!(sources, [2, 1, 0, 3, 4, 5]);
    }

    #[test]
    fn an_empty_place_goes_before_a_page_that_is_never_read() {
        let sources = from([Some(30), Some(60), Some(0), Some(60), None, None]);
        assert_eq!(sources, [u32::MAX, 1, 2, 3, u32::MAX, 0]);
    }

    #[test]
    fn one_page_that_is_read_more_than_the_mean_stays() {
        let sources = from([Some(900), Some(1), Some(1), Some(0), Some(0), Some(0)]);
        assert_eq!(sources, [0, 1, 2, 3, 4, 5]);
    }
}
