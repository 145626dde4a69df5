//! From a job file to a workload: each job a flow.

use std::collections::BTreeMap;

use wordline_config::error::ConfigError;
use wordline_config::host::{Arrivals, HostConfig};
use wordline_config::run::WindowConfig;

use super::file::sections;
use super::job::{Extent, Job};
use super::place::of_section;
use crate::config::FioConfig;
use crate::config::JobPlace;
use crate::config::{AtEnd, FlowConfig, RegionConfig, SourceConfig, WorkloadConfig};

/// Files begin at multiples of this, bytes.
const FILE_ALIGNMENT: u64 = 1 << 20;

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
/// What is wrong, beginning with the line.
pub fn import(name: &str, text: &str) -> Result<Imported, String> {
    let sections = sections(text)?;
    let jobs = sections.iter().map(Job::read).collect::<Result<Vec<_>, String>>()?;
    let mut files = Files::default();
    let mut flows = Vec::new();
    for (job, section) in jobs.iter().zip(&sections) {
        for copy in 0..job.copies {
            flows.push(flow(job, of_section(name, section), copy, &mut files)?);
        }
    }
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
    let mut ignored: Vec<&str> = jobs.iter().flat_map(|job| job.ignored.iter().map(String::as_str)).collect();
    ignored.sort_unstable();
    ignored.dedup();
    let mut notes: Vec<String> = jobs.iter().flat_map(|job| job.notes.clone()).collect();
    if !ignored.is_empty() {
        notes.push(format!("keys without effect on the load, ignored: {}", ignored.join(", ")));
    }
    Ok(Imported { workload, notes })
}

/// An error about a line, as those that are found before.
fn in_its_line(error: ConfigError) -> String {
    let ConfigError { path, value, allowed, origin } = error;
    let line =
        origin.and_then(|origin| origin.line).map_or_else(String::new, |line| format!("line {line}: "));
    format!("{line}`{path}={value}`: allowed: {allowed}")
}

/// Where the files of a job file lie on the drive.
#[derive(Default)]
struct Files {
    places: BTreeMap<String, (u64, u64)>,
    next: u64,
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

impl Files {
    /// The place of a file, which takes `bytes` if it is new, and its size.
    fn place(&mut self, name: &str, bytes: u64) -> (u64, u64) {
        let known = self.places.get(name).copied();
        known.unwrap_or_else(|| {
            let place = (self.next, bytes);
            self.next += bytes.next_multiple_of(FILE_ALIGNMENT);
            self.places.insert(name.to_owned(), place);
            place
        })
    }
}

fn flow(job: &Job, place: JobPlace, copy: u64, files: &mut Files) -> Result<FlowConfig, String> {
    let name = if job.copies > 1 { format!("{}.{copy}", job.name) } else { job.name.clone() };
    let fail = |what: &str| format!("line {}: job {}: {what}", job.line, job.name);
    let on_drive = job.filename.as_deref().is_some_and(|file| file.starts_with("/dev/"));
    let mut load = job.load.clone();
    let range = if on_drive {
        device(job, copy, &mut load).map_err(|what| fail(&what))?
    } else {
        let size = match (job.size, job.file_bytes) {
            (Some(Extent::Bytes(size)), _) | (None, Some(size)) => size,
            (Some(Extent::Percent(percent)), Some(file)) => in_bytes(Extent::Percent(percent), file),
            _ => {
                let what = "a file needs a size in bytes, or a filesize; a file below /dev/ is the drive, in percent too";
                return Err(fail(what));
            }
        };
        let file = job.filename.clone().unwrap_or_else(|| format!("{}.{copy}.0", job.name));
        let whole = job.file_bytes.unwrap_or(size);
        let offset = in_bytes(job.offset, whole) + in_bytes(job.offset_increment, whole) * copy;
        // What is given in percent begins at a block.
        let block = if matches!(job.offset, Extent::Percent(_)) { load.smallest() } else { 1 };
        let offset = offset.next_multiple_of(block);
        let file_bytes = job.file_bytes.unwrap_or(size + offset).max(1);
        let (start, bytes) = files.place(&file, file_bytes);
        load.offset_bytes = offset;
        load.size_bytes = Some(size.min(bytes.saturating_sub(offset)));
        RegionConfig { start_bytes: Some(start), bytes: Some(bytes), ..RegionConfig::default() }
    };
    if load.size_bytes == Some(0) {
        return Err(fail("nothing of the file is left behind the offset"));
    }
    if !job.time_based {
        load.io_bytes = job.io_size.map(|bytes| bytes.saturating_mul(job.loops));
        load.loops = load.io_bytes.is_none().then_some(job.loops);
    }
    load.job = Some(place);
    load.runtime_s = job.run_ns.map(|ns| ns as f64 / 1e9);
    let paced = load.has_rates();
    Ok(FlowConfig {
        name,
        arrivals: Some(if paced { Arrivals::Open } else { Arrivals::Closed }),
        time_scale: None,
        queue_depth: Some(job.depth),
        think_time_ns: Some(job.think_ns),
        max_outstanding: paced.then_some(job.depth),
        stop_ns: job.run_ns,
        priority: Default::default(),
        weight: 1,
        stream: 0,
        start_ns: 0,
        after: Vec::new(),
        ends: Vec::new(),
        in_step: None,
        at_end: Some(AtEnd::Stop),
        range,
        source: SourceConfig::Fio(Box::new(crate::config::FioSourceConfig { requests: None, fio: load })),
    })
}

fn in_bytes(extent: Extent, whole: u64) -> u64 {
    match extent {
        Extent::Bytes(bytes) => bytes,
        Extent::Percent(percent) => (whole as f64 * percent / 100.0) as u64,
    }
}

/// The part of the drive that a job on `/dev/…` uses, as the flow's range.
fn device(job: &Job, copy: u64, load: &mut FioConfig) -> Result<RegionConfig, String> {
    let mut range = RegionConfig::default();
    match (job.offset, job.offset_increment) {
        (Extent::Bytes(offset), Extent::Bytes(step)) => {
            range.start_bytes = Some(offset + step * copy).filter(|start| *start > 0);
        }
        (Extent::Percent(offset), Extent::Percent(step)) => {
            range.start_share = Some((offset + step * copy as f64) / 100.0);
        }
        (Extent::Percent(offset), Extent::Bytes(0)) => range.start_share = Some(offset / 100.0),
        (Extent::Bytes(0), Extent::Percent(step)) => range.start_share = Some(step * copy as f64 / 100.0),
        _ => return Err("offset and offset_increment: allowed: both in bytes, or both in percent".into()),
    }
    match job.size {
        None => {}
        Some(Extent::Bytes(bytes)) => {
            range.bytes = Some(bytes);
            load.size_bytes = Some(bytes);
        }
        Some(Extent::Percent(percent)) => range.share = Some(percent / 100.0),
    }
    Ok(range)
}
