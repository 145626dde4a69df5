//! Which piece comes next.

use super::codes::Token;
use super::cut::STRETCH;
use super::pack::Pieces;
use super::profile::Profile;
use super::shapes::Shape;

/// Parts of the order: a twin shorter than the trace has the beginning of each.
const PARTS: usize = 16;

/// The pieces of a profile in their order, again from the first when more are asked for than the trace had.
pub(super) struct Deck {
    pieces: Pieces,
    /// How often each stretch comes.
    every: u64,
    /// Stretches of each part but the last.
    part: usize,
    /// Where we are: stretch, how often it came, entry.
    stretch: usize,
    turn: u64,
    entry: usize,
    /// Requests still to come of the part.
    left: u64,
    /// Requests of each part are multiplied by this: below 1 when less than the trace is asked for.
    scale: f64,
    carry: f64,
}

impl Deck {
    /// A deck for a twin of so many requests.
    pub(super) fn new(profile: &Profile, requests: u64) -> Result<Self, String> {
        let pieces = profile.unpacked()?;
        let every = profile.pieces.as_ref().map_or(1, |pieces| pieces.every);
        let part = pieces.order.len().div_ceil(STRETCH).div_ceil(PARTS).max(1);
        let zero =
            Self { pieces, every, part, stretch: 0, turn: 0, entry: 0, left: 0, scale: 1.0, carry: 0.0 };
        let all = zero.requests(0..zero.pieces.order.len());
        let mut deck = Self { scale: (requests as f64 / all.max(1) as f64).min(1.0), ..zero };
        deck.enter();
        Ok(deck)
    }

    /// Requests of these entries, as often as they come.
    fn requests(&self, entries: std::ops::Range<usize>) -> u64 {
        let order = self.pieces.order.get(entries).unwrap_or_default();
        let lengths = order.iter().filter_map(|entry| self.pieces.pieces.get(usize::from(entry.0)));
        lengths.map(|piece| piece.len() as u64).sum::<u64>().saturating_mul(self.every)
    }

    /// Sets out how many requests of the part are to come.
    fn enter(&mut self) {
        let first = self.stretch * STRETCH;
        let end = ((self.stretch + self.part) * STRETCH).min(self.pieces.order.len());
        let all = self.requests(first..end);
        let wanted = all as f64 * self.scale + self.carry;
        self.left = (wanted.round().max(0.0) as u64).min(all);
        self.carry = wanted - self.left as f64;
    }

    /// Goes to the next part; whether it is the first again.
    fn next_part(&mut self) -> bool {
        self.stretch = (self.stretch / self.part + 1) * self.part;
        if self.stretch * STRETCH >= self.pieces.order.len() {
            self.stretch = 0;
        }
        (self.turn, self.entry) = (0, 0);
        self.enter();
        self.stretch == 0
    }

    /// Goes to the next entry of the part.
    fn advance(&mut self) {
        self.entry += 1;
        if self.entry < STRETCH && self.stretch * STRETCH + self.entry < self.pieces.order.len() {
            return;
        }
        self.entry = 0;
        self.turn += 1;
        if self.turn >= self.every {
            (self.stretch, self.turn) = (self.stretch + 1, 0);
        }
        if self.stretch * STRETCH >= self.pieces.order.len() {
            self.stretch = 0;
        }
    }

    /// Lengths and offsets modulo 16 KiB.
    pub(super) fn take_shapes(&mut self) -> Vec<Shape> {
        std::mem::take(&mut self.pieces.shapes)
    }

    /// The requests of the next piece, at least one and at most `most`, and the code of the gap before it.
    pub(super) fn next(&mut self, most: u64) -> Option<(&[Token], u8)> {
        while self.left == 0 {
            if self.next_part() && self.left == 0 {
                // Fewer requests than parts: what is left goes to the first.
                self.left = most;
            }
        }
        let (piece, gap) = *self.pieces.order.get(self.stretch * STRETCH + self.entry)?;
        let length = self.pieces.pieces.get(usize::from(piece))?.len() as u64;
        let taken = length.min(self.left).min(most);
        self.left -= taken;
        if self.left > 0 {
            self.advance();
        }
        let tokens = self.pieces.pieces.get(usize::from(piece))?;
        Some((tokens.get(..taken as usize)?, gap))
    }
}
