//! Where sequential streams stand: the ends of requests that nothing has continued yet, the latest first.
//!
//! Fitting and playing keep the same list, so that "the third stream" means the same to both even where requests come in another
//! order.

/// What counts as near the end of the latest, sectors.
const NEAR: i64 = 2047;

const SECTOR: i64 = 512;

/// Streams whose ends are looked at for a request that is near one.
const RANKS: usize = 16;

/// What counts as near in any case, sectors.
const CLOSE: i64 = 256;

/// Streams that are remembered.
const MOST: usize = 512;

/// Ends of streams, bytes; the latest last.
#[derive(Default)]
pub(super) struct Streams(Vec<u64>);

impl Streams {
    /// How many streams were continued or begun since the one that ends here.
    pub(super) fn rank(&self, offset: u64) -> Option<usize> {
        self.0.iter().rev().position(|end| *end == offset)
    }

    /// A stream whose end is near, and the sectors from there. Far ends count only for the latest one, and in a burst.
    pub(super) fn near(&self, offset: u64, in_burst: bool) -> Option<(u8, i16)> {
        let sectors = |end: u64| (offset as i64).wrapping_sub(end as i64) / SECTOR;
        let latest = self.0.iter().rev().take(RANKS).map(|end| sectors(*end)).enumerate();
        let nearest = latest.min_by_key(|(_, sectors)| sectors.unsigned_abs())?;
        let most = if in_burst && nearest.0 == 0 { NEAR } else { CLOSE };
        (nearest.1.abs() <= most).then_some((nearest.0 as u8, nearest.1 as i16))
    }

    /// Where the stream of this rank ends.
    pub(super) fn end(&self, rank: usize) -> Option<u64> {
        self.0.len().checked_sub(rank + 1).and_then(|place| self.0.get(place).copied())
    }

    /// A request continued the stream of this rank, or none, and ends here.
    pub(super) fn moved(&mut self, rank: Option<usize>, end: u64) {
        if let Some(place) = rank.and_then(|rank| self.0.len().checked_sub(rank + 1)) {
            self.0.remove(place);
        } else if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_continued_once_and_becomes_the_latest() {
        let mut streams = Streams::default();
        for end in [10, 20, 30] {
            streams.moved(None, end);
        }
        assert_eq!((streams.rank(30), streams.rank(10), streams.rank(11)), (Some(0), Some(2), None));
        streams.moved(Some(2), 15);
        assert_eq!((streams.end(0), streams.end(1), streams.end(2)), (Some(15), Some(30), Some(20)));
        assert_eq!((streams.rank(10), streams.end(3)), (None, None));
    }

    #[test]
    fn old_streams_are_forgotten() {
        let mut streams = Streams::default();
        (0..2 * MOST as u64).for_each(|end| streams.moved(None, end));
        assert_eq!((streams.0.len(), streams.end(MOST - 1)), (MOST, Some(MOST as u64)));
    }
}
