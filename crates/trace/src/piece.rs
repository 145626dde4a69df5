//! Which requests of a source a step keeps that changes no others.

use wordline_base::request::{HostOp, HostRequest};
use wordline_base::time::Ns;

use crate::config::{OpName, TransformConfig};

/// What stays: a span of time, a number of requests, or what fits.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// From this time (ns), which becomes 0, to below that.
    Time { from: u64, to: u64 },
    /// So many behind the first `skip`; the first of them arrives at 0.
    Count { skip: u64, left: u64, first: Option<u64> },
    /// Those that fit.
    Fitting(Conditions),
}

/// Conditions, all of which must fit.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    /// Any when empty.
    pub ops: Vec<OpName>,
    /// Any when empty.
    pub devices: Vec<u16>,
    /// First byte of a range that a request must touch, and the first behind it.
    pub range: Option<(u64, u64)>,
}

impl Conditions {
    fn fit(&self, request: &HostRequest) -> bool {
        (self.ops.is_empty() || self.ops.iter().any(|op| op.is(request.op)))
            && (self.devices.is_empty() || self.devices.contains(&request.flow))
            && self.range.is_none_or(|(from, to)| {
                request.op != HostOp::Flush
                    && request.offset < to
                    && request.offset.saturating_add(request.length) > from
            })
    }
}

impl Piece {
    /// That of a step; `None` of one that changes requests or adds some.
    pub fn of(step: &TransformConfig) -> Option<Self> {
        match step {
            TransformConfig::SliceTime { from_ns, to_ns } => {
                Some(Self::Time { from: *from_ns, to: to_ns.unwrap_or(u64::MAX) })
            }
            TransformConfig::SliceCount { skip, count } => {
                Some(Self::Count { skip: *skip, left: count.unwrap_or(u64::MAX), first: None })
            }
            TransformConfig::Filter { ops, devices, from_bytes, to_bytes } => {
                let range = (from_bytes.is_some() || to_bytes.is_some())
                    .then(|| (from_bytes.unwrap_or(0), to_bytes.unwrap_or(u64::MAX)));
                Some(Self::Fitting(Conditions { ops: ops.clone(), devices: devices.clone(), range }))
            }
            _ => None,
        }
    }

    /// Whether the request stays, and whether anything can come behind it. It gets its time in the piece.
    #[inline]
    pub fn take(&mut self, request: &mut HostRequest) -> (bool, bool) {
        match self {
            Self::Fitting(conditions) => (conditions.fit(request), true),
            Self::Time { from, to } => {
                let time = request.time.0;
                request.time = Ns(time.saturating_sub(*from));
                (time >= *from && time < *to, time < *to)
            }
            Self::Count { skip, .. } if *skip > 0 => {
                *skip -= 1;
                (false, true)
            }
            Self::Count { left: 0, .. } => (false, false),
            Self::Count { left, first, .. } => {
                *left -= 1;
                let first = *first.get_or_insert(request.time.0);
                request.time = Ns(request.time.0.saturating_sub(first));
                (true, *left > 0)
            }
        }
    }

    /// Ns that it takes from all times, as far as they are known.
    pub fn shift_ns(&self) -> u64 {
        match self {
            Self::Time { from, .. } => *from,
            Self::Count { first, .. } => first.unwrap_or(0),
            Self::Fitting(_) => 0,
        }
    }
}
