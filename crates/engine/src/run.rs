//! A run: a drive is prepared, a workload replayed, the window measured, the drive audited.

mod reads;
mod rest;
mod settle;
mod split;
pub mod volume;

use crate::array::layout::array_bytes;
use crate::blocks::steady::{Collection, Plan};
use crate::config::host::FlowRules;
use crate::config::measure::Until;
use crate::config::run::{Occupancy, StartConfig, StartLayout};
use crate::config::{ConfigError, DeviceConfig, HostConfig, MeasureConfig, SchemeConfig, WindowConfig};
use crate::custom::Custom;
use crate::device::Device;
use crate::host::front::{Front, LOOK_AHEAD};
use crate::host::schedulers::HostPolicy;
use crate::host::{Flow, Flows, HostOp, HostRequest, HostSide, RequestSource, SourceError};
use crate::ids::Lpa;
use crate::snapshot::SnapshotError;
use crate::stats::report::Report;
use crate::stats::settled::Settled;
use crate::systems::SystemPolicy;
use crate::time::Ns;

pub use split::{Ending, Split, Stop};
use volume::Volume;

/// All that a run depends on beside its requests.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The drive.
    pub device: DeviceConfig,
    /// Its firmware.
    pub scheme: SchemeConfig,
    /// How requests arrive.
    pub host: HostConfig,
    /// What the drive holds before the first request.
    pub start: StartConfig,
    /// What is measured.
    pub window: WindowConfig,
    /// What is recorded beside the totals.
    pub measure: MeasureConfig,
    /// Seed of every random stream.
    pub seed: u64,
    /// Verify every read and audit the drive at the end.
    pub checked: bool,
    /// What the requests are by whose writes the drive is prepared, as text, where the state that they lead to isn't known as
    /// a formula.
    pub pattern: Option<String>,
}

/// Why a run gave no result. Each prints as one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RunError {
    /// A description holds what it may not.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The workload can't go on.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The observer asked to stop.
    #[error("stopped")]
    Cancelled,
    /// A request reaches beyond the drive.
    #[error("request {number} (from 0) covers bytes {offset} to {end}, beyond the drive's {bytes}")]
    OutOfRange {
        /// Request, counted from 0.
        number: u64,
        /// Its first byte.
        offset: u64,
        /// The byte behind its last.
        end: u128,
        /// Size of the drive.
        bytes: u64,
    },
    /// The warm-up took the whole workload.
    #[error(
        "nothing was measured: the warm-up of workload.window did not end within the workload's {requests} requests"
    )]
    NothingMeasured {
        /// Requests of the workload.
        requests: u64,
    },
    /// The drive can't go on, or checked mode found it inconsistent.
    #[error("the drive is inconsistent: {0}")]
    Inconsistent(String),
    /// A state can't be saved or loaded.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Watches a run from outside.
pub trait Observer {
    /// Called every few thousand requests, and while the drive is prepared (with no request done); `false` stops the run.
    fn progress(&mut self, requests_done: u64, simulated: Ns) -> bool;
}

/// Watches nothing.
pub struct Unobserved;

impl Observer for Unobserved {
    fn progress(&mut self, _requests_done: u64, _simulated: Ns) -> bool {
        true
    }
}

/// What a run leaves.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The measurements.
    pub report: Report,
    /// Flash pages read and programmed and blocks erased in the whole run: from the first request, warm-up included, to the end
    /// of the window.
    pub flash_operations: u64,
    /// Events of the same time.
    pub events: u64,
    /// Requests of the whole run.
    pub requests: u64,
}

/// Overwriting more than this part of a drive touches most 4 KiB pages of its tables, at a thousand entries each.
const DENSE: u64 = 1024;

/// Requests whose tables are fetched together.
pub(crate) const FETCHED_TOGETHER: u64 = 32;

/// Requests between two calls of the observer.
const OBSERVED_EVERY: u64 = 8192;

