//! Sequence numbers: which data of a logical page is newer.

use std::ops::Range;

use wordline_base::ids::Ppa;
use wordline_base::memory::{Table, ask_for_huge_pages, prefetch};

/// Set while the program that carries the data has not ended.
const IN_FLIGHT: u32 = 1 << 31;

/// Number of an erased place.
const ERASED: u32 = IN_FLIGHT - 1;

/// The number that follows another. Numbers begin again at 0 after 2^31 − 2 writes of one page.
pub(crate) const fn following(number: u32) -> u32 {
    (number + 1) % ERASED
}

/// Whether a number was given out after another, by fewer than half of all numbers.
pub(crate) const fn is_newer(number: u32, other: u32) -> bool {
    let ahead = (number + ERASED - other) % ERASED;
    ahead != 0 && ahead < ERASED / 2
}

/// The sequence number of every physical page's data: how often its logical page had been written. A move or a copy keeps the
/// number of its source.
#[derive(Clone, Debug)]
pub struct Sequences {
    stored: Table<u32>,
}

impl Sequences {
    /// Of a drive with so many physical units, all as laid out: with number 0.
    pub fn new(physical_units: u32) -> Self {
        Self { stored: Table::zeroed(physical_units as usize) }
    }

    /// The number with which a place was programmed; `None` of an erased place, and of one whose program has not ended: after a
    /// loss of power it couldn't be read.
    #[inline]
    pub fn readable(&self, ppa: Ppa) -> Option<u32> {
        self.stored.get(ppa.index()).copied().filter(|number| *number < ERASED)
    }

    /// The number of a place, programmed to its end or not.
    #[inline(always)]
    pub fn number(&self, ppa: Ppa) -> u32 {
        self.stored[ppa.index()] & !IN_FLIGHT
    }

    /// Whether a place holds this number, programmed to its end.
    #[inline(always)]
    pub fn holds(&self, ppa: Ppa, number: u32) -> bool {
        self.stored[ppa.index()] == number
    }

    /// The program of data with this number begins.
    #[inline]
    pub fn begin(&mut self, ppa: Ppa, number: u32) {
        self.stored[ppa.index()] = number | IN_FLIGHT;
    }

    /// The program has ended.
    #[inline]
    pub fn programmed(&mut self, ppa: Ppa) {
        self.stored[ppa.index()] &= !IN_FLIGHT;
    }

    /// The block that begins at `first` is erased.
    pub fn erase(&mut self, first: Ppa, units: u32) {
        let range = first.index()..first.index() + units as usize;
        if let Some(block) = self.stored.get_mut(range) {
            block.fill(ERASED);
        }
    }

    /// What places that follow one another hold; no number of any data where a program has not ended.
    #[inline]
    pub fn stored_in(&self, places: Range<u32>) -> Option<&[u32]> {
        self.stored.get(places.start as usize..places.end as usize)
    }

    /// Places that hold other data than that of the layout, or were erased.
    pub fn written(&self) -> impl Iterator<Item = Ppa> + '_ {
        self.stored.written().map(|(index, _)| Ppa(index as u32))
    }

    /// Entries that [`Self::written`] looks at, at most.
    pub fn most_written(&self) -> usize {
        self.stored.chunks_in_use().len() * Table::<u32>::CHUNK
    }

    /// Most of the table will be touched.
    pub fn expect_dense(&self) {
        ask_for_huge_pages(&self.stored);
    }

    /// Brings the entry of a place towards the caches.
    #[inline]
    pub fn prefetch(&self, ppa: Ppa) {
        prefetch(&self.stored, ppa.index());
    }
}

wordline_base::tables! {
    Sequences: stored;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_newer_than_those_before_it_and_begins_again() {
        assert!(is_newer(1, 0) && !is_newer(0, 1) && !is_newer(7, 7));
        assert_eq!(following(ERASED - 1), 0);
        assert!(is_newer(0, ERASED - 1) && !is_newer(ERASED - 1, 0));
    }

    #[test]
    fn a_place_can_be_read_after_its_program_and_before_its_erase() {
        let (mut sequences, place) = (Sequences::new(8), Ppa(3));
        assert_eq!(sequences.readable(place), Some(0));
        sequences.begin(place, 5);
        assert_eq!((sequences.readable(place), sequences.number(place)), (None, 5));
        sequences.programmed(place);
        assert_eq!((sequences.readable(place), sequences.holds(place, 5)), (Some(5), true));
        sequences.erase(Ppa(2), 2);
        assert_eq!((sequences.readable(place), sequences.readable(Ppa(4))), (None, Some(0)));
        assert_eq!(sequences.readable(Ppa(8)), None);
    }
}
