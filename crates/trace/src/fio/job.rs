//! One job, read.

use super::file::Section;
use super::keys::is_synchronous;
use super::options::Settings;
use super::values::{Base, by_direction, percent, switch, time_ns, whole};
use crate::config::SizeWeight;
use crate::config::{Access, Direction, FioConfig, Zone};

const SECOND: u64 = 1_000_000_000;

/// A size in bytes or in percent of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Extent {
    Bytes(u64),
    Percent(f64),
}

/// A job, before its file has a place on the drive.
pub(super) struct Job {
    pub name: String,
    pub line: usize,
    pub load: FioConfig,
    pub copies: u64,
    pub depth: u32,
    pub think_ns: u64,
    pub run_ns: Option<u64>,
    pub ramp_ns: u64,
    pub filename: Option<String>,
    pub size: Option<Extent>,
    pub file_bytes: Option<u64>,
    pub io_size: Option<u64>,
    pub loops: u64,
    pub time_based: bool,
    pub offset: Extent,
    pub offset_increment: Extent,
    pub ignored: Vec<String>,
    pub notes: Vec<String>,
}

/// What `rw` asks for.
struct Mode {
    read: bool,
    write: bool,
    trim: bool,
    random: bool,
}

fn mode(text: &str) -> Result<Mode, String> {
    let (text, random) = text.strip_prefix("rand").map_or((text, false), |rest| (rest, true));
    let (read, write, trim) = match text {
        "read" => (true, false, false),
        "write" => (false, true, false),
        "trim" => (false, false, true),
        "rw" | "readwrite" => (true, true, false),
        "trimwrite" => (false, true, true),
        _ => {
            return Err("read, write, trim, rw, readwrite, trimwrite, and with rand before".into());
        }
    };
    Ok(Mode { read, write, trim, random })
}

impl Job {
    /// Reads a section.
    pub(super) fn read(section: &Section) -> Result<Self, String> {
        let mut keys = Settings::of(section);
        refuse_unmodelled(&mut keys)?;
        let base = Base { kilo: keys.take_value("kb_base", |text| whole(text, 1000, 1024))?.unwrap_or(1024) };
        let mode = keys.take_value("rw", mode)?.unwrap_or(Mode {
            read: true,
            write: false,
            trim: false,
            random: false,
        });
        let mut notes = Vec::new();
        let engine = keys.take_value("ioengine", |text| Ok(text.to_owned()))?;
        let mut ignored = Vec::new();
        if engine.is_some() {
            ignored.push("ioengine".to_owned());
        }
        let mut depth = keys.take_value("iodepth", |text| whole(text, 1, 65_536))?.unwrap_or(1) as u32;
        if depth > 1 && engine.as_deref().is_some_and(is_synchronous) {
            notes.push(format!(
                "job {}: iodepth={depth} is 1 under a synchronous ioengine, as in fio",
                section.name
            ));
            depth = 1;
        }
        let think_ns = keys.take_value("thinktime", |text| time_ns(text, 1000))?.unwrap_or(0);
        if think_ns > 0 && depth > 1 {
            return Err(format!(
                "line {}: job {}: thinktime is modelled with iodepth=1 only",
                section.line, section.name
            ));
        }
        let run_ns = keys.take_value("runtime", |text| time_ns(text, SECOND))?.filter(|ns| *ns > 0);
        let load = load(&mut keys, &mode, base, section)?;
        let mut job = Self {
            name: keys.take_value("name", |text| Ok(text.to_owned()))?.unwrap_or_else(|| keys.job.to_owned()),
            line: section.line,
            load,
            copies: keys.take_value("numjobs", |text| whole(text, 1, 65_535))?.unwrap_or(1),
            depth,
            think_ns,
            run_ns,
            ramp_ns: keys.take_value("ramp_time", |text| time_ns(text, SECOND))?.unwrap_or(0),
            filename: filename(&mut keys)?,
            size: keys.take_value("size", |text| extent(text, base))?,
            file_bytes: keys.take_value("filesize", |text| base.bytes(text))?,
            io_size: keys.take_value("io_size", |text| base.bytes(text))?,
            loops: keys.take_value("loops", |text| whole(text, 1, 1 << 32))?.unwrap_or(1),
            time_based: keys.take("time_based", switch)?.unwrap_or(false),
            offset: keys.take_value("offset", |text| extent(text, base))?.unwrap_or(Extent::Bytes(0)),
            offset_increment: keys
                .take_value("offset_increment", |text| extent(text, base))?
                .unwrap_or(Extent::Bytes(0)),
            ignored,
            notes,
        };
        job.ignored.extend(keys.finish()?);
        if job.time_based && job.run_ns.is_none() {
            return Err(format!("line {}: job {}: time_based needs a runtime", section.line, job.name));
        }
        Ok(job)
    }
}

