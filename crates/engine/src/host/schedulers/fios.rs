//! Fair timeslices with read preference.
//!
//! S. Park, K. Shen, "FIOS: A Fair, Efficient Flash I/O Scheduler", FAST 2012.

use serde::{Deserialize, Serialize};

use super::{Answered, Choice, HostScheduler, HostView, Waiting};
use crate::host::HostOp;
use wordline_base::time::Ns;
use wordline_config::host::HostSchedulerConfig;

/// What a flow has used of its timeslice.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Share {
    /// Timeslice of an epoch, ns.
    slice: u64,
    used: u64,
    /// When a read of it was answered last.
    read_answered: Option<Ns>,
}

/// In each epoch a flow may use the drive for its timeslice. Of the requests of flows with time left, reads go before
/// others, older before younger ones. When no flow with time left has a request, the next epoch begins.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fios {
    flows: Vec<Share>,
    anticipation: Ns,
}

impl Fios {
    /// For flows of these weights: a flow's timeslice is its weight times the one described.
    pub fn new(config: &HostSchedulerConfig, weights: impl Iterator<Item = u32>) -> Self {
        let share = |weight: u32| Share {
            slice: config.timeslice_ns.saturating_mul(u64::from(weight.max(1))).max(1),
            used: 0,
            read_answered: None,
        };
        Self { flows: weights.map(share).collect(), anticipation: Ns(config.anticipation_ns) }
    }

    fn has_time(&self, flow: u16) -> bool {
        self.flows.get(usize::from(flow)).is_none_or(|share| share.used < share.slice)
    }

    /// Ends as many epochs as it takes for one of the waiting flows to have time again. What a flow used beyond its
    /// timeslice is taken from its next ones; what it did not use is lost. A flow that the drive takes nothing of has no part in
    /// them: it would lose what it waits for.
    fn end_epochs(&mut self, waiting: &[Waiting], held: &[Waiting]) {
        let epochs = waiting
            .iter()
            .filter_map(|request| self.flows.get(usize::from(request.flow)))
            .map(|share| share.used / share.slice)
            .min()
            .unwrap_or(1);
        let is_of = |flow: usize| move |request: &Waiting| usize::from(request.flow) == flow;
        for (flow, share) in self.flows.iter_mut().enumerate() {
            if waiting.iter().any(is_of(flow)) || !held.iter().any(is_of(flow)) {
                share.used = share.used.saturating_sub(share.slice.saturating_mul(epochs));
            }
        }
    }

    /// Oldest request of a flow with time left; with `reads` only a read.
    fn oldest(&self, waiting: &[Waiting], reads: bool) -> Option<usize> {
        waiting
            .iter()
            .position(|request| self.has_time(request.flow) && (!reads || request.op == HostOp::Read))
    }

    /// Until when another read may be expected of a flow that has time left and nothing waiting.
    fn expected(&self, view: &HostView<'_>) -> Option<Ns> {
        if self.anticipation == Ns::ZERO {
            return None;
        }
        let idle = |flow: usize| !view.waiting.iter().any(|request| usize::from(request.flow) == flow);
        let until = |(flow, share): (usize, &Share)| {
            let until = share.read_answered? + self.anticipation;
            (until > view.now && share.used < share.slice && idle(flow)).then_some(until)
        };
        self.flows.iter().enumerate().filter_map(until).max()
    }
}

