//! Cuts a piece out of a trace, by time or by number.

use std::sync::atomic::Ordering;

use wordline_base::request::{HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;

use super::Boxed;
use crate::seen::Shift;

/// Which requests stay.
enum Piece {
    Time { from: u64, to: u64 },
    Count { skip: u64, left: u64, first: Option<u64>, shift: Shift },
}

/// A piece of a source.
pub(super) struct Slice {
    source: Boxed,
    piece: Piece,
    ended: bool,
}

impl Slice {
    /// Requests from `from` (ns) to below `to`; `from` becomes 0.
    pub(super) fn of_time(source: Boxed, from: u64, to: Option<u64>) -> Self {
        Self { source, piece: Piece::Time { from, to: to.unwrap_or(u64::MAX) }, ended: false }
    }

    /// `count` requests after the first `skip`; the first of them arrives at 0.
    ///
    /// That one's time is told to `shift`.
    pub(super) fn of_count(source: Boxed, skip: u64, count: Option<u64>, shift: Shift) -> Self {
        let piece = Piece::Count { skip, left: count.unwrap_or(u64::MAX), first: None, shift };
        Self { source, piece, ended: false }
    }
}

impl Piece {
    /// Whether the request stays, and whether anything can come behind it.
    fn take(&mut self, request: &mut HostRequest) -> (bool, bool) {
        match self {
            Self::Time { from, to } => {
                let time = request.time.0;
                request.time = Ns(time.saturating_sub(*from));
                (time >= *from && time < *to, time < *to)
            }
            Self::Count { skip, left, first, shift } => {
                if *skip > 0 {
                    *skip -= 1;
                    return (false, true);
                }
                if *left == 0 {
                    return (false, false);
                }
                *left -= 1;
                let first = *first.get_or_insert_with(|| {
                    shift.store(request.time.0, Ordering::Relaxed);
                    request.time.0
                });
                request.time = Ns(request.time.0 - first);
                (true, *left > 0)
            }
        }
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
        self.ended = ended;
        done
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{drain, reads, times};
    use super::*;

    #[test]
    fn a_span_of_time_begins_at_0() {
        assert_eq!(
            times(Box::new(Slice::of_time(reads(&[0, 10, 20, 20, 30, 40]), 10, Some(30)))),
            [0, 10, 10]
        );
        assert_eq!(times(Box::new(Slice::of_time(reads(&[0, 10, 20]), 15, None))), [5]);
        assert!(times(Box::new(Slice::of_time(reads(&[0, 10]), 50, None))).is_empty());
    }

    #[test]
    fn a_number_of_requests_begins_at_0() {
        let shift = Shift::default();
        let cut =
            drain(Box::new(Slice::of_count(reads(&[0, 10, 20, 30, 40, 50]), 2, Some(3), shift.clone())))
                .unwrap();
        let short: Vec<_> = cut.iter().map(|request| (request.time.0, request.offset)).collect();
        assert_eq!(short, [(0, 1024), (10, 1536), (20, 2048)]);
        assert_eq!(shift.load(Ordering::Relaxed), 20);
        assert_eq!(times(Box::new(Slice::of_count(reads(&[5, 6]), 1, None, Shift::default()))), [0]);
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
        assert_eq!(
            times(Box::new(Slice::of_count(Box::new(Bomb(0)), 0, Some(3), Shift::default()))).len(),
            3
        );
        assert_eq!(times(Box::new(Slice::of_time(Box::new(Bomb(0)), 0, Some(150)))), [100]);
    }
}
