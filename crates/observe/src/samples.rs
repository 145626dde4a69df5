//! Samples of the drive's state at fixed instants, as papers/000 (§II-C) takes them: how many commands each die has.
//!
//! Instants are the window's start and every `sample_ns` after it, before its end; a sample sees the state behind all
//! events of its nanosecond. Between two events nothing changes but channels that fall free, so the samples in between
//! are added together.

use serde::{Deserialize, Serialize};

use super::measured::SampleReport;
use super::table::{Column, Table};
use super::tally::Tally;
use wordline_base::time::Ns;

/// Most memory of the rows, bytes.
const MOST_BYTES: usize = 256 << 20;

/// Beside the dies' values: time, samples, busy dies, busy channels.
const ROW_BYTES: usize = 24;

/// Distributions of sampled state.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sampler {
    every: u64,
    next: Ns,
    samples: u64,
    outstanding: Tally,
    reads: Tally,
    total: Tally,
    imbalance: Tally,
    busy_dies: Tally,
    busy_channels: Tally,
    rows: Option<Rows>,
}

/// One row for each run of samples that see the same.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Rows {
    time: Vec<u64>,
    samples: Vec<u64>,
    busy_dies: Vec<u32>,
    busy_channels: Vec<u32>,
    outstanding: Vec<u16>,
    dropped: u64,
}

/// What a sample sees of a die.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DieState {
    /// Flash pages waiting or running, of any class.
    pub outstanding: u32,
    /// Reads among them, of any cause.
    pub reads: u32,
    /// Whether a command occupies it.
    pub busy: bool,
}

impl Sampler {
    /// Samples from `start` on, `every` so many ns, with a table of them if it `keeps_rows`; `None` when none are wanted.
    pub fn begin(every: u64, keeps_rows: bool, start: Ns) -> Option<Box<Self>> {
        (every > 0).then(|| {
            Box::new(Self {
                every,
                next: start,
                samples: 0,
                outstanding: Tally::default(),
                reads: Tally::default(),
                total: Tally::default(),
                imbalance: Tally::default(),
                busy_dies: Tally::default(),
                busy_channels: Tally::default(),
                rows: keeps_rows.then(Rows::default),
            })
        })
    }

    /// The next instant.
    pub fn next(&self) -> Ns {
        self.next
    }

    /// Takes the samples before `until`, of a state that holds until then. `free_at` tells when each channel is free.
    pub fn take(
        &mut self,
        until: Ns,
        dies: impl Iterator<Item = DieState> + Clone,
        free_at: impl Iterator<Item = Ns> + Clone,
    ) {
        if self.next >= until {
            return;
        }
        let busy_dies = self.see_dies(self.instants_before(until), dies.clone());
        while self.next < until {
            let now = self.next;
            let later = free_at.clone().filter(|&free| free > now);
            let busy = later.clone().count() as u32;
            let times = self.instants_before(later.min().map_or(until, |free| free.min(until)));
            self.busy_channels.add(busy, times);
            if let Some(rows) = &mut self.rows {
                rows.push(now, times, busy_dies, busy, dies.clone());
            }
            self.samples += times;
            self.next = now + Ns(self.every.saturating_mul(times));
        }
    }

    /// Samples to be taken before `end`, the next included.
    fn instants_before(&self, end: Ns) -> u64 {
        end.since(self.next).0.div_ceil(self.every)
    }

    fn see_dies(&mut self, times: u64, dies: impl Iterator<Item = DieState>) -> u32 {
        let (mut busy, mut total, mut least, mut most) = (0, 0u32, u32::MAX, 0);
        for die in dies {
            self.outstanding.add(die.outstanding, times);
            self.reads.add(die.reads, times);
            busy += u32::from(die.busy);
            total = total.saturating_add(die.outstanding);
            (least, most) = (least.min(die.outstanding), most.max(die.outstanding));
        }
        self.total.add(total, times);
        self.imbalance.add(most.saturating_sub(least), times);
        self.busy_dies.add(busy, times);
        busy
    }

    /// The distributions, and the rows where they were kept.
    pub fn finish(&self) -> (SampleReport, Option<Table>) {
        let report = SampleReport {
            every_ns: self.every,
            samples: self.samples,
            outstanding_by_die: self.outstanding.counts(),
            reads_by_die: self.reads.counts(),
            outstanding: self.total.counts(),
            imbalance: self.imbalance.counts(),
            busy_dies: self.busy_dies.counts(),
            busy_channels: self.busy_channels.counts(),
            dropped: self.rows.as_ref().map_or(0, |rows| rows.dropped),
        };
        (report, self.rows.as_ref().map(Rows::table))
    }
}

impl Rows {
    fn push(
        &mut self,
        time: Ns,
        times: u64,
        busy_dies: u32,
        busy_channels: u32,
        dies: impl Iterator<Item = DieState>,
    ) {
        if self.time.len() * ROW_BYTES + self.outstanding.len() * 2 >= MOST_BYTES {
            self.dropped += times;
            return;
        }
        self.time.push(time.0);
        self.samples.push(times);
        self.busy_dies.push(busy_dies);
        self.busy_channels.push(busy_channels);
        self.outstanding.extend(dies.map(|die| u16::try_from(die.outstanding).unwrap_or(u16::MAX)));
    }

    fn table(&self) -> Table {
        let width = self.outstanding.len().checked_div(self.time.len()).unwrap_or(0);
        let mut table = Table::default();
        table.add("time_ns", Column::U64(self.time.clone()));
        table.add("samples", Column::U64(self.samples.clone()));
        table.add("busy_dies", Column::U32(self.busy_dies.clone()));
        table.add("busy_channels", Column::U32(self.busy_channels.clone()));
        table.add("outstanding", Column::U16List { width, values: self.outstanding.clone() });
        table
    }
}
