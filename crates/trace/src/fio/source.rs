//! The requests of a job.

use rand::Rng;
use wordline_base::request::{HostOp, HostRequest, LATEST_ARRIVAL_NS, RequestSource, SourceError};
use wordline_base::time::Ns;
use wordline_config::error::ConfigError;

use super::access::Places;
use crate::config::Sizes;
use crate::config::{Direction, FioConfig};
use crate::rng::{Xoshiro256PlusPlus, stream, unit};
use crate::synthetic::SizeDrawer;

/// Generates the requests of one job.
pub(crate) struct FioSource {
    ways: Vec<Way>,
    read_share: f64,
    paced: bool,
    /// Bytes and requests that are still to come; a bound of fio's and one of the description's.
    bytes_left: u64,
    requests_left: u64,
    hint: Option<u64>,
    write_after_trim: bool,
    /// Writes since the last flush, and after how many one comes.
    written: u64,
    fsync: u64,
    end_fsync: bool,
    now: u64,
    mix: Xoshiro256PlusPlus,
}

/// One direction of a job.
struct Way {
    op: HostOp,
    sizes: SizeDrawer,
    places: Option<Places>,
    align: u64,
    start: u64,
    bytes: u64,
    /// Where the next sequential request begins, from `start`.
    position: u64,
    random_share: f64,
    pace: Option<Pace>,
    choice: Xoshiro256PlusPlus,
}

/// Arrival times of a direction that has a rate.
struct Pace {
    mean_ns: f64,
    poisson: bool,
    next: f64,
    rng: Xoshiro256PlusPlus,
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
        let start = config.offset_bytes;
        let room = range_bytes.saturating_sub(start);
        let bytes = config.size_bytes.unwrap_or(room);
        if bytes == 0 || bytes > room {
            let allowed =
                format!("1 to {room}, what the range of {range_bytes} bytes holds behind the offset");
            return Err(ConfigError::new("size_bytes", bytes, allowed));
        }
        let writes = if config.dsync { HostOp::WriteFua } else { HostOp::Write };
        let mut ways = Vec::new();
        let all = [
            ("read", HostOp::Read, &config.read),
            ("write", writes, &config.write),
            ("trim", HostOp::Trim, &config.trim),
        ];
        for (name, op, direction) in all {
            if let Some(direction) = direction {
                ways.push(
                    Way::new(name, op, direction, config, (start, bytes), seeds)
                        .map_err(|error| error.under(name))?,
                );
            }
        }
        let size = |way: &Option<Direction>| {
            way.as_ref()
                .filter(|way| way.sizes.len() == 1)
                .and_then(|way| way.sizes.first().map(|size| size.bytes))
        };
        let fixed = size(&config.read).or(size(&config.write)).or(size(&config.trim));
        let transferred = config.io_bytes.or(config.loops.map(|loops| bytes.saturating_mul(loops)));
        let mut counted = transferred.zip(fixed).map(|(bytes, size)| bytes.div_ceil(size));
        for bound in [config.number_ios, requests].into_iter().flatten() {
            counted = Some(counted.map_or(bound, |count| count.min(bound)));
        }
        Ok(Self {
            paced: ways.iter().any(|way| way.pace.is_some()),
            ways,
            read_share: config.read_share,
            bytes_left: transferred.unwrap_or(u64::MAX),
            requests_left: config.number_ios.unwrap_or(u64::MAX).min(requests.unwrap_or(u64::MAX)),
            hint: counted.filter(|_| config.runtime_s.is_none()),
            write_after_trim: config.write_after_trim,
            written: 0,
            fsync: config.fsync,
            end_fsync: config.end_fsync,
            now: 0,
            mix: stream(seed, "fio.mix"),
        })
    }

    fn done(&self) -> bool {
        self.bytes_left == 0 || self.requests_left == 0
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

    fn one(&mut self, batch: &mut Vec<HostRequest>) {
        // A pair of trim and write counts as trim; the write goes to the same place.
        let index = if self.write_after_trim { self.ways.len() - 1 } else { self.choose() };
        let Some(way) = self.ways.get_mut(index) else { return };
        if let Some(time) = way.pace.as_mut().map(Pace::tick) {
            self.now = time.max(self.now);
        }
        let (offset, length) = way.draw();
        let op = way.op;
        self.push(batch, op, offset, length);
        if self.write_after_trim && !self.done() {
            self.push(batch, HostOp::Write, offset, length);
        }
    }

    fn push(&mut self, batch: &mut Vec<HostRequest>, op: HostOp, offset: u64, length: u64) {
        let time = Ns(self.now);
        batch.push(HostRequest { time, op, offset, length, flow: 0, stream: 0 });
        self.bytes_left = self.bytes_left.saturating_sub(length);
        self.requests_left = self.requests_left.saturating_sub(1);
        if op.is_write() {
            self.written += 1;
            let due = self.fsync > 0 && self.written.is_multiple_of(self.fsync);
            if due {
                batch.push(HostRequest { time, op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 });
            }
        }
        if self.done() && self.end_fsync {
            batch.push(HostRequest { time, op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 });
        }
    }
}

impl RequestSource for FioSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..512 {
            if self.done() {
                break;
            }
            self.one(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        self.hint
    }
}

impl Way {
    fn new(
        name: &str,
        op: HostOp,
        config: &Direction,
        job: &FioConfig,
        (start, bytes): (u64, u64),
        seeds @ [seed, _]: [u64; 2],
    ) -> Result<Self, ConfigError> {
        let sizes = Sizes::Weighted(config.sizes.clone());
        let largest = sizes.largest();
        if largest > bytes {
            return Err(ConfigError::new("sizes", largest, format!("at most {bytes}, the bytes of the job")));
        }
        let align = config.align_bytes.max(1);
        let blocks = ((bytes - sizes.smallest()) / align + 1).max(1);
        let places = (config.random_share > 0.0)
            .then(|| Places::new(&config.access, blocks, align, job.with_replacement, seeds, name));
        let pace = config.iops.map(|iops| Pace {
            mean_ns: 1e9 / iops,
            poisson: job.poisson,
            next: 0.0,
            rng: stream(seed, &format!("fio.pace.{name}")),
        });
        Ok(Self {
            op,
            sizes: SizeDrawer::new(&sizes, stream(seed, &format!("fio.sizes.{name}")))?,
            places,
            align,
            start,
            bytes,
            position: 0,
            random_share: config.random_share,
            pace,
            choice: stream(seed, &format!("fio.choice.{name}")),
        })
    }

    fn draw(&mut self) -> (u64, u64) {
        let mut length = [0];
        self.sizes.fill(&mut length);
        let [length] = length;
        let random = self.random_share >= 1.0
            || (self.random_share > 0.0 && unit(&mut self.choice) < self.random_share);
        let place = match &mut self.places {
            // What would leave the file is moved back to end there.
            Some(places) if random => {
                (places.draw() * self.align).min((self.bytes - length) / self.align * self.align)
            }
            _ if self.position + length > self.bytes => 0,
            _ => self.position,
        };
        self.position = place + length;
        (self.start + place, length)
    }
}

impl Pace {
    /// The time of the next request, ns.
    fn tick(&mut self) -> u64 {
        let now = (self.next as u64).min(LATEST_ARRIVAL_NS);
        let gap = if self.poisson { -libm::log(1.0 - unit(&mut self.rng)) } else { 1.0 };
        self.next += gap * self.mean_ns;
        now
    }
}
