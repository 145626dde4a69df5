//! What the data cache holds: units by slot, their sectors and states, in lists from old to young.

use serde::{Deserialize, Serialize};

use super::index::Index;
use super::list::{Links, List, NIL};
use crate::ids::Lpa;

/// Bytes of a sector: the granularity of what is cached of a unit.
pub const SECTOR: u32 = 512;

/// Number of a slot.
pub type Slot = u32;

/// The cached units. Each is clean (as in flash), dirty (newer than flash), or on its way to flash; the latter may be
/// dirty as well, when it was written again after its program had begun. Flat arrays by slot; nothing is allocated
/// after the start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitTable {
    capacity: u32,
    sectors: u32,
    words: usize,
    lpa: Vec<u32>,
    /// One bit for each sector that is held, `words` for each slot.
    held: Vec<u64>,
    dirty_flag: Vec<bool>,
    /// Used while on its way to flash.
    used_meanwhile: Vec<bool>,
    /// The operation that carries it to flash; [`NIL`] when none does.
    op: Vec<u32>,
    /// Number of the write that made it dirty, and of the one whose program is running (0: none is).
    stamp: Vec<u64>,
    in_program: Vec<u64>,
    /// Version held, and version in flash (checked mode).
    version: Vec<u32>,
    in_flash: Vec<u32>,
    group: Vec<u32>,
    index: Index,
    links: Links,
    group_links: Links,
    clean: List,
    dirty: List,
    groups: Vec<List>,
    /// Slots that were used and are free, linked through `lpa`.
    free: u32,
    /// The first slot that was never used.
    fresh: u32,
    used: u32,
    dirty_units: u32,
}

impl UnitTable {
    /// Room for `capacity` units of `unit_bytes`; dirty ones are also listed by group, 0 to `groups` − 1.
    pub fn new(capacity: u32, unit_bytes: u32, groups: u32) -> Self {
        let (count, sectors) = (capacity as usize, unit_bytes.div_ceil(SECTOR));
        let words = sectors.div_ceil(64) as usize;
        Self {
            capacity,
            sectors,
            words,
            lpa: vec![0; count],
            held: vec![0; count * words],
            dirty_flag: vec![false; count],
            used_meanwhile: vec![false; count],
            op: vec![0; count],
            stamp: vec![0; count],
            in_program: vec![0; count],
            version: vec![0; count],
            in_flash: vec![0; count],
            group: vec![0; count],
            index: Index::new(capacity),
            links: Links::new(capacity),
            group_links: Links::new(capacity),
            clean: List::default(),
            dirty: List::default(),
            groups: vec![List::default(); groups.max(1) as usize],
            free: NIL,
            fresh: 0,
            used: 0,
            dirty_units: 0,
        }
    }

