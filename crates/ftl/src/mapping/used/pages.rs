//! Translation pages as a load of a known law treats them: what of each is used and changed, and how long ago it was written.

use super::dirty::{Clean, Cycle};
use crate::mapping::MapSizes;
use wordline_base::draws::{Draws, Order};

/// What of a translation page is used: entries of it that each kind of request reaches, and that hold data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reached {
    /// By kind of request; 0 for kinds that come in turn.
    pub by_kind: Vec<u32>,
    /// All that hold data.
    pub entries: u32,
}

/// Runs of pages that are alike: the page behind the last of each, and what of them is reached.
pub fn runs(load: &[Draws], sizes: &MapSizes, unit_bytes: u64, occupied: u32) -> Vec<(u32, Reached)> {
    let mut runs: Vec<(u32, Reached)> = Vec::new();
    for page in 0..sizes.translation_pages {
        let (first, end) = sizes.entries(page);
        let end = end.min(occupied);
        let reached = Reached {
            by_kind: load
                .iter()
                .map(|draws| {
                    let to = (draws.start + draws.region_bytes()).div_ceil(unit_bytes).min(u64::from(end));
                    let from = (draws.start / unit_bytes).max(u64::from(first));
                    let drawn = matches!(draws.order, Order::Drawn(..));
                    if drawn { to.saturating_sub(from) as u32 } else { 0 }
                })
                .collect(),
            entries: end.saturating_sub(first),
        };
        match runs.last_mut() {
            Some((behind, last)) if *last == reached => *behind = page + 1,
            _ => runs.push((page + 1, reached)),
        }
    }
    runs
}

/// Entries of one urn that are alike, by kind of request.
#[derive(Clone, Debug)]
pub struct Alike {
    /// Kind of request.
    pub kind: usize,
    /// Share of the kind's entries.
    pub share: f64,
    /// Chance to be kept.
    pub kept: f64,
    /// Rate at which one of them gives way.
    pub leaves: f64,
    /// What becomes of it until then.
    pub clean: Clean,
}

/// Steps of a table of rates, for each stay.
const STEPS: usize = 32;

/// For so many stays; behind it nothing changes.
const STAYS: usize = 8;

/// Rates at which entries give way dirty, so long after their page was written, for each entry of each kind.
pub struct Evictions {
    step: f64,
    by_kind: Vec<Vec<f64>>,
    /// Chance that an entry of the kind is kept.
    pub kept: Vec<f64>,
}

impl Evictions {
    /// Of so many kinds of requests.
    pub fn new(alike: &[Alike], kinds: usize, stay: f64) -> Self {
        let step = stay / STEPS as f64;
        let sum = |kind: usize, of: &dyn Fn(&Alike) -> f64| {
            alike.iter().filter(|alike| alike.kind == kind).map(|alike| alike.share * of(alike)).sum::<f64>()
        };
        let rate = |kind: usize, at: usize| {
            let since = step * at as f64;
            sum(kind, &|alike| alike.leaves * alike.clean.leaves_dirty(since))
        };
        let points = if stay.is_finite() { STAYS * STEPS } else { 0 };
        Self {
            step,
            by_kind: (0..kinds).map(|kind| (0..points).map(|at| rate(kind, at)).collect()).collect(),
            kept: (0..kinds).map(|kind| sum(kind, &|alike| alike.kept)).collect(),
        }
    }

    /// Of a page of which so much is reached.
    pub fn rate(&self, reached: &Reached, since: f64) -> f64 {
        let kinds = self.by_kind.iter().zip(&reached.by_kind);
        kinds.map(|(rates, &entries)| f64::from(entries) * self.of(rates, since)).sum()
    }

    fn of(&self, rates: &[f64], since: f64) -> f64 {
        let at = since / self.step;
        let known = |at: usize| rates.get(at).or(rates.last()).copied().unwrap_or(0.0);
        let (whole, part) = (at as usize, at.fract());
        known(whole) * (1.0 - part) + known(whole.saturating_add(1)) * part
    }

    /// Entries of a page that hold data and aren't kept.
    pub fn others(&self, reached: &Reached) -> f64 {
        let kinds = self.kept.iter().zip(&reached.by_kind);
        // Kinds that reach the same entry keep it one by one.
        let entries = f64::from(reached.entries);
        let out = kinds
            .fold(1.0, |out, (kept, &of_kind)| out * (1.0 - kept * f64::from(of_kind) / entries.max(1.0)));
        entries * out
    }
}

/// How long the oldest of the changes stays that are held beside the cache, and the cycle of each run of pages with it.
pub fn cycles(
    runs: &[(u32, Reached)],
    evictions: &Evictions,
    moved: f64,
    held: u32,
    scale: f64,
) -> Vec<Cycle> {
    let cycle = |reached: &Reached, stays: f64| {
        let others = evictions.others(reached);
        let rate = |since: f64| {
            let of_changes = if since >= stays { others * moved } else { 0.0 };
            evictions.rate(reached, since) + of_changes
        };
        Cycle::new(rate, if scale.is_finite() { scale.min(stays) } else { stays })
    };
    let all = |stays: f64| -> f64 {
        let mut first = 0;
        runs.iter()
            .map(|(behind, reached)| {
                let pages = f64::from(behind - std::mem::replace(&mut first, *behind));
                let cycle = cycle(reached, stays);
                pages * evictions.others(reached) * cycle.mean(|since| -libm::expm1(-moved * since.min(1e30)))
            })
            .sum()
    };
    let stays = if moved > 0.0 { longest(|stays| all(stays) <= f64::from(held), 1.0 / moved) } else { 1e30 };
    runs.iter().map(|(_, reached)| cycle(reached, stays)).collect()
}

/// The longest time for which something holds that holds for all shorter ones, to a hundredth.
pub fn longest(holds: impl Fn(f64) -> bool, scale: f64) -> f64 {
    let (mut low, mut high) = (scale * 1e-9, scale * 1e3);
    if holds(high) {
        return high;
    }
    while high / low > 1.01 {
        let middle = libm::sqrt(low * high);
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
