//! A policy of one slot: which superblock garbage collection empties next.

use std::collections::BTreeMap;

use serde::Deserialize;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::gc::VictimPolicy;
use wordline_engine::ids::SuperblockId;

/// `scheme.custom.round_robin`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoundRobinConfig {
    /// Superblocks with more than this share of valid pages are passed over while there are others; 0 to 1.
    pub most_valid: f64,
}

impl Default for RoundRobinConfig {
    fn default() -> Self {
        Self { most_valid: 1.0 }
    }
}

/// Goes round the superblocks of each domain, roughly in the order in which they were filled.
#[derive(Clone)]
pub struct RoundRobin {
    config: RoundRobinConfig,
    /// Where each domain's round goes on, by the domain's first superblock.
    next: BTreeMap<u32, u32>,
}

impl RoundRobin {
    /// Begins each round at the front.
    pub fn new(config: RoundRobinConfig) -> Self {
        Self { config, next: BTreeMap::new() }
    }
}

impl VictimPolicy for RoundRobin {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let next = self.next.entry(blocks.first.0).or_default();
        let count = blocks.valid.len() as u32;
        // What is not full has `NOT_A_CANDIDATE` added, which is more than any capacity.
        let wins = |index: &u32| blocks.valid[*index as usize] <= blocks.most_valid;
        let limit = self.config.most_valid * f64::from(blocks.capacity);
        let is_good = |index: &u32| f64::from(blocks.valid[*index as usize]) <= limit;
        let round = || (0..count).map(|step| (*next + step) % count).filter(wins);
        let chosen = round().find(is_good).or_else(|| round().next())?;
        *next = (chosen + 1) % count;
        Some(SuperblockId(blocks.first.0 + chosen))
    }

    fn save(&self) -> Vec<u8> {
        self.next
            .iter()
            .flat_map(|(first, next)| [first.to_le_bytes(), next.to_le_bytes()].concat())
            .collect()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        let (words, rest) = state.as_chunks::<4>();
        let (pairs, odd) = words.as_chunks::<2>();
        if !rest.is_empty() || !odd.is_empty() {
            return Err(format!("{} bytes are no pairs of numbers", state.len()));
        }
        self.next = pairs
            .iter()
            .map(|pair| pair.map(u32::from_le_bytes))
            .map(|[first, next]| (first, next))
            .collect();
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn VictimPolicy + Send>> {
        Some(Box::new(self.clone()))
    }
}
