//! Pages read and written anywhere in 2^64 bytes; memory grows with the 2 MiB chunks that are touched.

use std::collections::HashMap;

use super::PageCounts;
use crate::bits::set_range;

/// Size of a page, bytes.
pub(super) const PAGE: u64 = 4096;

/// Pages of a chunk.
const CHUNK: u64 = 512;

/// One bit a page.
type Bits = [u64; 8];

#[derive(Default)]
struct Chunk {
    read: Bits,
    written: Bits,
}

/// The pages that were read and written so far.
#[derive(Default)]
pub(super) struct PageSets {
    chunks: HashMap<u64, Chunk>,
}

impl PageSets {
    /// Marks the pages of `length` bytes, at least 1, at `offset`.
    pub(super) fn mark(&mut self, offset: u64, length: u64, write: bool) {
        let (first, last) = (offset / PAGE, offset.saturating_add(length.saturating_sub(1)) / PAGE);
        for number in first / CHUNK..=last / CHUNK {
            let chunk = self.chunks.entry(number).or_default();
            let bits = if write { &mut chunk.written } else { &mut chunk.read };
            let start = number * CHUNK;
            set_range(bits, first.saturating_sub(start), (last - start).min(CHUNK - 1));
        }
    }

    pub(super) fn counts(&self) -> PageCounts {
        let mut counts = PageCounts { page_bytes: PAGE, ..PageCounts::default() };
        for chunk in self.chunks.values() {
            for (read, written) in chunk.read.iter().zip(&chunk.written) {
                counts.read += u64::from(read.count_ones());
                counts.written += u64::from(written.count_ones());
                counts.both += u64::from((read & written).count_ones());
                counts.touched += u64::from((read | written).count_ones());
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_once_wherever_they_lie() {
        let mut pages = PageSets::default();
        pages.mark(0, 1, false);
        pages.mark(4095, 2, true);
        pages.mark(512 * PAGE - 1, 2, false);
        pages.mark(u64::MAX - 1, 1, true);
        pages.mark(10 * PAGE, 3000 * PAGE, true);
        let counts = pages.counts();
        assert_eq!((counts.read, counts.written), (3, 3003));
        assert_eq!((counts.both, counts.touched), (3, 3003));
    }
}
