//! Figures of which most are nothing: only those that are something are touched.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `N` figures, at most 128, ns each.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<const N: usize> {
    /// Figures that are something, one bit each; the others' places mean nothing.
    set: [u64; 2],
    ns: [u64; N],
}

impl<const N: usize> Default for Sparse<N> {
    #[inline]
    fn default() -> Self {
        const { assert!(N <= 128, "one bit for each figure") };
        Self { set: [0; 2], ns: [0; N] }
    }
}

impl<const N: usize> Sparse<N> {
    /// Forgets all figures.
    #[inline]
    pub fn clear(&mut self) {
        self.set = [0; 2];
    }

    #[inline(always)]
    fn is_set(&self, index: usize) -> bool {
        self.set[index >> 6 & 1] & (1 << (index & 63)) != 0
    }

    /// A figure.
    #[inline]
    pub fn get(&self, index: usize) -> u64 {
        if self.is_set(index) { self.ns[index] } else { 0 }
    }

    /// Replaces a figure.
    #[inline]
    pub fn put(&mut self, index: usize, ns: u64) {
        self.ns[index] = ns;
        self.set[index >> 6 & 1] |= 1 << (index & 63);
    }

    /// Adds to a figure.
    #[inline]
    pub fn add(&mut self, index: usize, ns: u64) {
        if self.is_set(index) {
            self.ns[index] += ns;
        } else {
            self.put(index, ns);
        }
    }

    /// Makes `other` the same.
    #[inline]
    pub fn copy_to(&self, other: &mut Self) {
        other.set = self.set;
        self.iter().for_each(|(index, ns)| other.ns[index] = ns);
    }

    /// The figures that are something, by index.
    #[inline]
    pub fn iter(&self) -> Figures<'_, N> {
        let [left, more] = self.set;
        Figures { ns: &self.ns, left, more, first: 0 }
    }

    /// Their total.
    pub fn total(&self) -> u64 {
        self.iter().map(|(_, ns)| ns).sum()
    }
}

/// The figures of a [`Sparse`] that are something.
pub struct Figures<'a, const N: usize> {
    ns: &'a [u64; N],
    /// What is left of the word that begins at `first`, and the word behind it.
    left: u64,
    more: u64,
    first: usize,
}

impl<const N: usize> Iterator for Figures<'_, N> {
    type Item = (usize, u64);

    #[inline]
    fn next(&mut self) -> Option<(usize, u64)> {
        if self.left == 0 {
            (self.left, self.more, self.first) = (std::mem::take(&mut self.more), 0, 64);
        }
        let index = self.first + self.left.trailing_zeros() as usize;
        self.left &= self.left.wrapping_sub(1);
        self.ns.get(index).map(|&ns| (index, ns))
    }

    /// Word by word, where who asks wants all of them.
    #[inline]
    fn fold<B, F: FnMut(B, (usize, u64)) -> B>(self, start: B, mut join: F) -> B {
        let Self { ns, mut left, mut more, mut first } = self;
        let mut joined = start;
        loop {
            while left != 0 {
                let index = first + left.trailing_zeros() as usize;
                left &= left - 1;
                if let Some(&ns) = ns.get(index) {
                    joined = join(joined, (index, ns));
                }
            }
            if N <= 64 || more == 0 {
                return joined;
            }
            (left, more, first) = (more, 0, 64);
        }
    }
}

/// Only the figures that are something: index and ns.
impl<const N: usize> Serialize for Sparse<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures: Vec<(usize, u64)> = self.iter().collect();
        figures.serialize(serializer)
    }
}

impl<'de, const N: usize> Deserialize<'de> for Sparse<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut sparse = Self::default();
        for (index, ns) in Vec::<(usize, u64)>::deserialize(deserializer)? {
            if index >= N || sparse.is_set(index) {
                return Err(D::Error::custom(format!("figure {index} of {N}, or twice")));
            }
            sparse.put(index, ns);
        }
        Ok(sparse)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    #[test]
    fn what_was_cleared_counts_no_more_and_copies_show_the_same() {
        let mut sparse = Sparse::<5>::default();
        sparse.add(4, 7);
        sparse.clear();
        assert_eq!((sparse.get(4), sparse.total()), (0, 0));
        sparse.add(4, 1);
        sparse.add(4, 2);
        sparse.add(0, 5);
        let mut copy = Sparse::default();
        copy.add(2, 99);
        sparse.copy_to(&mut copy);
        assert_eq!(copy.iter().collect::<Vec<_>>(), [(0, 5), (4, 3)]);
    }

    #[test]
    fn more_than_sixty_four_are_told_apart() {
        let mut sparse = Sparse::<70>::default();
        for index in [69, 5, 64, 0] {
            sparse.add(index, 1 + index as u64);
        }
        assert_eq!(sparse.iter().collect::<Vec<_>>(), [(0, 1), (5, 6), (64, 65), (69, 70)]);
        assert_eq!((sparse.get(6), sparse.total()), (0, 142));
        sparse.clear();
        assert_eq!(sparse.iter().count(), 0);
    }

    #[test]
    fn they_come_back_from_bytes_and_strange_ones_are_refused() {
        let mut sparse = Sparse::<5>::default();
        sparse.add(3, 9);
        let bytes = postcard::to_allocvec(&sparse).unwrap();
        assert_eq!(postcard::from_bytes::<Sparse<5>>(&bytes).unwrap().get(3), 9);
        for figures in [vec![(5usize, 1u64)], vec![(1, 1), (1, 2)], vec![(usize::MAX, 0)]] {
            let bytes = postcard::to_allocvec(&figures).unwrap();
            assert!(postcard::from_bytes::<Sparse<5>>(&bytes).is_err(), "{figures:?}");
        }
    }
}
