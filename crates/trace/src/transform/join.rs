//! Joins requests that go on where the one before ends, as a block layer merges them.

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::one_by_one::OneByOne;

/// Requests of a batch.
const BATCH: usize = 1024;

/// Which requests become one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Together {
    /// Longest request that comes of it, bytes.
    pub bytes: u64,
    /// Longest time from the first of them to the last, ns.
    pub within_ns: u64,
}

/// Requests of a source, where those become one that follow directly upon one another, of one kind and device.
pub(super) struct Join {
    source: OneByOne,
    together: Together,
    /// The request that others may still go on.
    open: Option<HostRequest>,
}

impl Join {
    pub(super) fn new(source: Boxed, together: Together) -> Self {
        Self { source: OneByOne::new(source), together, open: None }
    }
}

impl Together {
    /// Both requests as one, where they may be.
    fn of(self, first: &HostRequest, second: &HostRequest) -> Option<HostRequest> {
        let length = first.length.checked_add(second.length)?;
        let fits = first.op == second.op
            && first.op != HostOp::Flush
            && first.flow == second.flow
            && first.stream == second.stream
            && first.offset.checked_add(first.length) == Some(second.offset)
            && length <= self.bytes
            && second.time.0.saturating_sub(first.time.0) <= self.within_ns;
        fits.then_some(HostRequest { length, ..*first })
    }
}

impl RequestSource for Join {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let goal = batch.len() + BATCH;
        while batch.len() < goal {
            let Some(request) = self.source.next()? else {
                batch.extend(self.open.take());
                break;
            };
            let joined = self.open.and_then(|open| self.together.of(&open, &request));
            if joined.is_none() {
                batch.extend(self.open);
            }
            self.open = joined.or(Some(request));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, request};
    use super::*;

    fn joined(bytes: u64, within_ns: u64) -> Vec<(u64, u64, u64)> {
        let requests = vec![
            request(0, HostOp::Write, 0, 512, 0),
            request(5, HostOp::Write, 512, 512, 0),
            request(9, HostOp::Write, 1024, 512, 0),
            request(9, HostOp::Read, 1536, 512, 0),
            request(9, HostOp::Read, 2048, 512, 1),
            request(9, HostOp::Read, 512, 512, 1),
            request(9, HostOp::Flush, 0, 0, 0),
            request(9, HostOp::Flush, 0, 0, 0),
        ];
        let source = Join::new(Box::new(Given(requests)), Together { bytes, within_ns });
        let all = drain(Box::new(source)).unwrap();
        all.iter().map(|request| (request.time.0, request.offset, request.length)).collect()
    }

    const REST: [(u64, u64, u64); 5] = [(9, 1536, 512), (9, 2048, 512), (9, 512, 512), (9, 0, 0), (9, 0, 0)];

    #[test]
    fn what_goes_on_where_the_one_before_ends_becomes_one() {
        assert_eq!(joined(u64::MAX, u64::MAX), [&[(0, 0, 1536)], &REST[..]].concat());
        assert_eq!(joined(1024, u64::MAX), [&[(0, 0, 1024), (9, 1024, 512)], &REST[..]].concat());
        assert_eq!(joined(u64::MAX, 5), [&[(0, 0, 1024), (9, 1024, 512)], &REST[..]].concat());
        assert_eq!(joined(512, 0), [&[(0, 0, 512), (5, 512, 512), (9, 1024, 512)], &REST[..]].concat());
    }
}
