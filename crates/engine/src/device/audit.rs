//! The final audit of checked mode: the whole map against the whole flash.

use super::Device;
use crate::blocks::BlockState;
use crate::blocks::table::NOT_A_CANDIDATE;
use crate::ids::{DomainId, Lpa, Ppa, SuperblockId};
use crate::stats::report::CheckedReport;

/// Pages between the one that is audited and the one whose tables are fetched.
const FETCHED_AHEAD: u32 = 32;

impl Device {
    /// Audits a drive at rest: each logical page's primary copy names it in its OOB, holds its newest version and lies
    /// in a programmed superblock; every count agrees; nothing is lost. Returns what was verified, or the first fault.
    pub fn audit(&self) -> Result<CheckedReport, String> {
        if let Some(fault) = &self.fault {
            return Err(fault.clone());
        }
        let mut valid = vec![0u32; self.blocks.len()];
        let mut mapped = 0u64;
        for lpa in (0..self.all_units()).map(Lpa) {
            self.prefetch_audited(lpa.0.saturating_add(FETCHED_AHEAD));
            let ppa = self.lookup(lpa);
            if !ppa.is_some() {
                continue;
            }
            mapped += u64::from(lpa.0 < self.logical_units);
            let superblock = self.blocks.of(&self.geometry, ppa);
            let found = self.oob.lpa(ppa, &self.layout);
            if found != lpa {
                return Err(format!("{lpa:?} is mapped to {ppa:?}, whose OOB says {found:?}"));
            }
            if matches!(self.blocks.state(superblock), BlockState::Free | BlockState::Erasing) {
                return Err(format!("{lpa:?} is mapped to {ppa:?} in an erased block"));
            }
            if self.versions.as_ref().is_some_and(|versions| !versions.holds(ppa, self.version_in_flash(lpa)))
            {
                return Err(format!(
                    "{lpa:?} is mapped to {ppa:?}, which does not hold the version it should"
                ));
            }
            if self.oob.is_copy(ppa) && !self.copies.is_promoted(lpa) {
                return Err(format!(
                    "{lpa:?} is mapped to {ppa:?}, whose OOB says that it is a further copy"
                ));
            }
            valid[superblock.index()] += 1;
        }
        let copies_audited = self.audit_copies(&mut valid)?;
        if mapped != self.mapped_units {
            return Err(format!("{mapped} pages are mapped, {} should be", self.mapped_units));
        }
        self.audit_blocks(&valid)?;
        self.audit_bad_blocks()?;
        self.audit_parity(
            (0..self.all_units()).map(|lpa| self.lookup(Lpa(lpa))).filter(|ppa| ppa.is_some()),
        )?;
        self.audit_translation()?;
        Ok(CheckedReport {
            reads_verified: self.reads_verified,
            pages_audited: u64::from(self.all_units()),
            copies_audited,
        })
    }

    /// Brings what the audit of a page that comes soon needs towards the caches.
    #[inline]
    fn prefetch_audited(&self, lpa: u32) {
        let ppa = if lpa < self.all_units() { self.lookup(Lpa(lpa)) } else { Ppa::NONE };
        if ppa.is_some() {
            self.oob.prefetch(ppa);
            if let Some(versions) = &self.versions {
                versions.prefetch_stored(ppa);
            }
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
                || !self.blocks.is_settled(superblock)
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
            if !idle || !state.collector.victims.is_empty() {
                return Err(format!(
                    "{domain:?} still collects although the drive is at rest: {:?}",
                    state.collector
                ));
            }
        }
        if !self.plans.is_at_rest() {
            return Err("a plan is still under way although the drive is at rest".into());
        }
        if let Some(cache) = self.cache.as_ref().filter(|cache| !cache.state.is_at_rest()) {
            return Err(format!(
                "the data cache is at work although the drive is at rest: {:?}",
                cache.state.promises
            ));
        }
        if self.pool.is_empty() {
            Ok(())
        } else {
            Err(format!("{} operations are still in flight", self.pool.len()))
        }
    }
}
