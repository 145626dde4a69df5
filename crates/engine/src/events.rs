//! The event set: a winner tree over resources, each of which has at most one event to come.
//!
//! Ties in time go to the event that was set first, so a run never depends on the tree's shape; events set "behind" come
//! after all others of their time.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// Time since the base, whether it comes behind, order of setting, resource: one number, so that the smallest is the
/// next event.
type Key = u64;

const NEVER: Key = Key::MAX;

/// Most resources of a set.
const MOST_RESOURCES: usize = 1 << 20;

/// An event that was the first: its time and its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    key: Key,
    time: Ns,
    resource: u32,
    behind: bool,
}

impl Event {
    /// When it comes; [`Ns::NEVER`] when there is none.
    #[inline]
    pub fn time(self) -> Ns {
        self.time
    }

    /// Whether it was set behind the others of its time.
    #[inline]
    pub fn is_behind(self) -> bool {
        self.behind
    }

    /// Whose it is.
    #[inline]
    pub fn resource(self) -> usize {
        self.resource as usize
    }
}

/// The next event of each of a fixed number of resources.
///
/// A key has one machine word: as many bits for the resource as there are resources, four more than these for the order,
/// and what is left for the time since a base that moves along. When the order or the time runs out, all keys are made
/// anew, which is so rare that it costs nothing. An event too far from the base has the last key that there is; its
/// time is kept beside the tree, and before it could be the first, keys are made anew.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Pending", try_from = "Pending")]
pub struct EventSet {
    /// A tree: the key of node n is the smallest one of its children 4n to 4n + 3. The root is node 1, the resources are
    /// the last level; between the last node of a level and the first one of the next is room for nothing.
    nodes: Vec<Key>,
    /// Time of the event of each resource whose key does not tell it.
    times: Vec<Ns>,
    leaves: usize,
    /// Bits of a resource's number; of all that stands below the time.
    resource_bits: u32,
    below_time: u32,
    /// Time from the base that stands for all beyond it, and the first key of that time.
    far: u64,
    first_far: Key,
    base: Ns,
    /// Events set since keys were made anew, and how many can be.
    order: u64,
    orders: u64,
    /// The event that is being handled.
    handled: Key,
}

impl EventSet {
    /// No events yet, for resources 0 to `resources` − 1; at most 2^20 resources.
    pub fn new(resources: usize) -> Self {
        // Powers of four are those of two with an even exponent.
        let resource_bits = resources.clamp(2, MOST_RESOURCES).next_power_of_two().trailing_zeros();
        let resource_bits = resource_bits.next_multiple_of(2);
        let leaves = 1 << resource_bits;
        let order_bits = resource_bits + 4;
        let below_time = resource_bits + order_bits + 1;
        let far = (NEVER >> below_time) - 1;
        Self {
            nodes: vec![NEVER; 2 * leaves],
            times: vec![Ns::NEVER; leaves],
            leaves,
            resource_bits,
            below_time,
            far,
            first_far: far << below_time,
            base: Ns::ZERO,
            order: 0,
            orders: 1 << order_bits,
            handled: NEVER,
        }
    }

    /// Places for resources.
    pub fn resources(&self) -> usize {
        self.leaves
    }

    /// Sets the event of `resource`, replacing the one it has.
    #[inline(always)]
    pub fn set(&mut self, resource: usize, time: Ns) {
        self.put(resource, time, 0);
    }

    /// The same, behind every event of that time that is set by [`Self::set`]: for one who decides between others, and
    /// should know all their wishes.
    #[inline(always)]
    pub fn set_behind(&mut self, resource: usize, time: Ns) {
        self.put(resource, time, 1);
    }

    /// Takes the event of `resource` away.
    #[inline(always)]
    pub fn clear(&mut self, resource: usize) {
        self.replay(resource, NEVER);
    }

    /// The first event is going to be handled.
    #[inline]
    pub fn handle(&mut self, event: Event) {
        self.handled = event.key;
    }

