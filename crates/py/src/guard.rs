//! The border to Python: no panic crosses it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

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
