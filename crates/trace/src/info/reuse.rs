//! Reuse distances: how many other pages are accessed between two accesses of a page. A page that is found again
//! within so many is a hit in an LRU cache of more pages.
//!
//! Of at most [`SAMPLE`] pages, chosen by a hash of their place, distances are exact; when more are touched, they are
//! estimates from these, scaled (fixed-size SHARDS with its correction; Waldspurger et al., FAST '15). A Fenwick tree
//! over the last accesses counts the pages between, so an access costs the logarithm of the sample, and memory stays
//! below 20 MB.

use std::collections::BinaryHeap;

use super::hash::{Map, spread};
use super::{ReuseInfo, ReusePoint};

/// Pages that are followed at most.
const SAMPLE: usize = 1 << 16;

/// Bins of an octave of distance.
const PER_OCTAVE: usize = 4;

/// Bins: distances up to 2^52.
const BINS: usize = 52 * PER_OCTAVE + 1;

/// Follows pages through a trace.
pub(super) struct ReuseTracker {
    most: usize,
    /// Pages whose hash isn't below this aren't followed.
    threshold: u64,
    /// Slot of the last access of each page, by the page's hash.
    last: Map<u64, u32>,
    /// Hashes of the pages that are followed, the largest on top.
    hashes: BinaryHeap<u64>,
    slots: Slots,
    /// Weights of reused accesses by distance; reads, writes.
    bins: [Vec<f64>; 2],
    /// Weights of accesses to pages that weren't accessed before.
    cold: [f64; 2],
    /// Accesses in all.
    accesses: [u64; 2],
}

impl ReuseTracker {
    pub(super) fn new() -> Self {
        Self::with_most(SAMPLE)
    }

    fn with_most(most: usize) -> Self {
        Self {
            most,
            threshold: u64::MAX,
            last: Map::default(),
            hashes: BinaryHeap::new(),
            slots: Slots::new(4 * most),
            bins: [vec![0.0; BINS], vec![0.0; BINS]],
            cold: [0.0; 2],
            accesses: [0; 2],
        }
    }

    /// Follows one access of each page of a device from the first to the last.
    pub(super) fn add(&mut self, device: u16, first: u64, last: u64, write: bool) {
        let kind = usize::from(write);
        if let Some(count) = self.accesses.get_mut(kind) {
            *count += last - first + 1;
        }
        for page in first..=last {
            let hash = spread(device, page);
            if hash < self.threshold {
                self.access(hash, kind);
            }
        }
    }

    fn access(&mut self, hash: u64, kind: usize) {
        let rate = self.rate();
        if self.slots.is_full() {
            self.slots.compact(&mut self.last);
        }
        let slot = self.slots.next();
        match self.last.insert(hash, slot) {
            Some(before) => {
                let between = self.slots.after(before);
                self.slots.clear(before);
                let bin = bin_of(f64::from(between) / rate);
                if let Some(weight) = self.bins.get_mut(kind).and_then(|bins| bins.get_mut(bin)) {
                    *weight += 1.0 / rate;
                }
            }
            None => {
                if let Some(cold) = self.cold.get_mut(kind) {
                    *cold += 1.0 / rate;
                }
                self.hashes.push(hash);
            }
        }
        self.slots.set(slot);
        if self.last.len() > self.most {
            self.give_up_one();
        }
    }

    /// No longer follows the page of the largest hash, and none above it.
    fn give_up_one(&mut self) {
        if let Some(hash) = self.hashes.pop() {
            self.threshold = hash;
            if let Some(slot) = self.last.remove(&hash) {
                self.slots.clear(slot);
            }
        }
    }

    /// Share of the pages that is followed.
    pub(super) fn rate(&self) -> f64 {
        if self.threshold == u64::MAX { 1.0 } else { self.threshold as f64 / u64::MAX as f64 }
    }

