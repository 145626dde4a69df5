//! A drive that Python holds: runs begin on copies of it, or it is asked request by request.

mod columns;
mod numbers;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use wordline_drive::{Drive as Embedded, Error, PowerLoss, Request};
use wordline_engine::device::Device;
use wordline_engine::{Kept, Setup};

use crate::describe::{Overrides, Text};
use crate::error::mistake;
use crate::files::{StateFile, at};
use crate::guard::guarded;
use crate::raised::{placed, take as raised};
use columns::{Columns, completions_of, requests_of};
use numbers::{op_of, whole};

/// A simulated drive.
#[pyclass(frozen, module = "wordline._core")]
pub struct Drive(Mutex<Held>);

/// The drive, and what a policy in Python raised, with which nothing more can be asked of it.
struct Held {
    drive: Embedded,
    raised: Option<String>,
}

/// Why there is no drive for a scheme with an array.
pub fn no_array() -> PyErr {
    mistake("scheme.array: allowed for a drive that is prepared beforehand: left out, as it is one drive")
}

/// Why a drive that was asked something is none for a run.
fn is_used() -> PyErr {
    mistake(
        "the drive was advanced or has requests: allowed for a run and for `save`: one as it was prepared (`snapshot` keeps any)",
    )
}

impl Held {
    /// What runs begin on copies of.
    fn prepared(&self) -> PyResult<&Device> {
        match self.drive.setup().scheme.array {
            Some(_) => Err(no_array()),
            None => self.drive.prepared_device().ok_or_else(is_used),
        }
    }

    /// Asks the drive something; an error of the drive or of a policy in Python is one of Python's.
    fn ask<T>(&mut self, ask: impl FnOnce(&mut Embedded) -> Result<T, Error>) -> PyResult<T> {
        self.check_sound()?;
        guarded(|| {
            let answer = ask(&mut self.drive).map_err(|error| placed(mistake(error)));
            match raised() {
                None => answer,
                Some(error) => {
                    self.raised = Some(error.to_string());
                    Err(error)
                }
            }
        })
    }

    /// Asks what changes nothing: the drive goes on where a policy in Python can't be copied or stored.
    fn look<T>(&self, look: impl FnOnce(&Embedded) -> Result<T, Error>) -> PyResult<T> {
        self.check_sound()?;
        guarded(|| {
            let answer = look(&self.drive).map_err(mistake);
            raised().map_or(answer, Err)
        })
    }

    fn check_sound(&self) -> PyResult<()> {
        self.raised.as_ref().map_or(Ok(()), |raised| Err(mistake(raised)))
    }
}

impl Drive {
    /// A drive for Python.
    pub fn of(drive: Embedded) -> Self {
        Self(Mutex::new(Held { drive, raised: None }))
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy for a run that would prepare the same drive.
    pub fn copy_for(&self, setup: &Setup) -> PyResult<Device> {
        let held = self.held();
        match setup.differs_from_drive_of(held.drive.setup()).map_err(mistake)? {
            None => held.prepared()?.fork().map_err(|error| raised().unwrap_or_else(|| mistake(error))),
            Some(key) => {
                Err(mistake(format_args!("the drive was prepared with another configuration: {key}")))
            }
        }
    }

    /// Asks for what takes no time, without letting go of Python unless another thread has the drive.
    fn at_once<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut Embedded) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        match self.0.try_lock() {
            Ok(mut held) => held.ask(ask),
            Err(TryLockError::Poisoned(held)) => held.into_inner().ask(ask),
            // That thread may need Python to go on.
            Err(TryLockError::WouldBlock) => self.meanwhile(py, ask),
        }
    }

    /// Asks for what takes its time, while other threads have Python.
    fn meanwhile<T: Send>(
        &self,
        py: Python<'_>,
        ask: impl FnOnce(&mut Embedded) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        py.detach(|| self.held().ask(ask))
    }
}

