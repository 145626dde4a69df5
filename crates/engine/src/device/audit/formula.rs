//! The audit of a drive of which most was never written. Where logical pages are as laid out, where nothing was written to
//! their places and no version changed, the layout's formula says what both tables say; the formula and its inverse agree, and
//! its units of each superblock are counted by it. So one by one are asked only
//!
//! - the entries of the map that were written: such a page is where its entry says, and no more where it was laid out;
//! - the places that were written or erased: what was laid out there must have left;
//! - the versions that were written, of pages and of places that are as laid out.
//!
//! What isn't right is left to the audit that asks one page after the other.

use crate::blocks::BlockState;
use crate::device::Device;
use crate::device::ftl::Ftl;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};

/// Of so many pages one is asked at most: where more was written, tables are compared from end to end.
const ONE_OF: usize = 4;

/// What was counted.
pub(super) struct Counted {
    /// Pages of the host that hold data.
    pub mapped: u64,
    /// Valid units of each superblock.
    pub valid: Vec<u32>,
    /// Entries of tables that were looked at one by one.
    #[cfg_attr(not(test), expect(dead_code, reason = "shows in a test what is looked at"))]
    pub asked: u64,
}

impl Ftl {
    /// Units that the layout puts into each superblock; `None` where they aren't as many as it holds.
    fn laid_out(&self) -> Option<Vec<u32>> {
        let domains = (0..self.domains.len() as u32).map(DomainId);
        let laid: Vec<u32> =
            domains.flat_map(|domain| self.layout.units_of(&self.geometry, &self.domains, domain)).collect();
        let sum: u64 = laid.iter().map(|&units| u64::from(units)).sum();
        (laid.len() == self.blocks.len() && sum == u64::from(self.layout.laid())).then_some(laid)
    }

    /// Whether no superblock that is erased holds any of these units.
    fn none_is_erased(&self, laid: &[u32]) -> bool {
        let erased = |number| {
            matches!(self.blocks.state(SuperblockId(number)), BlockState::Free | BlockState::Erasing)
        };
        laid.iter().zip(0..).all(|(&units, number)| units == 0 || !erased(number))
    }
}

impl Device {
    /// Audits every logical page. `None` where most was written, or something is wrong.
    pub(super) fn audit_by_formula(&self) -> Option<Counted> {
        let versions = self.ftl.versions.as_ref()?;
        let most = self.ftl.map.most_written() + self.ftl.oob.most_written() + versions.most_written();
        if most > self.ftl.all_units() as usize / ONE_OF {
            return None;
        }
        let mut laid = self.ftl.laid_out()?;
        let of_host = |lpa: Lpa| u64::from(lpa.0 < self.ftl.logical_units);
        let (mut mapped, mut asked) = (u64::from(self.ftl.layout.occupied().min(self.ftl.logical_units)), 0);
        let mut elsewhere = vec![0u32; laid.len()];
        for (lpa, ppa) in self.ftl.map.written(&self.ftl.layout) {
            asked += 1;
            if self.ftl.layout.holds(lpa) {
                let left =
                    laid.get_mut(self.ftl.blocks.of(&self.geometry, self.ftl.layout.ppa(lpa)).index())?;
                *left = left.checked_sub(1)?;
                mapped -= of_host(lpa);
            }
            if ppa.is_some() {
                let superblock = self.ftl.blocks.of(&self.geometry, ppa);
                self.audit_page(lpa, ppa, superblock).ok()?;
                *elsewhere.get_mut(superblock.index())? += 1;
                mapped += of_host(lpa);
            }
        }
        for ppa in self.ftl.oob.written().chain(versions.written_places()) {
            asked += 1;
            let lpa = self.ftl.layout.lpa(ppa);
            if lpa.is_some() && self.ftl.map.is_as_laid_out(lpa) {
                self.audit_page(lpa, ppa, self.ftl.blocks.of(&self.geometry, ppa)).ok()?;
            }
        }
        for lpa in versions.written_pages() {
            asked += 1;
            if self.ftl.map.is_as_laid_out(lpa) && self.ftl.layout.holds(lpa) {
                let ppa = self.ftl.layout.ppa(lpa);
                self.audit_page(lpa, ppa, self.ftl.blocks.of(&self.geometry, ppa)).ok()?;
            }
        }
        let valid = laid.iter().zip(&elsewhere).map(|(laid, elsewhere)| laid + elsewhere).collect();
        self.ftl.none_is_erased(&laid).then_some(Counted { mapped, valid, asked })
    }
}
