//! Lengths of requests.

use super::options::Settings;
use super::values::{Base, by_direction, by_direction_or, percent};
use crate::config::SizeWeight;

/// The length of requests of which nothing is said, bytes.
const DEFAULT_BYTES: u64 = 4096;

pub(super) type SizeList = Vec<SizeWeight>;

/// Lengths of reads, writes and trims.
pub(super) struct Lengths {
    pub of: [SizeList; 3],
    /// Whether each has a share of its own.
    pub are_split: bool,
}

/// Lengths as `bssplit`, `bsrange` or `bs` has them.
pub(super) fn sizes(keys: &mut Settings<'_>, base: Base) -> Lengths {
    let one = |bytes: u64| vec![SizeWeight { bytes, weight: 1.0 }];
    let bs = keys.take_value("bs", |text| {
        by_direction_or(text, Some(one(DEFAULT_BYTES)), |part| positive(base, part).map(one))
    });
    let range = keys.take_value("bsrange", |text| by_direction(text, |part| range(part, base)));
    let split = keys.take_value("bssplit", |text| by_direction(text, |part| split(part, base)));
    let are_split = split.is_some();
    let of = split.or(range).or(bs).unwrap_or_else(|| [0; 3].map(|_| one(DEFAULT_BYTES)));
    Lengths { of, are_split }
}

fn positive(base: Base, text: &str) -> Result<u64, String> {
    base.bytes(text).and_then(|bytes| {
        if (1..=1 << 30).contains(&bytes) { Ok(bytes) } else { Err("1 byte to 1 GiB".into()) }
    })
}

/// `low-high`: as fio draws them, evenly from the low end to both ends' sum, rounded down to multiples of the low end, and to the
/// high end.
fn range(text: &str, base: Base) -> Result<SizeList, String> {
    let (low, high) = text.split_once('-').ok_or("low-high, such as 4k-64k")?;
    let (low, high) = (positive(base, low)?, positive(base, high)?);
    if high < low || high / low > 65_536 {
        return Err("low-high, the high end at least the low one and at most 65536 times it".into());
    }
    let part = |factor: u64| {
        let (from, to) = (low * factor, (low * (factor + 1)).min(low + high));
        SizeWeight { bytes: from.min(high), weight: (to - from) as f64 / low as f64 }
    };
    Ok((1..=high.div_ceil(low)).map(part).collect())
}

/// `size/percentage:size/percentage`: as fio draws them, with percentages cut to whole ones and lengths to multiples of the smallest.
/// Sizes without a percentage, or with one of 0, share what is left; what remains is the largest share's.
fn split(text: &str, base: Base) -> Result<SizeList, String> {
    let mut list = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = if share.trim().is_empty() { 0.0 } else { percent(share)?.trunc() };
        list.push((positive(base, size)?, Some(share).filter(|share| *share > 0.0)));
    }
    let given: f64 = list.iter().filter_map(|(_, share)| *share).sum();
    if given > 100.0 {
        return Err("percentages of 100 together".into());
    }
    let open = list.iter().filter(|(_, share)| share.is_none()).count().max(1);
    let rest = ((100.0 - given) / open as f64).trunc();
    let mut shares: SizeList =
        list.iter().map(|&(bytes, share)| SizeWeight { bytes, weight: share.unwrap_or(rest) }).collect();
    let missing = 100.0 - shares.iter().map(|size| size.weight).sum::<f64>();
    // Of several alike the last.
    if let Some(most) = shares.iter_mut().max_by(|one, other| one.weight.total_cmp(&other.weight)) {
        most.weight += missing;
    }
    Ok(cut(&shares))
}

/// With lengths that are multiples of the smallest, each once.
fn cut(shares: &[SizeWeight]) -> SizeList {
    let smallest = shares.iter().map(|size| size.bytes).min().unwrap_or(1);
    let mut sizes = SizeList::new();
    for share in shares {
        let bytes = share.bytes - share.bytes % smallest;
        match sizes.iter_mut().find(|size| size.bytes == bytes) {
            Some(size) => size.weight += share.weight,
            None => sizes.push(SizeWeight { bytes, ..*share }),
        }
    }
    sizes
}
