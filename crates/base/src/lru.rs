//! A table that knows in which order its entries were used last.

use serde::{Deserialize, Serialize};

use crate::ids::{Lpa, Ppa};
use crate::memory::prefetch;

/// No slot.
const NIL: u32 = u32::MAX;

/// Places of the table when there is an entry for the first time; a power of two, as all later sizes.
const FEWEST_PLACES: usize = 16;

/// 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming vol. 3, 6.4).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// What entries can be found by.
pub trait Key: Copy + Eq {
    /// The key as a number. Keys of the same number are found more slowly.
    fn number(self) -> u64;
}

impl Key for u32 {
    fn number(self) -> u64 {
        u64::from(self)
    }
}

impl Key for Lpa {
    fn number(self) -> u64 {
        u64::from(self.0)
    }
}

impl Key for (Ppa, Ppa) {
    fn number(self) -> u64 {
        u64::from(self.0.0) << 32 | u64::from(self.1.0)
    }
}

/// An entry and its neighbours in the order of use. One that holds nothing is in the list of free slots, by `older`.
#[derive(Clone, Debug)]
struct Slot<K, V> {
    key: K,
    older: u32,
    younger: u32,
    value: V,
}

/// A place of the hash table. The hash stands beside the slot, so that the slots of other keys are not looked at.
#[derive(Clone, Copy, Debug)]
struct Place {
    slot: u32,
    hash: u32,
}

const FREE: Place = Place { slot: NIL, hash: 0 };

/// Entries by key, in order of use. Runs with it repeat: nothing that it gives depends on hashes or addresses. As bytes it
/// is the entries, the oldest first.
///
/// The entries lie in one vector, linked by their numbers; an open-addressed table with linear probing, at most half of
/// it in use, finds them. At most 2^32 − 1 entries.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(
    into = "Vec<(K, V)>",
    from = "Vec<(K, V)>",
    bound(
        serialize = "K: Serialize + Key, V: Serialize + Clone",
        deserialize = "K: Deserialize<'de> + Key, V: Deserialize<'de> + Default"
    )
)]
pub struct LruMap<K, V> {
    slots: Vec<Slot<K, V>>,
    places: Vec<Place>,
    len: usize,
    oldest: u32,
    youngest: u32,
    /// The first of the slots that hold nothing.
    free: u32,
}

impl<K, V> Default for LruMap<K, V> {
    fn default() -> Self {
        Self { slots: Vec::new(), places: Vec::new(), len: 0, oldest: NIL, youngest: NIL, free: NIL }
    }
}

impl<K: Key, V: Default> From<Vec<(K, V)>> for LruMap<K, V> {
    fn from(entries: Vec<(K, V)>) -> Self {
        let mut map = Self::default();
        entries.into_iter().for_each(|(key, value)| map.insert(key, value));
        map
    }
}

impl<K: Key, V: Clone> From<LruMap<K, V>> for Vec<(K, V)> {
    fn from(map: LruMap<K, V>) -> Self {
        let oldest_first = map.order(map.oldest, |slot| slot.younger);
        oldest_first.map(|slot| (slot.key, slot.value.clone())).collect()
    }
}

impl<K, V> LruMap<K, V> {
    /// Entries.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Slots from one on.
    fn order(&self, from: u32, next: impl Fn(&Slot<K, V>) -> u32) -> impl Iterator<Item = &Slot<K, V>> {
        std::iter::successors(self.slots.get(from as usize), move |slot| self.slots.get(next(slot) as usize))
    }

    /// Where the search for a hash begins: its highest bits, which depend on all of the key, say it.
    #[inline]
    fn home(&self, hash: u32) -> usize {
        (hash >> (32 - self.places.len().trailing_zeros())) as usize
    }

    /// The place behind this one.
    #[inline]
    fn behind(&self, place: usize) -> usize {
        (place + 1) & (self.places.len() - 1)
    }

    fn put_place(&mut self, new: Place) {
        let mut place = self.home(new.hash);
        while self.places[place].slot != NIL {
            place = self.behind(place);
        }
        self.places[place] = new;
    }

