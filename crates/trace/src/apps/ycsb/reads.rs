//! Which blocks an operation reads.

use std::hash::BuildHasherDefault;
use std::num::NonZeroUsize;

use lru::LruCache;
use wordline_base::request::HostOp;

use super::table::Table;
use super::tree::{FLUSHING, LEVELS, MEMTABLE, MOST_LEVELS, NOWHERE, SLOTS, Tree};
use crate::apps::io::Io;
use crate::config::YcsbConfig;
use crate::info::hash::Mixer;
use crate::rng::{Xoshiro256PlusPlus, stream, unit};

/// Direct reads are widened to this, bytes.
const PAGE: u64 = 4096;

/// Longest read ahead of a scan, bytes.
const AHEAD: u64 = 256 << 10;

/// Reads of a block before a scan reads ahead.
const SINGLE: u64 = 2;

/// Reads records, through the cache of blocks.
pub(super) struct Reader {
    cache: Option<LruCache<(u64, u64), (), BuildHasherDefault<Mixer>>>,
    block_records: u64,
    block_bytes: u64,
    /// Chance that a filter lets a key pass that isn't there; 1 without a filter.
    passes: f64,
    rng: Xoshiro256PlusPlus,
}

impl Reader {
    pub(super) fn new(config: &YcsbConfig, seed: u64) -> Self {
        let block_bytes = config.block_records() * config.record_bytes;
        let blocks = NonZeroUsize::new((config.block_cache_bytes / block_bytes) as usize);
        // (1 - e^-ln2)^(bits ln2) with the best number of hashes: 0.6185^bits.
        let passes =
            if config.bloom_bits == 0 { 1.0 } else { libm::pow(0.6185, f64::from(config.bloom_bits)) };
        Self {
            cache: blocks.map(|blocks| LruCache::with_hasher(blocks, BuildHasherDefault::default())),
            block_records: config.block_records(),
            block_bytes,
            passes,
            rng: stream(seed, "ycsb.filters"),
        }
    }

    /// Reads the newest version of a record: every file that may have it, from the newest on, until it is found.
    pub(super) fn get(&mut self, tree: &Tree, place: u64, io: &mut Io) {
        let state = tree.state(place);
        if state == MEMTABLE || state == FLUSHING {
            return;
        }
        for (slot, table) in tree.level0.iter().rev() {
            if self.probe(table, place, *slot == state, io) {
                return;
            }
        }
        if (SLOTS..LEVELS).contains(&state) {
            return;
        }
        for level in 1..=MOST_LEVELS {
            let here = state == LEVELS + level as u8;
            if let Some(table) = tree.covering(level, place)
                && self.probe(table, place, here, io)
            {
                return;
            }
        }
    }

    /// Looks for a record in a file; whether it was there.
    fn probe(&mut self, table: &Table, place: u64, here: bool, io: &mut Io) -> bool {
        if here || self.passes >= 1.0 || unit(&mut self.rng) < self.passes {
            let block = table.block_of(place, self.block_records);
            self.block(table, block, io);
        }
        here
    }

    /// Reads a block unless it is cached.
    fn block(&mut self, table: &Table, block: u64, io: &mut Io) {
        if let Some(cache) = &mut self.cache {
            if cache.get(&(table.id, block)).is_some() {
                return;
            }
            cache.put((table.id, block), ());
        }
        for (start, length) in table.runs(block * self.block_bytes, self.block_bytes, PAGE) {
            io.push(HostOp::Read, start, length);
        }
    }

    /// Reads records from a place on: in each file a block to begin with, then the blocks of the records that it has there.
    pub(super) fn scan(&mut self, tree: &Tree, place: u64, records: u64, io: &mut Io) {
        let by_level = records_by_level(tree, place, records);
        for (_, table) in tree.level0.iter().rev() {
            let block = table.block_of(place, self.block_records);
            self.block(table, block, io);
        }
        for level in 1..=MOST_LEVELS {
            let Some(table) = tree.covering(level, place) else { continue };
            let count = by_level.get(level).copied().unwrap_or_default();
            self.run(table, place, count.div_ceil(self.block_records).max(1), io);
        }
    }

    /// Reads blocks one behind the other: some by themselves, then ahead, twice as much each time.
    fn run(&mut self, table: &Table, place: u64, blocks: u64, io: &mut Io) {
        let first = table.block_of(place, self.block_records);
        for block in first..first + blocks.min(SINGLE) {
            self.block(table, block, io);
        }
        let mut offset = (first + SINGLE) * self.block_bytes;
        let mut left = blocks.saturating_sub(SINGLE) * self.block_bytes;
        let mut ahead = 2 * self.block_bytes;
        while left > 0 {
            let length = ahead.min(AHEAD).min(left);
            for (start, length) in table.runs(offset, length, PAGE) {
                io.push(HostOp::Read, start, length);
            }
            offset += length;
            left -= length;
            ahead *= 2;
        }
    }
}

/// How many of the next records each level holds; level 0 and the memtable count together.
fn records_by_level(tree: &Tree, place: u64, records: u64) -> [u64; MOST_LEVELS + 1] {
    let mut by_level = [0; MOST_LEVELS + 1];
    let states = tree.newest.get(place as usize..).unwrap_or(&[]).iter().filter(|state| **state != NOWHERE);
    for state in states.take(records as usize) {
        let level = if *state >= LEVELS { usize::from(*state - LEVELS) } else { 0 };
        if let Some(count) = by_level.get_mut(level) {
            *count += 1;
        }
    }
    by_level
}
