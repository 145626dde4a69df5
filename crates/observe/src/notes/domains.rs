//! Domains that differ much in how often they collect, or in their write amplification.

use super::Note;
use crate::report::Report;

/// Fewest collections of a domain in the mean: an index of dispersion is near its χ² distribution from 5 on (P. G. Hoel,
/// "On Indices of Dispersion", Annals of Mathematical Statistics 14(2), 1943, pp. 155–162).
const LEAST: f64 = 5.0;

/// Standard normal, one-sided, 0.1%.
const SIGNIFICANT: f64 = 3.09;

/// Assumed: a domain that does twice as much as the mean one, or half of it.
const MUCH: f64 = 2.0;

/// Collections of each domain.
pub(super) fn notes(report: &Report) -> Vec<Note> {
    let domains = &report.evidence.domains;
    let count = domains.len() as f64;
    let mean = domains.iter().map(|domain| domain.victims as f64).sum::<f64>() / count.max(1.0);
    if domains.len() < 2 || mean < LEAST {
        return Vec::new();
    }
    let victims = || domains.iter().map(|domain| domain.victims);
    let (least, most) = (victims().min().unwrap_or(0), victims().max().unwrap_or(0));
    let dispersion = victims().map(|victims| (victims as f64 - mean).powi(2)).sum::<f64>() / mean;
    let uneven =
        (most as f64 > MUCH * mean || (least as f64) < mean / MUCH) && dispersion > bound(count - 1.0);
    let [low, high] = wafs(report);
    if uneven || high > MUCH * low {
        return vec![Note::new(
            "uneven_domains",
            format!(
                "domains collect {least} to {most} superblocks each, {mean:.1} in the mean, with a WAF of {low:.2} to {high:.2}"
            ),
            "some planes get more writes than others, or have more to move: the slowest of them decide the tail",
            "a dynamic placement (scheme.placement.policy), larger superblocks (scheme.blocks.superblock), or a longer warm-up",
        )];
    }
    Vec::new()
}

/// Least and largest WAF that collection alone gives a domain with as many victims as make a mean: 1 / (1 − valid share).
fn wafs(report: &Report) -> [f64; 2] {
    let units = report.evidence.superblock_units as f64;
    let of = report.evidence.domains.iter().filter(|domain| domain.victims as f64 >= LEAST).map(|domain| {
        let valid = domain.valid as f64 / (domain.victims as f64 * units);
        1.0 / (1.0 - valid.clamp(0.0, 0.999))
    });
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    of.for_each(|waf| (low, high) = (low.min(waf), high.max(waf)));
    if low.is_finite() { [low, high] } else { [1.0, 1.0] }
}

/// The χ² that is exceeded in 0.1% of all cases (E. B. Wilson, M. M. Hilferty, "The Distribution of Chi-Square", PNAS 17(12),
/// 1931, pp. 684–688).
fn bound(degrees: f64) -> f64 {
    let part = 2.0 / (9.0 * degrees);
    degrees * (1.0 - part + SIGNIFICANT * part.sqrt()).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Collected;

    fn of(domains: &[(u64, u64)]) -> Vec<Note> {
        let mut report = Report::default();
        report.evidence.superblock_units = 100;
        report.evidence.domains =
            domains.iter().map(|&(victims, valid)| Collected { victims, valid: valid * victims }).collect();
        notes(&report)
    }

    #[test]
    fn the_bound_is_that_of_the_table() {
        // χ² at 0.999: 27.88 for 9 degrees of freedom, 149.4 for 100.
        assert!((bound(9.0) - 27.88).abs() < 0.2 && (bound(100.0) - 149.4).abs() < 0.5);
    }

    #[test]
    fn domains_that_differ_in_collections_or_in_waf_are_told() {
        assert!(of(&[(100, 80), (20, 80), (100, 80), (100, 80)])[0].found.contains("20 to 100"));
        assert!(of(&[(100, 50), (100, 90)])[0].found.contains("2.00 to 10.00"));
    }

    #[test]
    fn chance_and_few_collections_are_quiet() {
        assert!(of(&[(9, 80), (12, 80), (10, 82), (8, 80), (13, 79)]).is_empty());
        assert!(of(&[(0, 0), (9, 80)]).is_empty());
        assert!(of(&[(500, 80)]).is_empty() && of(&[]).is_empty());
    }
}
