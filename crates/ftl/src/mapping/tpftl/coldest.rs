//! Nodes in a heap: the coldest one is known at any time.

use serde::{Deserialize, Serialize};

/// A node that isn't in the heap.
const NOWHERE: u32 = u32::MAX;

/// A heap of translation pages by hotness; among equals the lower number counts as colder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Coldest {
    /// Children of place `n` are at `2n + 1` and `2n + 2`, and no colder.
    heap: Vec<(u64, u32)>,
    /// Where each translation page is.
    places: Vec<u32>,
}

impl Coldest {
    pub fn new(pages: u32) -> Self {
        Self { heap: Vec::new(), places: vec![NOWHERE; pages as usize] }
    }

    pub fn first(&self) -> Option<u32> {
        self.heap.first().map(|&(_, page)| page)
    }

    pub fn len(&self) -> u32 {
        self.heap.len() as u32
    }

    /// Puts a page in, or gives it another hotness.
    pub fn put(&mut self, page: u32, hotness: u64) {
        let mut place = self.places[page as usize] as usize;
        if place == NOWHERE as usize {
            place = self.heap.len();
            self.heap.push((hotness, page));
        }
        self.settle(place, (hotness, page));
    }

    pub fn remove(&mut self, page: u32) {
        let place = std::mem::replace(&mut self.places[page as usize], NOWHERE) as usize;
        if place == NOWHERE as usize {
            return;
        }
        if let Some(last) = self.heap.pop()
            && place < self.heap.len()
        {
            self.settle(place, last);
        }
    }

    /// Lets a node rise or sink from an empty place to its own.
    fn settle(&mut self, mut place: usize, node: (u64, u32)) {
        while place > 0 && node < self.heap[(place - 1) / 2] {
            self.set(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        while let Some(child) = self.colder_child(place).filter(|&child| self.heap[child] < node) {
            self.set(place, self.heap[child]);
            place = child;
        }
        self.set(place, node);
    }

    fn colder_child(&self, place: usize) -> Option<usize> {
        let [left, right] = [2 * place + 1, 2 * place + 2];
        match (self.heap.get(left)?, self.heap.get(right)) {
            (here, Some(there)) if there < here => Some(right),
            _ => Some(left),
        }
    }

    fn set(&mut self, place: usize, node: (u64, u32)) {
        self.heap[place] = node;
        self.places[node.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coldest_comes_first_whatever_came_left_and_changed() {
        let (mut heap, mut plain) = (Coldest::new(50), std::collections::BTreeMap::new());
        let mut drawn = 1u32;
        for _ in 0..5_000 {
            drawn = drawn.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (page, hotness) = ((drawn >> 8) % 50, u64::from(drawn >> 27));
            if drawn >> 31 == 0 {
                heap.put(page, hotness);
                plain.insert(page, hotness);
            } else {
                heap.remove(page);
                plain.remove(&page);
            }
            let coldest = plain.iter().map(|(&page, &hotness)| (hotness, page)).min();
            assert_eq!(heap.first(), coldest.map(|(_, page)| page));
            assert_eq!(heap.len() as usize, plain.len());
        }
    }
}
