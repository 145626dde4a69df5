//! Operations in flight, in one pool, and the queues that link them.

use serde::{Deserialize, Serialize};

use wordline_base::class::Class;
use wordline_base::clock::ClassClock;
use wordline_base::ids::Ppa;
use wordline_base::memory::prefetch_all;
use wordline_base::parts::Parts;
use wordline_base::time::Ns;

/// Number of an operation in the pool.
pub type OpId = u32;

/// No operation.
pub const NONE: OpId = u32::MAX;

/// How many operations are taken in before the one whose memory is fetched ahead.
const FREE_AHEAD: usize = 3;

/// One mapping unit's read or program, or one block's erase.
///
/// The units of one flash page form a chain behind a head (`next_unit`); heads wait in queues and form the planes
/// of a running command (`next`).
///
/// One line of the caches each: of a long queue each operation is looked at.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[repr(align(64))]
pub struct Op {
    /// Next head in a queue or of a command.
    pub next: OpId,
    /// Next unit of the same flash page.
    pub next_unit: OpId,
    /// Last unit of the chain; kept in its head only.
    pub last_unit: OpId,
    /// Physical page that is read or programmed; for an erase the block's first unit.
    pub ppa: Ppa,
    /// Where the data came from: the page that a move or a read-modify-write read.
    pub source: Ppa,
    /// Number of its times in the pool, which alone says so; [`NONE`] where it has none.
    pub times: u32,
    /// Bytes wanted of the unit.
    pub bytes: u32,
    /// Class, hence queue.
    pub class: Class,
    /// A program that takes its data from [`source`](Self::source) inside the die.
    pub copyback: bool,
    /// Whether its time is part of a response time.
    pub waited_for: bool,
    /// A read that may be in vain: until that is known nothing of its time is blamed, and then all of it at once.
    pub tentative: bool,
    /// A read that is work of a write: of what a unit holds that is written in part.
    pub for_write: bool,
    /// When it began to wait for what it waits for.
    pub wait_from: Ns,
    /// Place among all operations in order of arrival at the dies; 0 before the first. A read that is sent on to
    /// another die keeps it.
    pub order: u64,
    /// When it came to a die first: the bound on waiting counts from here.
    pub arrived: Ns,
}

const _: () = assert!(size_of::<Op>() == 64, "one line of the caches");

impl Op {
    /// A new operation that waits for nothing yet.
    #[inline]
    pub fn new(class: Class, ppa: Ppa) -> Self {
        Self {
            next: NONE,
            next_unit: NONE,
            last_unit: NONE,
            ppa,
            source: Ppa::NONE,
            times: NONE,
            bytes: 0,
            class,
            copyback: false,
            waited_for: false,
            tentative: false,
            for_write: false,
            wait_from: Ns::ZERO,
            order: 0,
            arrived: Ns::ZERO,
        }
    }
}

/// Times of an operation that is part of a response time: it waits for a die, or has waited for something.
#[derive(Default, Clone, Debug, Serialize, Deserialize)]
struct Times {
    /// Parts of the response time before the current command.
    parts: Parts,
    /// The die's clock by class when the wait began.
    snapshot: ClassClock,
    /// Of those that are free, the next; [`NONE`] behind the last.
    next_free: u32,
}

/// All operations in flight. Their numbers are reused; nothing is allocated once the run is warm.
///
/// Times take ten times the memory of an operation, and most operations of a drive that has much under way have none: they
/// are kept apart, and those that were given back last are used first, so that few of them are ever touched.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OpPool {
    ops: Vec<Op>,
    free: Vec<OpId>,
    times: Vec<Times>,
    /// The times that were given back last; [`NONE`] when all are in use.
    free_times: u32,
}

impl Default for OpPool {
    fn default() -> Self {
        Self { ops: Vec::new(), free: Vec::new(), times: Vec::new(), free_times: NONE }
    }
}

impl OpPool {
    /// Takes an operation in.
    #[inline(always)]
    pub fn insert(&mut self, op: Op) -> OpId {
        let id = self.free.pop().unwrap_or_else(|| self.grow());
        self.ops[id as usize] = Op { last_unit: id, times: NONE, ..op };
        id
    }

    /// Room for one more.
    #[cold]
    fn grow(&mut self) -> OpId {
        self.ops.push(Op::new(Class::HostRead, Ppa::NONE));
        (self.ops.len() - 1) as OpId
    }

    /// Gives its number back.
    #[inline(always)]
    pub fn remove(&mut self, id: OpId) {
        let number = self.ops[id as usize].times;
        if let Some(times) = self.times.get_mut(number as usize) {
            times.next_free = std::mem::replace(&mut self.free_times, number);
        }
        self.free.push(id);
    }

    /// Brings an operation towards the caches: one that waits was put there long ago.
    #[inline]
    pub fn prefetch(&self, id: OpId) {
        prefetch_all(&self.ops, id as usize);
    }

