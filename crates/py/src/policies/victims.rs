//! Victims of garbage collection by a class in Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wordline_engine::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_engine::blocks::{BlockState, Needs};
use wordline_engine::gc::VictimPolicy;
use wordline_engine::ids::SuperblockId;

use super::{Policy, bytes_of, state};

/// Asks `choose(blocks)` for the index of a superblock in its domain.
pub struct Victims(pub Policy);

impl VictimPolicy for Victims {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let chosen: Option<Option<u32>> = self.0.ask("choose", |py| {
            let bytes = |column: Vec<u8>| PyBytes::new(py, &column);
            let full = blocks.state.iter().map(|state| u8::from(*state == BlockState::Full)).collect();
            (
                blocks.first.0,
                blocks.capacity,
                blocks.most_valid,
                blocks.clock,
                bytes(bytes_of(blocks.valid.iter().map(|valid| valid & !NOT_A_CANDIDATE))),
                bytes(full),
                bytes(bytes_of(blocks.erases.iter().copied())),
                bytes(bytes_of(blocks.full_order.iter().copied())),
                bytes(blocks.changed.iter().flat_map(|changed| changed.to_ne_bytes()).collect()),
            )
                .into_pyobject(py)
        });
        chosen.flatten().map(|index| SuperblockId(blocks.first.0.saturating_add(index)))
    }

    fn needs(&self) -> Needs {
        let (full_order, last_change) =
            self.0.ask("needs", |py| Ok(pyo3::types::PyTuple::empty(py))).unwrap_or_default();
        Needs { full_order, last_change }
    }

    state!(VictimPolicy, 0, |_, policy| Self(policy));
}
