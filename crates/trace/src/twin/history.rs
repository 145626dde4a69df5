//! What a twin has requested so far, in bounded memory.

use std::collections::VecDeque;

use super::codes::{Place, SLOTS};
use super::locate::{PAGE, REMEMBERED};
use super::shapes::ALIGNMENT;
use super::space::FreshSpace;
use super::streams::Streams;
use crate::info::hash::Map;
use crate::rng::{Xoshiro256PlusPlus, below};

/// Neighbours that are looked at on either side before a reference is taken though it doesn't fit in all, and draws.
const NEIGHBOURS: u64 = 24;
const TRIES: usize = 48;

/// Whether it wrote, its length, and its slot.
type Like = (bool, u64, u16);

/// A request of the past that fits in all.
const BEST: u32 = 7;

/// Ranks on either side that are tried for a stream.
const RANKS: usize = 8;

/// The request that a place is looked for.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Bytes.
    pub length: u64,
    /// Offset modulo 16 KiB that it had in the trace.
    pub alignment: u64,
    /// What was touched so far.
    pub space: &'a FreshSpace,
}

impl Wanted<'_> {
    /// Whether at this offset it covers as many pages of 4 and of 16 KiB as it did in the trace.
    fn touches_alike(&self, offset: u64) -> bool {
        [PAGE, ALIGNMENT].iter().all(|page| {
            let pages = |start: u64| (start % page + self.length).div_ceil(*page);
            pages(offset) == pages(self.alignment)
        })
    }
}

/// A request of the past.
#[derive(Clone, Copy)]
struct Past {
    offset: u64,
    length: u64,
    written: bool,
}

/// The last requests one by one, and a sample of the older ones.
pub(super) struct History {
    recent: VecDeque<Past>,
    /// Older requests: a random one makes room for each that leaves `recent`.
    old: Vec<Past>,
    /// Offset: number of the last request that began there, of those in `recent`.
    starts: Map<u64, u64>,
    streams: Streams,
    /// Rank of the stream that the last place continues.
    continued: Option<usize>,
    count: u64,
    referred: Option<u64>,
    rng: Xoshiro256PlusPlus,
}

impl History {
    pub(super) fn new(rng: Xoshiro256PlusPlus) -> Self {
        Self {
            recent: VecDeque::new(),
            old: Vec::new(),
            starts: Map::default(),
            streams: Streams::default(),
            continued: None,
            count: 0,
            referred: None,
            rng,
        }
    }

    /// The offset of a place for this request; `None` for a fresh one, and where there is no past to refer to.
    pub(super) fn offset(&mut self, place: Place, wanted: Wanted<'_>) -> Option<u64> {
        let Wanted { length, space, .. } = wanted;
        self.continued = None;
        match place {
            Place::Fresh(_) => None,
            Place::Sequential { rank, touched } => self.stream(usize::from(rank), 0, wanted, touched),
            Place::Same(back) => self.refer(self.count.checked_sub(u64::from(back))?),
            Place::Follow(ahead) => {
                // The next of this length: between them there may be others that weren't in the trace.
                let first = self.referred? + u64::from(ahead);
                let index = (first..(first + 16).min(self.count))
                    .find(|index| self.at(*index).is_some_and(|past| past.length == length))?;
                self.refer(index)
            }
            Place::Near { rank, sectors, touched } => {
                self.stream(usize::from(rank), i64::from(sectors) * 512, wanted, touched)
            }
            Place::Far { sectors, touched } => {
                self.moved(i64::from(sectors)).filter(|offset| touched || !space.is_touched(*offset, length))
            }
            Place::Again { back, written, slot } => {
                self.older(u64::from(back), (written, length, slot)).map(|past| past.offset)
            }
            Place::Inside { back, sectors } => self.inside(u64::from(back), i64::from(sectors), length),
        }
    }

    /// So many bytes from the end of a stream: of the one of this rank, or of the nearest rank where the request covers as many pages
    /// as it did, and touches what was touched before or doesn't, as it did. In untouched space a request may also be moved on to
    /// its alignment. Where nothing untouched is found there is no place.
    fn stream(&mut self, rank: usize, shift: i64, wanted: Wanted<'_>, touched: bool) -> Option<u64> {
        let others = (1..=RANKS).flat_map(|step| [rank.checked_add(step), rank.checked_sub(step)]).flatten();
        let ranks = || std::iter::once(rank).chain(others.clone());
        let at = |rank: usize| self.streams.end(rank).and_then(|end| end.checked_add_signed(shift));
        let fits = |offset: u64| wanted.space.is_touched(offset, wanted.length) == touched;
        let aligned = |offset: &u64| wanted.touches_alike(*offset);
        let exact =
            ranks().find_map(|rank| at(rank).filter(|at| aligned(at) && fits(*at)).map(|at| (rank, at)));
        let moved = |rank: usize| {
            let offset = at(rank)?;
            let behind = (wanted.alignment + ALIGNMENT - offset % ALIGNMENT) % ALIGNMENT;
            let offset = if touched || wanted.touches_alike(offset) { offset } else { offset + behind };
            fits(offset).then_some((rank, offset))
        };
        let any = || at(rank).filter(|_| touched).map(|at| (rank, at));
        let (rank, offset) = exact.or_else(|| ranks().find_map(moved)).or_else(any)?;
        self.continued = Some(rank);
        Some(offset)
    }

