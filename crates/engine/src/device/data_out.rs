//! Flash pages that were read are with the controller: what becomes of their units.

use super::Device;
use super::purposes::Purpose;
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::DieId;

impl Device {
    /// The units of a flash page are with the controller. `die` is where the command runs whose parts count for them,
    /// unless they carry those already.
    #[inline]
    pub(super) fn page_was_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        let first = self.flash.pool[head].ppa;
        let mut unit = head;
        while unit != NONE {
            let op = &mut self.flash.pool[unit];
            let next_unit = std::mem::replace(&mut op.next_unit, NONE);
            op.last_unit = unit;
            let tentative = op.tentative;
            let Purpose { whose, partial, .. } = self.ftl.purposes[unit];
            if class == Class::HostRead && !partial && !tentative && whose.rebuild().is_none() {
                self.tell_read_done(unit);
                if self.controller.cache.is_on() {
                    self.keep_read(unit);
                }
                self.unit_done(unit, die);
            } else {
                self.unit_read(unit, class, die);
            }
            unit = next_unit;
        }
        if class.is_move() {
            // A plan reads pages of any domain, in whose collection that changes nothing.
            let domain = self.ftl.domain_of(first);
            self.advance_collection(domain);
        }
    }

    /// One unit is with the controller that is not what a read of the host asked for, or not all of it.
    fn unit_read(&mut self, unit: OpId, class: Class, die: Option<DieId>) {
        let partial = self.ftl.purposes[unit].partial;
        let Op { ppa, tentative, .. } = self.flash.pool[unit];
        if class.is_move() {
            self.unit_read_for_move(unit);
        } else if class == Class::MapRead {
            self.map_page_read(unit);
        } else if tentative {
            self.guess_was_wrong(unit);
        } else if class == Class::CopyRead {
            self.read_for_copy_done(unit);
        } else if class == Class::ParityRead {
            self.read_for_parity_done(unit);
        } else if partial || class.cause() == Cause::WriteBack {
            // A program follows, whose response time this is a part of.
            if let Some(die) = die {
                self.flash.carry_parts(unit, die);
            }
            if class.cause() == Cause::WriteBack {
                return self.merged(unit);
            }
            self.flash.pool[unit].source = ppa;
            self.program_anywhere(unit);
        } else {
            self.source_read(unit, die);
        }
    }
}
