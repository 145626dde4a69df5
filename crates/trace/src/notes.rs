//! What a source did to a trace that its user should know of.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use wordline_base::request::SourceError;

use crate::config::BlockEvent;
use crate::format::LeftOut;
use crate::seen::{RunClock, Seen, Shift, TraceFacts};

/// Handle on the remarks of an open source. It stays valid, and is kept up to date with every batch, after the
/// source itself was handed on.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    own: Arc<Mutex<Tally>>,
    others: Vec<Notes>,
    /// What was seen of a trace, where this is of the reader of one.
    seen: Arc<Mutex<Seen>>,
    clock: RunClock,
}

impl Notes {
    /// The remarks so far, one sentence each. Empty when there is nothing to say.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.own.lock().unwrap_or_else(PoisonError::into_inner).lines();
        lines.extend(self.others.iter().flat_map(Notes::lines));
        lines
    }

    /// What is known of the traces that are read, each once something of it was.
    pub fn traces(&self) -> Vec<TraceFacts> {
        let own = self.seen().facts(&self.clock);
        own.into_iter().chain(self.others.iter().flat_map(Notes::traces)).collect()
    }

    /// All of several sources' remarks.
    pub(crate) fn joined(others: Vec<Notes>) -> Self {
        Self { others, ..Self::default() }
    }

    /// Of a source with one remark, or none, that is known from its start.
    pub(crate) fn of_line(line: Option<&str>) -> Self {
        let notes = Self::default();
        let assumptions = line.map(str::to_owned).into_iter().collect();
        notes.publish(&Tally { assumptions, ..Tally::default() });
        notes
    }

    /// Those of a trace; whether it is gone through once.
    pub(crate) fn of_trace(path: &Path, once: bool) -> Self {
        let seen = Arc::new(Mutex::new(Seen::of(path)));
        Self { seen, clock: RunClock { loses_pace: !once, ..RunClock::default() }, ..Self::default() }
    }

    /// What was seen of the trace so far.
    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A step behind the trace gives requests other times: it takes so many ns from them all, known when its first request
    /// is.
    pub(crate) fn shifted_by(&mut self, ns: &Shift) {
        self.clock.shifts.push(Arc::clone(ns));
    }

    /// A step changes the distances of requests.
    pub(crate) fn lose_pace(&mut self) {
        self.clock.loses_pace = true;
    }

    /// Whether devices with address spaces of their own lie over one another.
    pub(crate) fn overlaid(&self) -> bool {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).overlaid;
        own || self.others.iter().any(Notes::overlaid)
    }

    pub(crate) fn publish(&self, tally: &Tally) {
        self.own.lock().unwrap_or_else(PoisonError::into_inner).clone_from(tally);
    }
}

/// Counts behind the remarks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// What was assumed about the form of the file.
    pub assumptions: Vec<String>,
    pub bad_lines: u64,
    pub first_bad: Option<String>,
    pub backward_times: u64,
    pub largest_step_back_ns: u64,
    pub empty_requests: u64,
    /// What the reader passed over, and the event that it is to read.
    pub left_out: LeftOut,
    pub event: BlockEvent,
    /// The first devices by name, from number 0 on.
    pub device_names: Vec<String>,
    pub devices: u32,
    /// Devices lie over one another in one address space.
    pub overlaid: bool,
    pub other_devices: u64,
    pub wrapped: u64,
    /// Bytes that those may use, of the drive, of a flow's part of it, or of a step.
    pub wrapped_at: u64,
    pub compacted_bytes: Option<u64>,
    pub split: u64,
    pub unused_trims: u64,
}

impl Tally {
    /// Counts a bad line that is to be skipped; else it is an error.
    pub(crate) fn bad_line(&mut self, error: SourceError, skip: bool) -> Result<(), SourceError> {
        if !skip {
            return Err(error);
        }
        self.bad_lines += 1;
        self.first_bad.get_or_insert(error.0);
        Ok(())
    }

