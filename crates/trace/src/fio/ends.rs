//! Where a pass ends in each of a job's files.

use super::cover::covers_all;
use super::lengths::{only_length, ways};
use crate::config::{Access, Direction, FilePart, FioConfig, SizeWeight};

/// What a pass has left of each file. One that holds no whole request more has ended; when all have, all begin again.
pub(super) struct Ends {
    files: Vec<u64>,
    left: Vec<u64>,
    open: usize,
    smallest: u64,
}

impl Ends {
    /// Those of a job; `None` where its files have no end, but its bytes.
    pub(super) fn of(job: &FioConfig, files: &[FilePart]) -> Option<Self> {
        let smallest = whole(job)?;
        let files: Vec<u64> = files.iter().map(|file| file.bytes).collect();
        Some(Self { left: files.clone(), open: files.len(), files, smallest })
    }

    /// Bytes that this pass has left of a file.
    pub(super) fn left(&self, file: usize) -> u64 {
        self.left.get(file).copied().unwrap_or(0)
    }

    /// Whether a file has ended.
    pub(super) fn is_over(&self, file: usize) -> bool {
        self.left(file) < self.smallest
    }

    /// A request so long goes to a file. Returns the bytes that no request reaches, once it ends with this one.
    pub(super) fn passed(&mut self, file: usize, length: u64) -> u64 {
        let Some(left) = self.left.get_mut(file) else { return 0 };
        *left = left.saturating_sub(length);
        if *left >= self.smallest {
            return 0;
        }
        let rest = *left;
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.left.clone_from(&self.files);
            self.open = self.files.len();
        }
        rest
    }
}

/// What a job of one length of request leaves of its files in each pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LeftOver {
    /// Requests of a pass, a trim and the write behind it counted once.
    pub requests: u64,
    /// Their length, bytes.
    pub length: u64,
    /// Files with an end that none of them reaches, of how many, and the bytes of these ends.
    pub ends: u64,
    pub files: u64,
    pub bytes: u64,
}

impl LeftOver {
    /// `None` where files have no end, or lengths vary.
    pub(super) fn of(job: &FioConfig, files: &[FilePart]) -> Option<Self> {
        let length = whole(job)?;
        only_length(ways(job))?;
        let rests = || files.iter().map(|file| file.bytes % length);
        Some(Self {
            requests: files.iter().map(|file| file.bytes / length).sum(),
            length,
            ends: rests().filter(|rest| *rest > 0).count() as u64,
            files: files.len() as u64,
            bytes: rests().sum(),
        })
    }

    /// A sentence, if it leaves anything.
    pub(super) fn note(&self) -> Option<String> {
        let Self { length, ends, files, bytes, .. } = self;
        let whose = match (ends, files) {
            (0, _) => return None,
            (_, 1) => "the end of its range holds".to_owned(),
            (1, _) => format!("the end of one of its {files} files holds"),
            _ => format!("the ends of {ends} files hold"),
        };
        Some(format!("{whose} no whole request of {length} bytes: {bytes} bytes aren't used, as in fio"))
    }
}

/// The length of a job's shortest request, where a file ends that holds none more: what goes through its files once in their
/// order, or to each of their blocks once. Bytes to transfer have no end in a file: it begins again.
fn whole(job: &FioConfig) -> Option<u64> {
    if job.io_bytes.is_some() || job.loops.is_none() || job.is_in_zones() {
        return None;
    }
    let drawn = ways(job).flat_map(|way| SizeWeight::drawn(&way.sizes));
    let ends = goes_through(job) || takes_each_block_once(job) || covers_all(job);
    drawn.min().filter(|_| ends)
}

/// Whether its requests follow one another: two directions have two places in a file, and meet its end by chance.
pub(super) fn goes_through(job: &FioConfig) -> bool {
    ways(job).count() == 1 && job.hole_bytes == 0 && ways(job).all(|way| way.random_share <= 0.0)
}

fn takes_each_block_once(job: &FioConfig) -> bool {
    let Some(length) = only_length(ways(job)) else { return false };
    let mapped = |way: &Direction| {
        way.random_share >= 1.0 && way.access == Access::Random && way.align_bytes == length
    };
    !job.with_replacement && job.run_requests <= 1 && ways(job).all(mapped)
}
