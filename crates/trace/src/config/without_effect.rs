//! Keys of a workload that its other settings leave without effect.

use wordline_config::host::{ArbitrationKind, Arrivals, HostSchedulerKind, Priority};
use wordline_config::run::Occupancy;
use wordline_config::without_effect::Rule;

use super::{FlowConfig, SourceConfig, WorkloadConfig, YcsbConfig};

/// A key of `host` that a flow may have of its own.
struct OfFlows {
    key: &'static str,
    /// Whether a flow has its own.
    is_own: fn(&FlowConfig) -> bool,
    /// Whether requests that arrive so are submitted by it.
    reads: fn(Arrivals) -> bool,
    /// What else is the case, where nothing reads it.
    unless: &'static str,
}

const CLOSED: &str = "nothing reads it unless arrivals = \"closed\"";
const WITH_TIMES: &str = "nothing reads it unless arrivals = \"open\" or \"held\"";

const OF_FLOWS: [OfFlows; 6] = [
    OfFlows { key: "arrivals", is_own: |flow| flow.arrivals.is_some(), reads: |_| true, unless: "" },
    OfFlows {
        key: "time_scale",
        is_own: |flow| flow.time_scale.is_some(),
        reads: Arrivals::has_times,
        unless: WITH_TIMES,
    },
    OfFlows {
        key: "queue_depth",
        is_own: |flow| flow.queue_depth.is_some(),
        reads: is_closed,
        unless: CLOSED,
    },
    OfFlows {
        key: "think_time_ns",
        is_own: |flow| flow.think_time_ns.is_some(),
        reads: is_closed,
        unless: CLOSED,
    },
    OfFlows {
        key: "max_outstanding",
        is_own: |flow| flow.max_outstanding.is_some(),
        reads: Arrivals::has_times,
        unless: WITH_TIMES,
    },
    OfFlows { key: "stop_ns", is_own: |flow| flow.stop_ns.is_some(), reads: |_| true, unless: "" },
];

type LoadRule = Rule<fn(&WorkloadConfig) -> bool>;

const RULES: &[LoadRule] = &[
    Rule {
        keys: &["source.interarrival"],
        applies: |load| {
            matches!(load.source, Some(SourceConfig::Synthetic(_))) && is_closed(load.host.arrivals)
        },
        why: "requests come when others are done unless host.arrivals = \"open\" or \"held\"",
    },
    Rule {
        keys: &[
            "host.arbitration.kind",
            "host.arbitration.burst",
            "host.arbitration.high_weight",
            "host.arbitration.medium_weight",
            "host.arbitration.low_weight",
        ],
        applies: |load| load.flow.len() < 2,
        why: "one queue has no other to take turns with",
    },
    Rule {
        keys: &["host.arbitration.burst"],
        applies: |load| load.host.scheduler.kind != HostSchedulerKind::None,
        why: "host.scheduler stands in the place of the arbitration",
    },
    Rule {
        keys: &["host.max_overtakes"],
        applies: |load| load.flow.len() < 2 && load.host.scheduler.kind == HostSchedulerKind::None,
        why: "requests of one queue overtake none without a host.scheduler",
    },
    Rule {
        keys: &["start.settle_requests"],
        applies: |load| {
            let mut sources = load.source.iter().chain(load.flow.iter().map(|flow| &flow.source));
            load.start.settle_requests.is_some_and(|requests| requests > 0)
                && sources.any(|source| !source.goes_on())
        },
        why: "only of generators of the kinds synthetic and fio are there requests before the first; else window is for a warm-up",
    },
    Rule {
        keys: &["host.max_inside"],
        applies: |load| {
            load.flow.is_empty()
                && is_closed(load.host.arrivals)
                && load.host.max_inside >= load.host.queue_depth
        },
        why: "queue_depth lets no more requests in",
    },
    Rule {
        keys: &["start.overwrite"],
        applies: |load| matches!(load.start.occupancy, Occupancy::None | Occupancy::Share(0.0)),
        why: "an empty drive has nothing to overwrite",
    },
    Rule {
        keys: &["measure.max_rows"],
        applies: |load| load.measure.interval_ns == 0,
        why: "there is no time series without measure.interval_ns",
    },
];

