//! A hash table from logical page to slot: open addressing with linear probing, and a fixed hash, so that a run repeats
//! on any machine.

use serde::{Deserialize, Serialize};

use wordline_base::memory::prefetch;

/// Fibonacci hashing: 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming vol. 3, 6.4).
const MULTIPLIER: u32 = 0x9e37_79b9;

/// Slots by key. Both stand in the table, so that a search looks at nothing else.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Index {
    /// Slot plus one, 0 where nothing is; above it the key. Untouched parts cost no memory.
    places: Vec<u64>,
    shift: u32,
}

impl Index {
    /// For at most `slots` slots. At most half of the table is ever used.
    pub fn new(slots: u32) -> Self {
        let size = (slots.max(1) as usize * 2).next_power_of_two();
        Self { places: vec![0; size], shift: 32 - size.trailing_zeros().min(32) }
    }

    fn mask(&self) -> usize {
        self.places.len() - 1
    }

    fn home(&self, key: u32) -> usize {
        (u64::from(key.wrapping_mul(MULTIPLIER)) >> self.shift) as usize & self.mask()
    }

    /// The place of `key` and its slot, or the free place where the search ends.
    #[inline]
    fn search(&self, key: u32) -> (usize, Option<u32>) {
        let mut place = self.home(key);
        loop {
            let found = self.places[place];
            if found == 0 {
                return (place, None);
            }
            if (found >> 32) as u32 == key {
                return (place, Some(found as u32 - 1));
            }
            place = (place + 1) & self.mask();
        }
    }

    /// The slot of `key`.
    #[inline]
    pub fn get(&self, key: u32) -> Option<u32> {
        self.search(key).1
    }

    /// Brings what the search for a key begins with towards the caches.
    #[inline]
    pub fn prefetch(&self, key: u32) {
        prefetch(&self.places, self.home(key));
    }

    /// Adds the slot of a key that is not there.
    #[inline]
    pub fn insert(&mut self, key: u32, slot: u32) {
        let place = self.search(key).0;
        self.places[place] = u64::from(key) << 32 | u64::from(slot + 1);
    }

    /// Takes a key out. What was pushed aside by it moves back.
    pub fn remove(&mut self, key: u32) {
        let (mut hole, Some(_)) = self.search(key) else { return };
        let mut place = hole;
        loop {
            place = (place + 1) & self.mask();
            let found = self.places[place];
            if found == 0 {
                break;
            }
            let home = self.home((found >> 32) as u32);
            // It may fill the hole unless its home lies behind the hole.
            if place.wrapping_sub(home) & self.mask() >= place.wrapping_sub(hole) & self.mask() {
                self.places[hole] = found;
                hole = place;
            }
        }
        self.places[hole] = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_finds_what_a_map_finds(steps in prop::collection::vec((0u32..64, any::<bool>()), 0..400), spread in 0u32..4) {
            const SLOTS: usize = 16;
            // Keys that fall on few homes, on many, and at the end of the range.
            let key_of = |number: u32| [number, number << 27, u32::MAX - 1 - number, number * 977][spread as usize];
            let mut index = Index::new(SLOTS as u32);
            let mut used = [false; SLOTS];
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            for (number, add) in steps {
                let key = key_of(number);
                if let Some(slot) = model.get(&key).copied() {
                    if !add {
                        index.remove(key);
                        used[slot as usize] = false;
                        model.remove(&key);
                    }
                } else if let Some(slot) = (0..SLOTS as u32).find(|slot| !used[*slot as usize]).filter(|_| add) {
                    used[slot as usize] = true;
                    index.insert(key, slot);
                    model.insert(key, slot);
                }
                for number in 0..64 {
                    prop_assert_eq!(index.get(key_of(number)), model.get(&key_of(number)).copied());
                }
            }
        }
    }
}
