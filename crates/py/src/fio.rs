//! Job files of fio.

use pyo3::prelude::*;
use wordline_engine::config::to_toml;
use wordline_trace::fio::import;

use crate::error::{guarded, mistake};

/// A job file as a workload in TOML, and remarks on what was left out. Errors name `label` and the line.
#[pyfunction]
pub fn fio_workload(name: &str, label: &str, text: &str) -> PyResult<(String, Vec<String>)> {
    guarded(|| {
        let imported =
            import(name, text).map_err(|what| mistake(format_args!("{label}: {what}")))?.of_file(label);
        Ok((to_toml(&imported.workload), imported.notes))
    })
}
