//! When dies are due: the events of a drive that serves only reads, of which all take one of a few times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::time::Ns;

/// Durations that have a queue of their own.
const QUEUES: usize = 12;

/// A die whose present work ends at `time`; among those of one time the first `order` goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due {
    pub time: Ns,
    pub order: u64,
    pub die: u32,
}

const NEVER: Due = Due { time: Ns::NEVER, order: u64::MAX, die: u32::MAX };

/// What takes the same time comes to its end in the order in which it began: no sorting is needed.
struct Queue {
    duration: Ns,
    behind: VecDeque<Due>,
}

/// The dies that are due.
pub(super) struct DueDies {
    /// The first of all, and its queue.
    first: Due,
    place: usize,
    /// The first of each queue, or [`NEVER`], and those behind it.
    heads: Vec<Due>,
    queues: Vec<Queue>,
    /// Those of durations that have no queue.
    others: BinaryHeap<Reverse<Due>>,
    order: u64,
}

impl Default for DueDies {
    fn default() -> Self {
        let (heads, queues, others) = (Vec::new(), Vec::new(), BinaryHeap::new());
        Self { first: NEVER, place: 0, heads, queues, others, order: 0 }
    }
}

impl DueDies {
    /// A die's work begins at `now` and takes `duration`.
    #[inline]
    pub fn begin(&mut self, now: Ns, duration: Ns, die: u32) {
        let due = Due { time: now + duration, order: self.order, die };
        self.order += 1;
        let Some(place) = self.queues.iter().position(|queue| queue.duration == duration) else {
            return self.begin_another(duration, due);
        };
        let head = &mut self.heads[place];
        if head.time != Ns::NEVER {
            return self.queues[place].behind.push_back(due);
        }
        *head = due;
        if due.time < self.first.time {
            (self.first, self.place) = (due, place);
        }
    }

    #[cold]
    fn begin_another(&mut self, duration: Ns, due: Due) {
        if self.queues.len() < QUEUES {
            self.queues.push(Queue { duration, behind: VecDeque::new() });
            self.heads.push(due);
        } else {
            self.others.push(Reverse(due));
        }
        self.find_first();
    }

    /// A die is due at a time that is known from elsewhere, behind all that were named before.
    pub fn expect(&mut self, time: Ns, die: u32) {
        self.others.push(Reverse(Due { time, order: self.order, die }));
        self.order += 1;
        self.find_first();
    }

    /// The first to be due; its time is [`Ns::NEVER`] where none is.
    #[inline]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Takes the first.
    #[inline]
    pub fn take(&mut self) {
        if let (Some(head), Some(queue)) = (self.heads.get_mut(self.place), self.queues.get_mut(self.place)) {
            *head = queue.behind.pop_front().unwrap_or(NEVER);
        } else {
            self.others.pop();
        }
        self.find_first();
    }

    #[inline]
    fn find_first(&mut self) {
        (self.first, self.place) = (NEVER, self.heads.len());
        if let Some(&Reverse(due)) = self.others.peek() {
            self.first = due;
        }
        for (place, &due) in self.heads.iter().enumerate() {
            if due.time < self.first.time || (due.time == self.first.time && due.order < self.first.order) {
                (self.first, self.place) = (due, place);
            }
        }
    }

    /// Takes all of them out, in the order in which they were named.
    pub fn drain(&mut self) -> Vec<Due> {
        let mut all: Vec<Due> = self.others.drain().map(|due| due.0).collect();
        all.extend(self.heads.drain(..).filter(|due| due.time != Ns::NEVER));
        all.extend(self.queues.drain(..).flat_map(|queue| queue.behind));
        all.sort_unstable_by_key(|due| due.order);
        self.find_first();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_is_the_smallest_time_and_then_the_first_named(
            steps in prop::collection::vec((0u64..30, 0u64..40, any::<bool>()), 1..300),
        ) {
            let (mut dies, mut model, mut now) = (DueDies::default(), Vec::new(), Ns::ZERO);
            for (number, (passes, duration, known)) in steps.into_iter().enumerate() {
                let first = model.iter().copied().min();
                prop_assert_eq!(first.unwrap_or(NEVER), dies.first());
                if passes % 3 == 0 && first.is_some() {
                    now = now.max(dies.first().time);
                    dies.take();
                    model.retain(|&due| Some(due) != first);
                    continue;
                }
                let (die, time) = (number as u32, now + Ns(duration));
                if known { dies.expect(time, die) } else { dies.begin(now, Ns(duration), die) }
                model.push(Due { time, order: dies.order - 1, die });
            }
            model.sort_unstable_by_key(|due| due.order);
            prop_assert_eq!(dies.drain(), model);
            prop_assert_eq!(dies.first(), NEVER);
        }
    }
}
