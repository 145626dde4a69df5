//! The set of files.

use std::collections::BTreeSet;

use crate::apps::extents::{Extent, Extents, PAGE};
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};

/// A file: its size in bytes and where it lies.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub size: u64,
    pub extents: Vec<Extent>,
    /// Whether it exists.
    pub there: bool,
}

/// Files by number, those that exist and those that don't.
pub(super) struct Files {
    pub list: Vec<File>,
    pub space: Extents,
    /// Numbers of files that don't exist.
    unused: BTreeSet<usize>,
    mean: u64,
    rng: Xoshiro256PlusPlus,
}

impl Files {
    /// A set of which a share exists, laid out in order from `start`. `None` when it doesn't fit.
    pub(super) fn new(count: u64, existing: f64, mean: u64, start: u64, end: u64, seed: u64) -> Option<Self> {
        let mut files = Self {
            list: Vec::new(),
            space: Extents::new(start, end),
            unused: BTreeSet::new(),
            mean,
            rng: stream(seed, "filebench.files"),
        };
        let mut pick = stream(seed, "filebench.existing");
        for _ in 0..count {
            let mut file = File::default();
            if unit(&mut pick) < existing {
                file = File { size: files.size(), there: true, extents: Vec::new() };
                file.extents = files.space.take(file.size)?;
            }
            if !file.there {
                files.unused.insert(files.list.len());
            }
            files.list.push(file);
        }
        Some(files)
    }

    /// A size: gamma distribution of shape 1.5 with the mean (Filebench's own shape), at least a byte. A gamma of shape 1.5 is
    /// an exponential and half the square of a normal.
    pub(super) fn size(&mut self) -> u64 {
        let rng = &mut self.rng;
        let exponential = -libm::log(1.0 - unit(rng));
        let normal =
            libm::sqrt(-2.0 * libm::log(1.0 - unit(rng))) * libm::cos(2.0 * std::f64::consts::PI * unit(rng));
        let gamma = exponential + normal * normal / 2.0;
        ((gamma / 1.5 * self.mean as f64) as u64).max(1)
    }

    /// A file that exists, at random; any when there is none after some draws.
    pub(super) fn pick(&mut self) -> usize {
        let count = self.list.len() as u64;
        let mut found = 0;
        for _ in 0..64 {
            found = below(&mut self.rng, count) as usize;
            if self.list.get(found).is_some_and(|file| file.there) {
                break;
            }
        }
        found
    }

    /// The first number that no file has, as file systems give inodes; when all exist, one at random.
    pub(super) fn free(&mut self) -> usize {
        match self.unused.first() {
            Some(first) => *first,
            None => self.pick(),
        }
    }

    /// A number of bytes around a mean: uniform from 1 to twice that.
    pub(super) fn about(&mut self, mean: u64) -> u64 {
        1 + below(&mut self.rng, 2 * mean)
    }

    /// Makes a file longer; the extents that are new, and the run of bytes that is written.
    pub(super) fn extend(&mut self, number: usize, bytes: u64) -> Option<(Vec<Extent>, Vec<Extent>)> {
        let Self { list, space, unused, .. } = self;
        let file = list.get_mut(number)?;
        file.there = true;
        unused.remove(&number);
        let held: u64 = file.extents.iter().map(|extent| extent.1).sum();
        let from = file.size;
        let needed = (from + bytes).saturating_sub(held);
        let mut taken = Vec::new();
        if needed > 0 {
            let end = file.extents.last().map(|extent| extent.0 + extent.1);
            let grown = end.and_then(|end| space.grow(end, needed));
            match (grown, file.extents.last_mut()) {
                (Some(grown), Some(last)) => {
                    last.1 += grown.1;
                    taken.push(grown);
                }
                _ => {
                    taken = space.take(needed)?;
                    file.extents.extend(taken.iter().copied());
                }
            }
        }
        file.size += bytes;
        Some((taken, runs(&file.extents, from / PAGE * PAGE, from + bytes)))
    }

    /// Deletes a file; its space is the caller's to give back.
    pub(super) fn delete(&mut self, number: usize) -> Vec<Extent> {
        self.unused.insert(number);
        let file = self.list.get_mut(number).map(std::mem::take);
        file.map(|file| file.extents).unwrap_or_default()
    }
}

/// Bytes `from` to `to` of a file, as runs on the drive, in whole pages.
pub(super) fn runs(extents: &[Extent], from: u64, to: u64) -> Vec<Extent> {
    let (from, to) = (from / PAGE * PAGE, to.next_multiple_of(PAGE));
    let mut out = Vec::new();
    let mut base = 0;
    for &(start, length) in extents {
        let (low, high) = (from.max(base), to.min(base + length));
        if low < high {
            out.push((start + low - base, high - low));
        }
        base += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_the_mean_and_the_spread_of_the_gamma_distribution() {
        let mut files = Files::new(16, 0.5, 16_384, 0, 1 << 30, 1).unwrap();
        let sizes: Vec<f64> = (0..100_000).map(|_| files.size() as f64).collect();
        let mean = sizes.iter().sum::<f64>() / sizes.len() as f64;
        let variance = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / sizes.len() as f64;
        assert!((mean / 16_384.0 - 1.0).abs() < 0.02, "{mean}");
        assert!((variance.sqrt() / mean - (1.0_f64 / 1.5).sqrt()).abs() < 0.02);
    }

    #[test]
    fn a_file_grows_in_place_where_it_can() {
        let mut files = Files::new(16, 0.01, 4096, 0, 1 << 30, 2).unwrap();
        let (taken, written) = files.extend(3, 5000).unwrap();
        assert_eq!((taken.len(), written[0].1), (1, 8192));
        let (taken, written) = files.extend(3, 100).unwrap();
        assert!(taken.is_empty());
        assert_eq!(written[0].1, 4096);
        files.extend(3, 8192).unwrap();
        assert_eq!(files.list[3].extents.len(), 1);
        assert_eq!(files.delete(3).len(), 1);
        assert!(!files.list[3].there);
    }
}