/// Keys that change the load and aren't modelled.
fn refuse_unmodelled(keys: &mut Settings<'_>) -> Result<(), String> {
    keys.refuse("thinktime_blocks", &["1"], "1: a pause after each request")?;
    keys.refuse("nrfiles", &["1"], "1: a job uses one file")?;
    keys.refuse("rw_sequencer", &["sequential"], "sequential")?;
    keys.refuse("startdelay", &["0"], "0: jobs begin together")?;
    keys.refuse("stonewall", &["0"], "0: jobs run beside one another")?;
    keys.refuse("wait_for_previous", &["0"], "0: jobs run beside one another")?;
    keys.refuse("iodepth_batch", &["1"], "1: requests are issued one by one")?;
    keys.refuse("iodepth_batch_submit", &["1"], "1: requests are issued one by one")?;
    keys.refuse("iodepth_batch_complete", &["1"], "1: answers are taken one by one")?;
    keys.refuse("iodepth_batch_complete_min", &["1"], "1: answers are taken one by one")?;
    keys.refuse("bs_is_seq_rand", &["0"], "0")?;
    keys.refuse("blocksize_unaligned", &["0"], "0")?;
    keys.refuse("verify", &["0"], "0: nothing is read back")?;
    keys.refuse("do_verify", &["0"], "0: nothing is read back")?;
    keys.refuse("zonemode", &["none"], "none")?;
    keys.refuse("buffered", &["0"], "0: a page cache isn't modelled for fio")?;
    keys.refuse("atomic", &["0"], "0")
}

fn filename(keys: &mut Settings<'_>) -> Result<Option<String>, String> {
    let directory = keys.take_value("directory", |text| Ok(text.to_owned()))?;
    let name = keys.take_value("filename", |text| {
        if text.contains(':') { Err("one file".into()) } else { Ok(text.to_owned()) }
    })?;
    Ok(name.map(|name| match directory {
        Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
        _ => name,
    }))
}

fn extent(text: &str, base: Base) -> Result<Extent, String> {
    if text.ends_with('%') {
        return percent(text).map(Extent::Percent);
    }
    base.bytes(text).map(Extent::Bytes)
}

