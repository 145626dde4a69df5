//! Whether what was measured batch by batch rises or falls, or is another from some batch on.

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

/// Whether the batches of the second half are others than those of the first: a step, which need not rise or fall from batch to batch
/// (H. B. Mann and D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other", Annals
/// of Mathematical Statistics 18(1), 1947, pp. 50–60). Batches are joined as above.
pub(super) fn has_step(over: &[f64], under: &[f64]) -> bool {
    let ratios = ratios(over, under);
    if ratios.len() < LEAST {
        return false;
    }
    let (first, second) = ratios.split_at(ratios.len() / 2);
    let score: f64 = first.iter().flat_map(|one| second.iter().map(|other| sign(*one, *other))).sum();
    let (count, pairs) = (ratios.len() as f64, (first.len() * second.len()) as f64);
    let ties: f64 = tied(&ratios).map(|tied| tied * (tied * tied - 1.0)).sum();
    let deviation = (pairs / 3.0 * (count + 1.0 - ties / (count * (count - 1.0)))).sqrt();
    f64::abs(score) - 1.0 > SIGNIFICANT * deviation
}

/// 1 if it goes up from one to the other, −1 if down.
fn sign(one: f64, other: f64) -> f64 {
    if other > one {
        1.0
    } else if other < one {
        -1.0
    } else {
        0.0
    }
}

/// How many there are of each value.
fn tied(ratios: &[f64]) -> impl Iterator<Item = f64> {
    let mut sorted = ratios.to_vec();
    sorted.sort_by(f64::total_cmp);
    let counts: Vec<f64> =
        sorted.chunk_by(|one, other| one == other).map(|alike| alike.len() as f64).collect();
    counts.into_iter()
}

/// Batch by batch, every two joined where that leaves enough.
fn ratios(over: &[f64], under: &[f64]) -> Vec<f64> {
    let joined = over.len() / 2 >= LEAST;
    let join = |values: &[f64]| -> Vec<f64> {
        let size = if joined { 2 } else { 1 };
        values.split_at(values.len() % size).1.chunks_exact(size).map(|part| part.iter().sum()).collect()
    };
    let parts = join(over).into_iter().zip(join(under)).filter(|&(_, under)| under > 0.0);
    parts.map(|(over, under)| over / under).collect()
}

fn statistic(over: &[f64], under: &[f64]) -> f64 {
    let ratios = ratios(over, under);
    if ratios.len() < LEAST {
        return 0.0;
    }
    let mut score = 0.0;
    for (number, &earlier) in ratios.iter().enumerate() {
        score += ratios.iter().skip(number + 1).map(|&later| sign(earlier, later)).sum::<f64>();
    }
    let variance = |count: f64| count * (count - 1.0) * (2.0 * count + 5.0) / 18.0;
    let ties: f64 = tied(&ratios).map(variance).sum();
    let deviation = (variance(ratios.len() as f64) - ties).sqrt();
    // The continuity correction.
    let distance = (f64::abs(score) - 1.0).max(0.0);
    if distance > 0.0 { f64::signum(score) * distance / deviation } else { 0.0 }
}
