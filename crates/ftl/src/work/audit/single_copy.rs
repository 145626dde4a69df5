//! The audit of a drive whose pages have one place each and no data cache above them, so that the newest version of a page is that
//! of this place. It goes through the tables of logical pages and through those of places, each from one end to the other, in two
//! threads where that is worth it, and never from a page to its place, which would lie in no cache.
//!
//! What both sides say of the places that hold data is compared as a sum of 128 bits, in which what a place holds (64 bits) has
//! a weight of that place (64 bits, never zero). One wrong place always changes it, and so do two that hold each other's
//! contents. Several wrong ones leave it as it was only if their weights, which follow no order, happen to make up for
//! them, as one in 2^64 sets of weights does. What isn't right is left to the audit that asks one thing after the other.

use crate::work::above::AboveFtl;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

use crate::blocks::{BlockState, BlockTable};
use crate::durable::{Oob, Sequences};
use crate::mapping::{Layout, PageMap};
use crate::versions::Versions;
use wordline_base::ids::{Lpa, Ppa};
use wordline_flash::nand::Geometry;

/// Units of a piece, about.
const PIECE: u32 = 1 << 18;

/// Pages from which on a second thread is worth it.
const WORTH_A_THREAD: u32 = 4 * PIECE;

/// Units that are looked at together: those of a word of bits.
const TOGETHER: u32 = u64::BITS;

/// Odd numbers with ones and zeros in no order: the fractions of the golden ratio and of the root of 3.
const MIXERS: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xBB67_AE85_84CA_A73B];

/// What the audit compares.
#[derive(Clone, Copy)]
struct Tables<'a> {
    map: &'a PageMap,
    layout: &'a Layout,
    oob: &'a Oob,
    versions: &'a Versions,
    sequences: &'a Sequences,
    blocks: &'a BlockTable,
    geometry: &'a Geometry,
    /// Logical pages of the host.
    host: u32,
}

/// What logical pages say.
struct Mapped {
    /// Pages that hold data, and those of them that are the host's.
    pages: u64,
    of_host: u64,
    /// Places that hold the data of a page, one bit each.
    places: Vec<u64>,
    /// What they hold.
    sum: u128,
}

impl Mapped {
    /// Both together.
    fn with(mut self, other: &Self) -> Self {
        self.places.iter_mut().zip(&other.places).for_each(|(mine, others)| *mine |= others);
        self.pages += other.pages;
        self.of_host += other.of_host;
        self.sum = self.sum.wrapping_add(other.sum);
        self
    }
}

/// What the places say that hold data.
struct Held {
    /// Valid units of each superblock.
    valid: Vec<u32>,
    /// What they hold.
    sum: u128,
}

impl Held {
    /// Both together.
    fn with(mut self, other: &Self) -> Self {
        self.valid.iter_mut().zip(&other.valid).for_each(|(sum, part)| *sum += part);
        self.sum = self.sum.wrapping_add(other.sum);
        self
    }
}

/// What a place adds to the sum if it holds this version of a logical page. The weight of each place is another one, since
/// all steps to it can be undone.
#[inline(always)]
fn share(ppa: Ppa, lpa_plus_one: u32, version: u32) -> u128 {
    let contents = u64::from(lpa_plus_one) | u64::from(version) << 32;
    let mixed = (u64::from(ppa.0) + 1).wrapping_mul(MIXERS[0]);
    let weight = (mixed ^ mixed >> 32).wrapping_mul(MIXERS[1]);
    u128::from(contents) * u128::from(weight)
}

/// Has pieces of a work done here and, if wanted, in a second thread: `work` takes the numbers of pieces in turn.
fn in_two<T: Send>(wanted: bool, work: impl Fn(&AtomicU32) -> Option<T> + Sync) -> Option<(T, Option<T>)> {
    let (next, work) = (&AtomicU32::new(0), &work);
    scope(|scope| {
        // Without a thread all pieces are done here.
        let other = wanted.then(|| Builder::new().spawn_scoped(scope, move || work(next)).ok()).flatten();
        let here = work(next);
        let there = match other.map(ScopedJoinHandle::join) {
            Some(there) => Some(there.ok()??),
            None => None,
        };
        Some((here?, there))
    })
}

/// Audits every logical page: how many of the host hold data, and what is valid in each superblock. `None` where pages may
/// have several places, or something is wrong.
pub fn audit_single_copies<A: AboveFtl>(above: &A) -> Option<(u64, Vec<u32>)> {
    let versions =
        above.ftl().versions.as_ref().filter(|_| !above.caches_data() && !above.ftl().copies.is_on())?;
    let (map, layout, oob) = (&above.ftl().map, &above.ftl().layout, &above.ftl().oob);
    let sequences = oob.sequences()?;
    let (blocks, geometry, host) = (&above.ftl().blocks, &above.ftl().geometry, above.ftl().logical_units);
    let tables = Tables { map, layout, oob, versions, sequences, blocks, geometry, host };
    tables.audit(above.ftl().all_units())
}

