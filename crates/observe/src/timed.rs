//! The recorders that look at a drive, or at an array of them, at fixed times: the series and the samples.

use serde::{Deserialize, Serialize};

use super::report::Report;
use super::samples::{DieState, Sampler};
use super::series::{Moment, Series};
use wordline_base::request::HostOp;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// What is looked at.
pub trait Watched {
    /// Its counters and its queues.
    fn moment(&self, now: Ns) -> Moment<'_>;

    /// Its free superblocks; of an array, those of the drive that has fewest.
    fn free_superblocks(&self) -> u32;

    /// The fewest that were free since this was asked last.
    fn take_lowest_free(&mut self) -> u32;

    /// The fewest that were free since [`Self::take_lowest_free`].
    fn lowest_free(&self) -> u32;

    /// All its dies.
    fn dies(&self) -> impl Iterator<Item = DieState> + Clone;

    /// When each of its channels is free.
    fn channels(&self) -> impl Iterator<Item = Ns> + Clone;
}

/// Those that are on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Timed {
    every: u64,
    rows: bool,
    series: Option<Box<Series>>,
    sampler: Option<Box<Sampler>>,
}

impl Timed {
    /// Records from now on what `config` asks for; samples begin with the window. For a drive at rest.
    pub fn begin(config: &MeasureConfig, watched: &mut impl Watched, now: Ns) -> Self {
        watched.take_lowest_free();
        Self {
            every: config.sample_ns,
            rows: config.sample_table,
            series: Series::begin(config, &watched.moment(now)),
            sampler: None,
        }
    }

    /// One of them must look at the state before time passes this.
    pub fn due(&self) -> Ns {
        let series = self.series.as_ref().map_or(Ns::NEVER, |series| series.end());
        let sampler = self.sampler.as_ref().map_or(Ns::NEVER, |sampler| sampler.next());
        series.min(sampler)
    }

    /// Takes in what held until `time`, which comes now.
    pub fn look_back(&mut self, time: Ns, watched: &mut impl Watched) {
        if let Some(series) = &mut self.series {
            let end = series.end();
            if end < time {
                let lowest = watched.take_lowest_free();
                let moment = watched.moment(end);
                series.end_interval(&moment, lowest);
                series.pass_unchanged(time, moment.commands(), watched.free_superblocks());
            }
        }
        if let Some(sampler) = &mut self.sampler {
            sampler.take(time, watched.dies(), watched.channels());
        }
    }

    /// A request entered.
    #[inline(always)]
    pub fn submitted(&mut self, now: Ns) {
        if let Some(series) = &mut self.series {
            series.submitted(now);
        }
    }

    /// The host has the answer to a request.
    #[inline(always)]
    pub fn answered(&mut self, op: HostOp, bytes: u64, latency: Ns, now: Ns) {
        if let Some(series) = &mut self.series {
            series.answered(op, bytes, latency, now);
        }
    }

    /// The window opens at `now`: the recorders are about to forget what they counted.
    pub fn window_opens(&mut self, now: Ns, watched: &impl Watched) {
        if let Some(series) = &mut self.series {
            series.recorder_ends(&watched.moment(now));
        }
        self.sampler = Sampler::begin(self.every, self.rows, now);
    }

    /// Fills in what was recorded up to now, on pages of so many bytes.
    pub fn report(&self, now: Ns, watched: &impl Watched, page_bytes: u32, report: &mut Report) {
        if let Some(series) = &self.series {
            let (summary, table) = series.finish(&watched.moment(now), watched.lowest_free(), page_bytes);
            (report.series, report.tables.series) = (Some(summary), Some(table));
        }
        if let Some(sampler) = &self.sampler {
            let (samples, table) = sampler.finish();
            (report.samples, report.tables.samples) = (Some(samples), table);
        }
    }
}
