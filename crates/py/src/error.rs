//! The one exception of the package.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(
    wordline,
    WordlineError,
    PyValueError,
    "An input that can't be simulated, or a run that found itself inconsistent. The message is one line."
);

/// A message for a person as the package's exception.
pub fn mistake(message: impl std::fmt::Display) -> PyErr {
    WordlineError::new_err(message.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Several mistakes, one a line.
pub fn mistakes<'a>(messages: impl Iterator<Item = &'a str>) -> PyErr {
    let lines = messages.map(|message| message.split_whitespace().collect::<Vec<_>>().join(" "));
    WordlineError::new_err(lines.collect::<Vec<_>>().join("\n"))
}
