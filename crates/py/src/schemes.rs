//! Schemes of several parts.

use pyo3::prelude::*;
use wordline_drive::{Text, schemes};

use crate::describe;
use crate::error::mistake;
use crate::guard::guarded;

/// The scheme of these parts under this name, as what errors call it and its TOML. A part has a text of its own unless it is `key=value`.
#[pyfunction]
pub fn combined(name: &str, parts: Vec<(String, Option<describe::Text>)>) -> PyResult<describe::Text> {
    let text = |(label, toml): describe::Text| Text::new(label, toml);
    guarded(|| {
        let parts = parts.into_iter().map(|(part, known)| (part, known.map(text))).collect();
        schemes::combined(name, parts).map(|Text { label, toml }| (label, toml)).map_err(mistake)
    })
}
