//! Flows that end when what they are measured by has stayed the same for a while.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::time::Ns;
use wordline_config::host::FlowRules;
use wordline_config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};
use wordline_observe::report::SteadyEndReport;

/// Flows that end together, and how steady they are.
pub(super) struct SteadyWatch {
    /// Their numbers.
    pub(super) flows: Vec<u16>,
    names: Vec<String>,
    rule: SteadyEnd,
    state: State,
}

/// How far they are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    /// When the first of them began.
    begins: Option<Ns>,
    /// Intervals that are over, counted from the end of the ramp.
    over: u64,
    /// Of the one that isn't.
    answers: u64,
    bytes: u64,
    response_ns: u64,
    /// The figure in the last intervals.
    figures: VecDeque<f64>,
    /// What the last whole window gave: its mean, and how far from steady it was.
    last: Option<[f64; 2]>,
    attained: Option<Ns>,
}

impl SteadyWatch {
    /// Those of these flows: one for each that says when it ends so, or for each group of such.
    pub(super) fn all_of<'a>(rules: impl Iterator<Item = &'a FlowRules>) -> Vec<Self> {
        let mut watches: Vec<(&str, Self)> = Vec::new();
        for (number, rules) in rules.enumerate() {
            let Some(rule) = &rules.steady_end else { continue };
            let (flow, name) = (number as u16, rules.name.clone());
            let group = rules.group.as_str();
            match watches.iter_mut().find(|(other, _)| !group.is_empty() && *other == group) {
                Some((_, watch)) => {
                    watch.flows.push(flow);
                    watch.names.push(name);
                }
                None => {
                    let (flows, names, rule) = (vec![flow], vec![name], rule.clone());
                    watches.push((group, Self { flows, names, rule, state: State::default() }));
                }
            }
        }
        watches.into_iter().map(|(_, watch)| watch).collect()
    }

    /// A request of so many bytes of a flow whose own began at `begins` has its answer, after so long. Returns whether the flows end.
    pub(super) fn answered(&mut self, begins: Ns, bytes: u64, took: Ns, now: Ns) -> bool {
        if self.state.attained.is_some() {
            return false;
        }
        let begins = *self.state.begins.get_or_insert(begins);
        let first = begins + Ns(self.rule.ramp_ns);
        if now < first {
            return false;
        }
        let is_steady = self.pass_to((now - first).0 / self.rule.interval_ns, now);
        let state = &mut self.state;
        state.answers += 1;
        state.bytes = state.bytes.saturating_add(bytes);
        state.response_ns = state.response_ns.saturating_add(took.0);
        is_steady
    }

    /// So many intervals are over. Returns whether the last of them, or one of them, makes the window steady.
    fn pass_to(&mut self, over: u64, now: Ns) -> bool {
        // Of a long silence no more counts than a window has.
        let silent = over.saturating_sub(self.state.over).saturating_sub(self.rule.intervals() + 1);
        if silent > 0 {
            self.end_interval();
            self.state.over += silent;
        }
        while self.state.over < over {
            self.end_interval();
            if self.is_steady() {
                self.state.attained = Some(now);
                return true;
            }
        }
        false
    }

    fn end_interval(&mut self) {
        let state = &mut self.state;
        let seconds = self.rule.interval_ns as f64 / 1e9;
        let figure = match self.rule.of {
            SteadyOf::Iops => state.answers as f64 / seconds,
            SteadyOf::Bandwidth => state.bytes as f64 / seconds,
            SteadyOf::Latency => state.response_ns as f64 / state.answers.max(1) as f64,
        };
        (state.answers, state.bytes, state.response_ns) = (0, 0, 0);
        state.over += 1;
        state.figures.push_back(figure);
        if state.figures.len() as u64 > self.rule.intervals() {
            state.figures.pop_front();
        }
    }

    fn is_steady(&mut self) -> bool {
        let figures = &self.state.figures;
        if (figures.len() as u64) < self.rule.intervals() {
            return false;
        }
        let mean = figures.iter().sum::<f64>() / figures.len() as f64;
        let found = match self.rule.by {
            SteadyBy::Deviation => figures.iter().map(|figure| (figure - mean).abs()).fold(0.0, f64::max),
            SteadyBy::Slope => slope(figures, mean).abs(),
        };
        let (found, limit) = match (self.rule.limit_share, self.rule.limit) {
            // Of nothing no share is small.
            (Some(share), _) => (if mean > 0.0 { found / mean } else { f64::INFINITY }, share),
            (None, limit) => (found, limit.unwrap_or(0.0)),
        };
        self.state.last = found.is_finite().then_some([mean, found]);
        found < limit
    }

    /// What they came to.
    pub(super) fn report(&self) -> SteadyEndReport {
        let State { attained, last, .. } = &self.state;
        SteadyEndReport {
            flows: self.names.clone(),
            attained: attained.is_some(),
            at_ns: attained.map(|at| at.0),
            mean: last.map(|[mean, _]| mean),
            distance: last.map(|[_, distance]| distance),
            limit: self.rule.limit_share.or(self.rule.limit).unwrap_or(0.0),
        }
    }

    pub(super) fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put(&self.state)
    }

    pub(super) fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.state = input.take()?;
        Ok(())
    }
}

