//! The HDR histogram of response times, and how it is saved: its bins that hold something.

use hdrhistogram::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Three significant digits, growing with the largest value; `None` can't happen for these constants.
pub(super) fn empty() -> Option<Histogram<u64>> {
    let mut histogram = Histogram::new(3).ok()?;
    histogram.auto(true);
    Some(histogram)
}

pub(super) fn serialize<S: Serializer>(
    histogram: &Option<Histogram<u64>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let bins = histogram.iter().flat_map(Histogram::iter_recorded);
    let bins: Vec<(u64, u64)> = bins.map(|bin| (bin.value_iterated_to(), bin.count_at_value())).collect();
    bins.serialize(serializer)
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Histogram<u64>>, D::Error> {
    let mut histogram = empty();
    for (value, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
        if let Some(histogram) = &mut histogram {
            histogram.record_n(value, count).map_err(D::Error::custom)?;
        }
    }
    Ok(histogram)
}
