//! Copyback: whole flash pages move inside a die, read and programmed by one command without their data on the channel.
//!
//! A copyback is a form of a program command, whatever its class: its units say where they come from
//! ([`Op::source`]) and where they go ([`Op::ppa`]).

use super::transfers::want_channel;
use crate::nand::Place;
use crate::nand::die::{Command, CommandForm, Phase};
use crate::sched::queue::{NONE, Op, OpId};
use crate::{Above, Count, Flash};
use wordline_base::ids::DieId;
use wordline_base::parts::{Part, Parts};
use wordline_base::time::Ns;
use wordline_config::device::MultiPlaneRule;

impl Flash {
    /// Whether a waiting command may join a copyback under the multi-plane rule: its source, too, must fit.
    pub(crate) fn sources_fit(&self, candidate: OpId, head: OpId) -> bool {
        let place = |op: OpId| self.geometry.place(self.pool[op].source);
        self.copybacks.same_plane_only && self.fit(place(candidate), place(head))
    }

    /// Whether two pages of different planes may go in one command.
    pub(crate) fn fit(&self, one: Place, other: Place) -> bool {
        match self.rules.multi_plane {
            MultiPlaneRule::None => false,
            MultiPlaneRule::SameBlockAndPage => one.page == other.page && one.block == other.block,
            MultiPlaneRule::SamePage => one.page == other.page,
            MultiPlaneRule::Any => true,
        }
    }
}

/// Longest time of the array for the pages of a command, by their own function.
fn longest<A: Above>(above: &A, mut head: OpId, time: impl Fn(&A, &Op) -> Ns) -> Ns {
    let (mut longest, pool) = (Ns::ZERO, &above.flash().pool);
    while head != NONE {
        longest = longest.max(time(above, &pool[head]));
        head = pool[head].next;
    }
    longest
}

/// First half: the command and the array's read.
pub(super) fn start_copyback<A: Above>(above: &mut A, die: DieId, command: Command) {
    let cell = longest(above, command.head, |above, op| {
        let flash = above.flash();
        flash.timing.read(flash.geometry.place(op.source).page, above.cell_mode(op.source))
    });
    let flash = above.flash_mut();
    flash.note_copyback_reads(command.head);
    let time = flash.timing.read_command(command.planes);
    let mut parts = Parts::default();
    parts.add(Part::Command, time.0);
    parts.add(Part::Cell, cell.0);
    let state = &mut flash.dies[die.index()];
    state.command = Command { cell, parts, form: CommandForm::CopybackRead, ..command };
    state.phase = Phase::Command;
    state.occupy(Some(command.class), flash.now);
    above.die_taken(die, Some(command.class));
    want_channel(above, die, command.class, time);
}

/// Second half: the pages are in the register; the command to program them, behind their check if it is due.
pub(super) fn copyback_read<A: Above>(above: &mut A, die: DieId) {
    let Command { head, class, planes, .. } = above.flash().dies[die.index()].command;
    let cell = longest(above, head, |above, op| {
        let flash = above.flash();
        flash.timing.program(flash.geometry.place(op.ppa).page, above.cell_mode(op.ppa))
    });
    let flash = above.flash_mut();
    let checked = flash.copybacks.is_checked(die);
    let page = flash.timing.transfer(flash.geometry.page_bytes).0 * u64::from(planes);
    // Out to the controller and back in.
    let data = if checked { 2 * page } else { 0 };
    let time = flash.timing.program_command(planes);
    let state = &mut flash.dies[die.index()];
    let command = &mut state.command;
    command.form = if checked { CommandForm::CopybackChecked } else { CommandForm::CopybackProgram };
    command.cell = cell;
    command.parts.add(Part::Command, time.0);
    command.parts.add(Part::Transfer, data);
    command.parts.add(Part::Cell, cell.0);
    state.phase = Phase::Command;
    above.count(Count::CopybackRead(planes));
    if checked {
        let page_bytes = above.flash().geometry.page_bytes;
        (0..2 * planes).for_each(|_| above.data_crosses(class, page_bytes));
    }
    want_channel(above, die, class, time + Ns(data));
}
