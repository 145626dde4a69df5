//! Figures of each flow and of each stream. Lean: response times with the mean of their parts, no parts of the tail.
//! A direction takes memory with its first request, some 0.2 MB.

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

/// Counts by flow, and by stream where there are several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tenants {
    names: Vec<String>,
    flows: Vec<Tenant>,
    /// Streams counted, ascending.
    numbers: Vec<u16>,
    streams: Vec<Tenant>,
}

impl Tenants {
    /// For flows of these names and streams. Streams are counted if they differ.
    pub fn new(flows: impl Iterator<Item = (String, u16)>) -> Self {
        let (names, mut numbers): (Vec<_>, Vec<_>) = flows.unzip();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 2 {
            numbers.clear();
        }
        let mut this = Self { names, numbers, flows: Vec::new(), streams: Vec::new() };
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
        let report = |(name, tenant): (&String, &Tenant)| FlowReport {
            name: name.clone(),
            read: tenant.report(HostOp::Read, window),
            write: tenant.report(HostOp::Write, window),
            trim: tenant.report(HostOp::Trim, window),
            flush: tenant.report(HostOp::Flush, window),
            ..FlowReport::default()
        };
        self.names.iter().zip(&self.flows).map(report).collect()
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

    fn report(&self, op: HostOp, window: Ns) -> DirectionReport {
        let Some(Some(direction)) = self.directions.get(index(op)) else { return DirectionReport::default() };
        let mut report = direction.latency.report(window);
        report.blame.mean = named(&direction.blame);
        report
    }
}
