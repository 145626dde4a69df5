//! Description of a flow: one of several sources of a workload, with a queue of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde::{Deserialize, Serialize};
use wordline_config::error::ConfigError;
use wordline_config::host::{Arrivals, HostConfig};
use wordline_config::host::{FlowRules, InStep, Priority};
use wordline_config::latency_target::LatencyTarget;
use wordline_config::steady_end::SteadyEnd;

use super::{RegionConfig, SourceConfig};
use wordline_config::left_out::{is_default, is_one};

/// A flow. Its requests go into a submission queue of their own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowConfig {
    /// Short name, as in results; no two alike. `flow0`, `flow1` … where left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Open or closed loop; as in `host` where left out, like the five keys that follow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<Arrivals>,
    /// Open loop: factor on every arrival time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_scale: Option<f64>,
    /// Closed loop: requests outstanding at once, 1 to 65,536.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Closed loop: time between a completion and the submission that follows it, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think_time_ns: Option<u64>,
    /// Open loop: most requests in the queue and in the drive, up to 65,536; 0 = no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_outstanding: Option<u32>,
    /// Requests that would be submitted later than this are not; 0 = no end but the source's. ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_ns: Option<u64>,
    /// Closed loop: so many answers are waited for, and as many requests then submitted at once. 1 to `queue_depth`.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub submit_batch: u32,
    /// Priority class of its queue.
    #[serde(default)]
    pub priority: Priority,
    /// Weighted arbitration: bursts in one turn. FIOS: timeslices in an epoch. 1 to 256.
    #[serde(default = "one")]
    pub weight: u32,
    /// Stream of its requests.
    #[serde(default)]
    pub stream: u16,
    /// It begins no earlier than this, ns from where the workload's own requests begin.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start_ns: u64,
    /// Flows that stand before it and must have ended before it begins. They don't go on behind their last request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// Flows that end when it has: what they have submitted is answered, nothing more comes. It doesn't go on behind its last
    /// request then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// Name of a group: its flows have figures together (`groups` of a result) beside those of each. Left out: in none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Most of its requests inside the drive, up to 65,536; others of it wait in its queue. 0 = as many as `host.max_inside` lets in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub max_inside: u32,
    /// Closed loop: the most requests outstanding, up to `queue_depth`, with which answers come in time are looked for; `latency_targets` of the
    /// result says how many. Left out: `queue_depth` are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_target: Option<LatencyTarget>,
    /// It ends when its rate, or its response times, are steady, together with the other flows of its group that say so;
    /// `steady_ends` of the result says when. Left out: it ends with its source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady_end: Option<SteadyEnd>,
    /// A group of flows whose numbers of requests stay in the proportion of their weights, as long as each has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_step: Option<InStep>,
    /// What it does when it has given its requests and others have not. Left out: it goes on where its source can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_end: Option<AtEnd>,
    /// Name of the set of planes (`scheme.nvm_set`) that it keeps to; left out: it may go anywhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nvm_set: Option<String>,
    /// Where that set lies on the drive, once a drive is known ([`super::WorkloadConfig::find_sets`]).
    #[serde(skip)]
    pub(crate) set_bytes: Option<Range<u64>>,
    /// Part of the drive, or of its set, that it uses; its source sees nothing else. All of it when left out. Shares are cut to
    /// whole multiples of [`FlowConfig::RANGE_UNIT`].
    #[serde(default)]
    pub range: RegionConfig,
    /// Where its requests come from.
    pub source: SourceConfig,
}

/// What a flow does behind its last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtEnd {
    /// Requests like its own follow until every flow has given its own.
    Continue,
    /// It ends.
    Stop,
}

fn one() -> u32 {
    1
}

impl FlowConfig {
    /// What bounds of ranges given as shares are multiples of, bytes.
    pub const RANGE_UNIT: u64 = 1 << 16;

