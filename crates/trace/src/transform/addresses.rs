//! Gives requests other addresses: compacted, wrapped, or fitted onto a drive.

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::config::OutOfRange;
use crate::notes::{Notes, Tally};
use crate::reader::Range;

/// A source whose requests lie within a number of bytes.
pub(super) struct Addresses {
    source: Boxed,
    range: Range,
    bytes: u64,
    /// Devices have address spaces of their own.
    separate_devices: bool,
    taken: u64,
    scratch: Vec<HostRequest>,
    tally: Tally,
    notes: Notes,
}

impl Addresses {
    pub(super) fn new(
        source: Boxed,
        policy: OutOfRange,
        bytes: u64,
        separate_devices: bool,
        notes: Notes,
    ) -> Self {
        Self {
            source,
            range: Range::new(policy, bytes),
            bytes,
            separate_devices,
            taken: 0,
            scratch: Vec::new(),
            tally: Tally::default(),
            notes,
        }
    }

    fn place(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for request in &self.scratch {
            self.taken += 1;
            let device = if self.separate_devices { request.flow } else { 0 };
            let placed = self.range.apply(*request, device, self.bytes, &mut self.tally, batch);
            placed.map_err(|fault| {
                SourceError(format!("request {} of the transformed trace: {fault}", self.taken))
            })?;
        }
        Ok(())
    }
}

impl RequestSource for Addresses {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while batch.len() == before {
            self.scratch.clear();
            self.source.next_batch(&mut self.scratch)?;
            if self.scratch.is_empty() {
                break;
            }
            let placed = self.place(batch);
            self.notes.publish(&self.tally);
            placed?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, request};
    use super::*;
    use wordline_base::request::HostOp;

    const MIB: u64 = 1 << 20;

    fn placed(policy: OutOfRange, bytes: u64, separate_devices: bool) -> Result<Vec<u64>, SourceError> {
        let requests = vec![
            request(0, HostOp::Trim, 700 * MIB, 512, 0),
            request(0, HostOp::Read, 900 * MIB, 512, 0),
            request(1, HostOp::Write, 7 * MIB, 512, 0),
            request(2, HostOp::Read, 900 * MIB, 512, 1),
        ];
        let notes = Notes::default();
        let source = Addresses::new(Box::new(Given(requests)), policy, bytes, separate_devices, notes);
        Ok(drain(Box::new(source))?.iter().map(|request| request.offset).collect())
    }

    #[test]
    fn compacting_keeps_devices_apart_where_they_are() {
        assert_eq!(placed(OutOfRange::Compact, u64::MAX, true), Ok(vec![0, MIB, 2 * MIB]));
        assert_eq!(placed(OutOfRange::Compact, u64::MAX, false), Ok(vec![0, MIB, 0]));
    }

    #[test]
    fn wrapping_and_refusing_know_the_size() {
        let wrapped = placed(OutOfRange::Wrap, 10 * MIB, false);
        assert_eq!(wrapped, Ok(vec![0, 0, 7 * MIB, 0]));
        let error = placed(OutOfRange::Error, 10 * MIB, false).unwrap_err();
        assert!(error.0.starts_with("request 1 of the transformed trace: "), "{error}");
    }
}
