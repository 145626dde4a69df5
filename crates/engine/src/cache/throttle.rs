//! Throttling of writes: the fuller the cache is of what flash doesn't have yet, the further apart units enter.

use serde::{Deserialize, Serialize};

use crate::config::cache::ThrottleConfig;
use crate::time::Ns;

/// When the next unit may enter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Throttle {
    /// Units up to which there is no gap.
    from: u32,
    /// Units beyond these that fill the cache, at least one.
    range: u32,
    gap: Ns,
    next: Ns,
    /// Valid units of the last victim, and all of its units, where the gap is for what collection moves.
    moves: Option<(u32, u32)>,
}

impl Throttle {
    /// As a scheme describes it, of a cache of so many units.
    pub fn new(config: &ThrottleConfig, capacity: u32) -> Self {
        let from = (f64::from(capacity) * config.from) as u32;
        let range = capacity.saturating_sub(from).max(1);
        Self { from, range, gap: Ns(config.gap_ns), next: Ns::ZERO, moves: config.by_moves.then_some((0, 1)) }
    }

    /// Until when no further unit enters, if that is later than `now`.
    #[inline]
    pub fn until(&self, now: Ns) -> Option<Ns> {
        Some(self.next).filter(|&next| next > now)
    }

    /// A unit has entered; with it so many are dirty or on their way to flash.
    pub fn entered(&mut self, not_clean: u32, now: Ns) {
        let excess = u64::from(not_clean.saturating_sub(self.from).min(self.range));
        let gap = Ns(self.gap.0 * excess / u64::from(self.range));
        self.next = now + self.moves.map_or(gap, |(valid, units)| share_of(gap, valid, units));
    }

    /// A victim of so many units was chosen: of those that its space takes until the next, the valid ones are moves.
    pub fn chosen(&mut self, valid: u32, units: u32) {
        if let Some(moves) = &mut self.moves {
            *moves = (valid, units.max(1));
        }
    }
}

fn share_of(gap: Ns, valid: u32, units: u32) -> Ns {
    Ns((u128::from(gap.0) * u128::from(valid) / u128::from(units)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_grows_from_the_share_to_the_full_cache() {
        let mut throttle = Throttle::new(&ThrottleConfig { from: 0.5, gap_ns: 1_000, by_moves: false }, 20);
        let mut gap = |not_clean| {
            throttle.entered(not_clean, Ns(50));
            throttle.until(Ns(50)).map(|until| until.0 - 50)
        };
        assert_eq!([0, 9, 10].map(&mut gap), [None; 3]);
        assert_eq!([11, 15, 20, 25].map(&mut gap), [Some(100), Some(500), Some(1_000), Some(1_000)]);
        assert_eq!(throttle.until(Ns(1_049)), Some(Ns(1_050)));
        assert_eq!(throttle.until(Ns(1_050)), None, "at that moment the next enters");
    }

    #[test]
    fn a_cache_of_one_unit_has_a_gap_when_it_is_full() {
        let config = ThrottleConfig { from: 0.99, gap_ns: 70, by_moves: false };
        let mut throttle = Throttle::new(&config, 1);
        throttle.entered(1, Ns(0));
        assert_eq!(throttle.until(Ns(0)), Some(Ns(70)));
        throttle.chosen(3, 4);
        throttle.entered(1, Ns(0));
        assert_eq!(throttle.until(Ns(0)), Some(Ns(70)), "whatever is moved");
    }

    #[test]
    fn the_gap_is_for_the_moves_that_a_unit_costs() {
        let config = ThrottleConfig { from: 0.0, gap_ns: 1_000, by_moves: true };
        let mut throttle = Throttle::new(&config, 2);
        let gap = |throttle: &mut Throttle| {
            throttle.entered(1, Ns(0));
            throttle.until(Ns(0))
        };
        assert_eq!(gap(&mut throttle), None, "nothing is collected");
        throttle.chosen(3, 4);
        assert_eq!(gap(&mut throttle), Some(Ns(375)));
        throttle.chosen(0, 4);
        assert_eq!(gap(&mut throttle), None, "a victim without valid units costs an erase only");
    }
}
