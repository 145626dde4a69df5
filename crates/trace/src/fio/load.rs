//! The load of a job: which requests, in which order.

use super::distribution::access;
use super::options::Settings;
use super::rates::rates;
use super::sizes::sizes;
use super::values::{Base, by_direction, percent, switch, whole};
use super::zone_keys::ZoneKeys;
use crate::config::{Access, Direction, FileOrder, FileOrderKind, FioConfig, Verify};

/// What `rw` asks for.
struct Mode {
    used: [bool; 3],
    random: bool,
    /// What stands behind a colon.
    suffix: Option<String>,
}

fn mode(text: &str) -> Result<Mode, String> {
    let (text, suffix) =
        text.split_once(':').map_or((text, None), |(text, rest)| (text, Some(rest.to_owned())));
    let (text, random) = text.strip_prefix("rand").map_or((text, false), |rest| (rest, true));
    let used = match text {
        "read" => [true, false, false],
        "write" => [false, true, false],
        "trim" => [false, false, true],
        "rw" | "readwrite" => [true, true, false],
        "trimwrite" => [false, true, true],
        _ => {
            let allowed = "read, write, trim, rw, readwrite, trimwrite, and with rand before; behind a colon a hole in bytes or, \
                           with rand, a number of requests";
            return Err(allowed.into());
        }
    };
    Ok(Mode { used, random, suffix })
}

impl Mode {
    /// Of reads and writes with this share of reads: a direction without any is none that the job has.
    fn mixed(self, read_share: f64) -> Self {
        let used = match self.used {
            [true, true, trims] => [read_share > 0.0, read_share < 1.0, trims],
            used => used,
        };
        Self { used, ..self }
    }
}

/// What `rw=…:N` asks for: a hole between sequential requests, or a run at each random place.
fn suffix(keys: &mut Settings<'_>, mode: &Mode, base: Base) -> (i64, u64) {
    let Some(text) = &mode.suffix else { return (0, 0) };
    let read = || match (mode.random, text.strip_prefix('-')) {
        (true, _) => whole(text, 1, 1 << 48).map(|run| (0, run)),
        (false, Some(back)) => base.bytes(back).and_then(signed).map(|bytes| (-bytes, 0)),
        (false, None) => base.bytes(text).and_then(signed).map(|bytes| (bytes, 0)),
    };
    read().unwrap_or_else(|allowed| {
        keys.wrong(&format!("rw=…:{text}: allowed: {allowed}"));
        (0, 0)
    })
}

fn signed(bytes: u64) -> Result<i64, String> {
    i64::try_from(bytes).ok().filter(|bytes| *bytes <= 1 << 40).ok_or_else(|| "at most 1 TiB".to_owned())
}

/// The load of a job, before it has a place.
pub(super) fn load(keys: &mut Settings<'_>, base: Base) -> FioConfig {
    let mode = keys.take_value("rw", mode).unwrap_or(Mode {
        used: [true, false, false],
        random: false,
        suffix: None,
    });
    let (hole_bytes, run_requests) = suffix(keys, &mode, base);
    let same_place = keys.take_value("rw_sequencer", |text| match text {
        "sequential" => Ok(false),
        "identical" => Ok(true),
        _ => Err("sequential or identical".into()),
    });
    let read_share = read_share(keys);
    let mode = mode.mixed(read_share);
    let Directions { of: [read, write, trim], are_mapped } = directions(keys, &mode, base);
    let fsync = keys.take_value("fsync", |text| whole(text, 0, 1 << 48)).unwrap_or(0);
    let fdatasync = keys.take_value("fdatasync", |text| whole(text, 0, 1 << 48)).unwrap_or(0);
    let [end_fsync, end_syncfs, fsync_on_close] =
        ["end_fsync", "end_syncfs", "fsync_on_close"].map(|key| keys.is_on(key) && write.is_some());
    let process = keys.take_value("rate_process", |text| match text {
        "linear" => Ok(false),
        "poisson" => Ok(true),
        _ => Err("linear or poisson".into()),
    });
    let ZoneKeys { strided, zones } = ZoneKeys::read(keys, base);
    if zones.is_some() && trim.is_some() && write.is_some() {
        keys.wrong("rw=trimwrite: allowed: without zonemode=zbd");
    }
    FioConfig {
        offset_bytes: 0,
        size_bytes: None,
        files: Vec::new(),
        file_order: file_order(keys),
        io_bytes: None,
        loops: None,
        number_ios: keys.take_value("number_ios", |text| whole(text, 1, 1 << 48)),
        write_after_trim: trim.is_some() && write.is_some(),
        verify: write.as_ref().and(verify(keys, mode.random)),
        read,
        write,
        trim,
        read_share,
        with_replacement: keys.is_on("norandommap") || !are_mapped,
        hole_bytes,
        run_requests,
        same_place: mode.random && same_place.unwrap_or(false),
        strided,
        zones,
        // A flush is a flush: of one number the key doesn't matter.
        fsync: if fsync > 0 { fsync } else { fdatasync },
        fdatasync: if fsync > 0 { fdatasync } else { 0 },
        end_fsync: (end_fsync || fsync_on_close) && !end_syncfs,
        end_syncfs,
        dsync: written_through(keys),
        poisson: process.unwrap_or(false),
        runtime_s: None,
        job: None,
    }
}

