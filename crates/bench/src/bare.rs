//! Bare loops: what no simulator of a drive with these tables can leave out, and nothing else. Page map, reverse map and
//! valid counts are read and changed as by the engine, prefetched and on huge pages; times of service are added up on dies
//! and channels. No events, no queues, no requests, no statistics.

use std::time::Instant;

use wordline_base::memory::{ask_for_huge_pages, prefetch, zeroed_table};

use crate::Failure;

const PLANES: usize = 128;
const CHANNELS: usize = 16;
const BLOCKS: usize = 8192;
const PAGES: usize = 256;
const PLANE_PAGES: usize = BLOCKS * PAGES;
const PHYSICAL: usize = PLANES * PLANE_PAGES;

/// Requests that are known ahead of the one that is served.
const AHEAD: usize = 64;

/// Requests under way.
const DEPTH: usize = 16;

/// A generator of a few instructions (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((u128::from(self.0) * bound as u128) >> 64) as usize
    }
}

/// When dies and channels are free again, ns.
struct Times {
    dies: [u64; PLANES],
    channels: [u64; CHANNELS],
    /// Ends of the last requests, in turn.
    ends: [u64; DEPTH],
}

impl Times {
    fn new() -> Self {
        Self { dies: [0; PLANES], channels: [0; CHANNELS], ends: [0; DEPTH] }
    }

    /// A read: the array, then the channel.
    fn read(&mut self, plane: usize, from: u64) -> u64 {
        let (die, channel) = (&mut self.dies[plane % PLANES], &mut self.channels[plane % CHANNELS]);
        let sensed = from.max(*die) + 50_200;
        let end = sensed.max(*channel) + 3_413;
        (*die, *channel) = (end, end);
        end
    }

    /// A program: the channel, then the array.
    fn program(&mut self, plane: usize, from: u64) -> u64 {
        let (die, channel) = (&mut self.dies[plane % PLANES], &mut self.channels[plane % CHANNELS]);
        let moved = from.max(*die).max(*channel) + 3_613;
        *channel = moved;
        *die = moved + 500_000;
        *die
    }

    fn erase(&mut self, plane: usize) {
        self.dies[plane % PLANES] += 3_000_200;
    }
}

/// ns for each flash operation of uniform reads on a drive of 1 TiB that was overwritten at random.
pub fn reads(count: usize) -> f64 {
    let map = {
        let mut map = zeroed_table(PHYSICAL);
        ask_for_huge_pages(&map);
        // An odd factor permutes the numbers below a power of two.
        map.iter_mut().zip(0u32..).for_each(|(entry, page)| {
            *entry = page.wrapping_mul(0x9e37_79b1) & (PHYSICAL as u32 - 1);
        });
        map
    };
    let (mut random, mut times) = (Random(7), Times::new());
    let mut coming = [0usize; AHEAD];
    coming.iter_mut().for_each(|page| *page = random.below(PHYSICAL));
    let started = Instant::now();
    for number in 0..count {
        let page = std::mem::replace(&mut coming[number % AHEAD], random.below(PHYSICAL));
        prefetch(&map, coming[number % AHEAD]);
        let plane = map[page] as usize / PLANE_PAGES;
        let end = &mut times.ends[number % DEPTH];
        let from = *end;
        times.ends[number % DEPTH] = times.read(plane, from);
    }
    std::hint::black_box(&times.ends);
    started.elapsed().as_secs_f64() * 1e9 / count as f64
}

/// A plane: its valid counts, and where it writes.
struct Plane {
    valid: Vec<i16>,
    free: Vec<u32>,
    open: usize,
    next: usize,
}

/// Map, reverse map and planes.
struct Drive {
    map: Vec<u32>,
    reverse: Vec<u32>,
    planes: Vec<Plane>,
    logical: usize,
    /// Free blocks of a plane below which it collects.
    free: usize,
    times: Times,
    operations: u64,
}

/// Count of a block that is no candidate.
const NO_CANDIDATE: i16 = i16::MAX;

impl Drive {
    /// Filled in order, on one plane after the other.
    fn new(logical: usize, free: usize) -> Self {
        let (mut map, mut reverse) = (zeroed_table(PHYSICAL), zeroed_table(PHYSICAL));
        ask_for_huge_pages(&map);
        ask_for_huge_pages(&reverse);
        let planes = (0..PLANES)
            .map(|_| Plane {
                valid: vec![NO_CANDIDATE; BLOCKS],
                free: (0..BLOCKS as u32).rev().collect(),
                open: 0,
                next: PAGES,
            })
            .collect();
        map.fill(u32::MAX);
        reverse.fill(u32::MAX);
        let mut drive = Self { map, reverse, planes, logical, free, times: Times::new(), operations: 0 };
        (0..logical).for_each(|page| drive.place(page % PLANES, page));
        drive
    }

