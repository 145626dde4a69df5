//! What reading does to flash, and what it costs when bits are wrong: read counts, retries, decoding.

use super::flash::Flash;
use super::purposes::Purpose;
use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::Device;
use super::reclaim::Reclaim;
use crate::nand::bit_errors::{BitErrors, ReadOutcome};
use crate::nand::{Geometry, ReadCounts};
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::disturb::{ErrorsReport, ReadDisturbReport};
use wordline_base::ids::{DieId, PlaneId, Ppa};
use wordline_base::parts::Part;
use wordline_base::time::Ns;
use wordline_config::errors::ReadCounting;
use wordline_config::{DeviceConfig, SchemeConfig};

/// A flash page whose data has left the die and is being decoded.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Decoding {
    done: Ns,
    head: OpId,
}

/// Read counts, and bit errors where the device has them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Disturb {
    counts: ReadCounts,
    /// Reads of a block from which on it is worn; 2^32 − 1: never.
    worn_at: u32,
    errors: Option<BitErrors>,
    /// Retries of the command under construction: its planes are retried together.
    retry: Ns,
    /// In the order in which they are done: each takes the same time.
    decoding: VecDeque<Decoding>,
}

impl Disturb {
    /// `None` if nothing asks for it: then reading costs one branch.
    pub(super) fn new(
        device: &DeviceConfig,
        scheme: &SchemeConfig,
        geometry: &Geometry,
    ) -> Option<Box<Self>> {
        if scheme.read_counts == ReadCounting::Off && device.errors.is_none() && !scheme.reclaim.is_on() {
            return None;
        }
        Some(Box::new(Self {
            worn_at: Reclaim::worn_at(&scheme.reclaim),
            counts: ReadCounts::new(geometry, scheme.read_counts == ReadCounting::Page),
            errors: device.errors.as_ref().map(|config| BitErrors::new(device, config, geometry)),
            retry: Ns::ZERO,
            decoding: VecDeque::new(),
        }))
    }

    /// Whether the event set needs a place for the decoder.
    pub(super) fn decodes(device: &DeviceConfig) -> bool {
        device.errors.as_ref().is_some_and(|errors| errors.decode_ns > 0)
    }
}

impl Flash {
    /// Time in the array that the retries of the command just put together add.
    #[inline(always)]
    pub(super) fn take_retry_time(&mut self) -> Ns {
        self.disturb.as_mut().map_or(Ns::ZERO, |disturb| std::mem::take(&mut disturb.retry))
    }

    /// A program command takes this flash page: with the first page of a block its retention begins.
    #[inline(always)]
    pub(super) fn note_program_time(&mut self, head: OpId, page: u32) {
        if page == 0
            && let Some(errors) = self.disturb.as_mut().and_then(|disturb| disturb.errors.as_mut())
        {
            errors.programmed(self.pool[head].ppa, self.now);
        }
    }

    /// The block that begins with this unit is erased.
    #[inline]
    pub(super) fn forget_reads(&mut self, first: Ppa) {
        if let Some(disturb) = &mut self.disturb {
            disturb.counts.erase(first);
        }
    }

    /// Place of the decoder in the event set: behind dies, channels and cache registers.
    pub(super) fn decoder_resource(&self) -> usize {
        self.dies.len() + self.channels.len() + self.overlap.registers.len()
    }
}

impl Device {
    /// Draws bit errors from the streams of this seed.
    pub fn seed_errors(&mut self, seed: u64) {
        if let Some(errors) = self.flash.disturb.as_mut().and_then(|disturb| disturb.errors.as_mut()) {
            errors.set_seed(seed);
        }
    }

    /// Reads by block, and by flash page where asked for; `None` when they are not counted.
    pub fn read_counts(&self) -> Option<&ReadCounts> {
        self.flash.disturb.as_ref().map(|disturb| &disturb.counts)
    }

    /// Reads of a block of a plane since its erase; 0 when they are not counted.
    pub fn block_reads(&self, plane: PlaneId, block: u32) -> u32 {
        self.read_counts().map_or(0, |counts| counts.block(plane, block))
    }

    /// A read command takes this flash page to the array.
    #[inline(always)]
    pub(super) fn page_disturbs(&mut self, head: OpId, page: u32) {
        if self.flash.disturb.is_some() {
            self.count_and_correct(head, page);
        }
    }

