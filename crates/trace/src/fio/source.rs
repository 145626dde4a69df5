//! The requests of a job.

use rand::Rng;
use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::error::ConfigError;

use super::access::Places;
use super::checks::Checks;
use super::cover;
use super::ends::LeftOver;
use super::lengths::one_length;
use super::turns::Turns;
use super::way::{Pace, Way};
use super::zones::ZonesOfFile;
use crate::config::{Access, Direction, FilePart, FioConfig};
use crate::rng::{Xoshiro256PlusPlus, stream, unit};

/// Requests that are given at once.
const BATCH: usize = 512;

/// Writes that aren't made and whose places are held, 4 GiB of them.
const MOST_KEPT: u64 = 1 << 28;

/// Generates the requests of one job.
pub(crate) struct FioSource {
    ways: Vec<Way>,
    /// Of each file the places that all directions still have to take, where they share them.
    maps: Vec<Option<Places>>,
    /// Of each file, where it is written in zones.
    zones: Vec<ZonesOfFile>,
    read_share: f64,
    paced: bool,
    turns: Turns,
    /// Bytes and requests of a pass, and those that are still to come in this one.
    pass: (u64, u64),
    bytes_left: u64,
    ios_left: u64,
    /// Passes behind this one, and requests in all that are still to come.
    passes_left: u64,
    requests_left: u64,
    hint: Option<u64>,
    /// What a pass doesn't reach, or reaches more often than in fio.
    note: Option<String>,
    write_after_trim: bool,
    checks: Option<Checks>,
    /// Writes so far, and the numbers of which a flush comes behind each multiple; 0: none.
    written: u64,
    fsync: [u64; 2],
    /// Flushes at the end of a pass, and whether the last request was one: then none comes there.
    last_flushes: usize,
    flushed: bool,
    /// Whether what a pass does but for reading back is done.
    pass_has_ended: bool,
    has_ended: bool,
    now: u64,
    mix: Xoshiro256PlusPlus,
}

impl FioSource {
    /// A source in a range of so many bytes. Paths in errors begin below `source.fio`.
    pub(crate) fn new(
        config: &FioConfig,
        requests: Option<u64>,
        range_bytes: u64,
        seed: u64,
    ) -> Result<Self, ConfigError> {
        Self::of_seeds(config, requests, range_bytes, [seed, seed])
    }

    /// What came before the first request of [`Self::new`]: other requests without end, to the same hot places.
    pub(crate) fn before(config: &FioConfig, range_bytes: u64, seed: u64) -> Result<Self, ConfigError> {
        let endless = config.clone().without_end();
        Self::of_seeds(&endless, None, range_bytes, [stream(seed, "trace.before").next_u64(), seed])
    }

