//! A load of a known law, as a cache of the map sees it.

use super::backward::Urn;
use super::dirty::Changes;
use crate::mapping::Keeping;
use wordline_base::draws::Draws;

/// A load of a known law, and what of it the policy sees.
pub struct Law<'a> {
    /// Its kinds of requests.
    pub load: &'a [Draws],
    /// What the policy keeps, and how much.
    pub keeping: Keeping,
    /// Whether writes are looked up.
    pub looks_up_writes: bool,
    /// Moves of each page that holds data, for each request of the load.
    pub moved: f64,
    /// Bytes of a mapping unit.
    pub unit_bytes: u64,
    /// Mapping units that hold data.
    pub occupied: u32,
}

impl Law<'_> {
    /// Of a kind of requests, for each of them: how many take in what they look up, and how many count as a use of what is there.
    pub fn rates(&self, draws: &Draws) -> [f64; 2] {
        let (reads, writes) = (1.0 - draws.write_share, draws.write_share);
        let counts = |counts: bool| if counts { writes } else { 0.0 };
        [
            reads + counts(self.looks_up_writes || self.keeping.takes_in_changes),
            reads + counts(self.looks_up_writes),
        ]
    }

    /// Share of an urn's rate that counts as uses.
    pub fn used(&self, urn: &Urn<'_>) -> f64 {
        let [taken_in, used] = self.rates(urn.draws);
        used / taken_in.max(f64::MIN_POSITIVE)
    }

    /// What happens to an entry of an urn.
    pub fn changes(&self, urn: &Urn<'_>) -> Changes {
        let [taken_in, used] = self.rates(urn.draws);
        let writes = urn.draws.write_share;
        let of_all = urn.rate / taken_in;
        let share = |of: f64, all: f64| if all > 0.0 { of / all } else { 0.0 };
        let looked_up = if self.looks_up_writes { writes } else { 0.0 };
        Changes {
            used: of_all * used,
            written: share(looked_up, used),
            arrives_written: share(looked_up + taken_in - used, taken_in),
            changed: self.moved + of_all * (writes - looked_up),
        }
    }

    /// Whether entries change at all.
    pub fn changes_anything(&self) -> bool {
        self.moved > 0.0 || self.load.iter().any(|draws| draws.share * draws.write_share > 0.0)
    }

    /// Units that requests of a kind touch, for each request of the load and each unit of its region.
    pub fn density(&self, draws: &Draws) -> f64 {
        let units = (draws.region_bytes() as f64 / self.unit_bytes as f64).max(1.0);
        let touched = draws.units(0, self.unit_bytes).count() as f64;
        draws.share * touched / units
    }
}
