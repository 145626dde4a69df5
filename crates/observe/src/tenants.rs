//! Figures of each flow and of each stream. Lean: response times with the mean of their parts, no parts of the tail.
//! A direction takes memory with its first request, some 0.2 MB.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::blame::{BlameSum, Part, Parts};
use super::latency::{DirectionRecorder, named};
use super::report::{DirectionReport, FlowReport, StreamReport};
use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;

/// Requests of one direction.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Direction {
    latency: DirectionRecorder,
    blame: BlameSum,
}

/// Requests of one flow or stream.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Tenant {
    directions: [Option<Box<Direction>>; 4],
}

/// What figures say of a flow beside its numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowName {
    /// Its name.
    pub name: String,
    /// The stream of its writes.
    pub stream: u16,
    /// The group that it belongs to; empty: none.
    pub group: String,
}

/// Counts by flow, and by stream where there are several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tenants {
    names: Vec<String>,
    /// The group of each flow; empty: none.
    groups: Vec<String>,
    flows: Vec<Tenant>,
    /// Streams counted, ascending.
    numbers: Vec<u16>,
    streams: Vec<Tenant>,
}

impl Tenants {
    /// For these flows. Streams are counted if they differ.
    pub fn new(flows: impl Iterator<Item = FlowName>) -> Self {
        let (mut names, mut groups, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for FlowName { name, stream, group } in flows {
            names.push(name);
            groups.push(group);
            numbers.push(stream);
        }
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            numbers.clear();
        }
        let mut this = Self { names, groups, numbers, flows: Vec::new(), streams: Vec::new() };
        this.begin();
        this
    }

    /// Counts from now on.
    pub fn begin(&mut self) {
        self.flows = self.names.iter().map(|_| Tenant::default()).collect();
        self.streams = self.numbers.iter().map(|_| Tenant::default()).collect();
    }

    /// The two that a request counts for.
    fn of(&mut self, request: &HostRequest) -> [Option<&mut Tenant>; 2] {
        let stream = self.numbers.binary_search(&request.stream).ok();
        [self.flows.get_mut(usize::from(request.flow)), stream.and_then(|index| self.streams.get_mut(index))]
    }

    /// Takes a request in. `inside` are the parts of its time in the drive, `outside` those before and after.
    pub fn request(
        &mut self,
        request: &HostRequest,
        latency: Ns,
        inside: [Option<&Parts>; 2],
        outside: &[(Part, u64)],
    ) {
        for tenant in self.of(request).into_iter().flatten() {
            tenant.request(request, latency, inside, outside);
        }
    }

    /// A request was answered, whenever it arrived.
    pub fn answered(&mut self, request: &HostRequest) {
        for tenant in self.of(request).into_iter().flatten() {
            if let Some(direction) = tenant.direction(request.op) {
                direction.latency.answered(bytes_of(request));
            }
        }
    }

    /// The flows' figures over a window of this length; none if there is only one.
    pub fn flows(&self, window: Ns) -> Vec<FlowReport> {
        if self.flows.len() < 2 {
            return Vec::new();
        }
        let flows = self.names.iter().zip(&self.groups).zip(&self.flows);
        flows
            .map(|((name, group), tenant)| FlowReport {
                group: group.clone(),
                ..tenant.report_as(name, window)
            })
            .collect()
    }

    /// The same of each group, in the order of their first flows: of all requests of its flows together.
    pub fn groups(&self, window: Ns) -> Vec<FlowReport> {
        let mut names: Vec<&String> = self.groups.iter().filter(|group| !group.is_empty()).collect();
        let mut known = BTreeSet::new();
        names.retain(|group| known.insert(*group));
        let of = |group: &String| {
            let mut all = Tenant::default();
            let own = self.groups.iter().zip(&self.flows).filter(|(of, _)| *of == group);
            own.for_each(|(_, flow)| all.merge(flow));
            all.report_as(group, window)
        };
        names.into_iter().map(of).collect()
    }

