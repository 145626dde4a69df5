//! Reads and writes of each page, and pages by what they get.

use serde::{Deserialize, Serialize};

use crate::info::hash::Map;

/// Bytes of a page here.
pub(super) const PAGE: u64 = 4096;

/// Pages of a chunk, and of one request that are looked at.
const CHUNK: u64 = 512;
const MOST_PAGES: u64 = 1 << 18;

/// Share of its requests from which a page is of one kind (papers/002 and 004).
const DOMINANT: u64 = 90;

/// Kinds of pages.
pub(super) const KINDS: usize = 3;

/// What a page gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageKind {
    /// At least 90% reads.
    #[default]
    Read,
    /// At least 90% writes.
    Written,
    /// Neither.
    Mixed,
}

impl PageKind {
    pub(super) const ALL: [Self; KINDS] = [Self::Read, Self::Written, Self::Mixed];

    /// Its name in a model.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Written => "written",
            Self::Mixed => "mixed",
        }
    }

    pub(super) fn of(reads: u64, writes: u64) -> Self {
        let all = (reads + writes) * DOMINANT;
        if reads * 100 >= all {
            Self::Read
        } else if writes * 100 >= all {
            Self::Written
        } else {
            Self::Mixed
        }
    }

    /// The one with the most requests.
    pub(super) fn most(counts: &[u64; KINDS]) -> Self {
        let most = counts.iter().max().copied().unwrap_or(0);
        Self::ALL
            .into_iter()
            .zip(counts)
            .find(|(_, count)| **count == most)
            .map_or(Self::Read, |found| found.0)
    }
}

/// Reads and writes of each page.
#[derive(Default)]
pub(super) struct PageCounts {
    chunks: Map<u64, Vec<(u16, u16)>>,
}

/// First and last page of a request, no more than are looked at.
pub(super) fn pages_of(offset: u64, length: u64) -> std::ops::RangeInclusive<u64> {
    let (first, last) = (offset / PAGE, offset.saturating_add(length.saturating_sub(1)) / PAGE);
    first..=last.min(first + MOST_PAGES - 1)
}

impl PageCounts {
    pub(super) fn add(&mut self, offset: u64, length: u64, read: bool) {
        for page in pages_of(offset, length) {
            let chunk = self.chunks.entry(page / CHUNK).or_insert_with(|| vec![(0, 0); CHUNK as usize]);
            if let Some((reads, writes)) = chunk.get_mut((page % CHUNK) as usize) {
                let count = if read { reads } else { writes };
                *count = count.saturating_add(1);
            }
        }
    }

    pub(super) fn counts(&self, page: u64) -> (u64, u64) {
        let found = self.chunks.get(&(page / CHUNK)).and_then(|chunk| chunk.get((page % CHUNK) as usize));
        found.map_or((0, 0), |(reads, writes)| (u64::from(*reads), u64::from(*writes)))
    }

    /// What the page gets that a request begins in.
    pub(super) fn kind(&self, offset: u64) -> PageKind {
        let (reads, writes) = self.counts(offset / PAGE);
        PageKind::of(reads, writes)
    }

    pub(super) fn touched(&self) -> impl Iterator<Item = (u64, u64)> {
        let all =
            self.chunks.values().flatten().map(|(reads, writes)| (u64::from(*reads), u64::from(*writes)));
        all.filter(|(reads, writes)| reads + writes > 0)
    }

    /// Pages of each kind.
    pub(super) fn by_kind(&self) -> [u64; KINDS] {
        let mut pages = [0; KINDS];
        for (reads, writes) in self.touched() {
            if let Some(count) = pages.get_mut(PageKind::of(reads, writes) as usize) {
                *count += 1;
            }
        }
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_by_what_they_get_most() {
        let mut pages = PageCounts::default();
        for turn in 0..10 {
            pages.add(0, 8192, true);
            pages.add(4096, 4096, turn > 0);
            pages.add(1 << 40, 100, false);
        }
        pages.add(4096, 4096, false);
        pages.add(4096, 4096, false);
        assert_eq!(pages.kind(0), PageKind::Read);
        assert_eq!(pages.kind(5000), PageKind::Mixed);
        assert_eq!(pages.kind(1 << 40), PageKind::Written);
        assert_eq!(pages.by_kind(), [1, 1, 1]);
    }
}