impl HostScheduler for Fios {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        if let Some(read) = self.oldest(view.waiting, true) {
            return Choice::Take(read);
        }
        if let Some(until) = self.expected(view) {
            return Choice::WaitUntil(until);
        }
        if let Some(other) = self.oldest(view.waiting, false) {
            return Choice::Take(other);
        }
        self.end_epochs(view.waiting, view.held);
        let place = self.oldest(view.waiting, true).or_else(|| self.oldest(view.waiting, false));
        Choice::Take(place.unwrap_or(0))
    }

    /// A request uses its time in the drive divided by the number of requests that were inside when it entered.
    fn answered(&mut self, request: &Answered) {
        if let Some(share) = self.flows.get_mut(usize::from(request.flow)) {
            let elapsed = request.now.since(request.entered).0;
            share.used = share.used.saturating_add(elapsed / u64::from(request.inside.max(1)));
            if request.op == HostOp::Read {
                share.read_answered = Some(request.now);
            }
        }
    }

    fn sees_dies(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{drained, waiting};
    use super::*;

    const SLICE: u64 = 10_000;

    fn fios(weights: &[u32], anticipation_ns: u64) -> Fios {
        let config =
            HostSchedulerConfig { timeslice_ns: SLICE, anticipation_ns, ..HostSchedulerConfig::default() };
        Fios::new(&config, weights.iter().copied())
    }

    fn used(fios: &mut Fios, flow: u16, op: HostOp, ns: u64, inside: u32) {
        fios.answered(&Answered { flow, op, entered: Ns(0), inside, now: Ns(ns) });
    }

    fn choice(fios: &mut Fios, now: u64, waiting: &[Waiting]) -> Choice {
        fios.choose(&HostView { now: Ns(now), waiting, held: &[], die_load: &[] })
    }

    #[test]
    fn reads_go_before_writes_while_both_flows_have_time() {
        let list = vec![
            waiting(0, 0, HostOp::Write, None),
            waiting(1, 1, HostOp::Read, None),
            waiting(2, 0, HostOp::Trim, None),
            waiting(3, 0, HostOp::Read, None),
        ];
        assert_eq!(drained(&mut fios(&[1, 1], 0), list, &[]), [1, 3, 0, 2]);
    }

    #[test]
    fn a_flow_whose_timeslice_is_used_up_waits_for_the_next_epoch() {
        let mut fios = fios(&[1, 1], 0);
        used(&mut fios, 1, HostOp::Read, SLICE, 1);
        let both = [waiting(0, 1, HostOp::Read, None), waiting(1, 0, HostOp::Write, None)];
        assert_eq!(choice(&mut fios, 0, &both), Choice::Take(1), "a write with time, before a read without");
        assert_eq!(
            choice(&mut fios, 0, &both[..1]),
            Choice::Take(0),
            "nobody else has a request: a new epoch"
        );
        assert_eq!(choice(&mut fios, 0, &both), Choice::Take(0));
    }

    #[test]
    fn a_request_is_charged_its_time_shared_among_those_inside() {
        let mut fios = fios(&[1, 2], 0);
        used(&mut fios, 0, HostOp::Write, 4 * SLICE - 4, 4);
        assert!(fios.has_time(0));
        used(&mut fios, 0, HostOp::Write, 4, 4);
        assert!(!fios.has_time(0));
        used(&mut fios, 1, HostOp::Write, SLICE, 1);
        assert!(fios.has_time(1), "twice the weight, twice the timeslice");
    }

    #[test]
    fn what_was_used_beyond_the_timeslice_is_taken_from_the_next_ones() {
        let mut fios = fios(&[1, 1], 0);
        used(&mut fios, 0, HostOp::Write, 3 * SLICE, 1);
        used(&mut fios, 1, HostOp::Write, SLICE, 1);
        let both = [waiting(0, 0, HostOp::Write, None), waiting(1, 1, HostOp::Write, None)];
        for _epoch in 0..2 {
            assert_eq!(choice(&mut fios, 0, &both), Choice::Take(1));
            used(&mut fios, 1, HostOp::Write, SLICE, 1);
        }
        assert_eq!(choice(&mut fios, 0, &both), Choice::Take(0));
    }

    #[test]
    fn a_write_waits_for_the_read_that_is_expected_and_no_longer_than_that() {
        let mut fios = fios(&[1, 1], 500);
        used(&mut fios, 0, HostOp::Read, 1000, 1);
        let write = [waiting(0, 1, HostOp::Write, None)];
        assert_eq!(choice(&mut fios, 1200, &write), Choice::WaitUntil(Ns(1500)));
        assert_eq!(choice(&mut fios, 1500, &write), Choice::Take(0));
        let read = [write[0], waiting(1, 0, HostOp::Read, None)];
        assert_eq!(choice(&mut fios, 1300, &read), Choice::Take(1));
        used(&mut fios, 0, HostOp::Read, SLICE, 1);
        assert_eq!(
            choice(&mut fios, SLICE, &write),
            Choice::Take(0),
            "nothing is expected of a flow without time"
        );
    }
}