    /// Units that it has room for.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Units that it holds.
    pub fn len(&self) -> u32 {
        self.used
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Whether no slot is free.
    pub fn is_full(&self) -> bool {
        self.used == self.capacity
    }

    /// Units that are newer than flash.
    pub fn dirty_units(&self) -> u32 {
        self.dirty_units
    }

    /// Dirty units that are not on their way to flash.
    pub fn waiting(&self) -> u32 {
        self.dirty.len
    }

    /// Units that are on their way to flash.
    pub fn on_their_way(&self) -> u32 {
        self.used - self.clean.len - self.dirty.len
    }

    /// Slots of the clean units, from the oldest.
    pub fn clean(&self) -> impl Iterator<Item = Slot> {
        self.links.iter(self.clean)
    }

    /// Slots of the dirty units that are not on their way, from the oldest.
    pub fn dirty(&self) -> impl Iterator<Item = Slot> {
        self.links.iter(self.dirty)
    }

    /// The oldest dirty unit of a group that is not on its way, and how many there are.
    pub fn oldest_of_group(&self, group: u32) -> (Option<Slot>, u32) {
        let list = self.groups.get(group as usize).copied().unwrap_or_default();
        (Some(list.old).filter(|&slot| slot != NIL), list.len)
    }

    /// Where a unit is.
    #[inline]
    pub fn find(&self, lpa: Lpa) -> Option<Slot> {
        self.index.get(lpa.0, &self.lpa)
    }

    /// The unit of a slot in use.
    #[inline]
    pub fn lpa(&self, slot: Slot) -> Lpa {
        Lpa(self.lpa[slot as usize])
    }

    /// Group of a unit.
    pub fn group(&self, slot: Slot) -> u32 {
        self.group[slot as usize]
    }

    /// Whether it is newer than flash.
    #[inline]
    pub fn is_dirty(&self, slot: Slot) -> bool {
        self.dirty_flag[slot as usize]
    }

    /// Bytes of a unit that are held, in whole sectors.
    pub fn bytes_held(&self, slot: Slot) -> u32 {
        let first = slot as usize * self.words;
        let words = self.held.get(first..first + self.words).unwrap_or_default();
        words.iter().map(|word| word.count_ones()).sum::<u32>() * SECTOR
    }

    /// The operation that carries it to flash.
    #[inline]
    pub fn op(&self, slot: Slot) -> Option<u32> {
        Some(self.op[slot as usize]).filter(|&op| op != NIL)
    }

    /// Number of the write that made it dirty.
    pub fn stamp(&self, slot: Slot) -> u64 {
        self.stamp[slot as usize]
    }

    /// Number of the write whose program is running; 0 when none is.
    pub fn in_program(&self, slot: Slot) -> u64 {
        self.in_program[slot as usize]
    }

    /// Version that it holds.
    pub fn version(&self, slot: Slot) -> u32 {
        self.version[slot as usize]
    }

    /// Version that flash holds.
    pub fn in_flash(&self, slot: Slot) -> u32 {
        self.in_flash[slot as usize]
    }

    /// Takes a unit in that is not there: clean, young, without sectors, its version being the one in flash. `None`
    /// when no slot is free.
    pub fn insert(&mut self, lpa: Lpa, group: u32, version: u32) -> Option<Slot> {
        let slot = match self.free {
            NIL if self.fresh < self.capacity => {
                self.fresh += 1;
                self.fresh - 1
            }
            NIL => return None,
            slot => {
                self.free = self.lpa[slot as usize];
                slot
            }
        };
        let at = slot as usize;
        (self.lpa[at], self.dirty_flag[at], self.op[at], self.in_program[at]) = (lpa.0, false, NIL, 0);
        (self.version[at], self.in_flash[at]) = (version, version);
        self.group[at] = group.min(self.groups.len() as u32 - 1);
        self.held[at * self.words..(at + 1) * self.words].fill(0);
        self.index.insert(lpa.0, slot);
        self.used += 1;
        self.join(slot, true);
        Some(slot)
    }

    /// Gives a unit up, whatever its state. An operation that carries it finds itself disowned.
    pub fn remove(&mut self, slot: Slot) {
        self.leave(slot);
        self.index.remove(slot, &self.lpa);
        let at = slot as usize;
        self.dirty_units -= u32::from(self.dirty_flag[at]);
        (self.dirty_flag[at], self.op[at]) = (false, NIL);
        self.lpa[at] = self.free;
        self.free = slot;
        self.used -= 1;
    }

    /// The unit becomes the youngest of its list.
    pub fn refresh(&mut self, slot: Slot) {
        self.used_meanwhile[slot as usize] = true;
        self.leave(slot);
        self.join(slot, true);
    }

    /// A write took effect in the cache: the unit is dirty since the write number `stamp`, unless it was before.
    pub fn written(&mut self, slot: Slot, stamp: u64, version: u32) {
        let at = slot as usize;
        self.version[at] = version;
        if !self.dirty_flag[at] {
            self.leave(slot);
            self.dirty_flag[at] = true;
            self.dirty_units += 1;
            self.stamp[at] = stamp;
            self.join(slot, true);
        }
    }

    /// Operation `op` carries the unit to flash from now on.
    pub fn depart(&mut self, slot: Slot, op: u32) {
        self.leave(slot);
        (self.op[slot as usize], self.used_meanwhile[slot as usize]) = (op, false);
    }

    /// The program takes the unit as it is now: it is clean unless it is written again.
    pub fn commit(&mut self, slot: Slot) {
        let at = slot as usize;
        self.dirty_units -= u32::from(self.dirty_flag[at]);
        self.dirty_flag[at] = false;
        (self.in_flash[at], self.in_program[at]) = (self.version[at], self.stamp[at]);
    }

    /// The program has ended. A dirty unit is young, a clean one old unless it was used in the meantime.
    pub fn arrive(&mut self, slot: Slot) {
        let at = slot as usize;
        (self.op[at], self.in_program[at]) = (NIL, 0);
        self.join(slot, self.dirty_flag[at] || self.used_meanwhile[at]);
    }

    fn join(&mut self, slot: Slot, young: bool) {
        let at = slot as usize;
        if self.op[at] != NIL {
            return;
        }
        let list = if self.dirty_flag[at] { &mut self.dirty } else { &mut self.clean };
        if young {
            self.links.push_young(list, slot);
        } else {
            self.links.push_old(list, slot);
        }
        if self.dirty_flag[at] {
            self.group_links.push_young(&mut self.groups[self.group[at] as usize], slot);
        }
    }

    fn leave(&mut self, slot: Slot) {
        let at = slot as usize;
        if self.op[at] != NIL {
            return;
        }
        if self.dirty_flag[at] {
            self.links.unlink(&mut self.dirty, slot);
            self.group_links.unlink(&mut self.groups[self.group[at] as usize], slot);
        } else {
            self.links.unlink(&mut self.clean, slot);
        }
    }

    /// Bytes `start` to `end` − 1 of the unit are held from now on: the sectors that lie wholly in there.
    pub fn hold(&mut self, slot: Slot, start: u32, end: u32) {
        for sector in start.div_ceil(SECTOR)..end / SECTOR {
            self.held[slot as usize * self.words + (sector / 64) as usize] |= 1 << (sector % 64);
        }
    }

    /// All of the unit is held from now on.
    pub fn hold_all(&mut self, slot: Slot) {
        self.hold(slot, 0, self.sectors * SECTOR);
    }

    /// Whether every sector that bytes `start` to `end` − 1 touch is held.
    #[inline]
    pub fn holds(&self, slot: Slot, start: u32, end: u32) -> bool {
        let words = &self.held[slot as usize * self.words..][..self.words];
        (start / SECTOR..end.div_ceil(SECTOR))
            .all(|sector| words[(sector / 64) as usize] >> (sector % 64) & 1 != 0)
    }

    /// Whether all of the unit is held.
    pub fn holds_all(&self, slot: Slot) -> bool {
        self.holds(slot, 0, self.sectors * SECTOR)
    }
}
