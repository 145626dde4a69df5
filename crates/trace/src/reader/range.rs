//! What becomes of requests beyond the drive's end.

use wordline_base::request::{HostOp, HostRequest};

use super::compact::Compactor;
use crate::config::OutOfRange;
use crate::notes::Tally;

/// The chosen policy with its state.
pub(crate) enum Range {
    Refuse,
    Wrap,
    Compact(Compactor),
}

impl Range {
    pub(crate) fn new(policy: OutOfRange, drive_bytes: u64) -> Self {
        match policy {
            OutOfRange::Error => Self::Refuse,
            OutOfRange::Wrap => Self::Wrap,
            OutOfRange::Compact => Self::Compact(Compactor::new(drive_bytes)),
        }
    }

    /// Appends the request, or what becomes of it, to `batch`. An error is a phrase about the request.
    #[inline(always)]
    pub(crate) fn apply(
        &mut self,
        request: HostRequest,
        device: u16,
        drive_bytes: u64,
        tally: &mut Tally,
        batch: &mut Vec<HostRequest>,
    ) -> Result<(), String> {
        let stays = match self {
            Self::Refuse | Self::Wrap => !beyond(&request, drive_bytes),
            Self::Compact(_) => false,
        };
        if !stays {
            return self.move_in(request, device, drive_bytes, tally, batch);
        }
        batch.push(request);
        Ok(())
    }

    /// The same for a request that can't stay where it is.
    fn move_in(
        &mut self,
        request: HostRequest,
        device: u16,
        drive_bytes: u64,
        tally: &mut Tally,
        batch: &mut Vec<HostRequest>,
    ) -> Result<(), String> {
        if request.op == HostOp::Flush {
            batch.push(request);
            return Ok(());
        }
        match self {
            Self::Refuse => return Err(refused(&request, drive_bytes)),
            Self::Wrap => batch.push(wrap(request, drive_bytes, tally)?),
            Self::Compact(compactor) => {
                let pieces = compactor.place(request, device, batch).map_err(|_| {
                    format!("the regions touched don't fit into the {drive_bytes} bytes that may be used")
                })?;
                tally.split += u64::from(pieces > 1);
                tally.unused_trims += u64::from(pieces == 0);
                tally.compacted_bytes = Some(compactor.used_bytes());
            }
        }
        Ok(())
    }
}

#[inline]
fn beyond(request: &HostRequest, drive_bytes: u64) -> bool {
    request.offset.saturating_add(request.length) > drive_bytes
}

fn refused(request: &HostRequest, drive_bytes: u64) -> String {
    format!(
        "{} bytes at offset {} lie beyond the {drive_bytes} bytes that may be used: take a larger drive, or more of it, or set out_of_range \
         to \"wrap\" or \"compact\"",
        request.length, request.offset
    )
}

fn wrap(mut request: HostRequest, drive_bytes: u64, tally: &mut Tally) -> Result<HostRequest, String> {
    if request.op == HostOp::Trim {
        request.length = request.length.min(drive_bytes);
    }
    let Some(last_start) = drive_bytes.checked_sub(request.length) else {
        return Err(format!(
            "{} bytes are more than the {drive_bytes} bytes that may be used",
            request.length
        ));
    };
    tally.wrapped += 1;
    tally.wrapped_at = drive_bytes;
    request.offset = request.offset.checked_rem(drive_bytes).unwrap_or(0).min(last_start);
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::time::Ns;

    const DRIVE: u64 = 10_000;

    fn applied(policy: OutOfRange, op: HostOp, offset: u64, length: u64) -> Result<Vec<(u64, u64)>, String> {
        let mut batch = Vec::new();
        let request = HostRequest { time: Ns(0), op, offset, length, flow: 0, stream: 0 };
        let mut tally = Tally::default();
        Range::new(policy, DRIVE).apply(request, 0, DRIVE, &mut tally, &mut batch)?;
        Ok(batch.iter().map(|request| (request.offset, request.length)).collect())
    }

    #[test]
    fn refusing_names_offset_and_drive() {
        assert_eq!(applied(OutOfRange::Error, HostOp::Read, 9_000, 1_000), Ok(vec![(9_000, 1_000)]));
        let error = applied(OutOfRange::Error, HostOp::Read, 9_000, 1_001).unwrap_err();
        assert!(error.contains("offset 9000") && error.contains("10000 bytes"), "{error}");
        assert!(applied(OutOfRange::Error, HostOp::Read, u64::MAX, 1).is_err());
    }

    #[test]
    fn wrapping_takes_the_remainder_and_moves_what_straddles_the_end_back() {
        assert_eq!(applied(OutOfRange::Wrap, HostOp::Read, 9_000, 1_000), Ok(vec![(9_000, 1_000)]));
        assert_eq!(applied(OutOfRange::Wrap, HostOp::Read, 25_000, 512), Ok(vec![(5_000, 512)]));
        assert_eq!(applied(OutOfRange::Wrap, HostOp::Read, 9_900, 512), Ok(vec![(9_488, 512)]));
        assert_eq!(applied(OutOfRange::Wrap, HostOp::Trim, 5, 1 << 40), Ok(vec![(0, 10_000)]));
        assert!(applied(OutOfRange::Wrap, HostOp::Read, 0, 10_001).is_err());
    }

    #[test]
    fn compacting_refuses_when_the_regions_do_not_fit() {
        let error = applied(OutOfRange::Compact, HostOp::Read, 0, 512).unwrap_err();
        assert!(error.contains("don't fit"), "{error}");
    }

    #[test]
    fn flushes_have_no_address() {
        assert_eq!(applied(OutOfRange::Error, HostOp::Flush, 0, 0), Ok(vec![(0, 0)]));
    }
}
