//! When dies are due: the events of a drive that serves only reads, of which all take one of a few times.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::time::Ns;

/// Heads of queues that are compared together.
const TOGETHER: usize = 4;
const GROUPS: usize = 4;

/// Durations that have a queue of their own, and the place of all others.
const QUEUES: usize = TOGETHER * GROUPS - 1;
const OTHERS: usize = QUEUES;

/// A die whose present work ends at some time, or a channel that becomes free: the time, above the order in which they were
/// named, above the number of the die or channel. One number, so that the smallest is the first without a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Due(u128);

const NEVER: Due = Due(u128::MAX);

/// Bits of the number of a die or channel.
const RESOURCE_BITS: u32 = 24;

impl Due {
    #[inline(always)]
    pub fn new(time: Ns, order: u64, resource: u32) -> Self {
        Self(u128::from(time.0) << 64 | u128::from(order << RESOURCE_BITS | u64::from(resource)))
    }

    /// When; [`Ns::NEVER`] for none.
    #[inline]
    pub fn time(self) -> Ns {
        Ns((self.0 >> 64) as u64)
    }

    /// Which die or channel.
    #[inline]
    pub fn resource(self) -> u32 {
        self.0 as u32 & ((1 << RESOURCE_BITS) - 1)
    }

    fn order(self) -> u64 {
        self.0 as u64
    }
}

/// What waits behind the first of a queue, in a ring.
#[derive(Default)]
struct Ring {
    /// A power of two of them.
    slots: Vec<Due>,
    first: usize,
    count: usize,
}

impl Ring {
    #[inline(always)]
    fn push(&mut self, due: Due) {
        if self.count == self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        self.slots[(self.first + self.count) & mask] = due;
        self.count += 1;
    }

    #[cold]
    fn grow(&mut self) {
        self.slots.rotate_left(self.first);
        self.first = 0;
        self.slots.resize((2 * self.slots.len()).max(16), NEVER);
    }

    /// The first, or [`NEVER`].
    #[inline(always)]
    fn pop(&mut self) -> Due {
        if self.count == 0 {
            return NEVER;
        }
        let due = self.slots[self.first];
        self.first = (self.first + 1) & (self.slots.len() - 1);
        self.count -= 1;
        due
    }
}

/// The dies that are due. What takes the same time comes to its end in the order in which it began, so each duration has a
/// queue that needs no sorting.
pub(super) struct DueDies {
    /// The first of all, and its queue.
    first: Due,
    place: usize,
    /// The durations that have a queue; [`Ns::NEVER`] for a queue that is free.
    durations: [Ns; QUEUES],
    /// The first of each queue, or [`NEVER`]; at last, of the others.
    heads: [Due; QUEUES + 1],
    /// Groups of heads in which there may be any; 0 if in the first two heads only.
    groups: usize,
    behind: [Ring; QUEUES],
    /// Those of durations that have no queue.
    others: BinaryHeap<Reverse<Due>>,
    order: u64,
}

impl Default for DueDies {
    fn default() -> Self {
        Self {
            first: NEVER,
            place: OTHERS,
            durations: [Ns::NEVER; QUEUES],
            heads: [NEVER; QUEUES + 1],
            groups: 0,
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
        let Some(place) = self.durations.iter().position(|&known| known == duration) else {
            return self.begin_another(duration, due);
        };
        let head = &mut self.heads[place];
        if *head != NEVER {
            return self.behind[place].push(due);
        }
        *head = due;
        if due < self.first {
            (self.first, self.place) = (due, place);
        }
    }

    #[cold]
    fn begin_another(&mut self, duration: Ns, due: Due) {
        match self.durations.iter().position(|&known| known == Ns::NEVER) {
            Some(place) => {
                self.durations[place] = duration;
                self.heads[place] = due;
                self.groups = self.groups.max(groups_of(place + 1));
            }
            None => self.add_other(due),
        }
        self.find_first();
    }

    /// A die is due at a time that is known from elsewhere, behind all that were named before.
    pub fn expect(&mut self, time: Ns, die: u32) {
        self.add_other(Due::new(time, self.order, die));
        self.order += 1;
        self.find_first();
    }

    fn add_other(&mut self, due: Due) {
        self.others.push(Reverse(due));
        self.groups = GROUPS;
        self.note_others();
    }

    fn note_others(&mut self) {
        self.heads[OTHERS] = self.others.peek().map_or(NEVER, |due| due.0);
    }

    /// The first to be due.
    #[inline(always)]
    pub fn first(&self) -> Due {
        self.first
    }

    /// Takes the first.
    #[inline(always)]
    pub fn take(&mut self) {
        match self.behind.get_mut(self.place) {
            Some(behind) => self.heads[self.place] = behind.pop(),
            None => self.take_other(),
        }
        self.find_first();
    }

    #[cold]
    fn take_other(&mut self) {
        self.others.pop();
        self.note_others();
        if self.others.is_empty() {
            let used = self.durations.iter().take_while(|&&duration| duration != Ns::NEVER).count();
            self.groups = groups_of(used);
        }
    }

    #[inline(always)]
    fn find_first(&mut self) {
        if self.groups == 0 {
            let [one, other, ..] = self.heads;
            (self.first, self.place) = if other < one { (other, 1) } else { (one, 0) };
        } else {
            self.find_first_of_groups();
        }
    }

    #[inline]
    fn find_first_of_groups(&mut self) {
        let (groups, _) = self.heads.as_chunks::<TOGETHER>();
        let [group, others @ ..] = groups else { return };
        let (mut first, mut place) = first_of(group);
        for (group, before) in others.iter().take(self.groups - 1).zip((TOGETHER..).step_by(TOGETHER)) {
            let (due, of_group) = first_of(group);
            if due < first {
                (first, place) = (due, before + of_group);
            }
        }
        (self.first, self.place) = (first, place);
    }

    /// Takes all of them out, in the order in which they were named.
    pub fn drain(&mut self) -> Vec<Due> {
        let mut all: Vec<Due> = self.others.drain().map(|due| due.0).collect();
        self.note_others();
        all.extend(
            self.heads.iter_mut().map(|head| std::mem::replace(head, NEVER)).filter(|&due| due != NEVER),
        );
        for ring in &mut self.behind {
            while ring.count > 0 {
                all.push(ring.pop());
            }
        }
        self.durations = [Ns::NEVER; QUEUES];
        (self.groups, self.order) = (0, 0);
        self.find_first();
        all.sort_unstable_by_key(|due| due.order());
        all
    }
}

/// Groups in which so many heads are, the first of all.
fn groups_of(heads: usize) -> usize {
    if heads <= 2 { 0 } else { heads.div_ceil(TOGETHER) }
}

/// The first of some, and which it is, without a branch.
#[inline(always)]
fn first_of(dues: &[Due; TOGETHER]) -> (Due, usize) {
    let [a, b, c, d] = *dues;
    let left = if b < a { (b, 1) } else { (a, 0) };
    let right = if d < c { (d, 3) } else { (c, 2) };
    if right.0 < left.0 { right } else { left }
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
