//! When dies are due: the events of a drive that serves only reads, of which all take one of a few times.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::time::Ns;

/// Durations that have a queue of their own.
const QUEUES: usize = 12;

/// A die whose present work ends at some time: the time, above the order in which they were named, above the die. One
/// number, so that the smallest is the first without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(u128);

const NEVER: Due = Due(u128::MAX);

/// Bits of a die's number.
const DIE_BITS: u32 = 24;

impl Due {
    #[inline]
    fn new(time: Ns, order: u64, die: u32) -> Self {
        Self(u128::from(time.0) << 64 | u128::from(order << DIE_BITS | u64::from(die)))
    }

    /// When; [`Ns::NEVER`] for none.
    #[inline]
    pub fn time(self) -> Ns {
        Ns((self.0 >> 64) as u64)
    }

    /// Which die.
    #[inline]
    pub fn die(self) -> u32 {
        self.0 as u32 & ((1 << DIE_BITS) - 1)
    }

    fn order(self) -> u64 {
        self.0 as u64
    }
}

/// The dies that are due. What takes the same time comes to its end in the order in which it began, so each duration has a
/// queue that needs no sorting.
pub(super) struct DueDies {
    /// The first of all, and its queue.
    first: Due,
    place: usize,
    durations: Vec<Ns>,
    /// The first of each queue, or [`NEVER`], and those behind it.
    heads: [Due; QUEUES],
    behind: [VecDeque<Due>; QUEUES],
    /// Those of durations that have no queue.
    others: BinaryHeap<Reverse<Due>>,
    order: u64,
}

impl Default for DueDies {
    fn default() -> Self {
        Self {
            first: NEVER,
            place: QUEUES,
            durations: Vec::new(),
            heads: [NEVER; QUEUES],
            behind: Default::default(),
            others: BinaryHeap::new(),
            order: 0,
        }
    }
}

impl DueDies {
    /// A die's work begins at `now` and takes `duration`.
    #[inline(always)]
    pub fn begin(&mut self, now: Ns, duration: Ns, die: u32) {
        let due = Due::new(now + duration, self.order, die);
        self.order += 1;
        let place = self.durations.iter().position(|&known| known == duration);
        let Some((place, head)) = place.and_then(|place| Some((place, self.heads.get_mut(place)?))) else {
            return self.begin_another(duration, due);
        };
        if *head != NEVER {
            return self.behind[place].push_back(due);
        }
        *head = due;
        if due < self.first {
            (self.first, self.place) = (due, place);
        }
    }

    #[cold]
    fn begin_another(&mut self, duration: Ns, due: Due) {
        match self.heads.get_mut(self.durations.len()) {
            Some(head) => {
                self.durations.push(duration);
                *head = due;
            }
            None => self.others.push(Reverse(due)),
        }
        self.find_first();
    }

    /// A die is due at a time that is known from elsewhere, behind all that were named before.
    pub fn expect(&mut self, time: Ns, die: u32) {
        self.others.push(Reverse(Due::new(time, self.order, die)));
        self.order += 1;
        self.find_first();
    }

    /// The first to be due.
    #[inline(always)]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Takes the first.
    #[inline(always)]
    pub fn take(&mut self) {
        match (self.heads.get_mut(self.place), self.behind.get_mut(self.place)) {
            (Some(head), Some(behind)) => *head = behind.pop_front().unwrap_or(NEVER),
            _ => {
                self.others.pop();
            }
        }
        self.find_first();
    }

    #[inline(always)]
    fn find_first(&mut self) {
        let (mut first, mut place) = (NEVER, QUEUES);
        if let Some(&Reverse(due)) = self.others.peek() {
            first = due;
        }
        for (number, &due) in self.heads[..self.durations.len()].iter().enumerate() {
            place = if due < first { number } else { place };
            first = first.min(due);
        }
        (self.first, self.place) = (first, place);
    }

    /// Takes all of them out, in the order in which they were named.
    pub fn drain(&mut self) -> Vec<Due> {
        let mut all: Vec<Due> = self.others.drain().map(|due| due.0).collect();
        all.extend(
            self.heads.iter_mut().map(|head| std::mem::replace(head, NEVER)).filter(|&due| due != NEVER),
        );
        all.extend(self.behind.iter_mut().flat_map(|behind| behind.drain(..)));
        self.durations.clear();
        self.order = 0;
        self.find_first();
        all.sort_unstable_by_key(|due| due.order());
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
                    now = now.max(dies.first().time());
                    dies.take();
                    model.retain(|&due| Some(due) != first);
                    continue;
                }
                let (die, time) = (number as u32, now + Ns(duration));
                if known { dies.expect(time, die) } else { dies.begin(now, Ns(duration), die) }
                model.push(Due::new(time, dies.order - 1, die));
            }
            model.sort_unstable_by_key(|due| due.order());
            prop_assert_eq!(dies.drain(), model);
            prop_assert_eq!(dies.first(), NEVER);
        }
    }
}
