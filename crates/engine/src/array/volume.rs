//! An array as the host sees it.

use super::{Array, Next, Request};
use crate::device::Device;
use crate::host::{DriveView, HostRequest};
use crate::run::volume::Volume;
use crate::snapshot::{In, Out, SnapshotError};
use crate::stats::recorder::Recorder;
use crate::stats::report::{CheckedReport, Report};
use crate::stats::tenants::{FlowName, Tenants};
use wordline_base::ids::DieId;
use wordline_base::parts::{Part, Parts};
use wordline_base::slab;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// The host knows nothing of dies behind an array.
impl DriveView for Array {
    fn die_of_request(&self, _request: &HostRequest) -> Option<DieId> {
        None
    }

    fn die_load(&self) -> &[u32] {
        &[]
    }
}

impl Volume for Array {
    fn logical_bytes(&self) -> u64 {
        self.members.first().map_or(0, |first| self.config.bytes(first.logical_bytes()))
    }

    fn streams(&self) -> Option<u16> {
        self.members.first().and_then(Device::streams)
    }

    fn now(&self) -> Ns {
        self.now
    }

    fn next_event(&self) -> (Ns, bool) {
        let Next { time, gives_way, .. } = self.next_member();
        (time, gives_way)
    }

    fn advance(&mut self, arrival: Ns) {
        let stops = |drive: &Device| drive.fault().is_some() || drive.end_of_life().is_some();
        while self.completed == 0 && !self.members.iter().any(stops) {
            let next = self.next_member();
            let Next { time, gives_way, .. } = next;
            let (wake, arrives_first) = (self.wake_at(), arrival < time || (gives_way && arrival == time));
            if time == Ns::NEVER || arrives_first || wake < time {
                return;
            }
            self.note_time(time);
            self.run_ahead(next, arrival.min(wake));
        }
    }

    /// A system of a drive, or the next window. While the array is at rest windows pass unnoticed.
    fn wake_at(&self) -> Ns {
        let window = if self.is_at_rest() { Ns::NEVER } else { self.reader.1 };
        self.members.iter().map(Device::wake_at).fold(window, Ns::min)
    }

    fn idle_at(&self) -> Ns {
        self.members.iter().map(Device::idle_at).fold(Ns::NEVER, Ns::min)
    }

    fn wake(&mut self) {
        self.now = self.wake_at();
        self.note_time(self.now);
        // Windows that passed at rest, but for one that begins now: what else wakes goes before it.
        self.catch_up(Ns(self.now.0.saturating_sub(1)), self.now);
        for member in 0..self.members.len() {
            if self.members.get(member).is_some_and(|drive| drive.wake_at() == self.now) {
                self.with_link(member, Device::wake);
            }
            self.collect(member);
        }
        self.catch_up(self.now, self.now);
    }

    fn place_stalled_anew(&mut self) -> bool {
        let mut moved = false;
        for member in 0..self.members.len() {
            moved |= self.with_link(member, Device::place_stalled_anew) == Some(true);
            self.collect(member);
        }
        moved
    }

    fn fault(&self) -> Option<String> {
        let fault = |(number, drive): (usize, &Device)| {
            drive.fault().map(|fault| format!("drive {number} of the array: {fault}"))
        };
        self.members.iter().enumerate().find_map(fault)
    }

    /// With the first drive whose life has ended.
    fn has_ended(&self) -> bool {
        self.members.iter().any(|drive| drive.end_of_life().is_some())
    }

    fn ends_for_want_of_space(&mut self) -> bool {
        self.members.iter_mut().any(Device::ends_for_want_of_space)
    }

    fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool) {
        self.now = now;
        self.note_time(now);
        self.monitor.timed.submitted(now);
        self.catch_up(now, now);
        let mut parts = std::mem::take(&mut self.parts);
        self.split(request, &mut parts);
        let entry = Request { id, request: *request, arrival, left: parts.len() as u32 + 1, measured };
        let number = slab::insert(&mut self.requests, &mut self.free, entry);
        // What goes to every half of a drive comes over its link once: all begin with the link as the first finds it.
        let inwards = self.link.map(|[inwards, _]| inwards).filter(|_| self.is_for_all(request));
        for part in &parts {
            let sub = HostRequest { offset: part.offset, length: part.length, ..*request };
            if let (Some(link), Some(inwards)) = (&mut self.link, inwards) {
                link[0] = inwards;
            }
            self.with_link(part.member, |drive| {
                drive.submit(&sub, u64::from(number), arrival, now, measured);
            });
            self.collect(part.member);
        }
        self.parts = parts;
        // Where all parts were answered at once, the request has only waited at the host.
        let mut waited = Parts::default();
        waited.add(Part::Admission, now.since(arrival).0);
        self.part_done(number, &waited);
    }

    fn prefetch<'a>(&self, coming: impl Iterator<Item = &'a HostRequest> + Clone) {
        let fetch = |drive: &Device, request: &HostRequest| drive.prefetch(std::iter::once(request));
        coming.for_each(|request| self.for_drives_of(request, fetch));
    }

    fn prefetch_looked_up<'a>(&self, coming: impl Iterator<Item = &'a HostRequest>) {
        let fetch =
            |drive: &Device, request: &HostRequest| drive.prefetch_looked_up(std::iter::once(request));
        coming.for_each(|request| self.for_drives_of(request, fetch));
    }

    fn take_completed(&mut self) -> u32 {
        std::mem::take(&mut self.completed)
    }

    fn requests_inside(&self) -> usize {
        self.requests.len() - self.free.len()
    }

    fn set_flows(&mut self, flows: Vec<FlowName>) {
        self.answered = (!flows.is_empty()).then(Vec::new);
        self.recorder.tenants = (flows.len() > 1).then(|| Box::new(Tenants::new(flows.into_iter())));
    }

    fn take_answered(&mut self, into: &mut Vec<u64>) {
        if let Some(answered) = &mut self.answered {
            into.append(answered);
        }
    }

    fn measure(&mut self, config: &MeasureConfig) {
        self.record(config);
    }

    fn open_window_at(&mut self, now: Ns, requests_before: u64) {
        self.window_opens(now);
        let mut tenants = self.recorder.tenants.take();
        if let Some(tenants) = &mut tenants {
            tenants.begin();
        }
        self.recorder =
            Recorder::begin(&mut self.recorder, now, requests_before, &[], Vec::new(), Vec::new());
        self.recorder.tenants = tenants;
        for member in &mut self.members {
            member.open_window_at(now, requests_before);
        }
    }

    fn report(&self) -> Report {
        self.report_of_all()
    }

    fn wind_down(&mut self, now: bool) {
        self.members.iter_mut().for_each(|member| member.wind_down(now));
    }

    fn close_untimed_places(&mut self) {
        self.members.iter_mut().for_each(Device::close_untimed_places);
    }

    fn audit(&self) -> Result<CheckedReport, String> {
        let mut sum = CheckedReport::default();
        for (number, drive) in self.members.iter().enumerate() {
            let found = drive.audit().map_err(|fault| format!("drive {number} of the array: {fault}"))?;
            sum.reads_verified += found.reads_verified;
            sum.pages_audited += found.pages_audited;
            sum.copies_audited += found.copies_audited;
        }
        let left = self.requests.len() - self.free.len();
        if left > 0 { Err(format!("{left} requests of the array have no answer")) } else { Ok(sum) }
    }

    fn flash_operations(&self) -> u64 {
        self.members.iter().map(Device::flash_operations).sum()
    }

    fn events_processed(&self) -> u64 {
        self.members.iter().map(Device::events_processed).sum()
    }

    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        self.save_state(out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.restore_state(input)
    }
}
