//! Whether a figure of successive windows still changes one way.

/// Windows over which a trend is looked for.
pub(super) const LOOKED_AT: usize = 6;

/// Of the fifteen pairs of six windows so many more rise than fall, or fall than rise, at most: without a trend one time in seven
/// it is more by chance (H. B. Mann, "Nonparametric tests against trend", Econometrica 13(3), 1945).
const MOST_PAIRS: i32 = 7;

/// A figure that has no trend may differ by this share between the first three of them and the last.
const SCATTER: f64 = 0.01;

/// What differs by less than this share between them needs no test. Where what is left of a change falls by a fifth with each
/// window, as that of a drive that is overwritten uniformly, as much is still to come.
const NEGLIGIBLE: f64 = 0.002;

/// Whether the last six windows show no trend.
pub(super) fn has_settled(windows: &[f64]) -> bool {
    let Some(last) = windows.last_chunk::<LOOKED_AT>() else { return false };
    let (first, second) = last.split_at(LOOKED_AT / 2);
    let (before, after) = (first.iter().sum::<f64>(), second.iter().sum::<f64>());
    let change = (after - before).abs();
    let largest = before.abs().max(after.abs());
    change <= NEGLIGIBLE * largest || (change <= SCATTER * largest && rising_pairs(last).abs() <= MOST_PAIRS)
}

/// Pairs that rise less those that fall: Kendall's S.
fn rising_pairs(windows: &[f64]) -> i32 {
    let of = |(number, &one): (usize, &f64)| {
        let later = windows.iter().skip(number + 1);
        later.map(|&other| i32::from(other > one) - i32::from(other < one)).sum::<i32>()
    };
    windows.iter().enumerate().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::rng::{below, stream};

    #[test]
    fn what_still_falls_one_way_has_not_settled_however_slowly() {
        assert!(!has_settled(&[3.525, 3.523, 3.510]), "too few");
        assert!(!has_settled(&[3.56, 3.55, 3.54, 3.525, 3.523, 3.510]));
        assert!(has_settled(&[9.0, 3.51, 3.53, 3.52, 3.515, 3.525, 3.512]));
        assert!(!has_settled(&[3.0, 3.0, 3.0, 3.2, 3.0, 3.1]), "scatters too much");
        assert!(has_settled(&[3.0, 3.0001, 3.0002, 3.0003, 3.0004, 3.0005]), "by less than anybody measures");
        assert!(has_settled(&[1.0; 6]) && has_settled(&[0.0; 6]));
    }

    /// By chance alone one in seven is taken for a trend, and of figures that rise by their own scatter with each window few aren't.
    #[test]
    fn chance_is_seldom_a_trend_and_a_trend_seldom_chance() {
        let mut random = stream(3, "windows");
        let mut settled = |slope: f64| {
            let mut chance = || f64::from(below(&mut random, 1000)) / 1000.0;
            let mut windows =
                || -> Vec<f64> { (0..6).map(|n| 3.0 + 0.05 * (chance() + slope * f64::from(n))).collect() };
            (0..2000).filter(|_| has_settled(&windows())).count() as f64 / 2000.0
        };
        let (without, with) = (settled(0.0), settled(0.5));
        assert!((0.8..0.92).contains(&without) && with < 0.1, "{without} {with}");
    }
}