    /// Makes room in the table for one entry more.
    fn grow(&mut self) {
        let size = (self.places.len() * 2).max(FEWEST_PLACES);
        let before = std::mem::replace(&mut self.places, vec![FREE; size]);
        before.into_iter().filter(|place| place.slot != NIL).for_each(|place| self.put_place(place));
    }

    /// Frees a place. What stands behind it, pushed aside, moves up.
    fn free_place(&mut self, mut hole: usize) {
        let mask = self.places.len() - 1;
        let mut place = hole;
        loop {
            place = self.behind(place);
            let found = self.places[place];
            if found.slot == NIL {
                break;
            }
            // It may fill the hole unless its home lies behind the hole.
            let from_home = place.wrapping_sub(self.home(found.hash)) & mask;
            if from_home >= place.wrapping_sub(hole) & mask {
                self.places[hole] = found;
                hole = place;
            }
        }
        self.places[hole] = FREE;
    }

    fn link_youngest(&mut self, slot: u32) {
        let older = std::mem::replace(&mut self.youngest, slot);
        let entry = &mut self.slots[slot as usize];
        (entry.older, entry.younger) = (older, NIL);
        match self.slots.get_mut(older as usize) {
            Some(older) => older.younger = slot,
            None => self.oldest = slot,
        }
    }

    fn unlink(&mut self, slot: u32) {
        let Slot { older, younger, .. } = self.slots[slot as usize];
        match self.slots.get_mut(older as usize) {
            Some(older) => older.younger = younger,
            None => self.oldest = younger,
        }
        match self.slots.get_mut(younger as usize) {
            Some(younger) => younger.older = older,
            None => self.youngest = older,
        }
    }
}

impl<K: Key, V> LruMap<K, V> {
    #[inline]
    fn hash(key: K) -> u32 {
        (key.number().wrapping_mul(MULTIPLIER) >> 32) as u32
    }

    /// The place of the table that a key has.
    #[inline]
    fn place_of(&self, key: K) -> Option<usize> {
        if self.len == 0 {
            return None;
        }
        let hash = Self::hash(key);
        let mut place = self.home(hash);
        loop {
            let found = self.places[place];
            if found.slot == NIL {
                return None;
            }
            if found.hash == hash && self.slots[found.slot as usize].key == key {
                return Some(place);
            }
            place = self.behind(place);
        }
    }

    #[inline]
    fn slot_of(&self, key: K) -> Option<u32> {
        self.place_of(key).map(|place| self.places[place].slot)
    }

    /// Brings what the search for a key begins with towards the caches.
    #[inline]
    pub fn prefetch(&self, key: K) {
        if self.len > 0 {
            prefetch(&self.places, self.home(Self::hash(key)));
        }
    }

    /// Second stage, once [`Self::prefetch`] had time: the entry itself, if it is where the search begins.
    #[inline]
    pub fn prefetch_entry(&self, key: K) {
        if self.len > 0 {
            let hash = Self::hash(key);
            let place = self.places[self.home(hash)];
            if place.hash == hash {
                prefetch(&self.slots, place.slot as usize);
            }
        }
    }

    /// Brings what the entry that was not used for longest needs to go, which nobody looked at for long, towards the caches:
    /// for when it goes after one that went just now.
    #[inline]
    fn prefetch_oldest(&self) {
        if let Some(oldest) = self.slots.get(self.oldest as usize) {
            prefetch(&self.places, self.home(Self::hash(oldest.key)));
            prefetch(&self.slots, oldest.younger as usize);
        }
    }

    /// An entry, whose place in the order stays.
    #[inline]
    pub fn get(&self, key: K) -> Option<&V> {
        self.slot_of(key).map(|slot| &self.slots[slot as usize].value)
    }

