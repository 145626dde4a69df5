//! Puts rows that are slightly out of order into the order of time, within a window of bounded size.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::file::Placed;

/// Holds back so many rows, and gives out the earliest of them.
pub(super) struct Sorter {
    window: usize,
    held: BinaryHeap<Reverse<Entry>>,
    taken: u64,
}

struct Entry {
    placed: Placed,
    /// Rows of the same time keep their order.
    turn: u64,
}

impl Sorter {
    pub(super) fn new(window: u32) -> Self {
        Self { window: window as usize, held: BinaryHeap::new(), taken: 0 }
    }

    /// Whether no row is held back.
    pub(super) fn is_off(&self) -> bool {
        self.window == 0
    }

    /// Takes a row, and gives the earliest when more than the window are held.
    pub(super) fn push(&mut self, placed: Placed) -> Option<Placed> {
        if self.window == 0 {
            return Some(placed);
        }
        self.held.push(Reverse(Entry { placed, turn: self.taken }));
        self.taken += 1;
        if self.held.len() > self.window { self.pop() } else { None }
    }

    /// The earliest of those that are held.
    pub(super) fn pop(&mut self) -> Option<Placed> {
        self.held.pop().map(|Reverse(entry)| entry.placed)
    }
}

impl Entry {
    fn key(&self) -> (u128, u64) {
        (self.placed.row.time, self.turn)
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Row;
    use wordline_base::request::HostOp;

    fn sorted(times: &[u128], window: u32) -> Vec<(u128, u64)> {
        let mut sorter = Sorter::new(window);
        let mut out = Vec::new();
        for (number, time) in (0..).zip(times) {
            let row = Row { time: *time, op: HostOp::Read, offset: 0, length: 1, device: 0, ..Row::EMPTY };
            out.extend(sorter.push(Placed { row, number }));
        }
        while let Some(placed) = sorter.pop() {
            out.push(placed);
        }
        out.iter().map(|placed| (placed.row.time, placed.number)).collect()
    }

    #[test]
    fn rows_within_the_window_are_put_in_order() {
        let out = sorted(&[5, 3, 4, 4, 9, 7, 8], 3);
        assert_eq!(out, [(3, 1), (4, 2), (4, 3), (5, 0), (7, 5), (8, 6), (9, 4)]);
    }

    #[test]
    fn what_is_further_away_stays_late_and_no_window_changes_nothing() {
        assert_eq!(sorted(&[5, 6, 7, 1], 1).iter().map(|(time, _)| *time).collect::<Vec<_>>(), [5, 6, 1, 7]);
        assert_eq!(sorted(&[5, 1], 0), [(5, 0), (1, 1)]);
    }
}
