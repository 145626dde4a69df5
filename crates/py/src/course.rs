//! The course of a run as numbers: what the drive did, command by command, in few bytes, so that two builds can be compared.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use twox_hash::XxHash64;
use wordline_engine::device::Device;
use wordline_engine::host::HostRequest;
use wordline_engine::ids::Lpa;
use wordline_engine::probe::{Answer, DieCommand, Probe, Server};
use wordline_engine::sched::class::Class;
use wordline_engine::systems::Action;
use wordline_engine::time::Ns;

/// Events between two checkpoints.
const EVERY: u64 = 256;

/// The events of a run, or of several parts of one, hashed as they come.
#[pyclass(frozen, module = "wordline._core")]
pub struct Course(Arc<Mutex<Events>>);

struct Events {
    hash: XxHash64,
    count: u64,
    /// The hash after each [`EVERY`] events.
    checkpoints: Vec<u64>,
    /// Events that are kept as text, by their number.
    kept: std::ops::Range<u64>,
    text: Vec<String>,
    tables: Vec<BTreeMap<&'static str, u64>>,
}

impl Events {
    fn event(&mut self, describe: impl Fn() -> String, words: &[u64]) {
        words.iter().for_each(|&word| self.hash.write_u64(word));
        if self.kept.contains(&self.count) {
            self.text.push(describe());
        }
        self.count += 1;
        if self.count.is_multiple_of(EVERY) {
            self.checkpoints.push(self.hash.finish());
        }
    }
}

#[pymethods]
impl Course {
    /// Events from `first` up to `end` are kept as text.
    #[new]
    #[pyo3(signature = (first=0, end=0))]
    fn new(first: u64, end: u64) -> Self {
        Self(Arc::new(Mutex::new(Events {
            hash: XxHash64::with_seed(0),
            count: 0,
            checkpoints: Vec::new(),
            kept: first..end,
            text: Vec::new(),
            tables: Vec::new(),
        })))
    }

    /// Events so far.
    #[getter]
    fn count(&self) -> u64 {
        self.locked(|events| events.count)
    }

    /// A hash of all events so far after each 256 of them, and of all.
    #[getter]
    fn hashes(&self) -> Vec<u64> {
        self.locked(|events| events.checkpoints.iter().copied().chain([events.hash.finish()]).collect())
    }

    /// The events that are kept.
    #[getter]
    fn events(&self) -> Vec<String> {
        self.locked(|events| events.text.clone())
    }

    /// Hashes of the drive's tables by name: at the begin and at the end of each part.
    #[getter]
    fn tables(&self) -> Vec<BTreeMap<&'static str, u64>> {
        self.locked(|events| events.tables.clone())
    }
}

impl Course {
    fn locked<T>(&self, look: impl FnOnce(&mut Events) -> T) -> T {
        look(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What the drive is to tell.
    pub fn probe(&self) -> Box<dyn Probe> {
        Box::new(Watcher { events: Arc::clone(&self.0), member: None })
    }

    /// What a drive of an array is to tell, by its number.
    pub fn probe_of(&self, member: usize) -> Box<dyn Probe> {
        Box::new(Watcher { events: Arc::clone(&self.0), member: Some(member as u64) })
    }

    /// Notes the tables of a drive.
    pub fn note_tables(&self, drive: &Device) {
        let mut hashes: BTreeMap<&'static str, XxHash64> = BTreeMap::new();
        drive.tell_tables(&mut |table, number| {
            hashes.entry(table).or_insert_with(|| XxHash64::with_seed(0)).write_u64(number);
        });
        let finished = hashes.into_iter().map(|(table, hash)| (table, hash.finish())).collect();
        self.locked(|events| events.tables.push(finished));
    }
}

struct Watcher {
    events: Arc<Mutex<Events>>,
    /// Its drive's number in an array.
    member: Option<u64>,
}

impl Watcher {
    fn event(&self, describe: impl Fn() -> String, words: &[u64]) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(member) = self.member else { return events.event(describe, words) };
        let words: Vec<u64> = [member].iter().chain(words).copied().collect();
        events.event(|| format!("drive {member}: {}", describe()), &words);
    }
}

impl Probe for Watcher {
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns) {
        let HostRequest { op, offset, length, .. } = *request;
        self.event(
            || format!("{} request {id} comes: {op:?} of {length} bytes at {offset}", now.0),
            &[1, now.0, id, op as u64, offset, length],
        );
    }

    fn read(&mut self, id: u64, lpa: Lpa, version: Option<u32>, now: Ns) {
        let found = version.map_or(0, |version| u64::from(version) + 1);
        self.event(
            || format!("{} request {id} reads page {}, version {version:?}", now.0, lpa.0),
            &[2, now.0, id, u64::from(lpa.0), found],
        );
    }

    fn took_effect(&mut self, id: u64, lpa: Lpa, now: Ns) {
        self.event(
            || format!("{} request {id} changes page {}", now.0, lpa.0),
            &[3, now.0, id, u64::from(lpa.0)],
        );
    }

    fn completed(&mut self, id: u64, latency: Ns, now: Ns) {
        self.event(
            || format!("{} request {id} is done after {}", now.0, latency.0),
            &[4, now.0, id, latency.0],
        );
    }

    fn answer(&mut self, answer: &Answer<'_>) {
        let parts = answer.blame_ns();
        let mut words = vec![5, answer.id, answer.arrival.0, answer.end.0, u64::from(answer.measured)];
        words.extend(parts);
        let named = || {
            let parts: Vec<_> = wordline_engine::stats::blame::Part::names()
                .zip(parts)
                .filter(|&(_, ns)| ns > 0)
                .map(|(name, ns)| format!("{name} {ns}"))
                .collect();
            format!("{} answer of request {}: {}", answer.end.0, answer.id, parts.join(", "))
        };
        self.event(named, &words);
    }

    fn die_taken(&mut self, server: Server, command: Option<DieCommand>, waiting: u32, now: Ns) {
        let mut words = vec![6, now.0, u64::from(server.number), u64::from(waiting)];
        if let Some(DieCommand { class, planes, resumed, requests }) = &command {
            words.extend([class.index() as u64, u64::from(*planes), u64::from(*resumed)]);
            words.extend(requests);
        }
        self.event(|| format!("{} die {}: {command:?}, {waiting} wait", now.0, server.number), &words);
    }

    fn asked(&mut self, system: usize, action: &Action, now: Ns) {
        let text = format!("{action:?}");
        let mut hash = XxHash64::with_seed(0);
        hash.write(text.as_bytes());
        self.event(
            || format!("{} system {system} asks: {text}", now.0),
            &[7, now.0, system as u64, hash.finish()],
        );
    }

    fn channel_taken(&mut self, channel: u32, server: Server, class: Class, begin: Ns, end: Ns) {
        self.event(
            || {
                format!(
                    "{} channel {channel}, die {}: {} until {}",
                    begin.0,
                    server.number,
                    class.name(),
                    end.0
                )
            },
            &[8, begin.0, end.0, u64::from(channel), u64::from(server.number), class.index() as u64],
        );
    }
}
