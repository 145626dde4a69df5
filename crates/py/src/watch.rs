//! The watch over work that goes on without the GIL: signals and progress, some ten times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use wordline_engine::Observer;
use wordline_engine::host::{HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;

use crate::raised::{self, has_raised};

/// Time between two looks at Python.
const INTERVAL: Duration = Duration::from_millis(100);

/// Stops the work when Python has a signal to handle (Ctrl-C) or the progress callback raises. Clones watch the
/// same work.
#[derive(Clone)]
pub struct Watch {
    progress: Option<Arc<Py<PyAny>>>,
    total: Option<u64>,
    last: Instant,
    /// Whether the last answer was told.
    ended: bool,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Watch {
    /// A watch that calls `progress(requests_done, total, simulated_ns)`. Once all requests are done only the time goes on: what
    /// the drive does behind the last answer.
    pub fn new(progress: Option<Py<PyAny>>, total: Option<u64>) -> Self {
        let progress = progress.map(Arc::new);
        Self { progress, total, last: Instant::now(), ended: false, raised: Arc::default() }
    }

    /// The same watch without progress, for work that comes before.
    pub fn silent(&self) -> Self {
        Self { progress: None, ..self.clone() }
    }

    /// What the work came to: what was raised in Python goes before what became of the work.
    pub fn outcome<T>(&self, work: PyResult<T>) -> PyResult<T> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match raised.or_else(raised::take) {
            Some(raised) => Err(raised),
            None => work.map_err(raised::placed),
        }
    }

    fn look(&self, requests_done: u64, simulated: Ns) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(progress) = &self.progress {
                progress.call1(py, (requests_done, self.total, simulated.0))?;
            }
            Ok(())
        })
    }
}

impl Observer for Watch {
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool {
        if has_raised() {
            return false;
        }
        // The last answer is told whenever it comes, so that a bar ends full.
        let ends = !self.ended && self.total.is_some_and(|total| requests_done >= total);
        if self.last.elapsed() < INTERVAL && !ends {
            return true;
        }
        self.ended |= ends;
        let looked = self.look(requests_done, simulated);
        self.last = Instant::now();
        match looked {
            Ok(()) => true,
            Err(raised) => {
                *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
                false
            }
        }
    }
}

/// A source that is read for itself, without a simulation, under a watch.
pub struct Watched {
    source: Box<dyn RequestSource + Send>,
    watch: Watch,
    requests: u64,
}

impl Watched {
    /// Watches the reading of `source`.
    pub fn new(source: Box<dyn RequestSource + Send>, watch: Watch) -> Self {
        Self { source, watch, requests: 0 }
    }
}

impl RequestSource for Watched {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        self.source.next_batch(batch)?;
        self.requests += (batch.len() - before) as u64;
        let now = batch.last().map_or(Ns::ZERO, |request| request.time);
        if self.watch.progress(self.requests, now) { Ok(()) } else { Err(SourceError("stopped".to_owned())) }
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()
    }
}
