//! A count for each value of a small whole number.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Values below this have a place in an array.
const SMALL: u32 = 4096;

/// How often each value was seen.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    small: Vec<u64>,
    large: BTreeMap<u32, u64>,
}

impl Tally {
    /// A value was seen so many times.
    #[inline]
    pub fn add(&mut self, value: u32, times: u64) {
        if value >= SMALL {
            *self.large.entry(value).or_default() += times;
            return;
        }
        let index = value as usize;
        if index >= self.small.len() {
            self.small.resize(index + 1, 0);
        }
        self.small[index] += times;
    }

    /// Value → times, without those never seen.
    pub fn counts(&self) -> BTreeMap<u32, u64> {
        let small = (0u32..).zip(self.small.iter().copied()).filter(|&(_, times)| times > 0);
        small.chain(self.large.iter().map(|(&value, &times)| (value, times))).collect()
    }
}