/// What came before the first request of a drive that is prepared.
#[derive(Default)]
pub struct Before<'a> {
    /// Requests whose writes are carried out, where the state that they lead to isn't known as a formula.
    pub pattern: Option<&'a mut dyn RequestSource>,
    /// Whether they wrote and never let the drive rest, so that its SLC cache is used up.
    pub never_rests: bool,
    /// Requests that the cache of the map saw.
    pub last: Option<&'a mut dyn RequestSource>,
}

impl Setup {
    /// Bytes that the host sees of this drive, or array.
    pub fn logical_bytes(&self) -> Result<u64, ConfigError> {
        logical_bytes(&self.device, &self.scheme)
    }

    /// Checks every description.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.device.validate().map_err(|e| e.under("device"))?;
        self.scheme.validate().map_err(|e| e.under("scheme"))?;
        self.host.validate().map_err(|e| e.under("workload.host"))?;
        self.start.validate().map_err(|e| e.under("workload.start"))?;
        if self.start.layout.is_scattered() && self.scheme.redundancy.is_on() {
            let (layout, allowed) = (self.start.layout.quoted(), "\"in_order\" beside scheme.redundancy");
            return Err(ConfigError::new("workload.start.layout", layout, allowed));
        }
        self.window.validate().map_err(|e| e.under("workload.window"))?;
        self.measure.validate().map_err(|e| e.under("workload.measure"))?;
        if let Some(array) = &self.scheme.array {
            array.member(&self.device, &self.scheme.firmware)?;
        }
        match self.measure.first_in_use().filter(|_| self.scheme.array.is_some()) {
            Some(key) => {
                let allowed = "left out beside scheme.array: only drives alone record it";
                Err(ConfigError::new(key, "set", allowed).under("workload.measure"))
            }
            None => Ok(()),
        }
    }

    /// The drive as it is before the first request. `footprint` lists the logical pages that the workload touches, in
    /// the order in which they shall be written; it is used for the occupancy of that name only.
    pub fn prepare(&self, footprint: &[Lpa]) -> Result<Device, RunError> {
        self.prepare_observed(footprint, &mut Unobserved)
    }

    /// The same, stopped when the observer asks for it: overwriting a large drive takes a while.
    pub fn prepare_observed(
        &self,
        footprint: &[Lpa],
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        self.prepare_with(Vec::new(), footprint, None, observer)
    }

    /// The same, for a drive with these systems behind those of the scheme. They are told of nothing that happens during
    /// preparation. `pattern` gives requests like those that the drive will keep getting: with a steady layout without a
    /// formula its writes are carried out; without it, or where it writes nothing, uniform ones.
    pub fn prepare_with(
        &self,
        own: Vec<SystemPolicy>,
        footprint: &[Lpa],
        pattern: Option<&mut dyn RequestSource>,
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        self.prepare_after(own, footprint, Before { pattern, ..Before::default() }, observer)
    }

    /// The same, with caches as what came before left them.
    pub fn prepare_after(
        &self,
        own: Vec<SystemPolicy>,
        footprint: &[Lpa],
        before: Before<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Device, RunError> {
        let Before { pattern, never_rests, last } = before;
        self.validate()?;
        let (mut device, systems) = self.new_drive(own)?;
        device.seed_errors(self.seed);
        let all = (device.logical_bytes() / u64::from(device.unit_bytes())) as u32;
        let occupied = match self.start.occupancy {
            Occupancy::All => all,
            Occupancy::None | Occupancy::Footprint => 0,
            Occupancy::Span => footprint.iter().map(|page| page.0 + 1).max().unwrap_or(0).min(all),
            Occupancy::Share(share) => (f64::from(all) * share).floor() as u32,
        };
        let carries_out = self.start.layout == StartLayout::Steady
            && occupied > 0
            && !self.has_steady_formula(pattern.is_none());
        device.fill_at_once(self.scheme.placement.order, occupied, self.layout_of(&device, carries_out));
        let pages = if self.start.occupancy == Occupancy::Footprint { footprint } else { &[] };
        device.fill(pages);
        device.store_map();
        let population = if pages.is_empty() { occupied } else { pages.len() as u32 };
        let overwrites = (f64::from(population) * self.start.overwrite).round() as u64;
        if carries_out || overwrites > u64::from(all) / DENSE {
            device.expect_dense();
        }
        let mut settled =
            Settled { formula: self.start.layout.is_scattered(), agrees: true, ..Settled::default() };
        if never_rests && occupied > 0 {
            device.use_slc_cache_untimed(true);
            settled.slc_cache_units = device.use_slc_cache(occupied, self.seed);
        }
        if carries_out {
            let mut overwriting = match pattern {
                Some(source) => device.overwriting_as(occupied, source),
                None => device.overwriting(occupied, &[], self.seed),
            };
            self.overwrite_until_stationary(&mut device, &mut overwriting, occupied, &mut settled, observer)?;
        }
        let mut overwriting = device.overwriting(occupied, pages, self.seed);
        if !device.overwrite(overwrites, &mut overwriting, &mut || observer.progress(0, Ns::ZERO)) {
            return Err(RunError::Cancelled);
        }
        device.use_slc_cache_untimed(false);
        device.close_untimed_places();
        device.keep_pace_untimed();
        device.note_map_on_flash();
        if let Some(last) = last {
            settled.map_accesses = device.use_map_cache(last, occupied)?;
        }
        device.note_settled(settled);
        systems.into_iter().for_each(|system| device.add_system(system));
        match device.fault() {
            Some(fault) => Err(RunError::Inconsistent(fault.to_owned())),
            None => Ok(device),
        }
    }

    /// The formula by which the drive is laid out, if by one. `more`: overwrites without simulated time follow.
    fn layout_of(&self, device: &Device, more: bool) -> Option<Plan> {
        let formula = Collection::of(&self.scheme.gc).unwrap_or(Collection::Greedy);
        let plan = |phased: bool| {
            let plan = device.steady_plan(formula, self.seed, !more && self.start.overwrite == 0.0);
            Plan { phased: phased && plan.phased, ..plan }
        };
        match self.start.layout {
            StartLayout::InOrder => None,
            StartLayout::Steady => Some(plan(true)),
            StartLayout::AtTrigger => Some(plan(false)),
        }
    }

    /// An empty drive with the policies that the scheme names, laid out for its systems and for these, which are given
    /// back: they are to be added when the drive is prepared.
    pub(crate) fn new_drive(
        &self,
        systems: Vec<SystemPolicy>,
    ) -> Result<(Device, Vec<SystemPolicy>), ConfigError> {
        let mut custom = Custom::new(&self.scheme.custom, self.seed)?;
        let mut all = crate::systems::of_scheme(&self.scheme, &self.device);
        all.append(&mut custom.systems);
        all.extend(systems);
        let start = |error: ConfigError| error.under("workload.start");
        all.iter().try_for_each(|system| system.get().check_start(&self.start).map_err(start))?;
        let mut device = Device::new_for(&self.device, &self.scheme, self.checked, self.seed, &all)?;
        custom.fill_slots(&mut device);
        Ok((device, all))
    }
}