    /// What the host does with the flow, which is the one of this number, but for the flows that it names: those are read beside them.
    pub fn rules(&self, number: usize, host: &HostConfig) -> FlowRules {
        FlowRules {
            name: self.name_or(number),
            arrivals: self.arrivals.unwrap_or(host.arrivals),
            time_scale: self.time_scale.unwrap_or(host.time_scale),
            queue_depth: self.queue_depth.unwrap_or(host.queue_depth),
            think_time_ns: self.think_time_ns.unwrap_or(host.think_time_ns),
            submit_batch: self.submit_batch,
            max_outstanding: self.max_outstanding.unwrap_or(host.max_outstanding),
            stop_ns: self.stop_ns.unwrap_or(host.stop_ns),
            priority: self.priority,
            weight: self.weight,
            stream: self.stream,
            goes_on: self.goes_on(),
            start_ns: self.start_ns,
            after: Vec::new(),
            ends: Vec::new(),
            in_step: self.in_step,
            group: self.group.clone(),
            max_inside: self.max_inside,
            latency_target: self.latency_target.clone(),
            steady_end: self.steady_end.clone(),
        }
    }

    /// Whether requests like its own follow its last.
    fn goes_on(&self) -> bool {
        self.at_end != Some(AtEnd::Stop) && self.ends_itself().is_none() && self.source.goes_on()
    }

    /// Why nothing follows its last request, whatever its source could give.
    fn ends_itself(&self) -> Option<&'static str> {
        let finds = self.latency_target.as_ref().is_some_and(LatencyTarget::stops);
        match finds || self.steady_end.is_some() {
            _ if !self.ends.is_empty() => Some("others end with it"),
            true => Some("a flow with latency_target or steady_end ends by itself"),
            false => None,
        }
    }

    /// Whether it begins later than the workload.
    pub(crate) fn begins_later(&self) -> bool {
        self.start_ns > 0 || !self.after.is_empty()
    }

    fn name_or(&self, number: usize) -> String {
        if self.name.is_empty() { format!("flow{number}") } else { self.name.clone() }
    }

    /// First byte of its part of a drive, and its length.
    pub(crate) fn range_on(&self, drive_bytes: u64) -> Result<(u64, u64), ConfigError> {
        match (&self.nvm_set, &self.set_bytes) {
            (None, _) => self.range_of(drive_bytes),
            (Some(_), Some(set)) => {
                let of_set = |error: ConfigError| {
                    let allowed = error.allowed.replace("the drive", "the set").replace("drive:", "set:");
                    ConfigError { allowed, ..error }
                };
                let (start, bytes) = self.range_of(set.end - set.start).map_err(of_set)?;
                Ok((set.start + start, bytes))
            }
            (Some(name), None) => {
                Err(ConfigError::new("nvm_set", format!("{name:?}"), "left out where there is no drive"))
            }
        }
    }

    /// First byte of its part of a drive, or of its set of so many bytes, and its length.
    fn range_of(&self, drive_bytes: u64) -> Result<(u64, u64), ConfigError> {
        let unit = Self::RANGE_UNIT;
        let mut range = self.range.clone();
        if let (Some(share), Some(_)) = (range.start_share, range.bytes) {
            // As many bytes, from where it begins.
            let start = ((drive_bytes as f64 * share) as u64).next_multiple_of(unit);
            (range.start_share, range.start_bytes) = (None, Some(start));
        }
        let (start, end) = range.bounds(drive_bytes).map_err(|error| error.under("range"))?;
        let start = if range.start_share.is_some() { start.next_multiple_of(unit) } else { start };
        // The drive's own end need not be cut.
        let cut = self.range.share.is_some() && end < drive_bytes;
        let end = if cut { end / unit * unit } else { end };
        if start >= end {
            let allowed = format!("a range of {unit} bytes or more (drive: {drive_bytes} bytes)");
            return Err(ConfigError::new("range", "nothing of the drive", allowed));
        }
        Ok((start, end - start))
    }

    fn validate(&self, number: usize, host: &HostConfig) -> Result<(), ConfigError> {
        self.rules(number, host).validate()?;
        self.range.validate().map_err(|error| error.under("range"))?;
        self.source.validate().map_err(|error| error.under("source"))?;
        if let SourceConfig::Trace(trace) = &self.source
            && let Some(before) = &trace.before
        {
            let allowed = "nothing: what came before is known of a workload of one source only";
            return Err(ConfigError::new("source.before", format!("{before:?}"), allowed));
        }
        if self.at_end == Some(AtEnd::Continue) && !self.source.goes_on() {
            let allowed =
                "\"stop\": only generators of the kinds synthetic and fio go on behind their last request";
            return Err(ConfigError::new("at_end", "\"continue\"", allowed));
        }
        if let (Some(AtEnd::Continue), Some(why)) = (self.at_end, self.ends_itself()) {
            return Err(ConfigError::new("at_end", "\"continue\"", format!("\"stop\": {why}")));
        }
        self.source.check_arrivals(self.rules(number, host).arrivals)
    }
}

