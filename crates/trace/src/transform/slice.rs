//! Cuts a piece out of a trace: by time, by number, or by what requests do.

use std::sync::atomic::Ordering;

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::piece::Piece;
use crate::seen::Shift;

/// A piece of a source.
pub(super) struct Slice {
    source: Boxed,
    piece: Piece,
    /// What it takes from all times is told to this.
    shift: Shift,
    ended: bool,
}

impl Slice {
    pub(super) fn new(source: Boxed, piece: Piece, shift: Shift) -> Self {
        Self { source, piece, shift, ended: false }
    }
}

impl RequestSource for Slice {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        if self.ended {
            return Ok(());
        }
        let (piece, mut ended) = (&mut self.piece, false);
        let done = super::next_kept(&mut self.source, batch, |request| {
            if ended {
                return false;
            }
            let (stays, more) = piece.take(request);
            ended = !more;
            stays
        });
        self.shift.store(self.piece.shift_ns(), Ordering::Relaxed);
        self.ended = ended;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, reads, request, times};
    use super::*;
    use crate::config::OpName;
    use crate::piece::Conditions;
    use wordline_base::request::HostOp;

    fn sliced(source: Boxed, piece: Piece) -> Boxed {
        Box::new(Slice::new(source, piece, Shift::default()))
    }

    fn of_time(source: Boxed, from: u64, to: Option<u64>) -> Boxed {
        sliced(source, Piece::Time { from, to: to.unwrap_or(u64::MAX) })
    }

    fn of_count(source: Boxed, skip: u64, count: Option<u64>) -> Boxed {
        sliced(source, Piece::Count { skip, left: count.unwrap_or(u64::MAX), first: None })
    }

    #[test]
    fn a_span_of_time_begins_at_0() {
        assert_eq!(times(of_time(reads(&[0, 10, 20, 20, 30, 40]), 10, Some(30))), [0, 10, 10]);
        assert_eq!(times(of_time(reads(&[0, 10, 20]), 15, None)), [5]);
        assert!(times(of_time(reads(&[0, 10]), 50, None)).is_empty());
    }

    #[test]
    fn a_number_of_requests_begins_at_0() {
        let shift = Shift::default();
        let cut = drain(Box::new(Slice::new(
            reads(&[0, 10, 20, 30, 40, 50]),
            Piece::Count { skip: 2, left: 3, first: None },
            shift.clone(),
        )))
        .unwrap();
        let short: Vec<_> = cut.iter().map(|request| (request.time.0, request.offset)).collect();
        assert_eq!(short, [(0, 1024), (10, 1536), (20, 2048)]);
        assert_eq!(shift.load(Ordering::Relaxed), 20);
        assert_eq!(times(of_count(reads(&[5, 6]), 1, None)), [0]);
    }

    #[test]
    fn nothing_behind_the_piece_is_read() {
        struct Bomb(u32);
        impl RequestSource for Bomb {
            fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
                self.0 += 1;
                assert!(self.0 < 3, "read on");
                drain(reads(&[100, 200])).map(|requests| batch.extend(requests))
            }
        }
        assert_eq!(times(of_count(Box::new(Bomb(0)), 0, Some(3))).len(), 3);
        assert_eq!(times(of_time(Box::new(Bomb(0)), 0, Some(150))), [100]);
    }

    fn fitting(conditions: Conditions) -> Vec<u64> {
        let requests = vec![
            request(0, HostOp::Read, 0, 4096, 0),
            request(1, HostOp::Write, 4096, 4096, 0),
            request(2, HostOp::WriteFua, 8192, 4096, 1),
            request(3, HostOp::Trim, 0, 1 << 20, 1),
            request(4, HostOp::Flush, 0, 0, 2),
        ];
        let piece = Piece::Fitting(conditions);
        drain(sliced(Box::new(Given(requests)), piece))
            .unwrap()
            .iter()
            .map(|request| request.time.0)
            .collect()
    }

    #[test]
    fn each_condition_and_all_together_select_requests() {
        assert_eq!(fitting(Conditions::default()), [0, 1, 2, 3, 4]);
        let writes = Conditions { ops: vec![OpName::Write], ..Conditions::default() };
        assert_eq!(fitting(writes.clone()), [1, 2]);
        assert_eq!(fitting(Conditions { devices: vec![1, 2], ..Conditions::default() }), [2, 3, 4]);
        assert_eq!(fitting(Conditions { range: Some((4096, 8192)), ..Conditions::default() }), [1, 3]);
        assert_eq!(fitting(Conditions { devices: vec![0], ..writes }), [1]);
    }
}