    /// Adds a request. `as_told`: it went where the last place says.
    pub(super) fn add(&mut self, offset: u64, length: u64, written: bool, as_told: bool) {
        self.streams.moved(self.continued.take().filter(|_| as_told), offset + length);
        self.starts.insert(offset, self.count);
        self.recent.push_back(Past { offset, length, written });
        self.count += 1;
        if self.recent.len() as u64 <= REMEMBERED {
            return;
        }
        let Some(past) = self.recent.pop_front() else { return };
        if self.starts.get(&past.offset).is_some_and(|index| index + REMEMBERED < self.count) {
            self.starts.remove(&past.offset);
        }
        if (self.old.len() as u64) < REMEMBERED {
            self.old.push(past);
        } else {
            let place = below(&mut self.rng, REMEMBERED) as usize;
            if let Some(entry) = self.old.get_mut(place) {
                *entry = past;
            }
        }
    }

    fn oldest(&self) -> u64 {
        self.count - self.recent.len() as u64
    }

    fn at(&self, index: u64) -> Option<Past> {
        self.recent.get(index.checked_sub(self.oldest())? as usize).copied()
    }

    fn refer(&mut self, index: u64) -> Option<u64> {
        let past = self.at(index)?;
        self.referred = Some(index);
        Some(past.offset)
    }

    fn moved(&self, sectors: i64) -> Option<u64> {
        let last = self.recent.back()?;
        Some(last.offset.checked_add_signed(sectors * 512).unwrap_or(last.offset))
    }

    /// The request so many before or, where that isn't the last that began at its place, or isn't like this, the one that is most so: of
    /// its neighbours, or of some from half to twice as many before.
    fn older(&mut self, back: u64, like: Like) -> Option<Past> {
        let all = self.recent.len() as u64;
        if back > all {
            return self.oldest_one(like);
        }
        let mut best: Option<(u32, u64, Past)> = None;
        let neighbours = (0..=2 * NEIGHBOURS)
            .map(|step| if step % 2 == 0 { back.saturating_sub(step / 2) } else { back + step / 2 + 1 });
        let (low, high) = ((back / 2).max(1), (back * 2).min(all));
        let drawn: [u64; TRIES] = std::array::from_fn(|_| low + below(&mut self.rng, high - low + 1));
        for back in neighbours.chain(drawn).filter(|back| *back > 0) {
            let Some((index, past)) = self.count.checked_sub(back).and_then(|at| Some((at, self.at(at)?)))
            else {
                continue;
            };
            // Whether it is the last at its place takes longest to find out: asked only where that can decide.
            if best.is_some_and(|best| Self::likeness(past, like, true) <= best.0) {
                continue;
            }
            let newest = self.starts.get(&past.offset) == Some(&index);
            let fits = Self::likeness(past, like, newest);
            if best.is_none_or(|best| fits > best.0) {
                best = Some((fits, index, past));
            }
            if fits == BEST {
                break;
            }
        }
        let (_, index, past) = best?;
        self.referred = Some(index);
        Some(past)
    }

    /// How well a request of the past fits: it must be of this kind and length and the last at its place before its slot counts.
    fn likeness(past: Past, (written, length, slot): Like, newest: bool) -> u32 {
        4 * u32::from((past.written, past.length) == (written, length))
            + 2 * u32::from(newest)
            + u32::from(past.offset / ALIGNMENT % SLOTS == u64::from(slot))
    }

    /// One from beyond the memory, or any of those that are left.
    fn oldest_one(&mut self, like: Like) -> Option<Past> {
        let old = self.old.len() as u64;
        let mut found = None;
        for _ in 0..TRIES {
            let past = if old > 0 {
                self.old.get(below(&mut self.rng, old) as usize).copied()
            } else {
                let any = self.recent.len() as u64;
                if any == 0 { None } else { self.recent.get(below(&mut self.rng, any) as usize).copied() }
            };
            found = past.or(found);
            if past.is_some_and(|past| (past.written, past.length) == (like.0, like.1)) {
                break;
            }
        }
        found
    }

    /// So many sectors from the start of the request so many before; where that is forgotten, a page of any other, from which this one
    /// doesn't reach far beyond it.
    fn inside(&mut self, back: u64, sectors: i64, length: u64) -> Option<u64> {
        let all = self.recent.len() as u64;
        if back <= all {
            return self.at(self.count.checked_sub(back)?)?.offset.checked_add_signed(sectors * 512);
        }
        let back = 1 + below(&mut self.rng, all.max(1));
        let past = self.at(self.count.checked_sub(back)?)?;
        let pages = past.length.saturating_sub(length) / PAGE;
        Some(past.offset + below(&mut self.rng, pages + 1) * PAGE)
    }
}
