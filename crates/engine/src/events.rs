//! The event set: a winner tree over resources, each of which has at most one event to come.
//!
//! Ties in time go to the event that was set first, so a run never depends on the tree's shape; events set "behind" come
//! after all others of their time.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// Bits of a resource's number, and of the count of events set so far.
const RESOURCE_BITS: u32 = 20;

/// Set in the order of events that come after the others of their time.
const BEHIND: Key = 1 << 63;

/// Time, then order of setting, then resource: one number, so that the smallest is the next event.
type Key = u128;

const NEVER: Key = Key::MAX;

/// An event that was the first: its time and its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    key: Key,
}

impl Event {
    /// When it comes; [`Ns::NEVER`] when there is none.
    #[inline]
    pub fn time(self) -> Ns {
        Ns((self.key >> 64) as u64)
    }

    /// Whether it was set behind the others of its time.
    #[inline]
    pub fn is_behind(self) -> bool {
        self.key & BEHIND != 0
    }

    /// Whose it is.
    #[inline]
    pub fn resource(self) -> usize {
        (self.key as usize) & ((1 << RESOURCE_BITS) - 1)
    }
}

/// The next event of each of a fixed number of resources.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventSet {
    /// A tree: node n holds the keys of its two children, an inner child's key being the smaller of its own two. The
    /// root is node 1; the resources are the children of the last level.
    nodes: Vec<[Key; 2]>,
    leaves: usize,
    order: u64,
}

impl EventSet {
    /// No events yet, for resources 0 to `resources` − 1; at most 2^20 resources.
    pub fn new(resources: usize) -> Self {
        let leaves = resources.clamp(2, 1 << RESOURCE_BITS).next_power_of_two();
        Self { nodes: vec![[NEVER; 2]; leaves], leaves, order: 0 }
    }

    /// Sets the event of `resource`, replacing the one it has.
    #[inline]
    pub fn set(&mut self, resource: usize, time: Ns) {
        self.order += 1;
        let rest = u128::from(self.order) << RESOURCE_BITS | resource as u128;
        self.replay(resource, u128::from(time.0) << 64 | rest);
    }

    /// The same, behind every event of that time that is set by [`Self::set`]: for one who decides between others, and
    /// should know all their wishes.
    #[inline]
    pub fn set_behind(&mut self, resource: usize, time: Ns) {
        self.order += 1;
        let rest = u128::from(self.order) << RESOURCE_BITS | resource as u128;
        self.replay(resource, u128::from(time.0) << 64 | BEHIND | rest);
    }

    /// Takes the event of `resource` away.
    #[inline]
    pub fn clear(&mut self, resource: usize) {
        self.replay(resource, NEVER);
    }

    /// Takes `event` away, unless its resource has got another in the meantime.
    #[inline]
    pub fn clear_if_unchanged(&mut self, event: Event) {
        let resource = event.resource();
        if self.nodes[(self.leaves + resource) >> 1][resource & 1] == event.key {
            self.clear(resource);
        }
    }

    /// The earliest event.
    #[inline]
    pub fn first(&self) -> Event {
        let [left, right] = self.nodes[1];
        Event { key: left.min(right) }
    }

    #[inline]
    fn replay(&mut self, resource: usize, key: Key) {
        let mut child = self.leaves + resource;
        let mut winner = key;
        while child > 1 {
            // No early exit above an unchanged winner: its branch would cost more than the rest of the path.
            let pair = &mut self.nodes[child >> 1];
            pair[child & 1] = winner;
            winner = pair[0].min(pair[1]);
            child >>= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ties_go_to_the_event_that_was_set_first() {
        let mut events = EventSet::new(5);
        for resource in [3, 1, 4] {
            events.set(resource, Ns(10));
        }
        for expected in [3, 1, 4] {
            assert_eq!((events.first().time(), events.first().resource()), (Ns(10), expected));
            events.clear(expected);
        }
        assert_eq!(events.first().time(), Ns::NEVER);
    }

    #[test]
    fn an_event_set_behind_comes_after_the_others_of_its_time_only() {
        let mut events = EventSet::new(3);
        events.set_behind(0, Ns(10));
        events.set(1, Ns(10));
        events.set(2, Ns(11));
        for expected in [1, 0, 2] {
            assert_eq!(events.first().resource(), expected);
            events.clear(expected);
        }
    }

    #[test]
    fn an_event_is_taken_away_only_if_no_other_took_its_place() {
        let mut events = EventSet::new(3);
        events.set(2, Ns(10));
        let event = events.first();
        events.set(2, Ns(10));
        events.clear_if_unchanged(event);
        assert_eq!(events.first().time(), Ns(10));
        events.clear_if_unchanged(events.first());
        assert_eq!(events.first().time(), Ns::NEVER);
    }

    proptest! {
        #[test]
        fn the_first_is_the_smallest_of_all(resources in 1usize..40, steps in prop::collection::vec((0usize..40, 0u64..50), 0..200)) {
            let mut events = EventSet::new(resources);
            let mut model: Vec<Option<(u64, usize)>> = vec![None; resources];
            for (number, (resource, time)) in steps.into_iter().enumerate() {
                let resource = resource % resources;
                if time == 0 {
                    events.clear(resource);
                    model[resource] = None;
                } else {
                    events.set(resource, Ns(time));
                    model[resource] = Some((time, number));
                }
                let expected = model.iter().enumerate().filter_map(|(r, e)| e.map(|(t, n)| (t, n, r))).min();
                match expected {
                    None => prop_assert_eq!(events.first().time(), Ns::NEVER),
                    Some((t, _, r)) => prop_assert_eq!((events.first().time(), events.first().resource()), (Ns(t), r)),
                }
            }
        }
    }
}
