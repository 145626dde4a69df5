//! The newest version of each logical page, and the numbers that its data gets in the OOB.

use std::ops::Range;

use crate::durable::sequences::{Sequences, following};
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::memory::{Table, ask_for_huge_pages, prefetch};

/// How often every logical page was written or trimmed: the sequence number of its newest data. A table in RAM.
#[derive(Clone, Debug)]
pub struct Versions {
    newest: Table<u32>,
}

impl Versions {
    /// Of a drive with so many logical units.
    pub fn new(logical_units: u32) -> Self {
        Self { newest: Table::zeroed(logical_units as usize) }
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

    /// The page gets other content, or none: the number of that. After a TRIM no stored version is the newest any more.
    #[inline]
    pub fn change(&mut self, lpa: Lpa) -> u32 {
        let newest = &mut self.newest[lpa.index()];
        *newest = following(*newest);
        *newest
    }

    /// Logical pages whose version is not that of the layout.
    pub fn written(&self) -> impl Iterator<Item = Lpa> + '_ {
        self.newest.written().map(|(index, _)| Lpa(index as u32))
    }

    /// Entries that [`Self::written`] looks at, at most.
    pub fn most_written(&self) -> usize {
        self.newest.chunks_in_use().len() * Table::<u32>::CHUNK
    }

    /// Most of the table will be touched.
    pub fn expect_dense(&self) {
        ask_for_huge_pages(&self.newest);
    }

    /// Brings what is known of a logical page towards the caches.
    #[inline]
    pub fn prefetch(&self, lpa: u64) {
        prefetch(&self.newest, lpa as usize);
    }
}

wordline_base::tables! {
    Versions: newest;
}

/// Versions and the sequence numbers on flash, to be changed together.
pub struct Numbers<'a> {
    /// Of logical pages.
    pub versions: &'a mut Versions,
    /// Of physical pages.
    pub sequences: &'a mut Sequences,
}

impl Numbers<'_> {
    /// The program of other content of `lpa` begins at `ppa`.
    pub fn write(&mut self, lpa: Lpa, ppa: Ppa) {
        let number = self.versions.change(lpa);
        self.sequences.begin(ppa, number);
    }

    /// A page that holds no data gets some without a write of the host, or its newest version is programmed from the data
    /// cache: the number stays.
    pub fn first(&mut self, lpa: Lpa, ppa: Ppa) {
        self.sequences.begin(ppa, self.versions.newest(lpa));
    }

    /// The program of what another place holds begins: it keeps that number.
    pub fn copy(&mut self, source: Ppa, ppa: Ppa) {
        self.sequences.begin(ppa, self.sequences.number(source));
    }

    /// The program of `ppa` has ended.
    pub fn programmed(&mut self, ppa: Ppa) {
        self.sequences.programmed(ppa);
    }
}
