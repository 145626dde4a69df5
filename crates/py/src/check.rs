//! A run looked at without running it: what its inputs come to, and whether they will do.

use std::path::Path;

use pyo3::prelude::*;
use serde::Serialize;
use wordline_engine::WritePattern;
use wordline_trace::OpenContext;

use crate::describe::{Described, Overrides, Text, describe};
use crate::error::mistake;
use crate::guard::guarded;
use crate::past::Past;
use crate::requests::Requests;

/// The inputs of a run, every default filled in.
#[derive(Serialize)]
struct Checked<'a> {
    #[serde(flatten)]
    described: &'a Described,
    logical_bytes: u64,
    /// Requests in all, where the sources know.
    requests: Option<u64>,
    /// What the drive's preparation depends on of the requests.
    pattern: Option<WritePattern>,
}

/// The configuration in force, as JSON, with the drive's size and the number of requests where it is known. Whatever can
/// be refused before the first request is refused here; traces are opened, not read. With `whole_drive` an empty drive
/// is made, which finds what only its parts together can refuse.
#[pyfunction]
#[pyo3(signature = (device, scheme, workload, *, overrides, seed, checked, base_dir, whole_drive))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn check(
    py: Python<'_>,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
    base_dir: &str,
    whole_drive: bool,
) -> PyResult<String> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let mut setup = described.setup(seed, checked);
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed, base_dir: Path::new(base_dir) };
            Past::of(&described, &mut setup, &context)?;
            let requests = Requests::open(&described, &context)?.size_hint();
            if whole_drive {
                setup.empty_drive().map_err(|error| described.mistake(error))?;
            }
            let pattern = setup.pattern;
            let whole = Checked { described: &described, logical_bytes: drive_bytes, requests, pattern };
            serde_json::to_string(&whole).map_err(mistake)
        })
    })
}
