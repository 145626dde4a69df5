//! Fetching ahead: what coming requests need of the tables comes towards the caches before they enter.

use crate::cache::WRITE_BACK_PROGRAM;
use crate::device::Device;
use crate::host::{HostOp, HostRequest};
use crate::sched::queue::{NONE, Op, OpId};
use crate::systems::Distance;
use crate::systems::work::fetch;
use wordline_base::ids::{Lpa, Ppa};
use wordline_ftl::work::{Ftl, Purpose};

/// Requests whose tables are fetched together.
pub(crate) const FETCHED_TOGETHER: u64 = 32;

/// Requests of one call, at most.
const MOST: usize = FETCHED_TOGETHER as usize;

/// Units of a request for which tables of the data cache and of systems are fetched ahead, and those of them for which the
/// second stage of that is due.
pub(in crate::device) const UNITS_AHEAD: u32 = 8;
pub(in crate::device) const UNITS_NEAR: u32 = 4;

/// The superblock that a write takes a page from.
#[inline(never)]
fn prefetch_overwritten(ftl: &Ftl, request: &HostRequest) {
    if request.op.is_write() {
        prefetch_superblock(ftl, place_now(ftl, request));
    }
}

fn prefetch_superblock(ftl: &Ftl, ppa: Ppa) {
    if ppa.is_some() {
        ftl.blocks().prefetch(ftl.blocks().of(ftl.geometry(), ppa));
    }
}

/// The same, and what checked mode knows of the places of these requests.
#[inline(never)]
fn prefetch_compared<'a>(ftl: &Ftl, coming: impl Iterator<Item = &'a HostRequest>) {
    let Some(sequences) = ftl.oob().sequences() else { return };
    let mut places = [Ppa::NONE; MOST];
    for (place, request) in places.iter_mut().zip(coming) {
        *place = place_now(ftl, request);
        if request.op.is_write() {
            prefetch_superblock(ftl, *place);
        }
    }
    let places = || places.iter().filter(|place| place.is_some());
    places().for_each(|&place| sequences.prefetch(place));
    places().for_each(|&place| ftl.oob().prefetch(place));
}

/// Where a request's first unit is; [`Ppa::NONE`] also where looking that up would cost more than it helps.
#[inline(always)]
fn place_now(ftl: &Ftl, request: &HostRequest) -> Ppa {
    let unit = ftl.geometry().unit_of_byte(request.offset);
    let lpa = Lpa(unit as u32);
    if unit >= u64::from(ftl.logical_units()) {
        return Ppa::NONE;
    }
    if ftl.map().is_most_likely_as_laid_out(lpa) && !ftl.layout().holds(lpa) {
        ftl.map().prefetch(unit);
        return Ppa::NONE;
    }
    ftl.lookup(lpa)
}

impl Device {
    /// First stage: the entries of the map, and what a data cache knows. The fetches of a table stand directly behind one another:
    /// the processor goes on only when it has the translation of an address, but looks up several at once.
    #[inline(never)]
    pub fn prefetch<'a>(&self, coming: impl Iterator<Item = &'a HostRequest> + Clone) {
        let mut units = [0; MOST];
        let mut count = 0;
        for (unit, request) in units.iter_mut().zip(coming.clone()) {
            *unit = self.geometry.unit_of_byte(request.offset) as usize;
            count += 1;
        }
        let units = units.get(..count).unwrap_or_default();
        self.ftl.map().prefetch_all(units);
        if let Some(versions) = self.ftl.versions() {
            units.iter().for_each(|&lpa| versions.prefetch(lpa as u64));
        }
        if self.controller.cache.is_on() {
            coming
                .flat_map(|request| self.first_units(request))
                .for_each(|lpa| self.controller.cache.prefetch(Lpa(lpa)));
        }
    }

    /// The first units of a request that may reach beyond the drive.
    fn first_units(&self, request: &HostRequest) -> impl Iterator<Item = u32> + use<> {
        let first = self.geometry.unit_of_byte(request.offset) as u32;
        let units = request.length.div_ceil(u64::from(self.geometry.unit_bytes));
        (0..units.min(u64::from(UNITS_AHEAD)) as u32).map(move |unit| first.wrapping_add(unit))
    }

    /// Second stage, once the first had time: what overwrites change, and what checked mode compares.
    #[inline(always)]
    pub fn prefetch_looked_up<'a>(&self, coming: impl Iterator<Item = &'a HostRequest>) {
        if self.controller.cache.is_on() || !self.systems.are_none() {
            coming.for_each(|request| self.prefetch_for_all(request));
        } else if self.ftl.versions().is_none() {
            let writes = coming.filter(|request| request.op != HostOp::Read);
            writes.for_each(|request| prefetch_overwritten(&self.ftl, request));
        } else {
            prefetch_compared(&self.ftl, coming);
        }
    }

    /// What one request needs, whatever part of the drive it passes.
    #[inline(never)]
    fn prefetch_for_all(&self, request: &HostRequest) {
        if request.op == HostOp::Read {
            self.first_units(request).for_each(|lpa| fetch(self, Lpa(lpa), Distance::Far));
        }
        if self.controller.cache.is_on() {
            let lpa = self.geometry.unit_of_byte(request.offset);
            self.controller.cache.prefetch_unit(Lpa(lpa as u32));
        } else if self.ftl.versions().is_some() {
            prefetch_compared(&self.ftl, std::iter::once(request));
        } else {
            prefetch_overwritten(&self.ftl, request);
        }
    }

    /// A die begins the command before `head`, which is looked at for the first time when that is done: brings towards the
    /// caches what a program from the data cache will change then, and the operation behind it.
    #[inline]
    pub(in crate::device) fn fetch_next(&self, head: OpId) {
        if head == NONE {
            return;
        }
        let Purpose { lpa, slot, .. } = self.ftl.purposes()[head];
        let Op { ppa, next, class, .. } = self.flash.pool[head];
        self.flash.pool.prefetch(next);
        if class == WRITE_BACK_PROGRAM {
            self.controller.cache.prefetch_slot(slot);
            self.ftl.map().prefetch(u64::from(lpa.0));
            self.ftl.oob().prefetch(ppa);
        }
    }

    /// Brings the map's entries of the units of a flash page that moves, which is soon looked up, towards the caches.
    #[inline]
    pub(in crate::device) fn fetch_entries_of(&self, head: OpId) {
        let mut unit = head;
        while unit != NONE {
            let lpa = self.ftl.purposes()[unit].lpa;
            let next_unit = self.flash.pool[unit].next_unit;
            self.ftl.map().prefetch(u64::from(lpa.0));
            unit = next_unit;
        }
    }

    /// Brings what units of a read behind this one, up to `last`, will need towards the caches.
    #[inline(never)]
    pub(in crate::device) fn fetch_behind(&self, lpa: u32, last: u32) {
        self.controller.cache.prefetch(Lpa(lpa.saturating_add(UNITS_AHEAD)));
        if last - lpa >= UNITS_AHEAD {
            fetch(self, Lpa(lpa + UNITS_AHEAD), Distance::Far);
        }
        if last - lpa >= UNITS_NEAR {
            fetch(self, Lpa(lpa + UNITS_NEAR), Distance::Near);
        }
    }
}
