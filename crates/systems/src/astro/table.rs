//! The region map table (§III-B, figure 9): of each region where its pages lie in order, and which of them were updated since.

use serde::{Deserialize, Serialize};

use wordline_base::ids::Lpa;

/// Bytes of a physical page base address.
const BASE_BYTES: u64 = 4;

/// Bytes of a region's number and of its contiguous bit. The paper names the fields and no sizes.
const REST_BYTES: u64 = 4 + 1;

/// Which groups of a region's pages were updated since it was ordered: one bit for each group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateBitmap(Vec<u64>);

impl UpdateBitmap {
    /// Of so many groups, none of which was updated.
    fn clear(groups: u32) -> Self {
        Self(vec![0; groups.div_ceil(64) as usize])
    }

    fn set(&mut self, group: u32) {
        if let Some(word) = self.0.get_mut((group / 64) as usize) {
            *word |= 1 << (group % 64);
        }
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn has(&self, group: u32) -> bool {
        self.0.get((group / 64) as usize).is_none_or(|word| word >> (group % 64) & 1 != 0)
    }
}

/// A region.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RegionEntry {
    /// Position of its first page (PPBA).
    base: u32,
    /// Whether its pages were put in order (CRB).
    contiguous: bool,
    updates: UpdateBitmap,
}

/// All regions. A *position* is a physical page in the order in which the pages of ordered regions follow each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegionTable {
    logical_units: u32,
    region_pages: u32,
    pages_per_bit: u32,
    entries: Vec<RegionEntry>,
}

impl RegionTable {
    /// For so many logical pages; nothing is ordered yet.
    pub fn new(logical_units: u32, region_pages: u32, pages_per_bit: u32) -> Self {
        let (region_pages, pages_per_bit) = (region_pages.max(1), pages_per_bit.max(1));
        let updates = UpdateBitmap::clear(region_pages.div_ceil(pages_per_bit));
        let entry = RegionEntry { base: 0, contiguous: false, updates };
        let entries = vec![entry; logical_units.div_ceil(region_pages) as usize];
        Self { logical_units, region_pages, pages_per_bit, entries }
    }

