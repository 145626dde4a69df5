//! Requests of a source, one by one.

use wordline_base::request::{HostRequest, RequestSource, SourceError};

/// A source, and what it gave last.
pub(crate) struct OneByOne {
    source: Box<dyn RequestSource + Send>,
    batch: Vec<HostRequest>,
    next: usize,
}

impl OneByOne {
    pub(crate) fn new(source: Box<dyn RequestSource + Send>) -> Self {
        Self { source, batch: Vec::new(), next: 0 }
    }

    /// The next request; `None` behind the last.
    pub(crate) fn next(&mut self) -> Result<Option<HostRequest>, SourceError> {
        if self.next >= self.batch.len() {
            self.batch.clear();
            self.next = 0;
            self.source.next_batch(&mut self.batch)?;
        }
        let request = self.batch.get(self.next).copied();
        self.next += 1;
        Ok(request)
    }
}
