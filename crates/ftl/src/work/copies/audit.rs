//! The final audit of further copies.

use crate::work::above::AboveFtl;
use crate::work::ftl::Ftl;
use crate::work::reads::read::holds_newest;
use std::collections::BTreeSet;

use crate::blocks::BlockState;
use wordline_base::ids::{DomainId, Lpa};

impl Ftl {
    fn audit_counts_of_copies(&self, extra: &[u32], owned: &[u32]) -> Result<(), String> {
        for (domain, &counted) in extra.iter().enumerate() {
            let kept = self.replication.extra(DomainId(domain as u32));
            if kept != counted {
                return Err(format!("domain {domain} holds {counted} copies, its count says {kept}"));
            }
        }
        for (number, (owner, &counted)) in self.replication.owners.iter().zip(owned).enumerate() {
            let kept = owner.counters.now;
            if kept != counted || kept > owner.budget {
                return Err(format!(
                    "system {number} has {counted} copies of {}, its count says {kept}",
                    owner.budget
                ));
            }
        }
        let flagged = |lpa: &Lpa| self.copies.has(*lpa);
        let known = |lpa: &Lpa| !self.copies.of(*lpa).is_empty() || self.copies.is_promoted(*lpa);
        if let Some(lpa) = (0..self.logical_units).map(Lpa).find(|lpa| flagged(lpa) != known(lpa)) {
            return Err(format!("{lpa:?} is flagged as if it had copies"));
        }
        if self.copies.under_way() > 0 || !self.replication.dropped.is_empty() {
            return Err(format!("{} copies are still under way", self.copies.under_way()));
        }
        Ok(())
    }
}

/// Audits every further copy: its OOB names its page and its role, it holds the newest version and lies in a
/// programmed superblock, and every count agrees. Adds them to the `valid` units of the superblocks; returns their
/// number.
pub fn audit_copies<A: AboveFtl>(above: &A, valid: &mut [u32]) -> Result<u64, String> {
    if !above.ftl().copies.is_on() {
        return Ok(0);
    }
    let (mut extra, mut owned) =
        (vec![0; above.ftl().domain.len()], vec![0; above.ftl().replication.owners.len()]);
    let (mut places, mut count) = (BTreeSet::new(), 0);
    for (lpa, copy) in above.ftl().copies.all() {
        let ppa = copy.ppa;
        let superblock = above.ftl().blocks.of(&above.ftl().geometry, ppa);
        let wrong = |what: &str| Err(format!("the copy of {lpa:?} at {ppa:?} {what}"));
        if above.ftl().oob.lpa(ppa, &above.ftl().layout) != lpa {
            return wrong("has another page in its OOB");
        }
        if above.ftl().oob.is_copy(ppa) == copy.was_primary {
            return wrong("has another role in its OOB");
        }
        if !above.ftl().lookup(lpa).is_some() || above.ftl().lookup(lpa) == ppa || !places.insert(ppa) {
            return wrong("has no primary, or is one, or is there twice");
        }
        if !holds_newest(above, lpa, ppa) {
            return wrong("does not hold the newest version");
        }
        if matches!(above.ftl().blocks.state(superblock), BlockState::Free | BlockState::Erasing) {
            return wrong("lies in an erased block");
        }
        valid[superblock.index()] += 1;
        extra[above.ftl().domain_of(ppa).index()] += 1;
        match owned.get_mut(copy.owner) {
            Some(owned) => *owned += 1,
            None => return wrong("has no owner"),
        }
        count += 1;
    }
    for lpa in above.ftl().copies.promoted() {
        let primary = above.ftl().lookup(lpa);
        if !primary.is_some() {
            return Err(format!("{lpa:?} has a promoted primary and holds nothing"));
        }
        extra[above.ftl().domain_of(primary).index()] += 1;
    }
    above.ftl().audit_counts_of_copies(&extra, &owned)?;
    Ok(count)
}
