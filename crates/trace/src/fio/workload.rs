//! From a job file to a workload: each job a flow.

use std::collections::BTreeSet;

use wordline_config::error::{ConfigError, Origin};
use wordline_config::host::{Arrivals, HostConfig};
use wordline_config::run::WindowConfig;

use super::file::{Section, sections};
use super::files::{Files, check_drives};
use super::given::{Given, Reasons};
use super::iolog::{Iolog, is_blktrace};
use super::job::{Extent, Job};
use super::place::of_section;
use super::sequence::{Follows, Placed, follow, pairs, reported};
use super::zone_keys::of_copy;
use crate::config::{
    AtEnd, BlockEvent, FioSourceConfig, FlowConfig, RegionConfig, SourceConfig, TraceConfig, WorkloadConfig,
};

/// Most files of all jobs, and most pairs of jobs of which one begins or ends with the other.
const MOST: u64 = 1_000_000;

/// A job file, as a workload.
pub struct Imported {
    /// The workload: a flow for each job and each of its copies.
    pub workload: WorkloadConfig,
    /// What was left out or understood in a way of its own, one sentence each.
    pub notes: Vec<String>,
}

/// Reads a job file. Files of jobs lie one behind the other on the drive, in the order in which jobs name them; a file below `/dev`
/// is the drive itself.
///
/// # Errors
/// All that is wrong, one a line, each beginning with the line.
pub fn import(name: &str, text: &str, given: &Given) -> Result<Imported, String> {
    let mut reasons = Reasons::default();
    let contents = sections(text, given, &mut reasons);
    let jobs: Vec<Job> = contents.sections.iter().map(|section| Job::read(section, &mut reasons)).collect();
    if !are_few(&jobs, &mut reasons) {
        reasons.check()?;
    }
    let mut flows = flows(name, &jobs, &contents.sections, &mut reasons);
    suggest_sections(&jobs, &mut reasons);
    reasons.check()?;
    flows.iter_mut().for_each(|flow| replay_as_fio(flow, given));
    let ramp = jobs.iter().map(|job| job.ramp_ns).max().unwrap_or(0);
    let workload = WorkloadConfig {
        name: name.to_owned(),
        description: format!("fio job file with {} jobs", flows.len()),
        source: None,
        host: HostConfig::default(),
        start: Default::default(),
        window: WindowConfig { warmup_ns: ramp, ..WindowConfig::default() },
        measure: Default::default(),
        flow: flows,
    };
    workload.validate().map_err(|error| in_its_line(workload.in_words_of_jobs(error)))?;
    let mut notes = notes(&jobs, ramp > 0 && workload.flow.iter().any(FlowConfig::begins_later));
    if !contents.variables.is_empty() {
        let variables: Vec<&str> = contents.variables.iter().map(String::as_str).collect();
        notes.push(format!("variables of the environment: {}", variables.join(", ")));
    }
    if !given.settings.is_empty() {
        notes.push(format!("set in every job: {}", given.settings.join(", ")));
    }
    Ok(Imported { workload, notes })
}

/// Names the sections that are left without the jobs that do no block I/O.
fn suggest_sections(jobs: &[Job], reasons: &mut Reasons) {
    if jobs.iter().all(Job::does_block_io) {
        return;
    }
    let left: BTreeSet<&str> =
        jobs.iter().filter(|job| job.does_block_io()).map(|job| job.section.as_str()).collect();
    let options: Vec<String> = left.iter().map(|name| format!("--section {}", quoted(name))).collect();
    if !options.is_empty() {
        reasons.add(format!("the jobs that do block I/O alone: {}", options.join(" ")));
    }
}

/// A name as a shell takes it.
fn quoted(name: &str) -> String {
    if name.contains(char::is_whitespace) { format!("\"{name}\"") } else { name.to_owned() }
}

