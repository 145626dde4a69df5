//! The event set: of each of many resources at most one event to come, and which of them is the next.
//!
//! Ties in time go to the event that was set first, so a run never depends on how the events are kept; events set "behind"
//! come after all others of their time.

use serde::{Deserialize, Serialize};

use crate::time::Ns;

/// Time since the base, whether it comes behind, order of setting, resource: one number, so that the smallest is the
/// next event.
type Key = u64;

const NEVER: Key = Key::MAX;

/// Before every key: there is no last one.
const EMPTY: Key = 0;

/// So that no key is [`EMPTY`].
const FIRST_ORDER: u64 = 1;

/// Sorted lists of events: about one for each duration that a drive knows.
const LISTS: usize = 8;

/// Most resources of a set.
const MOST_RESOURCES: usize = 1 << 20;

/// An event that was the first: its time and its resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
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
/// A drive's times are one of a few, and what takes the same time ends in the order in which it began. So events stand in
/// *lists*, each sorted: a new one goes behind the last of the first list whose last comes before it, which
/// nearly always there is. The next event is the smallest of the lists' first ones.
///
/// A key has one machine word: as many bits for the resource as there are resources, four more than these for the order,
/// and what is left for the time since a base that moves along. When the order or the time runs out, all keys are made
/// anew, which is so rare that it costs nothing. An event too far from the base has the last key that there is; its
/// time is kept beside the lists, and before it could be the first, keys are made anew.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(into = "Pending", try_from = "Pending")]
pub struct EventSet {
    /// The event of each resource, and its neighbours.
    entries: Vec<Entry>,
    /// The first key of each list, or [`NEVER`]; the last one, or [`EMPTY`].
    heads: [Key; LISTS],
    tails: [Key; LISTS],
    /// The smallest of the lists' first keys.
    first: Key,
    /// Time of the event of each resource whose key does not tell it.
    times: Vec<Ns>,
    /// Bits of a resource's number; of all that stands below the time.
    resource_bits: u32,
    below_time: u32,
    /// Time from the base that stands for all beyond it, and the first key of that time.
    far: u64,
    first_far: Key,
    base: Ns,
    /// The order of the event that is set next, and of the one with which it runs out.
    order: u64,
    orders: u64,
}

/// The event of a resource.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Its key, or [`NEVER`]: then the rest means nothing.
    key: Key,
    list: u32,
    /// The keys behind and before it in its list. Of the last one and the first one they mean nothing.
    next: Key,
    before: Key,
}

impl EventSet {
    /// No events yet, for resources 0 to `resources` − 1; at most 2^20 resources.
    pub fn new(resources: usize) -> Self {
        // An even number of bits: what is saved of a set tells how many it has.
        let resource_bits = resources.clamp(2, MOST_RESOURCES).next_power_of_two().trailing_zeros();
        let resource_bits = resource_bits.next_multiple_of(2);
        let order_bits = resource_bits + 4;
        let below_time = resource_bits + order_bits + 1;
        let far = (NEVER >> below_time) - 1;
        let places = 1 << resource_bits;
        Self {
            entries: vec![Entry { key: NEVER, list: 0, next: NEVER, before: EMPTY }; places],
            heads: [NEVER; LISTS],
            tails: [EMPTY; LISTS],
            first: NEVER,
            times: vec![Ns::NEVER; places],
            resource_bits,
            below_time,
            far,
            first_far: far << below_time,
            base: Ns::ZERO,
            order: FIRST_ORDER,
            orders: 1 << order_bits,
        }
    }

    /// Places for resources.
    #[inline]
    pub fn resources(&self) -> usize {
        self.entries.len()
    }

    /// Sets the event of `resource`, replacing the one it has.
    #[inline(always)]
    pub fn set(&mut self, resource: usize, time: Ns) {
        self.put(resource, time, 0);
    }

    /// The same, behind every event of that time that is set by [`Self::set`]: for one who decides between others, and
    /// should know all their requests.
    #[inline(always)]
    pub fn set_behind(&mut self, resource: usize, time: Ns) {
        self.put(resource, time, 1);
    }

    /// Takes the event of `resource` away.
    #[inline]
    pub fn clear(&mut self, resource: usize) {
        if self.entries[resource].key != NEVER {
            self.unlink(resource);
        }
    }

