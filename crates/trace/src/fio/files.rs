//! Where the files of a job file lie on the drive.

use std::collections::BTreeMap;

use super::ends::goes_through;
use super::engines::Target;
use super::given::Reasons;
use super::job::{Extent, Job};
use super::lengths::one_length;
use super::options::Settings;
use super::values::whole;
use crate::config::{FileOrderKind, FilePart, FioConfig, RegionConfig};

/// Files begin at multiples of this, bytes.
const FILE_ALIGNMENT: u64 = 1 << 20;

/// Most bytes of all files: 1 EiB, a multiple of that.
const MOST_BYTES: u64 = 1 << 60;

/// How files are called that have no names.
const FORMAT: &str = "$jobname.$jobnum.$filenum";

/// The files of all jobs, one behind the other in the order in which jobs name them.
#[derive(Default)]
pub(super) struct Files {
    places: BTreeMap<String, Place>,
}

/// A file's place; without a length it goes to the drive's end.
#[derive(Clone, Copy)]
struct Place {
    start: u64,
    bytes: Option<u64>,
}

impl Files {
    /// Lays out what these jobs use.
    pub(super) fn of(jobs: &[Job], reasons: &mut Reasons) -> Self {
        // A file is as long as the job wants it that wants most.
        let mut wanted: Vec<(String, u64)> = Vec::new();
        let mut known: BTreeMap<String, usize> = BTreeMap::new();
        let mut filled: Vec<String> = Vec::new();
        for job in jobs.iter().filter(|job| !job.is_on_drive() && job.iolog.is_none()) {
            for (number, name) in (0..job.copies).flat_map(|copy| (0..).zip(job.names(copy))) {
                match job.wanted_bytes(number) {
                    _ if job.fills && filled.contains(&name) => {}
                    _ if job.fills => filled.push(name),
                    None => {}
                    Some(bytes) => match known.get(&name).and_then(|place| wanted.get_mut(*place)) {
                        Some((_, most)) => *most = bytes.max(*most),
                        None => {
                            known.insert(name.clone(), wanted.len());
                            wanted.push((name, bytes));
                        }
                    },
                }
            }
        }
        if filled.len() > 1 {
            reasons
                .add(format!("fill_device of {}: allowed: one file that fills the drive", filled.join(", ")));
        }
        let mut next = 0_u64;
        let mut places = BTreeMap::new();
        for (name, bytes) in wanted.into_iter().filter(|(name, _)| !filled.contains(name)) {
            if bytes > MOST_BYTES - next {
                reasons.add(format!("files of more than {MOST_BYTES} bytes: allowed: what a drive holds"));
                next = 0;
            }
            let bytes = bytes.min(MOST_BYTES);
            places.insert(name, Place { start: next, bytes: Some(bytes) });
            next = (next + bytes.next_multiple_of(FILE_ALIGNMENT)).min(MOST_BYTES);
        }
        places.extend(filled.into_iter().map(|name| (name, Place { start: next, bytes: None })));
        Self { places }
    }

    /// The range of a copy of a job; what it uses of that is put into its load.
    pub(super) fn range(&self, job: &Job, copy: u64, load: &mut FioConfig) -> Result<RegionConfig, String> {
        if job.is_on_drive() {
            return device(job, copy, load);
        }
        let names = job.names(copy);
        if job.filenames.is_empty()
            && names.get(..2).is_some_and(|two| matches!(two, [one, other] if one == other))
        {
            return Err("filename_format: allowed: $filenum in it, for a job of several files".to_owned());
        }
        let places: Option<Vec<Place>> = names.iter().map(|name| self.places.get(name).copied()).collect();
        let Some(places) = places else {
            let what = "no size: in fio it is the file's, and there is none here: allowed: a size= or a filesize=, or \
                        --fio size=1g";
            return Err(what.to_owned());
        };
        match places.as_slice() {
            [place] => one_file(job, copy, *place, load),
            _ => several(job, copy, &places, load),
        }
    }
}

/// Refuses jobs on several drives, of which one is simulated.
pub(super) fn check_drives(jobs: &[Job], reasons: &mut Reasons) {
    let on_drive = jobs.iter().filter(|job| job.iolog.is_none() && job.does_block_io() && job.is_on_drive());
    let mut names = on_drive.flat_map(|job| job.filenames.iter().map(move |name| (job, name)));
    let Some((first, drive)) = names.next() else { return };
    // Several of one job are refused where it gets its range.
    for (job, other) in names.filter(|(job, name)| job.line != first.line && !is_same_drive(name, drive)) {
        reasons.add(format!(
            "line {}: job {}: filename={other} beside {drive} of job {}: allowed: one drive, the one that is simulated: \
             --section with the jobs of one, or --fio filename={drive} for all on it",
            job.line, job.name, first.name
        ));
    }
}

