//! The set of device numbers that a trace holds.

/// A set of 16-bit numbers, made for long runs of the same one.
pub(super) struct DeviceSet {
    words: Box<[u64]>,
    last: Option<u16>,
    count: u32,
}

impl DeviceSet {
    pub(super) fn new() -> Self {
        Self { words: vec![0; 1024].into_boxed_slice(), last: None, count: 0 }
    }

    #[inline]
    pub(super) fn insert(&mut self, device: u16) {
        if self.last != Some(device) {
            self.last = Some(device);
            self.set(device);
        }
    }

    fn set(&mut self, device: u16) {
        let bit = u64::from(device);
        self.count += crate::bits::set_range(&mut self.words, bit, bit) as u32;
    }

    /// How many different numbers were inserted.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_different_numbers() {
        let mut set = DeviceSet::new();
        [0, 0, 65_535, 0, 7, 7].into_iter().for_each(|device| set.insert(device));
        assert_eq!(set.count(), 3);
    }
}
