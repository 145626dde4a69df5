//! The answer of a read of the loop, and what is recorded of it.

use super::serve::ActiveReadLoop;
use super::tally::{Service, Waits, record};
use super::{Flight, LoopDie};
use crate::device::admit::parts_are_wrong;
use crate::host::HostOp;
use crate::time::Ns;

impl ActiveReadLoop<'_> {
    /// Sends the answer of a read whose data is there. When the host has it is certain from now on, so it is recorded at
    /// once. Returns whether the host has it.
    #[inline(always)]
    pub(super) fn answer(&mut self, die: u32, number: u32, flight: &Flight) -> bool {
        let length = flight.request.length;
        if length != self.sent.0 {
            self.sent = (length, self.drive.link_time(length, self.drive.rules.link.completion_ns));
        }
        let time = self.sent.1;
        let at_once = time == Ns::ZERO && self.reads.link[1].is_empty();
        let end = if at_once { self.now } else { self.take_link(true, time) };
        let LoopDie { command, cell, transfer, begun, channel_wait, .. } = self.reads.dies[die as usize];
        let latency = end.since(flight.arrival);
        let service = Service { command, cell, transfer, length };
        let recorder = &mut self.drive.recorder.read;
        let waited = latency != service.alone();
        if waited || self.checked {
            let waits = Waits {
                admission: flight.entered.since(flight.arrival).0,
                link: flight.at_die.since(flight.entered).0 + end.since(self.now).0,
                die: begun.since(flight.at_die).0,
                channel: channel_wait,
            };
            if waited && flight.measured {
                record(recorder, latency, &service, &waits);
            }
            let total = service.alone().0 + waits.total();
            if total != latency.0 {
                let wrong = parts_are_wrong(self.now, flight.id, total, latency);
                self.drive.fault.get_or_insert(wrong);
            }
        }
        if !waited && flight.measured {
            self.reads.tally.count(service, recorder);
        }
        if at_once {
            self.note_answered(length);
            self.reads.flights.remove(number);
        } else {
            self.reads.put_on_link(true, end, number);
        }
        at_once
    }

    /// The host has an answer.
    #[inline(always)]
    pub(super) fn note_answered(&mut self, length: u64) {
        if self.drive.recorder.answered(HostOp::Read, length) {
            self.end_batch();
        }
    }

    #[cold]
    fn end_batch(&mut self) {
        let recorder = &mut self.drive.recorder;
        self.reads.tally.hand_over(&mut recorder.read);
        recorder.end_batch(self.now, recorder.programs());
    }
}