/// Whether two names are of one drive: an NVMe namespace has a second one, for commands.
fn is_same_drive(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.replacen("/dev/ng", "/dev/nvme", 1);
    one == other || plain(one) == plain(other)
}

/// Whether a name is that of a drive: files below `/dev/shm` lie in memory, in a file system as others do.
fn is_drive(name: &str) -> bool {
    name.starts_with("/dev/") && !name.starts_with("/dev/shm/")
}

impl Job {
    /// Of several files that may not be open at once one is used up before the next, if it is one.
    pub(super) fn open_few(&mut self, keys: &mut Settings<'_>) {
        let open = keys.take_value("openfiles", |text| whole(text, 1, 1 << 32));
        match open.filter(|open| *open < self.files) {
            None => {}
            Some(1) => self.load.file_order.kind = FileOrderKind::Sequential,
            Some(_) => self.notes.push(format!(
                "job {}: openfiles: all of its files are in use from the start, in fio so many at once",
                self.name
            )),
        }
    }

    /// Whether it has copies, which all use the same files, or the drive.
    pub(super) fn copies_share_files(&self) -> bool {
        self.copies > 1 && (self.is_on_drive() || self.names(0) == self.names(1))
    }

    /// Whether it uses the drive itself.
    fn is_on_drive(&self) -> bool {
        // One without block I/O needs no file.
        matches!(self.target, Target::Volume | Target::Other(_))
            || self.filenames.iter().any(|name| is_drive(name))
    }

    /// The files of a copy.
    fn names(&self, copy: u64) -> Vec<String> {
        if !self.filenames.is_empty() {
            return self.filenames.clone();
        }
        let format = self.format.as_deref().unwrap_or(FORMAT);
        let of_copy = format.replace("$jobname", &self.name).replace("$jobnum", &copy.to_string());
        (0..self.files).map(|file| of_copy.replace("$filenum", &file.to_string())).collect()
    }

    /// How many files it has.
    fn number(&self) -> u64 {
        if self.filenames.is_empty() { self.files } else { self.filenames.len() as u64 }
    }

    /// How long it wants this one of its files, if it says.
    fn wanted_bytes(&self, file: u64) -> Option<u64> {
        if let Some(bytes) = self.file_bytes {
            return Some(bytes.max(1));
        }
        let Some(Extent::Bytes(size)) = self.size else { return None };
        let each = self.part_of(size, file).max(1);
        Some(each.saturating_add(self.offset_of(each, self.copies.saturating_sub(1))))
    }

    /// What this one of its files has of a size. What is left over goes to the first ones by whole blocks.
    fn part_of(&self, size: u64, file: u64) -> u64 {
        let (number, block) = (self.number().max(1), self.load.smallest().max(1));
        let more = if file < size % number / block { block } else { 0 };
        size / number + more
    }

    /// Where a copy begins in a file of so many bytes. What is given in percent begins at a block.
    fn offset_of(&self, whole: u64, copy: u64) -> u64 {
        let step = in_bytes(self.offset_increment, whole).saturating_mul(copy);
        let offset = in_bytes(self.offset, whole).saturating_add(step);
        let block = if matches!(self.offset, Extent::Percent(_)) { self.load.smallest() } else { 1 };
        offset.checked_next_multiple_of(block).unwrap_or(offset)
    }
}

const NOTHING_LEFT: &str = "nothing of the file is left behind the offset";

