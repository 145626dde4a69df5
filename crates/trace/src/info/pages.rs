//! Pages read and written anywhere in 2^64 bytes; memory grows with the 2 MiB chunks that are touched, by about 300 bytes
//! each while the map grows.

use super::PageCounts;
use super::hash::Map;
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
    chunks: Map<(u16, u64), Chunk>,
}

/// First and last page of `length` bytes, at least 1, at `offset`.
pub(super) fn pages_of(offset: u64, length: u64) -> (u64, u64) {
    (offset / PAGE, offset.saturating_add(length.saturating_sub(1)) / PAGE)
}

impl PageSets {
    /// Marks pages of a device, from the first to the last.
    pub(super) fn mark(&mut self, device: u16, first: u64, last: u64, write: bool) {
        for number in first / CHUNK..=last / CHUNK {
            let chunk = self.chunks.entry((device, number)).or_default();
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

    fn marked(marks: &[(u16, u64, u64, bool)]) -> PageCounts {
        let mut pages = PageSets::default();
        for (device, offset, length, write) in marks {
            let (first, last) = pages_of(*offset, *length);
            pages.mark(*device, first, last, *write);
        }
        pages.counts()
    }

    #[test]
    fn pages_are_counted_once_wherever_they_lie() {
        let counts = marked(&[
            (0, 0, 1, false),
            (0, 4095, 2, true),
            (0, 512 * PAGE - 1, 2, false),
            (0, u64::MAX - 1, 1, true),
            (0, 10 * PAGE, 3000 * PAGE, true),
        ]);
        assert_eq!((counts.read, counts.written), (3, 3003));
        assert_eq!((counts.both, counts.touched), (3, 3003));
    }

    #[test]
    fn devices_are_kept_apart() {
        assert_eq!(marked(&[(0, 0, 1, false), (1, 0, 1, true), (1, 0, 1, true)]).touched, 2);
    }
}
