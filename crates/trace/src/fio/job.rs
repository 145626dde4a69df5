//! One job, read.

use wordline_config::host::InStep;
use wordline_config::latency_target::LatencyTarget;
use wordline_config::steady_end::SteadyEnd;

use super::commands::{verifies, verify_in_place_of_writes};
use super::cover;
use super::depth::Depth;
use super::engines::{Target, target};
use super::file::Section;
use super::given::Reasons;
use super::iolog::{Iolog, iolog};
use super::latency::latency_target;
use super::load::load;
use super::options::Settings;
use super::sequence::Order;
use super::steady::steady_end;
use super::values::{Base, SECOND, percent, switch, time_ns, whole};
use crate::config::FioConfig;

/// The least that a volume is read or written by.
const SECTOR_BYTES: u64 = 512;

/// Most files of a job.
const MAX_FILES: u64 = 65_536;

/// A size in bytes or in percent of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extent {
    Bytes(u64),
    Percent(f64),
}

/// A job, before its file has a place on the drive.
pub(super) struct Job {
    pub name: String,
    pub section: String,
    pub line: usize,
    pub load: FioConfig,
    pub iolog: Option<Iolog>,
    pub order: Order,
    pub in_step: Option<InStep>,
    pub copies: u64,
    pub depth: Depth,
    pub latency_target: Option<LatencyTarget>,
    pub steady_end: Option<SteadyEnd>,
    pub think_ns: u64,
    pub run_ns: Option<u64>,
    pub ramp_ns: u64,
    /// What its engine does with its requests.
    pub target: Target,
    pub filenames: Vec<String>,
    /// How its files are called that have no names.
    pub format: Option<String>,
    pub files: u64,
    pub size: Option<Extent>,
    pub file_bytes: Option<u64>,
    /// Whether it writes until the drive is full.
    pub fills: bool,
    pub io_size: Option<u64>,
    pub loops: u64,
    pub time_based: bool,
    pub offset: Extent,
    pub offset_increment: Extent,
    /// Whether it has zones (`zonemode=zbd`), which only one that writes keeps.
    pub is_in_zones: bool,
    pub ignored: Vec<String>,
    pub notes: Vec<String>,
}