fn one_file(job: &Job, copy: u64, place: Place, load: &mut FioConfig) -> Result<RegionConfig, String> {
    let range =
        RegionConfig { start_bytes: Some(place.start), bytes: place.bytes, ..RegionConfig::default() };
    let Some(bytes) = place.bytes else {
        // A file that fills the drive: its end is the drive's.
        load.offset_bytes = match (job.offset, job.size) {
            (Extent::Bytes(offset), None) => offset,
            _ => return Err("fill_device: allowed: an offset in bytes and no size".to_owned()),
        };
        return Ok(range);
    };
    let size = match job.size {
        Some(Extent::Bytes(size)) => Some(size),
        Some(Extent::Percent(percent)) => Some(in_whole_blocks(percent, bytes, load)),
        None => None,
    };
    let whole = job.file_bytes.or(size).unwrap_or(bytes);
    load.offset_bytes = job.offset_of(whole, copy);
    let room = bytes.saturating_sub(load.offset_bytes);
    let used = match (job.size, job.file_bytes) {
        // Beside a length of the file a size says how much is transferred, not where.
        (Some(Extent::Bytes(_)), Some(file)) => file.saturating_sub(load.offset_bytes).min(room),
        _ => to_whole_requests(load, size.unwrap_or(room)).min(room),
    };
    if used == 0 {
        return Err(NOTHING_LEFT.to_owned());
    }
    load.size_bytes = Some(used);
    load.io_bytes = size.filter(|size| *size < used && job.file_bytes.is_some());
    Ok(range)
}

/// A share of a file, in whole blocks.
fn in_whole_blocks(percent: f64, bytes: u64, load: &FioConfig) -> u64 {
    let share = in_bytes(Extent::Percent(percent), bytes);
    if percent >= 100.0 { share } else { share - share % load.smallest().max(1) }
}

/// The bytes that requests one behind the other reach, of which the last begins in `bytes`: behind these a file may go on.
fn to_whole_requests(load: &FioConfig, bytes: u64) -> u64 {
    let ways = [&load.read, &load.write, &load.trim].into_iter().flatten();
    let length = ways.last().and_then(one_length).filter(|_| goes_through(load));
    length.and_then(|length| bytes.checked_next_multiple_of(length)).unwrap_or(bytes)
}

fn several(job: &Job, copy: u64, places: &[Place], load: &mut FioConfig) -> Result<RegionConfig, String> {
    let mut ends = Vec::new();
    for (number, place) in (0..).zip(places) {
        let Some(bytes) = place.bytes else {
            return Err("fill_device: allowed: one file".to_owned());
        };
        let each = match job.size {
            Some(Extent::Bytes(size)) if job.file_bytes.is_none() => job.part_of(size, number),
            Some(Extent::Percent(percent)) => in_whole_blocks(percent, bytes, load),
            _ => bytes,
        };
        let offset = job.offset_of(each, copy);
        let used = each.min(bytes.saturating_sub(offset));
        if used == 0 {
            return Err(NOTHING_LEFT.to_owned());
        }
        ends.push((place.start + offset, used));
    }
    let start = places.iter().map(|place| place.start).min().unwrap_or(0);
    let end = ends.iter().map(|(start, bytes)| start + bytes).max().unwrap_or(start + 1);
    let part = |(first, bytes): (u64, u64)| FilePart { start_bytes: first - start, bytes };
    load.files = ends.into_iter().map(part).collect();
    let all = load.files.iter().fold(0_u64, |all, file| all.saturating_add(file.bytes));
    if let (Some(Extent::Bytes(size)), Some(_)) = (job.size, job.file_bytes) {
        load.io_bytes = Some(size).filter(|size| *size < all);
    }
    Ok(RegionConfig { start_bytes: Some(start), bytes: Some(end - start), ..RegionConfig::default() })
}

/// The part of the drive that a job on `/dev/…` uses, as the flow's range.
fn device(job: &Job, copy: u64, load: &mut FioConfig) -> Result<RegionConfig, String> {
    if job.filenames.len() > 1 {
        return Err(
            "filename: allowed: one drive, the one that is simulated: --fio filename=/dev/…".to_owned()
        );
    }
    let mut range = RegionConfig::default();
    match (job.offset, job.offset_increment) {
        (Extent::Bytes(offset), Extent::Bytes(step)) => {
            let start = step.checked_mul(copy).and_then(|step| offset.checked_add(step));
            let start = start.filter(|start| *start <= MOST_BYTES);
            let start = start.ok_or("offset and offset_increment: allowed: at most 2^60 bytes")?;
            range.start_bytes = Some(start).filter(|start| *start > 0);
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
            let bytes = to_whole_requests(load, bytes);
            range.bytes = Some(bytes);
            load.size_bytes = Some(bytes);
        }
        Some(Extent::Percent(percent)) => range.share = Some(percent / 100.0),
    }
    if load.size_bytes == Some(0) {
        return Err(NOTHING_LEFT.to_owned());
    }
    Ok(range)
}

fn in_bytes(extent: Extent, whole: u64) -> u64 {
    match extent {
        Extent::Bytes(bytes) => bytes,
        Extent::Percent(percent) => (whole as f64 * percent / 100.0) as u64,
    }
}
