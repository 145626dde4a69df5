//! The one exception of the package, and the guard that no panic passes.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
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

/// Calls `work`; a panic in it, which is a defect of the simulator, becomes a `RuntimeError`.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    crate::raised::forget();
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        Err(PyRuntimeError::new_err(format!("defect in the simulator: {}", panic_message(&*payload))))
    })
}

fn panic_message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown")
}