    /// It has been handled: takes it away, unless its resource has got another in the meantime.
    #[inline]
    pub fn clear_handled(&mut self) {
        let resource = self.resource_of(self.handled);
        if self.nodes[self.leaves + resource] == self.handled {
            self.clear(resource);
        }
    }

    /// The earliest event.
    #[inline(always)]
    pub fn first(&self) -> Event {
        let key = self.nodes[1];
        let behind = key >> (self.below_time - 1) & 1 != 0;
        let time = if key == NEVER { Ns::NEVER } else { self.time_of(key) };
        Event { key, time, resource: self.resource_of(key) as u32, behind }
    }

    /// The time that a key tells.
    #[inline(always)]
    fn time_of(&self, key: Key) -> Ns {
        Ns(self.base.0 + (key >> self.below_time))
    }

    #[inline]
    fn resource_of(&self, key: Key) -> usize {
        key as usize & (self.leaves - 1)
    }

    #[inline(always)]
    fn put(&mut self, resource: usize, time: Ns, behind: u64) {
        if time.0.wrapping_sub(self.base.0) >= self.far || self.order >= self.orders {
            return self.put_with_care(resource, time, behind);
        }
        let key = self.next_key(resource, time, behind);
        self.replay(resource, key);
    }

    /// The same where the order has run out, or the time is before the base, far beyond it, or never.
    #[cold]
    fn put_with_care(&mut self, resource: usize, time: Ns, behind: u64) {
        if time == Ns::NEVER {
            return self.clear(resource);
        }
        self.make_keys_anew(time);
        let key = self.next_key(resource, time, behind);
        self.times[resource] = time;
        self.replay(resource, key);
    }

    #[inline(always)]
    fn next_key(&mut self, resource: usize, time: Ns, behind: u64) -> Key {
        let order = self.order;
        self.order += 1;
        self.key(resource, time, behind, order)
    }

    #[inline(always)]
    fn key(&self, resource: usize, time: Ns, behind: u64, order: u64) -> Key {
        let time = (time.0 - self.base.0).min(self.far);
        time << self.below_time
            | behind << (self.below_time - 1)
            | order << self.resource_bits
            | resource as u64
    }

    /// Gives a resource another key, and the nodes above it their winners.
    #[inline(always)]
    fn replay(&mut self, resource: usize, key: Key) {
        let mut node = self.leaves + resource;
        let nodes = self.nodes.as_mut_slice();
        nodes[node] = key;
        let mut winner = key;
        // No early exit above an unchanged winner: its branch would cost more than the rest of the path. The winner is
        // kept at hand: a load behind the store to its place would wait for it.
        while node > 1 {
            // SAFETY: `node` was checked to be a place of `nodes`, of which the number can be divided by four, and from
            // then on it gets smaller; so its siblings and its parent are places, too.
            unsafe {
                // Written out: whether a closure over the three is inlined depends on how the crate is cut up.
                let a = *nodes.get_unchecked(node ^ 1);
                let b = *nodes.get_unchecked(node ^ 2);
                let c = *nodes.get_unchecked(node ^ 3);
                winner = winner.min(a.min(b).min(c));
                node >>= 2;
                *nodes.get_unchecked_mut(node) = winner;
            }
        }
        // Nothing is the last key, and one more than it is zero.
        if winner.wrapping_add(1) > self.first_far {
            self.make_keys_anew(Ns::NEVER);
        }
    }

    /// Moves the base to the first event, or to `earliest` if that is earlier, and numbers all events from 0 in their
    /// order.
    #[cold]
    fn make_keys_anew(&mut self, earliest: Ns) {
        let handled = self.resource_of(self.handled);
        let unchanged = self.nodes[self.leaves + handled] == self.handled;
        let pending = self.pending();
        let first = pending.first().map_or(Ns::NEVER, |event| event.time);
        // Without any event any base will do.
        let base = first.min(earliest);
        self.base = if base == Ns::NEVER { Ns::ZERO } else { base };
        for (order, &Event { time, resource, behind, .. }) in pending.iter().enumerate() {
            let key = self.key(resource as usize, time, u64::from(behind), order as u64);
            // It may be too far from an earlier base.
            self.times[resource as usize] = time;
            self.nodes[self.leaves + resource as usize] = key;
        }
        let mut level = self.leaves / 4;
        while level > 0 {
            for node in level..2 * level {
                let children = &self.nodes[4 * node..4 * node + 4];
                self.nodes[node] = children.iter().copied().fold(NEVER, Key::min);
            }
            level /= 4;
        }
        self.order = pending.len() as u64;
        self.handled = if unchanged { self.nodes[self.leaves + handled] } else { NEVER };
    }