    /// The same, to change it.
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        self.slot_of(key).map(|slot| &mut self.slots[slot as usize].value)
    }

    /// An entry, which is the one used last from now on.
    pub fn touch(&mut self, key: K) -> Option<&mut V> {
        let slot = self.slot_of(key)?;
        if slot != self.youngest {
            self.unlink(slot);
            self.link_youngest(slot);
        }
        Some(&mut self.slots[slot as usize].value)
    }

    /// A new entry, the one used last; one of this key is replaced.
    pub fn insert(&mut self, key: K, value: V) {
        match self.touch(key) {
            Some(there) => *there = value,
            None => self.add(key, value),
        }
    }

    /// A new entry, the one used last, of a key that has none.
    pub fn add(&mut self, key: K, value: V) {
        debug_assert!(self.get(key).is_none(), "a key has one entry");
        if self.places.len() < (self.len + 1) * 2 {
            self.grow();
        }
        let slot = self.free;
        match self.slots.get_mut(slot as usize) {
            Some(reused) => {
                self.free = reused.older;
                (reused.key, reused.value) = (key, value);
            }
            None => self.slots.push(Slot { key, older: NIL, younger: NIL, value }),
        }
        let slot = if slot == NIL { self.slots.len() as u32 - 1 } else { slot };
        self.link_youngest(slot);
        self.put_place(Place { slot, hash: Self::hash(key) });
        self.len += 1;
    }

    /// Gives the entry that was not used for longest to a key that has none; it is the one used last from now on, and holds
    /// what it held. `None` if there is no entry.
    pub fn pass_oldest_on(&mut self, key: K) -> Option<&mut V> {
        debug_assert!(self.get(key).is_none(), "a key has one entry");
        let slot = self.oldest;
        let place = self.place_of(self.slots.get(slot as usize)?.key)?;
        self.free_place(place);
        self.put_place(Place { slot, hash: Self::hash(key) });
        if slot != self.youngest {
            self.unlink(slot);
            self.link_youngest(slot);
        }
        self.prefetch_oldest();
        let entry = &mut self.slots[slot as usize];
        entry.key = key;
        Some(&mut entry.value)
    }

    /// The entry that was used last.
    pub fn youngest_mut(&mut self) -> Option<&mut V> {
        self.slots.get_mut(self.youngest as usize).map(|slot| &mut slot.value)
    }

    /// The key of the entry that was not used for longest.
    pub fn oldest(&self) -> Option<K> {
        self.slots.get(self.oldest as usize).map(|slot| slot.key)
    }

    /// Nothing is left.
    pub fn clear(&mut self) {
        self.slots.clear();
        if self.len > 0 {
            self.places.fill(FREE);
        }
        (self.len, self.oldest, self.youngest, self.free) = (0, NIL, NIL, NIL);
    }

    /// Keys and entries, the one used last first.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> {
        self.order(self.youngest, |slot| slot.older).map(|slot| (slot.key, &slot.value))
    }
}

impl<K: Key, V: Default> LruMap<K, V> {
    /// An entry, whose place in the order stays; a new one, the one used last, if there is none.
    pub fn get_or_default(&mut self, key: K) -> &mut V {
        let slot = self.slot_of(key).unwrap_or_else(|| {
            self.add(key, V::default());
            self.youngest
        });
        &mut self.slots[slot as usize].value
    }

    /// An entry is gone.
    pub fn remove(&mut self, key: K) -> Option<V> {
        let place = self.place_of(key)?;
        let slot = self.places[place].slot;
        self.free_place(place);
        self.unlink(slot);
        self.len -= 1;
        let entry = &mut self.slots[slot as usize];
        entry.older = std::mem::replace(&mut self.free, slot);
        Some(std::mem::take(&mut entry.value))
    }

