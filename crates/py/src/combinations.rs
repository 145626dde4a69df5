//! Which parts of a scheme go together.

use pyo3::prelude::*;
use wordline_engine::systems::combine;

/// Every part that a scheme may have: its name, the slots that it fills, and its keys as TOML relative to the scheme. Two
/// parts that fill the same slot exclude each other.
#[pyfunction]
pub fn parts() -> Vec<(&'static str, Vec<&'static str>, &'static str)> {
    combine::parts()
        .map(|part| (part.name, part.slots.iter().map(|slot| slot.name()).collect(), part.keys))
        .collect()
}