impl Job {
    /// Reads a section.
    pub(super) fn read(section: &Section, reasons: &mut Reasons) -> Self {
        let mut keys = Settings::of(section, reasons);
        let kilo = keys.take_value("kb_base", |text| whole(text, 1000, 1024)).unwrap_or(1024);
        let base = Base { kilo, zone: None };
        let base = Base { zone: keys.peek("zonesize").and_then(|text| base.bytes(text).ok()), ..base };
        let mut notes = Vec::new();
        let engine = keys.take_name("ioengine");
        let is_given = engine.is_some();
        let engine = engine.unwrap_or_else(|| "psync".to_owned());
        let target = target_of(&mut keys, &engine);
        note_cache(&mut keys, target, &mut notes);
        let depth = Depth::read(&mut keys, &engine, is_given, &mut notes);
        let think_ns = keys.take_value("thinktime", |text| time_ns(text, 1000)).unwrap_or(0);
        let run_ns = keys.take_value("runtime", |text| time_ns(text, SECOND)).filter(|ns| *ns > 0);
        let mut load = load(&mut keys, base);
        if verifies(&mut keys, load.zones.is_some(), &mut notes) {
            notes.extend(verify_in_place_of_writes(&mut load, &mut keys));
        }
        if think_ns > 0 && (depth.requests > 1 || load.has_rates()) {
            keys.wrong("thinktime is modelled with iodepth=1 and without a rate only");
        }
        if depth.batch > 1 && load.has_rates() {
            keys.wrong("iodepth_batch_complete, iodepth_low: allowed: in a job without a rate");
        }
        if target == Target::Volume
            && let Some(bytes) = load.sizes().find(|bytes| bytes % SECTOR_BYTES != 0)
        {
            let data = (bytes / SECTOR_BYTES).max(1) * SECTOR_BYTES;
            keys.wrong(&format!(
                "bs: allowed: multiples of 512 bytes, those of data: metadata between blocks isn't modelled \
                 (--fio bs={data})"
            ));
        }
        let mut time_based = keys.take("time_based", switch).unwrap_or(false);
        if time_based && run_ns.is_none() {
            notes.push(format!("job {}: time_based without a runtime does nothing, as in fio", section.name));
            time_based = false;
        }
        let name = keys.take_name("name").unwrap_or_else(|| section.name.clone());
        let (filenames, format) = filenames(&mut keys);
        let ramp_ns = keys.take_value("ramp_time", |text| time_ns(text, SECOND)).unwrap_or(0);
        let latency_target = latency_target(&mut keys, load.has_rates(), ramp_ns, &mut notes);
        let steady_end = steady_end(&mut keys, base, ramp_ns, &mut notes);
        if load.verify.is_some()
            && (latency_target.as_ref().is_some_and(LatencyTarget::stops) || steady_end.is_some())
        {
            let job = keys.job;
            notes.push(format!(
                "job {job}: what it would have read back behind the point at which it ends doesn't come"
            ));
        }
        let mut job = Self {
            name,
            section: section.name.clone(),
            line: section.line,
            load,
            iolog: iolog(&mut keys),
            order: Order::read(&mut keys),
            in_step: in_step(&mut keys),
            copies: keys.take_value("numjobs", |text| whole(text, 1, 65_535)).unwrap_or(1),
            depth,
            latency_target,
            steady_end,
            think_ns,
            run_ns,
            ramp_ns,
            target,
            filenames,
            format,
            files: keys.take_value("nrfiles", |text| whole(text, 1, MAX_FILES)).unwrap_or(1),
            size: keys.take_value("size", |text| extent(text, base)),
            file_bytes: keys.take_value("filesize", |text| base.bytes(text)),
            fills: keys.is_on("fill_device"),
            io_size: keys.take_value("io_size", |text| base.bytes(text)).filter(|bytes| *bytes > 0),
            loops: keys.take_value("loops", |text| whole(text, 1, 1 << 32)).unwrap_or(1),
            time_based,
            offset: keys.take_value("offset", |text| extent(text, base)).unwrap_or(Extent::Bytes(0)),
            offset_increment: keys
                .take_value("offset_increment", |text| extent(text, base))
                .unwrap_or(Extent::Bytes(0)),
            is_in_zones: false,
            ignored: Vec::new(),
            notes,
        };
        if job.time_based && job.load.verify.is_some_and(|verify| verify.backlog.is_none()) {
            job.notes
                .push(format!("job {}: verify reads nothing back: the job ends with its runtime", job.name));
            job.load.verify = None;
        }
        if job.iolog.is_some() {
            refuse_beside_a_replay(&job, &mut keys);
        }
        job.keep_zones(&mut keys);
        job.notes.extend(cover::note(&job.load).map(|what| format!("job {}: {what}", job.name)));
        job.open_few(&mut keys);
        if job.load.flushes_at_ends() && job.run_ns.is_some() {
            let what = "end_fsync: a job that its runtime ends has no last flush, unlike in fio";
            job.notes.push(format!("job {}: {what}", job.name));
        }
        if job.order.new_group && !job.order.in_group {
            job.ignored.push("new_group".to_owned());
        }
        let (ignored, notes) = keys.finish();
        job.ignored.extend(ignored);
        job.notes.extend(notes);
        job
    }

    /// Whether its engine does block I/O.
    pub(super) fn does_block_io(&self) -> bool {
        !matches!(self.target, Target::Other(_))
    }
}

