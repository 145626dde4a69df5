//! Writes of parts of a page: one at a time for each page, since each must build on what the one before it left, and what
//! the page holds that they build on.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;

use serde::{Deserialize, Serialize};

use wordline_base::ids::{Lpa, Ppa};
use wordline_base::memory::{PageHasher, in_order};
use wordline_flash::sched::queue::OpId;

/// Logical pages of which a part is being written, and the other such writes that wait for it. Nothing that it gives depends
/// on the order of its table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PartialWrites {
    #[serde(with = "in_order")]
    under_way: HashMap<Lpa, UnderWay, BuildHasherDefault<PageHasher>>,
}

/// The write of a part of one page that is under way.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct UnderWay {
    /// Where what it reads, or has read, lies now; [`Ppa::NONE`] when that isn't the page's content any more, or there is none.
    content: Ppa,
    /// Those that wait for it.
    waiting: VecDeque<OpId>,
}

impl PartialWrites {
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The write that is under way reads the rest of its page from here.
    pub(crate) fn reads(&mut self, lpa: Lpa, ppa: Ppa) {
        if let Some(write) = self.under_way.get_mut(&lpa) {
            write.content = ppa;
        }
    }

    /// A page moved: what a write has read, or is about to read, is the same there. Read anew after each move, writes whose
    /// reads make pages move (read reclaim) could go on for ever.
    pub(crate) fn moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa) {
        if let Some(write) = self.under_way.get_mut(&lpa).filter(|write| write.content == old) {
            write.content = new;
        }
    }

    /// The whole page was written: what a write of a part of it has read is outdated.
    pub fn rewritten(&mut self, lpa: Lpa) {
        self.reads(lpa, Ppa::NONE);
    }

    /// Whether the write under way has read what lies here, or there is nothing to read.
    pub(crate) fn builds_on(&self, lpa: Lpa, ppa: Ppa) -> bool {
        !ppa.is_some() || self.under_way.get(&lpa).is_some_and(|write| write.content == ppa)
    }

    /// Whether a write may begin; otherwise it waits for those that came before.
    pub(crate) fn begin(&mut self, lpa: Lpa, write: OpId) -> bool {
        match self.under_way.entry(lpa) {
            Entry::Vacant(place) => {
                place.insert(UnderWay { content: Ppa::NONE, waiting: VecDeque::new() });
                true
            }
            Entry::Occupied(mut before) => {
                before.get_mut().waiting.push_back(write);
                false
            }
        }
    }

    /// A write took effect: the next one for this page, which begins now.
    pub(crate) fn end(&mut self, lpa: Lpa) -> Option<OpId> {
        let Entry::Occupied(mut ended) = self.under_way.entry(lpa) else { return None };
        ended.get_mut().content = Ppa::NONE;
        let next = ended.get_mut().waiting.pop_front();
        if next.is_none() {
            ended.remove();
        }
        next
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
    fn a_write_builds_on_what_it_read_wherever_that_moves_and_on_nothing_that_was_written_since() {
        let mut writes = PartialWrites::default();
        writes.begin(Lpa(7), 1);
        assert!(writes.builds_on(Lpa(7), Ppa::NONE) && !writes.builds_on(Lpa(7), Ppa(3)));
        writes.reads(Lpa(7), Ppa(3));
        writes.moved(Lpa(7), Ppa(4), Ppa(5));
        writes.moved(Lpa(8), Ppa(3), Ppa(5));
        assert!(writes.builds_on(Lpa(7), Ppa(3)) && !writes.builds_on(Lpa(7), Ppa(5)));
        writes.moved(Lpa(7), Ppa(3), Ppa(5));
        assert!(writes.builds_on(Lpa(7), Ppa(5)) && !writes.builds_on(Lpa(7), Ppa(3)));
        // What is written and then moved to where the old content was is something else.
        writes.rewritten(Lpa(7));
        writes.moved(Lpa(7), Ppa(6), Ppa(5));
        assert!(!writes.builds_on(Lpa(7), Ppa(5)));
        // The next one has read nothing yet.
        writes.reads(Lpa(7), Ppa(5));
        writes.begin(Lpa(7), 2);
        assert_eq!(writes.end(Lpa(7)), Some(2));
        assert!(!writes.builds_on(Lpa(7), Ppa(5)));
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
