//! What is remembered of each page: the types of its last requests (§3.1, the field TRH of an L2P entry).

use serde::{Deserialize, Serialize};

use wordline_base::ids::Lpa;
use wordline_base::memory::Table;

/// Most requests that are remembered of a page.
pub const MOST: u32 = 3;

/// Bits of a trail in the table, and trails in a word of it.
const BITS: u32 = 4;
const IN_WORD: u32 = u32::BITS / BITS;

/// The last requests of a page: a leading one, then a bit for each, the latest last; 1 is a write. 0: there was none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trail(u32);

/// What most of the requests of a trail are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Majority {
    /// There was none.
    Unknown,
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// As many of each.
    Tie,
}

impl Trail {
    /// Behind one more request, when so many are remembered.
    #[must_use]
    pub fn after(self, write: bool, length: u32) -> Self {
        let longer = self.0.max(1) << 1 | u32::from(write);
        let full = 1 << length;
        Self(if longer < 2 * full { longer } else { longer & (full - 1) | full })
    }

    /// What most of them are.
    pub fn majority(self) -> Majority {
        if self.0 <= 1 {
            return Majority::Unknown;
        }
        let requests = self.0.ilog2();
        let writes = self.0.count_ones() - 1;
        match (2 * writes).cmp(&requests) {
            std::cmp::Ordering::Less => Majority::Read,
            std::cmp::Ordering::Greater => Majority::Write,
            std::cmp::Ordering::Equal => Majority::Tie,
        }
    }
}

/// The trails of all pages.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct History {
    length: u32,
    words: Table<u32>,
}

impl History {
    /// For so many pages, of which `length` requests each are remembered.
    pub fn new(pages: u32, length: u32) -> Self {
        Self { length: length.min(MOST), words: Table::zeroed(pages.div_ceil(IN_WORD) as usize) }
    }

    /// Whether it is of this size.
    pub fn fits(&self, other: &Self) -> bool {
        self.length == other.length && self.words.len() == other.words.len()
    }

    /// The trail of a page.
    pub fn of(&self, lpa: Lpa) -> Trail {
        let word = self.words.get((lpa.0 / IN_WORD) as usize).copied().unwrap_or(0);
        Trail(word >> (lpa.0 % IN_WORD * BITS) & ((1 << BITS) - 1))
    }

    /// One more request; returns the trail behind it.
    pub fn record(&mut self, lpa: Lpa, write: bool) -> Trail {
        let trail = self.of(lpa).after(write, self.length);
        self.set(lpa, trail);
        trail
    }

    /// The page was given up.
    pub fn forget(&mut self, lpa: Lpa) {
        self.set(lpa, Trail::default());
    }

    fn set(&mut self, lpa: Lpa, trail: Trail) {
        let shift = lpa.0 % IN_WORD * BITS;
        if let Some(word) = self.words.get_mut((lpa.0 / IN_WORD) as usize) {
            *word = *word & !(((1 << BITS) - 1) << shift) | trail.0 << shift;
        }
    }

    /// Bits of an entry: those of the requests, and with them how many there were (1 + 2 + … + 2^N states).
    pub fn bits_of_entry(length: u32) -> u32 {
        length + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trail(requests: &str, length: u32) -> Trail {
        requests.chars().fold(Trail::default(), |trail, request| trail.after(request == 'W', length))
    }

    #[test]
    fn the_majority_of_the_last_requests_counts() {
        for (requests, length, majority) in [
            ("", 3, Majority::Unknown),
            ("R", 3, Majority::Read),
            ("RRW", 3, Majority::Read),
            ("RWW", 3, Majority::Write),
            ("RW", 3, Majority::Tie),
            ("RW", 2, Majority::Tie),
            ("RWW", 2, Majority::Write),
            ("WWWR", 1, Majority::Read),
            ("RRRRWWW", 3, Majority::Write),
            ("WWWRWR", 3, Majority::Read),
        ] {
            assert_eq!(trail(requests, length).majority(), majority, "{requests} of {length}");
        }
    }

    #[test]
    fn pages_are_remembered_apart_and_forgotten_when_given_up() {
        let mut history = History::new(100, 2);
        for (page, write) in [(7, true), (8, false), (7, true), (99, true)] {
            history.record(Lpa(page), write);
        }
        let majority = |history: &History, page| history.of(Lpa(page)).majority();
        assert_eq!(majority(&history, 7), Majority::Write);
        assert_eq!(majority(&history, 8), Majority::Read);
        assert_eq!(majority(&history, 6), Majority::Unknown);
        history.forget(Lpa(7));
        assert_eq!(majority(&history, 7), Majority::Unknown);
        assert_eq!((majority(&history, 8), majority(&history, 99)), (Majority::Read, Majority::Write));
    }
}
