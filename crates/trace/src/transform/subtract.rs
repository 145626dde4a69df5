//! Takes the start of a partition from addresses.

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};

use super::Boxed;

/// Requests of a source with addresses that begin with a partition.
pub(super) struct Subtract {
    pub(super) source: Boxed,
    /// First byte of the partition.
    pub(super) bytes: u64,
    /// Requests given so far.
    pub(super) taken: u64,
}

impl RequestSource for Subtract {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        self.source.next_batch(batch)?;
        for request in batch.iter_mut().skip(before).filter(|request| request.op != HostOp::Flush) {
            self.taken += 1;
            request.offset = request.offset.checked_sub(self.bytes).ok_or_else(|| {
                SourceError(format!(
                    "transformation subtract: request {} begins at byte {}, before the partition, which begins at {}: a \
                     `filter` with from_bytes leaves such out",
                    self.taken, request.offset, self.bytes
                ))
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, request};
    use super::*;

    fn moved(bytes: u64) -> Result<Vec<u64>, SourceError> {
        let requests = vec![
            request(0, HostOp::Read, 4096, 512, 0),
            request(1, HostOp::Flush, 0, 0, 0),
            request(2, HostOp::Trim, 8192, 512, 0),
        ];
        let source = Subtract { source: Box::new(Given(requests)), bytes, taken: 0 };
        Ok(drain(Box::new(source))?.iter().map(|request| request.offset).collect())
    }

    #[test]
    fn addresses_begin_with_the_partition_and_none_lies_before() {
        assert_eq!(moved(4096), Ok(vec![0, 0, 4096]));
        let error = moved(8192).unwrap_err();
        assert!(error.0.contains("request 1 begins at byte 4096"), "{error}");
    }
}
