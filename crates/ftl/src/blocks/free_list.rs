//! The erased superblocks of a domain.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use serde::{Deserialize, Serialize};

use wordline_base::ids::SuperblockId;
use wordline_config::wear::FreeBlock;

/// An erased superblock: its erase count, its place in the order of erases, its number. The order of these triples is
/// total, so that a heap of them has one answer.
type Entry = (u32, u64, SuperblockId);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Order {
    Oldest(VecDeque<Entry>),
    LeastWorn(BinaryHeap<Reverse<Entry>>),
}

/// Erased superblocks, in the order in which they are written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FreeList {
    order: Order,
    put: u64,
}

impl FreeList {
    /// Empty.
    pub fn new(order: FreeBlock) -> Self {
        let order = match order {
            FreeBlock::Oldest => Order::Oldest(VecDeque::new()),
            FreeBlock::LeastWorn => Order::LeastWorn(BinaryHeap::new()),
        };
        Self { order, put: 0 }
    }

    /// With these, which are new, in this order.
    pub fn of_new(order: FreeBlock, superblocks: impl Iterator<Item = SuperblockId> + Clone) -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(superblocks.clone().count());
        entries.extend(superblocks.zip(0..).map(|(superblock, put)| (0, put, superblock)));
        let put = entries.len() as u64;
        let order = match order {
            FreeBlock::Oldest => Order::Oldest(entries.into()),
            FreeBlock::LeastWorn => Order::LeastWorn(entries.into_iter().map(Reverse).collect()),
        };
        Self { order, put }
    }

    /// Superblocks in it.
    #[inline]
    pub fn len(&self) -> u32 {
        match &self.order {
            Order::Oldest(queue) => queue.len() as u32,
            Order::LeastWorn(heap) => heap.len() as u32,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes the one to be written next.
    pub fn take(&mut self) -> Option<SuperblockId> {
        match &mut self.order {
            Order::Oldest(queue) => queue.pop_front().map(|entry| entry.2),
            Order::LeastWorn(heap) => heap.pop().map(|Reverse(entry)| entry.2),
        }
    }

    /// Those that would be taken next, so many at most.
    pub fn coming(&self, count: usize) -> Vec<SuperblockId> {
        let mut entries: Vec<Entry> = match &self.order {
            Order::Oldest(queue) => queue.iter().take(count).copied().collect(),
            Order::LeastWorn(heap) => heap.iter().map(|entry| entry.0).collect(),
        };
        if matches!(self.order, Order::LeastWorn(_)) {
            entries.sort_unstable();
        }
        entries.into_iter().take(count).map(|entry| entry.2).collect()
    }

    /// Takes the one with the most erases, the longest erased of equals.
    pub fn take_most_worn(&mut self) -> Option<SuperblockId> {
        let key = |&(erases, put, _): &Entry| (erases, Reverse(put));
        match &mut self.order {
            Order::Oldest(queue) => {
                let place = (0..queue.len()).max_by_key(|&place| queue.get(place).map(key))?;
                queue.remove(place).map(|entry| entry.2)
            }
            Order::LeastWorn(heap) => {
                let mut entries = std::mem::take(heap).into_vec();
                let place =
                    (0..entries.len()).max_by_key(|&place| entries.get(place).map(|entry| key(&entry.0)));
                let taken = place.map(|place| entries.swap_remove(place).0.2);
                *heap = entries.into();
                taken
            }
        }
    }

    /// Puts one back that was erased just now, for the `erases`-th time.
    pub fn put(&mut self, superblock: SuperblockId, erases: u32) {
        let entry = (erases, self.put, superblock);
        self.put += 1;
        match &mut self.order {
            Order::Oldest(queue) => queue.push_back(entry),
            Order::LeastWorn(heap) => heap.push(Reverse(entry)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(order: FreeBlock) -> FreeList {
        let mut list = FreeList::new(order);
        for (number, erases) in [(7, 2), (3, 5), (9, 1), (4, 5), (1, 1)] {
            list.put(SuperblockId(number), erases);
        }
        list
    }

    fn all(mut list: FreeList, take: impl Fn(&mut FreeList) -> Option<SuperblockId>) -> Vec<u32> {
        std::iter::from_fn(|| take(&mut list).map(|superblock| superblock.0)).collect()
    }

    #[test]
    fn the_oldest_or_the_least_worn_comes_first() {
        assert_eq!(all(list(FreeBlock::Oldest), FreeList::take), [7, 3, 9, 4, 1]);
        assert_eq!(all(list(FreeBlock::LeastWorn), FreeList::take), [9, 1, 7, 3, 4]);
    }

    #[test]
    fn a_list_of_new_ones_is_as_if_they_had_been_put_one_by_one() {
        for order in [FreeBlock::Oldest, FreeBlock::LeastWorn] {
            let mut one_by_one = FreeList::new(order);
            (3..40).for_each(|number| one_by_one.put(SuperblockId(number), 0));
            let at_once = FreeList::of_new(order, (3..40).map(SuperblockId));
            assert_eq!(format!("{at_once:?}"), format!("{one_by_one:?}"));
        }
    }

    #[test]
    fn what_comes_next_is_told() {
        for order in [FreeBlock::Oldest, FreeBlock::LeastWorn] {
            for count in [0, 3, 9] {
                let told: Vec<u32> =
                    list(order).coming(count).iter().map(|superblock| superblock.0).collect();
                let taken = all(list(order), FreeList::take);
                assert_eq!(told, taken[..count.min(5)]);
            }
        }
    }

    #[test]
    fn the_most_worn_comes_out_of_either() {
        for order in [FreeBlock::Oldest, FreeBlock::LeastWorn] {
            assert_eq!(all(list(order), FreeList::take_most_worn), [3, 4, 7, 9, 1]);
        }
    }
}
