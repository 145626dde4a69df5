//! Why regions are ordered, and what that took.

use serde::{Deserialize, Serialize};

use crate::system::Figure;
use wordline_base::class::Cause;

/// Why a region is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trigger {
    /// A block was read too often, and is reclaimed.
    Reclaim,
    /// The region was read so often (T_LPOread).
    Reads,
    /// So much of it was updated (T_LPOupdate).
    Updates,
    /// A superblock that holds pages of it is collected.
    Collection,
}

impl Trigger {
    /// Work that replaces read reclaim is read reclaim.
    pub fn cause(self) -> Cause {
        match self {
            Self::Reclaim | Self::Reads => Cause::ReadReclaim,
            Self::Updates | Self::Collection => Cause::Migration,
        }
    }
}

/// What it did in the window.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct AstroCounters {
    /// Regions ordered, and pages moved for them, by trigger.
    orders: [u64; 4],
    pages: [u64; 4],
    /// Pages of reclaimed blocks that were moved without order.
    pub residual: u64,
    /// Times that space was lacking.
    pub without_space: u64,
}

impl AstroCounters {
    /// An order for this reason begins to move so many pages.
    pub fn moves(&mut self, trigger: Trigger, pages: usize) {
        self.pages[trigger as usize] += pages as u64;
    }

    /// It has ended.
    pub fn ordered(&mut self, trigger: Trigger) {
        self.orders[trigger as usize] += 1;
    }

    /// By name.
    pub fn figures(&self) -> Vec<Figure> {
        let Self { orders, pages, residual, without_space } = *self;
        vec![
            ("orders_by_reclaim", orders[0]),
            ("orders_by_reads", orders[1]),
            ("orders_by_updates", orders[2]),
            ("orders_by_collection", orders[3]),
            ("pages_by_reclaim", pages[0]),
            ("pages_by_reads", pages[1]),
            ("pages_by_updates", pages[2]),
            ("pages_by_collection", pages[3]),
            ("residual_pages", residual),
            ("without_space", without_space),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_counted_by_their_reason() {
        let mut counters = AstroCounters::default();
        counters.moves(Trigger::Updates, 70);
        counters.moves(Trigger::Updates, 30);
        counters.ordered(Trigger::Updates);
        counters.ordered(Trigger::Reads);
        let others = [
            "orders_by_reclaim",
            "orders_by_collection",
            "pages_by_reclaim",
            "pages_by_reads",
            "pages_by_collection",
            "residual_pages",
            "without_space",
        ];
        for (name, figure) in counters.figures() {
            let expected = match name {
                "pages_by_updates" => 100,
                name => u64::from(!others.contains(&name)),
            };
            assert_eq!(figure, expected, "{name}");
        }
    }
}
