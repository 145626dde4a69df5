//! Address translation by a class in Python.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use wordline_engine::ids::{Lpa, Ppa};
use wordline_engine::mapping::{Found, Lookup, MapSizes, MapView, Mapping, Update, WriteBack};

use super::{Policy, state};
use crate::raised::answered;

/// Asks `find(lookup)`, and tells what else the class has methods for.
pub struct Entries {
    policy: Policy,
    /// Whether it has `loaded`, `updated`, `erased`, `wrong_guess`.
    told: [bool; 4],
    /// The page of which `find` knew no place last.
    unknown: Option<Lpa>,
}

/// Translation pages to be written, and whether all their entries are in DRAM.
type Writes = Vec<(u32, bool)>;

impl Entries {
    /// Of this policy.
    pub fn new(policy: Policy) -> Self {
        let told = policy.ask("told", |py| Ok(PyTuple::empty(py))).unwrap_or_default();
        Self { policy, told, unknown: None }
    }

    fn ask_writes(
        &self,
        method: &str,
        writes: &mut Vec<WriteBack>,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
    ) {
        let asked: Writes = self.policy.ask(method, arguments).unwrap_or_default();
        writes.extend(asked.into_iter().map(|(page, whole)| WriteBack { page, whole }));
    }
}

/// Counts of the map, as `wordline.policies.MapSizes` takes them.
fn sizes(sizes: &MapSizes) -> (u32, u32, u32, u32) {
    (sizes.logical_units, sizes.physical_units, sizes.translation_pages, sizes.entries_per_page)
}

/// A look-up, as `wordline.policies.Lookup` takes it.
type Asked = (u32, bool, Option<u32>, u32, Option<u16>, (u32, u32, u32, u32));

/// That of a page which is here.
fn asked(lookup: &Lookup, here: Ppa, view: &MapView<'_>) -> Asked {
    (lookup.lpa.0, lookup.write, place(here), lookup.units, lookup.flow, sizes(&view.sizes))
}

/// A place, unless it is none.
fn place(ppa: Ppa) -> Option<u32> {
    ppa.is_some().then_some(ppa.0)
}

impl Mapping for Entries {
    fn name(&self) -> &'static str {
        "python_mapping"
    }

    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        let here = view.find(lookup.lpa);
        let answer: Option<(u8, u32)> =
            self.policy.ask("find", |py| (asked(lookup, here, view),).into_pyobject(py));
        let found = match answer {
            Some((1, page)) => Found::Load(page),
            Some((2, place)) => Found::Guess(Ppa(place)),
            _ => Found::Known(here),
        };
        let is_unknown = !matches!(found, Found::Known(_));
        if is_unknown && self.unknown.replace(lookup.lpa) == Some(lookup.lpa) {
            // The engine ends a run for that.
            answered(
                "the mapping answered".to_owned(),
                self.policy.shared(),
                "find",
                " for a page that was loaded",
            );
        }
        found
    }

    fn loaded(&mut self, page: u32, lookup: &Lookup, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if self.told[0] {
            let here = view.find(lookup.lpa);
            self.ask_writes("loaded", writes, |py| (page, asked(lookup, here, view)).into_pyobject(py));
        }
    }

    fn updated(&mut self, update: &Update, view: &MapView<'_>, writes: &mut Vec<WriteBack>) {
        if self.told[1] {
            self.ask_writes("updated", writes, |py| {
                let (old, new) = (place(update.old), place(update.new));
                (update.lpa.0, old, new, update.cause.name(), sizes(&view.sizes)).into_pyobject(py)
            });
        }
    }

    fn erased(&mut self, writes: &mut Vec<WriteBack>) {
        if self.told[2] {
            self.ask_writes("erased", writes, |py| Ok(PyTuple::empty(py)));
        }
    }

    fn wrong_guess(&mut self, lpa: Lpa, guessed: Ppa, found: Lpa) {
        if self.told[3] {
            let found = found.is_some().then_some(found.0);
            let _: Option<bool> =
                self.policy.ask("wrong_guess", |py| (lpa.0, guessed.0, found).into_pyobject(py));
        }
    }

    fn cached_entries(&self) -> u64 {
        self.policy.ask("cached_entries", |py| Ok(PyTuple::empty(py))).unwrap_or(0)
    }

    fn dirty_entries(&self) -> u64 {
        self.policy.ask("dirty_entries", |py| Ok(PyTuple::empty(py))).unwrap_or(0)
    }

    fn bytes(&self) -> u64 {
        self.policy.ask("memory_bytes", |py| Ok(PyTuple::empty(py))).unwrap_or(0)
    }

    state!(Mapping, policy, |this, policy| Self { policy, told: this.told, unknown: this.unknown });
}
