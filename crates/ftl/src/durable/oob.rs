//! The spare area of each flash page, as far as the translation layer relies on it: the logical page of each unit, its role, and
//! where they are kept the sequence number of its data.

use std::ops::Range;

use super::sequences::Sequences;
use crate::mapping::layout::Layout;
use crate::mapping::run::Run;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::memory::{Extent, SparseTable, Table};

/// Logical page of every physical page. Zero in the table means "as laid out before the first request".
#[derive(Clone, Debug)]
pub struct Oob {
    lpa_plus_one: SparseTable,
    /// Whether it was programmed as a copy, one bit each; empty on a drive without copies.
    copies: Table<u64>,
    /// Numbers of the data; `None` where none are kept.
    pub(crate) sequences: Option<Sequences>,
}

impl Oob {
    /// Of a drive with so many physical units; `sequences`: whether sequence numbers are kept.
    pub fn new(physical_units: u32, sequences: bool) -> Self {
        Self {
            lpa_plus_one: SparseTable::zeroed(physical_units as usize),
            copies: Table::zeroed(0),
            sequences: sequences.then(|| Sequences::new(physical_units)),
        }
    }

    /// Numbers of the data; `None` where none are kept.
    #[inline(always)]
    pub fn sequences(&self) -> Option<&Sequences> {
        self.sequences.as_ref()
    }

    /// From now on the role of a page (data or copy) is kept as well.
    pub fn keep_roles(&mut self) {
        self.copies = Table::zeroed(self.lpa_plus_one.entries().div_ceil(64));
    }

    /// Whether this physical page was programmed as a further copy.
    pub fn is_copy(&self, ppa: Ppa) -> bool {
        self.copies.get(ppa.index() / 64).is_some_and(|word| word >> (ppa.0 % 64) & 1 != 0)
    }

    /// Writes it as a further copy of `lpa`.
    pub fn set_copy(&mut self, ppa: Ppa, lpa: Lpa) {
        self.lpa_plus_one.set(ppa.index(), lpa.0.wrapping_add(1));
        if let Some(word) = self.copies.get_mut(ppa.index() / 64) {
            *word |= 1 << (ppa.0 % 64);
        }
    }

    /// This physical page was erased, and names nothing until it is programmed. Told of places that may stay unused only: the
    /// table forgets no other erase.
    pub fn set_erased(&mut self, ppa: Ppa) {
        self.lpa_plus_one.set(ppa.index(), u32::MAX);
    }

    /// The logical page that was written with this physical page; [`Lpa::NONE`] if none ever was.
    #[inline(always)]
    pub fn lpa(&self, ppa: Ppa, layout: &Layout) -> Lpa {
        match self.lpa_plus_one.get(ppa.index()) {
            0 => layout.lpa(ppa),
            entry => Lpa(entry - 1),
        }
    }

    /// The same with another way to ask what was laid out.
    #[inline(always)]
    pub fn lpa_or(&self, ppa: Ppa, laid_out: impl FnOnce() -> Lpa) -> Lpa {
        match self.lpa_plus_one.get(ppa.index()) {
            0 => laid_out(),
            entry => Lpa(entry - 1),
        }
    }

    /// Whether nothing was written to this physical page since the layout.
    #[inline(always)]
    pub fn is_as_laid_out(&self, ppa: Ppa) -> bool {
        self.lpa_plus_one.get(ppa.index()) == 0
    }

    /// Physical pages that were written since the layout, in no order.
    pub fn written(&self) -> impl Iterator<Item = Ppa> + '_ {
        self.lpa_plus_one.written().map(|(index, _)| Ppa(index as u32))
    }

    /// Entries that [`Self::written`] looks at, at most.
    pub fn most_written(&self) -> usize {
        self.lpa_plus_one.most_written()
    }

    /// Copies what is kept of physical pages that follow one another: 0 = as laid out, else the logical page and one more.
    #[inline]
    pub fn copy_run(&self, first: Ppa, entries: &mut [u32]) {
        self.lpa_plus_one.copy_run(first.index(), entries);
    }

    /// Writes it.
    #[inline(always)]
    pub fn set(&mut self, ppa: Ppa, lpa: Lpa) {
        self.lpa_plus_one.set(ppa.index(), lpa.0.wrapping_add(1));
        if !self.copies.is_empty() {
            self.copies[ppa.index() / 64] &= !(1 << (ppa.0 % 64));
        }
    }

    /// Places that follow one another are going to be written soon; returns their memory, as far as it comes in huge pages.
    pub fn expect_run(&mut self, places: Range<u32>) -> Option<Extent> {
        let expected = self.lpa_plus_one.expect_run(places.start as usize..places.end as usize);
        expected.map(|(_, memory)| memory)
    }

    /// Writes pages that follow one another.
    #[inline(always)]
    pub fn set_run(&mut self, first: Ppa, pages: Run) {
        let places = first.index()..first.index() + pages.count;
        self.lpa_plus_one.note_run(places.clone());
        let entries = self.lpa_plus_one.noted_mut(places.clone());
        for (entry, turn) in entries.iter_mut().zip(0..) {
            *entry = (pages.first.0 + 1).wrapping_add(turn * pages.step);
        }
        if !self.copies.is_empty() {
            places.for_each(|place| self.copies[place / 64] &= !(1 << (place % 64)));
        }
    }

    /// Most of the tables will be touched.
    pub fn expect_dense(&mut self) {
        self.lpa_plus_one.expect_dense();
        if let Some(sequences) = &self.sequences {
            sequences.expect_dense();
        }
    }

    /// Brings the entry towards the caches.
    #[inline]
    pub fn prefetch(&self, ppa: Ppa) {
        self.lpa_plus_one.prefetch(ppa.index());
    }
}

wordline_base::tables! {
    Oob: lpa_plus_one, copies, sequences;
}
