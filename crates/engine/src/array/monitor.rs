//! What is recorded of an array beside the totals: time series and samples of all drives together; chips and blocks, which each
//! drive records itself, behind one another.

use serde::{Deserialize, Serialize};

use super::Array;
use crate::device::Device;
use crate::stats::report::Report;
use crate::stats::samples::DieState;
use crate::stats::series::{Moment, Work};
use crate::stats::table::{Column, Table};
use crate::stats::timed::{Timed, Watched};
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// The recorders of an array.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Monitor {
    /// One of them must look at the state before time passes this.
    due: Ns,
    pub timed: Timed,
}

impl Default for Monitor {
    fn default() -> Self {
        Self { due: Ns::NEVER, timed: Timed::default() }
    }
}

impl Monitor {
    /// The first nanosecond before which one of them must look.
    #[inline]
    pub fn end_of_interval(&self) -> Ns {
        Ns(self.due.0.saturating_add(1))
    }
}

impl Array {
    /// Records from now on what `config` asks for. For an array at rest.
    pub(super) fn record(&mut self, config: &MeasureConfig) {
        self.members.iter_mut().for_each(|member| member.measure(&config.of_member()));
        let timed = Timed::begin(config, self, self.now);
        self.monitor = Monitor { due: timed.due(), timed };
    }

    /// Takes in what held until `time`, which comes now.
    #[inline]
    pub(super) fn note_time(&mut self, time: Ns) {
        if time > self.monitor.due {
            self.with_monitor(|timed, array| timed.look_back(time, array));
        }
    }

    /// The window opens at `now`, while the counters of all drives still hold what was before.
    pub(super) fn window_opens(&mut self, now: Ns) {
        self.note_time(now);
        self.with_monitor(|timed, array| timed.window_opens(now, array));
    }

    fn with_monitor(&mut self, act: impl FnOnce(&mut Timed, &mut Self)) {
        let mut timed = std::mem::take(&mut self.monitor.timed);
        act(&mut timed, self);
        self.monitor = Monitor { due: timed.due(), timed };
    }

    /// Fills in what is recorded beside the totals.
    pub(super) fn report_monitor(&self, page_bytes: u32, report: &mut Report) {
        self.monitor.timed.report(self.now, self, page_bytes, report);
        report.chips = report.members.iter().flat_map(|member| member.chips.iter().cloned()).collect();
        report.tables.blocks = blocks(&report.members);
    }
}

impl Watched for Array {
    fn moment(&self, now: Ns) -> Moment<'_> {
        let works = |member| Device::moment(member, now).works;
        Moment { now, works: self.members.iter().flat_map(works).collect::<Vec<Work<'_>>>() }
    }

    fn free_superblocks(&self) -> u32 {
        self.members.iter().map(Device::free_superblocks).min().unwrap_or(0)
    }

    fn take_lowest_free(&mut self) -> u32 {
        self.members.iter_mut().map(Device::take_lowest_free).min().unwrap_or(0)
    }

    fn lowest_free(&self) -> u32 {
        self.members.iter().map(Device::lowest_free).min().unwrap_or(0)
    }

    fn dies(&self) -> impl Iterator<Item = DieState> + Clone {
        self.members.iter().flat_map(Device::dies)
    }

    fn channels(&self) -> impl Iterator<Item = Ns> + Clone {
        self.members.iter().flat_map(Device::channels)
    }
}

/// The rows of all drives, each with the number of its drive; `None` where they keep none.
fn blocks(members: &[Report]) -> Option<Table> {
    let tables: Vec<&Table> = members.iter().filter_map(|member| member.tables.blocks.as_ref()).collect();
    let drives = (0..).zip(&tables).flat_map(|(drive, table)| vec![drive; table.rows()]);
    let mut all = Table::default();
    all.add("drive", Column::U32(drives.collect()));
    for (name, _) in &tables.first()?.columns {
        all.add(name, Column::joined(tables.iter().filter_map(|table| table.column(name)))?);
    }
    Some(all)
}