    /// The streams' figures.
    pub fn streams(&self, window: Ns) -> Vec<StreamReport> {
        let report = |(&stream, tenant): (&u16, &Tenant)| StreamReport {
            stream,
            read: tenant.report(HostOp::Read, window),
            write: tenant.report(HostOp::Write, window),
            trim: tenant.report(HostOp::Trim, window),
            flush: tenant.report(HostOp::Flush, window),
        };
        self.numbers.iter().zip(&self.streams).map(report).collect()
    }
}

/// Place of an operation in [`Tenant::directions`].
fn index(op: HostOp) -> usize {
    match op {
        HostOp::Read => 0,
        HostOp::Write | HostOp::WriteFua => 1,
        HostOp::Trim => 2,
        HostOp::Flush => 3,
    }
}

/// What a request counts as bytes: a flush has none, whatever its length says.
fn bytes_of(request: &HostRequest) -> u64 {
    if request.op == HostOp::Flush { 0 } else { request.length }
}

impl Tenant {
    fn direction(&mut self, op: HostOp) -> Option<&mut Direction> {
        let place = self.directions.get_mut(index(op))?;
        Some(place.get_or_insert_with(|| {
            Box::new(Direction { latency: DirectionRecorder::default(), blame: BlameSum::default() })
        }))
    }

    fn request(
        &mut self,
        request: &HostRequest,
        latency: Ns,
        inside: [Option<&Parts>; 2],
        outside: &[(Part, u64)],
    ) {
        if let Some(direction) = self.direction(request.op) {
            direction.latency.record(latency, bytes_of(request), inside, outside);
            direction.blame.add(latency.0, inside, outside);
        }
    }

    /// Takes in what another has counted.
    fn merge(&mut self, other: &Self) {
        for (all, own) in self.directions.iter_mut().zip(&other.directions) {
            let Some(own) = own else { continue };
            match all {
                Some(all) => {
                    all.latency = all.latency.with(&own.latency);
                    all.blame.merge(&own.blame);
                }
                None => *all = Some(own.clone()),
            }
        }
    }

    fn report_as(&self, name: &str, window: Ns) -> FlowReport {
        FlowReport {
            name: name.to_owned(),
            read: self.report(HostOp::Read, window),
            write: self.report(HostOp::Write, window),
            trim: self.report(HostOp::Trim, window),
            flush: self.report(HostOp::Flush, window),
            ..FlowReport::default()
        }
    }

    fn report(&self, op: HostOp, window: Ns) -> DirectionReport {
        let Some(Some(direction)) = self.directions.get(index(op)) else { return DirectionReport::default() };
        let mut report = direction.latency.report(window);
        report.blame.mean = named(&direction.blame);
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, group: &str) -> FlowName {
        FlowName { name: name.to_owned(), stream: 0, group: group.to_owned() }
    }

    fn read(tenants: &mut Tenants, flow: u16, latency: u64) {
        let (time, op) = (Ns::ZERO, HostOp::Read);
        let request = HostRequest { time, op, offset: 0, length: 4096, flow, stream: 0 };
        let mut parts = Parts::default();
        parts.add(Part::Cell, latency);
        tenants.request(&request, Ns(latency), [Some(&parts), None], &[]);
        tenants.answered(&request);
    }

    #[test]
    fn the_figures_of_a_group_are_those_of_all_requests_of_its_flows() {
        let flows = [named("a", "a"), named("b", ""), named("c", "a"), named("d", "d")];
        let mut tenants = Tenants::new(flows.into_iter());
        (1..=100).for_each(|latency| read(&mut tenants, 2 * (latency % 2) as u16, latency));
        read(&mut tenants, 1, 5_000);
        let groups = tenants.groups(Ns(1_000_000_000));
        let [a, d] = &groups[..] else { unreachable!("two groups: {groups:?}") };
        assert_eq!((a.name.as_str(), d.name.as_str(), d.read.requests), ("a", "d", 0));
        assert_eq!((a.read.requests, a.read.bytes, a.read.iops), (100, 409_600, 100.0));
        let latency = &a.read.latency_ns;
        assert_eq!((latency.min, latency.p50, latency.max, latency.mean), (1, 50, 100, 50.5));
        assert_eq!(a.read.blame.mean.total_ns["cell"], 5_050);
        assert_eq!(tenants.flows(Ns(1))[1].group, "");
    }
}
