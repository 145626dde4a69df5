//! Drives prepared beforehand and runs that go on: states in memory and in files, which are packed with zstd.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use wordline_engine::array::Array;
use wordline_engine::config::array::ArrayConfig;
use wordline_engine::device::Device;
use wordline_engine::snapshot::SnapshotError;
use wordline_engine::{RunError, Setup};
use wordline_trace::{OpenContext, OutputFile};

use crate::course::Course;
use crate::describe::{Overrides, Text, describe};
use crate::error::{guarded, mistake};
use crate::held::Held;
use crate::past::Past;
use crate::watch::Watch;

/// How hard zstd tries: the fast end.
const LEVEL: i32 = 3;

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
}

/// A file of a state that is being read.
pub type Packed = zstd::Decoder<'static, BufReader<File>>;

/// An error about a file.
pub fn at(path: &Path, error: impl std::fmt::Display) -> PyErr {
    mistake(format_args!("{}: {error}", path.display()))
}

/// Why there is no drive for a scheme with an array.
fn no_array() -> PyErr {
    mistake("scheme.array: allowed for a drive that is prepared beforehand: left out, as it is one drive")
}

fn unpack(path: &Path) -> PyResult<Packed> {
    let file = File::open(path).map_err(|error| at(path, error))?;
    zstd::Decoder::new(file).map_err(|error| at(path, error))
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

/// A file of a state that is being written. It takes its name when it is whole.
pub struct StateFile {
    path: PathBuf,
    output: OutputFile,
    out: zstd::Encoder<'static, File>,
}

impl StateFile {
    /// Begins the file.
    pub fn create(path: &Path) -> PyResult<Self> {
        let (output, file) = OutputFile::create(path).map_err(|error| at(path, error))?;
        let out = zstd::Encoder::new(file, LEVEL).map_err(|error| at(path, error))?;
        Ok(Self { path: path.to_owned(), output, out })
    }

    /// Ends it.
    pub fn finish(self) -> PyResult<()> {
        let Self { path, output, out } = self;
        out.finish().and_then(|file| output.keep(&file)).map_err(|error| at(&path, error))
    }
}

impl Write for StateFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A drive that is prepared. Runs begin on copies of it.
#[pyclass(frozen, module = "wordline._core")]
pub struct Drive {
    setup: Setup,
    device: Mutex<Device>,
}

impl Drive {
    fn new(setup: Setup, device: Device) -> Self {
        Self { setup, device: Mutex::new(device) }
    }

    fn copy(&self) -> PyResult<Device> {
        self.device.lock().unwrap_or_else(PoisonError::into_inner).fork().map_err(mistake)
    }

    /// A copy for a run that would prepare the same drive.
    fn copy_for(&self, setup: &Setup) -> PyResult<Device> {
        match setup.differs_from_drive_of(&self.setup).map_err(mistake)? {
            None => self.copy(),
            Some(key) => {
                Err(mistake(format_args!("the drive was prepared with another configuration: {key}")))
            }
        }
    }
}

#[pymethods]
impl Drive {
    /// A second one in the same state.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        py.detach(|| guarded(|| Ok(Self::new(self.setup.clone(), self.copy()?))))
    }

    /// Writes it to a file.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| {
            guarded(|| {
                let mut file = StateFile::create(&path)?;
                let device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
                self.setup.save_drive(&device, &mut file).map_err(|error| at(&path, error))?;
                file.finish()
            })
        })
    }
}

/// Prepares a drive as a run of these descriptions would find it.
#[pyfunction]
#[pyo3(signature = (device, scheme, workload, *, overrides, seed, checked, progress=None))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn prepare(
    py: Python<'_>,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Drive> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let mut setup = described.setup(seed, checked);
            if setup.scheme.array.is_some() {
                return Err(no_array());
            }
            if setup.start.occupancy.follows_requests() {
                return Err(mistake(
                    "workload.start.occupancy = footprint or span: allowed for a drive that is prepared beforehand: all, \
                     none or a share, which don't depend on the requests",
                ));
            }
            let mut watch = Watch::new(progress, None);
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed, base_dir: Path::new(".") };
            let past = Past::of(&described, &mut setup, &context)?;
            let mut sources = past.sources(&described, &context)?;
            let ready = setup.prepare_after(Vec::new(), &[], sources.before(), &mut watch);
            let ready = ready.map_err(|error| described.failed(error));
            Ok(Drive::new(setup, watch.outcome(ready)?))
        })
    })
}

/// The drive of a file; the descriptions must be those that it was prepared with.
#[pyfunction]
#[pyo3(signature = (path, device, scheme, workload, *, overrides, seed, checked))]
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
) -> PyResult<Drive> {
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            let mut setup = described.setup(seed, checked);
            let drive_bytes = setup.logical_bytes().map_err(|error| described.mistake(error))?;
            let context = OpenContext { drive_bytes, seed, base_dir: Path::new(".") };
            Past::of(&described, &mut setup, &context)?;
            let device = setup.load_drive(&mut unpack(&path)?).map_err(|error| at(&path, error))?;
            Ok(Drive::new(setup, device))
        })
    })
}
