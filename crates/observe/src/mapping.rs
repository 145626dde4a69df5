//! Address translation: counters of the window, and their section of the report.

use serde::{Deserialize, Serialize};

/// What happened in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MappingCounters {
    /// Mapping units of the host that were looked up and known.
    pub hits: u64,
    /// Those whose translation page was asked for.
    pub misses: u64,
    /// Those for which a place was guessed.
    pub guessed: u64,
    /// Of the guesses, those of writes.
    pub guessed_of_writes: u64,
    /// Of the hits, those of writes.
    pub hits_of_writes: u64,
    /// Of the misses, those of writes.
    pub misses_of_writes: u64,
    /// Translation pages read because requests waited for them.
    pub loads: u64,
    /// Translation pages read to be written again.
    pub write_back_reads: u64,
    /// Translation pages programmed.
    pub write_backs: u64,
    /// Pages of the map's journal programmed.
    pub journal_writes: u64,
    /// Reads at guessed places that found the page.
    pub guesses_right: u64,
    /// Of the right ones, those of writes of a part of a page.
    pub guesses_right_of_writes: u64,
    /// Those that did not.
    pub guesses_wrong: u64,
    /// Guesses that a system took back while their read waited: the page had moved.
    pub guesses_withdrawn: u64,
    /// Wrong ones where an outdated copy of the page was found.
    pub guesses_outdated: u64,
}

/// Address translation in the window.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MappingReport {
    /// Policy, and systems that answer before it.
    pub policy: String,
    /// Mapping units of the host that were looked up: `hits` + `misses` + `guessed`.
    pub lookups: u64,
    /// The counters.
    #[serde(flatten)]
    pub counters: MappingCounters,
    /// `hits` / `lookups`; `None` without lookups.
    pub hit_ratio: Option<f64>,
    /// Right guesses by the look-ups of reads; `None` without any.
    pub speculative_share: Option<f64>,
    /// Translation pages on flash.
    pub translation_pages: u64,
    /// Entries of each.
    pub entries_per_page: u64,
    /// Pages of the map's journal on flash.
    pub journal_pages: u64,
    /// Entries in DRAM at the end.
    pub cached_entries: u64,
    /// Those of them that are newer than on flash; of whole pages of the map (`segments`) all entries of such a page.
    pub dirty_entries: u64,
    /// Controller memory reserved for the tables, bytes.
    pub bytes: u64,
}

impl MappingCounters {
    /// Those of reads.
    fn lookups_of_reads(&self) -> u64 {
        self.lookups() - self.hits_of_writes - self.misses_of_writes - self.guessed_of_writes
    }

    /// Right guesses by the look-ups of reads. A guess counts when it is known to be right: that of a read under way when the
    /// window opened, too, so that it could be a few more than were looked up in it.
    pub fn speculative_share(&self) -> Option<f64> {
        let (reads, right) = (self.lookups_of_reads(), self.guesses_right - self.guesses_right_of_writes);
        (reads > 0).then(|| (right as f64 / reads as f64).min(1.0))
    }

    /// Mapping units that were looked up.
    pub fn lookups(&self) -> u64 {
        self.hits + self.misses + self.guessed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speculative_share_is_of_reads_alone() {
        let counters = MappingCounters {
            misses: 2,
            guessed: 5,
            guessed_of_writes: 3,
            guesses_right: 4,
            guesses_right_of_writes: 3,
            ..MappingCounters::default()
        };
        assert_eq!(counters.speculative_share(), Some(0.25));
        assert_eq!(
            MappingCounters { hits: 1, hits_of_writes: 1, ..Default::default() }.speculative_share(),
            None
        );
    }
}
