//! A trace held in memory, for any number of runs side by side.

use std::path::Path;
use std::sync::Arc;

use pyo3::prelude::*;
use wordline_engine::host::{HostRequest, RequestSource, SourceError};
use wordline_trace::{Notes, OpenContext, Opened, SourceConfig, open};

use crate::describe::{Described, Overrides, Text, describe};
use crate::error::mistake;
use crate::guard::guarded;
use crate::watch::{Watch, Watched};

/// Requests given at once.
const BATCH: usize = 512;

/// The requests of a trace, read once.
#[pyclass(frozen, module = "wordline._core")]
pub struct Held {
    /// What the requests depend on: the source's description, its folder and the drive's size.
    origin: String,
    requests: Arc<[HostRequest]>,
    notes: Notes,
}

#[pymethods]
impl Held {
    /// Requests.
    fn __len__(&self) -> usize {
        self.requests.len()
    }

    /// Memory that the requests take, bytes.
    fn bytes(&self) -> usize {
        size_of_val(&*self.requests)
    }
}

impl Held {
    /// The requests, from their start, for a run that would open the same source.
    pub fn open(&self, described: &Described, context: &OpenContext<'_>) -> PyResult<Opened> {
        match origin(described, context)? {
            Some(origin) if origin == self.origin => {
                let source = Again { requests: Arc::clone(&self.requests), next: 0 };
                Ok(Opened { source: Box::new(source), notes: self.notes.clone() })
            }
            _ => Err(mistake("the requests were held for another source, folder or size of the drive")),
        }
    }
}

/// What the requests of a run's only source depend on, if that is a trace: its description, its folder and the drive's
/// size, but no seed.
fn origin(described: &Described, context: &OpenContext<'_>) -> PyResult<Option<String>> {
    let Some(source @ SourceConfig::Trace(_)) = &described.workload.source else { return Ok(None) };
    let text = serde_json::to_string(source).map_err(mistake)?;
    Ok(Some(format!("{text} {} {}", context.drive_bytes, context.base_dir.display())))
}

/// Requests from memory.
struct Again {
    requests: Arc<[HostRequest]>,
    next: usize,
}

impl RequestSource for Again {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let end = self.requests.len().min(self.next + BATCH);
        batch.extend_from_slice(self.requests.get(self.next..end).unwrap_or_default());
        self.next = end;
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.requests.len() as u64)
    }
}

/// Reads the trace of a run into memory; `None` where the requests are generated or come from several flows.
#[pyfunction]
#[pyo3(signature = (device, scheme, workload, *, overrides, base_dir))]
pub fn hold(
    py: Python<'_>,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    base_dir: &str,
) -> PyResult<Option<Held>> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let setup = described.setup(0, false);
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed: 0, base_dir: Path::new(base_dir) };
            let (Some(origin), Some(source)) = (origin(&described, &context)?, &described.workload.source)
            else {
                return Ok(None);
            };
            let Opened { source, notes } =
                open(source, &context).map_err(|error| described.not_opened(error))?;
            let watch = Watch::new(None, None);
            let mut watched = Watched::new(source, watch.clone());
            let mut requests = Vec::new();
            let read = read_all(&mut watched, &mut requests).map_err(mistake);
            watch.outcome(read)?;
            Ok(Some(Held { origin, requests: requests.into(), notes }))
        })
    })
}

fn read_all(source: &mut dyn RequestSource, requests: &mut Vec<HostRequest>) -> Result<(), SourceError> {
    let mut before = usize::MAX;
    while requests.len() != before {
        before = requests.len();
        source.next_batch(requests)?;
    }
    Ok(())
}
