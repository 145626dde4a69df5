//! What a result says of the parts of the translation layer: their counters of the window, and what they hold now.

use std::collections::BTreeMap;

use crate::device::Device;
use crate::stats::copies::{CopiesReport, ReservedReport, SystemReport, report_of};
use crate::stats::mapping::MappingReport;
use crate::stats::reclaim::{BackgroundReport, PaceReport, ReadReclaimReport};
use crate::stats::slc_cache::SlcCacheReport;
use crate::systems::System;
use wordline_base::class::Cause;

impl Device {
    pub(in crate::device) fn background_report(&self) -> Option<BackgroundReport> {
        self.ftl.collects_when_idle().then_some(self.observers.recorder.background)
    }

    pub(in crate::device) fn pace_report(&self) -> Option<PaceReport> {
        self.ftl.is_paced().then_some(PaceReport { held_units: self.observers.recorder.held_units })
    }

    pub(in crate::device) fn read_reclaim_report(&self) -> Option<ReadReclaimReport> {
        if !self.ftl.reclaims() {
            return None;
        }
        let moves = &self.observers.recorder.moves[Cause::ReadReclaim.index()];
        Some(self.observers.recorder.reclaim.report(moves.victims, moves.moved_units))
    }

    pub(in crate::device) fn copies_report(&self) -> Option<CopiesReport> {
        if !self.ftl.copies().is_on() {
            return None;
        }
        let replication = &self.ftl.replication();
        let owners = replication.owners.iter().enumerate().filter(|(_, owner)| owner.budget > 0);
        Some(CopiesReport {
            arbiter: replication.arbiter.name().to_owned(),
            reads_by_primary: replication.reads_by_primary,
            reads_by_copies: replication.owners.iter().map(|owner| owner.counters.reads).sum(),
            reads_sent_on: replication.reads_sent_on,
            table_bytes: self.ftl.copies().bytes(),
            systems: owners
                .map(|(number, owner)| report_of(&owner.counters, self.systems.name(number), owner.budget))
                .collect(),
        })
    }

    /// What the systems have to say of themselves; those that say nothing are left out.
    pub(in crate::device) fn systems_report(&self) -> BTreeMap<String, SystemReport> {
        let report = |system: &dyn System| {
            let figures: BTreeMap<String, u64> =
                system.figures().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            (!figures.is_empty())
                .then(|| (system.name().to_owned(), SystemReport { bytes: system.bytes(), figures }))
        };
        self.systems.iter().filter_map(report).collect()
    }

    pub(in crate::device) fn slc_cache_report(&self) -> Option<SlcCacheReport> {
        let space = self.ftl.slc_space()?;
        let counters = &self.observers.recorder.slc;
        Some(SlcCacheReport {
            size_units: space.size,
            min_units: space.least,
            max_units: space.most,
            used_units: space.used,
            valid_units: space.valid,
            cached_units: counters.cached,
            direct_units: counters.direct,
            folded_units: counters.folded,
            folded_superblocks: counters.superblocks,
            first_direct_ns: counters.first_direct.map(|first| first.since(self.observers.recorder.start).0),
        })
    }

    pub(in crate::device) fn mapping_report(&self) -> Option<MappingReport> {
        let translation = &self.ftl.translation();
        if !self.ftl.follows_map() {
            return None;
        }
        let (policy, counters) = (translation.policy.get(), self.observers.recorder.mapping);
        let lookups = counters.lookups();
        Some(MappingReport {
            policy: policy.name().to_owned(),
            lookups,
            counters,
            hit_ratio: (lookups > 0).then(|| counters.hits as f64 / lookups as f64),
            speculative_share: counters.speculative_share(),
            translation_pages: u64::from(translation.sizes.translation_pages),
            entries_per_page: u64::from(translation.sizes.entries_per_page),
            journal_pages: u64::from(translation.sizes.journal_pages),
            cached_entries: policy.cached_entries(),
            dirty_entries: policy.dirty_entries(),
            bytes: policy.bytes(),
        })
    }

    pub(in crate::device) fn reserved_report(&self) -> Vec<ReservedReport> {
        let plane =
            u64::from(self.ftl.geometry().units_per_plane()) * u64::from(self.ftl.geometry().unit_bytes);
        let die = plane * u64::from(self.ftl.geometry().planes_per_die);
        let report = |part: &crate::replicate::reservation::Part| ReservedReport {
            system: part.name.clone(),
            dies: part.reservation.dies.iter().map(|die| die.0).collect(),
            dies_bytes: part.reservation.dies.len() as u64 * die,
            blocks: part.reservation.blocks,
        };
        self.ftl.replication().reserved.parts().iter().map(report).collect()
    }
}
