//! One direction of a job: where its next request goes, and how long it is.

use wordline_base::request::{HostOp, LATEST_ARRIVAL_NS};
use wordline_config::error::ConfigError;

use super::access::{Again, Places};
use super::cover::covers;
use crate::config::{Access, Direction, FilePart, FioConfig, SizeWeight, Sizes, Strided};
use crate::rng::{Xoshiro256PlusPlus, stream, unit};
use crate::synthetic::SizeDrawer;

/// Draws of a length that fits; of those that are drawn at all, fewer than one in a million isn't met by them.
const MOST_DRAWS: usize = 1024;

/// One direction of a job.
pub(super) struct Way {
    pub op: HostOp,
    pub pace: Option<Pace>,
    sizes: SizeDrawer,
    shortest: u64,
    align: u64,
    /// Bytes of the blocks that random places are numbers of.
    block: u64,
    random_share: f64,
    choice: Xoshiro256PlusPlus,
    hole: i64,
    /// Requests at and behind a random place, and whether all go to that.
    run: u64,
    same_place: bool,
    files: Vec<InFile>,
}

/// Where a direction is in a file.
struct InFile {
    start: u64,
    bytes: u64,
    places: Option<Places>,
    /// Where the last request ended, from `start`; `None` before the first.
    position: Option<u64>,
    /// Requests that are left of a run, and the place that it began at.
    left: u64,
    place: u64,
    zones: Option<Zones>,
}

/// Zones that are used one after the other.
struct Zones {
    of: Strided,
    /// First byte of this one, and the bytes transferred in it.
    first: u64,
    done: u64,
}

/// Arrival times of a direction that has a rate.
pub(super) struct Pace {
    mean_ns: f64,
    poisson: bool,
    pub next: f64,
    rng: Xoshiro256PlusPlus,
}

impl Way {
    /// A direction of a job that uses these files.
    pub(super) fn new(
        name: &str,
        op: HostOp,
        config: &Direction,
        job: &FioConfig,
        files: &[FilePart],
        seeds @ [seed, _]: [u64; 2],
    ) -> Result<Self, ConfigError> {
        let sizes = Sizes::Weighted(config.sizes.clone());
        let in_file =
            |(number, file): (usize, &FilePart)| InFile::new(name, number, config, job, file, &sizes, seeds);
        let pace = config.iops.map(|iops| Pace {
            mean_ns: 1e9 / iops,
            poisson: job.poisson,
            next: 0.0,
            rng: stream(seed, &format!("fio.pace.{name}")),
        });
        Ok(Self {
            op,
            pace,
            shortest: SizeWeight::drawn(&config.sizes).min().unwrap_or(1),
            align: config.align_bytes.max(1),
            block: block(config, job),
            random_share: config.random_share,
            choice: stream(seed, &format!("fio.choice.{name}")),
            hole: job.hole_bytes,
            run: job.run_requests.max(1),
            same_place: job.same_place,
            files: files.iter().enumerate().map(in_file).collect::<Result<_, _>>()?,
            sizes: SizeDrawer::new(&sizes, stream(seed, &format!("fio.sizes.{name}")))?,
        })
    }

    /// Whether its requests go to random places, all or some.
    pub(super) fn is_random(&self) -> bool {
        self.random_share > 0.0
    }

    /// The last request, drawn for this file, went elsewhere and ended there.
    pub(super) fn was_moved(&mut self, file: usize, end: u64) {
        if let Some(file) = self.files.get_mut(file) {
            file.position = end.checked_sub(file.start);
        }
    }

    /// Gives up its maps of the files, where a place that one direction uses is used for all; another's are in their place then.
    pub(super) fn give_maps(&mut self) -> Vec<Option<Places>> {
        self.files.iter_mut().map(|file| file.places.take()).collect()
    }

    /// Offset and length of the next request, which goes to this file and has at most so many bytes. `map` is that of the file,
    /// where all directions have one.
    pub(super) fn draw(&mut self, file: usize, most: u64, map: Option<&mut Places>) -> (u64, u64) {
        let mut length = self.length(most);
        let random = self.random_share >= 1.0
            || (self.random_share > 0.0 && unit(&mut self.choice) < self.random_share);
        let Some(file) = self.files.get_mut(file) else { return (0, length) };
        let place = match file.places.as_mut().or(map).filter(|_| random) {
            Some(_) if file.left > 0 && self.same_place => file.place.min(file.bytes - length),
            Some(_) if file.left > 0 => file.behind(length, 0),
            Some(places) => {
                file.left = self.run;
                let block = places.draw();
                length = places.cut(block, length, self.block);
                file.place = block * self.block / self.align * self.align;
                // What would leave the file is moved back to end there.
                (file.first() + file.place)
                    .min((file.end() - length) / self.align * self.align)
                    .max(file.first())
            }
            None => file.behind(length, self.hole),
        };
        if random {
            file.left = file.left.saturating_sub(1);
            file.place = place;
        }
        file.position = Some(place + length);
        file.go_on(length);
        (file.start + place, length)
    }
}

