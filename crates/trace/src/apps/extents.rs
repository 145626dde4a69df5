//! Space of a file system, in extents: the smallest free run that holds a file, so that files stay in one piece.

use std::collections::{BTreeMap, BTreeSet};

/// A run of bytes: start and length.
pub(super) type Extent = (u64, u64);

/// Size of what is given, bytes.
pub(super) const PAGE: u64 = 4096;

/// Free space: start and length of runs that don't touch.
pub(super) struct Extents {
    free: BTreeMap<u64, u64>,
    /// The same, by length.
    by_length: BTreeSet<(u64, u64)>,
    left: u64,
}

impl Extents {
    /// Everything from `start` to `end` is free.
    pub(super) fn new(start: u64, end: u64) -> Self {
        let start = start.next_multiple_of(PAGE);
        let length = (end / PAGE * PAGE).saturating_sub(start);
        let mut this = Self { free: BTreeMap::new(), by_length: BTreeSet::new(), left: length };
        if length > 0 {
            this.insert(start, length);
        }
        this
    }

    fn insert(&mut self, start: u64, length: u64) {
        self.free.insert(start, length);
        self.by_length.insert((length, start));
    }

    fn remove(&mut self, start: u64) -> Option<u64> {
        let length = self.free.remove(&start)?;
        self.by_length.remove(&(length, start));
        Some(length)
    }

    /// Takes so many bytes, rounded up to pages, in as few extents as come; `None` when there is not so much.
    pub(super) fn take(&mut self, bytes: u64) -> Option<Vec<Extent>> {
        let mut wanted = bytes.next_multiple_of(PAGE).max(PAGE);
        if wanted > self.left {
            return None;
        }
        self.left -= wanted;
        let mut out = Vec::new();
        while wanted > 0 {
            let fits = self.by_length.range((wanted, 0)..).next();
            let (length, start) = *fits.or_else(|| self.by_length.last())?;
            let taken = length.min(wanted);
            self.remove(start);
            if taken < length {
                self.insert(start + taken, length - taken);
            }
            out.push((start, taken));
            wanted -= taken;
        }
        Some(out)
    }

    /// Takes bytes directly behind `end` if they are free, for a file that grows.
    pub(super) fn grow(&mut self, end: u64, bytes: u64) -> Option<Extent> {
        let wanted = bytes.next_multiple_of(PAGE);
        let length = self.free.get(&end).copied().filter(|length| *length >= wanted)?;
        self.remove(end);
        if length > wanted {
            self.insert(end + wanted, length - wanted);
        }
        self.left -= wanted;
        Some((end, wanted))
    }

    /// Gives an extent back.
    pub(super) fn give(&mut self, (mut start, mut length): Extent) {
        self.left += length;
        if let Some((&before, &size)) = self.free.range(..start).next_back()
            && before + size == start
        {
            self.remove(before);
            (start, length) = (before, size + length);
        }
        if let Some(size) = self.remove(start + length) {
            length += size;
        }
        self.insert(start, length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_whole() {
        let mut space = Extents::new(0, 1 << 20);
        let first = space.take(100_000).unwrap();
        let second = space.take(4096).unwrap();
        assert_eq!((first.as_slice(), second.as_slice()), (&[(0, 102_400)][..], &[(102_400, 4096)][..]));
        assert_eq!(space.grow(106_496, 4000), Some((106_496, 4096)));
        assert!(space.take(1 << 20).is_none());
        space.give(first[0]);
        space.give(second[0]);
        space.give((106_496, 4096));
        assert_eq!(space.take(1 << 20).unwrap(), [(0, 1 << 20)]);
        assert!(space.take(1).is_none());
    }

    #[test]
    fn scattered_space_is_given_in_pieces() {
        let mut space = Extents::new(0, 10 * PAGE);
        let all: Vec<Extent> = (0..10).map(|_| space.take(PAGE).unwrap()[0]).collect();
        [1, 3, 5].iter().for_each(|place: &usize| space.give(all[*place]));
        let mut found = space.take(3 * PAGE).unwrap();
        found.sort_unstable();
        assert_eq!(found, [all[1], all[3], all[5]]);
    }
}
