//! The measured window: opening it, and the report at its end.

use crate::device::Device;
use crate::nand::CellMode;
use crate::observers;
use crate::stats::evidence::{Collected, Evidence};
use crate::stats::intervals::IntervalsReport;
use crate::stats::measured::Tables;
use crate::stats::precision::Measured;
use crate::stats::recorder::{Recorder, erase_report};
use crate::stats::report::{DriveReport, Report};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_systems::Watches;

impl Device {
    /// Forgets what was counted so far: the window opens now, after so many requests.
    pub(in crate::device) fn open_window(&mut self, requests_before: u64) {
        self.open_window_at(self.flash.now(), requests_before);
    }

    /// The same at a time that has just come.
    pub fn open_window_at(&mut self, now: Ns, requests_before: u64) {
        let mut tenants = self.observers.recorder.tenants.take();
        if let Some(tenants) = &mut tenants {
            tenants.begin();
        }
        observers::window_opens(self, now);
        self.controller.cache.open_window(now);
        let (dies, channels) = (self.flash.die_clocks(now), self.flash.channel_clocks(now));
        self.observers.recorder = Recorder::begin(
            &mut self.observers.recorder,
            now,
            requests_before,
            self.flash.loads(),
            dies,
            channels,
        );
        self.observers.recorder.tenants = tenants;
        self.observers.recorder.collecting_before =
            self.ftl.domain_states().iter().map(|domain| domain.collector.victims.len() as u64).sum();
        self.observers.recorder.mapped_before = self.ftl.mapped_units();
        self.controller.cpu.open_window(now);
        self.ftl.open_window();
        self.systems.open_window();
    }

    /// What was counted in the window, for whoever puts several drives together.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.observers.recorder
    }

    /// Bytes of a flash page.
    pub(crate) fn page_bytes(&self) -> u32 {
        self.geometry.page_bytes
    }

    /// Everything measured in the window, which ends now.
    pub fn report(&self) -> Report {
        self.report_until(self.flash.now())
    }

    /// The same of a window that ends at this time, before which nothing happens any more.
    pub(crate) fn report_until(&self, end: Ns) -> Report {
        let recorder = &self.observers.recorder;
        let window = end.since(recorder.start);
        let write = recorder.write.report(window);
        let waf_by_cause = recorder.waf_by_cause(self.geometry.page_bytes, recorder.write.answered_bytes());
        let dies = recorder.dies(end, &self.flash.die_clocks(end), self.flash.loads(), |die| {
            self.flash.channel_of(DieId(die as u32))
        });
        let channels = recorder.channels(&self.flash.channel_clocks(end));
        let (dies, channels) = self.report_second_servers(end, dies, channels);
        let dies = self.report_planes(end, dies);
        let mut report = Report {
            window: recorder.window(end),
            start: self.observers.settled.clone(),
            read: recorder.read.report(window),
            latency_ns: recorder.read.together(&recorder.write),
            flows: recorder.tenants.as_ref().map_or_else(Vec::new, |tenants| tenants.flows(window)),
            groups: recorder.tenants.as_ref().map_or_else(Vec::new, |tenants| tenants.groups(window)),
            latency_targets: Vec::new(),
            steady_ends: Vec::new(),
            streams: recorder.tenants.as_ref().map_or_else(Vec::new, |tenants| tenants.streams(window)),
            trim: recorder.trim.report(window),
            flush: recorder.flush.report(window),
            flash: recorder.flash(),
            waf: waf_by_cause.as_ref().map(|causes| causes.values().sum()),
            waf_by_cause: waf_by_cause.unwrap_or_default(),
            gc: recorder.gc(),
            other_moves: recorder.other_moves(),
            erase_counts: {
                let (counts, blocks) = self.ftl.erase_counts();
                erase_report(counts, blocks)
            },
            dies,
            channels,
            cpu: self.controller.cpu.report(end),
            mapping: self.mapping_report(),
            drive: DriveReport {
                logical_units: u64::from(self.ftl.logical_units()),
                physical_units: u64::from(self.geometry.physical_units()),
                mapped_units: self.ftl.mapped_units(),
                mapping_unit_bytes: self.geometry.unit_bytes,
                rerouted_reads: recorder.rerouted_reads,
                unmapped_reads: recorder.unmapped_reads,
                not_physical: self.rules.not_physical.clone(),
                reserved: self.reserved_report(),
            },
            read_reclaim: self.read_reclaim_report(),
            background_gc: self.background_report(),
            paced_gc: self.pace_report(),
            read_disturb: self.read_disturb_report(),
            errors: self.errors_report(),
            slc_cache: self.slc_cache_report(),
            bad_blocks: self.ftl.bad_blocks_report(),
            end_of_life: self.ftl.end_of_life(),
            redundancy: (self.ftl.has_row_parity() || self.ftl.has_page_parity())
                .then_some(recorder.redundancy),
            copies: self.copies_report(),
            systems: self.systems_report(),
            dram: self.controller.dram.report(),
            cache: self.controller.cache.report(end),
            checked: None,
            energy: None,
            series: None,
            samples: None,
            chips: Vec::new(),
            members: Vec::new(),
            collisions: None,
            tables: Tables::default(),
            intervals: IntervalsReport::default(),
            evidence: self.evidence(),
            write,
        };
        report.intervals = Measured {
            batches: &recorder.batches,
            recorder,
            page_bytes: self.geometry.page_bytes,
            window_ns: window.0,
            waf: report.waf,
        }
        .intervals();
        observers::report(self, end, &mut report);
        report
    }

    /// What notes are made from, beside the figures.
    fn evidence(&self) -> Evidence {
        let recorder = &self.observers.recorder;
        let mut domains = recorder.collected.clone();
        domains.resize(self.ftl.domain_states().len(), Collected::default());
        let units = self.ftl.blocks().units_in(CellMode::Native, &self.geometry);
        Evidence {
            ends: recorder.batches.ends().to_vec(),
            page_bytes: self.geometry.page_bytes,
            domains,
            superblock_units: u64::from(units) * u64::from(self.ftl.domains().width()),
            collecting_before: recorder.collecting_before,
            mapped_before: recorder.mapped_before,
            levelling_waits: self.ftl.domains_that_wait_to_level(),
            streams_together: self.ftl.streams().is_none() && !self.ftl.separates_by_own_policy(),
            start_cycles: self.start_cycles(),
            streams_offered: self.ftl.streams(),
            streams_written: recorder.streams_written,
            merges: self.systems.watch(Watches::COLLECTION),
            whole_dies_collect: self.ftl.has_page_parity() && self.flash.plane_collection().is_none(),
            reads_allocate: self.ftl.allocates_on_reads(),
            ..Evidence::default()
        }
    }
}
