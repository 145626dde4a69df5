//! A step that leaves nothing of a trace.

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;

/// What a step leaves: something, or an error that names it.
pub(super) struct Left {
    pub(super) source: Boxed,
    /// Its place among the steps, from 0.
    pub(super) step: usize,
    pub(super) any: bool,
}

impl RequestSource for Left {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        self.source.next_batch(batch)?;
        self.any |= batch.len() > before;
        match self.any {
            true => Ok(()),
            false => Err(SourceError(format!(
                "workload.source.transform[{}] leaves no request: allowed: a step that leaves some",
                self.step
            ))),
        }
    }

    fn size_hint(&self) -> Option<u64> {
        self.source.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{drain, reads};
    use super::*;

    #[test]
    fn a_step_that_leaves_nothing_is_named_and_one_that_leaves_something_is_not() {
        let left = |times: &[u64]| Box::new(Left { source: reads(times), step: 2, any: false });
        assert_eq!(drain(left(&[1, 2, 3])).map(|requests| requests.len()), Ok(3));
        let error = drain(left(&[])).unwrap_err();
        assert!(error.0.starts_with("workload.source.transform[2] leaves no request"), "{error}");
    }
}