/// The share of reads, from `rwmixread` or `rwmixwrite`, whichever comes last.
fn read_share(keys: &mut Settings<'_>) -> f64 {
    let is_of_writes = keys.is_behind("rwmixwrite", "rwmixread");
    let reads = keys.take_value("rwmixread", percent);
    let writes = keys.take_value("rwmixwrite", percent).map(|share| 100.0 - share);
    let share = if is_of_writes { writes } else { reads };
    share.unwrap_or(50.0) / 100.0
}

struct Directions {
    of: [Option<Direction>; 3],
    /// Whether a map of what was taken is possible: random places lie by the smallest length of each direction, used or not.
    are_mapped: bool,
}

fn directions(keys: &mut Settings<'_>, mode: &Mode, base: Base) -> Directions {
    let lengths = sizes(keys, base);
    let align = keys.take_value("ba", |text| by_direction(text, |part| base.bytes(part)));
    let random = keys.take_value("percentage_random", |text| by_direction(text, percent));
    let mut access = keys.take_value("random_distribution", |text| access(text, base));
    let moves = keys.take("random_sequence_stride", switch).unwrap_or(false);
    for access in access.iter_mut().flatten() {
        if let Access::Sequence { stride, .. } = access {
            *stride = moves;
        }
    }
    let iops = rates(keys, &lengths, base, mode.used);
    let smallest =
        lengths.of.each_ref().map(|sizes| sizes.iter().map(|size| size.bytes).min().unwrap_or(512));
    let lies_apart = |(align, smallest): (u64, u64)| align > 0 && align != smallest;
    let are_mapped =
        !mode.random || !align.is_some_and(|list| list.into_iter().zip(smallest).any(lies_apart));
    let of = [0, 1, 2].map(|index: usize| {
        let used = mode.used.get(index).copied().unwrap_or(false);
        let sizes = lengths.of.get(index).filter(|_| used)?;
        let share = random.and_then(|shares| shares.get(index).copied()).unwrap_or(100.0) / 100.0;
        let align = align.and_then(|list| list.get(index).copied()).filter(|align| *align > 0);
        Some(Direction {
            align_bytes: align.or(smallest.get(index).copied()).unwrap_or(512),
            random_share: if mode.random { share } else { 0.0 },
            access: access.as_ref().and_then(|list| list.get(index).cloned()).unwrap_or_default(),
            iops: iops.get(index).copied().flatten(),
            sizes: sizes.clone(),
        })
    });
    Directions { of, are_mapped }
}

fn written_through(keys: &mut Settings<'_>) -> bool {
    let sync = keys.take_value("sync", |text| match text {
        "0" | "none" => Ok(false),
        "1" | "sync" | "dsync" => Ok(true),
        _ => Err("0, none, 1, sync or dsync".into()),
    });
    keys.is_on("writefua") || sync.unwrap_or(false)
}

fn file_order(keys: &mut Settings<'_>) -> FileOrder {
    let order = keys.take_value("file_service_type", |text| {
        let (kind, rest) = text.split_once(':').map_or((text, None), |(kind, rest)| (kind, Some(rest)));
        let requests = rest.map_or(Ok(1), |rest| whole(rest, 1, 1 << 48))?;
        let kind = match kind {
            "roundrobin" => FileOrderKind::RoundRobin,
            "random" => FileOrderKind::Random,
            "sequential" => FileOrderKind::Sequential,
            _ => {
                return Err(
                    "roundrobin, random or sequential, with a number of requests behind a colon".into()
                );
            }
        };
        Ok(FileOrder { kind, requests })
    });
    order.unwrap_or_default()
}

/// `verify` and what of its keys changes what is read.
fn verify(keys: &mut Settings<'_>, random: bool) -> Option<Verify> {
    let is_asked = keys.take_value("verify", |text| Ok(!matches!(text, "0" | "none"))).unwrap_or(false);
    let phase = keys.take("do_verify", switch).unwrap_or(true);
    let backlog =
        keys.take_value("verify_backlog", |text| whole(text, 0, 1 << 32)).filter(|backlog| *backlog > 0);
    let batch =
        keys.take_value("verify_backlog_batch", |text| whole(text, 0, 1 << 32)).filter(|batch| *batch > 0);
    let sorts = keys.take("verifysort", switch).unwrap_or(true);
    let only = keys.is_on("verify_only");
    let reads = is_asked && (phase || backlog.is_some());
    (reads || only).then_some(Verify { backlog, batch, sorted: random && sorts, only })
}
