//! Copyback: whole flash pages move inside a die, read and programmed by one command without their data on the channel.
//!
//! A copyback is a form of a program command, whatever its class: its units say where they come from
//! ([`Op::source`]) and where they go ([`Op::ppa`]).

use super::Device;
use super::purposes::Purpose;
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DomainId, Ppa};

impl Device {
    /// Moves a flash page of a victim by copyback, to the next place of its domain's write point for this cause; `false`,
    /// with nothing done, when a unit of it isn't valid or that place isn't on its plane (or die).
    pub(super) fn copy_back(&mut self, domain: DomainId, page: Ppa, cause: Cause) -> bool {
        let number = self.ftl.point_of_moves_from(cause, self.ftl.blocks.of(&self.geometry, page));
        let units = page.0..page.0 + self.geometry.units_per_page();
        if !self.next_place_suits(domain, number, page)
            || units.clone().any(|unit| self.ftl.valid_lpa(Ppa(unit)).is_none())
        {
            return false;
        }
        let destination = self.take_place(domain, number);
        if self.observers.fault.is_some() {
            return false;
        }
        let (mut head, bytes) = (NONE, self.geometry.unit_bytes);
        for source in units.clone().map(Ppa) {
            let Some(lpa) = self.ftl.valid_lpa(source) else { continue };
            let ppa = Ppa(destination.0 + (source.0 - page.0));
            let class = Class::program_for(cause);
            let op = Op { source, bytes, copyback: true, ..Op::new(class, ppa) };
            let id = self.new_op(op, Purpose { point: number, ..Purpose::of(lpa) });
            if head == NONE {
                head = id;
            } else {
                self.flash.pool.chain(head, id);
            }
        }
        let state = &mut self.ftl.domain[domain.index()];
        state.live += units.len() as u32;
        state.collector.in_flight += units.len() as u32;
        let row_is_full = state.points[usize::from(number)].at_row_start();
        self.enqueue_moves(&[head]);
        if row_is_full {
            self.program_gathered(domain, number);
        }
        true
    }

    /// Whether the next flash page of the write point can be reached by copyback from `page`, in the same cell mode. Not
    /// where programs take several pages, or where the placement is asked for moves.
    fn next_place_suits(&self, domain: DomainId, number: u8, page: Ppa) -> bool {
        let point = &self.ftl.domain[domain.index()].points[usize::from(number)];
        let to = self.ftl.domains.planes(domain)[point.column() as usize];
        let from = self.geometry.plane_of(page).0;
        let near = if self.flash.copybacks().same_plane_only {
            from == to
        } else {
            self.geometry.die_of(from).0 == self.geometry.die_of(to).0
        };
        let mode = if point.has_place() { self.ftl.blocks.mode(point.superblock) } else { point.mode };
        let plain = self.geometry.pages_at_once(mode) == 1 && !self.rules.places_moves;
        let room = point.has_place() || !self.ftl.domain[domain.index()].free.is_empty();
        room && near && plain && point.open_unit == NONE && mode == self.ftl.cell_mode(page)
    }

    /// Checked mode: what a copyback reads must be the newest version of what it moves, unless that was overwritten.
    pub(super) fn verify_source(&mut self, unit: OpId) {
        let lpa = self.ftl.purposes[unit].lpa;
        let source = self.flash.pool[unit].source;
        let Some(versions) = &self.ftl.versions else { return };
        if !self.ftl.holds(lpa, source) {
            return;
        }
        self.observers.reads_verified += 1;
        if self.ftl.oob.lpa(source, &self.ftl.layout) != lpa
            || !versions.holds(source, self.version_in_flash(lpa))
        {
            self.fail(format!("a copyback of {lpa:?} from {source:?} found something else there"));
        }
    }
}