/// A trace that is replayed keeps its requests and their times: what fio would change of them is refused. What it passes over
/// itself, such as `rw` and `bs`, isn't.
fn refuse_beside_a_replay(job: &Job, keys: &mut Settings<'_>) {
    let Job { load, .. } = job;
    let changes = [
        ("rate, rate_iops", load.has_rates()),
        ("thinktime", job.think_ns > 0),
        ("number_ios", load.number_ios.is_some()),
        ("io_size", job.io_size.is_some()),
        ("loops", job.loops > 1),
        ("verify", load.verify.is_some()),
        ("fsync, fdatasync", load.fsync > 0 || load.fdatasync > 0 || load.flushes_at_ends()),
    ];
    for (what, _) in changes.into_iter().filter(|(_, is_set)| *is_set) {
        keys.wrong(&format!(
            "{what}: allowed: in a job without read_iolog, whose requests are those of the trace"
        ));
    }
}

/// What the engine does; one that does no block I/O is refused.
fn target_of(keys: &mut Settings<'_>, engine: &str) -> Target {
    let target = target(engine);
    match target {
        Some(Target::Other(what)) => {
            keys.refuse(&format!("ioengine={engine}: allowed: an engine of block I/O ({what})"));
        }
        None => keys.wrong(&format!("ioengine={engine}: allowed: an engine of fio's that does block I/O")),
        _ => {}
    }
    target.unwrap_or(Target::Files)
}

/// Tells where fio would go through a page cache.
fn note_cache(keys: &mut Settings<'_>, target: Target, notes: &mut Vec<String>) {
    // Two names of one thing.
    let buffered_holds = keys.is_behind("buffered", "direct");
    let direct = keys.take("direct", switch);
    let buffered = keys.take("buffered", switch).map(|buffered| !buffered);
    let is_direct = if buffered_holds { buffered } else { direct }.unwrap_or(false);
    if target == Target::Cached && !is_direct {
        notes.push(
            "direct=0: in fio the page cache stands between; here each request reaches the drive".to_owned(),
        );
    }
}

/// `flow`, a share of the requests beside other jobs.
fn in_step(keys: &mut Settings<'_>) -> Option<InStep> {
    let group = keys.take_value("flow_id", |text| whole(text, 0, u64::from(u32::MAX))).unwrap_or(0) as u32;
    let weight = keys.take_value("flow", |text| whole(text, 0, 1_000_000)).filter(|weight| *weight > 0)?;
    Some(InStep { group, weight: weight as u32 })
}

/// The names of a job's files, with their folder, or the format of the names that they get.
fn filenames(keys: &mut Settings<'_>) -> (Vec<String>, Option<String>) {
    let directory = keys.take_name("directory");
    let names = keys.take_name("filename");
    let format = keys.take_value("filename_format", name_format);
    let whole = |name: String| match &directory {
        Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
        _ => name,
    };
    let names: Vec<String> =
        names.map(|names| split_names(&names)).unwrap_or_default().into_iter().map(whole).collect();
    let format = format.flatten().filter(|_| names.is_empty());
    if format.is_some() && directory.as_ref().is_some_and(|directory| directory.contains(':')) {
        keys.wrong("filename_format beside a directory= of several: allowed: one folder");
    }
    (names, format.map(whole))
}

/// The format of files' names, if it is another than fio's own.
fn name_format(text: &str) -> Result<Option<String>, String> {
    if text.starts_with("/dev/") {
        return Err("names of files: a drive is a filename".into());
    }
    // All jobs have one client, this one.
    Ok(Some(text.replace("$clientuid", "localhost")).filter(|text| !text.is_empty()))
}

/// Names between colons; a colon of a name has a backslash before it.
fn split_names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, names.last_mut()) {
            ('\\', Some(name)) => name.extend(characters.next()),
            (':', _) => names.push(String::new()),
            (_, Some(name)) => name.push(character),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn extent(text: &str, base: Base) -> Result<Extent, String> {
    if text.ends_with('%') {
        return percent(text).map(Extent::Percent);
    }
    base.bytes(text).map(Extent::Bytes)
}