    pub(super) fn finish(mut self) -> ReuseInfo {
        let rate = self.rate();
        // The correction of SHARDS: accesses that the sample has too many or too few of lie at the smallest distance.
        for kind in 0..2 {
            let (Some(bins), Some(cold), Some(all)) =
                (self.bins.get_mut(kind), self.cold.get(kind), self.accesses.get(kind))
            else {
                continue;
            };
            let missing = *all as f64 - cold - bins.iter().sum::<f64>();
            if let Some(first) = bins.first_mut().filter(|_| rate < 1.0) {
                *first = (*first + missing).max(0.0);
            }
        }
        let [reads, writes] = &self.bins;
        let both: Vec<f64> = reads.iter().zip(writes).map(|(read, write)| read + write).collect();
        let reused: f64 = both.iter().sum();
        let accesses = self.accesses.iter().sum::<u64>() as f64;
        ReuseInfo {
            sample_rate: rate,
            first_access_share: ratio(accesses - reused, accesses),
            p50_pages: quantile(&both, 0.5),
            p90_pages: quantile(&both, 0.9),
            p99_pages: quantile(&both, 0.99),
            curve: curve(&both, reads, accesses, self.accesses[0] as f64),
        }
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// Bin 0 holds distance 0, bin i the distances up to 2^(i / 4) - 1.
fn bin_of(distance: f64) -> usize {
    (libm::ceil(PER_OCTAVE as f64 * libm::log2(distance + 1.0) - 1e-9) as usize).min(BINS - 1)
}

/// Pages of a cache in which the distances up to this bin hit.
fn size_of(bin: usize) -> u64 {
    libm::floor(libm::exp2(bin as f64 / PER_OCTAVE as f64) + 1e-9) as u64
}

fn quantile(bins: &[f64], share: f64) -> Option<u64> {
    let total: f64 = bins.iter().sum();
    let mut sum = 0.0;
    (total > 0.0).then_some(())?;
    let bin = bins.iter().position(|weight| {
        sum += weight;
        sum >= share * total
    })?;
    Some(size_of(bin) - 1)
}

/// Hits of LRU caches of so many pages, up to the size from which nothing more is gained.
fn curve(both: &[f64], reads: &[f64], accesses: f64, read_accesses: f64) -> Vec<ReusePoint> {
    let last = both.iter().rposition(|weight| *weight > 0.0).map_or(0, |last| last + 1);
    let (mut hits, mut read_hits) = (0.0, 0.0);
    let mut points: Vec<ReusePoint> = Vec::new();
    for (bin, (weight, read)) in both.iter().zip(reads).enumerate().take(last) {
        hits += weight;
        read_hits += read;
        let point = ReusePoint {
            cache_pages: size_of(bin),
            hit_share: ratio(hits, accesses),
            read_hit_share: ratio(read_hits, read_accesses),
        };
        match points.last_mut() {
            Some(before) if before.cache_pages == point.cache_pages => *before = point,
            _ => points.push(point),
        }
    }
    points
}

/// Marks at consecutive slots, counted by a Fenwick tree.
struct Slots {
    tree: Vec<u32>,
    marks: u32,
    next: u32,
}

impl Slots {
    fn new(capacity: usize) -> Self {
        Self { tree: vec![0; capacity.max(16) + 1], marks: 0, next: 0 }
    }

    fn is_full(&self) -> bool {
        self.next as usize + 1 >= self.tree.len()
    }

    fn next(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    fn set(&mut self, slot: u32) {
        self.marks += 1;
        self.add(slot, 1);
    }

    fn clear(&mut self, slot: u32) {
        self.marks -= 1;
        self.add(slot, u32::MAX);
    }

    /// Adds `change` modulo 2^32.
    fn add(&mut self, slot: u32, change: u32) {
        let mut index = slot as usize + 1;
        while let Some(sum) = self.tree.get_mut(index) {
            *sum = sum.wrapping_add(change);
            index += index & index.wrapping_neg();
        }
    }

    /// Marks behind this slot.
    fn after(&self, slot: u32) -> u32 {
        let (mut index, mut sum) = (slot as usize + 1, 0_u32);
        while index > 0 {
            sum = sum.wrapping_add(self.tree.get(index).copied().unwrap_or(0));
            index &= index - 1;
        }
        self.marks - sum
    }

    /// Moves the marks together, in their order.
    fn compact(&mut self, last: &mut Map<u64, u32>) {
        let mut order: Vec<&mut u32> = last.values_mut().collect();
        order.sort_unstable();
        self.tree.fill(0);
        (self.marks, self.next) = (0, 0);
        for slot in order {
            *slot = self.next();
            self.set(*slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(pages: impl IntoIterator<Item = u64>, most: usize) -> ReuseInfo {
        let mut tracker = ReuseTracker::with_most(most);
        pages.into_iter().for_each(|page| tracker.add(0, page, page, false));
        tracker.finish()
    }

    fn hits(info: &ReuseInfo, pages: u64) -> f64 {
        let within = info.curve.iter().take_while(|point| point.cache_pages <= pages);
        within.last().map_or(0.0, |point| point.hit_share)
    }

    /// Hits of an LRU cache, by simulation.
    fn lru_hits(pages: &[u64], size: usize) -> f64 {
        let mut cache: Vec<u64> = Vec::new();
        let mut hits = 0;
        for page in pages {
            if let Some(place) = cache.iter().position(|held| held == page) {
                cache.remove(place);
                hits += 1;
            } else if cache.len() == size {
                cache.remove(0);
            }
            cache.push(*page);
        }
        f64::from(hits) / pages.len() as f64
    }

    #[test]
    fn distances_count_the_other_pages_between() {
        // 1 again after 2 and 3: distance 2; then 3 after 1: distance 1; then 3 at once: 0.
        let info = followed([1, 2, 3, 1, 3, 3], 100);
        assert!((info.first_access_share - 0.5).abs() < 1e-12);
        assert!((hits(&info, 1) - 1.0 / 6.0).abs() < 1e-12, "{info:?}");
        assert!((hits(&info, 2) - 2.0 / 6.0).abs() < 1e-12, "{info:?}");
        assert!((hits(&info, 4) - 3.0 / 6.0).abs() < 1e-12, "{info:?}");
        assert_eq!(info.p50_pages, Some(1));
    }

    /// Pages by a small congruential generator, some of them popular.
    fn skewed(count: usize, pages: u64) -> Vec<u64> {
        let mut state = 7_u64;
        (0..count)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let unit = (state >> 11) as f64 / (1_u64 << 53) as f64;
                (unit * unit * pages as f64) as u64
            })
            .collect()
    }

    #[test]
    fn the_curve_is_that_of_a_simulated_lru_cache() {
        let pages = skewed(20_000, 300);
        let info = followed(pages.iter().copied(), 1000);
        assert!((info.sample_rate - 1.0).abs() < 1e-12);
        for size in [1_usize, 2, 4, 8, 16, 32, 64, 128, 256] {
            let simulated = lru_hits(&pages, size);
            assert!((hits(&info, size as u64) - simulated).abs() < 1e-9, "{size}: {simulated} {info:?}");
        }
    }

    #[test]
    fn a_sample_comes_close() {
        let pages = skewed(300_000, 40_000);
        let (exact, sampled) =
            (followed(pages.iter().copied(), 1 << 16), followed(pages.iter().copied(), 8192));
        assert!(sampled.sample_rate < 0.3, "{}", sampled.sample_rate);
        for size in [256, 1024, 4096, 16_384, 32_768] {
            let (wanted, found) = (hits(&exact, size), hits(&sampled, size));
            assert!((wanted - found).abs() < 0.05, "{size}: {wanted} {found}");
        }
    }
}