/// Refuses more flows, files and waits than can be described. Returns whether there are no more.
fn are_few(jobs: &[Job], reasons: &mut Reasons) -> bool {
    let all: u64 = jobs.iter().map(|job| job.copies).sum();
    let most = wordline_config::host::MAX_QUEUES as u64;
    let mut few = all <= most;
    if !few {
        reasons.add(format!("{all} jobs: allowed: at most {most}, one a queue"));
    }
    let waits = pairs(jobs.iter().map(|job| (&job.order, job.copies)), all);
    let files: u64 = jobs.iter().map(|job| job.copies.saturating_mul(job.files)).sum();
    for (number, of) in
        [(waits, "pairs of jobs that begin or end with one another"), (files, "files of jobs")]
    {
        if number > MOST {
            few = false;
            reasons.add(format!("{number} {of}: allowed: at most {MOST}"));
        }
    }
    few
}

/// The flows of all jobs.
fn flows(file: &str, jobs: &[Job], sections: &[Section], reasons: &mut Reasons) -> Vec<FlowConfig> {
    let names = names(jobs);
    let placed: Vec<Placed<'_>> = (jobs.iter().zip(&names))
        .map(|(job, flows)| Placed { order: &job.order, section: &job.section, flows: flows.clone() })
        .collect();
    let order = follow(&placed).unwrap_or_else(|(place, what)| {
        if let Some(job) = jobs.get(place) {
            reasons.add(format!("line {}: job {}: {what}", job.line, job.name));
        }
        vec![Follows::default(); jobs.len()]
    });
    check_drives(jobs, reasons);
    let files = Files::of(jobs, reasons);
    let groups = reported(&placed);
    let mut out = Vec::new();
    for ((((job, section), names), Follows { after, ends }), group) in
        jobs.iter().zip(sections).zip(&names).zip(&order).zip(&groups)
    {
        for (copy, name) in names.iter().enumerate() {
            match flow(job, copy as u64, &files) {
                Ok(mut flow) => {
                    if let SourceConfig::Fio(source) = &mut flow.source {
                        source.fio.job = Some(of_section(file, section));
                    }
                    let ends = ends.iter().filter(|other| *other != name).cloned().collect();
                    let (name, after, group) = (name.clone(), after.clone(), group.clone());
                    out.push(FlowConfig { name, after, ends, group, ..flow });
                }
                Err(what) => reasons.add(format!("line {}: job {}: {what}", job.line, job.name)),
            }
        }
    }
    out
}

/// The names of each job's flows, no two alike: that of the job, else of its section, else with a number.
fn names(jobs: &[Job]) -> Vec<Vec<String>> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut of = |job: &Job| {
        let given = [job.name.clone(), job.section.clone()];
        let numbered = (2..).map(|number| format!("{} ({number})", job.section));
        let flows = |base: String| -> Vec<String> {
            let copies = 0..job.copies;
            if job.copies > 1 { copies.map(|copy| format!("{base}.{copy}")).collect() } else { vec![base] }
        };
        let free = |flows: &Vec<String>| flows.iter().all(|name| !taken.contains(name));
        let found = given.into_iter().chain(numbered).map(flows).find(free).unwrap_or_default();
        taken.extend(found.iter().cloned());
        found
    };
    jobs.iter().map(&mut of).collect()
}

/// What is told of the jobs, each thing once.
fn notes(jobs: &[Job], ramps_later: bool) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for note in jobs.iter().flat_map(|job| &job.notes) {
        if !notes.contains(note) {
            notes.push(note.clone());
        }
    }
    if ramps_later {
        notes.push(
            "ramp_time: left out of the window once, at its begin, not of each job that begins later"
                .to_owned(),
        );
    }
    if jobs.iter().filter(|job| job.is_in_zones).count() > 1 {
        let what =
            "each job keeps write pointers of its own, empty at first; in fio jobs on one file share them";
        notes.push(format!("zonemode=zbd: {what}"));
    }
    let ignored: BTreeSet<&str> =
        jobs.iter().flat_map(|job| job.ignored.iter().map(String::as_str)).collect();
    if !ignored.is_empty() {
        let ignored: Vec<&str> = ignored.into_iter().collect();
        notes.push(format!("keys without effect on the load, ignored: {}", ignored.join(", ")));
    }
    notes
}

