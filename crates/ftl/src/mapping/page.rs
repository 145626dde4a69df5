//! A page map, whole in DRAM: one entry for each logical page.

use std::ops::Range;

use super::layout::Layout;
use super::run::Run;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::memory::{Extent, SparseTable};

/// Entry of a logical page that was taken away.
pub(super) const UNMAPPED: u32 = u32::MAX;

/// Where a logical page is by its entry; [`Ppa::NONE`] when it holds no data.
#[inline(always)]
pub(super) fn place_of(entry: u32, lpa: Lpa, layout: &Layout) -> Ppa {
    match entry {
        0 => layout.ppa(lpa),
        UNMAPPED => Ppa::NONE,
        entry => Ppa(entry - 1),
    }
}

/// Primary copy of every logical page. Zero in the table means "as laid out before the first request", so that an
/// untouched drive costs no memory.
#[derive(Clone, Debug)]
pub struct PageMap {
    ppa_plus_one: SparseTable,
}

impl PageMap {
    /// Of a drive with so many logical units.
    pub fn new(logical_units: u32) -> Self {
        Self { ppa_plus_one: SparseTable::zeroed(logical_units as usize).for_scattered_writes() }
    }

    /// Where a logical page is; [`Ppa::NONE`] when it holds no data.
    #[inline(always)]
    pub fn get(&self, lpa: Lpa, layout: &Layout) -> Ppa {
        place_of(self.ppa_plus_one.get(lpa.index()), lpa, layout)
    }

    /// Whether a logical page is at a place where it was found before, or that its OOB names. `as_laid_out` tells whether
    /// nothing was written to the place since the layout: a page that was never moved is nowhere else, so that the
    /// layout's formula need not be asked where it put the page.
    #[inline(always)]
    pub fn is_at(&self, lpa: Lpa, ppa: Ppa, as_laid_out: impl FnOnce() -> bool) -> bool {
        match self.ppa_plus_one.get(lpa.index()) {
            0 => as_laid_out(),
            entry => entry - 1 == ppa.0,
        }
    }

    /// Whether a logical page holds data.
    #[inline(always)]
    pub fn holds(&self, lpa: Lpa, layout: &Layout) -> bool {
        match self.ppa_plus_one.get(lpa.index()) {
            0 => layout.holds(lpa),
            entry => entry != UNMAPPED,
        }
    }

    /// Moves a logical page if it is at `from`, as [`Self::is_at`] tells. Returns whether it was.
    #[inline(always)]
    pub fn move_from(&mut self, from: Ppa, lpa: Lpa, ppa: Ppa, as_laid_out: impl FnOnce() -> bool) -> bool {
        let mut moved = false;
        self.ppa_plus_one.update(lpa.index(), |entry| {
            moved = if entry == 0 { as_laid_out() } else { entry - 1 == from.0 };
            moved.then_some(ppa.0 + 1)
        });
        moved
    }

    /// Where logical pages are that follow one another; at most `RUN` of them.
    #[inline]
    pub fn get_run<const RUN: usize>(&self, first: Lpa, places: &mut [Ppa], layout: &Layout) {
        let mut entries = [0; RUN];
        let Some(entries) = entries.get_mut(..places.len()) else { return };
        self.ppa_plus_one.copy_run(first.index(), entries);
        for ((place, &entry), lpa) in places.iter_mut().zip(&*entries).zip((first.0..).map(Lpa)) {
            *place = place_of(entry, lpa, layout);
        }
    }

    /// Moves a logical page.
    #[inline]
    pub fn set(&mut self, lpa: Lpa, ppa: Ppa) {
        self.ppa_plus_one.set(lpa.index(), ppa.0 + 1);
    }

    /// Moves a logical page. Returns where it was.
    #[inline(always)]
    pub fn move_to(&mut self, lpa: Lpa, ppa: Ppa, layout: &Layout) -> Ppa {
        let mut old = Ppa::NONE;
        self.ppa_plus_one.update(lpa.index(), |entry| {
            old = place_of(entry, lpa, layout);
            Some(ppa.0 + 1)
        });
        old
    }

    /// Whether few pages near a logical page have been written since the layout, so that it most likely is where that puts it.
    #[inline(always)]
    pub fn is_most_likely_as_laid_out(&self, lpa: Lpa) -> bool {
        self.ppa_plus_one.has_few_near(lpa.index())
    }