fn load(keys: &mut Settings<'_>, mode: &Mode, base: Base, section: &Section) -> Result<FioConfig, String> {
    let read_mix = keys.take_value("rwmixread", percent)?;
    let write_mix = keys.take_value("rwmixwrite", percent)?;
    let sizes = sizes(keys, base)?;
    let align = keys.take_value("ba", |text| by_direction(text, |part| base.bytes(part)))?;
    let random = keys.take_value("percentage_random", |text| by_direction(text, percent))?;
    let access = keys.take_value("random_distribution", |text| access(text, base))?;
    let iops = rates(keys, &sizes, base, mode, section)?;
    let direction = |used: bool, index: usize| -> Option<Direction> {
        let sizes = sizes.get(index).filter(|_| used)?;
        let smallest = sizes.iter().map(|size| size.bytes).min().unwrap_or(512);
        let share = random.and_then(|shares| shares.get(index).copied()).unwrap_or(100.0) / 100.0;
        Some(Direction {
            align_bytes: align
                .and_then(|list| list.get(index).copied())
                .filter(|align| *align > 0)
                .unwrap_or(smallest),
            random_share: if mode.random { share } else { 0.0 },
            access: access.as_ref().and_then(|list| list.get(index).cloned()).unwrap_or_default(),
            iops: iops.get(index).copied().flatten(),
            sizes: sizes.clone(),
        })
    };
    let dsync = keys.take_value("sync", |text| match text {
        "0" | "none" => Ok(false),
        "1" | "sync" | "dsync" => Ok(true),
        _ => Err("0, none, 1, sync or dsync".into()),
    })?;
    let fsync = keys.take_value("fsync", |text| whole(text, 0, 1 << 48))?.unwrap_or(0);
    let fdatasync = keys.take_value("fdatasync", |text| whole(text, 0, 1 << 48))?.unwrap_or(0);
    Ok(FioConfig {
        offset_bytes: 0,
        size_bytes: None,
        io_bytes: None,
        loops: None,
        number_ios: keys.take_value("number_ios", |text| whole(text, 1, 1 << 48))?,
        read: direction(mode.read, 0),
        write: direction(mode.write, 1),
        trim: direction(mode.trim, 2),
        read_share: read_mix.or(write_mix.map(|share| 100.0 - share)).unwrap_or(50.0) / 100.0,
        write_after_trim: mode.trim && mode.write,
        with_replacement: keys.take("norandommap", switch)?.unwrap_or(false),
        fsync: if fsync > 0 { fsync } else { fdatasync },
        end_fsync: keys.take("end_fsync", switch)?.unwrap_or(false),
        dsync: dsync.unwrap_or(false),
        poisson: keys
            .take_value("rate_process", |text| match text {
                "linear" => Ok(false),
                "poisson" => Ok(true),
                _ => Err("linear or poisson".into()),
            })?
            .unwrap_or(false),
        runtime_s: None,
        job: None,
    })
}

type SizeList = Vec<SizeWeight>;

/// Lengths of reads, writes and trims: `bssplit`, `bsrange` or `bs`.
fn sizes(keys: &mut Settings<'_>, base: Base) -> Result<[SizeList; 3], String> {
    let one = |bytes: u64| vec![SizeWeight { bytes, weight: 1.0 }];
    let bs = keys.take_value("bs", |text| by_direction(text, |part| positive(base, part).map(one)))?;
    let range = keys.take_value("bsrange", |text| by_direction(text, |part| range(part, base)))?;
    let split = keys.take_value("bssplit", |text| by_direction(text, |part| split(part, base)))?;
    Ok(split.or(range).or(bs).unwrap_or_else(|| [one(4096), one(4096), one(4096)]))
}

fn positive(base: Base, text: &str) -> Result<u64, String> {
    base.bytes(text).and_then(|bytes| {
        if (1..=1 << 30).contains(&bytes) { Ok(bytes) } else { Err("1 byte to 1 GiB".into()) }
    })
}

/// `low-high`: multiples of the low end, all alike.
fn range(text: &str, base: Base) -> Result<SizeList, String> {
    let (low, high) = text.split_once('-').ok_or("low-high, such as 4k-64k")?;
    let (low, high) = (positive(base, low)?, positive(base, high)?);
    if high < low || high / low > 65_536 {
        return Err("low-high, the high end at least the low one and at most 65536 times it".into());
    }
    Ok((1..=high / low).map(|factor| SizeWeight { bytes: low * factor, weight: 1.0 }).collect())
}