    /// The entry that was not used for longest is gone.
    pub fn pop_oldest(&mut self) -> Option<(K, V)> {
        let key = self.oldest()?;
        let value = self.remove(key)?;
        self.prefetch_oldest();
        Some((key, value))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(map: &LruMap<u32, u32>) -> Vec<u32> {
        map.iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn entries_are_in_the_order_of_their_last_use() {
        let mut map = LruMap::default();
        (0..4).for_each(|key| map.insert(key, key * 10));
        assert_eq!(keys(&map), [3, 2, 1, 0]);
        assert_eq!(map.touch(1), Some(&mut 10));
        assert_eq!(map.get(0), Some(&0));
        assert_eq!((keys(&map), map.oldest()), (vec![1, 3, 2, 0], Some(0)));
        assert_eq!((map.remove(3), map.remove(3)), (Some(30), None));
        assert_eq!(map.pop_oldest(), Some((0, 0)));
        map.insert(2, 5);
        map.insert(7, 6);
        assert_eq!((keys(&map), map.len()), (vec![7, 2, 1], 3));
        let entries: Vec<(u32, u32)> = map.clone().into();
        assert_eq!(entries, [(1, 10), (2, 5), (7, 6)]);
        assert_eq!(keys(&LruMap::from(entries)), [7, 2, 1]);
        map.clear();
        assert!(map.is_empty() && map.pop_oldest().is_none() && map.iter().next().is_none());
    }

    /// A key of which many have the same hash, or the same place of the table.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct Alike(u32);

    impl Key for Alike {
        fn number(self) -> u64 {
            u64::from(self.0 % 5) << 40
        }
    }

    /// Entries, the oldest first: what is done to a map is done to them by searching.
    struct Naive<K>(Vec<(K, u32)>);

    impl<K: Key> Naive<K> {
        fn take(&mut self, key: K) -> Option<(K, u32)> {
            self.0.iter().position(|entry| entry.0 == key).map(|index| self.0.remove(index))
        }
    }

    fn behaves_as_a_list<K: Key + std::fmt::Debug>(steps: &[(u8, u32)], key_of: fn(u32) -> K) {
        let (mut map, mut naive) = (LruMap::default(), Naive(Vec::new()));
        for (value, &(step, number)) in (0..).zip(steps) {
            let key = key_of(number);
            match step {
                0 if naive.0.iter().all(|entry| entry.0 != key) => {
                    map.add(key, value);
                    naive.0.push((key, value));
                }
                0..=3 => {
                    map.insert(key, value);
                    naive.take(key);
                    naive.0.push((key, value));
                }
                4 | 5 => {
                    let taken = naive.take(key);
                    naive.0.extend(taken);
                    assert_eq!(map.touch(key).copied(), taken.map(|entry| entry.1));
                }
                6 => assert_eq!(map.remove(key), naive.take(key).map(|entry| entry.1)),
                7 if naive.0.iter().all(|entry| entry.0 != key) => {
                    let passed_on = map.pass_oldest_on(key).map(|held| *held);
                    assert_eq!(passed_on, naive.0.first().map(|entry| entry.1));
                    if let Some(value) = passed_on {
                        naive.0.remove(0);
                        naive.0.push((key, value));
                    }
                }
                7 => {
                    let oldest = (!naive.0.is_empty()).then(|| naive.0.remove(0));
                    assert_eq!(map.pop_oldest(), oldest);
                }
                8 if number % 2 == 0 => {
                    if naive.0.iter().all(|entry| entry.0 != key) {
                        naive.0.push((key, 0));
                    }
                    let there = naive.0.iter().find(|entry| entry.0 == key).map_or(0, |entry| entry.1);
                    assert_eq!(*map.get_or_default(key), there);
                }
                8 => {
                    let there = naive.0.iter().find(|entry| entry.0 == key).map(|entry| entry.1);
                    assert_eq!((map.get(key).copied(), map.get_mut(key).copied()), (there, there));
                }
                _ if number % 16 == 0 => {
                    map.clear();
                    naive.0.clear();
                }
                _ => map = LruMap::from(Vec::from(map)),
            }
            assert_eq!((map.len(), map.is_empty()), (naive.0.len(), naive.0.is_empty()));
            assert_eq!(map.youngest_mut().copied(), naive.0.last().map(|entry| entry.1));
            assert_eq!(map.oldest(), naive.0.first().map(|entry| entry.0));
            assert!(map.iter().map(|(key, &value)| (key, value)).eq(naive.0.iter().rev().copied()));
            let oldest_first: Vec<(K, u32)> = map.clone().into();
            assert_eq!(oldest_first, naive.0);
        }
    }

    proptest! {
        #[test]
        fn it_behaves_as_a_list_that_is_searched(steps in prop::collection::vec((0u8..10, 0u32..40), 0..300)) {
            behaves_as_a_list(&steps, |number| number);
            behaves_as_a_list(&steps, |number| Lpa(number << 26));
            behaves_as_a_list(&steps, |number| (Ppa(number / 7), Ppa(number % 7)));
            behaves_as_a_list(&steps, Alike);
        }
    }
}
