//! The event set: a winner tree over resources, each of which has at most one event to come.
//!
//! Ties in time go to the event that was set first, so a run never depends on the tree's shape.

use crate::time::Ns;

/// When a resource's event comes, and its place among events of the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    time: Ns,
    order: u64,
}

const NEVER: Key = Key { time: Ns::NEVER, order: u64::MAX };

/// The next event of each of a fixed number of resources.
pub struct EventSet {
    keys: Vec<Key>,
    winners: Vec<u32>,
    leaves: usize,
    order: u64,
}

impl EventSet {
    /// No events yet, for resources 0 to `resources` − 1.
    pub fn new(resources: usize) -> Self {
        let leaves = resources.max(2).next_power_of_two();
        let mut winners = vec![0; leaves];
        // Before the first event any leaf may win: take the leftmost below each node.
        for node in (1..leaves).rev() {
            let left = node * 2;
            winners[node] = if left >= leaves { (left - leaves) as u32 } else { winners[left] };
        }
        Self { keys: vec![NEVER; leaves], winners, leaves, order: 0 }
    }

    /// Sets the event of `resource`, replacing the one it has.
    #[inline]
    pub fn set(&mut self, resource: usize, time: Ns) {
        self.order += 1;
        self.replay(resource, Key { time, order: self.order });
    }

    /// Takes the event of `resource` away.
    #[inline]
    pub fn clear(&mut self, resource: usize) {
        self.replay(resource, NEVER);
    }

    /// The earliest event: its time and resource; [`Ns::NEVER`] when there is none.
    #[inline]
    pub fn first(&self) -> (Ns, usize) {
        let winner = self.winners[1] as usize;
        (self.keys[winner].time, winner)
    }

    /// When the event of `resource` comes.
    pub fn time_of(&self, resource: usize) -> Ns {
        self.keys[resource].time
    }

    #[inline]
    fn replay(&mut self, resource: usize, key: Key) {
        self.keys[resource] = key;
        let mut winner = resource as u32;
        let mut winner_key = key;
        let mut child = self.leaves + resource;
        while child > 1 {
            let sibling = child ^ 1;
            let rival =
                if sibling >= self.leaves { (sibling - self.leaves) as u32 } else { self.winners[sibling] };
            let rival_key = self.keys[rival as usize];
            if rival_key < winner_key {
                winner = rival;
                winner_key = rival_key;
            }
            child >>= 1;
            self.winners[child] = winner;
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
            assert_eq!(events.first(), (Ns(10), expected));
            events.clear(expected);
        }
        assert_eq!(events.first().0, Ns::NEVER);
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
                    None => prop_assert_eq!(events.first().0, Ns::NEVER),
                    Some((t, _, r)) => prop_assert_eq!(events.first(), (Ns(t), r)),
                }
            }
        }
    }
}
