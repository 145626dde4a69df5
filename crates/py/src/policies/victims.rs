//! Victims of garbage collection by a class in Python.

use std::collections::BTreeSet;

use pyo3::types::PyTuple;
use wordline_engine::NO_COLLECTION_WINS;
use wordline_engine::blocks::Needs;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::gc::VictimPolicy;
use wordline_engine::ids::SuperblockId;

use super::{Policy, state};
use crate::raised::{answered, answered_otherwise};

/// Asks `choose(blocks)` for the index of a superblock in its domain.
pub struct Victims {
    policy: Policy,
    /// Domains, by their first superblock, for which it found none that wins anything when it was asked last.
    without: BTreeSet<u32>,
}

impl Victims {
    pub fn new(policy: Policy) -> Self {
        Self { policy, without: BTreeSet::new() }
    }

    /// Keeps that a domain has no victim from which anything is won, as a run that is short of space there ends.
    fn note(&mut self, blocks: &BlockView<'_>, chosen: Option<u32>) {
        let domain = blocks.first.0;
        let valid = chosen.and_then(|index| blocks.valid.get(index as usize));
        let answer = match (chosen, valid) {
            (None, _) => " = None",
            (Some(_), Some(valid)) if *valid > blocks.most_valid => {
                " = a superblock of which nothing is won (`blocks.candidates` has the others)"
            }
            (Some(_), _) => {
                if self.without.remove(&domain) && self.without.is_empty() {
                    answered_otherwise(NO_COLLECTION_WINS);
                }
                return;
            }
        };
        self.without.insert(domain);
        answered(NO_COLLECTION_WINS.to_owned(), self.policy.shared(), "choose", answer);
    }
}

impl VictimPolicy for Victims {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let chosen: Option<u32> = self.policy.ask::<Option<u32>>("choose", |py| super::blocks(py, blocks))?;
        self.note(blocks, chosen);
        chosen.map(|index| SuperblockId(blocks.first.0.saturating_add(index)))
    }

    fn needs(&self) -> Needs {
        let (full_order, last_change) =
            self.policy.ask("needs", |py| Ok(PyTuple::empty(py))).unwrap_or_default();
        Needs { full_order, last_change }
    }

    state!(VictimPolicy, policy, |_, policy| Self::new(policy));
}
