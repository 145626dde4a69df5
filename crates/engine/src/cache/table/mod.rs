//! What the data cache holds: units by slot, their sectors and states, in lists from old to young.

mod sectors;
mod unit;

use serde::{Deserialize, Serialize};

use super::index::Index;
use super::list::{Link, Links, List, NIL};
use super::marks::{Mark, Marks};
pub use sectors::SECTOR;
use unit::{All, OfGroup, Unit};
use wordline_base::ids::Lpa;
use wordline_base::memory::prefetch;

/// Number of a slot.
pub type Slot = u32;

/// A write of a unit: its number, the version that it makes, and the group and stream that the unit is of from then on.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// Number of the write.
    pub stamp: u64,
    /// Version of the unit.
    pub version: u32,
    /// Group of the unit among the dirty ones.
    pub group: u32,
    /// Stream of the request.
    pub stream: u16,
}

/// The cached units. Each is clean (as in flash), dirty (newer than flash), or on its way to flash; the latter may be
/// dirty as well, when it was written again after its program had begun. By slot; nothing is allocated after the start.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnitTable {
    capacity: u32,
    sectors: u32,
    /// Of the slots that were used so far.
    units: Vec<Unit>,
    /// Words for the sectors of a unit beyond 64, so many for each slot.
    more_words: usize,
    more_held: Vec<u64>,
    index: Index,
    /// By last use.
    clean: List,
    /// The clean unit that came from flash last, from which the place of the next is looked for; [`NIL`] when none is clean.
    arrived: Slot,
    dirty: List,
    superseded: List,
    groups: Vec<List>,
    /// Slots that were used and are free, linked through `lpa`.
    free: u32,
    used: u32,
    dirty_units: u32,
    /// Uses of units so far.
    uses: u64,
}

