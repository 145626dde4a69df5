//! Goes through a source several times, with time continuing.

use wordline_base::request::{HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;

use super::Boxed;

/// Opens a source once more.
pub(crate) type Again = Box<dyn Fn() -> Result<Boxed, SourceError> + Send>;

/// A source, again and again.
pub(crate) struct Repeat {
    source: Boxed,
    times: u32,
    again: Again,
    left: u32,
    /// Added to the times of this pass.
    base: u64,
    last: u64,
}

impl Repeat {
    pub(crate) fn new(source: Boxed, times: u32, again: Again) -> Self {
        Self { source, times, again, left: times.saturating_sub(1), base: 0, last: 0 }
    }
}

impl RequestSource for Repeat {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        loop {
            self.source.next_batch(batch)?;
            if batch.len() > before || self.left == 0 {
                break;
            }
            self.left -= 1;
            self.base = self.last;
            self.source = (self.again)()?;
        }
        for request in batch.iter_mut().skip(before) {
            let time = self.base.checked_add(request.time.0).filter(|time| *time < LATEST_ARRIVAL_NS);
            let Some(time) = time else {
                return Err(SourceError("repeat: arrivals beyond 292 years".into()));
            };
            request.time = Ns(time);
            self.last = time;
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()?.checked_mul(u64::from(self.times))
    }
}
