//! Writes of parts of a page: one at a time for each page, since each must build on what the one before it left.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ids::Lpa;
use crate::memory::PageHasher;
use crate::sched::queue::OpId;

/// Logical pages of which a part is being written, and the other such writes that wait for it. Nothing that it gives depends
/// on the order of its table.
#[derive(Clone, Debug, Default)]
pub(super) struct PartialWrites {
    under_way: HashMap<Lpa, VecDeque<OpId>, BuildHasherDefault<PageHasher>>,
}

impl PartialWrites {
    /// Whether a write may begin; otherwise it waits for those that came before.
    pub(super) fn begin(&mut self, lpa: Lpa, write: OpId) -> bool {
        match self.under_way.entry(lpa) {
            Entry::Vacant(place) => {
                place.insert(VecDeque::new());
                true
            }
            Entry::Occupied(mut waiting) => {
                waiting.get_mut().push_back(write);
                false
            }
        }
    }

    /// A write took effect: the next one for this page, which begins now.
    pub(super) fn end(&mut self, lpa: Lpa) -> Option<OpId> {
        let Entry::Occupied(mut waiting) = self.under_way.entry(lpa) else { return None };
        let next = waiting.get_mut().pop_front();
        if next.is_none() {
            waiting.remove();
        }
        next
    }
}

/// Saved in the order of the pages, so that equal drives have equal bytes.
impl Serialize for PartialWrites {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.under_way.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for PartialWrites {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let under_way = BTreeMap::<Lpa, VecDeque<OpId>>::deserialize(deserializer)?;
        Ok(Self { under_way: under_way.into_iter().collect() })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    #[test]
    fn writes_of_a_page_begin_one_after_another_in_their_order() {
        let mut writes = PartialWrites::default();
        assert!(writes.begin(Lpa(7), 1) && writes.begin(Lpa(8), 2));
        assert!(!writes.begin(Lpa(7), 3) && !writes.begin(Lpa(7), 4));
        assert_eq!([writes.end(Lpa(7)), writes.end(Lpa(7)), writes.end(Lpa(7))], [Some(3), Some(4), None]);
        assert_eq!((writes.end(Lpa(7)), writes.end(Lpa(8))), (None, None));
        assert!(writes.begin(Lpa(7), 5));
    }

    #[test]
    fn bytes_are_the_same_whatever_the_order_in_which_pages_came() {
        let pages: Vec<Lpa> = (0..500).map(|number| Lpa(number * 4096)).collect();
        let (mut one, mut other) = (PartialWrites::default(), PartialWrites::default());
        pages.iter().for_each(|&lpa| assert!(one.begin(lpa, 1) && !one.begin(lpa, lpa.0)));
        pages.iter().rev().for_each(|&lpa| assert!(other.begin(lpa, 1) && !other.begin(lpa, lpa.0)));
        let bytes = postcard::to_allocvec(&one).unwrap();
        assert_eq!(bytes, postcard::to_allocvec(&other).unwrap());
        let mut back: PartialWrites = postcard::from_bytes(&bytes).unwrap();
        assert!(pages.iter().all(|&lpa| back.end(lpa) == Some(lpa.0) && back.end(lpa).is_none()));
    }
}