    /// Gives a page its next place in a plane.
    fn place(&mut self, plane: usize, page: usize) {
        let state = &mut self.planes[plane];
        if state.next == PAGES {
            if state.valid[state.open] < 0 {
                // The open block is full: what it holds is its count less what marked it as open.
                state.valid[state.open] -= i16::MIN;
            }
            state.open = state.free.pop().unwrap_or_default() as usize;
            state.next = 0;
            state.valid[state.open] = i16::MIN;
        }
        let place = plane * PLANE_PAGES + state.open * PAGES + state.next;
        state.next += 1;
        state.valid[state.open] += 1;
        self.reverse[place] = page as u32;
        self.map[page] = place as u32;
    }

    fn give_up(&mut self, place: u32) {
        let (plane, block) = (place as usize / PLANE_PAGES, place as usize % PLANE_PAGES / PAGES);
        self.planes[plane].valid[block] -= 1;
    }

    fn write(&mut self, page: usize, plane: usize, from: u64) -> u64 {
        while self.planes[plane].free.len() < self.free {
            self.collect(plane);
        }
        self.give_up(self.map[page]);
        self.place(plane, page);
        self.operations += 1;
        self.times.program(plane, from)
    }

    /// Moves what the fullest of invalid pages still holds. An open block has a negative count, a free one the largest.
    fn collect(&mut self, plane: usize) {
        // Read as unsigned numbers, open blocks are no candidates either.
        let counts = self.planes[plane].valid.iter().map(|&count| count as u16);
        let least = counts.min().unwrap_or_default();
        let victim = self.planes[plane].valid.iter().position(|&count| count as u16 == least).unwrap_or(0);
        let base = plane * PLANE_PAGES + victim * PAGES;
        for place in base..base + PAGES {
            prefetch(&self.map, self.reverse[place] as usize);
        }
        for place in base..base + PAGES {
            let page = self.reverse[place] as usize;
            if self.map.get(page) == Some(&(place as u32)) {
                let read = self.times.read(plane, 0);
                self.place(plane, page);
                self.times.program(plane, read);
                self.operations += 2;
            }
        }
        self.planes[plane].valid[victim] = NO_CANDIDATE;
        self.planes[plane].free.push(victim as u32);
        self.times.erase(plane);
        self.operations += 1;
    }

    /// Uniform writes, to the planes in turn; returns ns for each flash operation.
    fn overwrite(&mut self, count: usize, random: &mut Random) -> f64 {
        let mut coming = [0usize; AHEAD];
        coming.iter_mut().for_each(|page| *page = random.below(self.logical));
        let (started, before) = (Instant::now(), self.operations);
        for number in 0..count {
            let next = random.below(self.logical);
            let page = std::mem::replace(&mut coming[number % AHEAD], next);
            prefetch(&self.map, next);
            let end = self.times.ends[number % DEPTH];
            self.times.ends[number % DEPTH] = self.write(page, number % PLANES, end);
        }
        started.elapsed().as_secs_f64() * 1e9 / (self.operations - before) as f64
    }
}

/// ns for each flash operation of uniform writes under garbage collection, on a drive of 1 TiB of which a quarter of the
/// pages was overwritten at random before; and its flash operations for each write. `trigger` is the share of free blocks
/// below which a plane collects.
///
/// # Errors
/// A loop that lost a page.
pub fn writes(count: usize, logical_pages: u64, trigger: f64) -> Result<(f64, f64), Failure> {
    let mut drive = Drive::new(logical_pages as usize, (trigger * BLOCKS as f64).ceil().max(2.0) as usize);
    let mut random = Random(11);
    drive.overwrite(drive.logical / 4, &mut random);
    let before = drive.operations;
    let ns = drive.overwrite(count, &mut random);
    let each = (drive.operations - before) as f64 / count as f64;
    let found = |page: usize| drive.reverse[drive.map[page] as usize] as usize == page;
    match (0..drive.logical).step_by(4093).all(found) {
        true => Ok((ns, each)),
        false => Err("the bare loop lost a page".into()),
    }
}
