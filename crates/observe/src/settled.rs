//! How a drive came to the state in which its first request found it.

use serde::{Deserialize, Serialize};

/// How the drive came to its start. Of an array: [`Settled::of_all`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// Whether its pages lie by the formula of the steady state, before what was overwritten.
    pub formula: bool,
    /// Mapping units that this formula has side by side, as one request writes them; 0 without it.
    pub units_together: u32,
    /// Write amplification of each window of overwrites without simulated time; each window writes a quarter of what the
    /// drive holds.
    pub waf_of_windows: Vec<f64>,
    /// Flash pages on which each unit that a window overwrote had lain: those that reads of what is written have to read.
    pub pages_of_windows: Vec<f64>,
    /// Whether neither has a trend any more, or no windows were needed.
    pub agrees: bool,
    /// Mapping units that the SLC cache took before, whether they are valid still or not; 0 where it began empty.
    pub slc_cache_units: u64,
    /// Pages that were looked up in the cache of the map, or changed there, before; 0 where it began empty.
    pub map_accesses: u64,
}

impl Settled {
    /// Of drives that serve together: by the formula, and settled, if all are; the windows are those of one that hasn't settled
    /// if there is one, else of one that had any.
    pub fn of_all<'a>(members: impl Iterator<Item = &'a Self> + Clone) -> Self {
        let windows = |settled: bool| {
            members.clone().find(|member| member.agrees == settled && !member.waf_of_windows.is_empty())
        };
        let shown = windows(false).or_else(|| windows(true)).or_else(|| members.clone().next());
        Self {
            formula: members.clone().all(|member| member.formula),
            agrees: members.clone().all(|member| member.agrees),
            slc_cache_units: members.clone().map(|member| member.slc_cache_units).sum(),
            map_accesses: members.clone().map(|member| member.map_accesses).sum(),
            ..shown.cloned().unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_that_serve_together_have_settled_if_all_have() {
        let of = |agrees, waf_of_windows: &[f64], slc_cache_units| Settled {
            formula: true,
            agrees,
            waf_of_windows: waf_of_windows.to_vec(),
            slc_cache_units,
            ..Settled::default()
        };
        let all = Settled::of_all([of(true, &[], 3), of(false, &[2.0], 4), of(true, &[3.0], 5)].iter());
        assert_eq!(all, of(false, &[2.0], 12));
        let all = Settled::of_all([of(true, &[], 3), of(true, &[3.0], 4)].iter());
        assert_eq!(all, of(true, &[3.0], 7));
    }
}