    /// When the event of `resource` is, if it has one.
    pub fn time_at(&self, resource: usize) -> Option<Ns> {
        match self.entries.get(resource)?.key {
            NEVER => None,
            key if key >= self.first_far => self.times.get(resource).copied(),
            key => Some(self.time_of(key)),
        }
    }

    /// Takes the earliest event away, if there is one: it is going to be handled. Returns whose it is.
    #[inline(always)]
    pub fn take_first(&mut self) -> usize {
        let resource = self.resource_of(self.first);
        let entry = &mut self.entries[resource];
        if entry.key != NEVER {
            entry.key = NEVER;
            let list = entry.list as usize % LISTS;
            if self.tails[list] == self.first {
                (self.heads[list], self.tails[list]) = (NEVER, EMPTY);
            } else {
                self.heads[list] = entry.next;
            }
            self.find_first();
        }
        resource
    }

    /// The earliest event.
    #[inline(always)]
    pub fn first(&self) -> Event {
        let key = self.first;
        let behind = key >> (self.below_time - 1) & 1 != 0;
        Event { time: self.first_time(), resource: self.resource_of(key) as u32, behind }
    }

    /// The time of the earliest event; [`Ns::NEVER`] when there is none.
    #[inline(always)]
    pub fn first_time(&self) -> Ns {
        if self.first == NEVER { Ns::NEVER } else { self.time_of(self.first) }
    }

    /// The time that a key tells.
    #[inline(always)]
    fn time_of(&self, key: Key) -> Ns {
        Ns(self.base.0 + (key >> self.below_time))
    }

    #[inline(always)]
    fn resource_of(&self, key: Key) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    #[inline(always)]
    fn put(&mut self, resource: usize, time: Ns, behind: u64) {
        if self.entries[resource].key != NEVER {
            self.unlink(resource);
        }
        if time.0.wrapping_sub(self.base.0) >= self.far || self.order >= self.orders {
            return self.put_with_care(resource, time, behind);
        }
        self.put_key(resource, time, behind);
    }

    /// The same where the order has run out, or the time is before the base, far beyond it, or never.
    #[cold]
    fn put_with_care(&mut self, resource: usize, time: Ns, behind: u64) {
        if time != Ns::NEVER {
            self.make_keys_anew(time);
            self.times[resource] = time;
            self.put_key(resource, time, behind);
        }
    }

    #[inline(always)]
    fn put_key(&mut self, resource: usize, time: Ns, behind: u64) {
        let key = self.key(resource, time, behind, self.order);
        self.order += 1;
        self.append(resource, key);
    }

    #[inline(always)]
    fn key(&self, resource: usize, time: Ns, behind: u64, order: u64) -> Key {
        let time = (time.0 - self.base.0).min(self.far);
        time << self.below_time
            | behind << (self.below_time - 1)
            | order << self.resource_bits
            | resource as u64
    }

    /// Puts a key behind the last of the first list whose last comes before it.
    #[inline(always)]
    fn append(&mut self, resource: usize, key: Key) {
        let Some(list) = self.tails.iter().position(|&tail| tail < key) else {
            return self.insert(resource, key);
        };
        let before = std::mem::replace(&mut self.tails[list], key);
        self.entries[resource] = Entry { key, list: list as u32, next: NEVER, before };
        if before == EMPTY {
            self.heads[list] = key;
            self.first = self.first.min(key);
        } else {
            let last = self.resource_of(before);
            self.entries[last].next = key;
        }
    }

    /// Puts a key that comes before the last of every list to its place in the last list.
    #[cold]
    fn insert(&mut self, resource: usize, key: Key) {
        const LAST: usize = LISTS - 1;
        let (head, mut next) = (self.heads[LAST], self.tails[LAST]);
        let mut before = self.entries[self.resource_of(next)].before;
        while next != head && before > key {
            next = before;
            before = self.entries[self.resource_of(next)].before;
        }
        let behind = self.resource_of(next);
        self.entries[behind].before = key;
        self.entries[resource] = Entry { key, list: LAST as u32, next, before };
        if next == head {
            self.heads[LAST] = key;
            self.first = self.first.min(key);
        } else {
            let last = self.resource_of(before);
            self.entries[last].next = key;
        }
    }

