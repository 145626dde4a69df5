//! Which mapping units a workload touches.

use wordline_base::request::{HostOp, RequestSource, SourceError};

use crate::bits::set_range;

/// A set of mapping units (logical pages) of a drive: one bit for each, of which untouched ones take no memory
/// before they are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footprint {
    words: Vec<u64>,
    units: u64,
    count: u64,
}

impl Footprint {
    /// Most units of a drive: more than the engine takes.
    pub const MAX_UNITS: u64 = 1 << 33;

    /// No unit of a drive of so many; `None` when they are more than [`Self::MAX_UNITS`].
    pub fn empty(units: u64) -> Option<Self> {
        let words = usize::try_from(units.div_ceil(64)).ok().filter(|_| units <= Self::MAX_UNITS)?;
        Some(Self { words: vec![0; words], units, count: 0 })
    }

    /// Units of the drive.
    pub fn units(&self) -> u64 {
        self.units
    }

    /// Units in the set.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether `unit` is in the set.
    pub fn contains(&self, unit: u64) -> bool {
        let word = usize::try_from(unit / 64).ok().and_then(|index| self.words.get(index));
        word.is_some_and(|word| word >> (unit % 64) & 1 == 1)
    }

    /// The units in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    index as u64 * 64 + u64::from(bit)
                })
            })
        })
    }

    /// The bits: unit `u` is bit `u % 64` of word `u / 64`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Adds the units `first` to `last`; those that the drive hasn't are left out.
    pub fn insert_range(&mut self, first: u64, last: u64) {
        if first < self.units {
            self.count += set_range(&mut self.words, first, last.min(self.units - 1));
        }
    }
}

/// The units of `unit_bytes` (at least 1) that the reads and writes of a source touch, in whole or in part, on a
/// drive of `drive_bytes`. Takes the source to its end.
///
/// # Errors
/// Those of the source, and a drive of more than [`Footprint::MAX_UNITS`] units.
pub fn footprint(
    source: &mut dyn RequestSource,
    unit_bytes: u64,
    drive_bytes: u64,
) -> Result<Footprint, SourceError> {
    let unit = unit_bytes.max(1);
    let units = drive_bytes.div_ceil(unit);
    let mut found = Footprint::empty(units).ok_or_else(|| {
        let most = Footprint::MAX_UNITS;
        SourceError(format!("a drive of {units} units of {unit} bytes: a footprint has at most {most} units"))
    })?;
    let mut batch = Vec::new();
    loop {
        batch.clear();
        source.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(found);
        }
        for request in &batch {
            if (request.op == HostOp::Read || request.op.is_write()) && request.length > 0 {
                let last = request.offset.saturating_add(request.length - 1);
                found.insert_range(request.offset / unit, last / unit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_of_impossible_size_is_refused() {
        assert!(Footprint::empty(u64::MAX).is_none());
    }

    #[test]
    fn a_footprint_holds_what_was_inserted() {
        let mut set = Footprint::empty(200).unwrap();
        set.insert_range(3, 5);
        set.insert_range(5, 70);
        set.insert_range(198, 4000);
        set.insert_range(200, 300);
        assert_eq!(set.count(), 68 + 2);
        let expected: Vec<u64> = (3..=70).chain(198..200).collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), expected);
        assert!(set.contains(70) && !set.contains(71) && !set.contains(u64::MAX));
    }
}
