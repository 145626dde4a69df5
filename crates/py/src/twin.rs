//! Profiles of traces.

use std::path::Path;

use pyo3::prelude::*;
use wordline_trace::twin::{FitOptions, fit};
use wordline_trace::{OpenContext, open_all, write_csv};

use crate::describe::{Overrides, Text, workload_of};
use crate::error::{guarded, mistake};

/// The profile of a workload's requests, as TOML. `held` is the share of its requests that the profile may hold.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, name, piece=None, held=None))]
pub fn trace_fit(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    name: &str,
    piece: Option<usize>,
    held: Option<f64>,
) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let workload = workload_of(&workload, &overrides).map_err(mistake)?;
            // No drive is there, so none is too small.
            let context = OpenContext { drive_bytes: u64::MAX, seed: 0, base_dir: Path::new(base_dir) };
            let options = FitOptions { piece, held: held.unwrap_or(FitOptions::default().held) };
            let profile = fit(name, &options, &mut || open_all(&workload, &context)).map_err(mistake)?;
            Ok(profile.to_toml())
        })
    })
}

/// Writes the requests of a workload to a file of Wordline's own form, drawn with `seed`; returns their number.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, out, seed))]
pub fn trace_gen(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    out: &str,
    seed: u64,
) -> PyResult<u64> {
    py.detach(|| {
        guarded(|| {
            let workload = workload_of(&workload, &overrides).map_err(mistake)?;
            let context = OpenContext { drive_bytes: u64::MAX, seed, base_dir: Path::new(base_dir) };
            let mut opened = open_all(&workload, &context).map_err(mistake)?;
            write_csv(&mut *opened.source, Path::new(out)).map_err(mistake)
        })
    })
}