/// Keys of a source that nothing of its own reads.
fn of_source(source: &SourceConfig) -> impl Iterator<Item = (&'static str, &'static str)> {
    let ycsb = match source {
        SourceConfig::Ycsb(source) => Some(&source.ycsb),
        _ => None,
    };
    ycsb.into_iter().flat_map(YcsbConfig::without_effect)
}

fn is_closed(arrivals: Arrivals) -> bool {
    arrivals == Arrivals::Closed
}

impl WorkloadConfig {
    /// Its keys that have no effect, and why. Paths are below `workload`.
    pub fn without_effect(&self) -> Vec<(String, &'static str)> {
        let applying = RULES.iter().filter(|rule| (rule.applies)(self));
        let keys = applying.flat_map(|rule| rule.keys.iter().map(|key| ((*key).to_owned(), rule.why)));
        let of_host =
            OF_FLOWS.iter().filter_map(|key| Some((format!("host.{}", key.key), self.host_lacks(key)?)));
        let own = self.source.iter().flat_map(of_source).map(|(key, why)| (format!("source.{key}"), why));
        let flows = self.flow.iter().enumerate();
        let of_flows = flows.flat_map(|(number, flow)| {
            let own = self.flow_lacks(flow).into_iter().map(|(key, why)| (key.to_owned(), why));
            let of_source = of_source(&flow.source).map(|(key, why)| (format!("source.{key}"), why));
            own.chain(of_source).map(move |(key, why)| (format!("flow[{number}].{key}"), why))
        });
        keys.chain(of_host).chain(own).chain(of_flows).collect()
    }

    /// Why nothing reads a key of the host, if nothing does.
    fn host_lacks(&self, key: &OfFlows) -> Option<&'static str> {
        if self.flow.is_empty() {
            return (!(key.reads)(self.host.arrivals)).then_some(key.unless);
        }
        let mut left = self.flow.iter().filter(|flow| !(key.is_own)(flow)).peekable();
        if left.peek().is_none() {
            return Some("every flow has its own");
        }
        let read = left.any(|flow| (key.reads)(self.arrivals_of(flow)));
        (!read).then_some(key.unless)
    }

    /// Keys of a flow that have no effect.
    fn flow_lacks(&self, flow: &FlowConfig) -> Vec<(&'static str, &'static str)> {
        let arrivals = self.arrivals_of(flow);
        let unread = OF_FLOWS.iter().filter(|key| (key.is_own)(flow) && !(key.reads)(arrivals));
        let mut found: Vec<_> = unread.map(|key| (key.key, key.unless)).collect();
        let (arbitration, scheduler) = (self.host.arbitration.kind, self.host.scheduler.kind);
        if arbitration == ArbitrationKind::RoundRobin && flow.priority != Priority::default() {
            found.push(("priority", "every queue is alike with host.arbitration.kind = \"round_robin\""));
        }
        if arbitration != ArbitrationKind::Weighted
            && scheduler != HostSchedulerKind::Fios
            && flow.weight != 1
        {
            found.push((
                "weight",
                "every queue is alike unless host.arbitration.kind = \"weighted\" or host.scheduler.kind = \"fios\"",
            ));
        }
        if !is_closed(arrivals) && flow.submit_batch > 1 {
            found.push(("submit_batch", CLOSED));
        }
        let depth = flow.queue_depth.unwrap_or(self.host.queue_depth);
        if is_closed(arrivals) && flow.max_inside >= depth {
            found.push(("max_inside", "queue_depth lets no more of its requests in"));
        }
        if !flow.group.is_empty() && self.flow.len() < 2 {
            found.push(("group", "one flow has no others to be summed with"));
        }
        if matches!(flow.source, SourceConfig::Synthetic(_)) && is_closed(arrivals) {
            found.push(("source.interarrival", WITH_TIMES));
        }
        let group = |flow: &FlowConfig| flow.in_step.map(|step| step.group);
        if flow.in_step.is_some() && self.flow.iter().filter(|other| group(other) == group(flow)).count() < 2
        {
            found.push(("in_step", "no other flow has this in_step.group"));
        }
        found
    }

    fn arrivals_of(&self, flow: &FlowConfig) -> Arrivals {
        flow.arrivals.unwrap_or(self.host.arrivals)
    }
}