/// Bytes that the host sees of a drive, or of an array of such drives.
pub fn logical_bytes(device: &DeviceConfig, scheme: &SchemeConfig) -> Result<u64, ConfigError> {
    device.validate().map_err(|e| e.under("device"))?;
    scheme.validate().map_err(|e| e.under("scheme"))?;
    let member = match &scheme.array {
        Some(array) => &array.member(device, &scheme.firmware)?,
        None => device,
    };
    let spare = member.bad_blocks.as_ref().map_or(0, |bad_blocks| bad_blocks.spare_blocks_per_plane);
    let blocks = member.geometry.blocks.saturating_sub(spare);
    let mut systems = crate::systems::of_scheme(scheme, member);
    systems.extend(Custom::new(&scheme.custom, 0)?.systems);
    let arranged = crate::arrange::Arrangement::new(member, scheme, &systems, blocks)?;
    let drive = u64::from(arranged.plan.map.logical_units) * u64::from(arranged.geometry.unit_bytes);
    Ok(scheme.array.as_ref().map_or(drive, |array| array_bytes(array, drive)))
}

/// Prepares a drive and replays a workload on it.
pub fn simulate(
    setup: &Setup,
    source: &mut dyn RequestSource,
    footprint: &[Lpa],
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    match &setup.scheme.array {
        Some(config) => {
            let mut array = setup.prepare_array(config, footprint, observer)?;
            replay(setup, &mut array, source, observer)
        }
        None => {
            let mut device = setup.prepare_observed(footprint, observer)?;
            replay(setup, &mut device, source, observer)
        }
    }
}

