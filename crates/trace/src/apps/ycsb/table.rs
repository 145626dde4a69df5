//! Sorted files.

use crate::apps::extents::Extent;

/// Bytes of a file behind its records: index, filter, footer, as a share of them.
const TAIL: u64 = 50;

/// A sorted file: the records of a level whose places lie in a range.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Unlike any other of the run.
    pub id: u64,
    /// First place, and the one behind the last.
    pub range: (u64, u64),
    /// Records.
    pub records: u64,
    pub extents: Vec<Extent>,
}

impl Table {
    /// Bytes of a file with so many records.
    pub(super) fn bytes_for(records: u64, record_bytes: u64) -> u64 {
        let data = records * record_bytes;
        data + data / TAIL + 4096
    }

    /// The block of a place, if keys are spread evenly.
    pub(super) fn block_of(&self, place: u64, block_records: u64) -> u64 {
        let (low, high) = self.range;
        let span = u128::from((high - low).max(1));
        let rank = u128::from(place.saturating_sub(low)) * u128::from(self.records) / span;
        rank as u64 / block_records
    }

    /// Bytes of the file from `offset`, as runs on the drive, widened to whole pages.
    pub(super) fn runs(&self, offset: u64, length: u64, page: u64) -> Vec<Extent> {
        let (first, end) = (offset / page * page, (offset + length).div_ceil(page) * page);
        let mut out: Vec<Extent> = Vec::new();
        let mut base = 0;
        for &(start, size) in &self.extents {
            let (low, high) = (first.max(base), end.min(base + size));
            if low < high {
                out.push((start + low - base, high - low));
            }
            base += size;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_read_in_whole_pages_over_extents() {
        let table =
            Table { id: 1, range: (0, 100), records: 50, extents: vec![(1 << 20, 8192), (4 << 20, 8192)] };
        assert_eq!(table.runs(4600, 4600, 4096), [((1 << 20) + 4096, 4096), (4 << 20, 4096)]);
        assert_eq!((table.block_of(0, 4), table.block_of(99, 4)), (0, 12));
    }
}
