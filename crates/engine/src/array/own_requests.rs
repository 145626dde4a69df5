//! What the requests of an array are to one of its drives.

use super::layout::{Part, striped};
use crate::host::{HostRequest, RequestSource, SourceError};
use wordline_base::request::MOST_IN_VAIN;
use wordline_config::array::{ArrayConfig, ArrayLayout};

/// The part of each request that one drive of an array gets, in the drive's own addresses. Ends where a long row of
/// requests has nothing for it.
pub struct OwnRequests<'a> {
    source: &'a mut dyn RequestSource,
    config: &'a ArrayConfig,
    member: usize,
    of_array: Vec<HostRequest>,
    parts: Vec<Part>,
}

impl<'a> OwnRequests<'a> {
    pub fn new(source: &'a mut dyn RequestSource, config: &'a ArrayConfig, member: usize) -> Self {
        Self { source, config, member, of_array: Vec::new(), parts: Vec::new() }
    }

    fn own(&mut self, request: HostRequest) -> Option<HostRequest> {
        if self.config.layout == ArrayLayout::Mirrored {
            return Some(request);
        }
        striped(self.config, request.offset, request.length, &mut self.parts);
        let part = self.parts.iter().find(|part| part.member == self.member)?;
        Some(HostRequest { offset: part.offset, length: part.length, ..request })
    }
}

impl RequestSource for OwnRequests<'_> {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let (before, mut in_vain) = (batch.len(), 0);
        while batch.len() == before && in_vain < MOST_IN_VAIN {
            self.of_array.clear();
            self.source.next_batch(&mut self.of_array)?;
            if self.of_array.is_empty() {
                break;
            }
            in_vain += self.of_array.len();
            for request in std::mem::take(&mut self.of_array) {
                batch.extend(self.own(request));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;
    use wordline_config::array::{ArrayMember, MirrorServe};

    /// Writes of these ranges, again and again.
    struct Writes(Vec<(u64, u64)>);

    impl RequestSource for Writes {
        fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
            batch.extend(self.0.iter().map(|&(offset, length)| HostRequest {
                time: Ns::ZERO,
                op: HostOp::Write,
                offset,
                length,
                flow: 0,
                stream: 0,
            }));
            Ok(())
        }
    }

    fn first_batch(layout: ArrayLayout, member: usize, writes: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let config = ArrayConfig {
            members: 2,
            layout,
            of: ArrayMember::Drives,
            chunk_bytes: 8192,
            serve: MirrorServe::First,
            read_window_ns: 0,
        };
        let mut batch = Vec::new();
        let mut source = Writes(writes.to_vec());
        OwnRequests::new(&mut source, &config, member).next_batch(&mut batch).unwrap();
        batch.iter().map(|request| (request.offset, request.length)).collect()
    }

    #[test]
    fn a_drive_of_a_stripe_gets_its_chunks_of_each_request() {
        let writes = [(0, 8192), (8192, 4096), (4096, 8192)];
        assert_eq!(first_batch(ArrayLayout::Striped, 0, &writes), [(0, 8192), (4096, 4096)]);
        assert_eq!(first_batch(ArrayLayout::Striped, 1, &writes), [(0, 4096), (0, 4096)]);
    }

    #[test]
    fn a_mirror_gets_all_of_them() {
        assert_eq!(first_batch(ArrayLayout::Mirrored, 1, &[(4096, 8192)]), [(4096, 8192)]);
    }

    #[test]
    fn a_drive_that_nothing_is_for_sees_the_end() {
        assert_eq!(first_batch(ArrayLayout::Striped, 1, &[(0, 4096)]), []);
    }
}
