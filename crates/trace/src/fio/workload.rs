//! From a job file to a workload: each job a flow.

use std::collections::BTreeMap;

use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::run::WindowConfig;

use super::config::FioConfig;
use super::file::sections;
use super::job::{Extent, Job};
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
    let jobs = sections(text)?.iter().map(Job::read).collect::<Result<Vec<_>, String>>()?;
    let mut files = Files::default();
    let mut flows = Vec::new();
    for job in &jobs {
        for copy in 0..job.copies {
            flows.push(flow(job, copy, &mut files)?);
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
    let mut ignored: Vec<&str> = jobs.iter().flat_map(|job| job.ignored.iter().map(String::as_str)).collect();
    ignored.sort_unstable();
    ignored.dedup();
    let mut notes: Vec<String> = jobs.iter().flat_map(|job| job.notes.clone()).collect();
    if !ignored.is_empty() {
        notes.push(format!("keys without effect on the load, ignored: {}", ignored.join(", ")));
    }
    Ok(Imported { workload, notes })
}

/// Where the files of a job file lie on the drive.
#[derive(Default)]
struct Files {
    places: BTreeMap<String, (u64, u64)>,
    next: u64,
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

fn flow(job: &Job, copy: u64, files: &mut Files) -> Result<FlowConfig, String> {
    let name = if job.copies > 1 { format!("{}.{copy}", job.name) } else { job.name.clone() };
    let fail = |what: &str| format!("line {}: job {}: {what}", job.line, job.name);
    let on_drive = job.filename.as_deref().is_some_and(|file| file.starts_with("/dev/"));
    let mut load = job.load.clone();
    let range = if on_drive {
        device(job, copy, &mut load).map_err(|what| fail(&what))?
    } else {
        let Some(Extent::Bytes(size)) = job.size.or(job.file_bytes.map(Extent::Bytes)) else {
            return Err(fail(
                "a file needs a size in bytes; a file below /dev/ is the drive, in percent too",
            ));
        };
        let file = job.filename.clone().unwrap_or_else(|| format!("{}.{copy}.0", job.name));
        let (offset, step) = (in_bytes(job.offset, size), in_bytes(job.offset_increment, size));
        let offset = offset + step * copy;
        let file_bytes = job.file_bytes.unwrap_or(size + offset).max(1);
        let (start, bytes) = files.place(&file, file_bytes);
        load.offset_bytes = offset;
        load.size_bytes = Some(size.min(bytes.saturating_sub(offset)));
        RegionConfig { start_bytes: Some(start), bytes: Some(bytes), ..RegionConfig::default() }
    };
    if load.size_bytes == Some(0) {
        return Err(fail("nothing of the file is left behind the offset"));
    }
    load.io_bytes = if job.time_based {
        None
    } else {
        job.io_size.or(load.size_bytes).map(|bytes| bytes.saturating_mul(job.loops))
    };
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