/// `size/percentage:size/percentage`; sizes without a percentage share what is left.
fn split(text: &str, base: Base) -> Result<SizeList, String> {
    let mut list = Vec::new();
    for part in text.split(':') {
        let (size, share) = part.split_once('/').unwrap_or((part, ""));
        let share = if share.trim().is_empty() { None } else { Some(percent(share)?) };
        list.push((positive(base, size)?, share));
    }
    let given: f64 = list.iter().filter_map(|(_, share)| *share).sum();
    if given > 100.5 {
        return Err("percentages of 100 together".into());
    }
    let open = list.iter().filter(|(_, share)| share.is_none()).count();
    let rest = if open > 0 { (100.0 - given).max(0.0) / open as f64 } else { 0.0 };
    let sizes: SizeList =
        list.iter().map(|&(bytes, share)| SizeWeight { bytes, weight: share.unwrap_or(rest) }).collect();
    if sizes.iter().all(|size| size.weight <= 0.0) {
        return Err("a size with more than 0 percent".into());
    }
    Ok(sizes)
}

/// Requests per second of each direction, from `rate` or `rate_iops`.
fn rates(
    keys: &mut Settings<'_>,
    sizes: &[SizeList; 3],
    base: Base,
    mode: &Mode,
    section: &Section,
) -> Result<[Option<f64>; 3], String> {
    let optional = |text: &str| if text.is_empty() { Ok(0) } else { base.bytes(text) };
    let bytes = keys.take_value("rate", |text| by_direction(text, optional))?;
    let requests = keys.take_value("rate_iops", |text| by_direction(text, optional))?;
    let mean = |list: &SizeList| {
        let weight: f64 = list.iter().map(|size| size.weight).sum();
        list.iter().map(|size| size.bytes as f64 * size.weight).sum::<f64>() / weight.max(1e-300)
    };
    let used = [mode.read, mode.write, mode.trim];
    let mut out = [None; 3];
    for (index, slot) in out.iter_mut().enumerate() {
        let of =
            |list: Option<[u64; 3]>| list.and_then(|list| list.get(index).copied()).filter(|rate| *rate > 0);
        let size = sizes.get(index).map_or(4096.0, &mean);
        *slot = of(requests).map(|rate| rate as f64).or(of(bytes).map(|rate| rate as f64 / size));
    }
    let limited = used.iter().zip(&out).filter(|(used, rate)| **used && rate.is_some()).count();
    let all = used.iter().filter(|used| **used).count();
    if limited > 0 && limited < all {
        return Err(format!(
            "line {}: job {}: a rate for one direction and none for the other: allowed: both, or two jobs",
            section.line, section.name
        ));
    }
    Ok(out)
}

/// `random_distribution`, for one to three directions.
fn access(text: &str, base: Base) -> Result<[Access; 3], String> {
    by_direction(text, |part| one_access(part, base))
}

fn one_access(text: &str, base: Base) -> Result<Access, String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let number = |default: f64| -> Result<f64, String> {
        if rest.is_empty() {
            return Ok(default);
        }
        rest.parse().map_err(|_| "a number behind the colon".to_owned())
    };
    match kind {
        "random" => Ok(Access::Random),
        "zipf" => number(1.1).map(Access::Zipf),
        "pareto" => number(0.2).map(Access::Pareto),
        "normal" => number(0.0).map(Access::Normal),
        "zoned" | "zoned_abs" => {
            let zone = |part: &str| -> Result<Zone, String> {
                let (access, space) = part.split_once('/').ok_or("zones of access/space")?;
                let access = percent(access)?;
                if kind == "zoned" {
                    return Ok(Zone { access, space: Some(percent(space)?), bytes: None });
                }
                Ok(Zone { access, space: None, bytes: Some(base.bytes(space)?) })
            };
            let zones = rest.split(':').map(zone).collect::<Result<Vec<Zone>, String>>()?;
            if zones.iter().map(|zone| zone.access).sum::<f64>() > 100.5 {
                return Err("zones with 100 percent of the requests together".into());
            }
            Ok(Access::Zoned(zones))
        }
        _ => Err(
            "random, zipf:theta, pareto:h, normal:deviation, zoned:access/space:…, zoned_abs:access/bytes:…"
                .into(),
        ),
    }
}
