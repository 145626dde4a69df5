//! Schedulers of the host: which waiting request enters the drive next, when the drive takes a bounded number at once.

mod fios;
mod paq;
mod piq;

pub use fios::Fios;
pub use paq::Paq;
pub use piq::Piq;

use serde::{Deserialize, Serialize};

use wordline_base::ids::DieId;
use wordline_base::policies;
use wordline_base::request::HostOp;
use wordline_base::snapshot::Stored;
use wordline_base::time::Ns;
use wordline_config::host::{FlowRules, HostSchedulerConfig, HostSchedulerKind};

/// A request that waits at the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Number that no other request has; a later arrival in the same flow has a higher one.
    pub order: u64,
    /// Its flow.
    pub flow: u16,
    /// What it does.
    pub op: HostOp,
    /// Its bytes.
    pub length: u64,
    /// When it arrived at its queue.
    pub arrival: Ns,
    /// The die of its first page, if it reads a page that holds data. Where a write will go is not known before the
    /// drive has placed it.
    pub die: Option<DieId>,
}

/// What a scheduler sees.
#[derive(Clone, Copy)]
pub struct HostView<'a> {
    /// The time.
    pub now: Ns,
    /// The oldest waiting requests of every flow, in order of arrival, of those that the drive would take. Never empty.
    pub waiting: &'a [Waiting],
    /// Requests that wait likewise and that the drive doesn't take now.
    pub held: &'a [Waiting],
    /// Flash pages that wait or run on each die, or requests sent to it, whichever is more.
    pub die_load: &'a [u32],
}

/// A request that the drive has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answered {
    /// Its flow.
    pub flow: u16,
    /// What it did.
    pub op: HostOp,
    /// When it entered the drive.
    pub entered: Ns,
    /// Requests inside the drive when it entered, itself included.
    pub inside: u32,
    /// The time.
    pub now: Ns,
}

/// A scheduler's decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This place of [`HostView::waiting`] enters now. A place that there isn't stands for the oldest.
    Take(usize),
    /// Nothing enters before this time, unless a request arrives or is answered earlier: then it is asked again. A
    /// time that has come stands for "the oldest".
    WaitUntil(Ns),
}

/// Chooses among waiting requests.
///
/// It is asked whenever the drive could take a request and one waits. It decides on what it sees and its own state
/// alone: no clock, no chance but from a named stream ([`wordline_base::rng::stream`]). It need not care for starvation: a
/// request that `host.max_overtakes` others have passed goes without a question.
pub trait HostScheduler {
    /// The next request to enter.
    fn choose(&mut self, view: &HostView<'_>) -> Choice;

    /// A request was answered.
    fn answered(&mut self, _request: &Answered) {}

    /// Whether it looks at dies: finding them takes a lookup of each waiting request.
    fn sees_dies(&self) -> bool {
        true
    }

    wordline_base::state_methods!(HostScheduler);
}

/// The built-in schedulers, and a user's own.
pub enum HostPolicy {
    /// None: the arbitration chooses.
    None,
    /// Parallel issue queueing.
    Piq(Piq),
    /// Fair timeslices.
    Fios(Fios),
    /// Physically addressed queueing.
    Paq(Paq),
    /// A user's own.
    Custom(Box<dyn HostScheduler + Send>),
}

impl HostPolicy {
    /// The scheduler of a description, for these flows.
    pub fn new(config: &HostSchedulerConfig, flows: &[FlowRules]) -> Self {
        match config.kind {
            HostSchedulerKind::None => Self::None,
            HostSchedulerKind::Piq => Self::Piq(Piq::default()),
            HostSchedulerKind::Fios => Self::Fios(Fios::new(config, flows.iter().map(|flow| flow.weight))),
            HostSchedulerKind::Paq => Self::Paq(Paq),
        }
    }

    /// Whether the arbitration chooses.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl HostScheduler for HostPolicy {
    fn choose(&mut self, view: &HostView<'_>) -> Choice {
        match self {
            Self::None => Choice::Take(0),
            Self::Piq(policy) => policy.choose(view),
            Self::Fios(policy) => policy.choose(view),
            Self::Paq(policy) => policy.choose(view),
            Self::Custom(policy) => policy.choose(view),
        }
    }

    fn answered(&mut self, request: &Answered) {
        match self {
            Self::Fios(policy) => policy.answered(request),
            Self::Custom(policy) => policy.answered(request),
            Self::None | Self::Piq(_) | Self::Paq(_) => {}
        }
    }

    fn sees_dies(&self) -> bool {
        match self {
            Self::Piq(_) | Self::Paq(_) => true,
            Self::None | Self::Fios(_) => false,
            Self::Custom(policy) => policy.sees_dies(),
        }
    }
}

policies!(HostPolicy, "scheduler of the host", none: [None], rebuilt: [Paq], stored: [Piq, Fios]);

impl Stored for Piq {}
impl Stored for Fios {}

#[cfg(test)]
pub(crate) mod made {
    //! Waiting requests in one line.
    use super::*;

    pub fn waiting(order: u64, flow: u16, op: HostOp, die: Option<u32>) -> Waiting {
        Waiting { order, flow, op, length: 4096, arrival: Ns(order), die: die.map(DieId) }
    }

    pub fn read(order: u64, die: u32) -> Waiting {
        waiting(order, 0, HostOp::Read, Some(die))
    }

    pub fn write(order: u64) -> Waiting {
        waiting(order, 0, HostOp::Write, None)
    }

    /// Orders in which all of these enter, each choice made on what is left.
    pub fn drained(
        scheduler: &mut dyn HostScheduler,
        mut waiting: Vec<Waiting>,
        die_load: &[u32],
    ) -> Vec<u64> {
        let mut taken = Vec::new();
        while !waiting.is_empty() {
            let view = HostView { now: Ns(1000), waiting: &waiting, held: &[], die_load };
            let Choice::Take(place) = scheduler.choose(&view) else { panic!("it waits") };
            taken.push(waiting.remove(place).order);
        }
        taken
    }
}
