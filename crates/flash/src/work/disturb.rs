//! Reads are counted, meet bit errors, are retried and decoded.

use crate::disturb::Decoding;
use crate::nand::bit_errors::ReadOutcome;
use crate::sched::queue::{NONE, OpId};
use crate::{Above, Flash};
use wordline_base::ids::{DieId, Ppa};
use wordline_base::parts::Part;
use wordline_base::time::Ns;

impl Flash {
    /// Time in the array that the retries of the command just put together add.
    #[inline(always)]
    pub(crate) fn take_retry_time(&mut self) -> Ns {
        self.disturb.as_mut().map_or(Ns::ZERO, |disturb| std::mem::take(&mut disturb.retry))
    }

    /// A program command takes this flash page: with the first page of a block its retention begins.
    #[inline(always)]
    pub(crate) fn note_program_time(&mut self, head: OpId, page: u32) {
        if page == 0
            && let Some(errors) = self.disturb.as_mut().and_then(|disturb| disturb.errors.as_mut())
        {
            errors.programmed(self.pool[head].ppa, self.now);
        }
    }

    /// A copyback takes the flash pages that it moves to the array.
    pub(super) fn note_copyback_reads(&mut self, first: OpId) {
        let Self { disturb: Some(disturb), pool, geometry, .. } = self else { return };
        let (mut head, mut last) = (first, None);
        while head != NONE {
            for unit in pool.units(head) {
                let source = pool[unit].source;
                let page = source.0 >> geometry.unit_shift;
                if last.replace(page) != Some(page) {
                    disturb.counts.note(source);
                }
            }
            head = pool[head].next;
        }
    }

    /// The block that begins with this unit is erased.
    #[inline]
    pub(crate) fn forget_reads(&mut self, first: Ppa) {
        if let Some(disturb) = &mut self.disturb {
            disturb.counts.erase(first);
        }
    }

    /// The data of a flash page has left its die: hands it to the decoder. `false` if decoding takes no time.
    #[inline(always)]
    pub(crate) fn begin_decoding(&mut self, head: OpId, die: DieId) -> bool {
        let errors = self.disturb.as_ref().and_then(|disturb| disturb.errors.as_ref());
        match errors.map(|errors| errors.decode) {
            None | Some(Ns::ZERO) => false,
            Some(takes) => {
                self.decode(head, die, takes);
                true
            }
        }
    }

    #[inline(never)]
    fn decode(&mut self, head: OpId, die: DieId, takes: Ns) {
        // The die goes on with its next command, so each unit carries its parts from here.
        let mut unit = head;
        while unit != NONE {
            if self.pool[unit].waited_for && !self.pool[unit].tentative {
                self.carry_parts(unit, die);
                self.pool.parts_mut(unit).add(Part::Decode, takes.0);
            }
            unit = self.pool[unit].next_unit;
        }
        let (done, resource) = (self.now + takes, self.decoder_resource());
        let Some(disturb) = &mut self.disturb else { return };
        disturb.decoding.push_back(Decoding { done, head });
        if disturb.decoding.len() == 1 {
            self.events.set(resource, done);
        }
    }
}

/// A read command takes this flash page to the array.
#[inline(always)]
pub(super) fn page_disturbs<A: Above>(above: &mut A, head: OpId, page: u32) {
    if above.flash().disturb.is_some() {
        count_and_correct(above, head, page);
    }
}

#[inline(never)]
fn count_and_correct<A: Above>(above: &mut A, head: OpId, page: u32) {
    let outcome = meet_errors(above, head, page);
    let flash = above.flash_mut();
    let Some(disturb) = &mut flash.disturb else { return };
    let mut reads = 0;
    for _ in 0..=outcome.retries {
        reads = disturb.counts.note(flash.pool[head].ppa);
    }
    let worn = (reads >= disturb.worn_at).then_some(reads);
    above.page_disturbed(head, &outcome, worn);
}

/// Draws the bit errors that a read of a flash page meets, where the device has any, and what they cost.
#[inline(always)]
fn meet_errors<A: Above>(above: &mut A, head: OpId, page: u32) -> ReadOutcome {
    if above.flash().disturb.as_ref().is_some_and(|disturb| disturb.errors.is_some()) {
        draw_errors(above, head, page)
    } else {
        ReadOutcome::default()
    }
}

#[inline(never)]
fn draw_errors<A: Above>(above: &mut A, head: OpId, page: u32) -> ReadOutcome {
    let ppa = above.flash().pool[head].ppa;
    let (erases, mode) = (above.erases(ppa), above.cell_mode(ppa));
    let flash = above.flash_mut();
    let bytes = flash.bytes_wanted(head).min(flash.geometry.page_bytes);
    let cell_read = flash.timing.read(page, mode);
    let Some(disturb) = &mut flash.disturb else { return ReadOutcome::default() };
    let Some(errors) = &mut disturb.errors else { return ReadOutcome::default() };
    let rate = errors.rate(ppa, (page, mode), erases, &disturb.counts, flash.now);
    let outcome = errors.read(rate, bytes);
    disturb.retry = disturb.retry.max(errors.retry_time(outcome.retries, cell_read));
    above.errors_met(&outcome);
    outcome
}

/// The first flash page in the decoder is done.
pub(super) fn decoding_done<A: Above>(above: &mut A) {
    let flash = above.flash_mut();
    let resource = flash.decoder_resource();
    let Some(disturb) = &mut flash.disturb else { return };
    let Some(Decoding { head, .. }) = disturb.decoding.pop_front() else { return };
    if let Some(next) = disturb.decoding.front() {
        flash.events.set(resource, next.done);
    }
    let class = flash.pool[head].class;
    above.page_read(head, class, None);
}