/// The slope of the line of least squares through these, by place.
fn slope(figures: &VecDeque<f64>, mean: f64) -> f64 {
    let middle = (figures.len() as f64 - 1.0) / 2.0;
    let (mut of_both, mut of_places) = (0.0, 0.0);
    for (place, figure) in figures.iter().enumerate() {
        let from_middle = place as f64 - middle;
        of_both += from_middle * (figure - mean);
        of_places += from_middle * from_middle;
    }
    of_both / of_places
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTERVAL: u64 = 1_000_000;

    fn watch(of: SteadyOf, by: SteadyBy, limit_share: f64) -> SteadyWatch {
        let rule = SteadyEnd {
            of,
            by,
            limit_share: Some(limit_share),
            limit: None,
            duration_ns: 4 * INTERVAL,
            interval_ns: INTERVAL,
            ramp_ns: 2 * INTERVAL,
        };
        let (flows, names) = (vec![0], vec!["a".to_owned()]);
        SteadyWatch { flows, names, rule, state: State::default() }
    }

    /// So many answers in each interval from 100 ns on; in which interval it ends.
    fn ends(watch: &mut SteadyWatch, answers: &[u64]) -> Option<usize> {
        for (number, &answers) in (0u64..).zip(answers) {
            for answer in 0..answers {
                let now = Ns(100 + number * INTERVAL + answer * INTERVAL / answers);
                if watch.answered(Ns(100), 4096, Ns(10 * answers), now) {
                    return Some(number as usize);
                }
            }
        }
        None
    }

    #[test]
    fn a_window_whose_intervals_lie_near_their_mean_ends_it_behind_the_ramp() {
        // The first two are the ramp's; the window of four is over as the next interval begins.
        let mut steady = watch(SteadyOf::Iops, SteadyBy::Deviation, 0.05);
        assert_eq!(ends(&mut steady, &[5, 90, 50, 80, 100, 101, 99, 104, 103, 102]), Some(8));
        let report = steady.report();
        assert_eq!((report.attained, report.at_ns), (true, Some(100 + 8 * INTERVAL)));
        assert_eq!(report.mean, Some(101_000.0));
        assert!((report.distance.unwrap() - 3.0 / 101.0).abs() < 1e-12);
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Deviation, 0.01), &[100, 103].repeat(20)), None);
        assert_eq!(ends(&mut watch(SteadyOf::Bandwidth, SteadyBy::Deviation, 0.01), &[7; 20]), Some(6));
        assert_eq!(ends(&mut watch(SteadyOf::Latency, SteadyBy::Deviation, 0.01), &[7; 20]), Some(6));
    }

    #[test]
    fn a_slope_that_is_small_ends_it_however_far_intervals_lie_apart() {
        let rising: Vec<u64> = (0..20).map(|number| 100 + 10 * number).collect();
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Slope, 0.01), &rising), None);
        // 50, 150, 150, 50: no slope.
        let there_and_back = [1, 1, 50, 150, 150, 50, 50, 150, 150, 50];
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Slope, 0.01), &there_and_back), Some(6));
        let figures = VecDeque::from([1.0, 3.0, 5.0, 7.0]);
        assert_eq!(slope(&figures, 4.0), 2.0);
    }

    #[test]
    fn silence_counts_as_none_answered_and_is_no_steady_share_of_anything() {
        let mut steady = watch(SteadyOf::Iops, SteadyBy::Deviation, 0.5);
        assert!(!steady.answered(Ns(0), 1, Ns(1), Ns(3 * INTERVAL)));
        // A thousand years later.
        assert!(!steady.answered(Ns(0), 1, Ns(1), Ns(1 << 62)));
        assert_eq!(steady.state.figures, [0.0; 4]);
        assert_eq!((steady.report().mean, steady.report().attained), (None, false));
    }
}
