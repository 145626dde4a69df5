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

/// `size/percentage:size/percentage`; sizes without a percentage share what is left, else it is the largest share's.
fn split(text: &str, base: Base) -> Result<SizeList, String> {
    let mut list = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = if share.trim().is_empty() { None } else { Some(percent(share)?) };
        list.push((positive(base, size)?, share));
    }
    let given: f64 = list.iter().filter_map(|(_, share)| *share).sum();
    if given > 100.5 {
        return Err("percentages of 100 together".into());
    }
    let open = list.iter().filter(|(_, share)| share.is_none()).count();
    let rest = if open > 0 { (100.0 - given).max(0.0) / open as f64 } else { 0.0 };
    let mut sizes: SizeList =
        list.iter().map(|&(bytes, share)| SizeWeight { bytes, weight: share.unwrap_or(rest) }).collect();
    if sizes.iter().all(|size| size.weight <= 0.0) {
        return Err("a size with more than 0 percent".into());
    }
    // What shares leave goes to the largest, of several alike to the last.
    let most = sizes.iter_mut().max_by(|one, other| one.weight.total_cmp(&other.weight));
    if let Some(most) = most.filter(|_| open == 0) {
        most.weight += (100.0 - given).max(0.0);
    }
    Ok(sizes)
}
