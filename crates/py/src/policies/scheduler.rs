//! What a die does next, by a class in Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use wordline_engine::sched::class::{Class, FlashOp};
use wordline_engine::sched::{QueueView, Scheduler};
use wordline_engine::time::Ns;

use super::{Policy, state};

/// Asks `next(waiting, now_ns)` for the name of a class. What depends on nothing that waits is asked once.
pub struct Classes {
    policy: Policy,
    /// Names of all classes, made once: this is asked for each command.
    names: Arc<[Py<PyString>]>,
    /// Classes that reads of the host suspend, one bit each.
    suspended: u32,
    longest_suspension: Ns,
}

impl Classes {
    pub fn new(policy: Policy) -> Self {
        let asked = policy.ask::<Vec<String>>("suspends", |py| Ok(PyTuple::empty(py))).unwrap_or_default();
        let can_be = Class::ALL.iter().filter(|class| class.op() != FlashOp::Read);
        let all: Vec<&str> = can_be.map(|class| class.name()).collect();
        if let Some(unknown) = asked.iter().find(|name| !all.contains(&name.as_str())) {
            policy.refuse("suspends", format!("suspends '{unknown}': allowed: {}", all.join(", ")));
        }
        let among = |class: &Class| asked.iter().any(|name| name == class.name());
        let suspended = Class::ALL.iter().filter(|class| among(class)).map(|class| 1 << class.index()).sum();
        let longest_suspension =
            Ns(policy.ask("longest_suspension_ns", |py| Ok(PyTuple::empty(py))).unwrap_or(u64::MAX));
        let names = Python::attach(|py| {
            Class::ALL.iter().map(|class| PyString::intern(py, class.name()).unbind()).collect()
        });
        Self { policy, names, suspended, longest_suspension }
    }
}

impl Scheduler for Classes {
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        let waiting: Vec<(Class, u64, Ns)> = view
            .waiting()
            .filter_map(|class| view.first(class).map(|(order, waited)| (class, order, waited)))
            .collect();
        let (first, ..) = waiting.first()?;
        let name: Option<String> = self.policy.ask("next", |py| {
            let name = |class: &Class| self.names.get(class.index());
            let shown: Vec<(Option<&Py<PyString>>, u64, u64)> =
                waiting.iter().map(|(class, order, waited)| (name(class), *order, waited.0)).collect();
            (shown, view.now.0).into_pyobject(py)
        });
        // `wordline.policies` lets only names pass that wait.
        let chosen = name.and_then(|name| waiting.iter().find(|(class, ..)| class.name() == name));
        Some(chosen.map_or(*first, |(class, ..)| *class))
    }

    fn suspends(&self, running: Class, _waiting_writes: u32) -> bool {
        self.suspended & (1 << running.index()) != 0
    }

    fn longest_suspension(&self) -> Ns {
        self.longest_suspension
    }

    state!(Scheduler, policy, |this, policy| Self {
        policy,
        names: this.names.clone(),
        suspended: this.suspended,
        longest_suspension: this.longest_suspension,
    });
}
