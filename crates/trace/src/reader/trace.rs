//! The source behind a trace: rows become requests of the drive.

use std::path::PathBuf;

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_base::time::Ns;

use super::clock::Clock;
use super::devices::DeviceSet;
use super::file::{Placed, TraceFile};
use super::range::Range;
use super::sort::Sorter;
use crate::config::{OutOfRange, TraceConfig};
use crate::notes::{Notes, Tally};
use crate::seen::Seen;

/// Requests of a batch; a little more where a request was cut.
const BATCH: usize = 1024;

/// Replays a file.
pub(crate) struct TraceReader {
    config: TraceConfig,
    path: PathBuf,
    drive_bytes: u64,
    file: TraceFile,
    sorter: Sorter,
    clock: Clock,
    range: Range,
    devices: DeviceSet,
    /// Whether a step behind it gives each device room of its own, or keeps one.
    told_apart: bool,
    /// Requests of the trace that were taken, before any is cut.
    taken: u64,
    passes_left: u32,
    tally: Tally,
    notes: Notes,
}

impl TraceReader {
    /// Opens the file at `path` (already resolved) and tells its form.
    pub(crate) fn open(config: &TraceConfig, path: PathBuf, drive_bytes: u64) -> Result<Self, SourceError> {
        let mut tally = Tally::default();
        let file = TraceFile::open(&path, config, &mut tally)?;
        Ok(Self::new(config, path, drive_bytes, file, tally))
    }

    /// Reads bytes instead of a file; they are read once, whatever `repeat` says.
    pub(crate) fn of_bytes(
        config: &TraceConfig,
        bytes: &[u8],
        drive_bytes: u64,
    ) -> Result<Self, SourceError> {
        let mut tally = Tally::default();
        let file = TraceFile::of_bytes(bytes, config, &mut tally)?;
        let once = TraceConfig { repeat: 1, ..config.clone() };
        Ok(Self::new(&once, PathBuf::new(), drive_bytes, file, tally))
    }

    fn new(config: &TraceConfig, path: PathBuf, drive_bytes: u64, file: TraceFile, tally: Tally) -> Self {
        let config = config.clone();
        let reader = Self {
            drive_bytes,
            sorter: Sorter::new(config.sort_window.max(file.sort_window())),
            clock: Clock::default(),
            range: Range::new(config.out_of_range, drive_bytes),
            devices: DeviceSet::new(),
            taken: 0,
            passes_left: config.repeat.saturating_sub(1),
            file,
            tally,
            told_apart: false,
            notes: Notes::of_trace(&config.path, config.repeat == 1),
            config,
            path,
        };
        reader.notes.publish(&reader.tally);
        reader
    }

    /// Steps behind it tell its devices apart.
    pub(crate) fn told_apart(&mut self) {
        self.told_apart = true;
    }

    /// The handle on this reader's remarks.
    pub(crate) fn notes(&self) -> Notes {
        self.notes.clone()
    }

    /// Whether devices have address spaces of their own.
    pub(crate) fn has_separate_devices(&self) -> bool {
        !self.file.shares_addresses()
    }

    fn fill(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let goal = batch.len().saturating_add(BATCH);
        let limit = self.config.max_requests.unwrap_or(u64::MAX);
        let mut placed = Placed::EMPTY;
        let notes = self.notes.clone();
        let mut seen = notes.seen();
        while batch.len() < goal && self.taken < limit {
            if self.next_row(&mut placed)? {
                self.take(&placed, &mut seen, batch)?;
            } else if self.passes_left > 0 && self.taken > 0 {
                self.rewind()?;
            } else {
                break;
            }
        }
        Ok(())
    }

    #[inline]
    fn next_row(&mut self, placed: &mut Placed) -> Result<bool, SourceError> {
        let found = self.file.next_row(self.config.skip_bad_lines, &mut self.tally, placed)?;
        if self.sorter.is_off() { Ok(found) } else { self.next_sorted(found, placed) }
    }

    /// Exchanges rows of the file, of which the first lies in `placed` if there was one, for the earliest that is held.
    fn next_sorted(&mut self, mut found: bool, placed: &mut Placed) -> Result<bool, SourceError> {
        let earliest = loop {
            if !found {
                break self.sorter.pop();
            }
            if let Some(earliest) = self.sorter.push(*placed) {
                break Some(earliest);
            }
            found = self.file.next_row(self.config.skip_bad_lines, &mut self.tally, placed)?;
        };
        Ok(earliest.map(|earliest| *placed = earliest).is_some())
    }

    #[inline]
    fn take(
        &mut self,
        placed: &Placed,
        seen: &mut Seen,
        batch: &mut Vec<HostRequest>,
    ) -> Result<(), SourceError> {
        let Placed { row, number } = placed;
        if row.length == 0 && row.op != HostOp::Flush {
            self.tally.empty_requests += 1;
            return Ok(());
        }
        // Flows of Wordline CSV share one address space, and all are wanted.
        let shared = self.file.shares_addresses();
        let device = if shared { 0 } else { row.device };
        if !shared && self.config.device.is_some_and(|wanted| wanted != device) {
            self.tally.other_devices += 1;
            return Ok(());
        }
        self.devices.insert(device);
        let Some(arrival) = self.clock.arrival(row.time) else {
            let error = self.file.at(*number, "expected a time within 292 years of the first");
            return self.tally.bad_line(error, self.config.skip_bad_lines);
        };
        self.tally.backward_times += u64::from(arrival.step_back_ns > 0);
        self.tally.largest_step_back_ns = self.tally.largest_step_back_ns.max(arrival.step_back_ns);
        self.taken += 1;
        let request = HostRequest {
            time: Ns(arrival.ns),
            op: row.op,
            offset: row.offset,
            length: row.length,
            flow: row.device,
            stream: row.device,
        };
        seen.add(row, &request);
        self.range
            .apply(request, device, self.drive_bytes, &mut self.tally, batch)
            .map_err(|fault| self.file.at(*number, &fault))
    }

    /// Begins the next pass.
    fn rewind(&mut self) -> Result<(), SourceError> {
        self.passes_left -= 1;
        self.clock.restart();
        // Whatever was assumed was said on the first pass.
        self.file = TraceFile::open(&self.path, &self.config, &mut Tally::default())?;
        Ok(())
    }
}

impl RequestSource for TraceReader {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let start = batch.len();
        let filled = self.fill(batch);
        self.tally.devices = self.devices.count();
        let apart = self.told_apart || self.config.out_of_range == OutOfRange::Compact;
        self.tally.overlaid = !self.file.shares_addresses() && !apart;
        self.notes.publish(&self.tally);
        filled?;
        if batch.len() == start && self.taken == 0 {
            return Err(self.nothing());
        }
        Ok(())
    }
}

impl TraceReader {
    fn nothing(&self) -> SourceError {
        if self.tally.bad_lines > 0 {
            let first = self.tally.first_bad.as_deref().unwrap_or_default();
            let count = self.tally.bad_lines;
            return self.file.whole(&format!("no request: all {count} lines are bad; the first: {first}"));
        }
        if let (Some(device), true) = (self.config.device, self.tally.other_devices > 0) {
            return self.file.whole(&format!("no request of device {device}"));
        }
        match self.tally.event_note() {
            Some(note) => self.file.whole(&format!("no request in this file: {note}")),
            None => self.file.whole("no request in this file"),
        }
    }
}
