//! Requests of one kind in a row at a page.

use crate::info::hash::Map;
use crate::twin::page_counts::{KINDS, PageCounts, PageKind, pages_of};

/// Rows shorter than this may be chance, and say nothing of turns.
const A_ROW: u32 = 3;

/// Requests of one kind in a row, on the pages of each kind.
#[derive(Default)]
pub(super) struct Runs {
    last: Map<u64, Row>,
    sums: [RunSums; KINDS],
}

/// Requests of one kind in a row at a page.
#[derive(Clone, Copy)]
struct Row {
    read: bool,
    requests: u32,
    /// Requests to pages of its kind when it began.
    from: u64,
}

#[derive(Clone, Copy, Default)]
struct RunSums {
    accesses: f64,
    runs: f64,
    by_chance: f64,
    /// Requests that begin at such pages.
    requests: u64,
    /// Of rows that have ended: their requests, and the same times how many requests of the class it took.
    in_rows: f64,
    lasted: f64,
}

impl Runs {
    pub(super) fn add(&mut self, pages: &PageCounts, offset: u64, length: u64, read: bool) {
        if let Some(sums) = self.sums.get_mut(pages.kind(offset) as usize) {
            sums.requests += 1;
        }
        for page in pages_of(offset, length) {
            let (reads, writes) = pages.counts(page);
            if let Some(sums) = self.sums.get_mut(PageKind::of(reads, writes) as usize) {
                sums.add(self.last.get_mut(&page), reads as f64, writes as f64, read);
                let from = sums.requests;
                self.last.entry(page).or_insert(Row { read, requests: 1, from });
            }
        }
    }

    /// Mean length of a run on pages of this kind, and by chance.
    pub(super) fn means(&self, kind: PageKind) -> (f64, f64) {
        let sums = self.sums.get(kind as usize).copied().unwrap_or_default();
        (sums.accesses.max(1.0) / sums.runs.max(1.0), sums.accesses.max(1.0) / sums.by_chance.max(1.0))
    }

    /// Requests to pages of this kind from the beginning of a row to that of the next at its page, a mean by the requests of rows.
    pub(super) fn turn(&self, kind: PageKind) -> f64 {
        let sums = self.sums.get(kind as usize).copied().unwrap_or_default();
        sums.lasted / sums.in_rows.max(1.0)
    }
}

impl RunSums {
    /// An access to a page that gets so many reads and writes in all, and what it got before.
    fn add(&mut self, row: Option<&mut Row>, reads: f64, writes: f64, read: bool) {
        self.accesses += 1.0;
        let Some(row) = row else {
            (self.runs, self.by_chance) = (self.runs + 1.0, self.by_chance + 1.0);
            return;
        };
        // Of the requests of the page that are left, by chance.
        let all = reads + writes;
        self.by_chance += 2.0 * reads * writes / (all * (all - 1.0)).max(1.0);
        if row.read == read {
            row.requests += 1;
            return;
        }
        self.runs += 1.0;
        if row.requests >= A_ROW {
            self.in_rows += f64::from(row.requests);
            self.lasted += f64::from(row.requests) * (self.requests - row.from) as f64;
        }
        *row = Row { read, requests: 1, from: self.requests };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_longer_than_by_chance_where_kinds_take_turns() {
        let mut pages = PageCounts::default();
        let order: Vec<(u64, bool)> =
            (0..12_800_u64).map(|number| (number % 64 * 4096, number / 640 % 2 == 0)).collect();
        order.iter().for_each(|(offset, read)| pages.add(*offset, 4096, *read));
        let mut runs = Runs::default();
        order.iter().for_each(|(offset, read)| runs.add(&pages, *offset, 4096, *read));
        let (run, chance) = runs.means(PageKind::Mixed);
        assert!((run - 10.0).abs() < 0.01 && (chance - 2.0).abs() < 0.05, "{run} {chance}");
        assert!((runs.turn(PageKind::Mixed) - 640.0).abs() < 1.0, "{}", runs.turn(PageKind::Mixed));
    }
}