/// An error about a line, as those that are found before.
fn in_its_line(error: ConfigError) -> String {
    let ConfigError { path, value, allowed, origin } = error;
    let place = match origin {
        Some(Origin { line: Some(line), .. }) => format!("line {line}: "),
        Some(Origin { source, line: None }) => format!("{source}: "),
        None => String::new(),
    };
    format!("{place}`{path}={value}`: allowed: {allowed}")
}

impl Imported {
    /// The same, of a file that errors are to call so.
    #[must_use]
    pub fn of_file(mut self, file: &str) -> Self {
        for flow in &mut self.workload.flow {
            if let SourceConfig::Fio(job) = &mut flow.source
                && let Some(place) = &mut job.fio.job
            {
                file.clone_into(&mut place.file);
            }
        }
        self
    }
}

/// A copy of a job, but for its name and its place among the others.
fn flow(job: &Job, copy: u64, files: &Files) -> Result<FlowConfig, String> {
    if let Some(iolog) = &job.iolog {
        return Ok(replayed(job, iolog));
    }
    let mut load = job.load.clone();
    if job.copies_share_files() {
        let same = job.offset_increment == Extent::Bytes(0);
        load.zones = load.zones.map(|zones| of_copy(zones, copy, job.copies, same));
    }
    let range = files.range(job, copy, &mut load)?;
    if job.time_based {
        load.io_bytes = None;
    } else {
        load.io_bytes = job.io_size.or(load.io_bytes);
        load.loops = (load.io_bytes.is_none() || job.loops > 1).then_some(job.loops);
    }
    load.runtime_s = job.run_ns.map(|ns| ns as f64 / 1e9);
    let paced = load.has_rates();
    let source = SourceConfig::Fio(Box::new(FioSourceConfig { requests: None, fio: load }));
    Ok(FlowConfig {
        arrivals: Some(if paced { Arrivals::Open } else { Arrivals::Closed }),
        queue_depth: (!paced).then_some(job.depth.requests),
        think_time_ns: (!paced).then_some(job.think_ns),
        submit_batch: if paced { 1 } else { job.depth.batch },
        max_outstanding: paced.then_some(job.depth.requests),
        range,
        ..of_source(job, source)
    })
}

/// A job that replays a trace.
fn replayed(job: &Job, iolog: &Iolog) -> FlowConfig {
    let source = SourceConfig::Trace(TraceConfig::of_file(&iolog.path));
    let timed = !iolog.no_stall;
    FlowConfig {
        arrivals: Some(if timed { Arrivals::Open } else { Arrivals::Closed }),
        time_scale: timed.then_some(iolog.time_scale),
        queue_depth: (!timed).then_some(job.depth.requests),
        submit_batch: if timed { 1 } else { job.depth.batch },
        max_outstanding: timed.then_some(job.depth.requests),
        ..of_source(job, source)
    }
}

/// Of a recording by blktrace fio replays the requests as they were queued, whatever became of them.
fn replay_as_fio(flow: &mut FlowConfig, given: &Given) {
    let (SourceConfig::Trace(trace), Some(folder)) = (&mut flow.source, &given.folder) else { return };
    if is_blktrace(&folder.join(&trace.path)) {
        trace.event = Some(BlockEvent::Queue);
    }
}

fn of_source(job: &Job, source: SourceConfig) -> FlowConfig {
    FlowConfig {
        name: String::new(),
        arrivals: None,
        time_scale: None,
        queue_depth: None,
        think_time_ns: None,
        submit_batch: 1,
        max_outstanding: None,
        // The warm-up comes on top.
        stop_ns: job.run_ns.map(|ns| ns.saturating_add(job.ramp_ns)),
        priority: Default::default(),
        weight: 1,
        stream: 0,
        start_ns: job.order.start_ns,
        after: Vec::new(),
        ends: Vec::new(),
        in_step: job.in_step,
        group: String::new(),
        max_inside: 0,
        latency_target: job.latency_target.clone(),
        steady_end: job.steady_end.clone(),
        at_end: Some(AtEnd::Stop),
        nvm_set: None,
        set_bytes: None,
        range: RegionConfig::default(),
        source,
    }
}
