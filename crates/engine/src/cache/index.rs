//! A hash table from logical page to slot: open addressing with linear probing, and a fixed hash, so that a run repeats
//! on any machine.

use serde::{Deserialize, Serialize};

/// Fibonacci hashing: 2^32 divided by the golden ratio (Knuth, The Art of Computer Programming vol. 3, 6.4).
const MULTIPLIER: u32 = 0x9e37_79b9;

/// Slots by key. The keys themselves are with the slots: whoever asks says how to get at them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Index {
    /// Slot plus one; 0 where nothing is. Untouched parts cost no memory.
    slot_plus_one: Vec<u32>,
    shift: u32,
}

impl Index {
    /// For at most `slots` slots. At most half of the table is ever used.
    pub fn new(slots: u32) -> Self {
        let size = (slots.max(1) as usize * 2).next_power_of_two();
        Self { slot_plus_one: vec![0; size], shift: 32 - size.trailing_zeros().min(32) }
    }

    fn mask(&self) -> usize {
        self.slot_plus_one.len() - 1
    }

    fn home(&self, key: u32) -> usize {
        (u64::from(key.wrapping_mul(MULTIPLIER)) >> self.shift) as usize & self.mask()
    }

    /// The slot of `key`, given the key of each slot.
    #[inline]
    pub fn get(&self, key: u32, keys: &[u32]) -> Option<u32> {
        let mut place = self.home(key);
        loop {
            match self.slot_plus_one[place] {
                0 => return None,
                entry if keys[entry as usize - 1] == key => return Some(entry - 1),
                _ => place = (place + 1) & self.mask(),
            }
        }
    }

    /// Adds the slot of a key that is not there.
    pub fn insert(&mut self, key: u32, slot: u32) {
        let mut place = self.home(key);
        while self.slot_plus_one[place] != 0 {
            place = (place + 1) & self.mask();
        }
        self.slot_plus_one[place] = slot + 1;
    }

    /// Takes a slot out whose key is still in `keys`. What was pushed aside by it moves back.
    pub fn remove(&mut self, slot: u32, keys: &[u32]) {
        let mut hole = self.home(keys[slot as usize]);
        while self.slot_plus_one[hole] != slot + 1 {
            if self.slot_plus_one[hole] == 0 {
                return;
            }
            hole = (hole + 1) & self.mask();
        }
        let mut place = hole;
        loop {
            place = (place + 1) & self.mask();
            let entry = self.slot_plus_one[place];
            if entry == 0 {
                break;
            }
            let home = self.home(keys[entry as usize - 1]);
            // It may fill the hole unless its home lies behind the hole.
            if place.wrapping_sub(home) & self.mask() >= place.wrapping_sub(hole) & self.mask() {
                self.slot_plus_one[hole] = entry;
                hole = place;
            }
        }
        self.slot_plus_one[hole] = 0;
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
            let mut keys = vec![u32::MAX; SLOTS];
            let mut model: BTreeMap<u32, u32> = BTreeMap::new();
            for (number, add) in steps {
                let key = key_of(number);
                if let Some(slot) = model.get(&key).copied() {
                    if !add {
                        index.remove(slot, &keys);
                        keys[slot as usize] = u32::MAX;
                        model.remove(&key);
                    }
                } else if let Some(slot) = (0..SLOTS as u32).find(|slot| keys[*slot as usize] == u32::MAX).filter(|_| add) {
                    keys[slot as usize] = key;
                    index.insert(key, slot);
                    model.insert(key, slot);
                }
                for number in 0..64 {
                    prop_assert_eq!(index.get(key_of(number), &keys), model.get(&key_of(number)).copied());
                }
            }
        }
    }
}
