//! A write-back data cache for reads and writes. The clean unit that was used longest ago gives way, and the dirty unit
//! that was used longest ago is written back first.

use serde::{Deserialize, Serialize};

use super::{Access, CachePolicy};
use wordline_base::ids::Lpa;
use wordline_config::cache::ReadAdmission;

/// Least recently used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Lru {
    reads: ReadAdmission,
}

impl Lru {
    /// Which reads enter.
    pub fn new(reads: ReadAdmission) -> Self {
        Self { reads }
    }
}

impl CachePolicy for Lru {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        self.reads == ReadAdmission::All
    }

    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        true
    }

    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::CacheView;
    use crate::cache::table::{UnitTable, Written};
    use proptest::prelude::*;

    /// The same cache as two vectors from old to young, and the units on their way to flash.
    #[derive(Default)]
    struct Naive {
        clean: Vec<u32>,
        dirty: Vec<u32>,
        /// Unit, whether it was used, whether it is dirty.
        leaving: Vec<(u32, bool, bool)>,
    }

    impl Naive {
        fn holds(&self, lpa: u32) -> bool {
            self.clean.contains(&lpa)
                || self.dirty.contains(&lpa)
                || self.leaving.iter().any(|unit| unit.0 == lpa)
        }

        fn access(&mut self, lpa: u32, write: bool) {
            if let Some(unit) = self.leaving.iter_mut().find(|unit| unit.0 == lpa) {
                (unit.1, unit.2) = (true, unit.2 || write);
                return;
            }
            let dirty = write || self.dirty.contains(&lpa);
            self.remove(lpa);
            if dirty { self.dirty.push(lpa) } else { self.clean.push(lpa) }
        }

        fn remove(&mut self, lpa: u32) {
            self.clean.retain(|&other| other != lpa);
            self.dirty.retain(|&other| other != lpa);
            self.leaving.retain(|other| other.0 != lpa);
        }

        fn arrive(&mut self) {
            let (lpa, used, dirty) = self.leaving.remove(0);
            match (dirty, used) {
                (true, _) => self.dirty.push(lpa),
                (false, true) => self.clean.push(lpa),
                (false, false) => self.clean.insert(0, lpa),
            }
        }
    }

    fn access(table: &mut UnitTable, policy: &mut Lru, lpa: Lpa, write: bool, stamp: u64) -> bool {
        let slot = match table.find(lpa) {
            Some(slot) => slot,
            None => {
                if table.is_full() {
                    let Some(old) = policy.evict(&CacheView { table }) else { return false };
                    let slot = table.find(old).unwrap();
                    table.remove(slot);
                }
                table.insert(lpa, 0).unwrap()
            }
        };
        if write {
            table.written(slot, Written { stamp, version: 0, group: lpa.0 % 3, stream: 0 });
        }
        if policy.refreshes(lpa, if write { Access::Write } else { Access::Read }) {
            table.refresh(slot);
        }
        true
    }

    proptest! {
        #[test]
        fn it_holds_what_a_naive_cache_holds_in_the_same_order(steps in prop::collection::vec((0u32..14, 0u8..8), 1..300)) {
            const CAPACITY: u32 = 6;
            let mut table = UnitTable::new(CAPACITY, 4096, 3);
            let mut policy = Lru::new(ReadAdmission::All);
            let mut naive = Naive::default();
            for (stamp, (lpa, step)) in steps.into_iter().enumerate() {
                match step {
                    0..=4 => {
                        let full = naive.clean.len() + naive.dirty.len() + naive.leaving.len() == CAPACITY as usize;
                        if full && !naive.holds(lpa) && !naive.clean.is_empty() {
                            naive.clean.remove(0);
                        }
                        let room = naive.clean.len() + naive.dirty.len() + naive.leaving.len() < CAPACITY as usize;
                        let fits = naive.holds(lpa) || room;
                        prop_assert_eq!(access(&mut table, &mut policy, Lpa(lpa), step > 2, stamp as u64), fits);
                        if fits {
                            naive.access(lpa, step > 2);
                        }
                    }
                    5 => {
                        let chosen = policy.write_back(&CacheView { table: &table });
                        prop_assert_eq!(chosen, naive.dirty.first().copied().map(Lpa));
                        if let Some(lpa) = chosen {
                            let slot = table.find(lpa).unwrap();
                            table.depart(slot, lpa.0);
                            table.commit(slot);
                            naive.dirty.remove(0);
                            naive.leaving.push((lpa.0, false, false));
                        }
                    }
                    6 => {
                        if let Some(&(lpa, ..)) = naive.leaving.first() {
                            table.arrive(table.find(Lpa(lpa)).unwrap());
                            naive.arrive();
                        }
                    }
                    _ => {
                        if let Some(slot) = table.find(Lpa(lpa)) {
                            table.remove(slot);
                        }
                        naive.remove(lpa);
                    }
                }
                let view = CacheView { table: &table };
                let numbers = |units: &[u32]| units.iter().copied().map(Lpa).collect::<Vec<_>>();
                prop_assert_eq!(view.clean().collect::<Vec<_>>(), numbers(&naive.clean));
                prop_assert_eq!(view.dirty().collect::<Vec<_>>(), numbers(&naive.dirty));
                let dirty = naive.dirty.len() + naive.leaving.iter().filter(|unit| unit.2).count();
                prop_assert_eq!(table.dirty_units() as usize, dirty);
                prop_assert_eq!(table.on_their_way() as usize, naive.leaving.len());
                for group in 0..3 {
                    let mine: Vec<_> = naive.dirty.iter().filter(|&&lpa| lpa % 3 == group).collect();
                    let (oldest, count) = table.oldest_of_group(group);
                    prop_assert_eq!(count as usize, mine.len());
                    // Groups are listed by when their units were refreshed too: they move between lists together.
                    prop_assert_eq!(oldest.map(|slot| table.lpa(slot).0), mine.first().map(|&&lpa| lpa));
                }
            }
        }
    }
}
