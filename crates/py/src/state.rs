//! Drives prepared beforehand and runs that go on: states in memory and in files.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use wordline_drive::Drive as Embedded;
use wordline_engine::array::Array;
use wordline_engine::config::array::ArrayConfig;
use wordline_engine::device::Device;
use wordline_engine::snapshot::SnapshotError;
use wordline_engine::stats::notes::Note;
use wordline_engine::{RunError, Setup};
use wordline_trace::OpenContext;

use crate::course::Course;
use crate::describe::{Overrides, Text, describe};
use crate::drive::{Drive, no_array};
use crate::error::mistake;
use crate::files::{Packed, at, unpack};
use crate::guard::guarded;
use crate::held::Held;
use crate::past::Past;
use crate::watch::Watch;

/// Where a run begins, if not with a drive of its own.
pub enum From {
    /// On a copy of this drive.
    Drive(Py<Drive>),
    /// With this file.
    File(PathBuf),
}

/// Which part of a run, and what is in memory already.
pub struct Part {
    pub held: Option<Py<Held>>,
    /// File of the timeline, and its window in ns.
    pub timeline: Option<(PathBuf, (u64, u64))>,
    /// File of the log of requests.
    pub request_log: Option<PathBuf>,
    /// The course that the run is noted in.
    pub course: Option<Py<Course>>,
    pub from: Option<From>,
    pub save: Option<PathBuf>,
    pub stop_after: Option<u64>,
    /// What there is to say of what the workload was made from.
    pub remarks: Vec<String>,
    /// What policies of the user's own are made of.
    pub policies: String,
}

impl Part {
    /// Refuses what would show the rest of a run alone as all of it.
    pub fn refuse_parts_of_logs(&self) -> PyResult<()> {
        let wanted =
            [("a timeline", self.timeline.is_some()), ("a log of requests", self.request_log.is_some())];
        match wanted.into_iter().find(|(_, given)| *given) {
            None => Ok(()),
            Some((what, _)) => Err(mistake(format_args!(
                "{what}: allowed: a run from its first request on, or from a prepared drive, not from the state of a run, \
                 whose requests before it would be missing"
            ))),
        }
    }

    /// That the window of the timeline lies behind the run's end, if so.
    pub fn empty_timeline(&self, end_ns: u64) -> Option<Note> {
        let (_, (from, _)) = self.timeline.as_ref().filter(|(_, (from, _))| *from >= end_ns)?;
        Some(Note::new(
            "empty_timeline",
            format!(
                "the timeline is empty: its window begins at {from} ns, and the run ended at {end_ns} ns"
            ),
            "",
            "a window within the run, whose time counts from its first request, the warm-up included",
        ))
    }
}

impl From {
    /// An array, and the file from which a run on it goes on.
    pub fn open_array(&self, setup: &Setup, config: &ArrayConfig) -> PyResult<(Array, Option<Packed>)> {
        match self {
            Self::Drive(_) => Err(no_array()),
            Self::File(path) => Ok((setup.empty_array(config).map_err(mistake)?, Some(unpack(path)?))),
        }
    }

    /// The drive, and the file from which a run goes on.
    pub fn open(&self, setup: &Setup) -> PyResult<(Device, Option<Packed>)> {
        match self {
            Self::Drive(drive) => drive.get().copy_for(setup).map(|device| (device, None)),
            Self::File(path) => match setup.load_drive(&mut unpack(path)?) {
                Ok(device) => Ok((device, None)),
                // No drive: then a run, which says itself what else it may be.
                Err(RunError::Snapshot(SnapshotError::Kind { .. })) => {
                    Ok((setup.empty_drive().map_err(mistake)?, Some(unpack(path)?)))
                }
                Err(error) => Err(at(path, error)),
            },
        }
    }
}

/// Refuses what can't be prepared before its requests are known.
fn preparable(setup: &Setup) -> PyResult<()> {
    if setup.scheme.array.is_some() {
        return Err(no_array());
    }
    if setup.start.occupancy.follows_requests() {
        return Err(mistake(
            "workload.start.occupancy = footprint or span: allowed for a drive that is prepared beforehand: all, none or a \
             share, which don't depend on the requests",
        ));
    }
    Ok(())
}

/// Refuses what [`prepare`] would, but for what only making the drive shows.
#[pyfunction]
#[pyo3(signature = (device, scheme, workload, *, overrides, seed, checked))]
pub fn check_prepare(
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
) -> PyResult<()> {
    let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
    preparable(&described.setup(seed, checked))
}

/// Prepares a drive as a run of these descriptions would find it. Relative paths in the workload start at `base_dir`.
#[pyfunction]
#[pyo3(signature = (device, scheme, workload, *, overrides, seed, checked, base_dir, policies, progress=None))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn prepare(
    py: Python<'_>,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
    base_dir: &str,
    policies: String,
    progress: Option<Py<PyAny>>,
) -> PyResult<Drive> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let mut setup = Setup { policies, ..described.setup(seed, checked) };
            preparable(&setup)?;
            let mut watch = Watch::new(progress, None);
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed, base_dir: Path::new(base_dir) };
            let past = Past::of(&described, &mut setup, &context)?;
            let mut sources = past.sources(&described, &context)?;
            let ready = setup.prepare_after(Vec::new(), &[], sources.before(), &mut watch);
            let ready = ready.map_err(|error| described.failed(error));
            Ok(Drive::of(Embedded::of_device(setup, watch.outcome(ready)?)))
        })
    })
}

/// The drive of a file; the descriptions must be those that it was prepared with. Relative paths in the workload start at
/// `base_dir`.
#[pyfunction]
#[pyo3(signature = (path, device, scheme, workload, *, overrides, seed, checked, base_dir, policies))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn load_drive(
    py: Python<'_>,
    path: PathBuf,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
    base_dir: &str,
    policies: String,
) -> PyResult<Drive> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let mut setup = Setup { policies, ..described.setup(seed, checked) };
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed, base_dir: Path::new(base_dir) };
            Past::of(&described, &mut setup, &context)?;
            let device = setup.load_drive(&mut unpack(&path)?).map_err(|error| at(&path, error))?;
            Ok(Drive::of(Embedded::of_device(setup, device)))
        })
    })
}
