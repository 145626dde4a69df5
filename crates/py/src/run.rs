//! One simulation, from texts to a result.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use pyo3::prelude::*;
use serde::Serialize;
use wordline_engine::array::Array;
use wordline_engine::ids::Lpa;
use wordline_engine::stats::measured::Tables;
use wordline_engine::stats::notes::Note;
use wordline_engine::stats::report::Report;
use wordline_engine::{Ending, RunError, Setup, Split, Stop, Volume};
use wordline_trace::{OpenContext, footprint, open_all};

use crate::assumed;
use crate::columns::{RawColumn, columns};
use crate::course::Course;
use crate::describe::{Described, Overrides, Text, describe};
use crate::drive::Drive;
use crate::error::mistake;
use crate::files::{Packed, StateFile, at};
use crate::guard::guarded;
use crate::held::Held;
use crate::past::Past;
use crate::request_log::{LogFile, together};
use crate::requests::Requests;
use crate::state::{From, Part};
use crate::timeline::Timeline;
use crate::traces::{self, RunTrace};
use crate::watch::{Watch, Watched};
use crate::without_effect;

/// What a run measured.
#[pyclass(frozen, module = "wordline._core")]
pub struct RunResult {
    json: String,
    read: Vec<(u64, u64)>,
    write: Vec<(u64, u64)>,
    trim: Vec<(u64, u64)>,
    flush: Vec<(u64, u64)>,
    tables: Tables,
    /// End of the window.
    end_ns: u64,
}

#[pymethods]
impl RunResult {
    /// The text of `result.json`: one object.
    fn json(&self) -> &str {
        &self.json
    }

    /// Response times of `read`, `write`, `trim` or `flush`: the largest value of each non-empty bin, ns, and its requests.
    fn histogram(&self, direction: &str) -> PyResult<(Vec<u64>, Vec<u64>)> {
        match direction {
            "read" => Ok(self.read.iter().copied().unzip()),
            "write" => Ok(self.write.iter().copied().unzip()),
            "trim" => Ok(self.trim.iter().copied().unzip()),
            "flush" => Ok(self.flush.iter().copied().unzip()),
            _ => Err(mistake(format_args!("histogram `{direction}`: allowed: read, write, trim or flush"))),
        }
    }

    /// The columns of `series`, `samples` or `blocks`; `None` where the run did not record it.
    fn table<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Vec<RawColumn<'py>>>> {
        let table = match name {
            "series" => &self.tables.series,
            "samples" => &self.tables.samples,
            "blocks" => &self.tables.blocks,
            _ => return Err(mistake(format_args!("table `{name}`: allowed: series, samples or blocks"))),
        };
        Ok(table.as_ref().map(|table| columns(py, table)))
    }
}

/// `result.json`. Only `engine` knows of the wall clock; all else is the same on every machine.
#[derive(Serialize)]
struct Document<'a> {
    /// Version of the simulator.
    version: &'static str,
    /// Seed of every random stream.
    seed: u64,
    /// Device, scheme and workload with every default filled in.
    config: &'a Described,
    /// How much work the run was, and its time on the wall clock. `wordline run` adds `drive`: `prepared`, `prepared and kept`, or
    /// `kept from a run before`; left out where it keeps none.
    engine: EngineFigures,
    /// What the reader of the result should know: of the workload's source, and of the figures.
    notes: Vec<Note>,
    /// The traces that were replayed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    traces: Vec<RunTrace>,
    /// The figures.
    #[serde(flatten)]
    report: &'a Report,
}

/// How much work the run was.
#[derive(Serialize)]
struct EngineFigures {
    /// Time to bring the drive to its state before the first request.
    prepare_s: f64,
    /// Time to replay the workload, of a run that went on from a state the rest of it.
    wall_s: f64,
    /// Requests of the whole run, warm-up included; all below are of the same time.
    requests: u64,
    /// Of these, those that came before the workload's own, for the drive to settle.
    settling_requests: u64,
    /// Pages read and programmed and blocks erased; `flash.operations` are those of the window.
    flash_operations: u64,
    /// Those of `wall_s` by it: of a run that went on from a state, those since then.
    flash_operations_per_s: f64,
    /// Events of the engine.
    events: u64,
    /// The drive's time that was simulated, from the first request to the end of the window.
    simulated_ns: u64,
}

