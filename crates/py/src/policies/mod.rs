//! Policies that are written in Python. Schemes name them as `custom.python_SLOT`, with the key `class`
//! (`module:Class`); further keys are the class's parameters. `wordline/policies.py` makes the objects and says what each
//! slot's class must have; here they are asked.
//!
//! The engine's traits can't fail. So what a policy raises is kept, the policy is asked no more, and the watch over the run
//! ([`crate::watch::Watch`]) stops it and raises that instead.

pub mod drive;
mod mapping;
mod placement;
mod scheduler;
mod separation;
mod system;
mod victims;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use wordline_engine::blocks::BlockState;
use wordline_engine::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_engine::config::ConfigError;
use wordline_engine::custom::CustomPolicy;

use crate::error::mistake;
use crate::raised::{has_raised, raise};

/// One for each slot that Python may fill.
pub fn all() -> Vec<CustomPolicy> {
    vec![
        CustomPolicy::victims("python_gc", |table, seed| {
            Ok(Box::new(victims::Victims::new(Policy::load("gc", &table, seed)?)))
        }),
        CustomPolicy::placement("python_placement", |table, seed| {
            Ok(Box::new(placement::Planes(Policy::load("placement", &table, seed)?)))
        }),
        CustomPolicy::scheduler("python_scheduler", |table, seed| {
            Ok(Box::new(scheduler::Classes::new(Policy::load("scheduler", &table, seed)?)))
        }),
        CustomPolicy::separation("python_separation", |table, seed| {
            Ok(Box::new(separation::Points(Policy::load("separation", &table, seed)?)))
        }),
        CustomPolicy::mapping("python_mapping", |table, seed| {
            Ok(Box::new(mapping::Entries::new(Policy::load("mapping", &table, seed)?)))
        }),
        CustomPolicy::system("python_system", &[], |table, seed| {
            Ok(Box::new(system::Asked::new(Policy::load("system", &table, seed)?)))
        }),
    ]
}

/// A policy's object, in the form that `wordline.policies.load` gives it.
pub struct Policy(Py<PyAny>);

impl Policy {
    fn load(slot: &str, table: &toml::Table, seed: u64) -> Result<Self, ConfigError> {
        let shown = |key: &str| table.get(key).map_or_else(|| "nothing".to_owned(), ToString::to_string);
        let refused = |allowed: String| ConfigError::new("class", shown("class"), allowed);
        let text = serde_json::to_string(table).map_err(|error| refused(error.to_string()))?;
        Python::attach(|py| {
            let module = py.import("wordline.policies")?;
            let object = module.call_method1("load", (slot, text, seed))?;
            Ok(Self(object.unbind()))
        })
        .map_err(|error: PyErr| Python::attach(|py| refused(error.value(py).to_string())))
    }

    /// The same object.
    fn shared(&self) -> Py<PyAny> {
        Python::attach(|py| self.0.clone_ref(py))
    }

    /// Asks a method. What it raises, an answer of another kind included, is kept; `None` then, and in all calls after it.
    fn ask<T: for<'py> FromPyObjectOwned<'py>>(
        &self,
        method: &str,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
    ) -> Option<T> {
        if has_raised() {
            return None;
        }
        Python::attach(|py| {
            // Python finds a method by an interned name without a search through the class.
            let asked = arguments(py)
                .and_then(|all| self.0.bind(py).call_method1(PyString::intern(py, method), all))
                .and_then(|answer| answer.extract::<T>().map_err(Into::into));
            asked.map_err(|error| raise(self.told(py, method, error))).ok()
        })
    }

    /// What went wrong with a question, as the package's exception that names the place in the policy's file. What only ends
    /// programs (Ctrl-C while Python is asked) stays what it is.
    fn told(&self, py: Python<'_>, method: &str, error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let told = self.0.bind(py).call_method1("what_went_wrong", (method, &error));
        let whole = mistake(told.and_then(|told| told.extract()).unwrap_or_else(|_| error.to_string()));
        whole.set_cause(py, Some(error));
        whole
    }

    /// Keeps that an answer, which the simulator read, is wrong.
    fn refuse(&self, method: &str, what: String) {
        Python::attach(|py| raise(self.told(py, method, mistake(what))));
    }

    fn state(&self) -> Vec<u8> {
        self.ask("save", |py| Ok(PyTuple::empty(py))).unwrap_or_default()
    }

    fn take_up(&self, state: &[u8]) -> Result<(), String> {
        Python::attach(|py| {
            let restored = self.0.bind(py).call_method1("restore", (state,));
            restored.map(|_| ()).map_err(|error| self.told(py, "restore", error).value(py).to_string())
        })
    }

    fn copied(&self) -> Option<Self> {
        Python::attach(|py| {
            let copy = self.0.bind(py).call_method0("fork").map(Bound::unbind);
            copy.map_err(|error| raise(self.told(py, "fork", error))).ok().map(Self)
        })
    }
}

/// The state of a policy and its copies, which all slots have alike.
macro_rules! state {
    ($slot:path, $field:tt, $whole:expr) => {
        fn save(&self) -> Vec<u8> {
            self.$field.state()
        }

        fn restore(&mut self, state: &[u8]) -> Result<(), String> {
            self.$field.take_up(state)
        }

        fn fork(&self) -> Option<Box<dyn $slot + Send>> {
            let whole: fn(&Self, $crate::policies::Policy) -> Self = $whole;
            self.$field.copied().map(|policy| Box::new(whole(self, policy)) as Box<dyn $slot + Send>)
        }
    };
}
use state;

/// Counts as NumPy reads them: signed and of 64 bits, so that a difference of two of them can't wrap.
fn bytes_of(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    numbers.flat_map(|number| i64::from(number).to_ne_bytes()).collect()
}

/// The superblocks of a domain, as `wordline.policies.blocks` takes them.
fn blocks<'py>(py: Python<'py>, view: &BlockView<'_>) -> PyResult<Bound<'py, PyTuple>> {
    let bytes = |column: Vec<u8>| PyBytes::new(py, &column);
    let full = view.state.iter().map(|state| u8::from(*state == BlockState::Full)).collect();
    (
        view.first.0,
        view.capacity,
        view.most_valid,
        view.clock,
        bytes(bytes_of(view.valid.iter().map(|valid| valid & !NOT_A_CANDIDATE))),
        bytes(full),
        bytes(bytes_of(view.erases.iter().copied())),
        bytes(bytes_of(view.full_order.iter().copied())),
        // Units written: as many as 63 bits count take longer than any run.
        bytes(view.changed.iter().flat_map(|changed| changed.cast_signed().to_ne_bytes()).collect()),
    )
        .into_pyobject(py)
}
