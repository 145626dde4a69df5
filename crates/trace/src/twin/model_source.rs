//! The requests of a model of page classes.

use wordline_engine::host::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;

use super::model::{Groups, Model, PageClass, Skew, Walk};
use super::source::LATEST;
use crate::config::Sizes;
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};
use crate::synthetic::{Permutation, SizeDrawer, Zipf};

/// Extents by which [`Walk::Once`] goes, and on which groups lie, bytes.
const EXTENT: u64 = 1 << 20;

const PAGE: u64 = 4096;

/// Generates the requests of a [`Model`].
pub(super) struct ModelSource {
    left: u64,
    total: u64,
    now: f64,
    read_share: f64,
    sizes: [SizeDrawer; 2],
    classes: Vec<Class>,
    groups: Option<GroupDrawer>,
    skew: Option<SkewDrawer>,
    /// Chance that a request is the last of its burst; gaps.
    ends: f64,
    gap_ns: f64,
    idle_ns: f64,
    ops: Xoshiro256PlusPlus,
    choice: Xoshiro256PlusPlus,
    arrivals: Xoshiro256PlusPlus,
}

impl ModelSource {
    /// A source for a model laid out in `space` bytes; classes shrink in proportion when that is less than `meant`, but for those
    /// whose pages take turns.
    pub(super) fn new(
        model: &Model,
        requests: u64,
        space: u64,
        meant: u64,
        seed: u64,
    ) -> Result<Self, String> {
        // Pages that take turns are few: they keep their size.
        let kept = |class: &&PageClass| class.turns.is_some();
        let kept: u64 = model.class.iter().filter(kept).map(|class| class.bytes).sum();
        let shrink = (space.saturating_sub(kept) as f64 / meant.saturating_sub(kept).max(1) as f64).min(1.0);
        let mut start = 0;
        let mut classes = Vec::new();
        for (number, class) in model.class.iter().enumerate() {
            let wanted =
                if class.turns.is_some() { class.bytes } else { (class.bytes as f64 * shrink) as u64 };
            let bytes = (wanted / EXTENT).max(1) * EXTENT;
            if start + bytes > space {
                return Err(format!("class {}: no room in {space} bytes", class.name));
            }
            classes.push(Class::new(class, start, bytes, seed, number));
            start += bytes;
        }
        let sizes = |list: &Vec<_>, name| {
            SizeDrawer::new(&Sizes::Weighted(list.clone()), stream(seed, name))
                .map_err(|error| error.to_string())
        };
        Ok(Self {
            left: requests,
            total: requests,
            now: 0.0,
            read_share: model.read_share,
            sizes: [
                sizes(&model.read_sizes, "model.read_sizes")?,
                sizes(&model.write_sizes, "model.write_sizes")?,
            ],
            groups: model.groups.as_ref().map(|groups| GroupDrawer::new(groups, seed)),
            skew: model
                .skew
                .as_ref()
                .filter(|skew| skew.excess > 0.0)
                .map(|skew| SkewDrawer::new(skew, seed)),
            classes,
            ends: 1.0 / model.burst_requests,
            gap_ns: model.burst_gap_ns,
            idle_ns: model.idle_gap_ns,
            ops: stream(seed, "model.operations"),
            choice: stream(seed, "model.classes"),
            arrivals: stream(seed, "model.arrivals"),
        })
    }

    /// Time of the next request.
    fn tick(&mut self) -> Ns {
        let now = Ns((self.now as u64).min(LATEST));
        let mean = if unit(&mut self.arrivals) < self.ends { self.idle_ns } else { self.gap_ns };
        self.now -= mean * libm::log(1.0 - unit(&mut self.arrivals));
        now
    }

    fn push(&mut self, batch: &mut Vec<HostRequest>, time: Ns, op: HostOp, offset: u64, length: u64) {
        self.left -= 1;
        batch.push(HostRequest { time, op, offset, length, flow: 0, stream: 0 });
    }

    fn next(&mut self, batch: &mut Vec<HostRequest>) {
        let time = self.tick();
        let read = unit(&mut self.ops) < self.read_share;
        if read && let Some(places) = self.group() {
            for offset in places {
                if self.left > 0 {
                    self.push(batch, time, HostOp::Read, offset, PAGE);
                }
            }
            return;
        }
        let [reads, writes] = &mut self.sizes;
        let mut length = [0];
        if read {
            reads.fill(&mut length)
        } else {
            writes.fill(&mut length)
        }
        let [length] = length;
        let mut left = unit(&mut self.choice);
        let last = self.classes.len() - 1;
        let number = self.classes.iter().position(|class| {
            left -= if read { class.reads } else { class.writes };
            left < 0.0
        });
        let number = number.unwrap_or(last);
        let Some(class) = self.classes.get_mut(number) else { return };
        let length = length.min(class.bytes);
        let walks = class.walk == Walk::Once && number == 0;
        let mut offset = class.offset(length, read);
        if let Some(skew) = self.skew.as_mut().filter(|_| read) {
            let moved = if walks && length <= skew.bytes {
                skew.far(class.start, class.bytes, offset)
            } else {
                skew.moved(offset)
            };
            // Stripes at the ends of a class may reach beyond it.
            if moved >= class.start && moved + length <= class.start + class.bytes {
                offset = moved;
            }
        }
        self.push(batch, time, if read { HostOp::Read } else { HostOp::Write }, offset, length);
    }