    /// Brings the memory of an operation that is soon to be taken in towards the caches: it may not have been used for long.
    #[inline]
    pub fn prefetch_free(&self) {
        if let Some(&id) = self.free.len().checked_sub(FREE_AHEAD).and_then(|index| self.free.get(index)) {
            self.prefetch(id);
        }
    }

    /// Operations in flight.
    pub fn len(&self) -> usize {
        self.ops.len() - self.free.len()
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its times, from now on if there are none yet.
    #[inline]
    fn times_mut(&mut self, id: OpId) -> &mut Times {
        let mut number = self.ops[id as usize].times;
        if number == NONE {
            number = self.take_times();
            self.ops[id as usize].times = number;
        }
        &mut self.times[number as usize]
    }

    /// Times in which nothing is blamed.
    #[inline]
    fn take_times(&mut self) -> u32 {
        let number = self.free_times;
        let Some(times) = self.times.get_mut(number as usize) else { return self.grow_times() };
        times.parts.clear();
        self.free_times = times.next_free;
        number
    }

    /// Room for those of one more.
    #[cold]
    fn grow_times(&mut self) -> u32 {
        self.times.push(Times { next_free: NONE, ..Times::default() });
        (self.times.len() - 1) as u32
    }

    /// Its times, if there are any.
    #[inline]
    fn times(&self, id: OpId) -> Option<&Times> {
        self.times.get(self.ops[id as usize].times as usize)
    }

    /// The parts of the response time so far, to add to.
    #[inline]
    pub fn parts_mut(&mut self, id: OpId) -> &mut Parts {
        &mut self.times_mut(id).parts
    }

    /// The parts of the response time so far; `None` where it has waited for nothing.
    #[inline]
    pub fn parts(&self, id: OpId) -> Option<&Parts> {
        self.times(id).map(|times| &times.parts)
    }

    /// What the die's clock showed when the wait began, to be written.
    #[inline]
    pub fn snapshot(&mut self, id: OpId) -> &mut ClassClock {
        &mut self.times_mut(id).snapshot
    }

    /// What the die's clock showed when the wait began; `None` if it has not waited for a die.
    pub fn noted_clock(&self, id: OpId) -> Option<&ClassClock> {
        self.times(id).map(|times| &times.snapshot)
    }

    /// Blames the wait of an operation on what occupied the die since it began. Returns the time that something did, ns.
    #[inline]
    pub fn blame_wait(&mut self, id: OpId, now: &ClassClock) -> u64 {
        let Times { parts, snapshot, .. } = self.times_mut(id);
        parts.add_die_wait(now, snapshot)
    }

    /// Appends `unit` to the chain of the flash page whose head is `head`.
    #[inline]
    pub fn chain(&mut self, head: OpId, unit: OpId) {
        let last = self.ops[head as usize].last_unit;
        let new_last = self.ops[unit as usize].last_unit;
        self.ops[last as usize].next_unit = unit;
        self.ops[head as usize].last_unit = new_last;
    }

    /// Units of a chain.
    pub fn units(&self, head: OpId) -> Units<'_> {
        Units { pool: self, next: head }
    }
}

/// Iterator over the units of one flash page.
pub struct Units<'a> {
    pool: &'a OpPool,
    next: OpId,
}

impl Iterator for Units<'_> {
    type Item = OpId;

    #[inline]
    fn next(&mut self) -> Option<OpId> {
        let id = self.next;
        if id == NONE {
            return None;
        }
        self.next = self.pool[id].next_unit;
        Some(id)
    }
}

impl std::ops::Index<OpId> for OpPool {
    type Output = Op;
    #[inline]
    fn index(&self, id: OpId) -> &Op {
        &self.ops[id as usize]
    }
}

impl std::ops::IndexMut<OpId> for OpPool {
    #[inline]
    fn index_mut(&mut self, id: OpId) -> &mut Op {
        &mut self.ops[id as usize]
    }
}

/// First come, first served: heads linked through [`Op::next`].
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Fifo {
    /// The one that waits longest.
    pub head: OpId,
    tail: OpId,
}

impl Default for Fifo {
    fn default() -> Self {
        Self { head: NONE, tail: NONE }
    }
}

impl Fifo {
    /// One to be looked at only: this is the one that waits longest in it.
    pub fn headed_by(head: OpId) -> Self {
        Self { head, tail: head }
    }

    /// Whether nobody waits.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Appends.
    #[inline(always)]
    pub fn push(&mut self, pool: &mut OpPool, id: OpId) {
        pool[id].next = NONE;
        if self.head == NONE {
            self.head = id;
        } else {
            pool[self.tail].next = id;
        }
        self.tail = id;
    }