/// What the arguments of [`Drive::new`] describe: the drive, its scheme, the table `start`, and changes.
type Described = (Text, Text, String, Overrides);

#[pymethods]
impl Drive {
    /// A drive as it is prepared, at time 0.
    #[new]
    #[pyo3(signature = (device=None, scheme=None, *, start=None, overrides=None, seed=None, checked=false, sequence_numbers=false))]
    #[allow(clippy::too_many_arguments)] // one for each keyword
    fn new(
        py: Python<'_>,
        device: Option<Py<PyAny>>,
        scheme: Option<Py<PyAny>>,
        start: Option<Py<PyAny>>,
        overrides: Option<Py<PyAny>>,
        seed: Option<Bound<'_, PyAny>>,
        checked: bool,
        sequence_numbers: bool,
    ) -> PyResult<Self> {
        let home = py.import("wordline.embedding")?;
        let described = home.call_method1("described", (device, scheme, start, overrides))?;
        let (device, scheme, start, overrides): Described = described.extract()?;
        let seed = seed.map_or(Ok(1), |seed| whole("seed", &seed))?;
        let text = |(label, toml): Text| wordline_drive::Text::new(label, toml);
        let builder = Embedded::builder().device_text(text(device)).scheme_text(text(scheme));
        let kept =
            if sequence_numbers && !checked { Kept::SequenceNumbers } else { Kept::of_checked(checked) };
        let builder = builder.start(start).seed(seed).keep(kept);
        let builder = overrides.into_iter().fold(builder, |builder, (path, value)| builder.set(path, value));
        py.detach(|| guarded(|| builder.build().map(Self::of).map_err(mistake)))
    }

    /// The drive that `snapshot` gave, with the policies that are handed over as they were when it was made.
    #[staticmethod]
    #[pyo3(signature = (snapshot, *, policies=None))]
    fn restore(py: Python<'_>, snapshot: &[u8], policies: Option<Py<PyAny>>) -> PyResult<Self> {
        let handed_over = py.import("wordline.policies")?.call_method1("handed_over", (policies,))?;
        let named: BTreeMap<String, String> = handed_over.call_method0("__enter__")?.extract()?;
        let restored = py.detach(|| guarded(|| Embedded::restore(snapshot).map_err(mistake)));
        handed_over.call_method1("__exit__", (py.None(), py.None(), py.None()))?;
        let drive = restored?;
        let custom = &drive.setup().scheme.custom;
        match named.keys().find(|key| !key.split('.').any(|part| custom.contains_key(part))) {
            Some(key) => {
                Err(mistake(format_args!("policies: {key}: allowed: what the drive has been made with")))
            }
            None => Ok(Self::of(drive)),
        }
    }