    /// With draws that follow from the first seed, and hot places that follow from the second.
    fn of_seeds(
        config: &FioConfig,
        requests: Option<u64>,
        range_bytes: u64,
        seeds: [u64; 2],
    ) -> Result<Self, ConfigError> {
        let [seed, _] = seeds;
        let files = files(config, range_bytes)?;
        let bytes = files.iter().map(|file| file.bytes).sum();
        let zones = ZonesOfFile::of(config, &files)?;
        let left_over = LeftOver::of(config, &files);
        let large = cover::note_of_files(config, &files);
        let writes = if config.dsync { HostOp::WriteFua } else { HostOp::Write };
        let mut ways = Vec::new();
        let all = [
            ("read", HostOp::Read, &config.read),
            ("write", writes, &config.write),
            ("trim", HostOp::Trim, &config.trim),
        ];
        for (name, op, direction) in all {
            if let Some(direction) = direction {
                let way = Way::new(name, op, direction, config, &files, seeds);
                ways.push(way.map_err(|error| error.under(name))?);
            }
        }
        // A file has one map, whichever direction uses a place: the first one's.
        let given = ways.iter_mut().filter(|_| shares_map(config)).map(Way::give_maps);
        let maps = given.reduce(|first, _| first).unwrap_or_default();
        let endless = config.io_bytes.is_none() && config.loops.is_none();
        let pass_bytes = if endless { u64::MAX } else { config.io_bytes.unwrap_or(bytes) };
        let pass = (pass_bytes, config.number_ios.unwrap_or(u64::MAX));
        let passes = config.loops.unwrap_or(1);
        check_kept(config, pass)?;
        // Where nothing is done between them, passes are one.
        let all = match config.verify {
            Some(_) => (pass, passes),
            None => ((pass.0.saturating_mul(passes), pass.1.saturating_mul(passes)), 1),
        };
        let hint = hint(config, left_over, all, requests);
        let (pass, passes) = if config.flushes_at_ends() { (pass, passes) } else { all };
        Ok(Self {
            paced: ways.iter().any(|way| way.pace.is_some()),
            ways,
            maps,
            read_share: config.read_share,
            turns: Turns::new(config, &files, seed),
            pass,
            bytes_left: pass.0,
            ios_left: pass.1,
            passes_left: passes.saturating_sub(1),
            requests_left: requests.unwrap_or(u64::MAX),
            hint: hint.filter(|_| config.runtime_s.is_none() && zones.is_empty()),
            zones,
            note: left_over.and_then(|left| left.note()).or(large.map(str::to_owned)),
            write_after_trim: config.write_after_trim,
            checks: config.verify.map(Checks::new),
            written: 0,
            fsync: [config.fsync, config.fdatasync],
            last_flushes: match (config.end_syncfs, config.end_fsync) {
                (true, _) => 1,
                (false, true) => files.len(),
                (false, false) => 0,
            },
            flushed: false,
            pass_has_ended: false,
            has_ended: false,
            now: 0,
            mix: stream(seed, "fio.mix"),
        })
    }

    /// What of its files no request reaches, or more than in fio, as a sentence.
    pub(crate) fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Whether a pass has given all but what it reads back.
    fn pass_is_done(&self) -> bool {
        self.bytes_left == 0 || self.ios_left == 0 || self.requests_left == 0
    }

    /// The direction of the next request: the earliest where they have rates, else by chance.
    fn choose(&mut self) -> usize {
        if self.paced {
            let due = |way: &Way| way.pace.as_ref().map_or(f64::INFINITY, |pace| pace.next);
            let first = self.ways.iter().enumerate().min_by(|a, b| due(a.1).total_cmp(&due(b.1)));
            return first.map_or(0, |(index, _)| index);
        }
        if self.ways.len() < 2 || unit(&mut self.mix) < self.read_share { 0 } else { 1 }
    }

    /// Gives the next request, and what belongs to it. Returns whether there was one.
    fn one(&mut self, batch: &mut Vec<HostRequest>) -> bool {
        if self.requests_left == 0 {
            return self.end(batch);
        }
        if let Some((offset, length)) = self.checks.as_mut().and_then(Checks::next) {
            self.tick(0);
            self.push(batch, HostOp::Read, offset, length);
            return true;
        }
        if self.pass_is_done() {
            return self.next_pass(batch) || self.end(batch);
        }
        // A pair of trim and write counts once; the write goes to the same place.
        let file = self.turns.next();
        let index = if self.write_after_trim { self.ways.len() - 1 } else { self.choose() };
        self.tick(index);
        let Some(way) = self.ways.get_mut(index) else { return false };
        let map = self.maps.get_mut(file).and_then(Option::as_mut);
        let drawn = way.draw(file, self.turns.most(), map);
        let (index, offset, length) = self.place_in_zone(index, file, drawn);
        let Some(op) = self.ways.get(index).map(|way| way.op) else { return false };
        let rest = self.turns.passed(length);
        self.bytes_left = self.bytes_left.saturating_sub(length + rest);
        self.ios_left = self.ios_left.saturating_sub(1);
        self.own(batch, op, offset, length);
        if self.write_after_trim && self.requests_left > 0 {
            self.own(batch, HostOp::Write, offset, length);
        }
        true
    }

