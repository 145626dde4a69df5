//! How many requests of a closed loop may be outstanding while answers come in time: doubled until they don't, then bisected.

use serde::{Deserialize, Serialize};

use crate::snapshot::{In, Out, SnapshotError};
use wordline_base::time::Ns;
use wordline_config::latency_target::LatencyTarget;
use wordline_observe::report::LatencyTargetReport;

/// Windows in a row that are in time before a flow that goes on tries one more.
const PATIENCE: u32 = 3;

/// A search.
pub(super) struct DepthSearch {
    flow: String,
    target: LatencyTarget,
    most: u32,
    state: State,
}

/// How far it is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct State {
    /// When it begins, once its flow has.
    begins: Option<Ns>,
    /// What is tried, and since when; `None` before it begins: what comes then comes as if nothing were looked for.
    depth: u32,
    since: Option<Ns>,
    /// The most that was in time, 0 for none, and the least that wasn't, one more than there may be for none.
    low: u32,
    high: u32,
    is_found: bool,
    windows: u32,
    /// Windows in time in a row since it was found.
    kept: u32,
    /// Answers of this window.
    count: Count,
    /// The last window that was in time; the last one at all if none was.
    last: Option<Window>,
}

/// Answers.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Count {
    all: u64,
    in_time: u64,
}

/// A window that is over.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Window {
    depth: u32,
    count: Count,
    length: Ns,
    meets: bool,
}

/// What an answer changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// So many may be outstanding from now on.
    Depth(u32),
    /// No more requests come.
    Stop,
}

impl DepthSearch {
    /// Up to so many.
    pub(super) fn new(flow: String, target: LatencyTarget, most: u32) -> Self {
        let state = State {
            begins: None,
            depth: 1,
            since: None,
            low: 0,
            high: most + 1,
            is_found: false,
            windows: 0,
            kept: 0,
            count: Count::default(),
            last: None,
        };
        Self { flow, target, most, state }
    }

    /// How many may be outstanding; `None` before the search.
    pub(super) fn depth(&self) -> Option<u32> {
        self.state.since.map(|_| self.state.depth)
    }

    /// The flow's own requests begin at this time. Returns how many may be outstanding, if the search begins with them.
    pub(super) fn begin(&mut self, begins: Ns) -> Option<u32> {
        if self.state.begins.is_some() {
            return None;
        }
        let at = begins + Ns(self.target.ramp_ns);
        self.state.begins = Some(at);
        (at == begins).then(|| self.start(at))
    }

    fn start(&mut self, at: Ns) -> u32 {
        self.state.since = Some(at);
        self.state.depth
    }

    /// A request that was submitted at `arrival` has its answer.
    #[inline]
    pub(super) fn answered(&mut self, arrival: Ns, now: Ns) -> Option<Change> {
        let Some(since) = self.state.since else {
            let begins = self.state.begins.is_some_and(|at| at <= now);
            return begins.then(|| Change::Depth(self.start(now)));
        };
        if arrival < since {
            return None;
        }
        let state = &mut self.state;
        let in_time = now - arrival <= Ns(self.target.ns);
        state.count.all += 1;
        state.count.in_time += u64::from(in_time);
        let is_lost = !in_time && self.target.percentile >= 100.0;
        let length = now - since;
        if is_lost || length >= Ns(self.target.window_ns) { self.end_window(length, now) } else { None }
    }

    fn end_window(&mut self, length: Ns, now: Ns) -> Option<Change> {
        let state = &mut self.state;
        let Count { all, in_time } = state.count;
        // Of the percentile as it was written, whatever its last binary digit.
        let meets = in_time as f64 * 100.0 >= self.target.percentile * all as f64 * (1.0 - 1e-12);
        state.windows = state.windows.saturating_add(1);
        let window = Window { depth: state.depth, count: state.count, length, meets };
        if meets || !state.last.is_some_and(|last| last.meets) {
            state.last = Some(window);
        }
        (state.count, state.since) = (Count::default(), Some(now));
        let depth = if state.is_found { self.hold(meets) } else { self.next(meets) };
        if self.state.is_found && self.target.stops() {
            return Some(Change::Stop);
        }
        self.state.depth = depth;
        Some(Change::Depth(depth))
    }

