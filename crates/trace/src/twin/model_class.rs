//! Classes of pages of a model: where their next request begins.

use std::collections::VecDeque;

use super::model::{PageClass, Recent, Skew, Walk};
use crate::rng::{Xoshiro256PlusPlus, below, stream, unit};
use crate::synthetic::{Permutation, Zipf};

/// Extents by which [`Walk::Once`] goes, bytes.
pub(super) const EXTENT: u64 = 1 << 20;

const PAGE: u64 = 4096;

/// A class of pages, laid out.
pub(super) struct Class {
    pub(super) start: u64,
    /// Of the half that gets requests of one kind, where they take turns.
    pub(super) bytes: u64,
    pub(super) reads: f64,
    pub(super) writes: f64,
    walk: Walk,
    zipf: Option<Zipf>,
    places: Permutation,
    /// Bytes gone by reads and by writes ([`Walk::Once`]).
    gone: [u64; 2],
    /// Requests from one turn to the next, and requests so far.
    turns: Option<u64>,
    requests: u64,
    recent: Option<Latest>,
    rng: Xoshiro256PlusPlus,
}

impl Class {
    /// A class of so many bytes from `start` on.
    pub(super) fn new(config: &PageClass, start: u64, bytes: u64, seed: u64, number: usize) -> Self {
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
            recent: config.recent.as_ref().map(|recent| Latest::new(recent, seed, number)),
            rng: stream(seed, &format!("model.addresses.{number}")),
        }
    }

    /// Whether its pages are gone through in order.
    pub(super) fn walks(&self) -> bool {
        self.walk == Walk::Once
    }

    /// Where the next request begins.
    pub(super) fn offset(&mut self, length: u64, read: bool) -> u64 {
        if read && let Some(offset) = self.recent.as_mut().and_then(Latest::again) {
            return offset.min(self.start + (self.bytes - length) / PAGE * PAGE);
        }
        let offset = match self.walk {
            Walk::Once => self.walked(length, read),
            Walk::Uniform | Walk::Zipf => {
                drawn(self.zipf.as_ref(), &self.places, self.bytes / PAGE, &mut self.rng)
            }
        };
        let half = self.half(read);
        let offset = self.start + half + self.inside(offset, length);
        if read && let Some(recent) = &mut self.recent {
            recent.keep(offset);
        }
        offset
    }

    /// Where a request begins that somebody else's `rng` draws, by this class's law: uniform or Zipf's.
    pub(super) fn place(&self, length: u64, rng: &mut Xoshiro256PlusPlus) -> u64 {
        let offset = drawn(self.zipf.as_ref(), &self.places, self.bytes / PAGE, rng);
        self.start + self.inside(offset, length)
    }

    /// The last place of the class at or before `offset` from which a request of this length doesn't leave it.
    fn inside(&self, offset: u64, length: u64) -> u64 {
        offset.min((self.bytes - length) / PAGE * PAGE)
    }

    fn walked(&mut self, length: u64, read: bool) -> u64 {
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

    /// Where the half begins whose turn it is.
    fn half(&mut self, read: bool) -> u64 {
        let Some(turns) = self.turns else { return 0 };
        let second = (self.requests / turns).is_multiple_of(2) != read;
        self.requests += 1;
        if second { self.bytes } else { 0 }
    }
}

/// The place of a page by Zipf's law, or of any alike, bytes.
fn drawn(zipf: Option<&Zipf>, places: &Permutation, pages: u64, rng: &mut Xoshiro256PlusPlus) -> u64 {
    match zipf {
        Some(zipf) => places.apply(zipf.sample(rng).min(pages - 1)) * PAGE,
        None => below(rng, pages) * PAGE,
    }
}

/// The latest reads of a class, some of which come again.
struct Latest {
    share: f64,
    places: VecDeque<u64>,
    most: usize,
    rng: Xoshiro256PlusPlus,
}

impl Latest {
    fn new(config: &Recent, seed: u64, number: usize) -> Self {
        let rng = stream(seed, &format!("model.recent.{number}"));
        Self { share: config.share, places: VecDeque::new(), most: config.reads as usize, rng }
    }

    /// One of them, if one is due.
    fn again(&mut self) -> Option<u64> {
        if unit(&mut self.rng) >= self.share {
            return None;
        }
        let chosen = below(&mut self.rng, self.places.len() as u64);
        let place = *self.places.get(chosen as usize)?;
        self.keep(place);
        Some(place)
    }

    fn keep(&mut self, place: u64) {
        if self.places.len() == self.most {
            self.places.pop_front();
        }
        self.places.push_back(place);
    }
}

/// Chooses the piece of a stripe that a read begins in.
pub(super) struct SkewDrawer {
    bytes: u64,
    of: u64,
    /// Those that are read more often.
    pieces: u64,
    /// Chance that it is one of these.
    first: f64,
}

impl SkewDrawer {
    /// What the model says.
    pub(super) fn new(skew: &Skew) -> Self {
        let first = (1.0 + skew.excess) * skew.pieces as f64 / skew.of as f64;
        Self { bytes: skew.bytes, of: skew.of, pieces: skew.pieces, first }
    }

    /// A read's place in the same stripe, or with `far` in any of the class's, as far from the start of its piece; the same where that
    /// would leave the class, and in the same stripe where the read is longer than a piece. `far`: where reads follow one another,
    /// those of a stripe's first piece would find it in the data cache.
    pub(super) fn moved(
        &self,
        rng: &mut Xoshiro256PlusPlus,
        offset: u64,
        length: u64,
        class: &Class,
        far: bool,
    ) -> u64 {
        let stripe = self.bytes * self.of;
        let begin = class.start.next_multiple_of(stripe);
        let stripes = (class.start + class.bytes).saturating_sub(begin) / stripe;
        let near = if far && length <= self.bytes && stripes > 0 {
            begin + below(rng, stripes) * stripe + offset % self.bytes
        } else {
            offset
        };
        let piece = near / self.bytes;
        let first = unit(rng) < self.first;
        let chosen = match (first, self.pieces) {
            (true, 1) => 0,
            (true, pieces) => below(rng, pieces),
            (false, pieces) => pieces + below(rng, self.of - pieces),
        };
        let moved = (piece - piece % self.of + chosen) * self.bytes + near % self.bytes;
        // Stripes at the ends of a class may reach beyond it.
        if moved >= class.start && moved + length <= class.start + class.bytes { moved } else { offset }
    }
}
