//! Profiles of traces.

use std::path::Path;

use pyo3::prelude::*;
use wordline_trace::twin::{FitOptions, fit};
use wordline_trace::{OpenContext, Opened, open_all, write_csv};

use crate::describe::{Overrides, Text, workload_of};
use crate::error::mistake;
use crate::guard::guarded;
use crate::watch::{Watch, Watched};

/// The profile of a workload's requests, as TOML. `held` is the share of its requests that the profile may hold; with `model` it holds
/// none, but a model of their patterns.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, name, piece=None, held=None, model=false, progress=None))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn trace_fit(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    name: &str,
    piece: Option<usize>,
    held: Option<f64>,
    model: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let workload = workload_of(&workload, &overrides).map_err(mistake)?;
            // No drive is there, so none is too small.
            let context = OpenContext { drive_bytes: u64::MAX, seed: 0, base_dir: Path::new(base_dir) };
            let options = FitOptions { piece, held: held.unwrap_or(FitOptions::default().held), model };
            let watch = Watch::new(progress, None);
            let mut open = || open_all(&workload, &context).map(|opened| watched(opened, &watch));
            let profile = watch.outcome(fit(name, &options, &mut open).map_err(mistake))?;
            Ok(profile.to_toml())
        })
    })
}

/// Writes the requests of a workload to a file of Wordline's own form, drawn with `seed`; returns their number.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, out, seed, progress=None))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn trace_gen(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    out: &str,
    seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<u64> {
    py.detach(|| {
        guarded(|| {
            let workload = workload_of(&workload, &overrides).map_err(mistake)?;
            let context = OpenContext { drive_bytes: u64::MAX, seed, base_dir: Path::new(base_dir) };
            let opened = open_all(&workload, &context).map_err(mistake)?;
            let watch = Watch::new(progress, opened.source.size_hint());
            let mut opened = watched(opened, &watch);
            watch.outcome(write_csv(&mut *opened.source, Path::new(out)).map_err(mistake))
        })
    })
}

/// The same requests, under a watch.
fn watched(Opened { source, notes }: Opened, watch: &Watch) -> Opened {
    Opened { source: Box::new(Watched::new(source, watch.clone())), notes }
}