    /// Notes what was assumed, once, however often the file is gone through.
    pub(crate) fn assume(&mut self, path: &Path, assumption: &str) {
        let line = format!("{}: {assumption}", path.display());
        if !self.assumptions.contains(&line) {
            self.assumptions.push(line);
        }
    }

    /// Notes names of devices, likewise.
    pub(crate) fn name_devices(&mut self, names: Vec<String>) {
        for name in names {
            if !self.device_names.contains(&name) {
                self.device_names.push(name);
            }
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.assumptions.clone();
        lines.extend(self.line_notes());
        lines.extend(self.address_notes());
        lines
    }

    fn line_notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.bad_lines > 0 {
            let first = self.first_bad.as_deref().unwrap_or_default();
            lines.push(format!("{} skipped; the first: {first}", counted(self.bad_lines, "bad line")));
        }
        if self.backward_times > 0 {
            lines.push(format!(
                "{} before the one in the line above (by up to {} ns), moved to its time",
                counted(self.backward_times, "arrival"),
                self.largest_step_back_ns
            ));
        }
        if self.empty_requests > 0 {
            lines.push(format!("{} of length 0 left out", counted(self.empty_requests, "request")));
        }
        lines.extend(self.loss_notes());
        lines
    }

    fn loss_notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let LeftOut { untyped, dataless, commands, lost, .. } = self.left_out;
        if untyped > 0 {
            lines.push(format!("{} without a type of request left out", counted(untyped, "line")));
        }
        if dataless > 0 {
            lines
                .push(format!("{} left out that move no data and flush nothing", counted(dataless, "event")));
        }
        if commands > 0 {
            lines.push(format!(
                "{} left out that neither read, write nor flush",
                counted(commands, "command")
            ));
        }
        if lost > 0 {
            lines.push(format!("the tracer lost {}: requests may be missing", counted(lost, "event")));
        }
        lines.extend(self.event_note());
        lines
    }

    /// Of which event there are many more than of the one that is read.
    pub(crate) fn event_note(&self) -> Option<String> {
        let (most, count, read) = self.left_out.more_of(self.event)?;
        let (most, event) = (most.key(), self.event.key());
        Some(format!(
            "{read} events `{event}` are read, but {count} are `{most}`: `event = \"{most}\"` reads those"
        ))
    }

    fn device_note(&self) -> Option<String> {
        if self.device_names.len() < 2 {
            return None;
        }
        let names = self.device_names.iter().enumerate().map(|(number, name)| format!("{number} = `{name}`"));
        let more = if self.devices as usize > self.device_names.len() { ", …" } else { "" };
        Some(format!("devices by name: {}{more}", names.collect::<Vec<_>>().join(", ")))
    }

    fn address_notes(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.device_note().into_iter().collect();
        if self.other_devices > 0 {
            lines.push(format!("{} of other devices left out", counted(self.other_devices, "request")));
        }
        if self.devices > 1 && self.overlaid {
            lines.push(format!(
                "requests of {} devices share one address space; `device` picks one, out_of_range = \"compact\" \
                 keeps them apart",
                self.devices
            ));
        }
        if self.wrapped > 0 {
            lines.push(format!(
                "{} beyond the {} bytes that may be used wrapped around",
                counted(self.wrapped, "request"),
                self.wrapped_at
            ));
        }
        if let Some(bytes) = self.compacted_bytes {
            lines.push(format!("addresses compacted into the first {bytes} bytes of those that may be used"));
        }
        if self.split > 0 {
            lines
                .push(format!("{} cut where compacted regions don't adjoin", counted(self.split, "request")));
        }
        if self.unused_trims > 0 {
            lines.push(format!(
                "{} of regions that were never touched left out",
                counted(self.unused_trims, "trim")
            ));
        }
        lines
    }
}

/// `1 line`, `2 lines`.
fn counted(number: u64, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
