//! Reads that waited for nothing: of those that take the same time only the number is kept, until it is recorded.

use crate::sched::class::Class;
use crate::stats::blame::Part;
use crate::stats::latency::DirectionRecorder;
use crate::time::Ns;

/// Kinds that are counted at a time.
const KINDS: usize = 8;

/// What a read's time is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Service {
    pub command: Ns,
    pub cell: Ns,
    pub transfer: Ns,
    /// Bytes that the host asked for.
    pub length: u64,
}

/// A read's waits, ns.
#[derive(Clone, Copy)]
pub(super) struct Waits {
    pub admission: u64,
    pub link: u64,
    pub die: u64,
    pub channel: u64,
}

impl Waits {
    /// All of them.
    #[inline]
    pub fn total(&self) -> u64 {
        self.admission + self.link + self.die + self.channel
    }
}

impl Service {
    /// Its time without any wait.
    #[inline]
    pub fn alone(&self) -> Ns {
        self.command + self.cell + self.transfer
    }
}

/// Reads that waited for nothing, by kind.
#[derive(Default)]
pub(super) struct Tally {
    kinds: Vec<(Service, u64)>,
}

impl Tally {
    /// Takes a read in that waited for nothing.
    #[inline]
    pub fn count(&mut self, service: Service, recorder: &mut DirectionRecorder) {
        match self.kinds.iter_mut().find(|kind| kind.0 == service) {
            Some(kind) => kind.1 += 1,
            None => self.add_kind(service, recorder),
        }
    }

    #[cold]
    fn add_kind(&mut self, service: Service, recorder: &mut DirectionRecorder) {
        if self.kinds.len() == KINDS {
            self.hand_over(recorder);
        }
        self.kinds.push((service, 1));
    }

    /// Records all that was counted.
    pub fn hand_over(&mut self, recorder: &mut DirectionRecorder) {
        for (service, count) in self.kinds.drain(..) {
            recorder.record_equal(count, service.alone(), service.length, [None, None], &parts_of(&service));
        }
    }
}

fn parts_of(service: &Service) -> [(Part, u64); 3] {
    [(Part::Command, service.command.0), (Part::Cell, service.cell.0), (Part::Transfer, service.transfer.0)]
}

/// Records a read that waited.
#[inline]
pub(super) fn record(recorder: &mut DirectionRecorder, latency: Ns, service: &Service, waits: &Waits) {
    let [command, cell, transfer] = parts_of(service);
    let parts = [
        command,
        cell,
        transfer,
        (Part::DieWait(Class::HostRead), waits.die),
        (Part::ChannelWait(Class::HostRead), waits.channel),
        (Part::Admission, waits.admission),
        (Part::Link, waits.link),
    ];
    recorder.record(latency, service.length, [None, None], &parts);
}
