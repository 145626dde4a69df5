//! What came before a workload's first request, where the drive is to start in the state that it led to.

use pyo3::prelude::*;
use wordline_base::draws::Draws;
use wordline_engine::config::WindowConfig;
use wordline_engine::config::combine::Slot;
use wordline_engine::config::host::Arrivals;
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::host::{RequestSource, Settling};
use wordline_engine::stats::notes::Note;
use wordline_engine::{Before, LookedUp, Setup, WritePattern};
use wordline_trace::{
    OpenContext, OpenError, Preceded, SourceConfig, Writes, before, law_before, recorded_before,
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
    /// How flows settle.
    of_flows: Settling,
    /// Whether they are those of a file that was recorded before.
    is_recorded: bool,
    /// Whether the writes of more are carried out without.
    carried_out: bool,
    /// Whether those give nothing up.
    never_trims: bool,
    /// Whether they never let the drive rest, so that its SLC cache is used up.
    never_rests: bool,
    /// Whether those follow one another.
    in_sequence: bool,
    /// Whether the cache of the map saw more of them.
    looked_up: bool,
    /// Whether they go through it one by one: no formula says what they leave in it.
    looked_up_singly: bool,
    /// What the reader of the result should know of that.
    pub note: Option<Note>,
}

/// The requests by which a drive is prepared.
#[derive(Default)]
pub struct Sources {
    pattern: Option<Source>,
    law: Option<Vec<Draws>>,
    looked_up: Option<Source>,
    never_trims: bool,
    never_rests: bool,
    in_sequence: bool,
}

impl Sources {
    /// As the engine takes them.
    pub fn before(&mut self) -> Before<'_> {
        fn lent(source: &mut Option<Source>) -> Option<&mut dyn RequestSource> {
            source.as_mut().map(|source| &mut **source as &mut dyn RequestSource)
        }
        let last = match lent(&mut self.looked_up) {
            Some(requests) => Some(LookedUp::Requests(requests)),
            None => self.law.as_deref().map(LookedUp::Law),
        };
        let Self { never_trims, never_rests, in_sequence, .. } = *self;
        Before { pattern: lent(&mut self.pattern), never_trims, never_rests, in_sequence, last }
    }
}

impl Past {
    /// What a run needs of it. Has the setup leave it out of the window, and name it where the drive's state depends on it.
    pub fn of(described: &Described, setup: &mut Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let mut past = Self::of_workload(described, setup, context)?;
        past.look_up(described, setup, context)?;
        setup.settling = past.requests;
        Ok(past)
    }

    /// Whether the cache of the map begins as they leave it: where it is known how they are drawn. Has the setup name them then.
    fn look_up(
        &mut self,
        described: &Described,
        setup: &mut Setup,
        context: &OpenContext<'_>,
    ) -> PyResult<()> {
        let start = &setup.start;
        let wanted = setup.scheme.mapping.policy.is_cached()
            && start.map_cache.is_used()
            && !matches!(start.occupancy, Occupancy::None | Occupancy::Share(0.0));
        if !wanted || self.is_recorded {
            return Ok(());
        }
        let workload = &described.workload;
        let known = law_before(workload, context).map_err(|error| described.not_opened(error))?;
        if known.is_none() || setup.scheme.array.is_some() {
            self.note = (setup.window == WindowConfig::default()).then(begins_empty);
            return Ok(());
        }
        self.looked_up = true;
        let own = wordline_engine::custom::fills(&setup.scheme.custom, Slot::Mapping);
        self.looked_up_singly = own || !setup.scheme.mapping.policy.leaves_by_formula();
        let rests = if self.never_rests { ", without a rest" } else { "" };
        let pattern = match Writes::of(workload, context.drive_bytes) {
            Some(writes) => writes.pattern + rests,
            None => serde_json::to_string(workload).unwrap_or_default(),
        };
        let units = setup.pattern.as_ref().map_or(1, |pattern| pattern.units_together);
        setup.pattern = WritePattern::of(units, Some(pattern));
        Ok(())
    }

    fn of_workload(described: &Described, setup: &mut Setup, context: &OpenContext<'_>) -> PyResult<Self> {
        let workload = &described.workload;
        let recorded = match &workload.source {
            Some(source) => recorded_before(source, context).map_err(|error| described.not_opened(error))?,
            None => None,
        };
        if let Some(requests) = recorded {
            return Ok(Self { requests, is_recorded: true, ..Self::default() });
        }
        let known = requests_before(workload, context).map_err(|error| described.not_opened(error))?;
        let Some(writes) = Writes::of(workload, context.drive_bytes).filter(|_| known.is_some()) else {
            return Ok(Self::default());
        };
        if setup.start.layout == StartLayout::Steady && writes.in_sequence && !writes.any() {
            setup.start.layout = StartLayout::InOrder;
        }
        let steady = setup.start.layout == StartLayout::Steady;
        let past = Self {
            carried_out: steady && writes.any() && !setup.has_steady_formula(writes.overwrites),
            never_trims: !writes.trims,
            in_sequence: writes.in_sequence,
            never_rests: steady
                && writes.any()
                && setup.scheme.slc_cache.is_on()
                && never_rests(described, setup),
            ..Self::default()
        };
        let units = if steady { setup.units_written_together(writes.overwrites.bytes) } else { None };
        let pattern = |text: Option<String>| WritePattern::of(units.unwrap_or(1), text);
        // What is carried out leaves victims that are chosen anew first; caches that are filled don't.
        setup.pattern = pattern(past.carried_out.then(|| writes.pattern.clone()));
        // Flows settle beside one another until they have written what settles the drive, in which each has the part that it gets.
        let (requests, of_flows) = match &workload.source {
            Some(_) => (setup.settling_requests(writes.bytes_per_request), Settling::default()),
            None => (0, setup.settling_of_flows(writes.bytes_per_request)),
        };
        if past.never_rests {
            setup.pattern = pattern(Some(writes.pattern + ", without a rest"));
        }
        Ok(Self { requests, of_flows, ..past })
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
        let law = match self.looked_up && !self.looked_up_singly {
            true => law_before(&described.workload, context).map_err(|error| described.not_opened(error))?,
            false => None,
        };
        let requests = |wanted: bool| match wanted {
            true => {
                requests_before(&described.workload, context).map_err(|error| described.not_opened(error))
            }
            false => Ok(None),
        };
        let (pattern, looked_up) = (requests(self.carried_out)?, requests(self.looked_up_singly)?);
        let Self { never_trims, never_rests, in_sequence, .. } = *self;
        Ok(Sources { pattern, law, looked_up, never_trims, never_rests, in_sequence })
    }
}

fn open(described: &Described, source: &SourceConfig, context: &OpenContext<'_>) -> PyResult<Option<Source>> {
    before(source, context).map_err(|error: OpenError| described.not_opened(error))
}

fn begins_empty() -> Note {
    Note::new(
        "empty_map_cache",
        "the cache of the map (scheme.mapping) began empty, and the window with it".to_owned(),
        "it isn't known what the requests before the first one left in it",
        "a warm-up (workload.window), or the file that was recorded before a trace (workload.source.before); \
         workload.start.map_cache = \"empty\" if that is meant",
    )
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
