//! The time between units of writes that are held back: a fixed one, or as much of it as what collection moves for a unit.

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;

/// A time for each unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Gap {
    time: Ns,
    /// Valid units of the last victim, and all of its units, where the time is for what collection moves.
    moves: Option<(u32, u32)>,
}

impl Gap {
    /// So long; `by_moves`: only the share of moves in what the flash programs of it.
    pub fn new(ns: u64, by_moves: bool) -> Self {
        Self { time: Ns(ns), moves: by_moves.then_some((0, 1)) }
    }

    /// A victim of so many units was chosen: of those that its space takes until the next, the valid ones are moves.
    pub fn chosen(&mut self, valid: u32, units: u32) {
        if let Some(moves) = &mut self.moves {
            *moves = (valid, units.max(1));
        }
    }

    /// The time for one unit, of which `part` in `whole` counts.
    #[inline]
    pub fn part(&self, part: u32, whole: u32) -> Ns {
        let time = Ns(self.time.0 * u64::from(part) / u64::from(whole));
        self.moves.map_or(time, |(valid, units)| share_of(time, valid, units))
    }
}

fn share_of(time: Ns, valid: u32, units: u32) -> Ns {
    Ns((u128::from(time.0) * u128::from(valid) / u128::from(units)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_for_the_moves_that_a_unit_costs() {
        let mut gap = Gap::new(1_000, true);
        assert_eq!(gap.part(1, 2), Ns::ZERO, "nothing is collected");
        gap.chosen(3, 4);
        assert_eq!((gap.part(1, 2), gap.part(1, 1)), (Ns(375), Ns(750)));
        gap.chosen(0, 4);
        assert_eq!(gap.part(1, 2), Ns::ZERO, "a victim without valid units costs an erase only");
        let mut fixed = Gap::new(1_000, false);
        fixed.chosen(0, 4);
        assert_eq!(fixed.part(1, 2), Ns(500), "whatever is moved");
    }
}
