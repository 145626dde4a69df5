//! A few entries of a large table, by their indices: an open-addressed table whose slots lie in the order of the indices' hashes.

use std::hint::select_unpredictable;

use super::{ask_for_huge_pages, prefetch};

/// Slots of the first table.
const FIRST_SLOTS: usize = 1 << 10;

/// Of so many slots...
const OF_SLOTS: usize = 8;
/// ... so many are used at most.
const MOST_USED: usize = 5;

/// Entries that are kept here, each with its index.
#[derive(Clone, Debug, Default)]
pub struct Compact {
    /// Index and one more in the upper half, entry in the lower one; 0 is nobody's. As many as a power of two says, or none.
    slots: Vec<u64>,
    used: usize,
    /// How many of those are elsewhere by now.
    gone: usize,
}

impl Compact {
    /// Whether it never had an entry.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// An entry; zero if there is none.
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        self.slots.get(self.slot_of(index)).map_or(0, |&slot| slot as u32)
    }

    /// Sets an entry to what `new` makes of the one before, if anything; whether it is a new one. Those that `is_here` denies, as
    /// many as [`Self::leave`] was told, are forgotten when it has no more room.
    #[inline]
    pub fn update(
        &mut self,
        index: usize,
        new: impl FnOnce(u32) -> Option<u32>,
        is_here: impl Fn(usize) -> bool,
    ) -> bool {
        if self.used >= self.slots.len() / OF_SLOTS * MOST_USED {
            self.make_room(is_here);
        }
        let place = self.slot_of(index);
        let Some(slot) = self.slots.get_mut(place) else { return false };
        let is_new = *slot == 0;
        let Some(entry) = new(*slot as u32) else { return false };
        *slot = packed(index, entry);
        self.used += usize::from(is_new);
        is_new
    }

    /// So many entries are elsewhere from now on.
    pub fn leave(&mut self, entries: usize) {
        self.gone += entries;
    }

    /// Brings an entry towards the caches; one that isn't wanted costs what a wanted one in the caches does.
    #[inline]
    pub fn prefetch_if(&self, wanted: bool, index: usize) {
        prefetch(&self.slots, select_unpredictable(wanted, self.home(index), 0));
    }

    /// Entries that it keeps, those that are elsewhere by now among them.
    pub fn len(&self) -> usize {
        self.used
    }

    /// All entries with their indices.
    pub fn entries(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        self.slots.iter().filter(|&&slot| slot != 0).map(|&slot| unpacked(slot))
    }

    /// Where an index would lie if nothing were in its way.
    #[inline]
    fn home(&self, index: usize) -> usize {
        // The upper bits of a product with an odd number, the golden ratio's share of 2^32.
        let hash = (index as u32).wrapping_mul(0x9E37_79B9);
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    /// The slot of an index, or the free one where it would be put.
    #[inline]
    fn slot_of(&self, index: usize) -> usize {
        let mut place = self.home(index);
        while let Some(&slot) = self.slots.get(place) {
            if slot == 0 || unpacked(slot).0 == index {
                break;
            }
            place = (place + 1) & (self.slots.len() - 1);
        }
        place
    }

    /// Exchanges the slots for those that what is still here needs. As they lie in the order of their hashes, the new ones are
    /// filled nearly one after the other.
    #[cold]
    fn make_room(&mut self, is_here: impl Fn(usize) -> bool) {
        let old = std::mem::take(&mut self.slots);
        let all_are_here = self.gone == 0;
        let kept = self.used.saturating_sub(self.gone);
        let needed = kept * 2 * OF_SLOTS / MOST_USED;
        self.slots = vec![0; needed.next_power_of_two().max(FIRST_SLOTS)];
        ask_for_huge_pages(&self.slots);
        (self.used, self.gone) = (0, 0);
        for slot in old.into_iter().filter(|&slot| slot != 0) {
            let index = unpacked(slot).0;
            if !all_are_here && !is_here(index) {
                continue;
            }
            let place = self.slot_of(index);
            if let Some(free) = self.slots.get_mut(place) {
                *free = slot;
                self.used += 1;
            }
        }
        debug_assert_eq!(self.used, kept, "entries that are elsewhere");
    }
}

fn packed(index: usize, entry: u32) -> u64 {
    (index as u64 + 1) << 32 | u64::from(entry)
}

fn unpacked(slot: u64) -> (usize, u32) {
    ((slot >> 32) as usize - 1, slot as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{below, stream};
    use std::collections::BTreeMap;

    #[test]
    fn it_holds_what_was_set_last_and_forgets_what_is_elsewhere() {
        let mut random = stream(5, "compact");
        for span in [50, 3_000, u32::MAX - 1] {
            let (mut compact, mut expected) = (Compact::default(), BTreeMap::new());
            assert_eq!((compact.get(0), compact.entries().count()), (0, 0));
            let gone = |index: usize| index.is_multiple_of(3);
            for number in 0..20_000 {
                let index = below(&mut random, span) as usize;
                compact.prefetch_if(number % 2 == 0, index);
                let is_new = compact.update(index, |_| Some(number), |index| !gone(index));
                let was_new = expected.insert(index, number).is_none();
                compact.leave(usize::from(is_new && gone(index)));
                assert!(is_new == was_new || (gone(index) && is_new));
            }
            for (&index, &entry) in expected.iter().filter(|(index, _)| !gone(**index)) {
                assert_eq!(compact.get(index), entry);
            }
            let kept: BTreeMap<_, _> = compact.entries().filter(|(index, _)| !gone(*index)).collect();
            expected.retain(|index, _| !gone(*index));
            assert!(kept == expected && compact.get(u32::MAX as usize - 1) == 0 || span > 3_000);
            assert!(compact.slots.len() < 20_000 * 8);
        }
    }
}