    /// Where in its zone a request goes that was drawn, and in which direction: a read that finds nothing is a write.
    fn place_in_zone(
        &mut self,
        index: usize,
        file: usize,
        (offset, length): (u64, u64),
    ) -> (usize, u64, u64) {
        let writes = self.ways.iter().position(|way| way.op.is_write());
        let (Some(zones), Some(way), Some(writes)) = (self.zones.get_mut(file), self.ways.get(index), writes)
        else {
            return (index, offset, length);
        };
        let random = way.is_random();
        let read = match way.op {
            HostOp::Trim => {
                zones.trim(offset, length);
                Some((offset, length))
            }
            HostOp::Read => zones.read(offset, length, random),
            _ => None,
        };
        let (index, (offset, length)) = match read {
            Some(found) => (index, found),
            None => (writes, zones.write(offset, length, random)),
        };
        if let Some(way) = self.ways.get_mut(index) {
            way.was_moved(file, offset + length);
        }
        (index, offset, length)
    }

    /// The time at which a request of this direction comes, where it has a rate.
    fn tick(&mut self, index: usize) {
        if let Some(time) = self.ways.get_mut(index).and_then(|way| way.pace.as_mut()).map(Pace::tick) {
            self.now = time.max(self.now);
        }
    }

    /// A request of the job's own: not one that reads back.
    fn own(&mut self, batch: &mut Vec<HostRequest>, op: HostOp, offset: u64, length: u64) {
        let left_out = op.is_write() && self.checks.as_ref().is_some_and(Checks::only);
        if !left_out {
            self.push(batch, op, offset, length);
        }
        if let Some(checks) = self.checks.as_mut().filter(|_| op.is_write()) {
            checks.note(offset, length);
        }
    }

    /// The next pass begins, or what this one wrote is read back, if there is any.
    fn next_pass(&mut self, batch: &mut Vec<HostRequest>) -> bool {
        self.end_pass(batch);
        if let Some(checks) = self.checks.as_mut().filter(|checks| checks.is_pending()) {
            checks.read_back();
            return true;
        }
        if self.passes_left == 0 {
            return false;
        }
        self.passes_left -= 1;
        self.pass_has_ended = false;
        self.zones.iter_mut().for_each(ZonesOfFile::begin);
        (self.bytes_left, self.ios_left) = self.pass;
        true
    }

    /// All that the pass writes is written.
    fn end_pass(&mut self, batch: &mut Vec<HostRequest>) {
        if !self.pass_has_ended && !self.flushed {
            (0..self.last_flushes).for_each(|_| self.flush(batch));
        }
        self.pass_has_ended = true;
    }

    fn end(&mut self, batch: &mut Vec<HostRequest>) -> bool {
        self.end_pass(batch);
        self.has_ended = true;
        false
    }

    fn flush(&mut self, batch: &mut Vec<HostRequest>) {
        self.flushed = true;
        let time = Ns(self.now);
        batch.push(HostRequest { time, op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 });
    }

    fn push(&mut self, batch: &mut Vec<HostRequest>, op: HostOp, offset: u64, length: u64) {
        let time = Ns(self.now);
        batch.push(HostRequest { time, op, offset, length, flow: 0, stream: 0 });
        self.requests_left = self.requests_left.saturating_sub(1);
        self.flushed = false;
        if op.is_write() {
            self.written += 1;
            if self.fsync.iter().any(|writes| *writes > 0 && self.written.is_multiple_of(*writes)) {
                self.flush(batch);
            }
        }
    }
}

