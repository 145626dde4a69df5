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
use crate::work::above::AboveFtl;
use crate::work::audit::audit_page;
use crate::work::ftl::Ftl;
use wordline_base::ids::{DomainId, Lpa, SuperblockId};

/// Of so many pages one is asked at most: where more was written, tables are compared from end to end.
const ONE_OF: usize = 4;

/// What was counted.
pub struct CountedByFormula {
    /// Pages of the host that hold data.
    pub mapped: u64,
    /// Valid units of each superblock.
    pub valid: Vec<u32>,
    /// Entries of tables that were looked at one by one.
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

/// Audits every logical page. `None` where most was written, or something is wrong.
pub fn audit_by_formula<A: AboveFtl>(above: &A) -> Option<CountedByFormula> {
    let versions = above.ftl().versions.as_ref()?;
    let sequences = above.ftl().oob.sequences()?;
    let most = [
        above.ftl().map.most_written(),
        above.ftl().oob.most_written(),
        versions.most_written(),
        sequences.most_written(),
    ];
    if most.iter().sum::<usize>() > above.ftl().all_units() as usize / ONE_OF {
        return None;
    }
    let mut laid = above.ftl().laid_out()?;
    let of_host = |lpa: Lpa| u64::from(lpa.0 < above.ftl().logical_units);
    let (mut mapped, mut asked) =
        (u64::from(above.ftl().layout.occupied().min(above.ftl().logical_units)), 0);
    let mut elsewhere = vec![0u32; laid.len()];
    for (lpa, ppa) in above.ftl().map.written(&above.ftl().layout) {
        asked += 1;
        if above.ftl().layout.holds(lpa) {
            let left = laid
                .get_mut(above.ftl().blocks.of(&above.ftl().geometry, above.ftl().layout.ppa(lpa)).index())?;
            *left = left.checked_sub(1)?;
            mapped -= of_host(lpa);
        }
        if ppa.is_some() {
            let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
            audit_page(above, lpa, ppa, superblock).ok()?;
            *elsewhere.get_mut(superblock.index())? += 1;
            mapped += of_host(lpa);
        }
    }
    for ppa in above.ftl().oob.written().chain(sequences.written()) {
        asked += 1;
        let lpa = above.ftl().layout.lpa(ppa);
        if lpa.is_some() && above.ftl().map.is_as_laid_out(lpa) {
            let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
            audit_page(above, lpa, ppa, superblock).ok()?;
        }
    }
    for lpa in versions.written() {
        asked += 1;
        if above.ftl().map.is_as_laid_out(lpa) && above.ftl().layout.holds(lpa) {
            let ppa = above.ftl().layout.ppa(lpa);
            let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
            audit_page(above, lpa, ppa, superblock).ok()?;
        }
    }
    let valid = laid.iter().zip(&elsewhere).map(|(laid, elsewhere)| laid + elsewhere).collect();
    above.ftl().none_is_erased(&laid).then_some(CountedByFormula { mapped, valid, asked })
}
