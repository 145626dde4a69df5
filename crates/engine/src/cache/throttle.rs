//! Throttling of writes: the fuller the cache is of what flash doesn't have yet, the further apart units enter.

use serde::{Deserialize, Serialize};

use super::gap::Gap;
use wordline_base::time::Ns;
use wordline_config::cache::ThrottleConfig;

/// When the next unit may enter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Throttle {
    /// Units up to which there is no gap.
    from: u32,
    /// Units beyond these that fill the cache, at least one.
    range: u32,
    /// Behind a unit that fills the cache.
    pub gap: Gap,
    next: Ns,
}

impl Throttle {
    /// As a scheme describes it, of a cache of so many units.
    pub fn new(config: &ThrottleConfig, capacity: u32) -> Self {
        let from = (f64::from(capacity) * config.from) as u32;
        let range = capacity.saturating_sub(from).max(1);
        Self { from, range, gap: Gap::new(config.gap_ns, config.by_moves), next: Ns::ZERO }
    }

    /// Until when no further unit enters, if that is later than `now`.
    #[inline]
    pub fn until(&self, now: Ns) -> Option<Ns> {
        Some(self.next).filter(|&next| next > now)
    }

    /// A unit has entered; with it so many are dirty or on their way to flash.
    pub fn entered(&mut self, not_clean: u32, now: Ns) {
        let excess = not_clean.saturating_sub(self.from).min(self.range);
        self.next = now + self.gap.part(excess, self.range);
    }
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
    }
}