    /// Takes an event that there is out of its list.
    #[inline(never)]
    fn unlink(&mut self, resource: usize) {
        let Entry { key, list, next, before } = self.entries[resource];
        self.entries[resource].key = NEVER;
        let list = list as usize;
        match (self.heads[list] == key, self.tails[list] == key) {
            (true, true) => (self.heads[list], self.tails[list]) = (NEVER, EMPTY),
            (true, false) => self.heads[list] = next,
            (false, true) => self.tails[list] = before,
            (false, false) => {
                let (last, behind) = (self.resource_of(before), self.resource_of(next));
                self.entries[last].next = next;
                self.entries[behind].before = before;
            }
        }
        if key == self.first {
            self.find_first();
        }
    }

    /// The smallest of the lists' first keys has changed. In pairs: so that few comparisons wait for one another.
    #[inline(always)]
    fn find_first(&mut self) {
        let [a, b, c, d, e, f, g, h] = self.heads;
        self.first = a.min(b).min(c.min(d)).min(e.min(f).min(g.min(h)));
        // Nothing is the last key, and one more than it is zero.
        if self.first.wrapping_add(1) > self.first_far {
            self.make_keys_anew(Ns::NEVER);
        }
    }

    /// Moves the base to the first event, or to `earliest` if that is earlier, and numbers all events anew in their
    /// order.
    #[cold]
    fn make_keys_anew(&mut self, earliest: Ns) {
        let pending = self.pending();
        let first = pending.first().map_or(Ns::NEVER, |event| event.time);
        // Without any event any base will do.
        let base = first.min(earliest);
        self.base = if base == Ns::NEVER { Ns::ZERO } else { base };
        (self.heads, self.tails, self.first) = ([NEVER; LISTS], [EMPTY; LISTS], NEVER);
        self.order = FIRST_ORDER;
        for Event { time, resource, behind } in pending {
            let resource = resource as usize;
            // It may be too far from an earlier base.
            self.times[resource] = time;
            let key = self.key(resource, time, u64::from(behind), self.order);
            self.order += 1;
            self.append(resource, key);
        }
    }

    /// All events in their order.
    pub fn pending(&self) -> Vec<Event> {
        let event = |(&Entry { key, .. }, &time): (&Entry, &Ns)| {
            let behind = key >> (self.below_time - 1) & 1 != 0;
            let time = if key < self.first_far { self.time_of(key) } else { time };
            (
                key & ((1 << self.below_time) - 1),
                Event { time, resource: self.resource_of(key) as u32, behind },
            )
        };
        let there = self.entries.iter().zip(&self.times).filter(|(entry, _)| entry.key != NEVER);
        let mut pending: Vec<(Key, Event)> = there.map(event).collect();
        pending.sort_unstable_by_key(|(key, event)| (event.time, *key));
        pending.into_iter().map(|(_, event)| event).collect()
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
        Self { resources: set.resources() as u32, events }
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
    fn the_first_event_is_taken_and_its_resource_may_get_another() {
        let mut events = EventSet::new(3);
        events.take_first();
        events.set(2, Ns(10));
        events.take_first();
        assert_eq!(events.first().time(), Ns::NEVER);
        events.set(2, Ns(10));
        events.set(1, Ns(20));
        events.take_first();
        assert_eq!((events.first().time(), events.first().resource()), (Ns(20), 1));
    }

    /// Times of all magnitudes, so that some lie beyond what a key can hold, and many ties.
    fn time() -> impl Strategy<Value = u64> {
        (0u64..8, 0u32..62).prop_map(|(digit, shift)| (1 + digit) << shift)
    }

    proptest! {
        #[test]
        fn the_first_is_the_smallest_of_all(
            resources in 1usize..400,
            steps in prop::collection::vec((0usize..400, time(), 0u8..6), 0..600),
        ) {
            let mut events = EventSet::new(resources);
            let mut model: Vec<Option<(u64, bool, usize)>> = vec![None; resources];
            for (number, (resource, time, what)) in steps.into_iter().enumerate() {
                let resource = resource % resources;
                if what == 5 {
                    // The first goes, like one that is handled.
                    let first = events.first();
                    events.take_first();
                    if first.time() != Ns::NEVER {
                        model[first.resource()] = None;
                    }
                }
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
                let wanted = number * 7 % resources;
                let at = model[wanted].map(|(time, ..)| Ns(time));
                prop_assert_eq!(events.time_at(wanted), at);
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
