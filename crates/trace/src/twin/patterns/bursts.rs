//! Bursts: chains of requests of one kind at short distances.

use wordline_base::request::HostRequest;

use super::arrivals::{GapTally, TwoGaps};
use super::links::Links;
use super::residues::Alike;
use super::{BurstPattern, rounded};
use crate::twin::model::{BurstOp, MOST_REQUESTS};
use crate::twin::page_counts::{KINDS, PageCounts, PageKind};

/// Bursts by length: up to 2, 4, 8 … 4096 requests.
const LENGTHS: usize = 12;

/// Bursts of a length that are fewer than this share of their kind's requests aren't told.
const LEAST_SHARE: f64 = 0.01;

/// Requests that follow one another: offset, length and time.
pub(super) struct Chain {
    pub(super) read: bool,
    pub(super) requests: Vec<(u64, u64, u64)>,
}

/// Cuts a trace into bursts and single requests, and counts the bursts.
pub(super) struct Bursts {
    within_ns: u64,
    open: Chain,
    /// Gaps between bursts or single requests: those within a row, and those between rows.
    rows: [(u64, f64); 2],
    kinds: [Vec<Kind>; 2],
}

/// Bursts of one kind and of about one length.
#[derive(Default)]
struct Kind {
    bursts: u64,
    requests: u64,
    lasted_ns: u64,
    goes_on: u64,
    links: Links,
    linked: u64,
    alike: Alike,
    classes: [u64; KINDS],
}

impl Bursts {
    /// Of requests at most so far apart, ns.
    pub(super) fn new(within_ns: u64) -> Self {
        let kinds = || (0..LENGTHS).map(|_| Kind::default()).collect();
        let open = Chain { read: false, requests: Vec::new() };
        Self { within_ns, open, rows: [(0, 0.0); 2], kinds: [kinds(), kinds()] }
    }

    pub(super) fn within_ns(&self) -> u64 {
        self.within_ns
    }

    /// The next request; what has ended with it.
    pub(super) fn add(&mut self, request: &HostRequest, read: bool) -> Option<Chain> {
        let place = (request.offset, request.length, request.time.0);
        let Some((_, _, last_ns)) = self.open.requests.last() else {
            self.open = Chain { read, requests: vec![place] };
            return None;
        };
        let gap = request.time.0.saturating_sub(*last_ns);
        let near = self.within_ns > 0 && gap <= self.within_ns;
        if near && self.open.read == read && (self.open.requests.len() as f64) < MOST_REQUESTS {
            self.open.requests.push(place);
            return None;
        }
        let [row, idle] = &mut self.rows;
        let gaps = if near { row } else { idle };
        *gaps = (gaps.0 + 1, gaps.1 + gap as f64);
        Some(std::mem::replace(&mut self.open, Chain { read, requests: vec![place] }))
    }

    /// What was open.
    pub(super) fn end(&mut self) -> Option<Chain> {
        let open = std::mem::replace(&mut self.open, Chain { read: false, requests: Vec::new() });
        (!open.requests.is_empty()).then_some(open)
    }

    /// Counts a burst.
    pub(super) fn count(&mut self, chain: &Chain, pages: &PageCounts) {
        let [reads, writes] = &mut self.kinds;
        let kinds = if chain.read { reads } else { writes };
        let length = (chain.requests.len() as u64).next_power_of_two().trailing_zeros() as usize;
        if let Some(kind) = kinds.get_mut(length.clamp(1, LENGTHS) - 1) {
            kind.count(chain, pages);
        }
    }

    /// Bursts and single requests of a row, the gap within and the gap between rows. Where there are no bursts rows are those that the
    /// two laws of the gaps make.
    pub(super) fn rows(&self, laws: &TwoGaps, all: &GapTally) -> (f64, f64, f64) {
        let [(near, near_ns), (far, far_ns)] = self.rows;
        if self.within_ns == 0 {
            return match laws.within_ns {
                0 => (1.0, 0.0, all.mean_ns()),
                _ => (1.0 / (1.0 - laws.short), laws.short_ns, laws.long_ns),
            };
        }
        let mean = |count: u64, sum: f64| sum / (count as f64).max(1.0);
        ((near + far) as f64 / (far as f64).max(1.0), mean(near, near_ns), mean(far, far_ns))
    }

