//! Splits requests that are longer than a size, and leaves the others whole.

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::one_by_one::OneByOne;

/// Requests of a source, none longer than so many bytes. A request's parts arrive when it does; where it is cut, an address
/// is a multiple of the size, as a block layer cuts at its limit.
pub(super) struct Split {
    source: OneByOne,
    bytes: u64,
    /// What isn't given yet of the last request.
    rest: Option<HostRequest>,
}

/// Requests of a batch, as far as one request isn't cut into more.
const BATCH: usize = 1024;

impl Split {
    pub(super) fn new(source: Boxed, bytes: u64) -> Self {
        Self { source: OneByOne::new(source), bytes: bytes.max(1), rest: None }
    }
}

impl RequestSource for Split {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..BATCH {
            let whole = match self.rest.take() {
                rest @ Some(_) => rest,
                None => self.source.next()?,
            };
            let Some(whole) = whole else { break };
            // Of one that is longer, up to the next multiple of the size.
            let to_next = self.bytes - whole.offset % self.bytes;
            let first = if whole.length > self.bytes { to_next } else { whole.length };
            batch.push(HostRequest { length: first, ..whole });
            let length = whole.length - first;
            self.rest = (length > 0).then(|| HostRequest { offset: whole.offset + first, length, ..whole });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, request};
    use super::*;
    use wordline_base::request::HostOp;

    #[test]
    fn parts_end_at_multiples_of_the_size_and_arrive_together() {
        let requests = vec![
            request(0, HostOp::Write, 512, 10_240, 1),
            request(1, HostOp::Read, 4096, 4096, 0),
            request(2, HostOp::Flush, 0, 0, 0),
            request(3, HostOp::Read, 4000, 100, 0),
        ];
        let split = drain(Box::new(Split::new(Box::new(Given(requests)), 4096))).unwrap();
        let short: Vec<_> =
            split.iter().map(|part| (part.time.0, part.offset, part.length, part.flow)).collect();
        assert_eq!(
            short,
            [
                (0, 512, 3584, 1),
                (0, 4096, 4096, 1),
                (0, 8192, 2560, 1),
                (1, 4096, 4096, 0),
                (2, 0, 0, 0),
                (3, 4000, 100, 0),
            ]
        );
    }

    #[test]
    fn a_long_request_is_cut_in_more_than_a_batch() {
        let requests = vec![request(0, HostOp::Trim, 0, 5000 * 512, 0)];
        let split = drain(Box::new(Split::new(Box::new(Given(requests)), 512))).unwrap();
        assert_eq!(split.len(), 5000);
        assert_eq!(split.last().map(|part| part.offset), Some(4999 * 512));
    }
}