/// Whether several directions take each place of a file once before any comes again: their maps are of the same places.
fn shares_map(config: &FioConfig) -> bool {
    let ways: Vec<&Direction> = [&config.read, &config.write, &config.trim].into_iter().flatten().collect();
    let has_map = |way: &&Direction| way.access == Access::Random && way.random_share > 0.0;
    let places = |way: &Direction| (way.align_bytes, way.sizes.iter().map(|size| size.bytes).min());
    let alike = ways.windows(2).all(|pair| matches!(pair, [one, other] if places(one) == places(other)));
    let keeps_maps = !config.with_replacement && !config.is_in_zones();
    ways.len() > 1 && keeps_maps && alike && ways.iter().all(has_map)
}

/// Refuses more places to read than can be held, of writes that aren't made.
fn check_kept(config: &FioConfig, (bytes, ios): (u64, u64)) -> Result<(), ConfigError> {
    let writes = ios.min(bytes.div_ceil(config.smallest().max(1)));
    match config.verify {
        Some(verify) if verify.only && verify.backlog.is_none() && writes > MOST_KEPT => {
            let allowed = format!("at most {MOST_KEPT} writes a pass, or a backlog");
            Err(ConfigError::new("verify.only", format!("{writes} writes a pass"), allowed))
        }
        _ => Ok(()),
    }
}

/// The files of a job in a range of so many bytes; at least one.
fn files(config: &FioConfig, range_bytes: u64) -> Result<Vec<FilePart>, ConfigError> {
    if let Some(beyond) = (config.files.iter())
        .find(|file| file.start_bytes.checked_add(file.bytes).is_none_or(|end| end > range_bytes))
    {
        let allowed = format!("files within the range of {range_bytes} bytes");
        let value = format!("{} bytes from byte {} on", beyond.bytes, beyond.start_bytes);
        return Err(ConfigError::new("files", value, allowed));
    }
    if !config.files.is_empty() {
        return Ok(config.files.clone());
    }
    let room = range_bytes.saturating_sub(config.offset_bytes);
    let bytes = config.size_bytes.unwrap_or(room);
    if bytes == 0 || bytes > room {
        let allowed = format!("1 to {room}, what the range of {range_bytes} bytes holds behind the offset");
        return Err(ConfigError::new("size_bytes", bytes, allowed));
    }
    Ok(vec![FilePart { start_bytes: config.offset_bytes, bytes }])
}

/// Requests of a job, where that is known before.
fn hint(
    config: &FioConfig,
    left_over: Option<LeftOver>,
    (pass, passes): ((u64, u64), u64),
    requests: Option<u64>,
) -> Option<u64> {
    // Without reading back all loops are one pass.
    let loops = config.loops.filter(|_| config.verify.is_none()).unwrap_or(1);
    let to_ends = left_over.map(|left| left.requests.saturating_mul(loops));
    let fixed = [&config.read, &config.write, &config.trim].into_iter().flatten().find_map(one_length);
    let of_bytes = || Some(pass.0).filter(|bytes| *bytes < u64::MAX).zip(fixed);
    let mut counted = to_ends.or_else(|| of_bytes().map(|(bytes, size)| bytes.div_ceil(size)));
    if pass.1 < u64::MAX {
        counted = Some(counted.map_or(pass.1, |count| count.min(pass.1)));
    }
    if config.write_after_trim {
        counted = counted.map(|pairs| pairs.saturating_mul(2));
    }
    if let Some(verify) = config.verify {
        let only_writes =
            config.read.is_none() && config.trim.is_none() && !verify.only && verify.batch.is_none();
        counted = counted.filter(|_| only_writes).map(|count| count.saturating_mul(2 * passes));
    }
    match (counted, requests) {
        (Some(counted), Some(requests)) => Some(counted.min(requests)),
        (counted, requests) => counted.or(requests),
    }
}

impl RequestSource for FioSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let enough = batch.len() + BATCH;
        while batch.len() < enough && !self.has_ended {
            self.one(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.hint
    }
}