/// Replays a workload on a drive, or an array, that is prepared.
pub fn replay<V: Volume>(
    setup: &Setup,
    device: &mut V,
    source: &mut dyn RequestSource,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    replay_in_parts(setup, device, source, observer, Split::default())?.finished()
}

/// [`replay`] as a part of a run: it may go on from a snapshot, and stop to be saved. `device` is prepared, or, where the
/// run goes on, new ([`Setup::empty_drive`], with the policies of a user's own).
pub fn replay_in_parts<V: Volume>(
    setup: &Setup,
    device: &mut V,
    source: &mut dyn RequestSource,
    observer: &mut dyn Observer,
    split: Split<'_>,
) -> Result<Ending, RunError> {
    if setup.host.max_inside > 0 || setup.scheme.cache.max_writes > 0 {
        // Something may wait at the host behind its queue.
        let rules = FlowRules::of_host("", &setup.host);
        return replay_flows_in_parts(setup, device, vec![Flow { rules, source }], None, observer, split);
    }
    device.set_flows(Vec::new());
    replay_host(setup, device, Front::new(source, setup.host.clone()), observer, &[], split)
}

/// Replays several flows on a drive that is prepared. Of `setup.host` count its bounds, its arbitration and its
/// scheduler, in whose place `scheduler` goes if given.
pub fn replay_flows<V: Volume>(
    setup: &Setup,
    device: &mut V,
    flows: Vec<Flow<'_>>,
    scheduler: Option<HostPolicy>,
    observer: &mut dyn Observer,
) -> Result<Outcome, RunError> {
    replay_flows_in_parts(setup, device, flows, scheduler, observer, Split::default())?.finished()
}

/// The same as a part of a run: it may go on from a snapshot, and stop to be saved.
pub fn replay_flows_in_parts<V: Volume>(
    setup: &Setup,
    device: &mut V,
    flows: Vec<Flow<'_>>,
    scheduler: Option<HostPolicy>,
    observer: &mut dyn Observer,
    split: Split<'_>,
) -> Result<Ending, RunError> {
    let rules: Vec<FlowRules> = flows.iter().map(|flow| flow.rules.clone()).collect();
    let scheduler = scheduler.unwrap_or_else(|| HostPolicy::new(&setup.host.scheduler, &rules));
    let host = Flows::new(&setup.host, flows, scheduler).map_err(|error| error.under("workload"))?;
    let host = host.with_most_writes(setup.scheme.cache.max_writes);
    device.set_flows(rules.iter().map(|flow| (flow.name.clone(), flow.stream)).collect());
    replay_host(setup, device, host, observer, &rules, split)
}

