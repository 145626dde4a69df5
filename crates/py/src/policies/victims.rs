//! Victims of garbage collection by a class in Python.

use pyo3::types::PyTuple;
use wordline_engine::blocks::Needs;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::gc::VictimPolicy;
use wordline_engine::ids::SuperblockId;

use super::{Policy, state};

/// Asks `choose(blocks)` for the index of a superblock in its domain.
pub struct Victims(pub Policy);

impl VictimPolicy for Victims {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let chosen: Option<Option<u32>> = self.0.ask("choose", |py| super::blocks(py, blocks));
        chosen.flatten().map(|index| SuperblockId(blocks.first.0.saturating_add(index)))
    }

    fn needs(&self) -> Needs {
        let (full_order, last_change) = self.0.ask("needs", |py| Ok(PyTuple::empty(py))).unwrap_or_default();
        Needs { full_order, last_change }
    }

    state!(VictimPolicy, 0, |_, policy| Self(policy));
}
