//! What is told of read counts and bit errors.

use crate::device::Device;
use crate::nand::ReadCounts;
use crate::nand::bit_errors::BitErrors;
use crate::stats::disturb::{ErrorsReport, ReadDisturbReport};
use wordline_base::ids::PlaneId;

impl Device {
    /// Draws bit errors from the streams of this seed.
    pub fn seed_errors(&mut self, seed: u64) {
        if let Some(disturb) = self.flash.disturb_mut() {
            disturb.seed_errors(seed);
        }
    }

    /// Reads by block, and by flash page where asked for; `None` when they are not counted.
    pub fn read_counts(&self) -> Option<&ReadCounts> {
        self.flash.disturb().map(|disturb| disturb.counts())
    }

    /// Reads of a block of a plane since its erase; 0 when they are not counted.
    pub fn block_reads(&self, plane: PlaneId, block: u32) -> u32 {
        self.read_counts().map_or(0, |counts| counts.block(plane, block))
    }

    pub(in crate::device) fn read_disturb_report(&self) -> Option<ReadDisturbReport> {
        self.read_counts().map(|counts| self.observers.recorder.disturb.read_disturb(counts))
    }

    /// P/E cycles of every block before the run, where there are bit errors.
    pub(in crate::device) fn start_cycles(&self) -> Option<u32> {
        let errors = self.flash.disturb().and_then(|disturb| disturb.errors());
        errors.map(BitErrors::start_cycles)
    }

    pub(in crate::device) fn errors_report(&self) -> Option<ErrorsReport> {
        let errors = self.flash.disturb().and_then(|disturb| disturb.errors());
        errors.map(|errors| self.observers.recorder.disturb.errors(errors))
    }
}
