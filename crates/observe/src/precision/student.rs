//! Student's t.

/// The value that a variable of Student's distribution exceeds in 2.5% of all cases, for 1 to 40 degrees of freedom.
const TWO_SIDED_95: [f64; 40] = [
    12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604,
    2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555,
    2.0518, 2.0484, 2.0452, 2.0423, 2.0395, 2.0369, 2.0345, 2.0322, 2.0301, 2.0281, 2.0262, 2.0244, 2.0227,
    2.0211,
];

/// Where the two-sided 95% interval ends; the value for 40 degrees of freedom beyond them, which is up to 3% too wide.
pub fn t95(degrees: usize) -> f64 {
    let place = degrees.clamp(1, TWO_SIDED_95.len()) - 1;
    TWO_SIDED_95.get(place).copied().unwrap_or(f64::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integral of the density from 0 to t with ν degrees of freedom, by Simpson's rule.
    fn half(t: f64, degrees: i32) -> f64 {
        let density = |x: f64| (1.0 + x * x / f64::from(degrees)).powf(-f64::from(degrees + 1) / 2.0);
        let integral = |to: f64| {
            let step = to / 20_000.0;
            (0..20_000).map(|n| density((f64::from(n) + 0.5) * step) * step).sum::<f64>()
        };
        // The whole is approached from far out: what is left there is below 1e-5 from 5 degrees on.
        integral(t) / (2.0 * integral(200.0))
    }

    #[test]
    fn the_table_is_that_of_the_distribution() {
        for degrees in 5..=40 {
            let found = half(t95(degrees as usize), degrees);
            assert!((found - 0.475).abs() < 1e-4, "{degrees}: {found}");
        }
        assert_eq!((t95(0), t95(1000)), (12.7062, 2.0211));
    }
}
