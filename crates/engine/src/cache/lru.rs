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

    /// The same cache as vectors.
    #[derive(Default)]
    struct Naive {
        /// All units, from the one used longest ago.
        by_use: Vec<u32>,
        /// The dirty ones, in the order in which they are written back.
        dirty: Vec<u32>,
        /// On their way to flash: unit, and whether it is dirty.
        leaving: Vec<(u32, bool)>,
    }

    impl Naive {
        fn clean(&self) -> Vec<u32> {
            let leaves = |lpa: u32| self.leaving.iter().any(|unit| unit.0 == lpa);
            self.by_use.iter().copied().filter(|&lpa| !leaves(lpa) && !self.dirty.contains(&lpa)).collect()
        }

        fn access(&mut self, lpa: u32, write: bool) {
            self.by_use.retain(|&other| other != lpa);
            self.by_use.push(lpa);
            if let Some(unit) = self.leaving.iter_mut().find(|unit| unit.0 == lpa) {
                unit.1 |= write;
            } else if write || self.dirty.contains(&lpa) {
                self.dirty.retain(|&other| other != lpa);
                self.dirty.push(lpa);
            }
        }

        fn remove(&mut self, lpa: u32) {
            self.by_use.retain(|&other| other != lpa);
            self.dirty.retain(|&other| other != lpa);
            self.leaving.retain(|other| other.0 != lpa);
        }

        fn arrive(&mut self, which: usize) {
            let (lpa, dirty) = self.leaving.remove(which);
            if dirty {
                self.dirty.push(lpa);
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
        /// R. L. Mattson et al., "Evaluation Techniques for Storage Hierarchies", IBM Systems Journal 9(2), 1970: the stack.
        #[test]
        fn with_writes_that_are_in_flash_at_once_it_holds_the_top_of_the_stack(
            capacity in 1usize..20,
            accesses in prop::collection::vec((0u32..40, any::<bool>()), 1..400),
        ) {
            let mut table = UnitTable::new(capacity as u32, 4096, 1);
            let mut policy = Lru::new(ReadAdmission::All);
            let mut stack = Vec::new();
            for (stamp, (lpa, write)) in accesses.into_iter().enumerate() {
                let hit = stack.iter().take(capacity).any(|&other| other == lpa);
                prop_assert_eq!(table.find(Lpa(lpa)).is_some(), hit);
                access(&mut table, &mut policy, Lpa(lpa), write, stamp as u64);
                if let Some(slot) = table.find(Lpa(lpa)).filter(|_| write) {
                    table.depart(slot, 1);
                    table.commit(slot);
                    table.arrive(slot);
                }
                stack.retain(|&other| other != lpa);
                stack.insert(0, lpa);
            }
        }

        #[test]
        fn it_holds_what_a_naive_cache_holds_in_the_same_order(steps in prop::collection::vec((0u32..14, 0u8..9), 1..300)) {
            const CAPACITY: u32 = 6;
            let mut table = UnitTable::new(CAPACITY, 4096, 3);
            let mut policy = Lru::new(ReadAdmission::All);
            let mut naive = Naive::default();
            for (stamp, (lpa, step)) in steps.into_iter().enumerate() {
                match step {
                    0..=4 => {
                        let held = naive.by_use.contains(&lpa);
                        let full = naive.by_use.len() == CAPACITY as usize;
                        if let Some(&oldest) = naive.clean().first().filter(|_| full && !held) {
                            naive.remove(oldest);
                        }
                        let fits = held || naive.by_use.len() < CAPACITY as usize;
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
                            naive.leaving.push((lpa.0, false));
                        }
                    }
                    6 | 7 if !naive.leaving.is_empty() => {
                        let which = (lpa as usize) % naive.leaving.len();
                        table.arrive(table.find(Lpa(naive.leaving[which].0)).unwrap());
                        naive.arrive(which);
                    }
                    6 | 7 => {}
                    _ => {
                        if let Some(slot) = table.find(Lpa(lpa)) {
                            table.remove(slot);
                        }
                        naive.remove(lpa);
                    }
                }
                let view = CacheView { table: &table };
                let numbers = |units: &[u32]| units.iter().copied().map(Lpa).collect::<Vec<_>>();
                prop_assert_eq!(view.clean().collect::<Vec<_>>(), numbers(&naive.clean()));
                prop_assert_eq!(view.dirty().collect::<Vec<_>>(), numbers(&naive.dirty));
                let dirty = naive.dirty.len() + naive.leaving.iter().filter(|unit| unit.1).count();
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
