//! What some policies want to know of the past of the superblocks: in which order they became full, and when each
//! changed last. Kept only when asked for.

use serde::{Deserialize, Serialize};

use wordline_base::ids::DomainId;

/// What of the past a policy looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// The order in which the superblocks of a domain became full.
    pub full_order: bool,
    /// The time at which each superblock changed last.
    pub last_change: bool,
}

/// The past of the superblocks, as far as it is kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct History {
    order: Option<FullOrder>,
    /// By superblock, in units that the host wrote; empty when not kept.
    changed: Vec<u64>,
    /// Units that the host wrote. Preparing a drive takes no simulated time, yet it ages what it writes.
    clock: u64,
}

impl History {
    /// Keeps what is needed from now on. `order` is taken over for superblocks that are full already.
    pub fn keep(&mut self, needs: Needs, superblocks: usize, order: FullOrder) {
        self.order = needs.full_order.then_some(order);
        self.changed = vec![self.clock; if needs.last_change { superblocks } else { 0 }];
    }

    /// The host wrote so many units.
    #[inline]
    pub fn tick(&mut self, units: u64) {
        self.clock += units;
    }

    /// Whether anything is kept of which superblocks are full.
    #[inline]
    pub fn is_kept(&self) -> bool {
        self.order.is_some() || self.keeps_last_change()
    }

    /// Whether it is kept when each superblock changed last.
    pub fn keeps_last_change(&self) -> bool {
        !self.changed.is_empty()
    }

    /// A unit of this superblock was invalidated.
    #[inline]
    pub fn note_change(&mut self, superblock: usize) {
        if let Some(time) = self.changed.get_mut(superblock) {
            *time = self.clock;
        }
    }

    /// A superblock became full, or ceased to be.
    pub fn note_full(&mut self, superblock: usize, domain: DomainId, block: u32, full: bool) {
        if full {
            self.note_change(superblock);
        }
        let Some(order) = &mut self.order else { return };
        if full {
            order.push(domain, block);
        } else {
            order.remove(domain, block);
        }
    }

    /// Numbers within the domain of the full superblocks, the longest full first; empty when not kept.
    pub fn full_order(&self, domain: DomainId) -> &[u32] {
        self.order.as_ref().map_or(&[], |order| order.of(domain))
    }

    /// When each of these superblocks changed last; empty when not kept.
    pub fn changed(&self, superblocks: std::ops::Range<usize>) -> &[u64] {
        self.changed.get(superblocks).unwrap_or_default()
    }

    /// Units that the host wrote.
    pub fn clock(&self) -> u64 {
        self.clock
    }
}

/// The full superblocks of each domain, the longest full first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FullOrder {
    /// Numbers within the domain, domain by domain. Closing the gap behind one that is taken out moves a few
    /// kilobytes, once for each superblock that is collected.
    queue: Vec<u32>,
    length: Vec<u32>,
    blocks: u32,
}

impl FullOrder {
    /// No superblock is full, of so many in each domain.
    pub fn new(domains: usize, blocks: u32) -> Self {
        Self { queue: vec![0; domains * blocks as usize], length: vec![0; domains], blocks }
    }

    fn range(&self, domain: DomainId) -> std::ops::Range<usize> {
        let start = domain.index() * self.blocks as usize;
        start..start + self.length[domain.index()] as usize
    }

    /// This one became full.
    pub fn push(&mut self, domain: DomainId, block: u32) {
        let end = self.range(domain).end;
        debug_assert!(self.length[domain.index()] < self.blocks, "each superblock is full at most once");
        self.queue[end] = block;
        self.length[domain.index()] += 1;
    }

    /// This one is full no longer.
    pub fn remove(&mut self, domain: DomainId, block: u32) {
        let range = self.range(domain);
        let Some(place) = self.of(domain).iter().position(|&other| other == block) else { return };
        self.queue.copy_within(range.start + place + 1..range.end, range.start + place);
        self.length[domain.index()] -= 1;
    }

    /// Those of a domain, the longest full first.
    pub fn of(&self, domain: DomainId) -> &[u32] {
        &self.queue[self.range(domain)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_becoming_full_and_each_domain_has_its_own() {
        let mut order = FullOrder::new(2, 4);
        let (first, second) = (DomainId(0), DomainId(1));
        for block in [2, 0, 3, 1] {
            order.push(first, block);
        }
        order.push(second, 3);
        order.remove(first, 0);
        order.remove(first, 0);
        assert_eq!((order.of(first), order.of(second)), (&[2, 3, 1][..], &[3][..]));
        order.push(first, 0);
        order.remove(first, 2);
        order.remove(second, 3);
        assert_eq!((order.of(first), order.of(second)), (&[3, 1, 0][..], &[][..]));
    }

    #[test]
    fn a_change_is_dated_by_the_writes_of_the_host_and_only_where_asked_for() {
        let mut history = History::default();
        history.tick(1);
        history.note_change(1);
        assert!(history.changed(0..2).is_empty());
        history.keep(Needs { last_change: true, ..Needs::default() }, 3, FullOrder::new(1, 3));
        history.tick(1);
        history.tick(1);
        history.note_change(1);
        history.tick(1);
        history.note_full(2, DomainId(0), 2, true);
        history.tick(1);
        history.note_full(2, DomainId(0), 2, false);
        assert_eq!((history.changed(0..3), history.clock()), (&[1, 3, 4][..], 5));
        assert!(history.full_order(DomainId(0)).is_empty());
    }
}
