//! The audit of a drive whose pages have one place each and no data cache above them, so that the newest version of a page is that
//! of this place. It looks at the tables alone, piece by piece, in two threads where that is worth it; what it finds wrong is left
//! to the audit that asks one thing after the other.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{Builder, ScopedJoinHandle, scope};

use crate::blocks::{BlockState, BlockTable};
use crate::device::Device;
use crate::ids::{Lpa, Ppa};
use crate::mapping::{Layout, PageMap};
use crate::nand::Geometry;
use crate::nand::oob::{Oob, Versions};

/// Logical pages of a piece.
const PIECE: u32 = 1 << 18;

/// Pages from which on a second thread is worth it.
const WORTH_A_THREAD: u32 = 4 * PIECE;

/// Pages whose tables are fetched together, while those before are compared.
const FETCHED_TOGETHER: usize = 32;

/// What the audit compares.
#[derive(Clone, Copy)]
struct Tables<'a> {
    map: &'a PageMap,
    layout: &'a Layout,
    oob: &'a Oob,
    versions: &'a Versions,
    blocks: &'a BlockTable,
    geometry: &'a Geometry,
    /// Logical pages of the host.
    host: u32,
}

/// What was counted of some pages.
struct Counts {
    /// Pages of the host that hold data.
    mapped: u64,
    /// Valid units of each superblock.
    valid: Vec<u32>,
}

impl Counts {
    /// Both together.
    fn add(&mut self, other: &Self) {
        self.mapped += other.mapped;
        self.valid.iter_mut().zip(&other.valid).for_each(|(sum, part)| *sum += part);
    }
}

impl Device {
    /// Audits every logical page: how many of the host hold data, and what is valid in each superblock. `None` where pages may
    /// have several places, or something is wrong.
    pub(super) fn audit_plain_pages(&self) -> Option<(u64, Vec<u32>)> {
        let versions = self.versions.as_ref().filter(|_| self.cache.is_none() && !self.copies.is_on())?;
        let (map, layout, oob) = (&self.map, &self.layout, &self.oob);
        let (blocks, geometry, host) = (&self.blocks, &self.geometry, self.logical_units);
        let tables = Tables { map, layout, oob, versions, blocks, geometry, host };
        let counts = tables.audit(self.all_units())?;
        Some((counts.mapped, counts.valid))
    }
}

impl Tables<'_> {
    /// Audits the first so many logical pages.
    fn audit(self, pages: u32) -> Option<Counts> {
        let next = &AtomicU32::new(0);
        scope(|scope| {
            let audit = move || self.audit_pieces(pages, next);
            // Without a thread all pieces are audited here.
            let other =
                (pages >= WORTH_A_THREAD).then(|| Builder::new().spawn_scoped(scope, audit).ok()).flatten();
            let here = audit();
            let there = other.map(ScopedJoinHandle::join);
            let mut counts = here?;
            if let Some(there) = there {
                counts.add(&there.ok()??);
            }
            Some(counts)
        })
    }

    /// Audits the pieces that nobody has begun yet, one after the other.
    fn audit_pieces(self, pages: u32, next: &AtomicU32) -> Option<Counts> {
        let mut counts = Counts { mapped: 0, valid: vec![0; self.blocks.len()] };
        loop {
            let piece = next.fetch_add(1, Ordering::Relaxed);
            let first = piece.saturating_mul(PIECE);
            if first >= pages {
                return Some(counts);
            }
            self.audit_piece(first, first.saturating_add(PIECE).min(pages), &mut counts)?;
        }
    }

    /// Audits the logical pages from one on and below another.
    fn audit_piece(self, first: u32, end: u32, counts: &mut Counts) -> Option<()> {
        let mut coming = [Ppa::NONE; FETCHED_TOGETHER];
        self.fetch(first, end, &mut coming);
        for first in (first..end).step_by(FETCHED_TOGETHER) {
            let now = coming;
            self.fetch(first.saturating_add(FETCHED_TOGETHER as u32), end, &mut coming);
            for (&ppa, lpa) in now.iter().zip((first..end).map(Lpa)).filter(|(ppa, _)| ppa.is_some()) {
                let superblock = self.blocks.of(self.geometry, ppa);
                let erased = matches!(self.blocks.state(superblock), BlockState::Free | BlockState::Erasing);
                if erased || !self.is_right(lpa, ppa) {
                    return None;
                }
                // Pages of the map itself belong to no host.
                counts.mapped += u64::from(lpa.0 < self.host);
                *counts.valid.get_mut(superblock.index())? += 1;
            }
        }
        Some(())
    }

    /// Looks up the pages whose audit comes soon, and brings what that needs towards the caches.
    #[inline(always)]
    fn fetch(self, first: u32, end: u32, coming: &mut [Ppa; FETCHED_TOGETHER]) {
        for (slot, lpa) in coming.iter_mut().zip(first..end) {
            *slot = self.map.get(Lpa(lpa), self.layout);
            self.oob.prefetch(*slot);
            self.versions.prefetch_stored(*slot);
        }
    }

    /// Whether a place holds the newest version of this page.
    #[inline(always)]
    fn is_right(self, lpa: Lpa, ppa: Ppa) -> bool {
        self.versions.holds(ppa, self.versions.newest(lpa))
            && (self.oob.was_written_with(ppa, lpa) || self.oob.lpa(ppa, self.layout) == lpa)
    }
}
