//! Copyback: whole flash pages move inside a die, read and programmed by one command without their data on the channel.
//!
//! A copyback is a form of a program command, whatever its class: its units say where they come from
//! ([`Op::source`]) and where they go ([`Op::ppa`]).

use super::Device;
use super::flash::Flash;
use super::purposes::Purpose;
use crate::nand::Place;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DieId, DomainId, Ppa};
use wordline_base::parts::{Part, Parts};
use wordline_base::time::Ns;
use wordline_config::device::MultiPlaneRule;

impl Flash {
    /// Whether a waiting command may join a copyback under the multi-plane rule: its source, too, must fit.
    pub(super) fn sources_fit(&self, candidate: OpId, head: OpId) -> bool {
        let place = |op: OpId| self.geometry.place(self.pool[op].source);
        self.copybacks.same_plane_only && self.fit(place(candidate), place(head))
    }

    /// Whether two pages of different planes may go in one command.
    pub(super) fn fit(&self, one: Place, other: Place) -> bool {
        match self.rules.multi_plane {
            MultiPlaneRule::None => false,
            MultiPlaneRule::SameBlockAndPage => one.page == other.page && one.block == other.block,
            MultiPlaneRule::SamePage => one.page == other.page,
            MultiPlaneRule::Any => true,
        }
    }
}

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
        let near = if self.flash.copybacks.same_plane_only {
            from == to
        } else {
            self.geometry.die_of(from).0 == self.geometry.die_of(to).0
        };
        let mode = if point.has_place() { self.ftl.blocks.mode(point.superblock) } else { point.mode };
        let plain = self.geometry.pages_at_once(mode) == 1 && !self.rules.places_moves;
        let room = point.has_place() || !self.ftl.domain[domain.index()].free.is_empty();
        room && near && plain && point.open_unit == NONE && mode == self.ftl.cell_mode(page)
    }

    /// Longest time of the array for the pages of a command, by their own function.
    fn longest(&self, mut head: OpId, time: impl Fn(&Self, &Op) -> Ns) -> Ns {
        let mut longest = Ns::ZERO;
        while head != NONE {
            longest = longest.max(time(self, &self.flash.pool[head]));
            head = self.flash.pool[head].next;
        }
        longest
    }

    /// First half: the command and the array's read.
    pub(super) fn start_copyback(&mut self, die: DieId, command: Command) {
        let time = self.flash.timing.read_command(command.planes);
        let cell = self.longest(command.head, |this, op| {
            this.flash.timing.read(this.geometry.place(op.source).page, this.ftl.cell_mode(op.source))
        });
        let mut parts = Parts::default();
        parts.add(Part::Command, time.0);
        parts.add(Part::Cell, cell.0);
        let state = &mut self.flash.dies[die.index()];
        state.command = Command { cell, parts, form: CommandForm::CopybackRead, ..command };
        state.phase = Phase::Command;
        state.occupy(Some(command.class), self.flash.now);
        self.tell_die(die, Some(command.class));
        self.want_channel(die, command.class, time);
    }

    /// Second half: the pages are in the register; the command to program them, behind their check if it is due.
    pub(super) fn copyback_read(&mut self, die: DieId) {
        let Command { head, class, planes, .. } = self.flash.dies[die.index()].command;
        let checked = self.flash.copybacks.is_checked(die);
        let page = self.flash.timing.transfer(self.geometry.page_bytes).0 * u64::from(planes);
        // Out to the controller and back in.
        let data = if checked { 2 * page } else { 0 };
        let time = self.flash.timing.program_command(planes);
        let cell = self.longest(head, |this, op| {
            this.flash.timing.program(this.geometry.place(op.ppa).page, this.ftl.cell_mode(op.ppa))
        });
        self.observers.flash_operations += u64::from(planes);
        self.observers.recorder.copybacks += u64::from(planes);
        let state = &mut self.flash.dies[die.index()];
        let command = &mut state.command;
        command.form = if checked { CommandForm::CopybackChecked } else { CommandForm::CopybackProgram };
        command.cell = cell;
        command.parts.add(Part::Command, time.0);
        command.parts.add(Part::Transfer, data);
        command.parts.add(Part::Cell, cell.0);
        state.phase = Phase::Command;
        self.want_channel(die, class, time + Ns(data));
    }

    /// Checked mode: what a copyback reads must be the newest version of what it moves, unless that was overwritten.
    pub(super) fn verify_source(&mut self, unit: OpId) {
        let Purpose { lpa, .. } = self.ftl.purposes[unit];
        let Op { source, .. } = self.flash.pool[unit];
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
