//! The exponent of a Zipf law through the popularity of pages.

use super::ZipfFit;

/// Pages with fewer accesses are left out: their ranks are chance.
const LEAST_COUNT: u32 = 4;

/// Fewest ranks for a fit.
const LEAST_RANKS: usize = 20;

/// Fits ln(count) = a - theta ln(rank) by least squares to ranks spaced evenly in ln(rank), over the pages with at least
/// four accesses; `counts` descend. `None` with fewer than 20 such pages, or when all counts are alike.
pub(crate) fn fit(counts: &[u32]) -> Option<ZipfFit> {
    let ranks = counts.partition_point(|count| *count >= LEAST_COUNT);
    if ranks < LEAST_RANKS {
        return None;
    }
    let points: Vec<(f64, f64)> = spaced(ranks)
        .filter_map(|rank| Some((ln(rank as f64), ln(f64::from(*counts.get(rank - 1)?)))))
        .collect();
    let number = points.len() as f64;
    let mean_of = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / number;
    let (mean_x, mean_y) = (mean_of(|point| point.0), mean_of(|point| point.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in &points {
        xx += (x - mean_x) * (x - mean_x);
        xy += (x - mean_x) * (y - mean_y);
        yy += (y - mean_y) * (y - mean_y);
    }
    (xx > 0.0 && yy > 1e-9).then(|| ZipfFit {
        theta: -xy / xx,
        r_squared: xy * xy / (xx * yy),
        pages: ranks as u64,
    })
}

/// Ranks from 1 to `last`, each about a tenth larger than the one before.
fn spaced(last: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), move |rank| Some((rank + 1).max(rank * 11 / 10)))
        .take_while(move |rank| *rank <= last)
}

/// The same on every machine.
fn ln(value: f64) -> f64 {
    libm::log(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exact_law_gives_its_exponent() {
        for theta in [0.6, 0.99, 1.2_f64] {
            let counts: Vec<u32> =
                (1..100_000).map(|rank| (1e7 / f64::from(rank).powf(theta)) as u32).collect();
            let fit = fit(&counts).unwrap();
            assert!((fit.theta - theta).abs() < 0.02 && fit.r_squared > 0.99, "{theta}: {fit:?}");
        }
    }

    #[test]
    fn too_few_pages_or_none_more_popular_give_no_fit() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[9; 10]), None);
        assert_eq!(fit(&[9; 100]), None);
        assert_eq!(fit(&[3, 2, 1]), None);
    }
}
