//! What came before a workload's first request, where the drive is to start in the state that it led to.

use pyo3::prelude::*;
use wordline_engine::Setup;
use wordline_engine::config::run::StartLayout;
use wordline_engine::host::RequestSource;
use wordline_trace::{OpenContext, OpenError, Preceded, SourceConfig, before, written};

use crate::describe::Described;
use crate::requests::Requests;
use crate::run::not_opened;

type Source = Box<dyn RequestSource + Send>;

/// Requests like those of a workload, for its drive to settle.
pub struct Past {
    /// So many of them take simulated time.
    pub requests: u64,
    /// Whether the writes of more are carried out without.
    carried_out: bool,
}

impl Past {
    /// What a run needs of it. Has the setup leave it out of the window, and name it where the drive's state depends on it.
    pub fn of(described: &Described, setup: &mut Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let none = Self { requests: 0, carried_out: false };
        let Some(source) = &described.workload.source else { return Ok(none) };
        let (Some(written), Some(_)) = (written(source), open(described, source, context)?) else {
            return Ok(none);
        };
        let carried_out = setup.start.layout == StartLayout::Steady
            && written.bytes_per_request > 0.0
            && setup.scheme.array.is_none()
            && !setup.has_steady_formula(written.uniformly);
        setup.pattern = carried_out.then(|| pattern_of(source));
        let requests = setup.settling_requests(written.bytes_per_request);
        setup.window.warmup_requests = setup.window.warmup_requests.saturating_add(requests);
        Ok(Self { requests, carried_out })
    }

    /// The requests of the workload with those before them.
    pub fn put_before(
        &self,
        requests: Requests,
        described: &Described,
        context: &OpenContext<'_>,
    ) -> PyResult<Requests> {
        let before = match &described.workload.source {
            Some(source) if self.requests > 0 => open(described, source, context)?,
            _ => None,
        };
        Ok(match (requests, before) {
            (Requests::One(opened), Some(before)) => {
                Requests::One(Preceded::open(before, self.requests, opened))
            }
            (requests, _) => requests,
        })
    }

    /// Requests whose writes are carried out while the drive is prepared.
    pub fn pattern(&self, described: &Described, context: &OpenContext<'_>) -> PyResult<Option<Source>> {
        match described.workload.source.as_ref().filter(|_| self.carried_out) {
            Some(source) => open(described, source, context),
            None => Ok(None),
        }
    }
}

fn open(described: &Described, source: &SourceConfig, context: &OpenContext<'_>) -> PyResult<Option<Source>> {
    before(source, context).map_err(|error: OpenError| not_opened(described, error))
}

/// What the writes of a generator depend on beside its drive and seed: not how many follow, nor when.
fn pattern_of(source: &SourceConfig) -> String {
    match source {
        SourceConfig::Synthetic(config) => {
            let pattern =
                wordline_trace::SyntheticConfig { requests: 0, interarrival: None, ..config.clone() };
            serde_json::to_string(&pattern).unwrap_or_default()
        }
        other => serde_json::to_string(other).unwrap_or_default(),
    }
}
