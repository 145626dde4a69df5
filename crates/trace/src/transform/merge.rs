//! Merges sources by time; each becomes a flow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::one_by_one::OneByOne;

/// Requests of a batch.
const BATCH: usize = 1024;

/// Sources, of which the number becomes the flow and stream of the requests.
pub(super) struct Merge {
    /// Each with its next request.
    sources: Vec<(OneByOne, Option<HostRequest>)>,
    /// Time of the next request of each source that has one.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    begun: bool,
}

impl Merge {
    pub(super) fn new(sources: Vec<Boxed>) -> Self {
        Self {
            sources: sources.into_iter().map(|source| (OneByOne::new(source), None)).collect(),
            ready: BinaryHeap::new(),
            begun: false,
        }
    }

    /// Makes a source's next request known.
    fn look(&mut self, number: usize) -> Result<(), SourceError> {
        let Some((source, next)) = self.sources.get_mut(number) else { return Ok(()) };
        *next = source.next()?;
        self.ready.extend(next.map(|request| Reverse((request.time.0, number))));
        Ok(())
    }
}

impl RequestSource for Merge {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        if !std::mem::replace(&mut self.begun, true) {
            for number in 0..self.sources.len() {
                self.look(number)?;
            }
        }
        for _ in 0..BATCH {
            let Some(Reverse((_, number))) = self.ready.pop() else { break };
            let next = self.sources.get_mut(number).and_then(|(_, next)| next.take());
            if let Some(request) = next {
                let flow = number as u16;
                batch.push(HostRequest { flow, stream: flow, ..request });
            }
            self.look(number)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{drain, reads};
    use super::*;

    #[test]
    fn sources_become_flows_in_the_order_of_time() {
        let merged = Merge::new(vec![reads(&[0, 10, 20, 30]), reads(&[]), reads(&[5, 10, 40])]);
        let all = drain(Box::new(merged)).unwrap();
        let short: Vec<_> = all.iter().map(|request| (request.time.0, request.flow)).collect();
        assert_eq!(short, [(0, 0), (5, 2), (10, 0), (10, 2), (20, 0), (30, 0), (40, 2)]);
    }
}
