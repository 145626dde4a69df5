//! Weights with which the pieces that are kept add up to the whole.
//!
//! Calibration of survey weights (J.-C. Deville, C.-E. Särndal, "Calibration Estimators in Survey Sampling", JASA 87, 1992), with the
//! linear distance: w = d (1 + xᵀλ), λ from Σ w x = totals. Weights that would fall below a quarter of what they were, or rise above
//! four times it, are held there, and the others are calibrated again.

use wordline_engine::host::request::HostOp;

use super::codes::Token;

/// What the weights must add up to: requests, time within bursts, bytes read, bytes written, writes.
pub(super) const TOTALS: usize = 5;

const ROUNDS: usize = 8;

/// What codes stand for.
pub(super) struct Tables<'a> {
    pub gaps: &'a [u64],
    pub shapes: &'a [[u64; 2]],
}

impl Tables<'_> {
    /// The totals of a piece.
    pub(super) fn totals(&self, tokens: &[Token]) -> [f64; TOTALS] {
        let mut sums = [0.0; TOTALS];
        for token in tokens {
            let gap = self.gaps.get(usize::from(token.gap)).copied().unwrap_or_default() as f64;
            let length = self.shapes.get(usize::from(token.shape)).map_or(0, |shape| shape[0]) as f64;
            let read = if token.op == HostOp::Read { length } else { 0.0 };
            let (written, write) = if token.op.is_write() { (length, 1.0) } else { (0.0, 0.0) };
            add(&mut sums, &[1.0, gap, read, written, write], 1.0);
        }
        sums
    }
}

/// Adds `factor` times `other`.
pub(super) fn add(sums: &mut [f64; TOTALS], other: &[f64; TOTALS], factor: f64) {
    for (sum, value) in sums.iter_mut().zip(other) {
        *sum += value * factor;
    }
}

/// The weights of pieces, from those of sampling and the pieces' totals.
pub(super) fn calibrated(pieces: &[(f64, [f64; TOTALS], &[Token])], all: &[f64; TOTALS]) -> Vec<f64> {
    let mut weights: Vec<f64> = pieces.iter().map(|piece| piece.0).collect();
    let mut held = vec![false; pieces.len()];
    for _ in 0..ROUNDS {
        let mut missing = *all;
        let mut matrix = [[0.0; TOTALS]; TOTALS];
        for ((weight, held), (sampled, totals, _)) in weights.iter().zip(&held).zip(pieces) {
            let weight = if *held { *weight } else { *sampled };
            add(&mut missing, totals, -weight);
            if !*held {
                for (row, value) in matrix.iter_mut().zip(totals) {
                    add(row, totals, sampled * value);
                }
            }
        }
        let lambda = solved(matrix, missing, all);
        let mut again = false;
        for ((weight, held), (sampled, totals, _)) in weights.iter_mut().zip(&mut held).zip(pieces) {
            if *held {
                continue;
            }
            let factor = 1.0 + totals.iter().zip(&lambda).map(|(value, lambda)| value * lambda).sum::<f64>();
            let bounded = factor.clamp(0.25, 4.0);
            *weight = sampled * bounded;
            if bounded != factor {
                (*held, again) = (true, true);
            }
        }
        if !again {
            break;
        }
    }
    weights
}

/// Solves the linear system by elimination with pivots; totals that are none or depend on others are left out.
fn solved(
    mut matrix: [[f64; TOTALS]; TOTALS],
    mut right: [f64; TOTALS],
    all: &[f64; TOTALS],
) -> [f64; TOTALS] {
    // In units of the totals, so that pivots compare.
    let scale = all.map(|total| if total > 0.0 { 1.0 / total } else { 0.0 });
    for (row, (value, factor)) in matrix.iter_mut().zip(right.iter_mut().zip(&scale)) {
        row.iter_mut().zip(&scale).for_each(|(cell, other)| *cell *= factor * other);
        *value *= factor;
    }
    let largest =
        matrix.iter().enumerate().filter_map(|(i, row)| row.get(i)).fold(0.0, |a: f64, b| a.max(*b));
    let mut used = [false; TOTALS];
    let mut order = Vec::new();
    for _ in 0..TOTALS {
        let free = (0..TOTALS).filter(|index| !used.get(*index).copied().unwrap_or(true));
        let cell = |index: usize| matrix.get(index).and_then(|row| row.get(index)).copied().unwrap_or(0.0);
        let Some(pivot) = free.max_by(|a, b| cell(*a).total_cmp(&cell(*b))) else { break };
        let value = cell(pivot);
        if value <= largest * 1e-9 || value <= 0.0 {
            break;
        }
        used.iter_mut().enumerate().filter(|(index, _)| *index == pivot).for_each(|(_, used)| *used = true);
        order.push(pivot);
        let base = matrix.get(pivot).copied().unwrap_or_default();
        let base_right = right.get(pivot).copied().unwrap_or_default();
        for (index, (row, value_right)) in matrix.iter_mut().zip(right.iter_mut()).enumerate() {
            if index == pivot {
                continue;
            }
            let factor = row.get(pivot).copied().unwrap_or(0.0) / value;
            row.iter_mut().zip(&base).for_each(|(cell, other)| *cell -= factor * other);
            *value_right -= factor * base_right;
        }
    }
    let mut out = [0.0; TOTALS];
    for pivot in order {
        let value = matrix.get(pivot).and_then(|row| row.get(pivot)).copied().unwrap_or(1.0);
        let solution = right.get(pivot).copied().unwrap_or_default() / value;
        let factor = scale.get(pivot).copied().unwrap_or_default();
        out.iter_mut()
            .enumerate()
            .filter(|(index, _)| *index == pivot)
            .for_each(|(_, out)| *out = solution * factor);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibrated_weights_add_up_to_the_totals() {
        let pieces: Vec<(f64, [f64; TOTALS], &[Token])> = (1..=20_u32)
            .map(|i| {
                let i = f64::from(i);
                (5.0, [10.0 + i % 3.0, 1e6 * i, 4096.0 * (i % 5.0), 65_536.0 * (i % 7.0), i % 7.0], &[][..])
            })
            .collect();
        let mut all = [0.0; TOTALS];
        pieces.iter().for_each(|piece| add(&mut all, &piece.1, 5.3));
        all[1] *= 1.1;
        let weights = calibrated(&pieces, &all);
        let mut sums = [0.0; TOTALS];
        pieces.iter().zip(&weights).for_each(|(piece, weight)| add(&mut sums, &piece.1, *weight));
        for (sum, total) in sums.iter().zip(&all) {
            assert!((sum / total - 1.0).abs() < 1e-6, "{sums:?} {all:?}");
        }
    }
}
