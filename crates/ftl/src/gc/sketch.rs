//! Superblocks of one domain in a few words, for the tests of policies.

use super::VictimPolicy;
use crate::blocks::BlockState;
use crate::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_base::ids::SuperblockId;

/// Units of each superblock in a sketch; a flash page has one.
pub const CAPACITY: u32 = 8;

/// A domain whose first superblock is number 100.
#[derive(Clone, Default)]
pub struct Sketch {
    pub valid: Vec<u32>,
    pub state: Vec<BlockState>,
    pub erases: Vec<u32>,
    pub full_order: Vec<u32>,
    pub changed: Vec<u64>,
    pub clock: u64,
}

impl Sketch {
    /// Full superblocks with so many valid units, which became full in the order of their numbers.
    pub fn full(valid: &[u32]) -> Self {
        Self {
            valid: valid.to_vec(),
            state: vec![BlockState::Full; valid.len()],
            erases: vec![0; valid.len()],
            full_order: (0..valid.len() as u32).collect(),
            ..Self::default()
        }
    }

    /// This one is in another stage of life.
    pub fn but(mut self, index: u32, state: BlockState) -> Self {
        self.valid[index as usize] |= NOT_A_CANDIDATE;
        self.state[index as usize] = state;
        self.full_order.retain(|&other| other != index);
        self
    }

    /// Index that a policy chooses.
    pub fn chosen_by(&self, policy: &mut impl VictimPolicy) -> Option<u32> {
        let view = BlockView {
            first: SuperblockId(100),
            valid: &self.valid,
            state: &self.state,
            erases: &self.erases,
            full_order: &self.full_order,
            changed: &self.changed,
            clock: self.clock,
            capacity: CAPACITY,
            most_valid: CAPACITY - 1,
        };
        policy.choose(&view).map(|superblock| superblock.0 - 100)
    }

    /// How often each is chosen, of so many times; each choice is carried out.
    pub fn tally(mut self, policy: &mut impl VictimPolicy, times: u32) -> Vec<u32> {
        let mut chosen = vec![0; self.valid.len()];
        for _ in 0..times {
            if let Some(index) = self.chosen_by(policy) {
                chosen[index as usize] += 1;
                self.erases[index as usize] += 1;
            }
        }
        chosen
    }
}
