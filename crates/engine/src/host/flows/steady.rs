//! Flows that end when what they are measured by has stayed the same for a while.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::time::Ns;
use wordline_config::host::FlowRules;
use wordline_config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};
use wordline_observe::report::SteadyEndReport;

/// Picoseconds of a nanosecond: mean response times are whole numbers of them.
const PS: u64 = 1_000;

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
    window: Window,
    /// What the last whole window gave: its mean, and how far from steady it was.
    last: Option<[f64; 2]>,
    attained: Option<Ns>,
}

/// The figure in the last intervals, in whole numbers, so that sums which go along stay exact. All else follows from the figures.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "VecDeque<u64>", into = "VecDeque<u64>")]
struct Window {
    figures: VecDeque<u64>,
    /// Number of the first among all.
    first: u64,
    sum: u128,
    /// The sum of each times its place in the window.
    sum_by_place: u128,
    /// Those than which no later one is larger, and smaller, with their numbers.
    largest: VecDeque<(u64, u64)>,
    smallest: VecDeque<(u64, u64)>,
}

impl From<VecDeque<u64>> for Window {
    fn from(figures: VecDeque<u64>) -> Self {
        let mut window = Self::default();
        figures.iter().for_each(|&figure| window.push(figure, u64::MAX));
        window
    }
}

impl From<Window> for VecDeque<u64> {
    fn from(window: Window) -> Self {
        window.figures
    }
}

impl Window {
    fn push(&mut self, figure: u64, most: u64) {
        let number = self.first + self.figures.len() as u64;
        while self.largest.back().is_some_and(|&(_, other)| other <= figure) {
            self.largest.pop_back();
        }
        while self.smallest.back().is_some_and(|&(_, other)| other >= figure) {
            self.smallest.pop_back();
        }
        self.largest.push_back((number, figure));
        self.smallest.push_back((number, figure));
        self.sum_by_place += self.figures.len() as u128 * u128::from(figure);
        self.sum += u128::from(figure);
        self.figures.push_back(figure);
        if self.figures.len() as u64 > most {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let Some(oldest) = self.figures.pop_front() else { return };
        self.sum -= u128::from(oldest);
        // Each of the others stands a place further in front.
        self.sum_by_place -= self.sum;
        for ends in [&mut self.largest, &mut self.smallest] {
            if ends.front().is_some_and(|&(number, _)| number == self.first) {
                ends.pop_front();
            }
        }
        self.first += 1;
    }

    fn mean(&self) -> f64 {
        self.sum as f64 / self.figures.len().max(1) as f64
    }

    /// The largest distance from the mean.
    fn deviation(&self) -> f64 {
        let of = |ends: &VecDeque<(u64, u64)>| ends.front().map_or(0.0, |&(_, figure)| figure as f64);
        let mean = self.mean();
        (of(&self.largest) - mean).max(mean - of(&self.smallest))
    }

    /// The slope of the line of least squares, by place.
    fn slope(&self) -> f64 {
        let count = self.figures.len() as f64;
        let middle = (count - 1.0) / 2.0;
        let of_places = count * (count * count - 1.0) / 12.0;
        (self.sum_by_place as f64 - middle * self.sum as f64) / of_places
    }
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
        let over = (now - first).0 / self.rule.interval_ns;
        let is_steady = over > self.state.over && self.pass_to(over);
        if is_steady {
            self.state.attained = Some(now);
        }
        let state = &mut self.state;
        state.answers += 1;
        state.bytes = state.bytes.saturating_add(bytes);
        state.response_ns = state.response_ns.saturating_add(took.0);
        is_steady
    }

    /// So many intervals are over, more than before. Returns whether the window is steady with the first of them.
    fn pass_to(&mut self, over: u64) -> bool {
        let state = &mut self.state;
        let answers = std::mem::take(&mut state.answers);
        let (bytes, response_ns) = (std::mem::take(&mut state.bytes), std::mem::take(&mut state.response_ns));
        let mut is_steady = false;
        if answers > 0 {
            let figure = match self.rule.of {
                SteadyOf::Iops => answers,
                SteadyOf::Bandwidth => bytes,
                SteadyOf::Latency => response_ns.saturating_mul(PS) / answers,
            };
            state.window.push(figure, self.rule.intervals());
            is_steady = self.is_steady();
        }
        let state = &mut self.state;
        if answers == 0 || over > state.over + 1 {
            // Where an interval has no answer, the window begins anew.
            state.window = Window::default();
        }
        state.over = over;
        is_steady
    }

