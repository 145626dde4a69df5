//! The page cache.

use std::collections::BTreeSet;
use std::hash::BuildHasherDefault;
use std::num::NonZeroUsize;

use lru::LruCache;

use crate::apps::extents::{Extent, PAGE};
use crate::info::hash::Mixer;

/// Pages of the drive that are in memory; the dirty ones can't be dropped.
pub(super) struct PageCache {
    pages: LruCache<u64, (), BuildHasherDefault<Mixer>>,
    dirty: BTreeSet<u64>,
    most_dirty: usize,
}

impl PageCache {
    pub(super) fn new(bytes: u64, dirty_share: f64) -> Self {
        let pages = NonZeroUsize::new((bytes / PAGE) as usize).unwrap_or(NonZeroUsize::MIN);
        let most_dirty = ((pages.get() as f64 * dirty_share) as usize).max(1);
        Self {
            pages: LruCache::with_hasher(pages, BuildHasherDefault::default()),
            dirty: BTreeSet::new(),
            most_dirty,
        }
    }

    /// The runs of pages of an extent that are not in memory; now they are.
    pub(super) fn read(&mut self, (start, length): Extent) -> Vec<Extent> {
        let mut missing: Vec<Extent> = Vec::new();
        for page in start / PAGE..(start + length).div_ceil(PAGE) {
            if self.pages.get(&page).is_some() || self.dirty.contains(&page) {
                continue;
            }
            self.pages.put(page, ());
            match missing.last_mut() {
                Some((first, length)) if *first + *length == page * PAGE => *length += PAGE,
                _ => missing.push((page * PAGE, PAGE)),
            }
        }
        missing
    }

    /// Writes pages in memory.
    pub(super) fn write(&mut self, (start, length): Extent) {
        for page in start / PAGE..(start + length).div_ceil(PAGE) {
            self.pages.put(page, ());
            self.dirty.insert(page);
        }
    }

    /// Whether so many pages are dirty that the write-back must begin.
    pub(super) fn is_full_of_dirt(&self) -> bool {
        self.dirty.len() > self.most_dirty
    }

    /// Takes runs of dirty pages, in the order of their addresses, until half of what is allowed is left (or nothing).
    pub(super) fn clean(&mut self, all: bool) -> Vec<Extent> {
        let keep = if all { 0 } else { self.most_dirty / 2 };
        let mut runs: Vec<Extent> = Vec::new();
        while self.dirty.len() > keep {
            let Some(page) = self.dirty.pop_first() else { break };
            append(&mut runs, page);
        }
        runs
    }

    /// Takes the dirty pages of an extent, for an fsync.
    pub(super) fn clean_extent(&mut self, (start, length): Extent) -> Vec<Extent> {
        let (first, end) = (start / PAGE, (start + length).div_ceil(PAGE));
        let pages: Vec<u64> = self.dirty.range(first..end).copied().collect();
        let mut runs = Vec::new();
        for page in pages {
            self.dirty.remove(&page);
            append(&mut runs, page);
        }
        runs
    }

    /// Forgets the pages of an extent whose file was deleted.
    pub(super) fn forget(&mut self, (start, length): Extent) {
        for page in start / PAGE..(start + length).div_ceil(PAGE) {
            self.dirty.remove(&page);
            self.pages.pop(&page);
        }
    }
}

fn append(runs: &mut Vec<Extent>, page: u64) {
    match runs.last_mut() {
        Some((first, length)) if *first + *length == page * PAGE => *length += PAGE,
        _ => runs.push((page * PAGE, PAGE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_missing_is_read_and_dirt_is_written_in_runs() {
        let mut cache = PageCache::new(16 * PAGE, 0.5);
        assert_eq!(cache.read((0, 3 * PAGE)), [(0, 3 * PAGE)]);
        assert_eq!(cache.read((PAGE, 3 * PAGE)), [(3 * PAGE, PAGE)]);
        cache.write((8 * PAGE, 100));
        cache.write((9 * PAGE, PAGE));
        assert_eq!(cache.clean_extent((8 * PAGE, PAGE)), [(8 * PAGE, PAGE)]);
        assert_eq!(cache.clean(true), [(9 * PAGE, PAGE)]);
        cache.write((20 * PAGE, PAGE));
        cache.forget((20 * PAGE, PAGE));
        assert!(cache.clean(true).is_empty());
        (0..40).for_each(|page| drop(cache.read((page * PAGE, PAGE))));
        assert_eq!(cache.read((0, PAGE)).len(), 1);
    }
}
