//! The units of a request go to the data cache, or to the translation layer.

use std::ops::Range;

use super::Device;
use super::face::fetch::{UNITS_AHEAD, UNITS_NEAR};
use crate::cache::work as cache;
use crate::front::{Units, unit_done};
use crate::sched::queue::{NONE, OpId};
use crate::systems::Distance;
use crate::systems::work::fetch;
use wordline_base::ids::{DieId, Lpa};
use wordline_ftl::work::{forget, read_for_host, write_for_host};

impl Device {
    /// Reads the units of a request.
    #[inline(always)]
    pub(super) fn read_units(&mut self, number: u32, units: Units) {
        let mut head: OpId = NONE;
        let (is_cached, fetches) =
            (self.controller.cache.is_on(), self.controller.cache.is_on() || self.systems.fetch_ahead());
        if fetches {
            let near = units.numbers().take(UNITS_NEAR as usize);
            near.for_each(|lpa| fetch(self, Lpa(lpa), Distance::Near));
        }
        let last = *units.numbers().end();
        for lpa in units.numbers() {
            if fetches {
                self.fetch_behind(lpa, last);
            }
            if is_cached && cache::read_unit(self, number, Lpa(lpa), units.wanted(lpa)) {
                continue;
            }
            head = read_for_host(self, number, Lpa(lpa), units.wanted(lpa), head);
        }
    }

    /// Writes the units of a request.
    #[inline(always)]
    pub(super) fn write_units(&mut self, number: u32, units: Units) {
        if self.controller.cache.is_on() {
            let durable = self.front.is_durable(number);
            for lpa in units.numbers() {
                self.controller.cache.prefetch(Lpa(lpa.saturating_add(UNITS_AHEAD)));
                cache::write_unit(self, number, Lpa(lpa), units.wanted(lpa), durable);
            }
            return cache::tend(self);
        }
        let mut plane = None;
        for lpa in units.numbers() {
            if lpa & (self.geometry.units_per_page() - 1) == 0 {
                plane = None;
            }
            write_for_host(self, number, Lpa(lpa), units.wanted(lpa), &mut plane);
        }
    }

    /// Forgets these units, by order of a request.
    pub(super) fn trim_units(&mut self, number: u32, units: Range<u32>) {
        let id = self.front.request(number).id();
        for lpa in units {
            self.controller.cache.prefetch(Lpa(lpa.saturating_add(UNITS_AHEAD)));
            forget(self, id, Lpa(lpa));
        }
        if self.controller.cache.is_on() {
            cache::tend(self);
        }
    }

    /// One unit of a request is done and its operation ends, `die`'s running command being the one that served it.
    #[inline(always)]
    pub(super) fn unit_done(&mut self, unit: OpId, die: Option<DieId>) {
        let purpose = &self.ftl.purposes()[unit];
        let (number, lpa) = (purpose.whose.request(), purpose.lpa);
        unit_done(self, number, lpa, (unit, die));
        self.flash.pool.remove(unit);
    }
}
