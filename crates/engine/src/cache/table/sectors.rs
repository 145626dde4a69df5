//! Which sectors of a unit are held: one bit each.

use super::{Slot, UnitTable};

/// Bytes of a sector: the granularity of what is cached of a unit.
pub const SECTOR: u32 = 512;

impl UnitTable {
    /// The sectors of a unit beyond 64, by words.
    fn more(&self, slot: Slot) -> &[u64] {
        let first = slot as usize * self.more_words;
        self.more_held.get(first..first + self.more_words).unwrap_or_default()
    }

    /// The words of a unit's sectors, from the first.
    fn words(&self, slot: Slot) -> impl Iterator<Item = u64> {
        std::iter::once(self.units[slot as usize].held).chain(self.more(slot).iter().copied())
    }

    /// Bytes of a unit that are held, in whole sectors.
    pub fn bytes_held(&self, slot: Slot) -> u32 {
        self.words(slot).map(u64::count_ones).sum::<u32>() * SECTOR
    }

    /// Bytes `start` to `end` − 1 of the unit are held from now on: the sectors that lie wholly in there.
    pub fn hold(&mut self, slot: Slot, start: u32, end: u32) {
        let (first, behind) = (start.div_ceil(SECTOR), end / SECTOR);
        self.units[slot as usize].held |= bits(first, behind);
        if self.more_words == 0 {
            return;
        }
        let begin = slot as usize * self.more_words;
        let more = &mut self.more_held[begin..begin + self.more_words];
        for (word, start) in more.iter_mut().zip((64..).step_by(64)) {
            *word |= bits(first.saturating_sub(start), behind.saturating_sub(start));
        }
    }

    /// All of the unit is held from now on.
    pub fn hold_all(&mut self, slot: Slot) {
        self.hold(slot, 0, self.sectors * SECTOR);
    }

    /// Whether every sector that bytes `start` to `end` − 1 touch is held.
    #[inline]
    pub fn holds(&self, slot: Slot, start: u32, end: u32) -> bool {
        let (first, behind) = (start / SECTOR, end.div_ceil(SECTOR));
        let holds = |held: u64, start: u32| {
            let wanted = bits(first.saturating_sub(start), behind.saturating_sub(start));
            held & wanted == wanted
        };
        holds(self.units[slot as usize].held, 0)
            && self.more(slot).iter().zip((64..).step_by(64)).all(|(&held, start)| holds(held, start))
    }

    /// Whether all of the unit is held.
    pub fn holds_all(&self, slot: Slot) -> bool {
        self.holds(slot, 0, self.sectors * SECTOR)
    }
}

/// A word in which the bits from `first` to `behind` − 1 are set, as far as it has them.
#[inline]
fn bits(first: u32, behind: u32) -> u64 {
    let below = |bit: u32| 1u64.checked_shl(bit).map_or(u64::MAX, |next| next - 1);
    below(behind) & !below(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use wordline_base::ids::Lpa;

    proptest! {
        #[test]
        fn the_sectors_held_are_those_of_a_list_of_flags(
            units in 1u32..200,
            parts in prop::collection::vec((0u32..110_000, 0u32..110_000, any::<bool>()), 0..20),
        ) {
            let sectors = units as usize;
            let mut table = UnitTable::new(3, units * SECTOR, 1);
            let slots = [4, 5, 6].map(|lpa| table.insert(Lpa(lpa), 0).unwrap());
            let mut flags = vec![false; sectors];
            for (a, b, asks) in parts {
                let (start, end) = (a.min(b) % (units * SECTOR + 1), a.max(b) % (units * SECTOR + 1));
                if asks {
                    let touched = (start / SECTOR) as usize..(end.div_ceil(SECTOR)) as usize;
                    let there = touched.clone().all(|sector| flags[sector]);
                    prop_assert_eq!(table.holds(slots[1], start, end), there);
                } else {
                    table.hold(slots[1], start, end);
                    (start.div_ceil(SECTOR)..end / SECTOR).for_each(|sector| flags[sector as usize] = true);
                }
                let held = flags.iter().filter(|&&held| held).count();
                prop_assert_eq!(table.bytes_held(slots[1]), held as u32 * SECTOR);
                prop_assert_eq!(table.holds_all(slots[1]), held == sectors);
                prop_assert_eq!(table.bytes_held(slots[0]) + table.bytes_held(slots[2]), 0);
            }
            table.hold_all(slots[1]);
            prop_assert!(table.holds_all(slots[1]) && table.bytes_held(slots[1]) == units * SECTOR);
            table.remove(slots[1]);
            let again = table.insert(Lpa(9), 0);
            prop_assert_eq!(again.map(|slot| (slot, table.bytes_held(slot))), Some((slots[1], 0)));
        }
    }
}
