//! The spare area's contents that the translation layer relies on: the logical page of each physical page, and in
//! checked mode the sequence number of its data.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::mapping::layout::Layout;
use crate::mapping::part::Run;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::memory::{Extent, SparseTable, Table, ask_for_huge_pages, prefetch};

/// Logical page of every physical page. Zero in the table means "as laid out before the first request".
#[derive(Clone, Debug)]
pub struct Oob {
    lpa_plus_one: SparseTable,
    /// Whether it was programmed as a copy, one bit each; empty on a drive without copies.
    copies: Table<u64>,
}

impl Oob {
    /// Of a drive with so many physical units.
    pub fn new(physical_units: u32) -> Self {
        Self { lpa_plus_one: SparseTable::zeroed(physical_units as usize), copies: Table::zeroed(0) }
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

    /// Most of the table will be touched.
    pub fn expect_dense(&mut self) {
        self.lpa_plus_one.expect_dense();
    }

    /// Brings the entry towards the caches.
    #[inline]
    pub fn prefetch(&self, ppa: Ppa) {
        self.lpa_plus_one.prefetch(ppa.index());
    }
}

/// Checked mode: the sequence number of every physical page's data, and the newest of every logical page.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Versions {
    newest: Table<u32>,
    stored: Table<u32>,
}

/// Set while the program that carries the data has not ended.
const IN_FLIGHT: u32 = 1 << 31;
/// Contents of an erased page.
const ERASED: u32 = IN_FLIGHT - 1;

impl Versions {
    /// Of a drive with so many units.
    pub fn new(logical_units: u32, physical_units: u32) -> Self {
        Self { newest: Table::zeroed(logical_units as usize), stored: Table::zeroed(physical_units as usize) }
    }

    /// Most of the tables will be touched.
    pub fn expect_dense(&self) {
        ask_for_huge_pages(&self.newest);
        ask_for_huge_pages(&self.stored);
    }

    /// Brings what is known of a logical page towards the caches.
    #[inline]
    pub fn prefetch(&self, lpa: u64) {
        prefetch(&self.newest, lpa as usize);
    }

    /// The same of a physical page.
    #[inline]
    pub fn prefetch_stored(&self, ppa: Ppa) {
        prefetch(&self.stored, ppa.index());
    }

    /// A write of the host to `lpa` starts at `ppa`.
    pub fn write(&mut self, lpa: Lpa, ppa: Ppa) {
        let newest = &mut self.newest[lpa.index()];
        *newest = (*newest + 1) % ERASED;
        self.stored[ppa.index()] = *newest | IN_FLIGHT;
    }

    /// A write of the host to `lpa` takes effect in the data cache: its number.
    pub fn overwrite(&mut self, lpa: Lpa) -> u32 {
        self.trim(lpa);
        self.newest[lpa.index()]
    }

    /// A page that holds no data gets some without a write of the host, or the newest version is programmed from the
    /// data cache: the number stays.
    pub fn first(&mut self, lpa: Lpa, ppa: Ppa) {
        self.stored[ppa.index()] = self.newest[lpa.index()] | IN_FLIGHT;
    }

    /// A copy keeps the number of its original.
    pub fn copy(&mut self, source: Ppa, ppa: Ppa) {
        self.stored[ppa.index()] = (self.stored[source.index()] & !IN_FLIGHT) | IN_FLIGHT;
    }

    /// The program of `ppa` has ended.
    pub fn programmed(&mut self, ppa: Ppa) {
        self.stored[ppa.index()] &= !IN_FLIGHT;
    }

    /// TRIM: no stored version of `lpa` is the newest any more.
    pub fn trim(&mut self, lpa: Lpa) {
        let newest = &mut self.newest[lpa.index()];
        *newest = (*newest + 1) % ERASED;
    }

    /// The block that starts at `first` is erased.
    pub fn erase(&mut self, first: Ppa, units: u32) {
        let range = first.index()..first.index() + units as usize;
        if let Some(block) = self.stored.get_mut(range) {
            block.fill(ERASED);
        }
    }

    /// The newest version of `lpa`.
    #[inline(always)]
    pub fn newest(&self, lpa: Lpa) -> u32 {
        self.newest[lpa.index()]
    }

    /// The newest versions of logical pages that follow one another.
    #[inline]
    pub fn newest_of(&self, pages: Range<u32>) -> Option<&[u32]> {
        self.newest.get(pages.start as usize..pages.end as usize)
    }

    /// What places that follow one another hold; another number than that of any version where a program has not ended.
    #[inline]
    pub fn stored_in(&self, places: Range<u32>) -> Option<&[u32]> {
        self.stored.get(places.start as usize..places.end as usize)
    }

    /// Logical pages whose version is not that of the layout.
    pub fn written_pages(&self) -> impl Iterator<Item = Lpa> + '_ {
        self.newest.written().map(|(index, _)| Lpa(index as u32))
    }

    /// Physical pages that hold another version than that of the layout, or were erased.
    pub fn written_places(&self) -> impl Iterator<Item = Ppa> + '_ {
        self.stored.written().map(|(index, _)| Ppa(index as u32))
    }

    /// Entries that these look at, at most.
    pub fn most_written(&self) -> usize {
        (self.newest.chunks_in_use().len() + self.stored.chunks_in_use().len()) * Table::<u32>::CHUNK
    }

    /// The version that `ppa` holds, programmed to its end or not.
    pub fn stored(&self, ppa: Ppa) -> u32 {
        self.stored[ppa.index()] & !IN_FLIGHT
    }

    /// Whether `ppa` holds this version, programmed to its end.
    #[inline(always)]
    pub fn holds(&self, ppa: Ppa, version: u32) -> bool {
        self.stored[ppa.index()] == version
    }
}

wordline_base::tables! {
    Oob: lpa_plus_one, copies;
    Versions: newest, stored;
}
