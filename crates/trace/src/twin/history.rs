//! What a twin has requested so far, in bounded memory.

use std::collections::{HashMap, VecDeque};

use super::codes::Place;
use super::locate::{NO_TURN, PAGE, REMEMBERED, TURNS};
use super::shapes::ALIGNMENT;
use super::space::FreshSpace;
use super::streams::Streams;
use crate::rng::{Xoshiro256PlusPlus, below};

/// Draws before a reference is taken though it doesn't fit in all.
const TRIES: usize = 48;

/// Whether it wrote, its length, and its turn.
type Like = (bool, u64, u8);

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
    /// Start page: number of the last request that began there, of those in `recent`.
    starts: HashMap<u64, u64>,
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
            starts: HashMap::new(),
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
            Place::Sequential(rank, touched) => self.stream(usize::from(rank), 0, wanted, touched),
            Place::Same(back) => self.refer(self.count.checked_sub(u64::from(back))?),
            Place::Follow(ahead) => {
                // The next of this length: between them there may be others that weren't in the trace.
                let first = self.referred? + u64::from(ahead);
                let index = (first..(first + 16).min(self.count))
                    .find(|index| self.at(*index).is_some_and(|past| past.length == length))?;
                self.refer(index)
            }
            Place::Near(rank, sectors, touched) => {
                self.stream(usize::from(rank), i64::from(sectors) * 512, wanted, touched)
            }
            Place::Far(sectors, touched) => {
                self.moved(i64::from(sectors)).filter(|offset| touched || !space.is_touched(*offset, length))
            }
            Place::Continue(log, touched) => {
                let low = 1_u64 << log.min(16);
                let rank = low + below(&mut self.rng, low);
                let rank = (rank as usize).min(self.streams.len().saturating_sub(1));
                self.stream(rank, 0, wanted, touched)
            }
            Place::Inside(log) => self.inside(log, length),
            Place::Reread(log, turn) => self.older(log, Some((false, length, turn))).map(|past| past.offset),
            Place::Rewritten(log, turn) => {
                self.older(log, Some((true, length, turn))).map(|past| past.offset)
            }
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

    /// Where the last request began.
    pub(super) fn last(&self) -> u64 {
        self.recent.back().map_or(0, |past| past.offset)
    }

    /// Adds a request. `as_told`: it went where the last place says.
    pub(super) fn add(&mut self, offset: u64, length: u64, written: bool, as_told: bool) {
        self.streams.moved(self.continued.take().filter(|_| as_told), offset + length);
        self.starts.insert(offset / PAGE, self.count);
        self.recent.push_back(Past { offset, length, written });
        self.count += 1;
        if self.recent.len() as u64 <= REMEMBERED {
            return;
        }
        let Some(past) = self.recent.pop_front() else { return };
        if self.starts.get(&(past.offset / PAGE)).is_some_and(|index| index + REMEMBERED < self.count) {
            self.starts.remove(&(past.offset / PAGE));
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

    /// A request of 2^log to 2^(log+1) before that is the last that began at its page, and is
    /// like this: whether it wrote, and its length.
    fn older(&mut self, log: u8, like: Option<Like>) -> Option<Past> {
        let low = 1_u64 << log.min(62);
        if low > self.recent.len() as u64 {
            return self.oldest_one(like);
        }
        let high = (low * 2).min(self.recent.len() as u64 + 1).max(low + 1);
        let mut found: Option<(u32, u64, Past)> = None;
        for _ in 0..TRIES {
            let index = self.count - (low + below(&mut self.rng, high - low));
            let Some(past) = self.at(index) else { continue };
            let newest = self.starts.get(&(past.offset / PAGE)) == Some(&index);
            let fits = like.map_or(BEST, |like| self.likeness(past, like, newest));
            if found.is_none_or(|found| fits > found.0) {
                found = Some((fits, index, past));
            }
            if fits == BEST {
                break;
            }
        }
        let (_, index, past) = found?;
        if like.is_some() {
            self.referred = Some(index);
        }
        Some(past)
    }

    /// How well a request of the past fits: it must be of this kind and length and the last at its place before its turn counts.
    fn likeness(&self, past: Past, (written, length, turn): Like, newest: bool) -> u32 {
        let last = self.recent.back().map_or(0, |last| last.offset / ALIGNMENT);
        let steps = (past.offset / ALIGNMENT).wrapping_sub(last) % TURNS;
        let turned = turn == NO_TURN || steps == u64::from(turn);
        4 * u32::from((past.written, past.length) == (written, length))
            + 2 * u32::from(newest)
            + u32::from(turned)
    }

    /// One from beyond the memory, or any of those that are left.
    fn oldest_one(&mut self, like: Option<Like>) -> Option<Past> {
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
            if past
                .is_some_and(|past| like.is_none_or(|like| (past.written, past.length) == (like.0, like.1)))
            {
                break;
            }
        }
        found
    }

    /// A page of an older request, from which this one doesn't reach far beyond it.
    fn inside(&mut self, log: u8, length: u64) -> Option<u64> {
        let past = self.older(log, None)?;
        let pages = past.length.saturating_sub(length) / PAGE;
        Some(past.offset + below(&mut self.rng, pages + 1) * PAGE)
    }
}
