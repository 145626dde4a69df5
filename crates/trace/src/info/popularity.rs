//! How often each page is read and written: hot pages, page classes, popularity, and what follows what.
//!
//! Pages are counted in groups of 8. When more than [`MAX_GROUPS`] groups are touched (dense: 56 GiB), a [`Sample`] of
//! them is: memory stays below 300 MB.

use super::sample::Sample;
use super::zipf;
use super::{ClassInfo, PageClasses, Popularity, PopularityPoint, Succession};

/// Pages of a group.
const GROUP: u64 = 8;

/// Most groups that are counted: what a table of 2^21 places takes before it grows.
const MAX_GROUPS: usize = (1 << 21) / 8 * 7;

/// Counts of a group's pages.
#[derive(Default)]
struct Group {
    reads: [u32; GROUP as usize],
    writes: [u32; GROUP as usize],
    /// Bit of a page: its last access was a write.
    written_last: u8,
}

/// Counts of all pages.
pub(super) struct PageTally {
    groups: Sample<(u16, u64), Group>,
    succession: Counts,
}

/// Accesses by what came before them on the page.
#[derive(Default)]
struct Counts {
    read_after_read: u64,
    read_after_write: u64,
    write_after_read: u64,
    write_after_write: u64,
    first_reads: u64,
    first_writes: u64,
}

impl PageTally {
    pub(super) fn new() -> Self {
        Self::with_most(MAX_GROUPS)
    }

    fn with_most(most: usize) -> Self {
        Self { groups: Sample::of(most), succession: Counts::default() }
    }

    /// Counts one access of each page of a device from the first to the last.
    pub(super) fn add(&mut self, device: u16, first: u64, last: u64, write: bool) {
        for number in first / GROUP..=last / GROUP {
            let Some(group) = self.groups.at((device, number)) else { continue };
            let start = number * GROUP;
            let range = first.saturating_sub(start)..=(last - start).min(GROUP - 1);
            group.access(range, write, &mut self.succession);
        }
    }

    /// Share of the groups that is counted.
    pub(super) fn rate(&self) -> f64 {
        self.groups.rate()
    }

    fn pages(&self) -> impl Iterator<Item = (u32, u32)> {
        self.groups
            .values()
            .flat_map(|group| group.reads.iter().copied().zip(group.writes.iter().copied()))
            .filter(|(reads, writes)| *reads > 0 || *writes > 0)
    }

    /// Pages that are read more than once, among all pages.
    pub(super) fn hot_share(&self) -> f64 {
        let (hot, all) =
            self.pages().fold((0_u64, 0_u64), |(hot, all), (reads, _)| (hot + u64::from(reads > 1), all + 1));
        share(hot, all)
    }

    /// Pages by which kind of access they get.
    pub(super) fn classes(&self) -> PageClasses {
        // Pages, reads and writes of each class.
        let mut sums = [[0_u64; 3]; 3];
        for (reads, writes) in self.pages() {
            let (reads, writes) = (u64::from(reads), u64::from(writes));
            let class = class_of(reads, writes);
            if let Some(sum) = sums.get_mut(class) {
                for (sum, value) in sum.iter_mut().zip([1, reads, writes]) {
                    *sum += value;
                }
            }
        }
        let whole = sums.iter().fold([0_u64; 3], |whole, sum| {
            let mut whole = whole;
            whole.iter_mut().zip(sum).for_each(|(whole, value)| *whole += value);
            whole
        });
        let [read_intensive, write_intensive, mixed] = sums.map(|[pages, reads, writes]| ClassInfo {
            pages: share(pages, whole[0]),
            reads: share(reads, whole[1]),
            writes: share(writes, whole[2]),
            accesses: share(reads + writes, whole[1] + whole[2]),
        });
        PageClasses { read_intensive, write_intensive, mixed }
    }

    pub(super) fn succession(&self) -> Succession {
        let Counts {
            read_after_read,
            read_after_write,
            write_after_read,
            write_after_write,
            first_reads,
            first_writes,
        } = self.succession;
        let reads = read_after_read + read_after_write + first_reads;
        let writes = write_after_read + write_after_write + first_writes;
        Succession {
            read_after_write_share: share(read_after_write, reads),
            read_after_read_share: share(read_after_read, reads),
            write_after_read_share: share(write_after_read, writes),
            write_after_write_share: share(write_after_write, writes),
        }
    }

    /// How accesses spread over the pages, of reads or of writes.
    pub(super) fn popularity(&self, write: bool) -> Popularity {
        let mut counts: Vec<u32> = self
            .pages()
            .map(|(reads, writes)| if write { writes } else { reads })
            .filter(|count| *count > 0)
            .collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
        Popularity {
            mean_accesses: if counts.is_empty() { 0.0 } else { total as f64 / counts.len() as f64 },
            max_accesses: counts.first().map_or(0, |count| u64::from(*count)),
            zipf: zipf::fit(&counts),
            curve: curve(&counts, total),
        }
    }
}

/// 0 for read-intensive, 1 for write-intensive, 2 for mixed: more than 90% of the accesses.
fn class_of(reads: u64, writes: u64) -> usize {
    let all = reads + writes;
    if 10 * reads > 9 * all {
        0
    } else if 10 * writes > 9 * all {
        1
    } else {
        2
    }
}

