//! Scheduling: what a die does next.

pub mod gates;
pub mod queue;
pub mod tiered;

use queue::{Fifo, OpPool};
pub use wordline_base::class;
use wordline_base::class::{CLASSES, Class};
use wordline_base::policies;
use wordline_base::time::Ns;
use wordline_config::SchemeConfig;
use wordline_config::scheme::SchedulerConfig;

pub use tiered::Tiered;

/// What waits at one die, read-only.
pub struct QueueView<'a> {
    /// The queues by class.
    pub queues: &'a [Fifo; CLASSES],
    /// Classes of which something may wait that the die may begin now, one bit each. Of the others nothing waits, or it
    /// waits behind a gate.
    pub waiting: u32,
    /// Classes that can't wait, one bit each: what empties a block that was read beyond its limit.
    pub urgent: u32,
    /// Where the operations are.
    pub pool: &'a OpPool,
    /// The time.
    pub now: Ns,
}

impl QueueView<'_> {
    /// The classes of which something may wait, in the order of their numbers.
    #[inline]
    pub fn waiting(&self) -> impl Iterator<Item = Class> + use<> {
        self.among((1 << CLASSES) - 1)
    }

    /// Those of them that are among these, one bit each.
    #[inline]
    pub fn among(&self, classes: u32) -> impl Iterator<Item = Class> + use<> {
        let mut left = self.waiting & classes & ((1 << CLASSES) - 1);
        std::iter::from_fn(move || {
            let class = Class::ALL.get(left.trailing_zeros() as usize).copied();
            left &= left.wrapping_sub(1);
            class
        })
    }

    /// Place in the order of arrival of the first command of a class; `None` if there is none.
    #[inline]
    pub fn order(&self, class: Class) -> Option<u64> {
        let queue = &self.queues[class.index()];
        (!queue.is_empty()).then(|| self.pool[queue.head].order)
    }

    /// Place in the order of arrival, and time of waiting, of the first command of a class; `None` behind a gate.
    #[inline]
    pub fn first(&self, class: Class) -> Option<(u64, Ns)> {
        let queue = &self.queues[class.index()];
        let open = self.waiting & (1 << class.index()) != 0;
        (open && !queue.is_empty()).then(|| {
            let op = &self.pool[queue.head];
            (op.order, self.now.since(op.arrived))
        })
    }
}

/// Chooses the class whose first command a free die takes, and whether reads interrupt.
///
/// A pure decision: it changes nothing. It must choose some class when anything waits that isn't behind a gate. A die with
/// cache operations asks before it is free, too: it begins what is chosen only if that can overlap what it does.
///
/// It is asked only when commands of at least two classes wait; one class that waits alone goes without a question. What waits behind a
/// closed gate isn't shown. The commands of one class go in order of arrival, and the engine joins to the first what can go with it. While a
/// program or erase is suspended reads of the host are served without a question, until none is left or `longest_suspension` is over. It must
///
/// - name a class for which something waits: any other answer breaks the run off;
/// - give the same answer for `suspends` each time: the engine asks once, as the scheduler is set, whether any class can be interrupted at all.
///   For a class of reads the answer is ignored;
/// - keep its state, if any, behind interior mutability.
pub trait Scheduler {
    /// The class to serve; `None` only when nothing waits.
    fn next(&self, view: &QueueView<'_>) -> Option<Class>;

    /// Whether a waiting read of the host should suspend a command of this class while so many units of writes wait for
    /// room in the data cache. The engine checks that the device can, that the bound on suspensions is kept and that more
    /// time is left than a suspension takes.
    fn suspends(&self, running: Class, waiting_writes: u32) -> bool;

    /// Longest that a suspended command may wait before it goes on although reads are waiting.
    fn longest_suspension(&self) -> Ns;

    /// Whether a command that waits goes before one that comes now, by their classes: an estimate of what a read would
    /// wait for, used where several copies could serve it.
    fn precedes(&self, _waiting: Class, _coming: Class) -> bool {
        true
    }

    wordline_base::state_methods!(Scheduler);
}

/// The built-in schedulers, and a user's own.
pub enum SchedulerPolicy {
    /// Tiers of classes, in order of arrival within each.
    Tiered(Tiered),
    /// A user's own.
    Custom(Box<dyn Scheduler + Send>),
}

impl SchedulerPolicy {
    /// The one that a scheme names.
    pub fn new(config: &SchedulerConfig) -> Self {
        Self::Tiered(Tiered::new(config))
    }

    /// The same, with read reclaim and orders by updates at the priorities that the scheme gives them.
    pub fn for_scheme(scheme: &SchemeConfig) -> Self {
        let mut policy = Tiered::new(&scheme.scheduler);
        if scheme.reclaim.is_on() {
            policy = policy.with_reclaim(scheme.reclaim.priority);
        }
        if scheme.astro.enabled {
            policy = policy.with_updates(scheme.astro.update_priority);
        }
        Self::Tiered(policy)
    }
}

impl Scheduler for SchedulerPolicy {
    #[inline]
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        match self {
            Self::Tiered(policy) => policy.next(view),
            Self::Custom(policy) => policy.next(view),
        }
    }

    fn suspends(&self, running: Class, waiting_writes: u32) -> bool {
        match self {
            Self::Tiered(policy) => policy.suspends(running, waiting_writes),
            Self::Custom(policy) => policy.suspends(running, waiting_writes),
        }
    }

    fn longest_suspension(&self) -> Ns {
        match self {
            Self::Tiered(policy) => policy.longest_suspension(),
            Self::Custom(policy) => policy.longest_suspension(),
        }
    }

    fn precedes(&self, waiting: Class, coming: Class) -> bool {
        match self {
            Self::Tiered(policy) => policy.precedes(waiting, coming),
            Self::Custom(policy) => policy.precedes(waiting, coming),
        }
    }
}

policies!(SchedulerPolicy, "scheduler", rebuilt: [Tiered], stored: []);
