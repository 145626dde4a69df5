//! What a workload is replayed on: a drive, or several as one.

use crate::device::Device;
use crate::host::{DriveView, HostRequest};
use crate::snapshot::{In, Out, SnapshotError};
use crate::stats::report::{CheckedReport, Report};
use crate::stats::tenants::FlowName;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;

/// What the host sees as one range of bytes, with a clock of its own.
pub trait Volume: DriveView {
    /// Bytes that the host sees.
    fn logical_bytes(&self) -> u64;

    /// Streams that it offers, if it offers any ([`Device::streams`]).
    fn streams(&self) -> Option<u16>;

    /// The time.
    fn now(&self) -> Ns;

    /// When the next event comes ([`Ns::NEVER`] if there is none), and whether a request that arrives at that time goes
    /// before it.
    fn next_event(&self) -> (Ns, bool);

    /// Handles events, as long as they go before an arrival at `arrival` and before [`Self::wake_at`], until the host must
    /// hear of something.
    fn advance(&mut self, arrival: Ns);

    /// When it wants the clock beside its events; alone that keeps no run from ending.
    fn wake_at(&self) -> Ns;

    /// When it begins to use that it is idle; [`Ns::NEVER`]: it does already, or nothing of it would.
    fn idle_at(&self) -> Ns;

    /// That time has come.
    fn wake(&mut self);

    /// Nothing moves any more: gives writes that wait for space another chance. `false` if that changes nothing.
    fn place_stalled_anew(&mut self) -> bool;

    /// Why it can't go on; `None` if it can.
    fn fault(&self) -> Option<String>;

    /// Whether its life has ended.
    fn has_ended(&self) -> bool;

    /// Whether what waits for space waits because its life has ended.
    fn ends_for_want_of_space(&mut self) -> bool;

    /// A request with the number `id`, which arrived at the host's queue at `arrival`, enters now.
    fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool);

    /// Brings what coming requests need towards the caches, in two stages.
    fn prefetch<'a>(&self, coming: impl Iterator<Item = &'a HostRequest> + Clone);

    /// Second stage, once [`Self::prefetch`] had time.
    fn prefetch_looked_up<'a>(&self, coming: impl Iterator<Item = &'a HostRequest>);

    /// Requests that were completed since this was asked last.
    fn take_completed(&mut self) -> u32;

    /// Requests inside.
    fn requests_inside(&self) -> usize;

    /// From now on figures are kept for each of these flows (name and stream), and [`Self::take_answered`] tells which
    /// requests were answered. Without flows neither.
    fn set_flows(&mut self, flows: Vec<FlowName>);

    /// Appends the numbers of the requests that were answered since this was asked last.
    fn take_answered(&mut self, into: &mut Vec<u64>);

    /// Records from now on what is asked for.
    fn measure(&mut self, config: &MeasureConfig);

    /// The measured window opens.
    fn open_window_at(&mut self, now: Ns, requests_before: u64);

    /// Everything measured in the window, which ends now.
    fn report(&self) -> Report;

    /// From now on it comes to rest, or no longer: what is under way ends, and nothing is begun that only later requests would
    /// need.
    fn wind_down(&mut self, now: bool);

    /// Closes every program unit that is being filled without simulated time.
    fn close_untimed_places(&mut self);

    /// Checks its tables against each other, at rest.
    fn audit(&self) -> Result<CheckedReport, String>;

    /// Flash pages read and programmed and blocks erased since it was made.
    fn flash_operations(&self) -> u64;

    /// Events since it was made.
    fn events_processed(&self) -> u64;

    /// Writes its state.
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError>;

    /// Takes up a state that was saved in place of that of this one, which is new and of the same configuration.
    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError>;
}

/// A drive alone.
impl Volume for Device {
    fn logical_bytes(&self) -> u64 {
        Device::logical_bytes(self)
    }

    fn streams(&self) -> Option<u16> {
        Device::streams(self)
    }

    #[inline]
    fn now(&self) -> Ns {
        Device::now(self)
    }

    #[inline]
    fn next_event(&self) -> (Ns, bool) {
        Device::next_event(self)
    }

    #[inline]
    fn advance(&mut self, arrival: Ns) {
        Device::advance(self, arrival);
    }

    #[inline]
    fn wake_at(&self) -> Ns {
        Device::wake_at(self)
    }

    fn idle_at(&self) -> Ns {
        Device::idle_at(self)
    }

    fn wake(&mut self) {
        Device::wake(self);
    }

    fn place_stalled_anew(&mut self) -> bool {
        Device::place_stalled_anew(self)
    }

    #[inline]
    fn fault(&self) -> Option<String> {
        Device::fault(self).map(str::to_owned)
    }

    #[inline]
    fn has_ended(&self) -> bool {
        self.end_of_life().is_some()
    }

    fn ends_for_want_of_space(&mut self) -> bool {
        Device::ends_for_want_of_space(self)
    }

    #[inline]
    fn submit(&mut self, request: &HostRequest, id: u64, arrival: Ns, now: Ns, measured: bool) {
        Device::submit(self, request, id, arrival, now, measured);
    }

    #[inline]
    fn prefetch<'a>(&self, coming: impl Iterator<Item = &'a HostRequest> + Clone) {
        Device::prefetch(self, coming);
    }

    #[inline(always)]
    fn prefetch_looked_up<'a>(&self, coming: impl Iterator<Item = &'a HostRequest>) {
        Device::prefetch_looked_up(self, coming);
    }

    #[inline]
    fn take_completed(&mut self) -> u32 {
        Device::take_completed(self)
    }

    fn requests_inside(&self) -> usize {
        Device::requests_inside(self)
    }

    fn set_flows(&mut self, flows: Vec<FlowName>) {
        Device::set_flows(self, flows.into_iter());
    }

    fn take_answered(&mut self, into: &mut Vec<u64>) {
        Device::take_answered(self, into);
    }

    fn measure(&mut self, config: &MeasureConfig) {
        Device::measure(self, config);
    }

    fn open_window_at(&mut self, now: Ns, requests_before: u64) {
        Device::open_window_at(self, now, requests_before);
    }

    fn report(&self) -> Report {
        Device::report(self)
    }

    fn wind_down(&mut self, now: bool) {
        Device::wind_down(self, now);
    }

    fn close_untimed_places(&mut self) {
        Device::close_untimed_places(self);
    }

    fn audit(&self) -> Result<CheckedReport, String> {
        Device::audit(self)
    }

    fn flash_operations(&self) -> u64 {
        Device::flash_operations(self)
    }

    fn events_processed(&self) -> u64 {
        Device::events_processed(self)
    }

    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        self.save_state(out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.restore_state(input)
    }
}
