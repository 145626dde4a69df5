//! Reads of each die in the last while: r of equation 3.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// Counts by die in two windows: the one that runs, and the one before, of which the part that isn't over yet counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadRates {
    window: u64,
    /// Number of the window that runs.
    current: u64,
    counts: Vec<[u32; 2]>,
}

/// A moment at which rates are asked for.
#[derive(Clone, Copy, Debug)]
pub struct RatesNow {
    /// How much of the window before the one that runs counts.
    share_before: f64,
}

impl ReadRates {
    /// For so many dies.
    pub fn new(dies: u32, window_ns: u64) -> Self {
        Self { window: window_ns.max(1), current: 0, counts: vec![[0; 2]; dies as usize] }
    }

    /// Whether the two are for the same drive.
    pub fn fits(&self, other: &Self) -> bool {
        (self.window, self.counts.len()) == (other.window, other.counts.len())
    }

    /// Time since the window that runs began.
    fn passed(&self, now: Ns) -> u64 {
        now.0.saturating_sub(self.current.saturating_mul(self.window))
    }

    #[inline]
    fn advance(&mut self, now: Ns) {
        if self.passed(now) >= self.window {
            self.open(now);
        }
    }

    #[cold]
    fn open(&mut self, now: Ns) {
        let window = now.0 / self.window;
        match window.saturating_sub(self.current) {
            0 => return,
            1 => self.counts.iter_mut().for_each(|count| *count = [0, count[0]]),
            _ => self.counts.fill([0; 2]),
        }
        self.current = window;
    }

    /// A read is issued to a die.
    pub fn count(&mut self, die: usize, now: Ns) {
        self.advance(now);
        if let Some(count) = self.counts.get_mut(die) {
            count[0] = count[0].saturating_add(1);
        }
    }

    /// The rates now: what they have in common, for whoever wants several.
    pub fn at(&mut self, now: Ns) -> RatesNow {
        self.advance(now);
        RatesNow { share_before: 1.0 - self.passed(now) as f64 / self.window as f64 }
    }

    /// Reads of a die in the last window, by what is left of the one before.
    #[inline]
    fn in_window([here, before]: [u32; 2], now: RatesNow) -> f64 {
        f64::from(here) + f64::from(before) * now.share_before
    }

    fn scaled(&self, reads: f64) -> f64 {
        reads * 1e9 / self.window as f64
    }

    /// Reads a second of a die, over the last window.
    pub fn per_second(&self, die: usize, now: RatesNow) -> f64 {
        self.scaled(Self::in_window(self.counts.get(die).copied().unwrap_or_default(), now))
    }

    /// The lowest rate of a die. Scaling keeps the order, so that only one is scaled.
    pub fn least_per_second(&self, now: RatesNow) -> f64 {
        let least =
            self.counts.iter().map(|&counts| Self::in_window(counts, now)).fold(f64::INFINITY, f64::min);
        self.scaled(least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_stream_has_its_rate_and_what_is_past_is_forgotten() {
        let second = 1_000_000_000;
        let mut rates = ReadRates::new(2, second);
        let per_second = |rates: &mut ReadRates, die, now| {
            let now = rates.at(now);
            rates.per_second(die, now)
        };
        for number in 0..250 {
            rates.count(1, Ns(number * second / 100));
        }
        assert!((per_second(&mut rates, 1, Ns(5 * second / 2 - 1)) - 100.0).abs() < 1.0);
        assert_eq!(per_second(&mut rates, 0, Ns(5 * second / 2)), 0.0);
        assert!((per_second(&mut rates, 1, Ns(3 * second + second / 2)) - 25.0).abs() < 0.1);
        assert_eq!(per_second(&mut rates, 1, Ns(9 * second)), 0.0);
    }

    #[test]
    fn the_lowest_rate_is_that_of_the_die_that_is_read_least() {
        let mut rates = ReadRates::new(3, 1_000_000_000);
        for die in [0, 1, 1, 2, 2, 2, 0] {
            rates.count(die, Ns(5));
        }
        let now = rates.at(Ns(9));
        assert_eq!((rates.least_per_second(now), rates.per_second(2, now)), (2.0, 3.0));
    }
}
