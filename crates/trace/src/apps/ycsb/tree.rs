//! The state of the merge tree: which level holds the newest version of each record, and the files of each level.

use std::collections::BTreeMap;

use super::keys::Keys;
use super::table::Table;
use crate::apps::extents::Extents;
use crate::config::YcsbConfig;

/// A place without a record.
pub(super) const NOWHERE: u8 = 0;
/// The record's newest version is in the memtable.
pub(super) const MEMTABLE: u8 = 1;
/// It is in the memtable that is being written out.
pub(super) const FLUSHING: u8 = 2;
/// It is in level 0, in the file of this slot and on.
pub(super) const SLOTS: u8 = 32;
/// It is in level 1 and on: 200 + level.
pub(super) const LEVELS: u8 = 200;

/// Most levels.
pub(super) const MOST_LEVELS: usize = 8;

/// The tree. One byte for each place of a record.
pub(super) struct Tree {
    /// Where the newest version is.
    pub newest: Vec<u8>,
    /// Files of level 0, the newest last, with their slots.
    pub level0: Vec<(u8, Table)>,
    /// Files of levels 1 and on, by their first place.
    pub levels: Vec<BTreeMap<u64, Table>>,
    pub space: Extents,
    pub next_id: u64,
    next_slot: u8,
}

impl Tree {
    /// A database as loading leaves it: every record once, levels filled from the first up to three quarters of their targets, the
    /// rest in the last. `None` when the space is too small.
    pub(super) fn loaded(config: &YcsbConfig, keys: &Keys, most: u64, end: u64) -> Option<Self> {
        let mut tree = Self {
            newest: vec![NOWHERE; usize::try_from(most).ok()?],
            level0: Vec::new(),
            levels: vec![BTreeMap::new(); MOST_LEVELS],
            space: Extents::new(0, end),
            next_id: 1,
            next_slot: 0,
        };
        let mut left = config.records;
        let mut target = config.level1_bytes;
        for level in 1..=MOST_LEVELS {
            let room = target / 4 * 3 / config.record_bytes;
            // The last level takes what is left, up to its target.
            let count = if left * config.record_bytes <= target || level == MOST_LEVELS {
                left
            } else {
                room.min(left)
            };
            for record in left - count..left {
                if let Some(newest) = tree.newest.get_mut(keys.place(record) as usize) {
                    *newest = LEVELS + level as u8;
                }
            }
            left -= count;
            if left == 0 {
                break;
            }
            target = target.saturating_mul(config.size_ratio);
        }
        for level in 1..=MOST_LEVELS {
            let ranges = tree.cut((0, most), &[LEVELS + level as u8], config);
            for (range, records) in ranges {
                let table = tree.table(range, records, config)?;
                tree.levels.get_mut(level - 1)?.insert(range.0, table);
            }
        }
        Some(tree)
    }

    /// A new file with space of its own.
    pub(super) fn table(&mut self, range: (u64, u64), records: u64, config: &YcsbConfig) -> Option<Table> {
        let extents = self.space.take(Table::bytes_for(records, config.record_bytes))?;
        self.next_id += 1;
        Some(Table { id: self.next_id, range, records, extents })
    }

    /// Cuts a range of places into files of the configured size, by the records that are in one of `states`.
    pub(super) fn cut(
        &self,
        range: (u64, u64),
        states: &[u8],
        config: &YcsbConfig,
    ) -> Vec<((u64, u64), u64)> {
        let full = (config.file_bytes / config.record_bytes).max(1);
        let mut out = Vec::new();
        let (mut start, mut records) = (range.0, 0);
        let slice = self.newest.get(range.0 as usize..range.1 as usize).unwrap_or(&[]);
        for (place, state) in (range.0..).zip(slice) {
            records += u64::from(states.contains(state));
            if records == full {
                out.push(((start, place + 1), records));
                (start, records) = (place + 1, 0);
            }
        }
        if records > 0 {
            out.push(((start, range.1), records));
        }
        out
    }

    /// A slot for a file of level 0, if one is free.
    pub(super) fn slot(&mut self) -> Option<u8> {
        let most = LEVELS - SLOTS;
        let taken = |slot: u8| self.level0.iter().any(|(used, _)| *used == slot);
        let found =
            (0..most).map(|step| SLOTS + (self.next_slot + step) % most).find(|slot| !taken(*slot))?;
        self.next_slot = (found - SLOTS + 1) % most;
        Some(found)
    }

    /// Bytes of a level, from 1.
    pub(super) fn level_bytes(&self, level: usize, record_bytes: u64) -> u64 {
        let files = self.levels.get(level - 1).into_iter().flat_map(BTreeMap::values);
        files.map(|table| table.records * record_bytes).sum()
    }

    /// The file of a level that covers a place.
    pub(super) fn covering(&self, level: usize, place: u64) -> Option<&Table> {
        let (_, table) = self.levels.get(level - 1)?.range(..=place).next_back()?;
        (place < table.range.1).then_some(table)
    }

    /// The state of a place.
    pub(super) fn state(&self, place: u64) -> u8 {
        self.newest.get(place as usize).copied().unwrap_or(NOWHERE)
    }

    /// Sets the state of a place; what it was before.
    pub(super) fn set(&mut self, place: u64, state: u8) -> u8 {
        self.newest.get_mut(place as usize).map_or(NOWHERE, |newest| std::mem::replace(newest, state))
    }
}
