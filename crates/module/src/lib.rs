//! `wordline._core`: the bindings as a module, with the policies that are built in.

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    wordline_py::fill(module, wordline_py::BUILD, Vec::new())
}
