//! What a mapping policy may look at.

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::page::PageMap;
use wordline_base::ids::{Lpa, Ppa};

/// Counts of the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapSizes {
    /// Mapping units that the host sees: entries of the map.
    pub logical_units: u32,
    /// Physical mapping units.
    pub physical_units: u32,
    /// Translation pages on flash; 0 where the map isn't kept there.
    pub translation_pages: u32,
    /// Entries of a translation page (the last one may hold fewer).
    pub entries_per_page: u32,
    /// Pages of the map's journal, numbered behind the translation pages; 0 without one.
    pub journal_pages: u32,
    /// Pages of the map that follow one another and are programmed together, where a write of one goes with those of the others:
    /// as many as a program takes; 1 where each goes alone.
    pub pages_together: u32,
}

impl MapSizes {
    /// Translation page of an entry.
    #[inline]
    pub fn page_of(&self, lpa: Lpa) -> u32 {
        lpa.0 / self.entries_per_page.max(1)
    }

    /// Pages that keep the map on flash.
    pub fn map_pages(&self) -> u32 {
        self.translation_pages + self.journal_pages
    }

    /// Groups of translation pages that are programmed together; the last one may be smaller.
    pub fn translation_groups(&self) -> u32 {
        self.translation_pages.div_ceil(self.pages_together.max(1))
    }

    /// The same of journal pages.
    pub fn journal_groups(&self) -> u32 {
        self.journal_pages / self.pages_together.max(1)
    }

    /// Number of the group that a page of the map is programmed with, journal behind translation pages.
    pub fn group_of(&self, page: u32) -> u32 {
        let together = self.pages_together.max(1);
        match page.checked_sub(self.translation_pages) {
            None => page / together,
            Some(page) => self.translation_groups() + page / together,
        }
    }

    /// Logical pages of a translation page: the first, and the one behind the last.
    pub fn entries(&self, page: u32) -> (u32, u32) {
        let first = u64::from(page) * u64::from(self.entries_per_page);
        let end = (first + u64::from(self.entries_per_page)).min(u64::from(self.logical_units));
        (first.min(end) as u32, end as u32)
    }
}

/// The map, read-only.
pub struct MapView<'a> {
    /// The map.
    pub map: &'a PageMap,
    /// Where pages lie that were never written.
    pub layout: &'a Layout,
    /// Pages that the layout gives a place.
    pub occupied: u32,
    /// Counts of the map.
    pub sizes: MapSizes,
}

impl MapView<'_> {
    /// Where a logical page of the host is; [`Ppa::NONE`] if it holds no data.
    #[inline]
    pub fn find(&self, lpa: Lpa) -> Ppa {
        if lpa.0 < self.sizes.logical_units { self.map.get(lpa, self.layout) } else { Ppa::NONE }
    }

    /// Logical pages of the host that hold data.
    pub fn occupied(&self) -> u32 {
        self.occupied
    }

    /// Where a translation page is; [`Ppa::NONE`] if it was never written: all its entries are empty.
    pub fn find_page(&self, page: u32) -> Ppa {
        if page >= self.sizes.translation_pages {
            return Ppa::NONE;
        }
        self.map.get(Lpa(self.sizes.logical_units + page), self.layout)
    }
}
