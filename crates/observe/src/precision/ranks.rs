//! The interval of a percentile: the response times at two ranks.
//!
//! Of n independent requests the number that don't exceed the p-quantile is binomial: its ranks lie around n·p
//! (W. J. Conover, "Practical Nonparametric Statistics", 3rd ed., Wiley 1999, §3.2). Requests depend on each other, so the
//! share is given the standard error that it has over batches, and the interval of the share is turned into one of response times (R. S. Woodruff,
//! "Confidence Intervals for Medians and Other Position Measures", JASA 47(260), 1952, pp. 635–646).

use super::ratio::{Spread, spread};
use super::student::t95;
use crate::batches::Side;

/// The two ranks, counted from 1, of a percentile of so many requests; `None` where there is no such request.
///
/// `level` is that of the percentile, and `sides` the counts at the ends of the batches.
pub fn ranks(share: f64, requests: u64, level: u16, sides: &[&Side]) -> Option<(u64, u64, usize)> {
    let Spread { error, degrees } = nearest(share, level, sides)?;
    let (count, half) = (requests as f64, t95(degrees) * error);
    let (low, high) = ((count * (share - half)).floor(), (count * (share + half)).ceil() + 1.0);
    (low >= 1.0 && high <= count).then_some((low as u64, high as u64, degrees))
}

/// The spread of a share of requests, not less than if they were independent. It is measured at the border of levels that
/// is nearest to the share, and has there a design effect: how many times the variance is that of independent ones.
fn nearest(share: f64, level: u16, sides: &[&Side]) -> Option<Spread> {
    let last = sides.last()?;
    let below = level.checked_sub(1);
    let found = |border: u16| {
        let (mut over, mut under) = (Vec::with_capacity(sides.len()), Vec::with_capacity(sides.len()));
        let mut before = (0, 0);
        for side in sides {
            let now = (side.up_to(border), side.recorded);
            over.push((now.0 - before.0) as f64);
            under.push((now.1 - before.1) as f64);
            before = now;
        }
        let there = last.up_to(border) as f64 / last.recorded as f64;
        Some((there, spread(&over, &under)?))
    };
    let borders = [below, Some(level)].into_iter().flatten().filter_map(found);
    let distance = |there: f64| (there - share).abs();
    let best = borders.min_by(|one, other| distance(one.0).total_cmp(&distance(other.0)))?;
    let (there, Spread { error, degrees }) = best;
    let independent = |share: f64| share * (1.0 - share) / last.recorded as f64;
    // Where no request lies beyond the border, or all do, nothing is known of how they depend on each other.
    let effect = if there > 0.0 && there < 1.0 { (error * error / independent(there)).max(1.0) } else { 1.0 };
    Some(Spread { error: (effect * independent(share)).sqrt(), degrees })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::blame::level_of;

    /// Twenty batches of a thousand, of which so many take 100 µs, the others 10.
    fn sides(slow: impl Fn(u64) -> u64) -> Vec<Side> {
        let mut slow_ones = 0;
        (1..=20)
            .map(|number| {
                slow_ones += slow(number);
                let levels =
                    vec![(level_of(10_000), number * 1000 - slow_ones), (level_of(100_000), slow_ones)];
                Side { recorded: number * 1000, levels, ..Side::default() }
            })
            .collect()
    }

    fn of(sides: &[Side], share: f64) -> Option<(u64, u64)> {
        let sides: Vec<&Side> = sides.iter().collect();
        ranks(share, 20_000, level_of(100_000), &sides).map(|(low, high, _)| (low, high))
    }

    #[test]
    fn ranks_are_those_of_the_binomial_where_requests_are_independent() {
        // 20,000 · 0.99 = 19,800 with a standard deviation of 14.1; t with 19 degrees of freedom is 2.093.
        assert_eq!(of(&sides(|_| 10), 0.99), Some((19_770, 19_831)));
    }

    #[test]
    fn ranks_lie_further_apart_where_slow_requests_come_together() {
        let (low, high) = of(&sides(|number| if number % 5 == 2 { 50 } else { 0 }), 0.99).unwrap();
        assert!((19_600..19_620).contains(&low) && (19_980..20_000).contains(&high), "{low} {high}");
        // So far apart that the upper one lies behind the last request.
        assert_eq!(of(&sides(|number| if number % 10 == 5 { 100 } else { 0 }), 0.99), None);
    }

    #[test]
    fn a_percentile_at_the_very_end_has_no_interval() {
        assert_eq!(of(&sides(|_| 10), 0.9999), None);
        assert_eq!(of(&sides(|_| 10)[..5], 0.99), None);
    }
}
