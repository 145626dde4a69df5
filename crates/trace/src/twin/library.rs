//! Chooses the pieces that a profile keeps.
//!
//! Pieces are sorted by load and taken by systematic sampling with unequal probabilities: a piece is kept with a probability in
//! proportion to how often it came, to the root of its length and to its load, at most 1, and stands for the inverse of that.
//! So the heaviest bursts are kept as they are, and every level of load is represented. Then the weights are calibrated, see
//! [`super::calibrate`].

use super::calibrate::{TOTALS, Tables, add, calibrated};
use super::codes::Token;
use super::pieces::{Piece, Pieces};
use super::profile::Phase;

/// Characters that a piece takes beside its requests: weight, quotes, comma.
const FRAME: f64 = 10.0;

/// Characters of a request, about.
const REQUEST: f64 = 5.0;

/// What of a phase may be kept.
#[derive(Clone, Copy)]
pub(super) struct Budget<'a> {
    /// Characters.
    pub characters: f64,
    pub shape_digits: u32,
    /// Pieces are written in the order in which they came first, else by load.
    pub in_order: bool,
    pub tables: &'a Tables<'a>,
}

/// The phase as the profile writes it.
pub(super) fn keep(phase: &super::pieces::PhasePieces, budget: Budget<'_>) -> Phase {
    let groups = [&phase.whole, &phase.start, &phase.rest];
    let sizes = groups.map(cost);
    let all: f64 = sizes.iter().sum();
    let part = |index: usize| {
        let size = sizes.get(index).copied().unwrap_or_default();
        let share = if all > 0.0 { size / all } else { 0.0 };
        groups.get(index).map_or_else(Vec::new, |group| choose(group, budget.characters * share, budget))
    };
    Phase {
        requests: phase.requests,
        in_order: budget.in_order,
        idle: phase.idle.iter().map(|(code, count)| [u64::from(*code), *count]).collect(),
        long: phase.long.iter().map(|(pieces, count)| [*pieces, *count]).collect(),
        whole: part(0),
        start: part(1),
        rest: part(2),
    }
}

fn cost(pieces: &Pieces) -> f64 {
    pieces.list.iter().map(cost_of).sum()
}

fn cost_of(piece: &Piece) -> f64 {
    piece.tokens.len() as f64 * REQUEST + FRAME
}

fn choose(pieces: &Pieces, characters: f64, budget: Budget<'_>) -> Vec<String> {
    let mut sorted: Vec<&Piece> = pieces.list.iter().collect();
    sorted.sort_by(|a, b| a.load.total_cmp(&b.load));
    let requests = |piece: &Piece| piece.weight * piece.tokens.len() as f64;
    let all: f64 = sorted.iter().map(|piece| requests(piece)).sum();
    let mean = sorted.iter().map(|piece| piece.load * requests(piece)).sum::<f64>() / all.max(1.0);
    let measures: Vec<f64> = sorted
        .iter()
        .map(|piece| piece.weight * (piece.tokens.len() as f64).sqrt() * (mean + piece.load))
        .collect();
    let costs: Vec<f64> = sorted.iter().map(|piece| cost_of(piece)).collect();
    let factor = factor_for(&measures, &costs, characters);
    let mut kept: Vec<(f64, u64, &[Token])> = Vec::new();
    let mut sum = 0.5;
    for (piece, measure) in sorted.iter().zip(&measures) {
        let chance = (measure * factor).min(1.0);
        let before = f64::floor(sum);
        sum += chance;
        if f64::floor(sum) > before {
            kept.push((piece.weight / chance, piece.first, &piece.tokens));
        }
    }
    // At least one, if there is any.
    if let (true, Some(piece)) = (kept.is_empty(), sorted.get(sorted.len() / 2)) {
        kept.push((1.0, piece.first, &piece.tokens));
    }
    if budget.in_order {
        kept.sort_by_key(|piece| piece.1);
    }
    let all: [f64; TOTALS] = sorted.iter().fold([0.0; TOTALS], |mut sums, piece| {
        add(&mut sums, &budget.tables.totals(&piece.tokens), piece.weight);
        sums
    });
    let kept: Vec<(f64, [f64; TOTALS], &[Token])> =
        kept.into_iter().map(|(weight, _, tokens)| (weight, budget.tables.totals(tokens), tokens)).collect();
    let weights = calibrated(&kept, &all);
    kept.iter()
        .zip(weights)
        .map(|((.., tokens), weight)| written(weight, tokens, budget.shape_digits))
        .collect()
}

/// The factor with which Σ cost · min(1, measure · factor) is what may be spent.
fn factor_for(measures: &[f64], costs: &[f64], spend: f64) -> f64 {
    let spent = |factor: f64| -> f64 {
        measures.iter().zip(costs).map(|(measure, cost)| cost * (measure * factor).min(1.0)).sum()
    };
    let (mut low, mut high) = (0.0, 1e-12);
    while spent(high) < spend && high < 1e12 {
        high *= 4.0;
    }
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if spent(middle) < spend { low = middle } else { high = middle }
    }
    high
}

/// `weight:tokens`.
fn written(weight: f64, tokens: &[Token], shape_digits: u32) -> String {
    let rounded = (weight * 100.0).round() / 100.0;
    let mut text = format!("{}:", rounded.max(0.01));
    tokens.iter().for_each(|token| token.write(&mut text, shape_digits));
    text
}