impl UnitTable {
    /// Room for `capacity` units of `unit_bytes`; dirty ones are also listed by group, 0 to `groups` − 1.
    pub fn new(capacity: u32, unit_bytes: u32, groups: u32) -> Self {
        let sectors = unit_bytes.div_ceil(SECTOR);
        let more_words = sectors.div_ceil(64).saturating_sub(1) as usize;
        Self {
            capacity,
            sectors,
            units: Vec::with_capacity(capacity as usize),
            more_words,
            more_held: vec![0; capacity as usize * more_words],
            index: Index::new(capacity),
            clean: List::default(),
            arrived: NIL,
            dirty: List::default(),
            superseded: List::default(),
            groups: vec![List::default(); groups.max(1) as usize],
            free: NIL,
            used: 0,
            dirty_units: 0,
            uses: 0,
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
        self.dirty.len + self.superseded.len
    }

    /// Units that are dirty or on their way to flash.
    pub fn not_clean(&self) -> u32 {
        self.used - self.clean.len
    }

    /// Units that are on their way to flash.
    pub fn on_their_way(&self) -> u32 {
        self.not_clean() - self.waiting()
    }

    fn members(&self, list: List) -> impl Iterator<Item = Slot> {
        let next =
            move |&slot: &Slot| Some(self.units[slot as usize].all.younger()).filter(|&next| next != NIL);
        std::iter::successors(Some(list.old).filter(|&old| old != NIL), next)
    }

    /// Slots of the clean units, from the one that was used longest ago.
    pub fn clean(&self) -> impl Iterator<Item = Slot> {
        self.members(self.clean)
    }

    /// Slots of the dirty units that are not on their way and hold the newest version, from the oldest.
    pub fn dirty(&self) -> impl Iterator<Item = Slot> {
        self.members(self.dirty)
    }

    /// The superseded version that waits longest for its way to flash.
    pub fn oldest_superseded(&self) -> Option<Slot> {
        Some(self.superseded.old).filter(|&slot| slot != NIL)
    }

    /// The oldest dirty unit of a group that is not on its way, and how many there are.
    pub fn oldest_of_group(&self, group: u32) -> (Option<Slot>, u32) {
        let list = self.groups.get(group as usize).copied().unwrap_or_default();
        (Some(list.old).filter(|&slot| slot != NIL), list.len)
    }

    /// Where a unit is.
    #[inline]
    pub fn find(&self, lpa: Lpa) -> Option<Slot> {
        self.index.get(lpa.0)
    }

    /// Brings what is needed to find a unit towards the caches.
    #[inline]
    pub fn prefetch(&self, lpa: Lpa) {
        self.index.prefetch(lpa.0);
    }

    /// Brings what is known of the unit of a slot towards the caches.
    #[inline]
    pub fn prefetch_slot(&self, slot: Slot) {
        prefetch(&self.units, slot as usize);
    }

    /// The oldest dirty unit is about to leave the lists: the same, of those that are looked at when the one behind it does, which
    /// was itself fetched when this was asked last.
    #[inline]
    pub fn prefetch_behind_oldest_dirty(&self) {
        let Some(oldest) = self.units.get(self.dirty.old as usize) else { return };
        let Some(second) = self.units.get(oldest.all.younger() as usize) else { return };
        self.prefetch_slot(second.all.younger());
        self.prefetch_slot(second.of_group.younger());
    }

    /// Second stage, once [`Self::prefetch`] had time: what is known of the unit, if it is there.
    #[inline]
    pub fn prefetch_unit(&self, lpa: Lpa) {
        if let Some(slot) = self.find(lpa) {
            self.prefetch_slot(slot);
        }
    }

    /// The same, of a unit that is probably the oldest dirty one.
    #[inline]
    pub fn find_dirty(&self, lpa: Lpa) -> Option<Slot> {
        let oldest = self.dirty.old;
        let is_oldest = self.units.get(oldest as usize).is_some_and(|unit| unit.lpa == lpa.0);
        if is_oldest { Some(oldest) } else { self.find(lpa) }
    }

    /// The unit of a slot in use.
    #[inline]
    pub fn lpa(&self, slot: Slot) -> Lpa {
        Lpa(self.units[slot as usize].lpa)
    }

    /// Group of a unit.
    #[inline]
    pub fn group(&self, slot: Slot) -> u32 {
        self.units[slot as usize].group
    }

    /// Groups, of dirty units.
    pub fn groups(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Stream of the request that wrote a unit last.
    #[inline]
    pub fn stream(&self, slot: Slot) -> u16 {
        self.units[slot as usize].stream
    }

    /// Whether it is newer than flash.
    #[inline]
    pub fn is_dirty(&self, slot: Slot) -> bool {
        self.units[slot as usize].marks.has(Mark::Dirty)
    }

    /// Whether its page was written again and has another slot.
    #[inline]
    pub fn is_superseded(&self, slot: Slot) -> bool {
        self.units[slot as usize].marks.has(Mark::Superseded)
    }

    /// Whether it is as in flash, and no program of it runs.
    #[inline]
    pub fn is_clean(&self, slot: Slot) -> bool {
        let Unit { marks, op, .. } = self.units[slot as usize];
        !marks.has(Mark::Dirty) && op == NIL
    }

    /// The operation that carries it to flash.
    #[inline]
    pub fn op(&self, slot: Slot) -> Option<u32> {
        Some(self.units[slot as usize].op).filter(|&op| op != NIL)
    }

    /// Whether this operation carries the unit of a slot to flash. An operation that was told its slot finds so whether the
    /// unit is still there, without a search.
    #[inline]
    pub fn is_carried_by(&self, slot: Slot, op: u32) -> bool {
        self.units.get(slot as usize).is_some_and(|unit| unit.op == op)
    }

    /// Number of the write that made it dirty.
    pub fn stamp(&self, slot: Slot) -> u64 {
        self.units[slot as usize].stamp
    }

    /// Number of the write whose program is running; 0 when none is.
    pub fn in_program(&self, slot: Slot) -> u64 {
        let Unit { op, of_group, .. } = self.units[slot as usize];
        if op == NIL { 0 } else { of_group.number() }
    }

    /// Version that it holds.
    pub fn version(&self, slot: Slot) -> u32 {
        self.units[slot as usize].version
    }

    /// Version that flash holds.
    pub fn in_flash(&self, slot: Slot) -> u32 {
        self.units[slot as usize].in_flash
    }

    /// Takes a unit in that is not there: clean, young, without sectors, its version being the one in flash. `None`
    /// when no slot is free.
    pub fn insert(&mut self, lpa: Lpa, version: u32) -> Option<Slot> {
        self.take_in(Unit { lpa: lpa.0, op: NIL, version, in_flash: version, ..Unit::default() })
    }

    /// The same by a write, that is to say dirty; flash holds the version `in_flash`.
    pub fn insert_written(&mut self, lpa: Lpa, in_flash: u32, written: Written) -> Option<Slot> {
        let Written { stamp, version, group, stream } = written;
        let unit = Unit { lpa: lpa.0, op: NIL, group, stream, version, in_flash, stamp, ..Unit::default() };
        let slot = self.take_in(Unit { marks: Marks::only(Mark::Dirty), ..unit })?;
        self.dirty_units += 1;
        Some(slot)
    }

    /// The same where the unit is there already and keeps its slot until it is programmed: superseded. The new version holds the
    /// sectors of the old one.
    pub fn append_written(&mut self, old: Slot, written: Written) -> Option<Slot> {
        let Unit { lpa, in_flash, held, .. } = self.units[old as usize];
        self.index.remove(lpa);
        self.leave(old);
        self.units[old as usize].marks.set(Mark::Superseded, true);
        self.join(old);
        let slot = self.insert_written(Lpa(lpa), in_flash, written)?;
        self.units[slot as usize].held = held;
        let (from, to) = (old as usize * self.more_words, slot as usize * self.more_words);
        self.more_held.copy_within(from..from + self.more_words, to);
        Some(slot)
    }

    fn take_in(&mut self, mut unit: Unit) -> Option<Slot> {
        unit.group = unit.group.min(self.groups.len() as u32 - 1);
        unit.used = self.next_use();
        let lpa = unit.lpa;
        let slot = match self.free {
            NIL if self.units.len() < self.capacity as usize => {
                self.units.push(unit);
                self.units.len() as u32 - 1
            }
            NIL => return None,
            slot => {
                self.free = std::mem::replace(&mut self.units[slot as usize], unit).lpa;
                // Units often come many at a time; the next free slot was fetched with the one before.
                if let Some(next) = self.units.get(self.free as usize) {
                    self.prefetch_slot(next.lpa);
                }
                slot
            }
        };
        if self.more_words > 0 {
            // Filling nothing, where there is no vector, costs the processor some hundred cycles.
            let first = slot as usize * self.more_words;
            self.more_held[first..first + self.more_words].fill(0);
        }
        self.index.insert(lpa, slot);
        self.used += 1;
        self.join(slot);
        Some(slot)
    }

    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// Gives a unit up, whatever its state. An operation that carries it finds itself disowned.
    pub fn remove(&mut self, slot: Slot) {
        self.leave(slot);
        let unit = &mut self.units[slot as usize];
        if !unit.marks.has(Mark::Superseded) {
            self.index.remove(unit.lpa);
        }
        self.dirty_units -= u32::from(unit.marks.has(Mark::Dirty));
        unit.marks.set(Mark::Dirty, false);
        unit.op = NIL;
        unit.lpa = std::mem::replace(&mut self.free, slot);
        self.used -= 1;
    }

    /// The unit is used: it becomes the youngest of its list.
    pub fn refresh(&mut self, slot: Slot) {
        self.leave(slot);
        self.units[slot as usize].used = self.next_use();
        self.join(slot);
    }

    /// A write took effect in the cache: the unit is dirty since then, unless it was before, and of the write's group and stream.
    pub fn written(&mut self, slot: Slot, written: Written) {
        let Written { stamp, version, group, stream } = written;
        let group = group.min(self.groups.len() as u32 - 1);
        let unit = &mut self.units[slot as usize];
        (unit.version, unit.stream) = (version, stream);
        if !unit.marks.has(Mark::Dirty) {
            self.leave(slot);
            let used = self.next_use();
            let unit = &mut self.units[slot as usize];
            unit.marks.set(Mark::Dirty, true);
            (unit.stamp, unit.group, unit.used) = (stamp, group, used);
            self.dirty_units += 1;
            self.join(slot);
        } else if unit.group != group {
            self.change_group(slot, group);
        }
    }

    /// A dirty unit is of another group from now on, among which it is the youngest; among all it keeps its place.
    fn change_group(&mut self, slot: Slot, group: u32) {
        let Unit { op, marks, group: before, .. } = self.units[slot as usize];
        self.units[slot as usize].group = group;
        if op == NIL && !marks.has(Mark::Superseded) {
            OfGroup(&mut self.units).unlink(&mut self.groups[before as usize], slot);
            OfGroup(&mut self.units).push_young(&mut self.groups[group as usize], slot);
        }
    }

    /// Operation `op` carries the unit to flash from now on.
    pub fn depart(&mut self, slot: Slot, op: u32) {
        self.leave(slot);
        let unit = &mut self.units[slot as usize];
        (unit.op, unit.of_group) = (op, Link::of_number(0));
    }

    /// The program takes the unit as it is now: it is clean unless it is written again.
    pub fn commit(&mut self, slot: Slot) {
        let unit = &mut self.units[slot as usize];
        self.dirty_units -= u32::from(unit.marks.has(Mark::Dirty));
        unit.marks.set(Mark::Dirty, false);
        (unit.in_flash, unit.of_group) = (unit.version, Link::of_number(unit.stamp));
    }

    /// The program has ended. A dirty unit is young; a clean one takes its place among the clean ones by its last use.
    pub fn arrive(&mut self, slot: Slot) {
        let unit = &mut self.units[slot as usize];
        unit.op = NIL;
        if unit.marks.has(Mark::Dirty) || unit.marks.has(Mark::Superseded) {
            return self.join(slot);
        }
        let used = unit.used;
        let (older, younger) = self.place_by_use(used);
        All(&mut self.units).put_between(&mut self.clean, slot, older, younger);
        self.arrived = slot;
    }

    /// The clean units between which one of this last use belongs. Units come from flash about in the order in which they were
    /// used, so that the last one that came is near; from there and from the other side both ways are gone until one ends.
    fn place_by_use(&self, used: u64) -> (Slot, Slot) {
        let List { old, young, .. } = self.clean;
        let is_older = |slot: Slot| self.units.get(slot as usize).is_some_and(|unit| unit.used < used);
        if young == NIL || is_older(young) {
            return (young, NIL);
        }
        if !is_older(old) {
            return (NIL, old);
        }
        let (mut older, mut younger) =
            if is_older(self.arrived) { (self.arrived, young) } else { (old, self.arrived) };
        loop {
            let next = self.units[older as usize].all.younger();
            if !is_older(next) {
                return (older, next);
            }
            let before = self.units[younger as usize].all.older();
            if is_older(before) {
                return (before, younger);
            }
            (older, younger) = (next, before);
        }
    }

    /// A unit that is on its way to flash is in no list; any other is the youngest of its own.
    #[inline]
    fn join(&mut self, slot: Slot) {
        let Unit { op, marks, group, .. } = self.units[slot as usize];
        if op != NIL {
            return;
        }
        let dirty = marks.has(Mark::Dirty);
        if marks.has(Mark::Superseded) {
            return All(&mut self.units).push_young(&mut self.superseded, slot);
        }
        let list = if dirty { &mut self.dirty } else { &mut self.clean };
        All(&mut self.units).push_young(list, slot);
        if dirty {
            OfGroup(&mut self.units).push_young(&mut self.groups[group as usize], slot);
        } else if self.arrived == NIL {
            self.arrived = slot;
        }
    }

    #[inline]
    fn leave(&mut self, slot: Slot) {
        let Unit { op, marks, group, all, .. } = self.units[slot as usize];
        if op != NIL {
            return;
        }
        let dirty = marks.has(Mark::Dirty);
        if marks.has(Mark::Superseded) {
            All(&mut self.units).unlink(&mut self.superseded, slot);
        } else if dirty {
            All(&mut self.units).unlink(&mut self.dirty, slot);
            OfGroup(&mut self.units).unlink(&mut self.groups[group as usize], slot);
        } else {
            All(&mut self.units).unlink(&mut self.clean, slot);
            if self.arrived == slot {
                self.arrived = if all.older() == NIL { all.younger() } else { all.older() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(stamp: u64, group: u32) -> Written {
        Written { stamp, version: 1, group, stream: 10 + group as u16 }
    }

    #[test]
    fn a_unit_goes_with_the_stream_that_wrote_it_last() {
        let mut table = UnitTable::new(8, 4096, 3);
        let slots = [(1, 0), (2, 1), (3, 0)]
            .map(|(lpa, group)| table.insert_written(Lpa(lpa), 0, write(u64::from(lpa), group)).unwrap());
        let of = |table: &UnitTable, group| {
            let (oldest, count) = table.oldest_of_group(group);
            (oldest.map(|slot| table.lpa(slot).0), count)
        };
        assert_eq!((of(&table, 0), of(&table, 1), of(&table, 2)), ((Some(1), 2), (Some(2), 1), (None, 0)));
        // The oldest goes to the other stream, as its youngest; among all it stays the oldest.
        table.written(slots[0], write(4, 1));
        assert_eq!((of(&table, 0), of(&table, 1)), ((Some(3), 1), (Some(2), 2)));
        assert_eq!((table.stream(slots[0]), table.stamp(slots[0])), (11, 1));
        assert_eq!(table.dirty().collect::<Vec<_>>(), slots);
        // On its way to flash it is in no list; written by another stream meanwhile, it comes back as that one's.
        table.depart(slots[0], 7);
        table.written(slots[0], write(5, 2));
        table.commit(slots[0]);
        table.written(slots[0], write(6, 2));
        assert_eq!((of(&table, 1), of(&table, 2)), ((Some(2), 1), (None, 0)));
        table.arrive(slots[0]);
        assert_eq!((of(&table, 2), table.group(slots[0]), table.stamp(slots[0])), ((Some(1), 1), 2, 6));
        // A version that is superseded goes where it was bound for; the new one has a place of its own.
        let newer = table.append_written(slots[1], write(7, 0)).unwrap();
        assert_eq!((table.group(slots[1]), table.group(newer)), (1, 0));
        assert_eq!(
            (table.oldest_superseded(), of(&table, 0), of(&table, 1)),
            (Some(slots[1]), (Some(3), 2), (None, 0))
        );
        // One that is clean is of no stream until it is written.
        let clean = table.insert(Lpa(9), 1).unwrap();
        assert_eq!(of(&table, 0).1, 2);
        table.written(clean, write(8, 2));
        assert_eq!(of(&table, 2), (Some(1), 2));
    }
}
