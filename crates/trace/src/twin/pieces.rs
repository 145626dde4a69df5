//! Cuts a trace into bursts, and bursts into pieces.

use std::collections::{BTreeMap, HashMap};

use super::codes::Token;

/// Requests whose pieces are kept of one phase before every second piece is let go.
const KEPT: usize = 1 << 18;

/// Pieces of one role, equal ones together.
#[derive(Default)]
pub(super) struct Pieces {
    pub list: Vec<Piece>,
    index: HashMap<Vec<Token>, usize>,
    /// Requests in `list`.
    kept: usize,
    /// A piece that comes stands for so many.
    thinned: u64,
    turn: u64,
}

/// Requests that come together, and how often.
pub(super) struct Piece {
    pub tokens: Vec<Token>,
    /// How many pieces of the trace it stands for.
    pub weight: f64,
    /// Mean load of its requests, see [`super::load`].
    pub load: f64,
    /// When the first of them came, in pieces.
    pub first: u64,
}

impl Pieces {
    fn add(&mut self, tokens: Vec<Token>, load: f64) {
        self.turn += 1;
        let share = self.thinned.max(1);
        if !self.turn.is_multiple_of(share) {
            return;
        }
        if let Some(piece) = self.index.get(&tokens).and_then(|place| self.list.get_mut(*place)) {
            piece.load = (piece.load * piece.weight + load * share as f64) / (piece.weight + share as f64);
            piece.weight += share as f64;
            return;
        }
        self.kept += tokens.len();
        self.index.insert(tokens.clone(), self.list.len());
        self.list.push(Piece { tokens, weight: share as f64, load, first: self.turn });
        if self.kept > KEPT {
            self.thin();
        }
    }

    /// Lets every second piece go and doubles what the others stand for.
    fn thin(&mut self) {
        self.thinned = self.thinned.max(1) * 2;
        let mut number = 0;
        self.list.retain_mut(|piece| {
            number += 1;
            piece.weight *= 2.0;
            number % 2 == 0
        });
        self.kept = self.list.iter().map(|piece| piece.tokens.len()).sum();
        self.index = self.list.iter().enumerate().map(|(i, piece)| (piece.tokens.clone(), i)).collect();
    }
}

/// The pieces of one phase.
#[derive(Default)]
pub(super) struct PhasePieces {
    pub requests: u64,
    /// Bursts of one piece.
    pub whole: Pieces,
    /// First pieces of longer bursts.
    pub start: Pieces,
    /// Their other pieces.
    pub rest: Pieces,
    /// Pieces of a longer burst: how many such bursts.
    pub long: BTreeMap<u64, u64>,
    /// Code of a gap between bursts: how often.
    pub idle: BTreeMap<u8, u64>,
}

/// Takes requests and cuts them.
pub(super) struct Cutter {
    /// Most requests of a piece.
    piece: usize,
    pub phases: Vec<PhasePieces>,
    open: Vec<Token>,
    open_load: f64,
    /// The first piece of the burst, while it is the only one.
    first: Option<(Vec<Token>, f64)>,
    /// Pieces of the burst that are closed.
    closed: u64,
}

impl Cutter {
    pub(super) fn new(piece: usize) -> Self {
        let (phases, open) = (Vec::new(), Vec::new());
        Self { piece: piece.max(1), phases, open, open_load: 0.0, first: None, closed: 0 }
    }

    /// The next request. `begins` a burst: the gap before it is idle time.
    pub(super) fn add(&mut self, mut token: Token, load: f64, begins: bool) {
        if begins {
            self.end_burst();
            if let Some(phase) = self.phases.last_mut() {
                *phase.idle.entry(token.gap).or_default() += 1;
            }
            token.gap = 0;
        } else if self.open.len() >= self.piece {
            self.end_piece();
        }
        self.open.push(token);
        self.open_load += load;
        if let Some(phase) = self.phases.last_mut() {
            phase.requests += 1;
        }
    }

    /// Ends the phase and begins another.
    pub(super) fn begin_phase(&mut self) {
        self.end_burst();
        self.phases.push(PhasePieces::default());
    }

    fn end_piece(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let tokens = std::mem::take(&mut self.open);
        let load = std::mem::take(&mut self.open_load) / tokens.len() as f64;
        self.closed += 1;
        let Some(phase) = self.phases.last_mut() else { return };
        if self.closed == 1 {
            self.first = Some((tokens, load));
            return;
        }
        if let Some((tokens, load)) = self.first.take() {
            phase.start.add(tokens, load);
        }
        phase.rest.add(tokens, load);
    }

    pub(super) fn end_burst(&mut self) {
        self.end_piece();
        let pieces = std::mem::take(&mut self.closed);
        let Some(phase) = self.phases.last_mut() else { return };
        if let Some((tokens, load)) = self.first.take() {
            phase.whole.add(tokens, load);
        } else if pieces > 1 {
            *phase.long.entry(pieces).or_default() += 1;
        }
    }
}