    /// All events in their order.
    pub(crate) fn pending(&self) -> Vec<Event> {
        let leaves = self.nodes[self.leaves..].iter().zip(&self.times);
        let event = |(&key, &time): (&Key, &Ns)| Event {
            key: key & ((1 << self.below_time) - 1),
            time: if key < self.first_far { self.time_of(key) } else { time },
            resource: self.resource_of(key) as u32,
            behind: key >> (self.below_time - 1) & 1 != 0,
        };
        let mut pending: Vec<Event> = leaves.filter(|&(&key, _)| key != NEVER).map(event).collect();
        pending.sort_unstable_by_key(|event| (event.time, event.key));
        pending
    }
}

/// What is saved of a set: how many resources it is for, and its events in their order.
#[derive(Serialize, Deserialize)]
struct Pending {
    resources: u32,
    events: Vec<(u32, Ns, bool)>,
}

impl From<EventSet> for Pending {
    fn from(set: EventSet) -> Self {
        let events = set.pending().iter().map(|event| (event.resource, event.time, event.behind)).collect();
        Self { resources: set.leaves as u32, events }
    }
}

impl TryFrom<Pending> for EventSet {
    type Error = String;

    fn try_from(saved: Pending) -> Result<Self, String> {
        let resources = saved.resources as usize;
        if resources > MOST_RESOURCES || saved.events.iter().any(|event| event.0 as usize >= resources) {
            return Err(format!("events of resources beyond {resources}"));
        }
        let mut set = Self::new(resources);
        for (resource, time, behind) in saved.events {
            set.put(resource as usize, time, u64::from(behind));
        }
        Ok(set)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
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
    fn an_event_that_was_handled_goes_unless_its_resource_got_another() {
        let mut events = EventSet::new(3);
        events.set(2, Ns(10));
        events.handle(events.first());
        events.set(2, Ns(10));
        events.clear_handled();
        assert_eq!(events.first().time(), Ns(10));
        events.handle(events.first());
        events.set(1, Ns(20));
        events.clear_handled();
        assert_eq!((events.first().time(), events.first().resource()), (Ns(20), 1));
    }

    /// Times of all magnitudes, so that some lie beyond what a key can hold, and many ties.
    fn time() -> impl Strategy<Value = u64> {
        (0u64..8, 0u32..62).prop_map(|(digit, shift)| (1 + digit) << shift)
    }

    proptest! {
        #[test]
        fn the_first_is_the_smallest_of_all(
            resources in 1usize..40,
            steps in prop::collection::vec((0usize..40, time(), 0u8..4), 0..600),
        ) {
            let mut events = EventSet::new(resources);
            let mut model: Vec<Option<(u64, bool, usize)>> = vec![None; resources];
            for (number, (resource, time, what)) in steps.into_iter().enumerate() {
                let resource = resource % resources;
                match what {
                    0 => events.clear(resource),
                    1 => events.set_behind(resource, Ns(time)),
                    _ => events.set(resource, Ns(time)),
                }
                model[resource] = (what > 0).then_some((time, what == 1, number));
                if number % 64 == 63 {
                    let saved = postcard::to_allocvec(&events).unwrap();
                    events = postcard::from_bytes(&saved).unwrap();
                }
                let expected = model.iter().enumerate().filter_map(|(r, e)| e.map(|event| (event, r))).min();
                let first = events.first();
                match expected {
                    None => prop_assert_eq!(first.time(), Ns::NEVER),
                    Some(((time, behind, _), r)) => {
                        prop_assert_eq!((first.time(), first.is_behind(), first.resource()), (Ns(time), behind, r));
                    }
                }
            }
        }
    }
}
