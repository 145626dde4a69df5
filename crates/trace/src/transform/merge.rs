//! Merges sources by time; each becomes a flow.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;

/// Requests of a batch.
const BATCH: usize = 1024;

/// Sources, of which the number becomes the flow and stream of the requests.
pub(super) struct Merge {
    sources: Vec<(Boxed, VecDeque<HostRequest>)>,
    /// Time of the next request of each source that has one.
    ready: BinaryHeap<Reverse<(u64, usize)>>,
    begun: bool,
    scratch: Vec<HostRequest>,
}

impl Merge {
    pub(super) fn new(sources: Vec<Boxed>) -> Self {
        Self {
            sources: sources.into_iter().map(|source| (source, VecDeque::new())).collect(),
            ready: BinaryHeap::new(),
            begun: false,
            scratch: Vec::new(),
        }
    }

    /// Makes a source's next request known.
    fn look(&mut self, number: usize) -> Result<(), SourceError> {
        let Some((source, waiting)) = self.sources.get_mut(number) else { return Ok(()) };
        if waiting.is_empty() {
            self.scratch.clear();
            source.next_batch(&mut self.scratch)?;
            waiting.extend(self.scratch.iter());
        }
        self.ready.extend(waiting.front().map(|request| Reverse((request.time.0, number))));
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
            let waiting = self.sources.get_mut(number).and_then(|(_, waiting)| waiting.pop_front());
            if let Some(request) = waiting {
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
