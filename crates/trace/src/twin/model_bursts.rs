//! Bursts of a model: requests that come together, and sequences of pages that come again.

use super::model::{Again, Aligned, Burst, BurstOp, Model};
use super::model_class::{Class, SkewDrawer};
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};
use crate::synthetic::{SizeDrawer, Zipf};

/// Offset and length of a request, bytes.
pub(super) type Place = (u64, u64);

/// Which bursts come, and where their requests go.
pub(super) struct Bursts {
    seed: u64,
    kinds: Vec<Kind>,
    /// Chance that what comes next is a read; share of the requests where nothing comes in bursts.
    reads: f64,
    rng: Xoshiro256PlusPlus,
}

/// One `[[model.burst]]`.
struct Kind {
    op: BurstOp,
    /// Chance that a read, or a write, is one of these bursts.
    chance: f64,
    class: usize,
    requests: u32,
    gap_ns: f64,
    run: u32,
    aligned: Option<Aligned>,
    sequences: Sequences,
}

impl Bursts {
    /// The bursts of a model.
    pub(super) fn new(model: &Model, seed: u64) -> Self {
        let [reads, writes] = [BurstOp::Read, BurstOp::Write].map(|op| Together::of(model, op));
        let kinds = model.burst.iter().enumerate().map(|(number, burst)| {
            let together = if burst.op == BurstOp::Read { reads } else { writes };
            Kind::new(model, burst, together.chance(burst), seed, number)
        });
        Self {
            seed,
            kinds: kinds.collect(),
            reads: chance_of_a_read(model, reads, writes),
            rng: stream(seed, "model.bursts"),
        }
    }

    /// Chance that what comes next is a read or a burst of reads.
    pub(super) fn reads(&self) -> f64 {
        self.reads
    }

    /// The next burst of reads or of writes, when one is due: the mean gap between its requests, ns, and their places.
    pub(super) fn due(
        &mut self,
        read: bool,
        classes: &[Class],
        sizes: &SizeDrawer,
        skew: Option<&SkewDrawer>,
    ) -> Option<(f64, Vec<Place>)> {
        if self.kinds.is_empty() {
            return None;
        }
        let mut left = unit(&mut self.rng);
        let of_kind = |kind: &Kind| (kind.op == BurstOp::Read) == read;
        let number = self.kinds.iter().position(|kind| {
            left -= if of_kind(kind) { kind.chance } else { 0.0 };
            left < 0.0
        })?;
        let kind = self.kinds.get_mut(number)?;
        let class = classes.get(kind.class)?;
        let sequence = kind.sequences.next();
        // Each sequence has a stream of its own: its places need no table.
        let mut rng = stream(self.seed, &format!("model.sequence.{number}.{sequence}"));
        Some((kind.gap_ns, kind.places(&mut rng, class, sizes, skew.filter(|_| read))))
    }
}

impl Kind {
    fn new(model: &Model, burst: &Burst, chance: f64, seed: u64, number: usize) -> Self {
        Self {
            op: burst.op,
            chance,
            class: model.class.iter().position(|class| class.name == burst.class).unwrap_or(0),
            requests: burst.requests,
            gap_ns: burst.gap_ns,
            run: burst.run,
            aligned: burst.aligned.clone(),
            sequences: Sequences::new(
                burst.again.as_ref(),
                stream(seed, &format!("model.sequences.{number}")),
            ),
        }
    }

    fn places(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        class: &Class,
        sizes: &SizeDrawer,
        skew: Option<&SkewDrawer>,
    ) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::with_capacity(self.requests as usize);
        let end = class.start + class.bytes;
        let mut behind = end;
        for number in 0..self.requests {
            let length = sizes.draw(rng).min(class.bytes);
            let goes_on = !number.is_multiple_of(self.run) && behind + length <= end;
            let offset = if goes_on {
                behind
            } else {
                let offset = class.place(length, rng);
                let offset = skew.map_or(offset, |skew| skew.moved(rng, offset, length, class, false));
                self.alike(rng, offset, length, class, places.first())
            };
            behind = offset + length;
            places.push((offset, length));
        }
        places
    }

    /// The place in the same group that lies as the first one does in its own, if this request is to.
    fn alike(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        offset: u64,
        length: u64,
        class: &Class,
        first: Option<&Place>,
    ) -> u64 {
        let (Some(Aligned { bytes, share }), Some((first, _))) = (&self.aligned, first) else {
            return offset;
        };
        if unit(rng) >= *share {
            return offset;
        }
        let moved = offset - offset % bytes + first % bytes;
        // Groups at the ends of a class may reach beyond it.
        if moved >= class.start && moved + length <= class.start + class.bytes { moved } else { offset }
    }
}

/// Which sequence of pages a burst has.
struct Sequences {
    /// Of each that is in use: its number.
    live: Vec<u64>,
    choice: Option<Zipf>,
    /// Chance that a sequence has come for the last time.
    ends: f64,
    /// Sequences so far.
    known: u64,
    rng: Xoshiro256PlusPlus,
}

impl Sequences {
    fn new(again: Option<&Again>, rng: Xoshiro256PlusPlus) -> Self {
        let count = again.map_or(1, |again| u64::from(again.sequences));
        Self {
            live: (0..count).collect(),
            choice: again.filter(|again| again.theta > 0.0).map(|again| Zipf::new(count, again.theta)),
            ends: again.map_or(1.0, |again| 1.0 / again.times),
            known: count,
            rng,
        }
    }

    fn next(&mut self) -> u64 {
        let count = self.live.len() as u64;
        let chosen = match &self.choice {
            Some(zipf) => zipf.sample(&mut self.rng).min(count - 1),
            None => below(&mut self.rng, count),
        };
        let ends = unit(&mut self.rng) < self.ends;
        let Some(place) = self.live.get_mut(chosen as usize) else { return 0 };
        let sequence = *place;
        if ends {
            *place = self.known;
            self.known += 1;
        }
        sequence
    }
}

/// How the requests of one kind divide into bursts and single ones.
#[derive(Clone, Copy)]
struct Together {
    /// Bursts and single requests for each request.
    turns: f64,
}

impl Together {
    fn of(model: &Model, op: BurstOp) -> Self {
        let bursts = || model.burst.iter().filter(|burst| burst.op == op);
        let single = 1.0 - bursts().map(|burst| burst.share).sum::<f64>();
        let turns = bursts().map(|burst| burst.share / f64::from(burst.requests)).sum::<f64>();
        Self { turns: single.max(0.0) + turns }
    }

    /// Chance that a turn is this burst.
    fn chance(self, burst: &Burst) -> f64 {
        burst.share / f64::from(burst.requests) / self.turns
    }
}

/// The chance of a read among turns with which its share among requests is the model's.
fn chance_of_a_read(model: &Model, reads: Together, writes: Together) -> f64 {
    if model.burst.is_empty() {
        return model.read_share;
    }
    let (reads, writes) = (model.read_share * reads.turns, (1.0 - model.read_share) * writes.turns);
    reads / (reads + writes)
}
