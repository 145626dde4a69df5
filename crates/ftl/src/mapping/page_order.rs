//! Translation pages in an order: a list through a table of all of them.

use serde::{Deserialize, Serialize};

const NONE: u32 = u32::MAX;

/// Neighbours of a page that is in the order.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Neighbours {
    newer: u32,
    older: u32,
}

/// Some of a map's translation pages, from the one that came first to the one that came last.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct PageOrder {
    neighbours: Vec<Neighbours>,
    newest: u32,
    oldest: u32,
}

impl PageOrder {
    /// Of a map of so many pages, none of which is in the order.
    pub fn new(pages: u32) -> Self {
        let neighbours = vec![Neighbours { newer: NONE, older: NONE }; pages as usize];
        Self { neighbours, newest: NONE, oldest: NONE }
    }

    /// The one that came first.
    pub fn oldest(&self) -> Option<u32> {
        Some(self.oldest).filter(|&page| page != NONE)
    }

    /// Appends a page that isn't in the order.
    pub fn push(&mut self, page: u32) {
        let before = std::mem::replace(&mut self.newest, page);
        if before == NONE {
            self.oldest = page;
        } else {
            self.change(before, |before| before.newer = page);
        }
        self.change(page, |page| *page = Neighbours { newer: NONE, older: before });
    }

    /// Takes a page out that is in the order.
    pub fn remove(&mut self, page: u32) {
        let Some(&Neighbours { newer, older }) = self.neighbours.get(page as usize) else { return };
        if newer == NONE {
            self.newest = older;
        } else {
            self.change(newer, |newer| newer.older = older);
        }
        if older == NONE {
            self.oldest = newer;
        } else {
            self.change(older, |older| older.newer = newer);
        }
    }

    fn change(&mut self, page: u32, how: impl FnOnce(&mut Neighbours)) {
        if let Some(page) = self.neighbours.get_mut(page as usize) {
            how(page);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PageOrder;

    #[test]
    fn pages_leave_in_the_order_in_which_they_came_last() {
        let mut order = PageOrder::new(5);
        assert_eq!(order.oldest(), None);
        [3, 0, 4, 1].into_iter().for_each(|page| order.push(page));
        order.remove(4);
        order.remove(3);
        order.push(3);
        let mut left = Vec::new();
        while let Some(page) = order.oldest() {
            left.push(page);
            order.remove(page);
        }
        assert_eq!(left, [0, 1, 3]);
        order.push(4);
        assert_eq!(order.oldest(), Some(4));
    }
}