    #[inline(never)]
    fn count_and_correct(&mut self, head: OpId, page: u32) {
        let Purpose { lpa, .. } = self.ftl.purposes[head];
        let Op { ppa, .. } = self.flash.pool[head];
        let outcome = self.meet_errors(head, page);
        let Some(disturb) = &mut self.flash.disturb else { return };
        let mut reads = 0;
        for _ in 0..=outcome.retries {
            reads = disturb.counts.note(ppa);
        }
        if reads >= disturb.worn_at {
            self.block_worn(lpa, ppa, reads);
        }
        self.count_page_reads(head);
        self.observers.recorder.disturb.reads += 1 + u64::from(outcome.retries);
        if outcome.uncorrectable {
            self.page_lost(head);
        }
    }

    /// Draws the bit errors that a read of a flash page meets, where the device has any, and what they cost.
    #[inline(always)]
    fn meet_errors(&mut self, head: OpId, page: u32) -> ReadOutcome {
        if self.flash.disturb.as_ref().is_some_and(|disturb| disturb.errors.is_some()) {
            self.draw_errors(head, page)
        } else {
            ReadOutcome::default()
        }
    }

    #[inline(never)]
    fn draw_errors(&mut self, head: OpId, page: u32) -> ReadOutcome {
        let ppa = self.flash.pool[head].ppa;
        let bytes = self.flash.bytes_wanted(head).min(self.geometry.page_bytes);
        let (erases, mode) = (self.ftl.erases_of_block(ppa), self.ftl.cell_mode(ppa));
        let cell_read = self.flash.timing.read(page, mode);
        let Some(disturb) = &mut self.flash.disturb else { return ReadOutcome::default() };
        let Some(errors) = &mut disturb.errors else { return ReadOutcome::default() };
        let rate = errors.rate(ppa, (page, mode), erases, &disturb.counts, self.flash.now);
        let outcome = errors.read(rate, bytes);
        disturb.retry = disturb.retry.max(errors.retry_time(outcome.retries, cell_read));
        self.observers.recorder.disturb.page_read(&outcome);
        outcome
    }

    /// No retry brought the data of this flash page back. Its readers are answered all the same; whatever else a drive
    /// does about it begins here.
    fn page_lost(&mut self, head: OpId) {
        self.observers.recorder.disturb.page_lost(self.flash.pool[head].class);
    }

    /// The data of a flash page has left its die: hands it to the decoder. `false` if decoding takes no time.
    #[inline(always)]
    pub(super) fn begin_decoding(&mut self, head: OpId, die: DieId) -> bool {
        let errors = self.flash.disturb.as_ref().and_then(|disturb| disturb.errors.as_ref());
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
            // What a wrong guess took is told as a whole, when it ends.
            if self.flash.pool[unit].waited_for && !self.flash.pool[unit].tentative {
                let parts = self.flash.pool.parts_mut(unit);
                parts.merge(&self.flash.dies[die.index()].command.parts);
                parts.add(Part::Decode, takes.0);
            }
            unit = self.flash.pool[unit].next_unit;
        }
        let (done, resource) = (self.flash.now + takes, self.flash.decoder_resource());
        let Some(disturb) = &mut self.flash.disturb else { return };
        disturb.decoding.push_back(Decoding { done, head });
        if disturb.decoding.len() == 1 {
            self.flash.events.set(resource, done);
        }
    }

    /// The first flash page in the decoder is done.
    pub(super) fn decoding_done(&mut self) {
        let resource = self.flash.decoder_resource();
        let Some(disturb) = &mut self.flash.disturb else { return };
        let Some(Decoding { head, .. }) = disturb.decoding.pop_front() else { return };
        if let Some(next) = disturb.decoding.front() {
            self.flash.events.set(resource, next.done);
        }
        self.page_read(head, self.flash.pool[head].class, None);
    }

    pub(super) fn read_disturb_report(&self) -> Option<ReadDisturbReport> {
        self.read_counts().map(|counts| self.observers.recorder.disturb.read_disturb(counts))
    }

    pub(super) fn errors_report(&self) -> Option<ErrorsReport> {
        let errors = self.flash.disturb.as_ref().and_then(|disturb| disturb.errors.as_ref());
        errors.map(|errors| self.observers.recorder.disturb.errors(errors))
    }
}
