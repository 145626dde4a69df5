//! The requests of a workload: of one source, or of several flows.

use pyo3::prelude::*;
use wordline_engine::config::host::HostConfig;
use wordline_engine::host::{Flow, FlowSet, RequestSource, Settling};
use wordline_engine::{
    Ending, Observer, RunError, Setup, Split, Volume, replay_flows_in_parts, replay_in_parts,
};
use wordline_trace::{OpenContext, Opened, OpenedFlow, open, open_flows};

use crate::describe::Described;
use crate::held::Held;
use crate::traces::RunTrace;

/// Requests, ready to be replayed.
pub enum Requests {
    /// Of one source.
    One(Opened),
    /// Of flows beside one another, and how these settle.
    Flows(Vec<OpenedFlow>, Settling),
}

impl Requests {
    /// Opens the sources of a workload.
    pub fn open(described: &Described, context: &OpenContext<'_>) -> PyResult<Self> {
        match &described.workload.source {
            Some(source) => open(source, context).map(Self::One),
            None => {
                open_flows(&described.workload, context).map(|flows| Self::Flows(flows, Settling::default()))
            }
        }
        .map_err(|error| described.not_opened(error))
    }

    /// The sources of a workload, or in their place the requests that are in memory already.
    pub fn open_or_held(
        described: &Described,
        context: &OpenContext<'_>,
        held: Option<&Held>,
    ) -> PyResult<Self> {
        match held {
            Some(held) => held.open(described, context).map(Self::One),
            None => Self::open(described, context),
        }
    }

    /// Requests in all, where every source knows its number.
    pub fn size_hint(&self) -> Option<u64> {
        match self {
            Self::One(opened) => opened.source.size_hint(),
            Self::Flows(flows, _) => flows.iter().map(|flow| flow.opened.source.size_hint()).sum(),
        }
    }

    /// The same of the whole run, where nobody knows how many like them flows settle by and go on with.
    pub fn total(&self) -> Option<u64> {
        match self {
            Self::Flows(flows, settling)
                if settling.requests > 0
                    || flows.len() > 1 && flows.iter().any(|flow| flow.rules.goes_on) =>
            {
                None
            }
            _ => self.size_hint(),
        }
    }

    /// Replays them, or a part of them, on a drive or an array that is prepared or about to go on.
    pub fn replay<V: Volume>(
        &mut self,
        setup: &Setup,
        device: &mut V,
        observer: &mut dyn Observer,
        split: Split<'_>,
    ) -> Result<Ending, RunError> {
        match self {
            Self::One(opened) => replay_in_parts(setup, device, &mut *opened.source, observer, split),
            Self::Flows(flows, settling) => {
                let flows = flows.iter_mut().map(|flow| Flow {
                    alike: flow.alike.as_mut().map(|alike| &mut **alike as &mut dyn RequestSource),
                    ..Flow::new(flow.rules.clone(), &mut *flow.opened.source)
                });
                let flows = FlowSet { flows: flows.collect(), settling: *settling };
                replay_flows_in_parts(setup, device, flows, None, observer, split)
            }
        }
    }

    /// The traces that were replayed, as far as something of them was read.
    pub fn traces(&self, host: &HostConfig) -> Vec<RunTrace> {
        match self {
            Self::One(opened) => {
                let of = |facts| RunTrace::new(None, facts, host.arrivals, host.time_scale);
                opened.notes.traces().into_iter().map(of).collect()
            }
            Self::Flows(flows, _) => {
                let traces = |flow: &OpenedFlow| {
                    let rules = flow.rules.clone();
                    flow.opened.notes.traces().into_iter().map(move |facts| {
                        RunTrace::new(Some(rules.name.clone()), facts, rules.arrivals, rules.time_scale)
                    })
                };
                flows.iter().flat_map(traces).collect()
            }
        }
    }

    /// What the sources did that their user should know of.
    pub fn notes(&self) -> Vec<String> {
        match self {
            Self::One(opened) => opened.notes.lines(),
            Self::Flows(flows, _) => {
                let named = |flow: &OpenedFlow| {
                    let name = flow.rules.name.clone();
                    flow.opened.notes.lines().into_iter().map(move |line| format!("{name}: {line}"))
                };
                flows.iter().flat_map(named).collect()
            }
        }
    }
}
