//! The directions of a job, and whether their requests have one length.

use crate::config::{Direction, FioConfig, SizeWeight};

/// The directions that draw places: a write behind a trim goes to that one's.
pub(super) fn ways(job: &FioConfig) -> impl Iterator<Item = &Direction> {
    let all = || [&job.read, &job.write, &job.trim].into_iter().flatten();
    all().skip(if job.write_after_trim { all().count().saturating_sub(1) } else { 0 })
}

/// The length of all requests, if they have but one.
pub(super) fn only_length<'a>(mut ways: impl Iterator<Item = &'a Direction>) -> Option<u64> {
    let first = ways.next()?;
    let length = one_length(first)?;
    ways.all(|way| one_length(way) == Some(length)).then_some(length)
}

/// The length of a direction's requests, if they have but one.
pub(super) fn one_length(way: &Direction) -> Option<u64> {
    SizeWeight::only(&way.sizes)
}
