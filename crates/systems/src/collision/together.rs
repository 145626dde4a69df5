//! When two reads at a die make a pair: once, while both are queued (papers/000, §II-C).
//!
//! "Read operations A and B are already queued for die 0. When operation C is queued, it produces an imbalanced collision":
//! the pairs are ⟨A, C⟩ and ⟨B, C⟩, and ⟨A, B⟩ "is recorded together with" them. A fourth read makes three pairs with those
//! and finds theirs counted. So random reads have pairs that "appeared only once". The recorder of collisions and the
//! system that replicates pages both count by this rule.

use serde::{Deserialize, Serialize};

/// Which of the reads at a die an imbalanced collision has counted already.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together {
    /// The youngest read at the last one, by its place among all arrivals at the dies.
    youngest: u64,
    /// Reads that came since and are no younger: sent on from another die, where they kept their turn.
    sent_on: Vec<u64>,
}

impl Together {
    /// A read came to the die.
    #[inline]
    pub fn comes(&mut self, order: u64) {
        if order <= self.youngest && !self.sent_on.contains(&order) {
            self.sent_on.push(order);
        }
    }

    /// Whether a read of the die has been in no imbalanced collision there: its pairs are to be counted.
    #[inline]
    pub fn is_new(&self, order: u64) -> bool {
        order > self.youngest || self.sent_on.contains(&order)
    }

    /// An imbalanced collision of these reads was counted.
    #[inline]
    pub fn counted(&mut self, orders: impl IntoIterator<Item = u64>) {
        self.sent_on.clear();
        self.youngest = orders.into_iter().fold(self.youngest, u64::max);
    }

    /// The die has no other read.
    #[inline]
    pub fn is_alone(&mut self) {
        self.sent_on.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs that an imbalanced collision of these reads counts.
    fn collide(together: &mut Together, there: &[u64]) -> Vec<(u64, u64)> {
        let mut pairs = Vec::new();
        for (number, &later) in there.iter().enumerate() {
            let earlier =
                there[..number].iter().filter(|&&read| together.is_new(read) || together.is_new(later));
            pairs.extend(earlier.map(|&read| (read, later)));
        }
        together.counted(there.iter().copied());
        pairs
    }

    #[test]
    fn three_reads_queued_together_make_three_pairs_and_a_fourth_three_more() {
        let mut together = Together::default();
        // A and B are queued, C makes the collision imbalanced; then D joins.
        assert_eq!(collide(&mut together, &[1, 2, 3]), [(1, 2), (1, 3), (2, 3)]);
        assert_eq!(collide(&mut together, &[1, 2, 3, 4]), [(1, 4), (2, 4), (3, 4)]);
        // A and B are done, nobody came: nothing new. They come again with others: theirs is another meeting.
        assert_eq!(collide(&mut together, &[3, 4]), []);
        assert_eq!(collide(&mut together, &[5, 6, 7]), [(5, 6), (5, 7), (6, 7)]);
    }

    #[test]
    fn a_read_that_is_sent_on_is_new_where_it_comes_to() {
        let mut together = Together::default();
        assert_eq!(collide(&mut together, &[2, 3]), [(2, 3)]);
        // The first read waited at another die.
        together.comes(1);
        assert_eq!(collide(&mut together, &[2, 3, 1]), [(2, 1), (3, 1)]);
        assert_eq!(collide(&mut together, &[2, 3, 1]), []);
        together.comes(1);
        together.is_alone();
        assert!(!together.is_new(1) && together.is_new(4));
    }
}