    /// All bursts, of so many reads and writes.
    pub(super) fn finish(&self, requests: [u64; 2]) -> Vec<BurstPattern> {
        let ops = [BurstOp::Read, BurstOp::Write];
        let mut found = Vec::new();
        for ((kinds, op), all) in self.kinds.iter().zip(ops).zip(requests) {
            let enough = |kind: &&Kind| kind.requests as f64 > LEAST_SHARE * all as f64;
            found.extend(kinds.iter().filter(enough).map(|kind| kind.pattern(op, all)));
        }
        found
    }
}

impl Kind {
    fn count(&mut self, chain: &Chain, pages: &PageCounts) {
        let (Some(first), Some(last)) = (chain.requests.first(), chain.requests.last()) else { return };
        self.requests += chain.requests.len() as u64;
        self.lasted_ns += last.2 - first.2;
        // From where one run begins to where the next does: how popular a place is makes the rest of its run come again as well.
        let (mut behind, mut run) = (first.0 + first.1, first.0);
        let mut runs = 1;
        for (offset, length, _) in chain.requests.iter().skip(1) {
            if *offset == behind {
                self.goes_on += 1;
            } else {
                self.alike.add(first.0, *offset);
                self.links.add(self.bursts, run, *offset);
                (run, runs) = (*offset, runs + 1);
            }
            behind = offset + length;
        }
        if runs == 1 {
            self.links.add(self.bursts, first.0, behind);
        }
        self.linked += (runs - 1).max(1);
        for (offset, _, _) in &chain.requests {
            if let Some(count) = self.classes.get_mut(pages.kind(*offset) as usize) {
                *count += 1;
            }
        }
        self.bursts += 1;
    }

    fn pattern(&self, op: BurstOp, all: u64) -> BurstPattern {
        let (requests, bursts) = (self.requests as f64, (self.bursts as f64).max(1.0));
        let gaps = requests - bursts;
        let (times, sequences) = self.links.times_and_sequences(self.linked as f64 / bursts);
        let (aligned_bytes, aligned_share) = self.alike.aligned();
        BurstPattern {
            op,
            class: PageKind::most(&self.classes),
            requests: rounded(requests / bursts),
            share: rounded(requests / (all as f64).max(1.0)),
            gap_ns: rounded(self.lasted_ns as f64 / gaps.max(1.0)),
            run: rounded(requests / (requests - self.goes_on as f64).max(1.0)),
            times: rounded(times),
            sequences: rounded(sequences),
            aligned_bytes,
            aligned_share: rounded(aligned_share),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    #[test]
    fn bursts_end_with_a_longer_gap_and_with_the_other_kind() {
        let mut bursts = Bursts::new(1_000);
        let mut ended = Vec::new();
        for (time, read) in
            [(0, true), (500, true), (1_500, true), (1_600, false), (9_000, true), (9_100, true)]
        {
            let op = if read { HostOp::Read } else { HostOp::Write };
            let request = HostRequest { time: Ns(time), op, offset: time, length: 100, flow: 0, stream: 0 };
            ended.extend(bursts.add(&request, read));
        }
        ended.extend(bursts.end());
        let lengths: Vec<_> = ended.iter().map(|chain| (chain.read, chain.requests.len())).collect();
        assert_eq!(lengths, [(true, 3), (false, 1), (true, 2)]);
        let pages = PageCounts::default();
        ended.iter().filter(|chain| chain.requests.len() > 1).for_each(|chain| bursts.count(chain, &pages));
        let found = bursts.finish([5, 1]);
        assert_eq!(found.len(), 2);
        assert!((found[0].gap_ns - 100.0).abs() < 1e-9 && (found[0].run - 2.0).abs() < 1e-9, "{found:?}");
        assert!((found[1].gap_ns - 750.0).abs() < 1e-9 && (found[1].share - 0.6).abs() < 1e-9, "{found:?}");
    }
}
