//! Sets of planes, among which a program may go.

use serde::{Deserialize, Serialize};

use wordline_base::ids::PlaneId;

/// Planes of a drive, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaneSet {
    words: Vec<u64>,
}

impl PlaneSet {
    /// Adds a plane.
    pub fn insert(&mut self, plane: PlaneId) {
        let word = plane.index() / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= 1 << (plane.0 % 64);
        }
    }

    /// Whether a plane is among them.
    #[inline]
    pub fn has(&self, plane: PlaneId) -> bool {
        self.words.get(plane.index() / 64).is_some_and(|word| word & (1 << (plane.0 % 64)) != 0)
    }

    /// No plane any more.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// These planes instead, in the memory that is there.
    pub fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }

    /// The planes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = PlaneId> + '_ {
        (0u32..).zip(&self.words).flat_map(|(number, &word)| {
            (0..64).filter(move |bit| word & (1 << bit) != 0).map(move |bit| PlaneId(number * 64 + bit))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_was_inserted_and_nothing_else() {
        let mut set = PlaneSet::default();
        for plane in [0, 63, 64, 511] {
            set.insert(PlaneId(plane));
        }
        assert_eq!(set.iter().map(|plane| plane.0).collect::<Vec<_>>(), [0, 63, 64, 511]);
        assert!(set.has(PlaneId(64)) && !set.has(PlaneId(65)) && !set.has(PlaneId(5_000)));
        let mut other = PlaneSet::default();
        other.copy_from(&set);
        set.clear();
        assert!(!set.has(PlaneId(0)) && other.has(PlaneId(511)));
    }
}
