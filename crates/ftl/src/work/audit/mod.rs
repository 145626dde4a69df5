//! The final audit of checked mode: the whole map against the whole flash.

pub(crate) mod formula;
pub(crate) mod single_copy;

use crate::blocks::BlockState;
use crate::blocks::table::NOT_A_CANDIDATE;
use crate::work::above::AboveFtl;
use crate::work::audit::formula::audit_by_formula;
use crate::work::audit::single_copy::audit_single_copies;
use crate::work::copies::audit::audit_copies;
use crate::work::ftl::Ftl;
use crate::work::parity::pages::audit_parity_pages;
use crate::work::reads::read::holds_newest;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};

/// Pages between the one that is audited and the one whose tables are fetched.
const FETCHED_AHEAD: u32 = 32;

impl Ftl {
    /// Looks up a page whose audit comes soon, and brings what that needs towards the caches.
    #[inline]
    fn fetch_audited(&self, lpa: u32) -> Ppa {
        let ppa = if lpa < self.all_units() { self.lookup(Lpa(lpa)) } else { Ppa::NONE };
        if ppa.is_some() {
            self.oob.prefetch(ppa);
            if let Some(sequences) = self.oob.sequences() {
                sequences.prefetch(ppa);
            }
        }
        ppa
    }

    /// Whether each logical page lies on a plane of its set, where there are such.
    fn audit_sets(&self) -> Result<(), String> {
        if self.sets.is_none() {
            return Ok(());
        }
        let placed = (0..self.all_units()).map(|lpa| (Lpa(lpa), self.lookup(Lpa(lpa))));
        let mut placed = placed.filter(|(_, ppa)| ppa.is_some());
        match placed.find(|&(lpa, ppa)| !self.may_lie_on(lpa, self.geometry.plane_of(ppa).0)) {
            Some((lpa, ppa)) => Err(format!("{lpa:?} lies at {ppa:?}, on no plane of its set")),
            None => Ok(()),
        }
    }

    fn audit_blocks(&self, valid: &[u32]) -> Result<(), String> {
        for (number, &counted) in valid.iter().enumerate() {
            let superblock = SuperblockId(number as u32);
            let kept = self.blocks.valid(superblock);
            if kept != counted {
                return Err(format!("{superblock:?} holds {counted} valid units, its count says {kept}"));
            }
            let state = self.blocks.state(superblock);
            if matches!(state, BlockState::Closing | BlockState::Erasing)
                || !self.blocks.has_no_program_under_way(superblock)
            {
                return Err(format!("{superblock:?} is {state:?} although the drive is at rest"));
            }
        }
        for domain in (0..self.domain.len() as u32).map(DomainId) {
            let state = &self.domain[domain.index()];
            let view = self.blocks.view(domain);
            let live: u32 = view.valid.iter().map(|valid| valid & !NOT_A_CANDIDATE).sum();
            let free = view.state.iter().filter(|&&state| state == BlockState::Free).count();
            if live != state.live || free != state.free.len() as usize {
                return Err(format!(
                    "{domain:?} holds {live} live units and {free} free blocks, its counts say {} and {}",
                    state.live,
                    state.free.len()
                ));
            }
            let idle =
                state.collector.in_flight == 0 && state.collector.reading == 0 && state.stalled.is_empty();
            // Paced collection pauses in the middle of a victim.
            let pauses = self.pace.is_some() && state.collector.victim.is_some();
            if !idle || state.collector.victims.len() > usize::from(pauses) {
                return Err(format!(
                    "{domain:?} still collects although the drive is at rest: {:?}",
                    state.collector
                ));
            }
        }
        Ok(())
    }
}

/// What was audited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Audited {
    /// Logical pages, those of the map and of parity included.
    pub pages: u64,
    /// Further copies.
    pub copies: u64,
}

/// Audits the tables of a drive at rest: each logical page's primary copy names it in its OOB, holds its newest version and lies
/// in a programmed superblock; every count agrees; nothing is lost. Returns what was verified, or the first fault.
pub fn audit<A: AboveFtl>(above: &A) -> Result<Audited, String> {
    let ftl = above.ftl();
    if !ftl.plans.is_at_rest() {
        return Err("a plan is still under way although the drive is at rest".into());
    }
    let by_formula = audit_by_formula(above).map(|counted| (counted.mapped, counted.valid));
    let (mapped, mut valid) = match by_formula.or_else(|| audit_single_copies(above)) {
        Some(counted) => counted,
        None => audit_pages(above)?,
    };
    let copies = audit_copies(above, &mut valid)?;
    if mapped != ftl.mapped_units {
        return Err(format!("{mapped} pages are mapped, {} should be", ftl.mapped_units));
    }
    ftl.audit_sets()?;
    ftl.audit_blocks(&valid)?;
    ftl.audit_bad_blocks()?;
    audit_parity_pages(above)?;
    ftl.audit_parity((0..ftl.all_units()).map(|lpa| ftl.lookup(Lpa(lpa))).filter(|ppa| ppa.is_some()))?;
    ftl.audit_translation()?;
    Ok(Audited { pages: u64::from(ftl.all_units()), copies })
}

/// Audits every logical page: counts how many of the host hold data, and what is valid in each superblock.
pub fn audit_pages<A: AboveFtl>(above: &A) -> Result<(u64, Vec<u32>), String> {
    let mut coming = [Ppa::NONE; FETCHED_AHEAD as usize];
    for (slot, lpa) in coming.iter_mut().zip(0..) {
        *slot = above.ftl().fetch_audited(lpa);
    }
    let (mut mapped, mut valid) = (0, vec![0u32; above.ftl().blocks.len()]);
    for lpa in 0..above.ftl().all_units() {
        let slot = &mut coming[(lpa % FETCHED_AHEAD) as usize];
        let ppa = std::mem::replace(slot, above.ftl().fetch_audited(lpa.saturating_add(FETCHED_AHEAD)));
        if !ppa.is_some() {
            continue;
        }
        let (lpa, superblock) = (Lpa(lpa), above.ftl().blocks.of(&above.ftl().geometry, ppa));
        mapped += u64::from(lpa.0 < above.ftl().logical_units);
        audit_page(above, lpa, ppa, superblock)?;
        valid[superblock.index()] += 1;
    }
    Ok((mapped, valid))
}

/// What may be wrong with a page that holds data, one thing after the other.
#[inline(never)]
fn audit_page<A: AboveFtl>(above: &A, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> Result<(), String> {
    let found = above.ftl().oob.lpa(ppa, &above.ftl().layout);
    if found != lpa {
        return Err(format!("{lpa:?} is mapped to {ppa:?}, whose OOB says {found:?}"));
    }
    if matches!(above.ftl().blocks.state(superblock), BlockState::Free | BlockState::Erasing) {
        return Err(format!("{lpa:?} is mapped to {ppa:?} in an erased block"));
    }
    if !holds_newest(above, lpa, ppa) {
        return Err(format!("{lpa:?} is mapped to {ppa:?}, which does not hold the version it should"));
    }
    if above.ftl().oob.is_copy(ppa) && !above.ftl().copies.is_promoted(lpa) {
        return Err(format!("{lpa:?} is mapped to {ppa:?}, whose OOB says that it is a further copy"));
    }
    Ok(())
}
