//! The watch over work that goes on without the GIL: signals and progress, some ten times a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use wordline_engine::host::{HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;
use wordline_engine::{Observer, Overwritten};

use crate::raised::{self, has_raised};

/// Time between two looks at Python.
const INTERVAL: Duration = Duration::from_millis(100);

/// Stops the work when Python has a signal to handle (Ctrl-C) or the progress callback raises. Clones watch the
/// same work.
#[derive(Clone)]
pub struct Watch {
    progress: Option<Arc<Py<PyAny>>>,
    /// What is told of the preparation.
    preparing: Option<Arc<Py<PyAny>>>,
    total: Option<u64>,
    last: Instant,
    /// Whether the last answer was told.
    ended: bool,
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl Watch {
    /// A watch that calls `progress(requests_done, total, simulated_ns)`. Once all requests are done only the time goes on: what
    /// the drive does behind the last answer. While the drive is prepared by overwriting, `progress.preparing(done, least, pages)` is
    /// called in its place, where there is such a method.
    pub fn new(progress: Option<Py<PyAny>>, total: Option<u64>) -> Self {
        let preparing = Python::attach(|py| {
            progress.as_ref().and_then(|progress| progress.getattr(py, "preparing").ok()).map(Arc::new)
        });
        let progress = progress.map(Arc::new);
        Self { progress, preparing, total, last: Instant::now(), ended: false, raised: Arc::default() }
    }

    /// The same watch without progress, for work that comes before.
    pub fn silent(&self) -> Self {
        Self { progress: None, preparing: None, ..self.clone() }
    }

    /// What the work came to: what was raised in Python goes before what became of the work.
    pub fn outcome<T>(&self, work: PyResult<T>) -> PyResult<T> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        match raised.or_else(raised::take) {
            Some(raised) => Err(raised),
            None => work.map_err(raised::placed),
        }
    }

    /// Looks at Python, where it is time to: for a signal, and to tell how far the work is. Whether to go on.
    fn look(&mut self, at_once: bool, tell: impl FnOnce(&Self, Python<'_>) -> PyResult<()>) -> bool {
        if has_raised() {
            return false;
        }
        if self.last.elapsed() < INTERVAL && !at_once {
            return true;
        }
        let looked = Python::attach(|py| py.check_signals().and_then(|()| tell(self, py)));
        self.last = Instant::now();
        let Err(raised) = looked else { return true };
        *self.raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(raised);
        false
    }
}

impl Observer for Watch {
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool {
        // The last answer is told whenever it comes, so that a bar ends full.
        let ends = !self.ended && self.total.is_some_and(|total| requests_done >= total);
        self.ended |= ends;
        self.look(ends, |watch, py| match &watch.progress {
            Some(progress) => progress.call1(py, (requests_done, watch.total, simulated.0)).map(drop),
            None => Ok(()),
        })
    }

    fn preparing(&mut self, Overwritten { done, least, pages }: Overwritten) -> bool {
        if self.preparing.is_none() {
            return self.progress(0, Ns::ZERO);
        }
        self.look(false, |watch, py| match &watch.preparing {
            Some(preparing) => preparing.call1(py, (done, least, pages)).map(drop),
            None => Ok(()),
        })
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