/// Simulates a workload on a drive. Descriptions are pairs of what errors call them and their TOML; relative paths
/// in the workload start at `base_dir`. `progress(requests_done, total, simulated_ns)` is called some ten times a
/// second. The GIL is released meanwhile.
///
/// A run may begin on a prepared drive, which it leaves alone, or go on from a file, of a drive or of a run; after
/// `stop_after` requests it is written to `save_state`, and there is no result yet. `remarks` are of what the workload was made
/// from; the result's notes begin with them. `policies` says what policies of the user's own are made of: a state goes on only
/// beside the same.
#[pyfunction]
#[pyo3(signature = (
    device, scheme, workload, *, overrides, seed, checked, base_dir, progress=None, drive=None, load_state=None,
    save_state=None, stop_after=None, held=None, timeline=None, request_log=None, course=None, remarks=Vec::new(),
    policies=String::new()
))]
#[allow(clippy::too_many_arguments)] // keywords in Python
pub fn run(
    py: Python<'_>,
    device: Text,
    scheme: Text,
    workload: Text,
    overrides: Overrides,
    seed: u64,
    checked: bool,
    base_dir: &str,
    progress: Option<Py<PyAny>>,
    drive: Option<Py<Drive>>,
    load_state: Option<PathBuf>,
    save_state: Option<PathBuf>,
    stop_after: Option<u64>,
    held: Option<Py<Held>>,
    timeline: Option<(PathBuf, (u64, u64))>,
    request_log: Option<PathBuf>,
    course: Option<Py<Course>>,
    remarks: Vec<String>,
    policies: String,
) -> PyResult<Option<RunResult>> {
    let from = match (drive, load_state) {
        (Some(_), Some(_)) => return Err(mistake("a drive and a state to load exclude each other")),
        (Some(drive), None) => Some(From::Drive(drive)),
        (None, Some(path)) => Some(From::File(path)),
        (None, None) => None,
    };
    let part =
        Part { from, save: save_state, stop_after, held, timeline, request_log, course, remarks, policies };
    py.detach(|| {
        guarded(|| {
            let described = describe(&device, &scheme, &workload, &overrides).map_err(mistake)?;
            run_described(&described, seed, checked, Path::new(base_dir), progress, part)
        })
    })
}

fn run_described(
    described: &Described,
    seed: u64,
    checked: bool,
    base_dir: &Path,
    progress: Option<Py<PyAny>>,
    part: Part,
) -> PyResult<Option<RunResult>> {
    let mut setup = described.setup(seed, checked);
    setup.policies.clone_from(&part.policies);
    let context = OpenContext {
        drive_bytes: setup.logical_bytes().map_err(|error| described.mistake(error))?,
        seed,
        base_dir,
    };
    let held = part.held.as_ref().map(Py::get);
    let past = Past::of(described, &mut setup, &context)?;
    let requests = Requests::open_or_held(described, &context, held)?;
    let requests = past.put_before(requests, described, &context)?;
    let watch = Watch::new(progress, requests.total());
    let run = Run { described, setup: &setup, past: &past, started: Instant::now() };
    let touched = || touched_pages(&setup, described, &context, &watch, held);
    match &setup.scheme.array {
        None => {
            let ready = match &part.from {
                None => touched().and_then(|pages| {
                    let mut sources = past.sources(described, &context)?;
                    let ready = setup.prepare_after(Vec::new(), &pages, sources.before(), &mut watch.clone());
                    Ok((ready.map_err(|error| described.failed(error))?, None))
                }),
                Some(from) => from.open(&setup),
            };
            let (mut device, resumed) = watch.outcome(ready)?;
            if resumed.is_some() {
                part.refuse_parts_of_logs()?;
            }
            let timeline = timeline_of(described, part.timeline.as_ref())?;
            let log = part.request_log.as_deref().map(LogFile::create).transpose()?;
            let course = part.course.as_ref().map(Py::get);
            let probes = timeline.as_ref().map(Timeline::probe).into_iter();
            let probes = probes.chain(log.as_ref().map(LogFile::probe)).chain(course.map(Course::probe));
            if let Some(probe) = probes.reduce(together) {
                device.set_probe(probe);
            }
            course.inspect(|course| course.note_tables(&device));
            let result = run.replay(&mut device, resumed, requests, watch, &part)?;
            course.inspect(|course| course.note_tables(&device));
            if let Some(result) = &result {
                timeline.map_or(Ok(()), |timeline| timeline.finish(result.end_ns))?;
                log.map_or(Ok(()), LogFile::finish)?;
            }
            Ok(result)
        }
        Some(config) => {
            if part.timeline.is_some() {
                return Err(mistake("a timeline: allowed: scheme.array left out, since it shows one drive"));
            }
            if part.request_log.is_some() {
                return Err(mistake(
                    "a log of requests: allowed: scheme.array left out, since it is of one drive",
                ));
            }
            let ready = match &part.from {
                None => touched().and_then(|pages| {
                    let sources = (0..config.members).map(|_| past.sources(described, &context));
                    let mut sources = sources.collect::<PyResult<Vec<_>>>()?;
                    let before = sources.iter_mut().map(|sources| sources.before()).collect();
                    let ready = setup.prepare_array_after(config, &pages, before, &mut watch.clone());
                    Ok((ready.map_err(|error| described.failed(error))?, None))
                }),
                Some(from) => from.open_array(&setup, config),
            };
            let (mut array, resumed) = watch.outcome(ready)?;
            let course = part.course.as_ref().map(Py::get);
            let note_tables = |course: &Course, array: &Array| {
                array.members().iter().for_each(|drive| course.note_tables(drive));
            };
            if let Some(course) = course {
                array.set_probes(|number| course.probe_of(number));
                note_tables(course, &array);
            }
            let result = run.replay(&mut array, resumed, requests, watch, &part)?;
            course.inspect(|course| note_tables(course, &array));
            Ok(result)
        }
    }
}

