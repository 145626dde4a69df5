//! Systems by a class in Python. It is told of what it has methods for, so that nothing else costs anything.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wordline_engine::ids::{DieId, PlaneId, Ppa};
use wordline_engine::placement::{PlaneSet, ProgramIntent};
use wordline_engine::reclaim::WornBlock;
use wordline_engine::replicate::{CopyBudget, Reservation, Serving};
use wordline_engine::sched::class::Class;
use wordline_engine::systems::{
    Action, AllowedPlanes, DriveView, Event, Figure, Plan, ReadEvent, System, Watches,
};

use super::drive::{self, showing};
use super::{Policy, state};
use crate::raised::answered;

/// What is watched for the sake of each method.
const WATCHED: [(&str, Watches); 11] = [
    ("read", Watches::READ),
    ("read_done", Watches::READ_DONE),
    ("written", Watches::WRITTEN),
    ("moved", Watches::MOVED),
    ("trimmed", Watches::TRIMMED),
    ("invalidated", Watches::INVALIDATED),
    ("collected", Watches::COLLECTED),
    ("erased", Watches::ERASED),
    ("idle", Watches::IDLE),
    ("reclaim", Watches::RECLAIM),
    ("allowed_planes", Watches::PLACEMENT),
];

/// What a class says of itself when it is made.
#[derive(FromPyObject)]
struct Described {
    name: String,
    methods: Vec<String>,
    most_copies: Option<u32>,
    reserved_dies: Vec<u32>,
    reserved_blocks: f64,
}

/// Asks the methods that the class has.
pub struct Asked {
    policy: Policy,
    name: String,
    methods: BTreeSet<String>,
    most_copies: Option<u32>,
    reservation: Reservation,
}

/// A place, or nothing.
fn known(ppa: Ppa) -> Option<u32> {
    ppa.is_some().then_some(ppa.0)
}

impl Asked {
    pub fn new(policy: Policy) -> Self {
        let classes: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        let described = policy.ask::<Described>("describe", |py| (classes,).into_pyobject(py));
        let described = described.unwrap_or(Described {
            name: String::new(),
            methods: Vec::new(),
            most_copies: None,
            reserved_dies: Vec::new(),
            reserved_blocks: 0.0,
        });
        let dies = described.reserved_dies.into_iter().map(DieId).collect();
        Self {
            policy,
            name: described.name,
            methods: described.methods.into_iter().collect(),
            most_copies: described.most_copies,
            reservation: Reservation { dies, blocks: described.reserved_blocks },
        }
    }

    fn has(&self, method: &str) -> bool {
        self.methods.contains(method)
    }

    /// Asks a method that gets the drive as its last argument.
    fn ask<T: for<'py> pyo3::conversion::FromPyObjectOwned<'py>>(
        &self,
        method: &str,
        view: &DriveView<'_>,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) -> Option<T> {
        showing(view, || {
            self.policy.ask(method, |py| {
                let mut all = arguments(py)?;
                all.push(Bound::new(py, drive::DriveView)?.into_any());
                PyTuple::new(py, all)
            })
        })
    }

    /// Tells of an event; the answer is a list of actions as JSON, or nothing.
    fn tell(
        &self,
        method: &'static str,
        view: &DriveView<'_>,
        actions: &mut Vec<Action>,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>>,
    ) {
        if !self.has(method) {
            return;
        }
        if let Some(text) = self.ask::<Option<String>>(method, view, arguments).flatten() {
            actions.extend(self.read_as::<Vec<Action>>(method, &text).unwrap_or_default());
            self.note_answer(method);
        }
    }

    /// The engine names the system of an action that it refuses.
    fn note_answer(&self, method: &'static str) {
        answered(format!("the system {}", self.name), self.policy.shared(), method, "");
    }

    /// What `wordline.policies` made of an answer.
    fn read_as<T: serde::de::DeserializeOwned>(&self, method: &str, text: &str) -> Option<T> {
        let read = serde_json::from_str(text);
        read.map_err(|error| self.policy.refuse(method, format!("{method}() = {text}: {error}"))).ok()
    }
}

/// Values as arguments.
macro_rules! arguments {
    () => { |_| Ok(Vec::new()) };
    ($($value:expr),+) => { |py| Ok(vec![$($value.into_bound_py_any(py)?),+]) };
}

/// A read as `wordline.policies` takes it.
fn shown(read: &ReadEvent) -> (u32, u32, u32, u16, bool) {
    (read.lpa.0, read.ppa.0, read.die.0, read.flow, read.joins)
}

/// A name that lives as long as the process: few, and the same ones again.
fn kept(name: String) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name.as_str()) {
        return known;
    }
    let name = Box::leak(name.into_boxed_str());
    names.insert(name);
    name
}

