//! A region that is being ordered: which of its pages are at their place already.

use serde::{Deserialize, Serialize};

use super::Trigger;
use super::table::UpdateBitmap;

/// A region that is being ordered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ordering {
    /// Its number.
    pub region: u32,
    /// Why it is ordered.
    pub trigger: Trigger,
    /// The stretch in which it is put.
    pub stretch: u32,
    /// Position of its first page there.
    pub base: u32,
    /// Whether its plan has begun.
    pub started: bool,
    /// What was updated since it was planned.
    pub updates: UpdateBitmap,
    /// Pages that were put at their place: one bit for each.
    placed: Vec<u64>,
}

impl Ordering {
    /// Of a region of so many pages, none of which was moved yet.
    pub fn new(
        region: u32,
        trigger: Trigger,
        (stretch, base): (u32, u32),
        updates: UpdateBitmap,
        pages: u32,
    ) -> Self {
        let placed = vec![0; pages.div_ceil(64) as usize];
        Self { region, trigger, stretch, base, started: false, updates, placed }
    }

    /// The position of a page that was put there.
    pub fn find(&self, offset: u32) -> Option<u32> {
        let word = self.placed.get((offset / 64) as usize)?;
        (word >> (offset % 64) & 1 != 0).then(|| self.base + offset)
    }

    /// Notes that a page is at its place, or isn't.
    pub fn place(&mut self, offset: u32, there: bool) {
        if let Some(word) = self.placed.get_mut((offset / 64) as usize) {
            let bit = 1 << (offset % 64);
            if there {
                *word |= bit;
            } else {
                *word &= !bit;
            }
        }
    }

    /// Bytes of the bits of regions of so many pages.
    pub fn bytes(pages: u32) -> u64 {
        u64::from(pages.div_ceil(8))
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::RegionTable;
    use super::*;

    #[test]
    fn pages_are_found_once_they_are_in_their_place_and_until_they_leave_it() {
        let updates = RegionTable::new(200, 100, 64).no_updates();
        let mut ordering = Ordering::new(1, Trigger::Reclaim, (0, 400), updates, 100);
        assert_eq!(ordering.find(99), None);
        ordering.place(99, true);
        ordering.place(64, true);
        assert_eq!((ordering.find(99), ordering.find(64), ordering.find(65)), (Some(499), Some(464), None));
        ordering.place(99, false);
        assert_eq!((ordering.find(99), ordering.find(64)), (None, Some(464)));
        ordering.place(1_000, true);
        assert_eq!((ordering.find(1_000), Ordering::bytes(100)), (None, 13));
    }
}
