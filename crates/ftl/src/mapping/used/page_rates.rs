//! Rates of translation pages that are kept whole: how long each has been kept, and what is held of those that aren't.

use super::law::Law;
use super::pages::Reached;
use wordline_base::rng::{Xoshiro256PlusPlus, unit};

/// Gaps between uses of a page in which it is looked for the begin of its stay.
const MOST_GAPS: usize = 256;

/// Rates of a translation page that is kept whole, or not.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageRates {
    /// At which it is looked up.
    pub used: f64,
    /// At which one of its entries changes while it is kept.
    pub changed: f64,
    /// At which one of its entries changes while it isn't, without that it is looked up.
    pub unseen: f64,
    /// Entries that hold data.
    pub entries: f64,
}

impl PageRates {
    /// Of each run of pages that are alike.
    pub fn all(law: &Law<'_>, runs: &[(u32, Reached)]) -> Vec<Self> {
        let of = |reached: &Reached, law: &Law<'_>| {
            let entries = f64::from(reached.entries);
            let mut rates = Self { entries, changed: law.moved * entries, ..Self::default() };
            rates.unseen = rates.changed;
            for (draws, &own) in law.load.iter().zip(&reached.by_kind) {
                let touched = law.density(draws) * f64::from(own);
                let units = draws.units(0, law.unit_bytes).count().max(1) as f64;
                if law.keeping.room > 0 {
                    rates.used += touched / units * law.rates(draws)[1];
                }
                rates.changed += touched * draws.write_share;
                if !law.looks_up_writes {
                    rates.unseen += touched * draws.write_share;
                }
            }
            rates
        };
        runs.iter().map(|(_, reached)| of(reached, law)).collect()
    }

    /// How long it has been there, if it was used last so long ago.
    pub fn there_for(&self, age: f64, stays: f64, random: &mut Xoshiro256PlusPlus) -> f64 {
        if stays.is_infinite() {
            return f64::INFINITY;
        }
        let mut there = age;
        for _ in 0..MOST_GAPS {
            let gap = -libm::log(1.0 - unit(random)) / self.used.max(f64::MIN_POSITIVE);
            if gap > stays {
                break;
            }
            there += gap;
        }
        there
    }

    /// Entries of it that have changed, if the first of them did so long ago.
    pub fn entries_changed(&self, since: f64) -> f64 {
        1.0 - (self.entries - 1.0).max(0.0) * libm::expm1(-self.unseen / self.entries.max(1.0) * since)
    }

    /// Entries whose changes are held in the mean while it isn't kept, if the oldest stays so long.
    pub fn held(&self, stay: f64) -> f64 {
        const POINTS: u32 = 32;
        if self.unseen <= 0.0 {
            return 0.0;
        }
        let sum: f64 = (0..POINTS)
            .map(|point| self.age((f64::from(point) + 0.5) / f64::from(POINTS), stay))
            .map(|age| self.entries_changed(age))
            .sum();
        self.changed_share(stay) * sum / f64::from(POINTS)
    }

    /// How long changes of it are held in the mean: until it is taken in, or so long.
    fn lasts(&self, stay: f64) -> f64 {
        if self.used * stay < 1e-9 { stay } else { -libm::expm1(-self.used * stay) / self.used }
    }

    /// Age of the oldest change that is held: the quantile of a share of 0 to 1. The older the fewer, since it may have been taken in.
    fn age(&self, share: f64, stay: f64) -> f64 {
        if self.used * stay < 1e-9 {
            return share * stay;
        }
        -libm::log1p(share * libm::expm1(-self.used * stay)) / self.used
    }

    /// Share of the time in which it isn't kept with changes of it that are held: a time without any ends with the first change,
    /// or with a look-up. That it is taken in has the same chance at any time, so this is also the chance to come in changed.
    pub fn changed_share(&self, stay: f64) -> f64 {
        let held = self.unseen * self.lasts(stay);
        held / (1.0 + held)
    }

    /// How long ago the first change was that is held; `None` where there is none.
    pub fn changed_since(&self, stay: f64, random: &mut Xoshiro256PlusPlus) -> Option<f64> {
        (unit(random) < self.changed_share(stay)).then(|| self.age(unit(random), stay))
    }

    /// The longest that what is held of it is likely to be.
    pub fn oldest(&self, stay: f64) -> f64 {
        self.age(0.999, stay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::rng::stream;

    /// Of a page that is out of the cache by what happens to it, one after the other: how often it comes in with changes, and the
    /// entries changed at a random moment.
    fn carried_out(rates: PageRates, stay: f64) -> [f64; 2] {
        let random = &mut stream(7, "test");
        let (mut time, mut changed_in, mut times_in, mut held) = (0.0, 0u32, 0u32, 0.0);
        let mut changed: Option<f64> = None;
        let mut entries = vec![false; rates.entries as usize];
        while times_in < 40_000 {
            let gap = -libm::log1p(-unit(random)) / (rates.used + rates.unseen);
            let written = changed.map_or(f64::INFINITY, |since| since + stay);
            let next = (time + gap).min(written);
            held += entries.iter().filter(|&&changed| changed).count() as f64 * (next - time);
            time = next;
            if time >= written {
                (changed, entries) = (None, vec![false; entries.len()]);
            } else if unit(random) * (rates.used + rates.unseen) < rates.used {
                (times_in, changed_in) = (times_in + 1, changed_in + u32::from(changed.is_some()));
                (changed, entries) = (None, vec![false; entries.len()]);
            } else {
                changed = changed.or(Some(time));
                let entry = (unit(random) * entries.len() as f64) as usize;
                entries[entry] = true;
            }
        }
        [f64::from(changed_in) / f64::from(times_in), held / time]
    }

    #[test]
    fn pages_hold_and_bring_in_as_many_changes_as_one_after_the_other_leaves() {
        for (used, unseen, stay) in
            [(1.0, 0.3, 2.0), (1.0, 5.0, 1e6), (0.2, 3.0, 1.0), (1.0, 20.0, 0.3), (0.1, 0.1, 1e3)]
        {
            let rates = PageRates { used, changed: 0.0, unseen, entries: 64.0 };
            let [share, held] = carried_out(rates, stay);
            let formula = [rates.changed_share(stay), rates.held(stay)];
            for (formula, found) in formula.into_iter().zip([share, held]) {
                assert!((formula / found - 1.0).abs() < 0.03, "{rates:?} {stay}: {formula} {found}");
            }
        }
    }
}