    fn is_steady(&mut self) -> bool {
        let window = &self.state.window;
        if (window.figures.len() as u64) < self.rule.intervals() {
            return false;
        }
        let unit = match self.rule.of {
            SteadyOf::Iops | SteadyOf::Bandwidth => 1e9 / self.rule.interval_ns as f64,
            SteadyOf::Latency => 1.0 / PS as f64,
        };
        let mean = window.mean() * unit;
        let found = unit
            * match self.rule.by {
                SteadyBy::Deviation => window.deviation(),
                SteadyBy::Slope => window.slope().abs(),
            };
        let (found, limit) = match (self.rule.limit_share, self.rule.limit) {
            (Some(share), _) => (found / mean.max(f64::MIN_POSITIVE), share),
            (None, limit) => (found, limit.unwrap_or(0.0)),
        };
        self.state.last = Some([mean, found]);
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
        let state: State = input.take()?;
        if state.window.figures.len() as u64 > self.rule.intervals() {
            return Err(SnapshotError::Misfit("more intervals than a window has".to_owned()));
        }
        self.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
        let of_bytes = &mut watch(SteadyOf::Bandwidth, SteadyBy::Deviation, 0.01);
        assert_eq!((ends(of_bytes, &[7; 20]), of_bytes.report().mean), (Some(6), Some(7.0 * 4096.0 * 1e3)));
        let of_times = &mut watch(SteadyOf::Latency, SteadyBy::Deviation, 0.01);
        assert_eq!((ends(of_times, &[7; 20]), of_times.report().mean), (Some(6), Some(70.0)));
    }

    #[test]
    fn a_slope_that_is_small_ends_it_however_far_intervals_lie_apart() {
        let rising: Vec<u64> = (0..20).map(|number| 100 + 10 * number).collect();
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Slope, 0.01), &rising), None);
        // 50, 150, 150, 50: no slope.
        let there_and_back = [1, 1, 50, 150, 150, 50, 50, 150, 150, 50];
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Slope, 0.01), &there_and_back), Some(6));
    }

    #[test]
    fn an_interval_without_an_answer_begins_the_window_anew_whatever_the_limit() {
        let gap = [1, 1, 50, 50, 50, 0, 50, 50, 50, 50, 50];
        assert_eq!(ends(&mut watch(SteadyOf::Iops, SteadyBy::Deviation, 0.5), &gap), Some(10));
        let mut absolute = watch(SteadyOf::Latency, SteadyBy::Deviation, 0.5);
        (absolute.rule.limit_share, absolute.rule.limit) = (None, Some(1e9));
        assert_eq!(ends(&mut absolute, &[1, 0, 0, 0, 0, 0].repeat(9)), None);
        assert!(!absolute.answered(Ns(0), 1, Ns(1), Ns(1 << 62)));
        // Before a silence a window may be whole.
        let mut steady = watch(SteadyOf::Iops, SteadyBy::Deviation, 0.5);
        assert_eq!(ends(&mut steady, &[1, 1, 50, 50, 50, 50, 0, 0, 0, 0, 0, 0, 1]), Some(12));
    }

    proptest! {
        #[test]
        fn sums_that_go_along_are_those_of_the_window(figures in prop::collection::vec(0u64..1 << 40, 2..200), most in 2u64..30) {
            let mut window = Window::default();
            for (end, &figure) in figures.iter().enumerate() {
                window.push(figure, most);
                let own = &figures[(end + 1).saturating_sub(most as usize)..=end];
                let mean = own.iter().map(|&figure| figure as f64).sum::<f64>() / own.len() as f64;
                let far = own.iter().map(|&figure| (figure as f64 - mean).abs()).fold(0.0, f64::max);
                prop_assert!((window.mean() - mean).abs() <= 1e-9 * mean.max(1.0));
                prop_assert!((window.deviation() - far).abs() <= 1e-6 * far.max(1.0));
                if own.len() > 1 {
                    let middle = (own.len() as f64 - 1.0) / 2.0;
                    let places = || (0..own.len()).map(|place| place as f64 - middle);
                    let both: f64 = places().zip(own).map(|(place, &figure)| place * (figure as f64 - mean)).sum();
                    let slope = both / places().map(|place| place * place).sum::<f64>();
                    prop_assert!((window.slope() - slope).abs() <= 1e-6 * mean.max(1.0), "{} {slope}", window.slope());
                }
            }
        }
    }
}
