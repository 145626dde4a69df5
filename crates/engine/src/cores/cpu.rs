//! The controller's processor: cores that firmware's work contends for.
//!
//! Work is taken on in the order in which it comes (FIFO) and runs to its end on one core: the one that is free first,
//! of several that are free the one of the lowest number. So when and where work runs is known the moment it comes.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use serde::{Deserialize, Serialize};

use crate::sched::queue::OpId;
use crate::stats::report::{CoreReport, CostReport, CpuReport};
use wordline_base::time::Ns;
use wordline_config::firmware::{CpuConfig, FirmwareConfig};

/// What firmware's work is for; each has its cost in `scheme.firmware`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Cost {
    /// A read request.
    ReadRequest,
    /// A write request.
    WriteRequest,
    /// A TRIM request.
    TrimRequest,
    /// A flush request.
    FlushRequest,
    /// A mapping unit looked up.
    Lookup,
    /// A mapping unit whose entry changes.
    MapUpdate,
    /// A mapping unit moved by the drive of its own.
    Move,
    /// A decision of a policy.
    Decision,
    /// A mapping unit that read reclaim sends to another block.
    Shuffle,
    /// A step of the search among the cached entries of the map.
    SearchStep,
}

/// Number of costs.
const COSTS: usize = 10;

impl Cost {
    const ALL: [Self; COSTS] = [
        Self::ReadRequest,
        Self::WriteRequest,
        Self::TrimRequest,
        Self::FlushRequest,
        Self::Lookup,
        Self::MapUpdate,
        Self::Move,
        Self::Decision,
        Self::Shuffle,
        Self::SearchStep,
    ];

    /// Its name in results: that of its key, without the unit.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadRequest => "read_request",
            Self::WriteRequest => "write_request",
            Self::TrimRequest => "trim_request",
            Self::FlushRequest => "flush_request",
            Self::Lookup => "lookup",
            Self::MapUpdate => "map_update",
            Self::Move => "move",
            Self::Decision => "decision",
            Self::Shuffle => "shuffle",
            Self::SearchStep => "search_step",
        }
    }

    fn of(self, costs: &FirmwareConfig) -> u64 {
        match self {
            Self::ReadRequest => costs.read_request_ns,
            Self::WriteRequest => costs.write_request_ns,
            Self::TrimRequest => costs.trim_request_ns,
            Self::FlushRequest => costs.flush_request_ns,
            Self::Lookup => costs.lookup_ns,
            Self::MapUpdate => costs.map_update_ns,
            Self::Move => costs.move_ns,
            Self::Decision => costs.decision_ns,
            Self::Shuffle => costs.shuffle_ns,
            Self::SearchStep => costs.search_step_ns,
        }
    }
}

/// Work of one kind and how often it is done.
pub(super) type Work = (Cost, u64);

/// What goes on when firmware has done its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Task {
    /// A request enters the flash queues.
    Request(u32),
    /// The programs of moved flash pages are queued: this head and those linked behind it.
    Programs(OpId),
    /// A page that a plan moves gets the place that the placement chooses.
    Place(OpId),
}

/// When work runs on a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Booking {
    /// When the core takes it.
    pub begin: Ns,
    /// When it is done.
    pub end: Ns,
}

/// A core: when the work that it took on last is done, and all its work so far, ns.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Core {
    free_at: Ns,
    booked: u64,
    /// Work done when the window opened.
    base: u64,
}

impl Core {
    /// Work done by `now`, ns. What is booked beyond it fills the core without a gap.
    fn done(&self, now: Ns) -> u64 {
        self.booked - self.free_at.since(now).0
    }
}

/// The controller's processor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cpu {
    costs: [u64; COSTS],
    is_on: bool,
    cores: Vec<Core>,
    /// Tasks whose work is not done: its end, the order of coming, and the task.
    tasks: BinaryHeap<Reverse<(Ns, u64, Task)>>,
    order: u64,
    /// By queue, when the task that was put there last is done: tasks of a queue keep their order.
    queues: Vec<Ns>,
    /// In the window: how often each kind of work was taken on.
    counts: [u64; COSTS],
}

impl Cpu {
    /// Idle cores. Tasks that must keep their order have one of `queues`.
    pub fn new(config: &CpuConfig, costs: &FirmwareConfig, queues: usize) -> Self {
        let costs = Cost::ALL.map(|cost| cost.of(costs));
        Self {
            costs,
            is_on: costs.iter().any(|&cost| cost > 0),
            cores: vec![Core::default(); config.cores.max(1) as usize],
            tasks: BinaryHeap::new(),
            order: 0,
            queues: if costs[Cost::Move as usize] > 0 { vec![Ns::ZERO; queues] } else { Vec::new() },
            counts: [0; COSTS],
        }
    }

    /// Whether any work takes time.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Work that comes now; `None` when it takes no time, which needs no core.
    pub fn book(&mut self, now: Ns, work: &[Work]) -> Option<Booking> {
        let time = work
            .iter()
            .fold(0u64, |sum, &(cost, n)| sum.saturating_add(self.costs[cost as usize].saturating_mul(n)));
        if time == 0 {
            return None;
        }
        for &(cost, n) in work {
            self.counts[cost as usize] += n;
        }
        let core = self.cores.iter_mut().min_by_key(|core| core.free_at.max(now))?;
        let begin = core.free_at.max(now);
        core.free_at = begin + Ns(time);
        core.booked += time;
        Some(Booking { begin, end: core.free_at })
    }

    /// `task` goes on at `end`. Returns when the first task is done, if that is this one.
    #[must_use = "who keeps the time must know"]
    pub fn after(&mut self, end: Ns, task: Task) -> Option<Ns> {
        let is_first = self.first_end().is_none_or(|first| end < first);
        self.order += 1;
        self.tasks.push(Reverse((end, self.order, task)));
        is_first.then_some(end)
    }

    /// The same, no earlier than the tasks that were put into this queue before.
    #[must_use = "who keeps the time must know"]
    pub fn after_in_queue(&mut self, queue: usize, end: Ns, task: Task) -> Option<Ns> {
        let last = self.queues.get_mut(queue);
        let end = last.map_or(end, |last| {
            *last = end.max(*last);
            *last
        });
        self.after(end, task)
    }

    /// When the first task's work is done.
    pub fn first_end(&self) -> Option<Ns> {
        self.tasks.peek().map(|&Reverse((end, _, _))| end)
    }

    /// Takes the task whose work is done first.
    pub fn take_task(&mut self) -> Option<Task> {
        let Reverse((_, _, task)) = self.tasks.pop()?;
        Some(task)
    }

    /// The window opens.
    pub fn open_window(&mut self, now: Ns) {
        self.counts = [0; COSTS];
        for core in &mut self.cores {
            core.base = core.done(now);
        }
    }

    /// What the cores did in the window, which ends now; `None` where no work takes time.
    pub fn report(&self, now: Ns) -> Option<CpuReport> {
        if !self.is_on {
            return None;
        }
        let core = |core: &Core| CoreReport { busy_ns: core.done(now) - core.base };
        let by_cost = |cost: &Cost| {
            let (each, count) = (self.costs[*cost as usize], self.counts[*cost as usize]);
            (cost.name().to_owned(), CostReport { count, total_ns: each.saturating_mul(count) })
        };
        let named: BTreeMap<_, _> =
            Cost::ALL.iter().filter(|&&cost| self.costs[cost as usize] > 0).map(by_cost).collect();
        Some(CpuReport { cores: self.cores.iter().map(core).collect(), by_cost: named })
    }
}
