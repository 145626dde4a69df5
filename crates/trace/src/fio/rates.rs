//! Rates of a job.

use super::options::Settings;
use super::sizes::{Lengths, SizeList};
use super::values::{Base, by_direction};

/// Requests per second of each direction, from `rate` or `rate_iops`.
pub(super) fn rates(
    keys: &mut Settings<'_>,
    lengths: &Lengths,
    base: Base,
    used: [bool; 3],
) -> [Option<f64>; 3] {
    let optional = |text: &str| if text.is_empty() { Ok(0) } else { base.bytes(text) };
    let bytes = keys.take_value("rate", |text| by_direction(text, optional));
    let requests = keys.take_value("rate_iops", |text| by_direction(text, optional));
    let mut out = [None; 3];
    if let (Some(bytes), Some(requests)) = (bytes, requests)
        && bytes.iter().zip(requests).any(|(bytes, requests)| *bytes > 0 && requests > 0)
    {
        keys.wrong("rate beside rate_iops: allowed: one of them for each direction, as in fio");
    }
    for (index, slot) in out.iter_mut().enumerate() {
        let of =
            |list: Option<[u64; 3]>| list.and_then(|list| list.get(index).copied()).filter(|rate| *rate > 0);
        let mean = lengths.of.get(index).map_or(4096.0, mean);
        // Of a range a number of requests counts those of the smallest length, and these bytes are the limit.
        let smallest = lengths.of.get(index).filter(|_| !lengths.are_split).map_or(mean, smallest);
        let by_number = of(requests).map(|rate| rate as f64 * smallest);
        *slot = by_number.or(of(bytes).map(|rate| rate as f64)).map(|rate| rate / mean);
    }
    let limited = used.iter().zip(&out).filter(|(used, rate)| **used && rate.is_some()).count();
    let all = used.iter().filter(|used| **used).count();
    if limited > 0 && limited < all {
        keys.wrong("a rate for one direction and none for the other: allowed: both, or two jobs");
    }
    out
}

fn mean(list: &SizeList) -> f64 {
    let weight: f64 = list.iter().map(|size| size.weight).sum();
    list.iter().map(|size| size.bytes as f64 * size.weight).sum::<f64>() / weight.max(1e-300)
}

fn smallest(list: &SizeList) -> f64 {
    list.iter().map(|size| size.bytes).min().map_or(4096.0, |bytes| bytes as f64)
}
