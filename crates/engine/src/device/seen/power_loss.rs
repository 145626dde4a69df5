//! What a loss of power would leave of the drive.

use std::ops::Range;

use crate::device::Device;
use wordline_base::ids::Lpa;
use wordline_ftl::durable::Recovered;

/// What a loss of power at a moment would do to the host's data, in bytes from the start of the drive.
///
/// Firmware reads the OOB of every page and takes the newest data of each logical page. TRIMs aren't kept on flash. Whether the
/// data in DRAM is lost is the drive's matter: many have capacitors that last until it is programmed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PowerLoss {
    /// Mapping units whose OOB was read, those of old data included.
    pub units_read: u64,
    /// The newest data is in DRAM alone.
    pub in_dram: Vec<Range<u64>>,
    /// The newest data is in a program that has not ended, and nowhere else: the write has no answer yet.
    pub in_program: Vec<Range<u64>>,
    /// Old data would be found where the host trimmed.
    pub trims_undone: Vec<Range<u64>>,
}

/// What becomes of a logical page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Whole,
    InDram,
    InProgram,
    TrimUndone,
}

impl Device {
    /// The map as recovery would find it now. `None` where no sequence numbers are kept, and where rewrites are appended: what a
    /// superseded program writes counts as invalid from its begin, though a real drive would keep it until the newer one ends.
    pub fn recovered(&self) -> Option<Recovered> {
        let durable = self.ftl.durable().filter(|_| !self.controller.cache.appends())?;
        Some(durable.recover(self.ftl.logical_units()))
    }

    /// What a loss of power now would do; `None` where that can't be said ([`Self::recovered`]).
    pub fn power_loss(&self) -> Option<PowerLoss> {
        let recovered = self.recovered()?;
        let mut loss = PowerLoss { units_read: recovered.units_read, ..PowerLoss::default() };
        let bytes = u64::from(self.geometry.unit_bytes);
        for lpa in (0..self.ftl.logical_units()).map(Lpa) {
            let ranges = match self.left_of(lpa, &recovered)? {
                Left::Whole => continue,
                Left::InDram => &mut loss.in_dram,
                Left::InProgram => &mut loss.in_program,
                Left::TrimUndone => &mut loss.trims_undone,
            };
            let start = u64::from(lpa.0) * bytes;
            match ranges.last_mut().filter(|last| last.end == start) {
                Some(last) => last.end += bytes,
                None => ranges.push(start..start + bytes),
            }
        }
        Some(loss)
    }

    fn left_of(&self, lpa: Lpa, recovered: &Recovered) -> Option<Left> {
        let newest = self.ftl.versions()?.newest(lpa);
        let found = recovered.of(lpa).map(|(_, number)| number);
        let in_dram = self.controller.cache.holds(lpa);
        Some(match found {
            Some(number) if number == newest => Left::Whole,
            _ if in_dram => Left::InDram,
            _ if self.ftl.is_mapped(lpa) => Left::InProgram,
            Some(_) => Left::TrimUndone,
            None => Left::Whole,
        })
    }
}