/// What the host does with each flow.
pub(crate) fn rules_of(flows: &[FlowConfig], host: &HostConfig) -> Vec<FlowRules> {
    let numbered = || flows.iter().enumerate();
    let places: BTreeMap<String, u16> =
        numbered().map(|(number, flow)| (flow.name_or(number), number as u16)).collect();
    let of = |names: &[String]| names.iter().filter_map(|name| places.get(name).copied()).collect::<Vec<_>>();
    let awaited: BTreeSet<&String> = flows.iter().flat_map(|flow| &flow.after).collect();
    let rules = |(number, flow): (usize, &FlowConfig)| {
        let rules = flow.rules(number, host);
        let goes_on = rules.goes_on && !awaited.contains(&rules.name);
        FlowRules { after: of(&flow.after), ends: of(&flow.ends), goes_on, ..rules }
    };
    numbered().map(rules).collect()
}

/// Refuses names of flows that aren't there, or not where they must be.
fn check_named(flows: &[FlowConfig]) -> Result<(), ConfigError> {
    let places: BTreeMap<String, usize> =
        flows.iter().enumerate().map(|(number, flow)| (flow.name_or(number), number)).collect();
    let wrong = |number: usize, key: &str, name: &String, allowed: &str| {
        ConfigError::new(key, format!("{name:?}"), allowed).under(&format!("flow[{number}]"))
    };
    for (number, flow) in flows.iter().enumerate() {
        for name in &flow.after {
            match places.get(name) {
                Some(&place) if place < number => {
                    if flows.get(place).is_some_and(|awaited| awaited.at_end == Some(AtEnd::Continue)) {
                        let allowed = "\"stop\": a flow begins after it";
                        return Err(wrong(place, "at_end", &"continue".to_owned(), allowed));
                    }
                }
                _ => return Err(wrong(number, "after", name, "the name of a flow that stands before")),
            }
        }
        for name in &flow.ends {
            if places.get(name).is_none_or(|&place| place == number) {
                return Err(wrong(number, "ends", name, "the name of another flow"));
            }
        }
    }
    Ok(())
}

/// Refuses flows that can't be run on any drive.
pub(super) fn validate(flows: &[FlowConfig], host: &HostConfig) -> Result<(), ConfigError> {
    let most = wordline_config::host::MAX_QUEUES;
    if flows.len() > most {
        return Err(ConfigError::new("flow", flows.len(), format!("at most {most} flows, one a queue")));
    }
    let mut names = BTreeSet::new();
    for (number, flow) in flows.iter().enumerate() {
        let under = |error: ConfigError| error.under(&format!("flow[{number}]"));
        flow.validate(number, host).map_err(under)?;
        let name = flow.name_or(number);
        if !names.insert(name.clone()) {
            return Err(under(ConfigError::new(
                "name",
                format!("{name:?}"),
                "a name that no other flow has",
            )));
        }
    }
    check_groups(flows)?;
    check_named(flows)
}

/// Refuses flows of a group that end together, each by another rule, or which don't begin together.
fn check_groups(flows: &[FlowConfig]) -> Result<(), ConfigError> {
    let mut rules: BTreeMap<&str, (usize, &FlowConfig)> = BTreeMap::new();
    let grouped = flows.iter().enumerate().filter(|(_, flow)| !flow.group.is_empty());
    for (number, flow) in grouped {
        let Some(rule) = &flow.steady_end else { continue };
        let (first, other) = *rules.entry(&flow.group).or_insert((number, flow));
        if (other.start_ns, &other.after) != (flow.start_ns, &flow.after) {
            let allowed =
                format!("{} as of flow[{first}], with which it ends: both are in a group", other.start_ns);
            let found = ConfigError::new("start_ns", flow.start_ns, allowed);
            return Err(found.under(&format!("flow[{number}]")));
        }
        if other.steady_end.as_ref() != Some(rule) {
            let allowed = format!("as of flow[{first}], with which it ends: both are in a group");
            let found = ConfigError::new("steady_end.duration_ns", rule.duration_ns, allowed);
            return Err(found.under(&format!("flow[{number}]")));
        }
    }
    Ok(())
}
