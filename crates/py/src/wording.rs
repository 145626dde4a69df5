//! How messages name what was given, and words that are near to a wrong one.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use wordline_engine::config::suggest;

/// Whether who reads the messages of this process gave options of the command, or arguments of Python.
static OF_COMMAND: AtomicBool = AtomicBool::new(false);

/// Has messages speak of options of the command, or of arguments; returns of which they spoke before.
#[pyfunction]
pub fn speak_of_options(wanted: bool) -> bool {
    OF_COMMAND.swap(wanted, Ordering::Relaxed)
}

/// Whether messages speak of options of the command.
#[pyfunction]
pub fn speaks_of_options() -> bool {
    OF_COMMAND.load(Ordering::Relaxed)
}

/// The word most like this one, if any is near enough to be what was meant.
#[pyfunction]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    suggest::nearest(word, &known).map(str::to_owned)
}