/// Replays what a host gives.
fn replay_host<H: HostSide, V: Volume>(
    setup: &Setup,
    device: &mut V,
    front: H,
    observer: &mut dyn Observer,
    rules: &[FlowRules],
    split: Split<'_>,
) -> Result<Ending, RunError> {
    let drive_bytes = device.logical_bytes();
    let warmup = Warmup::new(&setup.window, drive_bytes);
    let stop = split.stop;
    let mut replay = Replay {
        front,
        warmup,
        drive_bytes,
        device,
        observer,
        number: 0,
        done: 0,
        window_open: false,
        until: setup.measure.until,
        is_answered: false,
        report: None,
        stop,
        attempts: reads::Attempts::default(),
    };
    let identity = split.identity(setup, rules)?;
    match split.resume {
        Some(input) => replay.restore(&identity, input)?,
        None => replay.device.measure(&setup.measure),
    }
    if !replay.run()? {
        if let Some(out) = split.save {
            replay.save(&identity, out)?;
        }
        return Ok(Ending::Stopped { requests: replay.number, time: replay.device.now() });
    }
    let requests = replay.done;
    let mut report = match replay.report.take() {
        Some(report) => report,
        // A workload without requests has an empty window.
        None if requests == 0 => replay.device.report(),
        None => return Err(RunError::NothingMeasured { requests }),
    };
    report.evidence.open = if rules.is_empty() {
        setup.host.arrivals.has_times()
    } else {
        rules.iter().any(|flow| flow.arrivals.has_times())
    };
    let (flash_operations, events) = (replay.device.flash_operations(), replay.device.events_processed());
    let mut outcome = Outcome { report, flash_operations, events, requests };
    // At the end of a drive's life requests are under way: there is no drive at rest to audit.
    if setup.checked && outcome.report.end_of_life.is_none() {
        replay.come_to_rest()?;
        device.close_untimed_places();
        outcome.report.checked = Some(device.audit().map_err(RunError::Inconsistent)?);
    }
    Ok(Ending::Finished(Box::new(outcome)))
}

/// What must pass before the window opens.
pub(crate) struct Warmup {
    time: Ns,
    requests: u64,
    bytes: u64,
    pub(crate) written: u64,
}

impl Warmup {
    pub(crate) fn new(config: &WindowConfig, drive_bytes: u64) -> Self {
        Self {
            time: Ns(config.warmup_ns),
            requests: config.warmup_requests,
            bytes: (drive_bytes as f64 * config.warmup_drive_writes) as u64,
            written: 0,
        }
    }

    pub(crate) fn is_over(&self, now: Ns, number: u64) -> bool {
        now >= self.time && number >= self.requests && self.written >= self.bytes
    }
}

struct Replay<'a, H, V> {
    front: H,
    warmup: Warmup,
    drive_bytes: u64,
    device: &'a mut V,
    observer: &'a mut dyn Observer,
    number: u64,
    done: u64,
    window_open: bool,
    until: Until,
    /// Whether the last request of the workload has its answer.
    is_answered: bool,
    report: Option<Report>,
    stop: Stop,
    attempts: reads::Attempts,
}

