//! Job files of fio.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pyo3::prelude::*;
use wordline_engine::config::to_toml;
use wordline_trace::fio::{Given, import};

use crate::error::mistakes;
use crate::guard::guarded;

/// A job file as a workload in TOML, and remarks on what was left out. Files that it includes are found in `folder`, values of
/// variables in `environment`; of `sections` those are read, or all if none is named; `settings` stand behind the lines of each
/// job. Errors name `label` and the line, each of several in a line of its own.
#[pyfunction]
pub fn fio_workload(
    name: &str,
    label: &str,
    text: &str,
    folder: PathBuf,
    environment: BTreeMap<String, String>,
    sections: Vec<String>,
    settings: Vec<String>,
) -> PyResult<(String, Vec<String>)> {
    guarded(|| {
        let given = Given { folder: Some(folder), environment, sections, settings };
        let imported = import(name, text, &given).map_err(|reasons| {
            let labelled: Vec<String> = reasons.lines().map(|reason| format!("{label}: {reason}")).collect();
            mistakes(labelled.iter().map(String::as_str))
        })?;
        let imported = imported.of_file(label);
        Ok((to_toml(&imported.workload), imported.notes))
    })
}
