//! Cuts a trace into pieces of requests that follow one another.

use wordline_base::request::HostRequest;

use super::codes::Token;
use super::likeness::{Features, Measure};

/// Pieces that are kept before every second stretch of them is let go.
const MOST: usize = 1 << 13;

/// Pieces of a stretch.
pub(super) const STRETCH: usize = 16;

/// Requests that come together.
pub(super) struct Piece {
    /// The gap of the first is 0.
    pub tokens: Vec<Token>,
    /// Code of the gap before the piece.
    pub gap: u8,
    pub features: Features,
}

/// Takes requests and cuts them.
pub(super) struct Cutter {
    /// Requests of a piece.
    length: usize,
    pub pieces: Vec<Piece>,
    /// Each stretch that is kept stands for so many.
    pub every: u64,
    open: Vec<Token>,
    gap: u8,
    measure: Measure,
    /// Pieces so far.
    count: u64,
}

impl Cutter {
    pub(super) fn new(length: usize) -> Self {
        let (pieces, open) = (Vec::new(), Vec::new());
        Self { length: length.max(1), pieces, every: 1, open, gap: 0, measure: Measure::default(), count: 0 }
    }

    /// The next request. `rested`: the drive has done its work; a piece ends there from half its length on.
    pub(super) fn add(&mut self, mut token: Token, request: &HostRequest, gap_ns: u64, rested: bool) {
        let enough = if rested { self.length.div_ceil(2) } else { self.length };
        if self.open.len() >= enough {
            self.end();
        }
        if self.open.is_empty() {
            self.gap = std::mem::take(&mut token.gap);
            self.measure.add(request, 0, &token);
        } else {
            self.measure.add(request, gap_ns, &token);
        }
        self.open.push(token);
    }

    /// Ends the piece that is open.
    pub(super) fn end(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let tokens = std::mem::take(&mut self.open);
        let features = std::mem::take(&mut self.measure).features();
        if (self.count / STRETCH as u64).is_multiple_of(self.every) {
            self.pieces.push(Piece { tokens, gap: self.gap, features });
        }
        self.count += 1;
        if self.pieces.len() >= MOST {
            self.thin();
        }
    }

    /// Lets every second stretch go.
    fn thin(&mut self) {
        self.every *= 2;
        let mut number = 0;
        self.pieces.retain(|_| {
            number += 1;
            ((number - 1) / STRETCH).is_multiple_of(2)
        });
    }
}
