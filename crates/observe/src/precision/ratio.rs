//! The interval of a ratio of two sums, such as nanoseconds by requests or bytes programmed by bytes written, from batches.

use super::student::t95;
use crate::intervals::Interval;

/// Fewest batches of an interval: the lower end of Schmeiser's range (see [`crate::batches`]).
const LEAST: usize = 10;

/// Above this the hypothesis that batches don't depend on each other is rejected: standard normal, one-sided, 5%.
const DEPENDENT: f64 = 1.645;

/// The standard error of a ratio, and its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Standard error.
    pub error: f64,
    /// Batches − 1.
    pub degrees: usize,
}

impl Spread {
    /// The interval around this value.
    pub fn around(&self, value: f64) -> Interval {
        let half = t95(self.degrees) * self.error;
        // What is measured here is never below nothing.
        Interval::of(value, (value - half).max(0.0), value + half, self.degrees as u32)
    }
}

/// The spread of Σ`over` / Σ`under` over batches: the ratio estimator (W. G. Cochran, "Sampling Techniques", 3rd ed.,
/// Wiley 1977, ch. 6), with R that ratio,
///
/// `s² = m / (m − 1) · Σ (over − R · under)² / (Σ under)²`
///
/// As long as von Neumann's test finds that batches depend on those before them, every two are joined, down to
/// `LEAST` of them (G. S. Fishman, L. S. Yarberry, "An Implementation of the Batch Means Method", INFORMS Journal on
/// Computing 9(3), 1997, pp. 296–310). `None` for fewer batches, or if nothing is under the line.
pub fn spread(over: &[f64], under: &[f64]) -> Option<Spread> {
    let whole: f64 = under.iter().sum();
    if over.len() < LEAST || over.len() != under.len() || whole <= 0.0 {
        return None;
    }
    let ratio = over.iter().sum::<f64>() / whole;
    let mut residuals: Vec<f64> = over.iter().zip(under).map(|(over, under)| over - ratio * under).collect();
    while residuals.len() / 2 >= LEAST && depends(&residuals) {
        // Of an odd number the oldest stays out, and what it lacks of Σ under is small.
        let odd = residuals.len() % 2;
        residuals = residuals.split_at(odd).1.chunks_exact(2).map(|pair| pair.iter().sum()).collect();
    }
    let count = residuals.len() as f64;
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let error = (count / (count - 1.0) * squares).sqrt() / whole;
    Some(Spread { error, degrees: residuals.len() - 1 })
}

/// Von Neumann's test of independence against dependence on the one before (J. von Neumann, "Distribution of the Ratio of
/// the Mean Square Successive Difference to the Variance", Annals of Mathematical Statistics 12(4), 1941, pp. 367–395),
/// in the form that Fishman and Yarberry give it.
fn depends(values: &[f64]) -> bool {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let successive: f64 = values.iter().zip(values.iter().skip(1)).map(|(a, b)| (b - a) * (b - a)).sum();
    squares > 0.0
        && (1.0 - successive / (2.0 * squares)) * ((count * count - 1.0) / (count - 2.0)).sqrt() > DEPENDENT
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use rand::Rng;
    use wordline_base::rng;

    /// Batches of a first-order autoregressive process of mean 100 and unit innovations.
    fn batches(seed: u64, memory: f64, batches: usize, each: usize) -> Vec<f64> {
        let mut random = rng::stream(seed, "test");
        let mut noise = 0.0;
        let mut batch = || -> f64 {
            (0..each)
                .map(|_| {
                    // Twelve uniform numbers make a normal one.
                    let normal =
                        (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>()
                            - 6.0;
                    noise = memory * noise + normal;
                    100.0 + noise
                })
                .sum()
        };
        (0..batches).map(|_| batch()).collect()
    }

    /// Share of intervals that hold the true mean.
    fn coverage(memory: f64, each: usize) -> f64 {
        let holds = |seed: &u64| {
            let over = batches(*seed, memory, 32, each);
            let mean = over.iter().sum::<f64>() / (32 * each) as f64;
            let interval = spread(&over, &[each as f64; 32]).unwrap().around(mean);
            interval.low <= 100.0 && 100.0 <= interval.high
        };
        (0..400).filter(holds).count() as f64 / 400.0
    }

    #[test]
    fn ninety_five_of_a_hundred_intervals_hold_the_mean() {
        // Three standard deviations of a share of 400 are 0.033.
        for (memory, each) in [(0.0, 50), (0.5, 50), (0.9, 200)] {
            let share = coverage(memory, each);
            assert!((0.91..=0.985).contains(&share), "{memory}: {share}");
        }
    }

    #[test]
    fn batches_that_depend_on_each_other_are_joined() {
        assert_eq!(spread(&batches(1, 0.0, 32, 50), &[50.0; 32]).unwrap().degrees, 31);
        assert_eq!(spread(&batches(1, 0.99, 32, 10), &[10.0; 32]).unwrap().degrees, 15);
    }

    #[test]
    fn few_batches_or_none_of_what_is_under_the_line_have_no_spread() {
        assert_eq!(spread(&[1.0; 9], &[1.0; 9]), None);
        assert_eq!(spread(&[1.0; 20], &[0.0; 20]), None);
        assert_eq!(
            spread(&[3.0; 20], &[1.0; 20]).unwrap().around(3.0),
            Interval { low: 3.0, high: 3.0, degrees: 19, unsure: false }
        );
    }

    #[test]
    fn an_interval_that_exceeds_its_figure_says_so() {
        assert!(!Interval::of(100.0, 0.0, 200.0, 19).unsure && !Interval::of(0.0, 0.0, 0.0, 19).unsure);
        let wide = Interval::of(100.0, 0.0, 200.1, 19);
        assert!(wide.unsure && Spread { error: 60.0, degrees: 19 }.around(100.0).unsure);
        assert!(serde_json::to_string(&wide).unwrap().ends_with(r#""unsure":true}"#));
        assert!(!serde_json::to_string(&Interval::of(1.0, 0.5, 1.5, 19)).unwrap().contains("unsure"));
    }
}