impl Tables<'_> {
    /// Audits the first so many logical pages.
    fn audit(self, pages: u32) -> Option<(u64, Vec<u32>)> {
        let in_threads = pages >= WORTH_A_THREAD;
        let (mapped, other) = in_two(in_threads, |next| self.ask_pages(pages, next))?;
        let mapped = match other {
            Some(other) => other.with(&mapped),
            None => mapped,
        };
        let (held, other) = in_two(in_threads, |next| self.ask_places(&mapped.places, next))?;
        let held = match other {
            Some(other) => other.with(&held),
            None => held,
        };
        // Where two pages have one place, there are fewer places than pages.
        let places: u64 = held.valid.iter().map(|&valid| u64::from(valid)).sum();
        (held.sum == mapped.sum && places == mapped.pages).then_some((mapped.of_host, held.valid))
    }

    /// Goes through pieces of the logical pages that nobody has begun yet.
    fn ask_pages(self, pages: u32, next: &AtomicU32) -> Option<Mapped> {
        let words = self.geometry.physical_units().div_ceil(TOGETHER);
        let mut mapped = Mapped { pages: 0, of_host: 0, places: vec![0; words as usize], sum: 0 };
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let first = piece.saturating_mul(PIECE);
            if first >= pages {
                return Some(mapped);
            }
            let end = first.saturating_add(PIECE).min(pages);
            for first in (first..end).step_by(TOGETHER as usize) {
                self.ask_run_of_pages(first, first.saturating_add(TOGETHER).min(end), &mut mapped)?;
            }
        }
    }

    /// Asks logical pages that follow one another for their places.
    #[inline(always)]
    fn ask_run_of_pages(self, first: u32, end: u32, mapped: &mut Mapped) -> Option<()> {
        let mut places = [Ppa::NONE; TOGETHER as usize];
        let places = places.get_mut(..(end - first) as usize)?;
        self.map.get_run::<{ TOGETHER as usize }>(Lpa(first), places, self.layout);
        let versions = self.versions.newest_of(first..end)?;
        let (bits, mut pages, mut of_host, mut sum) = (mapped.places.as_mut_slice(), 0, 0, 0_u128);
        for ((&ppa, &version), lpa) in places.iter().zip(versions).zip(first..) {
            if ppa.is_some() {
                *bits.get_mut((ppa.0 / TOGETHER) as usize)? |= 1 << (ppa.0 % TOGETHER);
                pages += 1;
                // Pages of the map itself belong to no host.
                of_host += u64::from(lpa < self.host);
                sum = sum.wrapping_add(share(ppa, lpa.wrapping_add(1), version));
            }
        }
        mapped.pages += pages;
        mapped.of_host += of_host;
        mapped.sum = mapped.sum.wrapping_add(sum);
        Some(())
    }

    /// Goes through pieces of the blocks of all planes that nobody has begun yet, for the places that hold data.
    fn ask_places(self, places: &[u64], next: &AtomicU32) -> Option<Held> {
        let mut held = Held { valid: vec![0; self.blocks.len()], sum: 0 };
        let units = self.geometry.units_per_block().max(1);
        let (blocks, together) = (self.geometry.physical_units() / units, PIECE.div_ceil(units));
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let first = piece.saturating_mul(together);
            if first >= blocks {
                return Some(held);
            }
            for block in first..first.saturating_add(together).min(blocks) {
                self.ask_block(block * units..(block + 1) * units, places, &mut held)?;
            }
        }
    }

    /// Asks the places of a block.
    #[inline(always)]
    fn ask_block(self, block: Range<u32>, places: &[u64], held: &mut Held) -> Option<()> {
        let superblock = self.blocks.of(self.geometry, Ppa(block.start));
        let (mut first, mut valid) = (block.start, 0);
        while first < block.end {
            let end = (first / TOGETHER + 1).saturating_mul(TOGETHER).min(block.end);
            let word = places.get((first / TOGETHER) as usize)? >> (first % TOGETHER);
            let bits = word & (u64::MAX >> (TOGETHER - (end - first)));
            if bits != 0 {
                valid += bits.count_ones();
                held.sum = held.sum.wrapping_add(self.sum_of_run(first, end, bits)?);
            }
            first = end;
        }
        let erased = matches!(self.blocks.state(superblock), BlockState::Free | BlockState::Erasing);
        if erased && valid > 0 {
            return None;
        }
        *held.valid.get_mut(superblock.index())? += valid;
        Some(())
    }

    /// What places that follow one another add to the sum, those that a bit is set for.
    #[inline(always)]
    fn sum_of_run(self, first: u32, end: u32, bits: u64) -> Option<u128> {
        let mut lpas = [0; TOGETHER as usize];
        let lpas = lpas.get_mut(..(end - first) as usize)?;
        self.oob.copy_run(Ppa(first), lpas);
        let (versions, mut sum) = (self.sequences.stored_in(first..end)?, 0_u128);
        for (((lpa_plus_one, &version), ppa), turn) in
            lpas.iter().zip(versions).zip((first..).map(Ppa)).zip(0..)
        {
            // Which places hold data follows no order, so that a branch for it would often be guessed wrong.
            let mask = 0_u32.wrapping_sub((bits >> turn & 1) as u32);
            let mut lpa_plus_one = *lpa_plus_one;
            if lpa_plus_one | !mask == 0 {
                lpa_plus_one = self.oob.lpa(ppa, self.layout).0.wrapping_add(1);
            }
            sum = sum.wrapping_add(share(ppa, lpa_plus_one & mask, version & mask));
        }
        Some(sum)
    }
}
