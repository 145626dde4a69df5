//! Which parts of a scheme go together.

use pyo3::prelude::*;
use wordline_engine::config::combine::Slot;

/// Name, slots filled, slots that must be left as by default, and keys of a part.
type PartRow = (&'static str, Vec<&'static str>, Vec<&'static str>, &'static str);

/// Every part that a scheme may have: its name, the slots that it fills, those that must be left as by default beside it,
/// and its keys as TOML relative to the scheme. Two parts that fill the same slot exclude each other.
#[pyfunction]
pub fn parts() -> Vec<PartRow> {
    let names = |slots: &[Slot]| slots.iter().map(|slot| slot.name()).collect();
    wordline_engine::custom::parts()
        .map(|part| (part.name, names(part.slots), names(part.without), part.keys))
        .collect()
}
