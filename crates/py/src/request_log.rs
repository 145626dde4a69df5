//! A log of each request of a run, in a file.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use wordline_engine::host::HostRequest;
use wordline_engine::ids::Lpa;
use wordline_engine::probe::{Answer, DieCommand, Probe, Server};
use wordline_engine::sched::class::Class;
use wordline_engine::stats::blame::Part;
use wordline_engine::systems::Action;
use wordline_engine::time::Ns;
use wordline_trace::{LoggedRequest, RequestLog};

use crate::files::at;

/// The file of a log, which takes its name when it is whole.
pub struct LogFile {
    path: PathBuf,
    /// Shared with the probe; taken out at the end.
    log: Arc<Mutex<Option<RequestLog>>>,
}

impl LogFile {
    /// Begins the file.
    pub fn create(path: &Path) -> PyResult<Self> {
        let log = RequestLog::create(path, Part::names()).map_err(|error| at(path, error))?;
        Ok(Self { path: path.to_owned(), log: Arc::new(Mutex::new(Some(log))) })
    }

    /// What the drive is to tell.
    pub fn probe(&self) -> Box<dyn Probe> {
        Box::new(Watcher(Arc::clone(&self.log)))
    }

    /// Ends the file.
    pub fn finish(self) -> PyResult<()> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner).take();
        log.map_or(Ok(()), RequestLog::finish).map_err(|error| at(&self.path, error))
    }
}

struct Watcher(Arc<Mutex<Option<RequestLog>>>);

impl Probe for Watcher {
    fn arrived(&mut self, _id: u64, _request: &HostRequest, _now: Ns) {}

    fn read(&mut self, _id: u64, _lpa: Lpa, _version: Option<u32>, _now: Ns) {}

    fn took_effect(&mut self, _id: u64, _lpa: Lpa, _now: Ns) {}

    fn completed(&mut self, _id: u64, _latency: Ns, _now: Ns) {}

    fn answer(&mut self, answer: &Answer<'_>) {
        if let Some(log) = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            log.answer(logged(answer));
        }
    }
}

fn logged(answer: &Answer<'_>) -> LoggedRequest {
    let &Answer { id, request, arrival, end, measured, .. } = answer;
    let blame = answer.blame_ns();
    let admission = blame.get(Part::Admission.index()).copied().unwrap_or_default();
    let start = Ns(arrival.0 + admission);
    LoggedRequest { id, request: *request, arrival, start, end, measured, blame: blame.to_vec() }
}

/// One probe that tells two.
pub fn together(one: Box<dyn Probe>, other: Box<dyn Probe>) -> Box<dyn Probe> {
    Box::new(Both([one, other]))
}

struct Both([Box<dyn Probe>; 2]);

impl Probe for Both {
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.arrived(id, request, now));
    }

    fn read(&mut self, id: u64, lpa: Lpa, version: Option<u32>, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.read(id, lpa, version, now));
    }

    fn took_effect(&mut self, id: u64, lpa: Lpa, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.took_effect(id, lpa, now));
    }

    fn completed(&mut self, id: u64, latency: Ns, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.completed(id, latency, now));
    }

    fn answer(&mut self, answer: &Answer<'_>) {
        self.0.iter_mut().for_each(|probe| probe.answer(answer));
    }

    fn die_taken(&mut self, server: Server, command: Option<DieCommand>, waiting: u32, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.die_taken(server, command.clone(), waiting, now));
    }

    fn asked(&mut self, system: usize, action: &Action, now: Ns) {
        self.0.iter_mut().for_each(|probe| probe.asked(system, action, now));
    }

    fn channel_taken(&mut self, channel: u32, server: Server, class: Class, begin: Ns, end: Ns) {
        self.0.iter_mut().for_each(|probe| probe.channel_taken(channel, server, class, begin, end));
    }
}
