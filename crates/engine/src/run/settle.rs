//! Bringing a drive to the state in which its workload will keep it.
//!
//! Uniform overwrites under a policy with a mean field need nothing carried out: the layout is a formula, phases included
//! ([`crate::blocks::steady`]). Else the workload's own writes are carried out without simulated time until write amplification
//! changes by chance only ([`super::windows`]). What follows from time (queues, buffers, how far collections are under load) settles in requests before the
//! first that is measured.

use super::observer::Counted;
use super::windows::{LOOKED_AT, has_settled};
use super::{Observer, RunError, Setup};
use crate::device::{Device, Overwriting};
use crate::host::Settling;
use crate::stats::settled::Settled;
use wordline_base::rng::{below, stream};
use wordline_config::DeviceConfig;
use wordline_config::array::ArrayLayout;
use wordline_config::cache::{CacheBytes, CacheKind};
use wordline_config::run::{Occupancy, StartLayout};

/// Windows for each overwrite of what the drive holds.
const WINDOWS_FOR_ALL: u32 = 4;

/// Overwriting ends after so many windows even where they still change.
const MOST_WINDOWS: usize = 64;

/// Superblocks that the host fills in each domain while collection by thresholds settles.
const CYCLES: u64 = 8;

/// Bytes that the host writes at most for that.
const MOST_BYTES: u64 = 1 << 30;

/// Most requests by which chance makes the settling longer.
const MOST_DRAWN: u64 = 1 << 20;

/// Flows settle for so many times the requests that it takes in proportion to their numbers, at most: one that writes may get less in
/// than that.
const SLOWER_WRITES: u64 = 4;

/// Rows of the drive that the host fills while a paced collection settles.
const ROWS: u64 = 32;

impl Setup {
    /// Requests that go before the first one measured, of which each writes so many bytes on average.
    pub fn settling_requests(&self, bytes_per_request: f64) -> u64 {
        let wanted = match self.start.layout {
            StartLayout::Steady if bytes_per_request > 0.0 && self.settles() => {
                let least = (self.settling_bytes() as f64 / bytes_per_request).ceil() as u64;
                // Buffers and superpages come round in step with the requests: the window begins anywhere in their turn.
                least
                    + u64::from(below(
                        &mut stream(self.seed, "settle"),
                        (least / 4).min(MOST_DRAWN) as u32 + 1,
                    ))
            }
            _ => 0,
        };
        self.start.settle_requests.unwrap_or(wanted)
    }

    /// How flows settle that together write so many bytes for each request in proportion to their numbers of requests.
    pub fn settling_of_flows(&self, bytes_per_request: f64) -> Settling {
        let requests = self.settling_requests(bytes_per_request);
        match self.start.settle_requests {
            Some(requests) => Settling { bytes: u64::MAX, requests },
            None => Settling {
                bytes: (requests as f64 * bytes_per_request) as u64,
                requests: requests.saturating_mul(SLOWER_WRITES),
            },
        }
    }

    /// Whether the drive holds something at the start.
    fn settles(&self) -> bool {
        let holds = |occupancy: &Occupancy| match *occupancy {
            Occupancy::All => true,
            Occupancy::Share(share) => share > 0.0,
            Occupancy::None | Occupancy::Footprint | Occupancy::Span => false,
        };
        holds(&self.start.occupancy) || self.start.set_occupancy.values().any(holds)
    }

    /// Bytes that the host writes while queues, buffers and collections settle: of drives of a stripe for each.
    fn settling_bytes(&self) -> u64 {
        let array = self.scheme.array.as_ref().filter(|array| array.layout == ArrayLayout::Striped);
        self.settling_bytes_of_a_drive().saturating_mul(array.map_or(1, |array| u64::from(array.members)))
    }

    fn settling_bytes_of_a_drive(&self) -> u64 {
        let DeviceConfig { geometry, dram, .. } = &self.device;
        let planes = [geometry.channels, geometry.ways, geometry.dies, geometry.planes].map(u64::from);
        let row: u64 = planes.iter().product::<u64>() * u64::from(geometry.page_bytes);
        let cache = match (self.scheme.cache.policy, &self.scheme.cache.bytes) {
            (CacheKind::None, _) => 0,
            (_, CacheBytes::Bytes(bytes)) => *bytes,
            (_, CacheBytes::Rest) => dram.bytes.unwrap_or(0),
        };
        let moving = match (self.scheme.gc.is_paced(), self.carries_requests_out()) {
            (true, false) => ROWS * u64::from(geometry.pages_per_program) * row,
            // By thresholds; and what overwrites without simulated time leave of victims is chosen anew first.
            _ => (CYCLES * u64::from(geometry.pages) * row).min(MOST_BYTES),
        };
        moving.saturating_add(cache.saturating_mul(2))
    }

    /// Of so many units those of whole requests after which each plane has had as many, at least one: what is written in sequence
    /// leaves planes in step.
    fn whole_turns(&self, device: &Device, units: u64) -> u64 {
        let geometry = device.ftl().geometry();
        let row = u64::from(geometry.planes()) * u64::from(geometry.units_per_program());
        let turn = row * u64::from(self.units_together());
        if units < turn { units.max(1) } else { units / turn * turn }
    }

    /// Overwrites pages until neither write amplification nor the flash pages of what is overwritten have a trend.
    pub(super) fn overwrite_until_stationary(
        &self,
        device: &mut Device,
        choice: &mut Overwriting<'_>,
        occupied: u32,
        settled: &mut Settled,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let window = self.whole_turns(device, u64::from(occupied / WINDOWS_FOR_ALL));
        settled.agrees = false;
        let mut watched = Counted::of(window * LOOKED_AT as u64, occupied);
        while settled.waf_of_windows.len() < MOST_WINDOWS && !settled.agrees && device.fault().is_none() {
            let before = device.units_erased();
            watched.at_least(window * (settled.waf_of_windows.len() as u64 + 1));
            if !device.overwrite(window, choice, &mut |more| watched.told(more, observer)) {
                return Err(RunError::Cancelled);
            }
            if let Some(error) = choice.error() {
                return Err(error.into());
            }
            let programmed = device.units_erased() - before;
            settled.waf_of_windows.push(programmed as f64 / window as f64);
            settled.pages_of_windows.extend(device.ftl_mut().old_pages_for_unit());
            let pages = &settled.pages_of_windows;
            settled.agrees = has_settled(&settled.waf_of_windows) && (pages.is_empty() || has_settled(pages));
        }
        Ok(())
    }
}
