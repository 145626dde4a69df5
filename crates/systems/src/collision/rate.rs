//! Reads of each die in the last while: r of equation 3.

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;

/// Counts by die in two windows: the one that runs, and the one before, of which the part that isn't over yet counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ReadRates {
    window: u64,
    /// Number of the window that runs.
    current: u64,
    counts: Vec<[u32; 2]>,
    /// The lowest rate when it was asked for last in the window that runs.
    #[serde(skip)]
    noted: Floor,
}

/// What the lowest count of a die was, from which follows what it is at least until the window is over.
#[derive(Clone, Copy, Debug, Default)]
struct Floor {
    /// The lowest then.
    least: f64,
    /// How much of the window before counted then.
    share_before: f64,
    /// The most that a die has of the window before.
    most_before: f64,
}

/// What rounding may make of sums and products, many times over.
const ROUNDING: f64 = 1e-6;

/// A moment at which rates are asked for.
#[derive(Clone, Copy, Debug)]
pub struct RatesNow {
    /// How much of the window before the one that runs counts.
    share_before: f64,
}

impl ReadRates {
    /// For so many dies.
    pub fn new(dies: u32, window_ns: u64) -> Self {
        Self {
            window: window_ns.max(1),
            current: 0,
            counts: vec![[0; 2]; dies as usize],
            noted: Floor::default(),
        }
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
        self.noted = Floor::default();
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
    pub fn least_per_second(&mut self, now: RatesNow) -> f64 {
        let each = self.counts.iter();
        let least = each.clone().map(|&counts| Self::in_window(counts, now)).fold(f64::INFINITY, f64::min);
        let most_before = f64::from(each.map(|counts| counts[1]).max().unwrap_or(0));
        self.noted = Floor { least, share_before: now.share_before, most_before };
        self.scaled(least)
    }

    /// A rate that no die is below, told without a look at the dies: since the lowest rate was asked for, counts have grown,
    /// and no more of the window before has passed than of the die that has most of it.
    #[inline]
    pub fn floor_per_second(&self, now: RatesNow) -> f64 {
        let Floor { least, share_before, most_before } = self.noted;
        let passed = most_before * (share_before - now.share_before);
        let floor = least * (1.0 - ROUNDING) - passed * (1.0 + ROUNDING);
        if floor > 0.0 { self.scaled(floor) } else { 0.0 }
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

    #[test]
    fn no_die_is_ever_below_the_floor() {
        let mut rates = ReadRates::new(3, 1_000);
        let (mut useful, mut time) = (0, 0);
        for step in 0..20_000u64 {
            time += step * 7 % 5;
            rates.count((step * step % 7 % 3) as usize, Ns(time));
            let now = rates.at(Ns(time));
            let floor = rates.floor_per_second(now);
            if step % 97 == 0 {
                let least = rates.least_per_second(now);
                assert!(floor <= least && rates.floor_per_second(now) <= least, "{floor} {least}");
            }
            let each = [0, 1, 2].map(|die| rates.per_second(die, now));
            assert!(each.iter().all(|&rate| floor <= rate), "{floor} {each:?}");
            useful += u32::from(floor > 0.9 * each.into_iter().fold(f64::INFINITY, f64::min));
        }
        assert!(useful > 2_000, "{useful}");
    }
}