    /// Logical pages that follow one another are about to be written.
    pub fn note_run(&mut self, pages: Range<usize>) {
        self.ppa_plus_one.note_run(pages);
    }

    /// Logical pages that follow one another are going to be written soon; returns the first one of which the memory comes in
    /// huge pages, and that memory.
    pub fn expect_run(&mut self, pages: Range<u32>) -> Option<(usize, Extent)> {
        self.ppa_plus_one.expect_run(pages.start as usize..pages.end as usize)
    }

    /// Moves logical pages to places that follow one another; all of them were told by [`Self::note_run`]. Tells the old place
    /// of each that had one of its own.
    #[inline(always)]
    pub fn set_run(&mut self, pages: Run, first: Ppa, mut moved_from: impl FnMut(Ppa)) {
        let entries = self.ppa_plus_one.noted_mut(pages.first.index()..);
        for (entry, ppa_plus_one) in
            entries.iter_mut().step_by(pages.step as usize).take(pages.count).zip(first.0 + 1..)
        {
            let old = std::mem::replace(entry, ppa_plus_one);
            if old != 0 && old != UNMAPPED {
                moved_from(Ppa(old - 1));
            }
        }
    }

    /// Takes a logical page away.
    pub fn clear(&mut self, lpa: Lpa) {
        self.ppa_plus_one.set(lpa.index(), UNMAPPED);
    }

    /// Whether a logical page was never moved nor taken away.
    #[inline]
    pub fn is_as_laid_out(&self, lpa: Lpa) -> bool {
        self.ppa_plus_one.get(lpa.index()) == 0
    }

    /// Logical pages that were moved or taken away since the layout, in no order, and where they are; [`Ppa::NONE`] of those
    /// that hold no data.
    pub fn written<'a>(&'a self, layout: &'a Layout) -> impl Iterator<Item = (Lpa, Ppa)> + 'a {
        self.ppa_plus_one.written().map(|(index, entry)| {
            let lpa = Lpa(index as u32);
            (lpa, place_of(entry, lpa, layout))
        })
    }

    /// Entries that [`Self::written`] looks at, at most.
    pub fn most_written(&self) -> usize {
        self.ppa_plus_one.most_written()
    }

    /// An entry as it is kept: 0 = as laid out, else the place and one more. [`UNMAPPED`] beyond the last.
    #[inline(always)]
    pub(super) fn entry(&self, page: usize) -> u32 {
        if page < self.ppa_plus_one.entries() { self.ppa_plus_one.get(page) } else { UNMAPPED }
    }

    /// Puts one back that may have changed. What was never written costs no memory, so nothing is written there.
    #[inline(always)]
    pub(super) fn put_entry(&mut self, page: usize, entry: u32) {
        if self.entry(page) != entry && page < self.ppa_plus_one.entries() {
            self.ppa_plus_one.set(page, entry);
        }
    }

    /// Logical pages that it has entries of.
    pub(super) fn len(&self) -> usize {
        self.ppa_plus_one.entries()
    }

    /// Most of the table will be touched.
    pub fn expect_dense(&mut self) {
        self.ppa_plus_one.expect_dense();
    }

    /// Brings the entry towards the caches.
    #[inline]
    pub fn prefetch(&self, lpa: u64) {
        self.ppa_plus_one.prefetch(lpa as usize);
    }

    /// Brings the entries of these pages towards the caches.
    #[inline]
    pub fn prefetch_all(&self, lpas: &[usize]) {
        self.ppa_plus_one.prefetch_all(lpas);
    }
}

/// The map while it is taken out of the drive, all of it.
pub struct Whole(pub PageMap);

wordline_base::tables! {
    PageMap: ppa_plus_one;
}

/// The policy of a map that is whole in DRAM: everything is known.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct WholeMap {
    bytes: u64,
}

impl WholeMap {
    /// Of a drive with so many logical pages, of which each entry takes so many bytes.
    pub fn new(sizes: super::MapSizes, entry_bytes: u32) -> Self {
        Self { bytes: u64::from(sizes.logical_units) * u64::from(entry_bytes) }
    }
}

impl super::Mapping for WholeMap {
    fn name(&self) -> &str {
        "page"
    }

    #[inline]
    fn find(&mut self, lookup: &super::Lookup, view: &super::MapView<'_>) -> super::Found {
        super::Found::Known(view.find(lookup.lpa))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}