    /// Number of regions.
    pub fn len(&self) -> u32 {
        self.entries.len() as u32
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Region of a page (LRN, equation 2).
    pub fn region_of(&self, lpa: Lpa) -> u32 {
        lpa.0 / self.region_pages
    }

    /// Its place in the region (equation 3).
    pub fn offset_of(&self, lpa: Lpa) -> u32 {
        lpa.0 % self.region_pages
    }

    /// Pages of a region: the first, and their number, which is smaller in the last region.
    pub fn pages_of(&self, region: u32) -> (Lpa, u32) {
        let first = region.saturating_mul(self.region_pages).min(self.logical_units);
        (Lpa(first), self.region_pages.min(self.logical_units - first))
    }

    /// Where a page is supposed to be (equation 1): in an ordered region, in whose group nothing was updated.
    pub fn find(&self, lpa: Lpa) -> Option<u32> {
        let entry = self.entries.get(self.region_of(lpa) as usize)?;
        let offset = self.offset_of(lpa);
        let guess = entry.contiguous && !entry.updates.has(offset / self.pages_per_bit);
        guess.then(|| entry.base + offset)
    }

    /// Position of the first page of a region, if it was ordered.
    pub fn base_of(&self, region: u32) -> Option<u32> {
        self.entries.get(region as usize).filter(|entry| entry.contiguous).map(|entry| entry.base)
    }

    /// A page is not, or no longer, where the order has it.
    pub fn update(&mut self, lpa: Lpa) {
        let (region, group) = (self.region_of(lpa), self.offset_of(lpa) / self.pages_per_bit);
        if let Some(entry) = self.entries.get_mut(region as usize).filter(|entry| entry.contiguous) {
            entry.updates.set(group);
        }
    }

    /// No page of a region was updated: what an order begins with.
    pub fn no_updates(&self) -> UpdateBitmap {
        UpdateBitmap::clear(self.region_pages.div_ceil(self.pages_per_bit))
    }

    /// The same as [`Self::update`] in an order that is being made.
    pub fn update_in(&self, updates: &mut UpdateBitmap, lpa: Lpa) {
        updates.set(self.offset_of(lpa) / self.pages_per_bit);
    }

    /// A region was put in order; these of its groups were updated meanwhile.
    pub fn order(&mut self, region: u32, base: u32, updates: UpdateBitmap) {
        if let Some(entry) = self.entries.get_mut(region as usize) {
            *entry = RegionEntry { base, contiguous: true, updates };
        }
    }

    /// Regions that were ordered.
    pub fn ordered(&self) -> u64 {
        self.entries.iter().filter(|entry| entry.contiguous).count() as u64
    }

    /// The share of a region's groups that were updated since it was ordered; `None` of one that isn't in order.
    pub fn updated_share(&self, region: u32) -> Option<f64> {
        let entry = self.entries.get(region as usize).filter(|entry| entry.contiguous)?;
        let groups = self.pages_of(region).1.div_ceil(self.pages_per_bit).max(1);
        Some(f64::from(entry.updates.count()) / f64::from(groups))
    }

    /// Bits of the update bitmaps that are set.
    pub fn updated_groups(&self) -> u64 {
        self.entries.iter().map(|entry| u64::from(entry.updates.count())).sum()
    }

    /// Bytes of the update bitmaps of so many pages.
    pub fn bitmap_bytes(pages: u64, region_pages: u32, pages_per_bit: u32) -> u64 {
        let groups = u64::from(region_pages.max(1).div_ceil(pages_per_bit.max(1)));
        (pages.div_ceil(u64::from(region_pages.max(1))) * groups).div_ceil(8)
    }

    /// Bytes of the table in the controller's memory, where a region's pages lie in so many runs of consecutive places.
    pub fn bytes(&self, runs: u64) -> u64 {
        let bits = Self::bitmap_bytes(u64::from(self.logical_units), self.region_pages, self.pages_per_bit);
        self.entries.len() as u64 * (REST_BYTES + BASE_BYTES * runs) + bits
    }

    /// Whether another table is of the same form.
    pub fn fits(&self, other: &Self) -> bool {
        let form = |table: &Self| (table.logical_units, table.region_pages, table.pages_per_bit);
        form(self) == form(other)
            && self.entries.len() == other.entries.len()
            && self.entries.iter().zip(&other.entries).all(|(a, b)| a.updates.0.len() == b.updates.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits of a region, the first group leftmost, as figure 9 has them.
    fn bits(table: &RegionTable, region: usize) -> String {
        let groups = table.region_pages.div_ceil(table.pages_per_bit);
        let bit = |group| if table.entries[region].updates.has(group) { '1' } else { '0' };
        (0..groups).map(bit).collect()
    }

    #[test]
    fn the_worked_example_of_figures_8_and_9() {
        let mut table = RegionTable::new(1 << 14, 256, 64);
        assert_eq!(table.find(Lpa(2307)), None, "not ordered yet");
        let updates = table.no_updates();
        table.order(9, 512, updates);
        assert_eq!((table.region_of(Lpa(2307)), table.offset_of(Lpa(2307))), (9, 3));
        assert_eq!(table.find(Lpa(2307)), Some(515));
        assert_eq!(table.find(Lpa(2559)), Some(767));
        // What was written over the places 576 to 639 and 704 to 767.
        table.update(Lpa(9 * 256 + 600 - 512));
        table.update(Lpa(9 * 256 + 767 - 512));
        assert_eq!(bits(&table, 9), "0101");
        assert_eq!(table.find(Lpa(9 * 256 + 63)), Some(575));
        assert_eq!(table.find(Lpa(9 * 256 + 64)), None);
        assert_eq!(table.find(Lpa(9 * 256 + 128)), Some(640));
        assert_eq!(table.find(Lpa(9 * 256 + 192)), None);
        // Pages of other regions say nothing of this one.
        table.update(Lpa(10 * 256));
        assert_eq!((bits(&table, 9).as_str(), table.find(Lpa(10 * 256))), ("0101", None));
        // Only ordering clears it.
        let updates = table.no_updates();
        table.order(9, 1024, updates);
        assert_eq!((bits(&table, 9).as_str(), table.find(Lpa(2304))), ("0000", Some(1024)));
    }

    #[test]
    fn an_update_while_the_order_is_made_stays() {
        let mut table = RegionTable::new(1024, 256, 64);
        let mut updates = table.no_updates();
        table.update_in(&mut updates, Lpa(256 + 70));
        table.order(1, 0, updates);
        assert_eq!(bits(&table, 1), "0100");
        assert_eq!((table.ordered(), table.updated_groups()), (1, 1));
    }

    #[test]
    fn the_bitmaps_of_512_gb_take_256_kb_at_64_pages_a_bit_and_16_mb_at_one() {
        let pages = (512 << 30) / 4096;
        assert_eq!(RegionTable::bitmap_bytes(pages, 4096, 64), 256 << 10);
        assert_eq!(RegionTable::bitmap_bytes(pages, 4096, 1), 16 << 20);
    }

    #[test]
    fn the_last_region_has_the_pages_that_are_left() {
        let mut table = RegionTable::new(1000, 256, 100);
        assert_eq!(table.len(), 4);
        assert_eq!(table.pages_of(2), (Lpa(512), 256));
        assert_eq!(table.pages_of(3), (Lpa(768), 232));
        assert_eq!(table.pages_of(4), (Lpa(1000), 0));
        let updates = table.no_updates();
        table.order(3, 0, updates);
        assert_eq!(table.find(Lpa(999)), Some(231));
        // Groups of 100 pages: the last one is shorter.
        table.update(Lpa(999));
        assert_eq!(bits(&table, 3), "001");
        assert_eq!((table.find(Lpa(967)), table.find(Lpa(968))), (Some(199), None));
    }
}