impl<H: HostSide, V: Volume> Replay<'_, H, V> {
    /// Returns whether the run has ended; otherwise it stopped.
    fn run(&mut self) -> Result<bool, RunError> {
        let mut observe_at = self.done + OBSERVED_EVERY;
        loop {
            self.serve_reads(&mut observe_at)?;
            let (event, gives_way) = self.device.next_event();
            let arrival = self.front.next_time(self.device.now())?;
            if arrival == Ns::NEVER && self.has_last_answer() {
                self.is_answered = true;
                break;
            }
            let wake = self.device.wake_at();
            // The drive's own events go before an arrival at the same time, but for the choices of channels.
            if wake < event && wake <= arrival && (event != Ns::NEVER || arrival != Ns::NEVER) {
                self.device.wake();
            } else if arrival < event || (gives_way && arrival == event && event != Ns::NEVER) {
                self.submit(arrival)?;
            } else if event == Ns::NEVER {
                if !self.device.place_stalled_anew() {
                    break;
                }
            } else {
                self.device.advance(arrival);
            }
            self.check()?;
            if self.device.has_ended() {
                self.report = Some(self.device.report());
                return Ok(true);
            }
            let completed = self.device.take_completed();
            if completed > 0 {
                if let Some(answered) = self.front.answered() {
                    self.device.take_answered(answered);
                }
                self.front.completed(completed, self.device.now())?;
                self.done += u64::from(completed);
                if self.done >= observe_at {
                    observe_at = self.done + OBSERVED_EVERY;
                    if !self.observer.progress(self.done, self.device.now()) {
                        return Err(RunError::Cancelled);
                    }
                }
            }
            let stops = self.number >= self.stop.after_requests || (completed > 0 && self.stops_now());
            // A run whose last answer is there goes on to its end.
            if stops && !self.has_last_answer() {
                return Ok(false);
            }
        }
        self.end()
    }

    /// Whether nothing of the workload is left to be answered.
    #[inline]
    fn has_last_answer(&self) -> bool {
        self.done == self.number && self.front.is_at_end()
    }

    /// No request is left to be answered, or none of those that are left can be.
    fn end(&mut self) -> Result<bool, RunError> {
        if self.is_answered && self.until == Until::Idle {
            self.go_on_until_idle()?;
        }
        self.observer.progress(self.done, self.device.now());
        self.check()?;
        if self.done == self.number {
            if self.window_open {
                self.report = Some(self.device.report());
            }
            return Ok(true);
        }
        if self.device.ends_for_want_of_space() {
            self.report = Some(self.device.report());
            return Ok(true);
        }
        let left = self.number - self.done;
        Err(RunError::Inconsistent(format!("{left} requests wait for free space that no collection can win")))
    }

    #[inline]
    fn check(&self) -> Result<(), RunError> {
        if self.device.fault().is_some() { Err(self.fault()) } else { Ok(()) }
    }

    #[cold]
    fn fault(&self) -> RunError {
        RunError::Inconsistent(self.device.fault().unwrap_or_default())
    }

    fn submit(&mut self, now: Ns) -> Result<(), RunError> {
        if self.number.is_multiple_of(FETCHED_TOGETHER) {
            fetch_ahead(&*self.device, |ahead| self.front.likely(ahead));
        }
        let taken = self.front.take(now, self.number, &*self.device)?;
        let Some((request, arrival)) = taken else { return Ok(()) };
        self.check_range(&request)?;
        if !self.window_open && self.warmup.is_over(arrival, self.number) {
            self.window_open = true;
            self.device.open_window_at(now, self.number);
        }
        if request.op.is_write() {
            self.warmup.written += request.length;
        }
        self.device.submit(&request, self.number, arrival, now, self.window_open);
        self.number += 1;
        Ok(())
    }

    #[inline]
    fn check_range(&self, request: &HostRequest) -> Result<(), RunError> {
        let end = request.offset.checked_add(request.length);
        if end.is_some_and(|end| end <= self.drive_bytes) || request.op == HostOp::Flush {
            return Ok(());
        }
        Err(self.out_of_range(request))
    }

    #[cold]
    fn out_of_range(&self, request: &HostRequest) -> RunError {
        let end = u128::from(request.offset) + u128::from(request.length);
        RunError::OutOfRange { number: self.number, offset: request.offset, end, bytes: self.drive_bytes }
    }
}

/// Brings what coming requests need towards the caches, some requests at once: a fetch whose address translation must be
/// looked up holds the processor for as long as several of them together. The first stage is for the last of those known, the
/// second for those for which the first was last time.
pub(crate) fn fetch_ahead<'a, V: Volume>(volume: &V, coming: impl Fn(usize) -> Option<&'a HostRequest>) {
    let [first, second] = [1, 2].map(|stage| LOOK_AHEAD - stage * FETCHED_TOGETHER as usize);
    volume.prefetch((first..LOOK_AHEAD).filter_map(&coming));
    volume.prefetch_looked_up((second..first).filter_map(&coming));
}
