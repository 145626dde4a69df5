//! Times of a trace as times of a workload: from 0, and never backwards.

use wordline_base::request::LATEST_ARRIVAL_NS;

/// Turns raw times into arrivals.
#[derive(Clone, Debug, Default)]
pub(super) struct Clock {
    /// Raw time that counts as `base`.
    first: Option<u128>,
    base: u64,
    last: u64,
}

/// An arrival, and by how much its raw time lay before the one in the line above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    pub ns: u64,
    pub step_back_ns: u64,
}

impl Clock {
    /// The arrival of a request with this raw time, ns; `None` when it lies too far from the first.
    ///
    /// A raw time before that of an earlier line gives the time of the latest line before.
    #[inline]
    pub(super) fn arrival(&mut self, raw: u128) -> Option<Arrival> {
        let first = *self.first.get_or_insert(raw);
        let ns = match raw.checked_sub(first) {
            Some(since) => u64::try_from(since).ok()?.checked_add(self.base)?,
            // Before the first line: how far counts in the step only.
            None => {
                let back = u64::try_from(first - raw).unwrap_or(u64::MAX);
                let step_back_ns = back.saturating_add(self.last - self.base);
                return Some(Arrival { ns: self.last, step_back_ns });
            }
        };
        if ns > LATEST_ARRIVAL_NS {
            return None;
        }
        let step_back_ns = self.last.saturating_sub(ns);
        self.last = self.last.max(ns);
        Some(Arrival { ns: self.last, step_back_ns })
    }

    /// The next raw time stands for the latest arrival so far.
    pub(super) fn restart(&mut self) {
        *self = Self { first: None, base: self.last, last: self.last };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_arrival_is_0_and_steps_back_are_held() {
        let mut clock = Clock::default();
        let mut at = |raw| clock.arrival(raw).map(|arrival| (arrival.ns, arrival.step_back_ns));
        assert_eq!(at(1000), Some((0, 0)));
        assert_eq!(at(1500), Some((500, 0)));
        assert_eq!(at(1400), Some((500, 100)));
        assert_eq!(at(900), Some((500, 600)));
        assert_eq!(at(1501), Some((501, 0)));
        assert_eq!(at(u128::MAX), None);
        assert_eq!(at(1502), Some((502, 0)));
    }

    #[test]
    fn a_second_pass_goes_on_where_the_first_ended() {
        let mut clock = Clock::default();
        clock.arrival(10);
        clock.arrival(30);
        clock.restart();
        assert_eq!(clock.arrival(10).map(|arrival| arrival.ns), Some(20));
        assert_eq!(clock.arrival(30).map(|arrival| arrival.ns), Some(40));
    }
}