/// A run whose drive or array is ready.
struct Run<'a> {
    described: &'a Described,
    setup: &'a Setup,
    past: &'a Past,
    started: Instant,
}

impl Run<'_> {
    fn replay<V: Volume>(
        &self,
        volume: &mut V,
        mut resumed: Option<Packed>,
        mut requests: Requests,
        mut watch: Watch,
        part: &Part,
    ) -> PyResult<Option<RunResult>> {
        let prepared = Instant::now();
        let mut saved = part.save.as_deref().map(StateFile::create).transpose()?;
        let workload = serde_json::to_string(&self.described.workload).map_err(mistake)?;
        let split = Split {
            resume: resumed.as_mut().map(|file| file as &mut dyn Read),
            stop: Stop { after_requests: part.stop_after.unwrap_or(u64::MAX), ..Stop::default() },
            save: saved.as_mut().map(|file| file as &mut dyn Write),
            workload: &workload,
        };
        let planned = requests.size_hint();
        let replayed = requests.replay(self.setup, volume, &mut watch, split);
        let wall_s = prepared.elapsed().as_secs_f64();
        let replayed = replayed.map_err(|error| match (&error, &part.from) {
            (RunError::Snapshot(_), Some(From::File(path))) => at(path, error),
            _ => self.described.failed(error),
        });
        let mut outcome = match watch.outcome(replayed)? {
            Ending::Finished(outcome) => outcome,
            Ending::Stopped { before, .. } => {
                if let Some(stop) = part.stop_after.filter(|stop| *stop <= before) {
                    let allowed = before + 1;
                    return Err(mistake(format_args!(
                        "a stop after {stop} requests: allowed: {allowed} or more, as {before} had entered the drive"
                    )));
                }
                saved.map_or(Ok(()), StateFile::finish)?;
                return Ok(None);
            }
        };
        // What was begun of it is removed.
        drop(saved);
        let evidence = &mut outcome.report.evidence;
        evidence.answered = outcome.requests.saturating_sub(self.past.requests + outcome.settling_requests);
        evidence.planned = planned.map(|all| all.saturating_sub(self.past.requests));
        let traces = requests.traces(&self.described.workload.host);
        let document = Document {
            version: env!("CARGO_PKG_VERSION"),
            seed: self.setup.seed,
            config: self.described,
            engine: EngineFigures {
                prepare_s: (prepared - self.started).as_secs_f64(),
                wall_s,
                requests: outcome.requests,
                settling_requests: self.past.requests + outcome.settling_requests,
                flash_operations: outcome.flash_operations,
                flash_operations_per_s: (outcome.flash_operations - outcome.operations_before) as f64
                    / wall_s,
                events: outcome.events,
                simulated_ns: outcome.report.window.end_ns,
            },
            notes: part
                .remarks
                .iter()
                .cloned()
                .chain(requests.notes())
                .map(Note::of_workload)
                .chain(without_effect::notes(self.described))
                .chain(assumed::notes(self.described, &outcome.report))
                .chain(self.past.note.clone())
                .chain(part.empty_timeline(outcome.report.window.end_ns))
                .chain(traces::notes(&traces, &outcome.report))
                .chain(outcome.report.notes())
                .collect(),
            traces,
            report: &outcome.report,
        };
        let json = serde_json::to_string(&document).map_err(mistake)?;
        let Report { read, write, trim, flush, tables, window, .. } = outcome.report;
        let [read, write, trim, flush] =
            [read, write, trim, flush].map(|direction| direction.latency_ns.histogram);
        Ok(Some(RunResult { json, read, write, trim, flush, tables, end_ns: window.end_ns }))
    }
}

fn timeline_of(described: &Described, wanted: Option<&(PathBuf, (u64, u64))>) -> PyResult<Option<Timeline>> {
    let shape = &described.device.geometry;
    let dies = shape.ways.saturating_mul(shape.dies);
    wanted.map(|(path, window)| Timeline::create(path, *window, dies, shape.channels)).transpose()
}

/// The logical pages that the workload touches, where the drive's start depends on them.
fn touched_pages(
    setup: &Setup,
    described: &Described,
    context: &OpenContext<'_>,
    watch: &Watch,
    held: Option<&Held>,
) -> PyResult<Vec<Lpa>> {
    if !setup.start.occupancy.follows_requests() {
        return Ok(Vec::new());
    }
    let opened = match held {
        Some(held) => held.open(described, context)?,
        // What is repeated touches nothing more.
        None => {
            let once = described.workload.clone().once();
            open_all(&once, context).map_err(|error| described.not_opened(error))?
        }
    };
    let mut watched = Watched::new(opened.source, watch.silent());
    let unit_bytes = u64::from(setup.device.geometry.mapping_unit_bytes);
    let touched = footprint(&mut watched, unit_bytes, context.drive_bytes).map_err(mistake);
    // A drive has less than 2^32 pages, so none is left out.
    Ok(watch.outcome(touched)?.iter().filter_map(|page| u32::try_from(page).ok().map(Lpa)).collect())
}
