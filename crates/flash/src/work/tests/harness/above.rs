//! What the flash asks of whoever holds it, and what it tells: as a test has it.

use super::{Drive, Told};
use crate::nand::CellMode;
use crate::nand::bit_errors::ReadOutcome;
use crate::sched::queue::{NONE, OpId};
use crate::{Above, Count, Flash};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::{DieId, Ppa};
use wordline_base::time::Ns;

impl Above for Drive {
    fn flash(&self) -> &Flash {
        &self.flash
    }

    fn flash_mut(&mut self) -> &mut Flash {
        &mut self.flash
    }

    fn cell_mode(&self, place: Ppa) -> CellMode {
        let block = self.flash.geometry.block_of(place).1;
        if self.answers.slc_blocks.contains(&block) { CellMode::Slc } else { CellMode::Native }
    }

    fn erases(&self, _place: Ppa) -> u32 {
        0
    }

    fn waiting_writes(&self) -> u32 {
        self.answers.waiting_writes
    }

    fn is_open(&self, head: OpId) -> bool {
        self.answers.open.contains(&head)
    }

    fn stands(&mut self, head: OpId) -> bool {
        !self.answers.elsewhere.contains(&head)
    }

    fn takes(&mut self, head: OpId) -> OpId {
        if !self.answers.elsewhere.contains(&head) {
            return head;
        }
        self.sent_on.push(head);
        NONE
    }

    fn waits_for_plane(&mut self, _die: DieId, head: OpId) -> OpId {
        // What is set aside leaves its queue, and comes back in silence.
        head
    }

    fn unit_begins(&mut self, unit: OpId) {
        assert!(!self.has_ended(unit), "{unit} begins again");
    }

    fn program_begins(&mut self, head: OpId) {
        assert_eq!(self.flash.pool[head].class.op(), FlashOp::Program);
    }

    fn page_disturbed(&mut self, _head: OpId, outcome: &ReadOutcome, worn: Option<u32>) {
        self.tell(Told::Disturbed(*outcome, worn));
    }

    fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        assert_eq!(class.op(), FlashOp::Read);
        self.ends(head, die);
    }

    fn programmed(&mut self, head: OpId, die: DieId) {
        self.ends(head, Some(die));
    }

    fn erased(&mut self, head: OpId) {
        self.ends(head, None);
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn fail(&mut self, what: String) {
        panic!("at {} ns: {what}", self.flash.now().0);
    }

    fn queue_changes(&mut self, _server: DieId, _class: Class, taken: Option<OpId>) {
        self.waiting += if taken.is_some() { -1 } else { 1 };
    }

    fn command_begins(&mut self, server: DieId, class: Class, planes: u32) {
        self.tell(Told::Begins(server.0, class, planes));
    }

    fn watches_channels(&self) -> bool {
        true
    }

    fn channel_taken(&mut self, server: DieId, end: Ns, _data: bool) {
        self.tell(Told::Channel(server.0, end.0));
    }

    fn array_goes_on(&mut self, server: DieId, from: Ns, until: Ns) {
        self.tell(Told::GoesOn(server.0, from.0, until.0));
    }

    fn array_stops(&mut self, server: DieId, at: Ns, until: Ns) {
        assert!(at >= self.flash.now());
        self.tell(Told::Stops(server.0, until.0));
    }

    fn command_done(&mut self, class: Class, planes: u32, pages: u32) {
        self.tell(Told::Ends(class, planes, pages));
    }

    fn count(&mut self, what: Count) {
        self.tell(Told::Counted(what));
    }
}
