//! Traces read for themselves, without a drive.

use std::path::Path;

use pyo3::prelude::*;
use wordline_trace::{
    OpenContext, Opened, SourceConfig, TraceConfig, TraceInfo, WriteFormat, open_all, write_trace,
};

use crate::describe::{Overrides, Text, workload_of};
use crate::error::mistake;
use crate::guard::guarded;
use crate::watch::{Watch, Watched};

/// What the requests of a workload are, as JSON. `progress` is called as in a run, with the requests' own time.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, progress=None))]
pub fn trace_info(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    read(py, &workload, &overrides, base_dir, progress, |opened| {
        let info = TraceInfo::collect(opened).map_err(mistake)?;
        serde_json::to_string(&info).map_err(mistake)
    })
}

/// Writes the requests of a workload to a file; returns their number, and the remarks on reading and writing.
///
/// `format` is `wordline`, `parquet`, `mqsim` or `fio_iolog`; what the file's name ends with when left out.
#[pyfunction]
#[pyo3(signature = (workload, overrides, *, base_dir, out, format=None, progress=None))]
pub fn trace_convert(
    py: Python<'_>,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
    out: &str,
    format: Option<&str>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(u64, Vec<String>)> {
    let out = Path::new(out);
    let format = match format {
        Some(name) => serde_json::from_value(name.into())
            .map_err(|_| mistake(format!("--to {name}: allowed: wordline, parquet, mqsim or fio_iolog")))?,
        None => WriteFormat::of_name(out),
    };
    read(py, &workload, &overrides, base_dir, progress, |opened| {
        let written = write_trace(&mut *opened.source, out, format).map_err(mistake)?;
        let mut notes = opened.notes.lines();
        notes.extend(written.notes());
        Ok((written.requests, notes))
    })
}

fn read<T: Send>(
    py: Python<'_>,
    workload: &Text,
    overrides: &Overrides,
    base_dir: &str,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&mut Opened) -> PyResult<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        guarded(|| {
            let workload = workload_of(workload, overrides).map_err(mistake)?;
            if let Some(SourceConfig::Trace(TraceConfig { before: Some(before), .. })) = &workload.source {
                return Err(mistake(format_args!(
                    "before = {}: allowed: where a drive runs the trace: nothing of it is told or written here",
                    before.display()
                )));
            }
            // No drive is there, so none is too small.
            let context = OpenContext { drive_bytes: u64::MAX, seed: 0, base_dir: Path::new(base_dir) };
            let Opened { source, notes } = open_all(&workload, &context).map_err(mistake)?;
            let watch = Watch::new(progress, source.size_hint());
            let mut watched = Opened { source: Box::new(Watched::new(source, watch.clone())), notes };
            watch.outcome(work(&mut watched))
        })
    })
}