/// The share of accesses that goes to the most popular pages, at ranks spaced evenly in the logarithm.
fn curve(counts: &[u32], total: u64) -> Vec<PopularityPoint> {
    let mut points = Vec::new();
    let (mut sum, mut next) = (0_u64, 1_usize);
    for (rank, count) in (1..).zip(counts) {
        sum += u64::from(*count);
        if rank == next || rank == counts.len() {
            points.push(PopularityPoint {
                rank: rank as u64,
                accesses: u64::from(*count),
                page_share: rank as f64 / counts.len() as f64,
                access_share: share(sum, total),
            });
            next = (rank + 1).max(rank * 5 / 4);
        }
    }
    points
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Group {
    fn access(&mut self, range: std::ops::RangeInclusive<u64>, write: bool, counts: &mut Counts) {
        for page in range {
            let place = page as usize;
            let (Some(reads), Some(writes)) = (self.reads.get_mut(place), self.writes.get_mut(place)) else {
                continue;
            };
            let bit = 1_u8 << page;
            let fresh = *reads == 0 && *writes == 0;
            let after_write = self.written_last & bit != 0;
            let counter = match (write, fresh, after_write) {
                (false, true, _) => &mut counts.first_reads,
                (false, false, false) => &mut counts.read_after_read,
                (false, false, true) => &mut counts.read_after_write,
                (true, true, _) => &mut counts.first_writes,
                (true, false, false) => &mut counts.write_after_read,
                (true, false, true) => &mut counts.write_after_write,
            };
            *counter += 1;
            let count = if write { writes } else { reads };
            *count = count.saturating_add(1);
            self.written_last = if write { self.written_last | bit } else { self.written_last & !bit };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(accesses: &[(u64, u64, bool)]) -> PageTally {
        let mut tally = PageTally::new();
        accesses.iter().for_each(|(first, last, write)| tally.add(0, *first, *last, *write));
        tally
    }

    #[test]
    fn hot_pages_are_those_read_repeatedly_among_all() {
        let tally = tally(&[(0, 9, false), (3, 4, false), (20, 29, true), (20, 20, true), (5, 5, true)]);
        assert!((tally.hot_share() - 2.0 / 20.0).abs() < 1e-12, "{}", tally.hot_share());
    }

    #[test]
    fn more_than_nine_tenths_make_a_class() {
        let mut accesses = vec![(0, 0, true), (1, 1, true), (2, 2, false)];
        accesses.extend(std::iter::repeat_n((0, 0, false), 9));
        accesses.extend(std::iter::repeat_n((1, 1, false), 10));
        accesses.extend(std::iter::repeat_n((2, 2, true), 30));
        let classes = tally(&accesses).classes();
        // Page 0 has exactly 90% reads, page 1 ten of eleven, page 2 thirty writes of 31.
        assert!((classes.mixed.pages - 1.0 / 3.0).abs() < 1e-12, "{classes:?}");
        assert!((classes.read_intensive.reads - 10.0 / 20.0).abs() < 1e-12, "{classes:?}");
        assert!((classes.write_intensive.writes - 30.0 / 32.0).abs() < 1e-12, "{classes:?}");
        assert!((classes.write_intensive.accesses - 31.0 / 52.0).abs() < 1e-12, "{classes:?}");
    }

    #[test]
    fn succession_looks_at_the_access_before_on_the_same_page() {
        let found =
            tally(&[(0, 1, true), (0, 0, false), (0, 0, false), (1, 1, true), (9, 9, false)]).succession();
        assert!((found.read_after_write_share - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        assert!((found.read_after_read_share - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        assert!((found.write_after_write_share - 1.0 / 3.0).abs() < 1e-12, "{found:?}");
        assert!(found.write_after_read_share.abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn the_popularity_curve_ends_with_everything() {
        let mut accesses = vec![(100, 199, false)];
        accesses.extend(std::iter::repeat_n((150, 150, false), 99));
        let found = tally(&accesses).popularity(false);
        assert_eq!((found.max_accesses, found.curve.len() > 10), (100, true));
        let first = &found.curve[0];
        assert!(
            (first.access_share - 100.0 / 199.0).abs() < 1e-12 && (first.page_share - 0.01).abs() < 1e-12
        );
        assert!((found.curve.last().unwrap().access_share - 1.0).abs() < 1e-12);
        assert!(tally(&accesses).popularity(true).curve.is_empty());
    }

    #[test]
    fn with_more_groups_than_fit_shares_are_estimated_from_some() {
        let mut tally = PageTally::with_most(1000);
        // A third of the pages is read twice.
        for page in 0..100_000_u64 {
            tally.add(0, page, page, false);
            if page / 8 % 3 == 0 {
                tally.add(0, page, page, false);
            }
        }
        assert!(tally.groups.len() <= 1000 && tally.rate() < 0.1, "{}", tally.rate());
        assert!((tally.hot_share() - 1.0 / 3.0).abs() < 0.06, "{}", tally.hot_share());
    }
}
