//! Binomial random numbers, by inversion from the mode outwards: exact for any probability, small ones included, in
//! about as many steps as the result's distance from the mode.

use rand::Rng;

use wordline_base::rng::Xoshiro256PlusPlus;

/// Outcomes less likely than this can't be told from impossible ones with 53 random bits.
const NEGLIGIBLE: f64 = 1e-19;

/// The number of successes in `trials` independent trials.
#[derive(Clone, Copy, Debug)]
pub struct Binomial {
    trials: u32,
    odds: f64,
    mode: u32,
    at_mode: f64,
}

impl Binomial {
    /// Of trials that each succeed with this probability, taken into 0 to ½.
    pub fn new(trials: u32, probability: f64) -> Self {
        let p = probability.clamp(0.0, 0.5);
        if p.is_nan() || p <= 0.0 {
            return Self { trials, odds: 0.0, mode: 0, at_mode: 1.0 };
        }
        let n = f64::from(trials);
        let mode = libm::floor((n + 1.0) * p);
        // The logarithm of n choose mode.
        let ways = libm::lgamma(n + 1.0) - libm::lgamma(mode + 1.0) - libm::lgamma(n - mode + 1.0);
        let at_mode = libm::exp(ways + mode * libm::log(p) + (n - mode) * libm::log1p(-p));
        Self { trials, odds: p / (1.0 - p), mode: mode as u32, at_mode }
    }

    /// One number.
    pub fn draw(&self, random: &mut Xoshiro256PlusPlus) -> u32 {
        if self.odds == 0.0 {
            return 0;
        }
        let uniform = (random.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        self.at(uniform)
    }

    /// The outcome at which the probabilities, added up in the order mode, mode + 1, mode − 1, mode + 2 …, pass
    /// `uniform`.
    fn at(&self, uniform: f64) -> u32 {
        let mut rest = uniform - self.at_mode;
        let (mut high, mut low) = (self.mode, self.mode);
        let (mut above, mut below) = (self.at_mode, self.at_mode);
        while rest >= 0.0 {
            if high < self.trials {
                above *= f64::from(self.trials - high) / f64::from(high + 1) * self.odds;
                high += 1;
                rest -= above;
                if rest < 0.0 {
                    return high;
                }
            }
            if low > 0 {
                below *= f64::from(low) / (f64::from(self.trials - low + 1) * self.odds);
                low -= 1;
                rest -= below;
                if rest < 0.0 {
                    return low;
                }
            }
            let over = (high == self.trials || above < NEGLIGIBLE) && (low == 0 || below < NEGLIGIBLE);
            if over {
                // What rounding left over.
                return self.mode;
            }
        }
        self.mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::rng::stream;

    /// Share of each outcome over evenly spread uniforms: the distribution itself, without random numbers.
    fn shares(binomial: &Binomial, points: u32) -> Vec<f64> {
        let mut shares = vec![0.0; binomial.trials as usize + 1];
        for point in 0..points {
            let outcome = binomial.at((f64::from(point) + 0.5) / f64::from(points));
            shares[outcome as usize] += 1.0 / f64::from(points);
        }
        shares
    }

    #[test]
    fn every_outcome_has_its_probability() {
        for (trials, p) in [(1, 0.5), (5, 0.3), (12, 0.01), (40, 0.5)] {
            let mut probability = (1.0f64 - p).powi(trials);
            let found = shares(&Binomial::new(trials as u32, p), 200_000);
            for (outcome, share) in found.iter().enumerate() {
                assert!((share - probability).abs() < 1e-5, "{trials} {p} {outcome}: {share} {probability}");
                probability *= (f64::from(trials) - outcome as f64) / (outcome as f64 + 1.0) * p / (1.0 - p);
            }
        }
    }

    #[test]
    fn mean_and_variance_are_those_of_the_formula_for_codewords() {
        for (trials, p) in [(8_192, 1e-6), (8_192, 1.5e-3), (32_768, 0.01), (8_192, 0.5)] {
            let binomial = Binomial::new(trials, p);
            let mut random = stream(7, "test");
            let draws = 40_000;
            let drawn: Vec<f64> = (0..draws).map(|_| f64::from(binomial.draw(&mut random))).collect();
            let mean = drawn.iter().sum::<f64>() / f64::from(draws);
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(draws);
            let (expected, spread) = (f64::from(trials) * p, f64::from(trials) * p * (1.0 - p));
            let error = (spread / f64::from(draws)).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{trials} {p}: {mean}");
            let fourth = 3.0 * spread * spread + spread;
            assert!(
                (variance - spread).abs() < 4.0 * (fourth / f64::from(draws)).sqrt(),
                "{trials} {p}: {variance}"
            );
        }
    }

    #[test]
    fn what_is_impossible_never_happens() {
        let mut random = stream(1, "test");
        for probability in [0.0, -1.0, f64::NAN] {
            assert_eq!(Binomial::new(1000, probability).draw(&mut random), 0);
        }
        assert_eq!(Binomial::new(0, 0.3).draw(&mut random), 0);
        assert!(Binomial::new(3, 7.0).at(1.0 - 1e-16) <= 3);
    }
}