    /// A second one in the same state.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        py.detach(|| self.held().look(Embedded::fork)).map(Self::of)
    }

    /// Writes it to a file, as it was prepared.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            guarded(|| {
                let held = self.held();
                let device = held.prepared()?;
                let mut file = StateFile::create(&path)?;
                let saved = held.drive.setup().save_drive(device, &mut file);
                raised().map_or(Ok(()), Err)?;
                saved.map_err(|error| at(&path, error))?;
                file.finish()
            })
        })
    }

    /// The whole state as bytes.
    fn snapshot<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.held().look(Embedded::save))?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// What a loss of power now would do to the host's data.
    fn after_power_loss<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let loss = py.detach(|| self.held().look(Embedded::after_power_loss))?;
        let pairs = |ranges: &[Range<u64>]| -> Vec<(u64, u64)> {
            ranges.iter().map(|range| (range.start, range.end)).collect()
        };
        let PowerLoss { units_read, in_dram, in_program, trims_undone } = &loss;
        let told = PyDict::new(py);
        told.set_item("units_read", units_read)?;
        for (name, ranges) in
            [("in_dram", in_dram), ("in_program", in_program), ("trims_undone", trims_undone)]
        {
            told.set_item(name, pairs(ranges))?;
        }
        Ok(told)
    }

    /// Where it is, ns.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<u64> {
        self.at_once(py, |drive| Ok(drive.now()))
    }

    /// Bytes that the host sees.
    #[getter]
    fn logical_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.at_once(py, |drive| Ok(drive.logical_bytes()))
    }

    /// Streams that it offers.
    #[getter]
    fn streams(&self, py: Python<'_>) -> PyResult<Option<u16>> {
        self.at_once(py, |drive| Ok(drive.streams()))
    }

    /// Requests that were submitted and have no answer yet.
    #[getter]
    fn outstanding(&self, py: Python<'_>) -> PyResult<u64> {
        self.at_once(py, |drive| Ok(drive.outstanding()))
    }

    /// Submits a request.
    #[pyo3(signature = (time, op, offset=None, length=None, tag=None, stream=None))]
    #[allow(clippy::too_many_arguments)] // one for each property of a request
    fn submit(
        &self,
        py: Python<'_>,
        time: &Bound<'_, PyAny>,
        op: &Bound<'_, PyAny>,
        offset: Option<&Bound<'_, PyAny>>,
        length: Option<&Bound<'_, PyAny>>,
        tag: Option<&Bound<'_, PyAny>>,
        stream: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let or_zero =
            |name, value: Option<&Bound<'_, PyAny>>| value.map_or(Ok(0), |value| whole(name, value));
        let request = Request {
            time: whole("time", time)?,
            op: op_of(op)?,
            offset: or_zero("offset", offset)?,
            length: or_zero("length", length)?,
            tag: or_zero("tag", tag)?,
            stream: numbers::stream(or_zero("stream", stream)?)?,
        };
        self.at_once(py, |drive| drive.submit(request))
    }

    /// Submits requests whose properties are columns.
    #[pyo3(signature = (time, op, offset, length, tag=None, stream=None))]
    #[allow(clippy::too_many_arguments)] // one for each property of a request
    fn submit_many(
        &self,
        py: Python<'_>,
        time: Py<PyAny>,
        op: Py<PyAny>,
        offset: Py<PyAny>,
        length: Py<PyAny>,
        tag: Option<Py<PyAny>>,
        stream: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let home = py.import("wordline.embedding")?;
        let columns = home.call_method1("columns", (time, op, offset, length, tag, stream))?;
        let columns: Columns = columns.extract()?;
        let requests = requests_of(py, &columns)?;
        self.meanwhile(py, |drive| drive.submit_all(&requests))
    }

    /// The least time to which `advance` makes something happen, ns.
    fn next_event(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        self.at_once(py, |drive| drive.next_event())
    }

    /// Brings it to this time, ns.
    fn advance(&self, py: Python<'_>, time: &Bound<'_, PyAny>) -> PyResult<()> {
        let time = whole("time", time)?;
        self.meanwhile(py, |drive| drive.advance(time))
    }

    /// Brings it to the last answer.
    fn drain(&self, py: Python<'_>) -> PyResult<()> {
        self.meanwhile(py, |drive| drive.drain())
    }

    /// Takes the requests that were answered since this was asked last.
    fn completions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = self.at_once(py, |drive| Ok(completions_of(drive.completions()?)))?;
        columns::as_array(py, &bytes)
    }

    /// Counts anew from the next request on.
    fn mark(&self, py: Python<'_>) -> PyResult<()> {
        self.at_once(py, |drive| drive.mark())
    }

    /// What was counted.
    fn statistics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let json = self.meanwhile(py, |drive| drive.statistics()?.to_json())?;
        py.import("wordline.embedding")?.call_method1("record", (json,))
    }

    /// Checks every table against the others.
    fn audit(&self, py: Python<'_>) -> PyResult<()> {
        self.meanwhile(py, |drive| drive.audit().map(drop))
    }
}
