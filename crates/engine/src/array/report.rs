//! What was measured on an array: its requests, the sums of what its drives did, and the drives themselves.

use super::Array;
use crate::device::Device;
use crate::stats::disturb::ErrorsReport;
use crate::stats::dram::DramReport;
use crate::stats::energy::{BesideFlash, EnergyReport};
use crate::stats::evidence::Evidence;
use crate::stats::precision::Measured;
use crate::stats::recorder::{Recorder, erase_report_of_runs};
use crate::stats::report::{ChannelReport, DieReport, DriveReport, EraseReport, Report};
use crate::stats::settled::Settled;
use wordline_config::array::ArrayLayout;

impl Array {
    pub(super) fn report_of_all(&self) -> Report {
        let window = self.now.since(self.recorder.start);
        let mut flash = Recorder::default();
        self.members.iter().for_each(|member| flash.count_work_of(member.recorder()));
        let page_bytes = self.members.first().map_or(0, Device::page_bytes);
        let waf_by_cause = flash.waf_by_cause(page_bytes, self.recorder.write.answered_bytes());
        let tenants = self.recorder.tenants.as_ref();
        // A drive without work stays on, and idle, as long as the others have some.
        let mut members: Vec<Report> =
            self.members.iter().map(|member| member.report_until(self.now.max(member.now()))).collect();
        if self.link.is_some() {
            // Parts rest, and serve the host, as one drive: what that takes is in the sum alone.
            let energies = members.iter_mut().filter_map(|member| member.energy.as_mut());
            energies.for_each(|energy| energy.set_beside_flash(BesideFlash::default()));
        }
        let waf = waf_by_cause.as_ref().map(|causes| causes.values().sum());
        let intervals = Measured {
            batches: &self.recorder.batches,
            recorder: &self.recorder,
            page_bytes,
            window_ns: window.0,
            waf,
        }
        .intervals();
        let mut report = Report {
            intervals,
            evidence: self.evidence(page_bytes, &members),
            window: self.recorder.window(self.now),
            read: self.recorder.read.report(window),
            write: self.recorder.write.report(window),
            latency_ns: self.recorder.read.together(&self.recorder.write),
            flows: tenants.map_or_else(Vec::new, |tenants| tenants.flows(window)),
            groups: tenants.map_or_else(Vec::new, |tenants| tenants.groups(window)),
            streams: tenants.map_or_else(Vec::new, |tenants| tenants.streams(window)),
            trim: self.recorder.trim.report(window),
            flush: self.recorder.flush.report(window),
            flash: flash.flash(),
            waf,
            waf_by_cause: waf_by_cause.unwrap_or_default(),
            gc: flash.gc(),
            other_moves: flash.other_moves(),
            erase_counts: erases(&members),
            dies: dies(&members),
            channels: members
                .iter()
                .flat_map(|member| member.channels.iter().cloned())
                .collect::<Vec<ChannelReport>>(),
            drive: drives(&members),
            errors: ErrorsReport::of_all(members.iter().filter_map(|member| member.errors.as_ref())),
            dram: DramReport::of_all(members.iter().map(|member| &member.dram)),
            start: Settled::of_all(members.iter().map(|member| &member.start)),
            end_of_life: members.iter().find_map(|member| member.end_of_life),
            members,
            ..Report::default()
        };
        report.energy = self.energy(&report);
        self.report_monitor(page_bytes, &mut report);
        report
    }

    /// That of all drives.
    fn energy(&self, report: &Report) -> Option<EnergyReport> {
        let members = report.members.iter().filter_map(|member| member.energy.as_ref());
        let mut all = EnergyReport::of_all(members)?;
        if self.link.is_some() {
            all.set_beside_flash(self.members.first()?.beside_flash(report)?);
        }
        Some(all)
    }

    /// Batches of the array's own requests; domains and collections of all drives.
    fn evidence(&self, page_bytes: u32, members: &[Report]) -> Evidence {
        let each = || members.iter().map(|member| &member.evidence);
        Evidence {
            ends: self.recorder.batches.ends().to_vec(),
            page_bytes,
            domains: each().flat_map(|evidence| evidence.domains.iter().copied()).collect(),
            superblock_units: each().map(|evidence| evidence.superblock_units).next().unwrap_or(0),
            collecting_before: each().map(|evidence| evidence.collecting_before).sum(),
            mapped_before: each().map(|evidence| evidence.mapped_before).sum(),
            copies: if self.config.layout == ArrayLayout::Mirrored { members.len() as u32 } else { 0 },
            levelling_waits: each().map(|evidence| evidence.levelling_waits).sum(),
            streams_together: each().any(|evidence| evidence.streams_together),
            start_cycles: each().find_map(|evidence| evidence.start_cycles),
            streams_offered: each().filter_map(|evidence| evidence.streams_offered).min(),
            streams_written: self.recorder.streams_written,
            merges: each().any(|evidence| evidence.merges),
            whole_dies_collect: each().any(|evidence| evidence.whole_dies_collect),
            reads_allocate: each().any(|evidence| evidence.reads_allocate),
            ..Evidence::default()
        }
    }
}

/// The dies of all drives, their channels numbered on from drive to drive.
fn dies(members: &[Report]) -> Vec<DieReport> {
    let mut before = 0;
    let mut dies = Vec::new();
    for member in members {
        let moved = |die: &DieReport| DieReport { channel: die.channel + before, ..die.clone() };
        dies.extend(member.dies.iter().map(moved));
        before += member.channels.len() as u32;
    }
    dies
}

fn erases(members: &[Report]) -> EraseReport {
    let counts = |member: &Report| member.erase_counts.distribution.clone();
    erase_report_of_runs(&members.iter().flat_map(counts).collect::<Vec<_>>(), 1)
}

fn drives(members: &[Report]) -> DriveReport {
    let mut sum = DriveReport::default();
    for DriveReport {
        logical_units,
        physical_units,
        mapped_units,
        mapping_unit_bytes,
        rerouted_reads,
        unmapped_reads,
        not_physical,
        reserved,
    } in members.iter().map(|member| &member.drive)
    {
        sum.logical_units += logical_units;
        sum.physical_units += physical_units;
        sum.mapped_units += mapped_units;
        sum.rerouted_reads += rerouted_reads;
        sum.unmapped_reads += unmapped_reads;
        sum.mapping_unit_bytes = *mapping_unit_bytes;
        (sum.not_physical, sum.reserved) = (not_physical.clone(), reserved.clone());
    }
    sum
}