    /// Puts one that came earlier to its place among those that wait.
    pub fn insert_by_order(&mut self, pool: &mut OpPool, id: OpId) {
        let (mut previous, mut next) = (NONE, self.head);
        while next != NONE && pool[next].order < pool[id].order {
            (previous, next) = (next, pool[next].next);
        }
        if next == NONE {
            return self.push(pool, id);
        }
        pool[id].next = next;
        if previous == NONE {
            self.head = id;
        } else {
            pool[previous].next = id;
        }
    }

    /// Takes the first.
    #[inline]
    pub fn pop(&mut self, pool: &mut OpPool) -> OpId {
        let id = self.head;
        if id != NONE {
            self.head = pool[id].next;
            pool[id].next = NONE;
        }
        id
    }

    /// Takes the one behind `previous` (the first, when that is [`NONE`]) and returns the one after it.
    #[inline]
    pub fn unlink(&mut self, pool: &mut OpPool, previous: OpId, id: OpId) -> OpId {
        let after = pool[id].next;
        if previous == NONE {
            self.head = after;
        } else {
            pool[previous].next = after;
        }
        if self.tail == id {
            self.tail = previous;
        }
        pool[id].next = NONE;
        after
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wordline_base::parts::Part;

    fn pool_of(count: u32) -> (OpPool, Vec<OpId>) {
        let mut pool = OpPool::default();
        let ids = (0..count).map(|ppa| pool.insert(Op::new(Class::HostRead, Ppa(ppa)))).collect();
        (pool, ids)
    }

    #[test]
    fn a_queue_gives_back_in_order_what_was_not_unlinked() {
        let (mut pool, ids) = pool_of(4);
        let mut queue = Fifo::default();
        for &id in &ids {
            queue.push(&mut pool, id);
        }
        assert_eq!(queue.unlink(&mut pool, ids[0], ids[1]), ids[2]);
        assert_eq!(queue.unlink(&mut pool, ids[2], ids[3]), NONE);
        queue.push(&mut pool, ids[1]);
        let order: Vec<_> =
            std::iter::from_fn(|| Some(queue.pop(&mut pool)).filter(|&id| id != NONE)).collect();
        assert_eq!(order, [ids[0], ids[2], ids[1]]);
        assert!(queue.is_empty());
    }

    #[test]
    fn one_that_came_earlier_goes_to_its_place() {
        let (mut pool, ids) = pool_of(4);
        let mut queue = Fifo::default();
        for (&id, order) in ids.iter().zip([10, 20, 5, 15]) {
            pool[id].order = order;
            queue.insert_by_order(&mut pool, id);
        }
        let order: Vec<_> =
            std::iter::from_fn(|| Some(queue.pop(&mut pool)).filter(|&id| id != NONE)).collect();
        assert_eq!(order, [ids[2], ids[0], ids[3], ids[1]]);
    }

    #[test]
    fn times_go_with_their_operation_and_begin_anew_with_the_next() {
        let (mut pool, ids) = pool_of(3);
        assert!(pool.parts(ids[0]).is_none() && pool.noted_clock(ids[0]).is_none());
        for (&id, ns) in ids.iter().zip([7, 8, 9]) {
            pool.snapshot(id).add(Class::HostRead, ns);
            assert!(
                pool.parts(id).is_some_and(|parts| parts.total() == 0),
                "a wait that is not over is not blamed"
            );
            pool.parts_mut(id).add(Part::Buffer, ns);
        }
        let figures = |pool: &OpPool, id| {
            (pool.parts(id).map(Parts::total), pool.noted_clock(id).map(ClassClock::total))
        };
        assert_eq!(
            ids.iter().map(|&id| figures(&pool, id).0).collect::<Vec<_>>(),
            [Some(7), Some(8), Some(9)]
        );
        pool.remove(ids[1]);
        pool.remove(ids[0]);
        // Another operation has the number, and takes times of its own only where it needs them.
        let again = pool.insert(Op::new(Class::HostRead, Ppa(5)));
        assert_eq!((again, figures(&pool, again)), (ids[0], (None, None)));
        pool.parts_mut(again).add(Part::Buffer, 1);
        let copied = Op { ppa: Ppa(6), ..pool[ids[2]] };
        let other = pool.insert(copied);
        assert_eq!((other, figures(&pool, other)), (ids[1], (None, None)), "a copy has none of its model");
        assert_eq!((figures(&pool, again).0, figures(&pool, ids[2])), (Some(1), (Some(9), Some(9))));
        assert_eq!(pool.times.len(), 3, "those given back are used again");
    }

    #[test]
    fn chains_of_units_join_end_to_end() {
        let (mut pool, ids) = pool_of(4);
        pool.chain(ids[0], ids[1]);
        pool.chain(ids[2], ids[3]);
        pool.chain(ids[0], ids[2]);
        assert_eq!(pool.units(ids[0]).collect::<Vec<_>>(), ids);
    }
}
