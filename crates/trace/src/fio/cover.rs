//! Which blocks of a file a pass of random requests has still to take, where these are of several lengths.

use super::lengths::{only_length, ways};
use crate::config::{Access, Direction, FilePart, FioConfig};

/// Most blocks of a file of which that is kept, a bit each: 128 MiB.
const MOST_BLOCKS: u64 = 1 << 30;

/// Blocks in a word of bits.
const BITS: u64 = u64::BITS as u64;

/// The blocks of a file, and which of them were taken.
pub(super) struct Cover {
    taken: Vec<u64>,
    blocks: u64,
    left: u64,
}

impl Cover {
    /// All blocks are free; `None` of more than can be kept.
    pub(super) fn of(blocks: u64) -> Option<Self> {
        if blocks > MOST_BLOCKS {
            return None;
        }
        let words = usize::try_from(blocks.div_ceil(BITS)).ok()?;
        Some(Self { taken: vec![0; words], blocks, left: blocks })
    }

    /// The first free block from this one on, round the end. Once all were taken all are free again.
    pub(super) fn free_from(&mut self, block: u64) -> u64 {
        if self.left == 0 {
            self.taken.fill(0);
            self.left = self.blocks;
        }
        self.next(block, |word| !word).or_else(|| self.next(0, |word| !word)).unwrap_or(block)
    }

    /// Takes so many blocks from a free one on, or as many as there are up to the next that was taken. Returns how many.
    pub(super) fn take(&mut self, block: u64, wanted: u64) -> u64 {
        let end = self.blocks.min(block.saturating_add(wanted));
        let end = self.next(block, |word| word).map_or(end, |taken| taken.min(end));
        for block in block..end {
            if let Some(word) = usize::try_from(block / BITS).ok().and_then(|word| self.taken.get_mut(word)) {
                *word |= 1 << (block % BITS);
            }
        }
        let count = end.saturating_sub(block);
        self.left = self.left.saturating_sub(count);
        count
    }

    /// The first block from this one on whose bit is, once its word went through `turned`, 1.
    fn next(&self, block: u64, turned: impl Fn(u64) -> u64) -> Option<u64> {
        let first = usize::try_from(block / BITS).ok()?;
        let words = self.taken.get(first..)?.iter().map(|word| turned(*word));
        // Of the first word without what lies before.
        let masks = std::iter::once(u64::MAX << (block % BITS)).chain(std::iter::repeat(u64::MAX));
        let mut found = (0..).zip(words.zip(masks)).map(|(number, (word, mask))| (number, word & mask));
        let (number, word): (u64, u64) = found.find(|(_, word)| *word != 0)?;
        let found = (block / BITS + number) * BITS + u64::from(word.trailing_zeros());
        Some(found).filter(|found| *found < self.blocks)
    }
}

/// Whether a pass covers each block of a file once by requests of several lengths: of all directions the smallest one is a block.
pub(super) fn covers(job: &FioConfig) -> bool {
    let block = job.smallest();
    let covers = |way: &Direction| {
        way.random_share > 0.0
            && way.access == Access::Random
            && way.align_bytes == block
            && way.sizes.iter().map(|size| size.bytes).min() == Some(block)
    };
    keeps_map(job) && only_length(ways(job)).is_none() && ways(job).all(covers)
}

/// Whether its requests do, from the first to the last of each pass.
pub(super) fn covers_all(job: &FioConfig) -> bool {
    covers(job) && job.run_requests <= 1 && ways(job).all(|way| way.random_share >= 1.0)
}

fn keeps_map(job: &FioConfig) -> bool {
    !job.with_replacement && !job.is_in_zones()
}

/// What a random map of several lengths isn't here.
const NOTE: &str = "random map of several sizes: in fio a request ends where one begins that came before; here each \
                    direction goes once to each place of its own, and requests overlap";

/// A sentence, if a job has a random map whose requests overlap here and not in fio.
pub(super) fn note(job: &FioConfig) -> Option<&'static str> {
    let mapped = |way: &Direction| {
        // Of places of another alignment fio has no map.
        let smallest = way.sizes.iter().map(|size| size.bytes).min();
        way.random_share > 0.0 && way.access == Access::Random && smallest == Some(way.align_bytes)
    };
    let overlap = keeps_map(job) && only_length(ways(job)).is_none() && ways(job).all(mapped);
    (overlap && !covers(job)).then_some(NOTE)
}

/// The same for files of which too much would have to be kept.
pub(super) fn note_of_files(job: &FioConfig, files: &[FilePart]) -> Option<&'static str> {
    let block = job.smallest().max(1);
    let large = files.iter().any(|file| file.bytes / block > MOST_BLOCKS);
    (covers(job) && large).then_some(NOTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_cut_at_the_next_that_was() {
        let mut cover = Cover::of(200).unwrap();
        assert_eq!((cover.free_from(100), cover.take(100, 30)), (100, 30));
        assert_eq!((cover.free_from(60), cover.take(60, 64)), (60, 40));
        assert_eq!(cover.free_from(99), 130);
        assert_eq!(cover.take(130, 1000), 70);
        // Round the end, and from anew once all were taken.
        assert_eq!((cover.free_from(199), cover.take(0, 60)), (0, 60));
        assert_eq!((cover.free_from(150), cover.take(150, 1)), (150, 1));
    }

    #[test]
    fn more_blocks_than_can_be_kept_are_none() {
        assert!(Cover::of(MOST_BLOCKS + 1).is_none() && Cover::of(1).is_some());
    }

    proptest::proptest! {
        #[test]
        fn each_block_is_taken_once(blocks in 1..300_u64, draws in proptest::collection::vec((0..300_u64, 1..70_u64), 1..400)) {
            let mut cover = Cover::of(blocks).unwrap();
            let mut counts = vec![0_u32; blocks as usize];
            for (draw, wanted) in draws {
                let first = cover.free_from(draw % blocks);
                let count = cover.take(first, wanted);
                proptest::prop_assert!(count > 0 && count <= wanted);
                (first..first + count).for_each(|block| counts[block as usize] += 1);
                let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
                proptest::prop_assert!(most - least <= 1);
            }
        }
    }
}
