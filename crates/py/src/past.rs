//! What came before a workload's first request, where the drive is to start in the state that it led to.

use pyo3::prelude::*;
use wordline_engine::config::host::Arrivals;
use wordline_engine::config::run::StartLayout;
use wordline_engine::host::RequestSource;
use wordline_engine::{Before, Setup, WritePattern};
use wordline_trace::{
    OpenContext, OpenError, Preceded, SourceConfig, Writes, before, flows_before, recorded_before,
    requests_before,
};

use crate::describe::Described;
use crate::requests::Requests;

type Source = Box<dyn RequestSource + Send>;

/// Requests like those of a workload, for its drive to settle.
#[derive(Default)]
pub struct Past {
    /// So many of them take simulated time.
    pub requests: u64,
    /// The same of each flow.
    of_flows: Vec<u64>,
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
        let past = Self::of_workload(described, setup, context)?;
        setup.window.warmup_requests = setup.window.warmup_requests.saturating_add(past.requests);
        Ok(past)
    }

    fn of_workload(described: &Described, setup: &mut Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let workload = &described.workload;
        let recorded = match &workload.source {
            Some(source) => recorded_before(source, context).map_err(|error| described.not_opened(error))?,
            None => None,
        };
        if let Some(requests) = recorded {
            return Ok(Self { requests, ..Self::default() });
        }
        let known = requests_before(workload, context).map_err(|error| described.not_opened(error))?;
        let Some(writes) = Writes::of(workload, context.drive_bytes).filter(|_| known.is_some()) else {
            return Ok(Self::default());
        };
        let steady = setup.start.layout == StartLayout::Steady && setup.scheme.array.is_none();
        let past = Self {
            carried_out: steady && writes.any() && !setup.has_steady_formula(writes.overwrites),
            never_rests: steady
                && writes.any()
                && setup.scheme.slc_cache.is_on()
                && never_rests(described, setup),
            looked_up: steady && setup.scheme.mapping.policy.is_cached(),
            ..Self::default()
        };
        let units = if steady { setup.units_written_together(writes.overwrites.bytes) } else { None };
        let pattern = |text: Option<String>| WritePattern::of(units.unwrap_or(1), text);
        // What is carried out leaves victims that are chosen anew first; caches that are filled don't.
        setup.pattern = pattern(past.carried_out.then(|| writes.pattern.clone()));
        let requests = setup.settling_requests(writes.bytes_per_request);
        if past.never_rests || past.looked_up {
            let rests = if past.never_rests { ", without a rest" } else { "" };
            setup.pattern = pattern(Some(writes.pattern + rests));
        }
        if workload.source.is_some() {
            return Ok(Self { requests, ..past });
        }
        // Flows settle as they go on beside one another.
        let of_flow = |share: &f64| (share * requests as f64).ceil() as u64;
        let of_flows: Vec<u64> = writes.shares.iter().map(of_flow).collect();
        Ok(Self { requests: of_flows.iter().sum(), of_flows, ..past })
    }

    /// The requests of the workload with those before them.
    pub fn put_before(
        &self,
        requests: Requests,
        described: &Described,
        context: &OpenContext<'_>,
    ) -> PyResult<Requests> {
        if self.requests == 0 {
            return Ok(requests);
        }
        match requests {
            Requests::One(opened) => {
                let before = match &described.workload.source {
                    Some(source) => open(described, source, context)?,
                    None => None,
                };
                Ok(Requests::One(match before {
                    Some(before) => Preceded::open(before, self.requests, opened),
                    None => opened,
                }))
            }
            Requests::Flows(mut flows) => {
                let before = flows_before(&described.workload, context)
                    .map_err(|error| described.not_opened(error))?;
                let each = before.unwrap_or_default().into_iter().zip(&self.of_flows);
                flows = flows
                    .into_iter()
                    .zip(each)
                    .map(|(mut flow, (before, &count))| {
                        flow.opened = Preceded::open(before, count, flow.opened);
                        flow
                    })
                    .collect();
                Ok(Requests::Flows(flows))
            }
        }
    }

    /// Requests by which the drive is prepared.
    pub fn sources(&self, described: &Described, context: &OpenContext<'_>) -> PyResult<Sources> {
        let wanted = |on: bool| {
            let opened = if on { requests_before(&described.workload, context) } else { Ok(None) };
            opened.map_err(|error| described.not_opened(error))
        };
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

/// Whether some flow of the workload always has a request in the drive.
fn never_rests(described: &Described, setup: &Setup) -> bool {
    let host = &setup.host;
    let goes_on = |arrivals: Arrivals, think_time_ns: u64| {
        arrivals == Arrivals::Closed && think_time_ns < setup.scheme.maintenance.idle_after_ns
    };
    let flows = described.workload.flow.iter().enumerate();
    let mut rules = flows.map(|(number, flow)| flow.rules(number, host));
    match &described.workload.source {
        Some(_) => goes_on(host.arrivals, host.think_time_ns),
        None => rules.any(|rules| goes_on(rules.arrivals, rules.think_time_ns)),
    }
}
