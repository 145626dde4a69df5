//! What goes next: the one rule of order between a drive's events and what the host has for it.

use super::volume::Volume;
use wordline_base::time::Ns;

/// What goes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The drive wakes ([`Volume::wake`]).
    Wake,
    /// The request enters.
    Arrival,
    /// The drive's own events ([`Volume::advance`]).
    Events,
    /// Nothing moves any more.
    Still,
}

/// What goes next, where the host's next request enters at `arrival` ([`Ns::NEVER`]: there is none). The drive's own events go before
/// an arrival at the same time, but for the choices of channels.
#[inline(always)]
pub fn next_step<V: Volume>(volume: &V, arrival: Ns) -> Step {
    let (event, gives_way) = volume.next_event();
    let wake = volume.wake_at();
    if wake < event && wake <= arrival && (event != Ns::NEVER || arrival != Ns::NEVER) {
        Step::Wake
    } else if arrival < event || (gives_way && arrival == event && event != Ns::NEVER) {
        Step::Arrival
    } else if event == Ns::NEVER {
        Step::Still
    } else {
        Step::Events
    }
}