    /// The places of a group, when one is due.
    fn group(&mut self) -> Option<Vec<u64>> {
        let first = self.classes.first()?;
        self.groups.as_mut()?.draw(first.start, first.bytes)
    }
}

impl RequestSource for ModelSource {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let before = batch.len();
        while self.left > 0 && batch.len() - before < 512 {
            self.next(batch);
        }
        Ok(())
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.total)
    }
}

struct Class {
    start: u64,
    /// Of the half that gets requests of one kind, where they take turns.
    bytes: u64,
    reads: f64,
    writes: f64,
    walk: Walk,
    zipf: Option<Zipf>,
    places: Permutation,
    /// Bytes gone by reads and by writes ([`Walk::Once`]).
    gone: [u64; 2],
    /// Requests from one turn to the next, and requests so far.
    turns: Option<u64>,
    requests: u64,
    rng: Xoshiro256PlusPlus,
}

impl Class {
    fn new(config: &PageClass, start: u64, bytes: u64, seed: u64, number: usize) -> Self {
        // Reads and writes that take turns have a half each, of whole extents.
        let bytes = if config.turns.is_some() { (bytes / 2 / EXTENT).max(1) * EXTENT } else { bytes };
        let slots = if config.walk == Walk::Once { bytes / EXTENT } else { bytes / PAGE };
        Self {
            start,
            bytes,
            reads: config.reads,
            writes: config.writes,
            walk: config.walk,
            zipf: config.theta.map(|theta| Zipf::new(slots, theta)),
            places: Permutation::new(slots, &mut stream(seed, &format!("model.places.{number}"))),
            gone: [0, 0],
            turns: config.turns,
            requests: 0,
            rng: stream(seed, &format!("model.addresses.{number}")),
        }
    }

    fn offset(&mut self, length: u64, read: bool) -> u64 {
        let slots = self.bytes / PAGE;
        let offset = match self.walk {
            Walk::Uniform => below(&mut self.rng, slots) * PAGE,
            Walk::Zipf => match &self.zipf {
                Some(zipf) => self.places.apply(zipf.sample(&mut self.rng).min(slots - 1)) * PAGE,
                None => 0,
            },
            Walk::Once => {
                let [reads, writes] = &mut self.gone;
                let gone = if read { reads } else { writes };
                // A request stays in its extent, unless it is longer.
                let inside = *gone % EXTENT;
                if inside + length > EXTENT {
                    *gone = gone.next_multiple_of(EXTENT);
                }
                let here = *gone % self.bytes;
                *gone += length.next_multiple_of(PAGE);
                self.places.apply(here / EXTENT) * EXTENT + here % EXTENT
            }
        };
        self.start + self.half(read) + offset.min((self.bytes - length) / PAGE * PAGE)
    }

    /// Where the half begins whose turn it is.
    fn half(&mut self, read: bool) -> u64 {
        let Some(turns) = self.turns else { return 0 };
        let second = (self.requests / turns).is_multiple_of(2) != read;
        self.requests += 1;
        if second { self.bytes } else { 0 }
    }
}

/// Chooses the piece of a stripe that a read begins in.
struct SkewDrawer {
    bytes: u64,
    of: u64,
    /// Chance of the first piece.
    first: f64,
    rng: Xoshiro256PlusPlus,
}

impl SkewDrawer {
    fn new(skew: &Skew, seed: u64) -> Self {
        let first = (1.0 + skew.excess) / skew.of as f64;
        Self { bytes: skew.bytes, of: skew.of, first, rng: stream(seed, "model.skew") }
    }

    /// A place in the same stripe, as far from the start of its piece.
    fn moved(&mut self, offset: u64) -> u64 {
        let piece = offset / self.bytes;
        let first = unit(&mut self.rng) < self.first;
        let chosen = if first { 0 } else { 1 + below(&mut self.rng, self.of - 1) };
        (piece - piece % self.of + chosen) * self.bytes + offset % self.bytes
    }

    /// The same in any stripe of a class. Where reads follow one another, those of a stripe's first piece would find it in the data
    /// cache.
    fn far(&mut self, start: u64, bytes: u64, offset: u64) -> u64 {
        let stripe = self.bytes * self.of;
        let first = start.next_multiple_of(stripe);
        let stripes = (start + bytes).saturating_sub(first) / stripe;
        if stripes == 0 {
            return self.moved(offset);
        }
        let chosen = first + below(&mut self.rng, stripes) * stripe;
        self.moved(chosen) + offset % self.bytes
    }
}

struct GroupDrawer {
    zipf: Zipf,
    reads: u32,
    /// Chance that a read is a whole group, so that the share of reads is as asked.
    chance: f64,
    places: u64,
    rng: Xoshiro256PlusPlus,
}

impl GroupDrawer {
    fn new(groups: &Groups, seed: u64) -> Self {
        let reads = f64::from(groups.reads);
        Self {
            zipf: Zipf::new(groups.count, groups.theta),
            reads: groups.reads,
            chance: groups.share / (groups.share + (1.0 - groups.share) * reads),
            places: seed,
            rng: stream(seed, "model.groups"),
        }
    }

    fn draw(&mut self, start: u64, bytes: u64) -> Option<Vec<u64>> {
        if unit(&mut self.rng) >= self.chance {
            return None;
        }
        let group = self.zipf.sample(&mut self.rng);
        // Each group has a stream of its own: its places need no table.
        let mut rng = stream(self.places, &format!("model.group.{group}"));
        Some((0..self.reads).map(|_| start + below(&mut rng, bytes / PAGE) * PAGE).collect())
    }
}
