//! What is counted of a region, and what is under way in it.

use serde::{Deserialize, Serialize};

/// What is counted of a region.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Region {
    /// Pages that hold data.
    pub valid: u32,
    /// Reads and updates since it was ordered.
    pub reads: u32,
    pub updates: u32,
    /// Whether it is due, or being ordered.
    pub due: bool,
    pub ordering: bool,
    /// Plans that move pages of it without order, and have not ended.
    pub scattering: u32,
}

impl Region {
    /// Whether a plan moves pages of it: an order would find them gone.
    pub fn is_moving(&self) -> bool {
        self.ordering || self.scattering > 0
    }

    /// An order of it has ended: reads and updates count anew.
    pub fn was_ordered(&mut self) {
        (self.reads, self.updates, self.ordering) = (0, 0, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_ordered_counts_anew_and_moves_only_while_other_plans_scatter_it() {
        let mut region = Region { valid: 5, reads: 3, updates: 2, ordering: true, scattering: 1, due: false };
        region.was_ordered();
        assert_eq!((region.valid, region.reads, region.updates), (5, 0, 0));
        assert!(region.is_moving());
        region.scattering = 0;
        assert!(!region.is_moving());
        assert!(Region { ordering: true, ..region }.is_moving());
    }
}
