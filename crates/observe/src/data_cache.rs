//! What the data cache did in the measured window.

use serde::{Deserialize, Serialize};

use wordline_base::time::Ns;

/// Counters of the data cache. All count mapping units.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CacheReport {
    /// Units of reads that needed no flash read.
    pub read_hits: u64,
    /// Units of reads that needed one as they came.
    pub read_misses: u64,
    /// Of the misses, those of which a part was held.
    pub read_misses_in_part: u64,
    /// Of the misses, those that were served from the cache after all, since they were written while they waited for
    /// their die.
    pub late_read_hits: u64,
    /// Units of writes that were held already.
    pub write_hits: u64,
    /// Units of writes that were not.
    pub write_misses: u64,
    /// Units of writes that had to wait for room.
    pub stalls: u64,
    /// Units programmed from the cache.
    pub write_backs: u64,
    /// Reads for units that were written in part, so that all of them could be written back.
    pub merges: u64,
    /// Clean units given up for others.
    pub evictions: u64,
    /// Dirty units, mean over the window's time.
    pub dirty_mean: f64,
    /// Most dirty units at once.
    pub dirty_max: u64,
    /// Units that it has room for.
    pub capacity_units: u64,
}

/// Counts, and integrates the number of dirty units over time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct CacheRecord {
    /// The counters so far.
    pub counts: CacheReport,
    start: Ns,
    since: Ns,
    area: u128,
    dirty: u32,
    most: u32,
}

impl CacheRecord {
    /// The window opens with so many dirty units.
    pub fn begin(now: Ns, dirty: u32) -> Self {
        Self { start: now, since: now, dirty, most: dirty, ..Self::default() }
    }

    /// So many units are dirty from now on.
    #[inline]
    pub fn dirty(&mut self, dirty: u32, now: Ns) {
        if dirty != self.dirty {
            self.area += u128::from(self.dirty) * u128::from(now.since(self.since).0);
            (self.since, self.dirty) = (now, dirty);
            self.most = self.most.max(dirty);
        }
    }

    /// The counters of a window that ends now.
    pub fn report(&self, end: Ns, capacity: u32) -> CacheReport {
        let window = end.since(self.start).0;
        let area = self.area + u128::from(self.dirty) * u128::from(end.since(self.since).0);
        CacheReport {
            dirty_mean: if window == 0 { f64::from(self.dirty) } else { area as f64 / window as f64 },
            dirty_max: u64::from(self.most),
            capacity_units: u64::from(capacity),
            ..self.counts.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_of_dirty_units_is_weighted_by_time_and_begins_with_the_window() {
        let mut record = CacheRecord::begin(Ns(100), 4);
        record.dirty(8, Ns(110));
        record.dirty(0, Ns(120));
        let report = record.report(Ns(140), 16);
        assert_eq!((report.dirty_mean, report.dirty_max), ((4.0 * 10.0 + 8.0 * 10.0) / 40.0, 8));
    }
}
