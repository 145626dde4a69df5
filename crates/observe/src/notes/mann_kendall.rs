//! Whether what was measured batch by batch rises or falls.

/// Standard normal, two-sided, 0.1%: of a thousand figures without trend one is called rising or falling.
const SIGNIFICANT: f64 = 3.29;

/// Fewest batches that say anything.
const LEAST: usize = 10;

/// Whether a ratio rises or falls from batch to batch: the test of Mann and Kendall (H. B. Mann, "Nonparametric Tests
/// Against Trend", Econometrica 13(3), 1945, pp. 245–259). It takes batches as independent, so every two are joined first
/// where that leaves enough.
pub(super) fn has_trend(over: &[f64], under: &[f64]) -> bool {
    statistic(over, under).abs() > SIGNIFICANT
}

/// Whether it rises.
pub(super) fn rises(over: &[f64], under: &[f64]) -> bool {
    statistic(over, under) > SIGNIFICANT
}

fn statistic(over: &[f64], under: &[f64]) -> f64 {
    let joined = over.len() / 2 >= LEAST;
    let join = |values: &[f64]| -> Vec<f64> {
        let size = if joined { 2 } else { 1 };
        values.split_at(values.len() % size).1.chunks_exact(size).map(|part| part.iter().sum()).collect()
    };
    let ratios: Vec<f64> = join(over)
        .into_iter()
        .zip(join(under))
        .filter(|&(_, under)| under > 0.0)
        .map(|(over, under)| over / under)
        .collect();
    if ratios.len() < LEAST {
        return 0.0;
    }
    let mut score = 0.0;
    for (number, &earlier) in ratios.iter().enumerate() {
        for &later in ratios.iter().skip(number + 1) {
            score += if later > earlier {
                1.0
            } else if later < earlier {
                -1.0
            } else {
                0.0
            };
        }
    }
    let count = ratios.len() as f64;
    // Ties make the variance smaller, so this is on the safe side.
    let deviation = (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    // The continuity correction.
    f64::signum(score) * (f64::abs(score) - 1.0).max(0.0) / deviation
}