/// Whether some places are hotter than others, wherever they lie.
fn is_skewed(access: &Access) -> bool {
    matches!(access, Access::Zipf(_) | Access::Pareto(_) | Access::Normal(_))
}

/// Bytes of the blocks that a direction's random places are numbers of: what is hot to one direction is hot to all, so that these
/// are then the smallest ones of all.
fn block(config: &Direction, job: &FioConfig) -> u64 {
    let own = config.align_bytes.max(1);
    if !is_skewed(&config.access) {
        return own;
    }
    let all = [&job.read, &job.write, &job.trim].into_iter().flatten();
    all.map(|way| way.align_bytes.max(1)).min().unwrap_or(own)
}

/// The direction that names which places of a job are hot.
fn first_name(job: &FioConfig) -> &'static str {
    match (&job.read, &job.write) {
        (Some(_), _) => "read",
        (None, Some(_)) => "write",
        (None, None) => "trim",
    }
}

impl Way {
    /// A length of at most so many bytes, drawn until one is; what no draw meets is the shortest.
    fn length(&mut self, most: u64) -> u64 {
        let mut length = [0];
        for _ in 0..MOST_DRAWS {
            self.sizes.fill(&mut length);
            if length.iter().all(|length| *length <= most) {
                let [length] = length;
                return length;
            }
        }
        self.shortest
    }
}

impl InFile {
    fn new(
        name: &str,
        number: usize,
        config: &Direction,
        job: &FioConfig,
        file: &FilePart,
        sizes: &Sizes,
        seeds: [u64; 2],
    ) -> Result<Self, ConfigError> {
        let bytes = job.strided.map_or(file.bytes, |zones| zones.zone_bytes.min(file.bytes));
        let largest = sizes.largest();
        if largest > bytes {
            let of = match (job.strided, job.files.len()) {
                (Some(_), _) => "the bytes of a zone",
                (None, 0) => "the bytes of the job",
                (None, _) => "the bytes of each of its files",
            };
            return Err(ConfigError::new("sizes", largest, format!("at most {bytes}, {of}")));
        }
        let block = block(config, job);
        let smallest = if is_skewed(&config.access) { job.smallest() } else { sizes.smallest() };
        let blocks = ((bytes - smallest) / block + 1).max(1);
        // A zone is part of the file: which of its blocks have come before isn't kept.
        let again = match job.with_replacement || job.is_in_zones() {
            true => Again::AtOnce,
            false if covers(job) => Again::OnceCovered,
            false => Again::BehindAll,
        };
        let of_file = |name: &str| if number == 0 { name.to_owned() } else { format!("{name}.{number}") };
        let (name, hot) = (of_file(name), of_file(first_name(job)));
        let places = (config.random_share > 0.0)
            .then(|| Places::new(&config.access, blocks, block, again, seeds, [&name, &hot]));
        let zones = job.strided.map(|of| Zones { of, first: 0, done: 0 });
        let FilePart { start_bytes: start, bytes } = *file;
        Ok(Self { start, bytes, places, position: None, left: 0, place: 0, zones })
    }

    /// Bounds of what is used at this time, from the start of the file.
    fn first(&self) -> u64 {
        self.zones.as_ref().map_or(0, |zones| zones.first)
    }

    fn end(&self) -> u64 {
        let end = self.zones.as_ref().map_or(self.bytes, |zones| zones.first + zones.of.zone_bytes);
        end.min(self.bytes)
    }

    /// Where a request goes that follows the last, with a hole between; round the end, or the begin if it goes back.
    fn behind(&self, length: u64, hole: i64) -> u64 {
        let (first, last) = (self.first(), self.end() - length);
        let begin =
            if hole < 0 { self.end().saturating_sub(hole.unsigned_abs()).clamp(first, last) } else { first };
        let next = self.position.map(|position| i128::from(position) + i128::from(hole));
        let fits = next.filter(|place| (i128::from(first)..=i128::from(last)).contains(place));
        fits.and_then(|place| u64::try_from(place).ok()).unwrap_or(begin)
    }

    /// So many bytes were transferred: perhaps the next zone's turn has come.
    fn go_on(&mut self, length: u64) {
        let Some(zones) = &mut self.zones else { return };
        zones.done += length;
        if zones.done < zones.of.transfer_bytes {
            return;
        }
        zones.done = 0;
        zones.first += zones.of.zone_bytes + zones.of.skip_bytes;
        // A zone that the file holds no whole of isn't used.
        if zones.first + zones.of.zone_bytes > self.bytes {
            zones.first = 0;
        }
        (self.position, self.left) = (None, 0);
    }
}

impl Pace {
    /// The time of the next request, ns.
    pub(super) fn tick(&mut self) -> u64 {
        let now = (self.next as u64).min(LATEST_ARRIVAL_NS);
        let gap = if self.poisson { -libm::log(1.0 - unit(&mut self.rng)) } else { 1.0 };
        self.next += gap * self.mean_ns;
        now
    }
}
