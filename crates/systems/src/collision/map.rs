//! The replication map (§III-B, figure 6): which pages have a replica, and which of the two is read.

use serde::{Deserialize, Serialize};

use wordline_base::ids::{Lpa, Ppa};
use wordline_base::lru::LruMap;

/// A replicated page. The paper's entry has the original's place as well; here the page map keeps that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replicated {
    /// Place of the replica.
    pub replica: Ppa,
    /// Reads of the replica minus reads of the original.
    pub counter: i32,
}

impl Default for Replicated {
    fn default() -> Self {
        Self { replica: Ppa::NONE, counter: 0 }
    }
}

/// All replicated pages, in the order of their last read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReplicationMap {
    pages: LruMap<Lpa, Replicated>,
}

impl ReplicationMap {
    /// A replica took effect.
    pub fn add(&mut self, lpa: Lpa, replica: Ppa) {
        self.pages.insert(lpa, Replicated { replica, counter: 0 });
    }

    /// A read goes to the replica, or to the original.
    pub fn read(&mut self, lpa: Lpa, of_replica: bool) {
        if let Some(page) = self.pages.touch(lpa) {
            page.counter = page.counter.saturating_add(if of_replica { 1 } else { -1 });
        }
    }

    /// A replica was moved.
    pub fn relocate(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        if let Some(page) = self.pages.get_mut(lpa)
            && page.replica == old
        {
            page.replica = new;
        }
    }

    /// The replica at this place is gone. A later one of the page stays.
    pub fn forget(&mut self, lpa: Lpa, replica: Ppa) {
        if self.pages.get(lpa).is_some_and(|page| page.replica == replica) {
            self.pages.remove(lpa);
        }
    }

    /// The page.
    pub fn get(&self, lpa: Lpa) -> Option<&Replicated> {
        self.pages.get(lpa)
    }

    /// Takes out the page that was not read for longest.
    pub fn drop_oldest(&mut self) -> Option<(Lpa, Replicated)> {
        self.pages.pop_oldest()
    }

    /// Takes a page out.
    pub fn remove(&mut self, lpa: Lpa) -> Option<Replicated> {
        self.pages.remove(lpa)
    }

    /// Replicated pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

impl Replicated {
    /// Whether the replica is the one to stay (§III-B: "zero or positive").
    pub fn keeps_replica(&self) -> bool {
        self.counter >= 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_move_the_counter_and_the_order() {
        let mut map = ReplicationMap::default();
        map.add(Lpa(1), Ppa(10));
        map.add(Lpa(2), Ppa(20));
        assert!(map.get(Lpa(1)).unwrap().keeps_replica(), "zero keeps the replica");
        map.read(Lpa(1), false);
        assert!(!map.get(Lpa(1)).unwrap().keeps_replica());
        map.read(Lpa(1), true);
        map.read(Lpa(1), true);
        assert_eq!(map.get(Lpa(1)).unwrap().counter, 1);
        map.relocate(Lpa(1), Ppa(10), Ppa(11));
        map.relocate(Lpa(1), Ppa(10), Ppa(12));
        map.forget(Lpa(1), Ppa(10));
        assert_eq!(map.drop_oldest(), Some((Lpa(2), Replicated { replica: Ppa(20), counter: 0 })));
        assert_eq!(map.drop_oldest().map(|page| page.1.replica), Some(Ppa(11)));
        assert!(map.is_empty());
    }
}