    /// What is tried next, while the number is looked for.
    fn next(&mut self, meets: bool) -> u32 {
        let state = &mut self.state;
        let bound = if meets { &mut state.low } else { &mut state.high };
        *bound = state.depth;
        if state.high - state.low <= 1 {
            state.is_found = true;
            return state.low.max(1);
        }
        let has_failed = state.high <= self.most;
        if has_failed {
            u32::midpoint(state.low, state.high)
        } else {
            state.depth.saturating_mul(2).min(self.most)
        }
    }

    /// What a flow goes on with that has found it.
    fn hold(&mut self, meets: bool) -> u32 {
        let state = &mut self.state;
        state.kept = if meets { state.kept + 1 } else { 0 };
        match state.kept {
            0 => state.depth.saturating_sub(1).max(1),
            PATIENCE => {
                state.kept = 0;
                (state.depth + 1).min(self.most)
            }
            _ => state.depth,
        }
    }

    /// What was found.
    pub(super) fn report(&self) -> LatencyTargetReport {
        let State { is_found, windows, last, high, .. } = self.state;
        let good = last.filter(|window| window.meets);
        LatencyTargetReport {
            flow: self.flow.clone(),
            ns: self.target.ns,
            percentile: self.target.percentile,
            queue_depth: good.map(|window| window.depth),
            too_many: (high <= self.most && self.target.stops()).then_some(high),
            is_found,
            goes_on: is_found && !self.target.stops(),
            windows,
            answers: last.map_or(0, |window| window.count.all),
            in_time: last.map(|window| window.count.in_time as f64 / window.count.all as f64),
            iops: last.map(|window| window.count.all as f64 * 1e9 / window.length.0.max(1) as f64),
        }
    }

