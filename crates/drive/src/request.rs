//! What is asked of a drive, and what it answers.

use serde::{Deserialize, Serialize};
use wordline_base::request::{HostOp, HostRequest, LATEST_ARRIVAL_NS};
use wordline_base::time::Ns;

/// What a request does.
pub type Op = HostOp;

/// Every operation and its name, at the place that is its number where operations are numbers: 0 reads.
pub const OPS: [(Op, &str); 5] = [
    (Op::Read, "read"),
    (Op::Write, "write"),
    (Op::WriteFua, "write_fua"),
    (Op::Trim, "trim"),
    (Op::Flush, "flush"),
];

/// The number of an operation, its place in [`OPS`].
pub fn op_number(op: Op) -> u8 {
    match op {
        Op::Read => 0,
        Op::Write => 1,
        Op::WriteFua => 2,
        Op::Trim => 3,
        Op::Flush => 4,
    }
}

/// The operation with this number.
pub fn op_of_number(number: u8) -> Option<Op> {
    OPS.get(usize::from(number)).map(|(op, _)| *op)
}

/// A request of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// When it arrives, ns: not before where the drive is.
    pub time: u64,
    /// What it does.
    pub op: Op,
    /// First byte, from the start of the drive; 0 for a flush.
    pub offset: u64,
    /// Bytes; 0 for a flush.
    pub length: u64,
    /// Whatever its completion shall be known by; several requests may have the same.
    pub tag: u64,
    /// Stream that its data belong to (NVMe directives); only of writes, on a drive that offers streams.
    pub stream: u16,
}

impl Request {
    /// A request of tag and stream 0.
    pub fn new(time: u64, op: Op, offset: u64, length: u64) -> Self {
        Self { time, op, offset, length, tag: 0, stream: 0 }
    }

    /// The same with another tag.
    #[must_use]
    pub fn tagged(self, tag: u64) -> Self {
        Self { tag, ..self }
    }

    /// What the engine took, as it was submitted.
    #[inline]
    pub(crate) fn of_engine(request: &HostRequest, tag: u64) -> Self {
        let HostRequest { time, op, offset, length, flow: _, stream } = *request;
        Self { time: time.0, op, offset, length, tag, stream }
    }

    /// As the engine takes it.
    pub(crate) fn for_engine(&self) -> HostRequest {
        let Self { time, op, offset, length, tag: _, stream } = *self;
        HostRequest { time: Ns(time), op, offset, length, flow: 0, stream }
    }
}

/// A request that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// What was asked; its time is that of its arrival.
    pub request: Request,
    /// When the host has the answer, ns.
    pub time: u64,
}

impl Completion {
    /// Response time, ns.
    pub fn latency(&self) -> u64 {
        self.time.saturating_sub(self.request.time)
    }
}

/// What requests a drive takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes that the host sees.
    pub bytes: u64,
    /// Streams that it offers, if it offers any.
    pub streams: Option<u16>,
}

impl Limits {
    /// Why a request can't come to a drive that is at `now`; `None` if it can.
    #[inline]
    pub fn refuses(&self, request: &Request, now: u64) -> Option<String> {
        let Request { time, op, offset, length, tag: _, stream } = *request;
        let fits = match op {
            Op::Flush => offset == 0 && length == 0,
            _ => length > 0 && offset.checked_add(length).is_some_and(|end| end <= self.bytes),
        };
        let has_stream = !op.is_write() || self.streams.is_none_or(|streams| stream < streams);
        let comes = (now..=LATEST_ARRIVAL_NS).contains(&time);
        if fits && has_stream && comes { None } else { Some(self.reason(request, now)) }
    }

    #[cold]
    fn reason(&self, request: &Request, now: u64) -> String {
        let Request { time, op, offset, length, stream, .. } = *request;
        if time < now {
            return format!("arrives at {time} ns: allowed: {now} ns, where the drive is, or later");
        }
        if time > LATEST_ARRIVAL_NS {
            return format!("arrives at {time} ns: allowed: {LATEST_ARRIVAL_NS} ns (292 years) at most");
        }
        match op {
            Op::Flush if offset > 0 || length > 0 => {
                format!(
                    "a flush of {length} bytes at {offset}: allowed: 0 bytes at 0, as it is of the whole drive"
                )
            }
            _ if length == 0 && op != Op::Flush => "0 bytes: allowed: 1 or more, but for a flush".to_owned(),
            _ if op.is_write() && self.streams.is_some_and(|streams| stream >= streams) => {
                let streams = self.streams.unwrap_or_default();
                let last = streams.saturating_sub(1);
                format!(
                    "stream {stream}: allowed: 0 to {last}, as the drive offers {streams} streams \
                     (scheme.blocks.host_write_points)"
                )
            }
            _ => {
                let end = u128::from(offset) + u128::from(length);
                format!("covers bytes {offset} to {end}: allowed: up to {}, the drive's size", self.bytes)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_operations_are_their_places() {
        for (number, (op, _)) in (0u8..).zip(OPS) {
            assert_eq!((op_number(op), op_of_number(number)), (number, Some(op)));
        }
        assert_eq!(op_of_number(5), None);
    }

    #[test]
    fn what_a_drive_does_not_take_is_refused_by_name() {
        let limits = Limits { bytes: 8192, streams: Some(2) };
        let refused = |request: Request| limits.refuses(&request, 100);
        let read = Request::new(100, Op::Read, 0, 4096);
        assert_eq!(refused(read), None);
        assert_eq!(refused(Request { offset: 4096, ..read }), None);
        assert_eq!(refused(Request { op: Op::Flush, length: 0, ..read }), None);
        // Only writes have streams.
        assert_eq!(refused(Request { stream: 9, ..read }), None);
        for (request, word) in [
            (Request { time: 99, ..read }, "where the drive is"),
            (Request { time: u64::MAX, ..read }, "292 years"),
            (Request { length: 0, ..read }, "0 bytes"),
            (Request { offset: 4097, ..read }, "bytes 4097 to 8193"),
            (Request { offset: u64::MAX, length: u64::MAX, ..read }, "the drive's size"),
            (Request { op: Op::Flush, ..read }, "a flush of 4096 bytes"),
            (Request { op: Op::WriteFua, stream: 2, ..read }, "stream 2: allowed: 0 to 1"),
        ] {
            let reason = refused(request).unwrap_or_default();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
