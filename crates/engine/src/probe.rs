//! A look inside for tests and tools: what the host asked, what each page read found, when requests ended.

use crate::host::HostRequest;
use crate::ids::Lpa;
use crate::time::Ns;

/// Told of what happens, in order. It can't change anything.
pub trait Probe: Send {
    /// A request entered the drive. `id` counts requests from 0.
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns);

    /// The cell read of one logical page of request `id` began; it will return this version: the number of writes
    /// and TRIMs of that page that took effect before, or `None` for a page without data. Versions need checked mode;
    /// without it they are 0.
    fn read(&mut self, id: u64, lpa: Lpa, version: Option<u32>, now: Ns);

    /// A write or TRIM of one logical page took effect: later reads see it.
    fn took_effect(&mut self, id: u64, lpa: Lpa, now: Ns);

    /// A request was completed.
    fn completed(&mut self, id: u64, latency: Ns, now: Ns);
}
