//! Simulated time: whole nanoseconds in 64 bits, 584 years.

use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

/// A moment or a duration of simulated time, nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ns(pub u64);

impl Ns {
    /// The start of the simulation, or no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than everything: "no event".
    pub const NEVER: Self = Self(u64::MAX);

    /// Time since `earlier`; zero when that is later.
    #[must_use]
    #[inline]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl Add for Ns {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ns {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ns {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        debug_assert!(self.0 >= other.0, "time runs forwards");
        Self(self.0.wrapping_sub(other.0))
    }
}
