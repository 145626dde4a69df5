//! What came before a workload's first request, where the drive is to start in the state that it led to.

use pyo3::prelude::*;
use wordline_engine::config::host::Arrivals;
use wordline_engine::config::run::StartLayout;
use wordline_engine::host::{RequestSource, Settling};
use wordline_engine::{Before, Setup};
use wordline_trace::{
    OpenContext, OpenError, Preceded, SourceConfig, before, flows_before, recorded_before, written,
    written_by_flows,
};

use crate::describe::Described;
use crate::requests::Requests;

type Source = Box<dyn RequestSource + Send>;

/// Requests like those of a workload, for its drive to settle.
#[derive(Default)]
pub struct Past {
    /// So many of them take simulated time.
    pub requests: u64,
    /// How flows settle.
    of_flows: Settling,
    /// Whether the writes of more are carried out without.
    carried_out: bool,
    /// Whether they never let the drive rest, so that its SLC cache is used up.
    never_rests: bool,
    /// Whether the cache of the map saw them.
    looked_up: bool,
}

/// The requests by which a drive is prepared.
#[derive(Default)]
pub struct Sources {
    pattern: Option<Source>,
    last: Option<Source>,
    never_rests: bool,
}

impl Sources {
    /// As the engine takes them.
    pub fn before(&mut self) -> Before<'_> {
        fn lent(source: &mut Option<Source>) -> Option<&mut dyn RequestSource> {
            source.as_mut().map(|source| &mut **source as &mut dyn RequestSource)
        }
        Before { pattern: lent(&mut self.pattern), never_rests: self.never_rests, last: lent(&mut self.last) }
    }
}

impl Past {
    /// What a run needs of it. Has the setup leave it out of the window, and name it where the drive's state depends on it.
    pub fn of(described: &Described, setup: &mut Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let past = match &described.workload.source {
            Some(source) => Self::of_source(described, source, setup, context)?,
            None => Self::of_flows(described, setup, context)?,
        };
        setup.window.warmup_requests = setup.window.warmup_requests.saturating_add(past.requests);
        Ok(past)
    }

    fn of_source(
        described: &Described,
        source: &SourceConfig,
        setup: &mut Setup,
        context: &OpenContext<'_>,
    ) -> PyResult<Self> {
        let recorded = recorded_before(source, context).map_err(|error| described.not_opened(error))?;
        if let Some(requests) = recorded {
            return Ok(Self { requests, ..Self::default() });
        }
        let (Some(written), Some(_)) = (written(source), open(described, source, context)?) else {
            return Ok(Self::default());
        };
        let steady = setup.start.layout == StartLayout::Steady && setup.scheme.array.is_none();
        let writes = written.bytes_per_request > 0.0;
        let host = &setup.host;
        let past = Self {
            carried_out: steady && writes && !setup.has_steady_formula(written.uniformly),
            never_rests: steady
                && writes
                && setup.scheme.slc_cache.is_on()
                && host.arrivals == Arrivals::Closed
                && host.think_time_ns < setup.scheme.maintenance.idle_after_ns,
            looked_up: steady && setup.scheme.mapping.policy.is_cached(),
            ..Self::default()
        };
        // What is carried out leaves victims that are chosen anew first; caches that are filled don't.
        setup.pattern = past.carried_out.then(|| pattern_of(source));
        let requests = setup.settling_requests(written.bytes_per_request);
        if past.never_rests || past.looked_up {
            let rests = if past.never_rests { ", without a rest" } else { "" };
            setup.pattern = Some(pattern_of(source) + rests);
        }
        Ok(Self { requests, ..past })
    }

    /// Flows settle beside one another until they have written what settles the drive, in which each has the part that it gets.
    fn of_flows(described: &Described, setup: &Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let known =
            flows_before(&described.workload, context).map_err(|error| described.not_opened(error))?;
        let Some((_, bytes)) = written_by_flows(&described.workload.flow).filter(|_| known.is_some()) else {
            return Ok(Self::default());
        };
        Ok(Self { of_flows: setup.settling_of_flows(bytes), ..Self::default() })
    }

    /// The requests of the workload with those before them.
    pub fn put_before(
        &self,
        requests: Requests,
        described: &Described,
        context: &OpenContext<'_>,
    ) -> PyResult<Requests> {
        match requests {
            Requests::One(opened) if self.requests > 0 => {
                let before = match &described.workload.source {
                    Some(source) => open(described, source, context)?,
                    None => None,
                };
                Ok(Requests::One(match before {
                    Some(before) => Preceded::open(before, self.requests, opened),
                    None => opened,
                }))
            }
            Requests::Flows(flows, _) => Ok(Requests::Flows(flows, self.of_flows)),
            one => Ok(one),
        }
    }

    /// Requests by which the drive is prepared.
    pub fn sources(&self, described: &Described, context: &OpenContext<'_>) -> PyResult<Sources> {
        let Some(source) = &described.workload.source else { return Ok(Sources::default()) };
        let wanted = |on: bool| if on { open(described, source, context) } else { Ok(None) };
        Ok(Sources {
            pattern: wanted(self.carried_out)?,
            last: wanted(self.looked_up)?,
            never_rests: self.never_rests,
        })
    }
}

fn open(described: &Described, source: &SourceConfig, context: &OpenContext<'_>) -> PyResult<Option<Source>> {
    before(source, context).map_err(|error: OpenError| described.not_opened(error))
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
