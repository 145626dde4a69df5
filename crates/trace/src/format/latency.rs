//! A response time that a trace holds.

use std::num::NonZeroU64;

/// How long a request took where the trace says so, in the eight bytes of a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Latency(Option<NonZeroU64>);

impl Latency {
    /// The trace doesn't say.
    pub(crate) const UNKNOWN: Self = Self(None);

    /// So many ns; unknown where that is more than a number holds.
    #[inline]
    pub(crate) fn of(ns: u128) -> Self {
        Self(u64::try_from(ns).ok().and_then(|ns| ns.checked_add(1)).and_then(NonZeroU64::new))
    }

    /// The same of what may be missing.
    pub(super) fn of_some(ns: Option<u128>) -> Self {
        ns.map_or(Self::UNKNOWN, Self::of)
    }

    /// The response time, ns.
    #[inline]
    pub(crate) fn ns(self) -> Option<u64> {
        self.0.map(|ns| ns.get() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_one_and_too_much_is_none() {
        for ns in [0, 1, u128::from(u64::MAX) - 1] {
            assert_eq!(Latency::of(ns).ns().map(u128::from), Some(ns));
        }
        for ns in [u128::from(u64::MAX), u128::MAX] {
            assert_eq!(Latency::of(ns), Latency::UNKNOWN);
        }
        assert_eq!(size_of::<Latency>(), 8);
    }
}