impl System for Asked {
    fn name(&self) -> &str {
        &self.name
    }

    fn watches(&self) -> Watches {
        let watched = WATCHED.iter().filter(|(method, _)| self.has(method));
        watched.fold(Watches::NOTHING, |all, (_, watches)| all.and(*watches))
    }

    fn allowed_planes(
        &mut self,
        program: &ProgramIntent,
        view: &DriveView<'_>,
        planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        let told = (program.lpa.0, program.cause.name(), known(program.source), program.stream);
        let among: Option<Option<Vec<u32>>> = self.ask("allowed_planes", view, arguments!(told));
        let Some(among) = among.flatten() else { return AllowedPlanes::All };
        among.into_iter().for_each(|plane| planes.insert(PlaneId(plane)));
        AllowedPlanes::Listed
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Read(read) => self.tell("read", drive, actions, arguments!(shown(&read))),
            Event::ReadDone(read) => self.tell("read_done", drive, actions, arguments!(shown(&read))),
            Event::Written { lpa, old, new } => {
                self.tell("written", drive, actions, arguments!(lpa.0, known(old), new.0));
            }
            Event::Moved { lpa, old, new, cause } => {
                self.tell("moved", drive, actions, arguments!(lpa.0, old.0, new.0, cause.name()));
            }
            Event::Trimmed { lpa, old } => self.tell("trimmed", drive, actions, arguments!(lpa.0, old.0)),
            Event::Invalidated(ppa) => self.tell("invalidated", drive, actions, arguments!(ppa.0)),
            Event::Collected(superblock) => {
                self.tell("collected", drive, actions, arguments!(superblock.0));
            }
            Event::Erased(superblock) => self.tell("erased", drive, actions, arguments!(superblock.0)),
            Event::Idle => self.tell("idle", drive, actions, arguments!()),
            Event::Woken => self.tell("woken", drive, actions, arguments!()),
            Event::PlanDone(number) => self.tell("plan_done", drive, actions, arguments!(number)),
            Event::Copied { lpa, ppa } => self.tell("copied", drive, actions, arguments!(lpa.0, ppa.0)),
            Event::CopyMoved { lpa, old, new } => {
                self.tell("copy_moved", drive, actions, arguments!(lpa.0, old.0, new.0));
            }
            Event::CopyDropped { lpa, ppa, why } => {
                self.tell("copy_dropped", drive, actions, arguments!(lpa.0, known(ppa), why.name()));
            }
            _ => {}
        }
    }

    fn reclaim(&mut self, worn: &WornBlock, view: &DriveView<'_>) -> Option<Plan> {
        let told = (worn.superblock.0, worn.plane.0, worn.block, worn.ppa.0, worn.reads);
        let text: Option<String> = self.ask::<Option<String>>("reclaim", view, arguments!(told)).flatten();
        let plan = self.read_as("reclaim", &text?);
        self.note_answer("reclaim");
        plan
    }

    fn copies(&self) -> CopyBudget {
        self.most_copies.map_or(CopyBudget::None, CopyBudget::Units)
    }

    fn reservation(&self) -> Reservation {
        self.reservation.clone()
    }

    fn serve(&mut self, read: &Serving<'_>, view: &DriveView<'_>) -> Option<usize> {
        if !self.has("serve") {
            return None;
        }
        let candidates: Vec<_> = read
            .candidates
            .iter()
            .map(|one| {
                let running = one.running.map(|class| class.name());
                let times = (one.remaining.0, one.ahead.0);
                (one.ppa.0, one.die.0, one.outstanding, running, times, one.here)
            })
            .collect();
        self.ask::<Option<usize>>("serve", view, arguments!(read.lpa.0, candidates)).flatten()
    }

    fn bytes(&self) -> u64 {
        self.policy.ask("bytes", |py| Ok(PyTuple::empty(py))).unwrap_or(0)
    }

    fn figures(&self) -> Vec<Figure> {
        let figures: Option<Vec<(String, u64)>> = self.policy.ask("figures", |py| Ok(PyTuple::empty(py)));
        figures.unwrap_or_default().into_iter().map(|(name, value)| (kept(name), value)).collect()
    }

    fn window_opens(&mut self) {
        if self.has("window_opens") {
            self.policy.ask::<Option<bool>>("window_opens", |py| Ok(PyTuple::empty(py)));
        }
    }

    state!(System, policy, |this, policy| Self {
        policy,
        name: this.name.clone(),
        methods: this.methods.clone(),
        most_copies: this.most_copies,
        reservation: this.reservation.clone(),
    });
}