    pub(super) fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put(&self.state)
    }

    pub(super) fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let state: State = input.take()?;
        let bounds = state.low < state.high && state.high <= self.most + 1;
        if state.depth == 0 || state.depth > self.most || !bounds {
            return Err(SnapshotError::Misfit("more requests outstanding than a flow may have".to_owned()));
        }
        self.state = state;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_config::latency_target::WhenFound;

    const WINDOW: u64 = 1_000;

    fn search(most: u32, when_found: WhenFound, percentile: f64) -> DepthSearch {
        let target = LatencyTarget { ns: 10, percentile, window_ns: WINDOW, ramp_ns: 0, when_found };
        DepthSearch::new("a".into(), target, most)
    }

    /// Windows of 100 answers each on a drive that answers as many as `fast` requests in time: what was tried.
    fn tried(search: &mut DepthSearch, fast: u32, windows: usize) -> Vec<u32> {
        search.begin(Ns(WINDOW));
        let (mut now, mut tried) = (search.state.since.unwrap(), vec![search.state.depth]);
        while tried.len() <= windows {
            let takes = if search.state.depth > fast { 11 } else { 10 };
            now += Ns(WINDOW / 100);
            match search.answered(now - Ns(takes), now) {
                Some(Change::Depth(depth)) => tried.push(depth),
                Some(Change::Stop) => break,
                None => {}
            }
        }
        tried
    }

    #[test]
    fn numbers_double_until_one_is_too_slow_and_are_bisected_then() {
        for (fast, expected, found) in [
            (11, vec![1, 2, 4, 8, 16, 12, 10, 11], Some(11)),
            (64, vec![1, 2, 4, 8, 16, 32, 64], Some(64)),
            (1, vec![1, 2], Some(1)),
            (0, vec![1], None),
            (99, vec![1, 2, 4, 8, 16, 32, 64], Some(64)),
        ] {
            let mut search = search(64, WhenFound::Stop, 99.0);
            assert_eq!(tried(&mut search, fast, 99), expected, "{fast}");
            let report = search.report();
            assert_eq!((report.queue_depth, report.is_found), (found, true), "{fast}");
            assert_eq!(report.windows as usize, expected.len());
        }
    }

    #[test]
    fn a_flow_that_goes_on_follows_what_the_drive_can_do() {
        let mut search = search(64, WhenFound::Hold, 99.0);
        assert_eq!(tried(&mut search, 2, 4), [1, 2, 4, 3, 2]);
        assert_eq!(tried(&mut search, 4, 9), [2, 2, 2, 3, 3, 3, 4, 4, 4, 5]);
        assert_eq!(tried(&mut search, 4, 4), [5, 4, 4, 4, 5]);
        assert_eq!(tried(&mut search, 0, 6), [5, 4, 3, 2, 1, 1, 1]);
        assert_eq!(search.report().queue_depth, Some(4));
    }

    #[test]
    fn the_share_of_a_window_decides_and_one_late_answer_where_all_must_be_in_time() {
        let late = |search: &mut DepthSearch, count: u64| {
            search.begin(Ns(0));
            let answers = (1..=100).map(|number| Ns(number * WINDOW / 100));
            answers
                .filter_map(|now| {
                    search.answered(now - Ns(if now.0 <= count * 10 { 11.min(now.0) } else { 1 }), now)
                })
                .next()
        };
        // The first answer can't have taken longer than the run is old.
        assert_eq!(late(&mut search(8, WhenFound::Stop, 90.0), 11), Some(Change::Depth(2)));
        assert_eq!(late(&mut search(8, WhenFound::Stop, 90.0), 12), Some(Change::Stop));
        let mut all = search(8, WhenFound::Stop, 100.0);
        all.begin(Ns(0));
        assert_eq!(all.answered(Ns(0), Ns(11)), Some(Change::Stop));
    }

    #[test]
    fn answers_of_requests_from_before_a_number_was_tried_do_not_count() {
        let mut search = search(8, WhenFound::Stop, 50.0);
        assert_eq!((search.depth(), search.answered(Ns(0), Ns(1))), (None, None));
        assert_eq!([search.begin(Ns(500)), search.begin(Ns(900))], [Some(1), None]);
        assert_eq!(search.answered(Ns(499), Ns(9_999)), None);
        assert_eq!(search.answered(Ns(500), Ns(505)), None);
        assert_eq!(search.answered(Ns(1_495), Ns(1_500)), Some(Change::Depth(2)));
        assert_eq!(search.report().answers, 2);
        assert_eq!(search.answered(Ns(1_499), Ns(3_000)), None);
    }

    #[test]
    fn behind_a_ramp_the_search_begins_with_an_answer_and_one_outstanding() {
        let mut search = search(8, WhenFound::Stop, 50.0);
        search.target.ramp_ns = 1_000;
        assert_eq!((search.begin(Ns(500)), search.depth()), (None, None));
        assert_eq!(search.answered(Ns(0), Ns(1_499)), None);
        assert_eq!(search.answered(Ns(0), Ns(1_600)), Some(Change::Depth(1)));
        assert_eq!(search.answered(Ns(1_599), Ns(9_999)), None);
        assert_eq!(search.answered(Ns(2_595), Ns(2_600)), Some(Change::Depth(2)));
        assert_eq!(search.report().iops, Some(1e6));
    }

    #[test]
    fn a_share_that_is_just_met_is_met() {
        for (percentile, in_time) in [(16.1, 161), (32.7, 327), (99.9, 999)] {
            let mut search = search(8, WhenFound::Stop, percentile);
            search.begin(Ns(0));
            let late = (0..1_000 - in_time).find_map(|_| search.answered(Ns(20), Ns(40)));
            assert_eq!(late, None);
            (1..in_time).for_each(|_| assert_eq!(search.answered(Ns(40), Ns(41)), None));
            assert_eq!(search.answered(Ns(WINDOW - 1), Ns(WINDOW)), Some(Change::Depth(2)), "{percentile}");
        }
    }
}
