//! A small vocabulary for tests: drives in one line, requests in one line, and a record of what happened.
#![allow(dead_code, missing_docs)]
#![allow(clippy::unwrap_used, reason = "only tests call it")]

pub mod random;
pub mod replicator;

use std::sync::{Arc, Mutex};

use serde::Serialize;
use serde::de::DeserializeOwned;
pub use wordline_engine::Kept;
use wordline_engine::config::device::*;
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::config::owned::{HOST, SCHEME, Slot};
use wordline_engine::config::reclaim::{ReclaimConfig, ReclaimKind};
use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::config::{DeviceConfig, SchemeConfig};
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::ids::Lpa;
use wordline_engine::probe::Probe;
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;
use wordline_engine::{Ending, RunError, Setup, Split, Stop, Unobserved, replay_in_parts};

/// tR 50 µs, tPROG 500 µs, tERASE 3 ms, 1 GB/s (a 4 KiB page moves in 4,096 ns), no command time, no link.
pub fn device(channels: u32, ways: u32, dies: u32, planes: u32) -> DeviceConfig {
    DeviceConfig {
        name: "test".into(),
        description: String::new(),
        geometry: GeometryConfig {
            channels,
            ways,
            dies,
            planes,
            blocks: 32,
            pages: 16,
            page_bytes: 4096,
            spare_bytes: 0,
            mapping_unit_bytes: 4096,
            pages_per_program: 1,
        },
        capacity: CapacityConfig { overprovisioning: Some(0.3), user_bytes: None },
        cell: CellConfig {
            technology: CellTechnology::Slc,
            read_ns: vec![50_000],
            program_ns: vec![500_000],
            erase_ns: 3_000_000,
            page_types: vec![],
            first_pages: vec![],
        },
        channel: ChannelConfig {
            mega_transfers_per_s: 1000.0,
            width_bits: 8,
            read_command_ns: 0,
            read_command_extra_plane_ns: 0,
            program_command_ns: 0,
            program_command_extra_plane_ns: 0,
            erase_command_ns: 0,
            erase_command_extra_plane_ns: 0,
            transfer: TransferUnit::Requested,
            transfer_spare: false,
            arbitration: ChannelArbitration::CommandFirst,
            commands: CommandTaker::Die,
            program_data: ProgramData::Unit,
        },
        multi_plane: MultiPlaneConfig::default(),
        die: Default::default(),
        suspend: SuspendConfig::default(),
        link: LinkConfig::default(),
        slc_mode: None,
        cache_mode: Default::default(),
        copyback: Default::default(),
        errors: None,
        bad_blocks: None,
        cpu: Default::default(),
        energy: Default::default(),
        reads_only: false,
        rated: None,
        dram: Default::default(),
    }
}

pub const TR: u64 = 50_000;
pub const TPROG: u64 = 500_000;
pub const TERASE: u64 = 3_000_000;
pub const XFER: u64 = 4_096;

pub fn setup(device: DeviceConfig) -> Setup {
    Setup {
        host: HostConfig { arrivals: Arrivals::Open, ..HostConfig::default() },
        kept: Kept::Checked,
        ..Setup::of(device, SchemeConfig::default())
    }
}

/// The scheme without what its policies don't read, which would be refused.
pub fn only_read(scheme: SchemeConfig) -> SchemeConfig {
    only_chosen(scheme, SCHEME)
}

/// The same with a scheme of which every key is read.
pub fn only_what_is_read(setup: &Setup) -> Setup {
    Setup { scheme: only_read(setup.scheme.clone()), ..setup.clone() }
}

/// The host without what its policies don't read.
pub fn only_read_of_host(host: HostConfig) -> HostConfig {
    only_chosen(host, HOST)
}

fn only_chosen<T: Serialize + DeserializeOwned>(config: T, slots: &[Slot]) -> T {
    let Ok(mut whole) = serde_json::to_value(&config) else { return config };
    for slot in slots {
        let chosen = slot.chosen(&whole);
        if let Some(serde_json::Value::Object(table)) = whole.get_mut(slot.table) {
            table.retain(|key, _| slot.reads(&chosen, key));
        }
    }
    // What is no number JSON can't hold.
    serde_json::from_value(whole).unwrap_or(config)
}

pub fn closed(queue_depth: u32) -> HostConfig {
    HostConfig { arrivals: Arrivals::Closed, queue_depth, ..HostConfig::default() }
}

pub fn start(occupancy: Occupancy, overwrite: f64) -> StartConfig {
    StartConfig { occupancy, overwrite, ..StartConfig::default() }
}

/// A request in units of 4 KiB.
pub fn request(time: u64, op: HostOp, page: u64, pages: u64) -> HostRequest {
    HostRequest { time: Ns(time), op, offset: page * 4096, length: pages * 4096, flow: 0, stream: 0 }
}

pub fn read(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::Read, page, 1)
}

pub fn write(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::Write, page, 1)
}

/// Requests from a list.
pub struct Listed(pub Vec<HostRequest>);

impl RequestSource for Listed {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.append(&mut self.0);
        Ok(())
    }
}

/// Requests from a function of their number.
pub struct Made<F: FnMut(u64) -> HostRequest> {
    pub count: u64,
    pub next: u64,
    pub make: F,
}

pub fn made<F: FnMut(u64) -> HostRequest>(count: u64, make: F) -> Made<F> {
    Made { count, next: 0, make }
}

impl<F: FnMut(u64) -> HostRequest> RequestSource for Made<F> {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..(self.count - self.next).min(512) {
            batch.push((self.make)(self.next));
            self.next += 1;
        }
        Ok(())
    }
}

pub fn run(setup: &Setup, source: &mut dyn RequestSource) -> Result<Report, RunError> {
    wordline_engine::simulate(setup, source, &[], &mut Unobserved).map(|outcome| outcome.report)
}

/// What happened, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Arrived { id: u64, request: HostRequest, at: u64 },
    Read { id: u64, page: u32, version: Option<u32>, at: u64 },
    TookEffect { id: u64, page: u32, at: u64 },
    Completed { id: u64, latency: u64, at: u64 },
}

#[derive(Clone, Default)]
pub struct Record(pub Arc<Mutex<Vec<Event>>>);

impl Record {
    fn push(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }

    pub fn events(&self) -> Vec<Event> {
        self.0.lock().unwrap().clone()
    }

    /// Time of completion of each request, by its number.
    pub fn completions(&self) -> Vec<u64> {
        let mut done: Vec<_> = self
            .events()
            .iter()
            .filter_map(|event| match event {
                Event::Completed { id, at, .. } => Some((*id, *at)),
                _ => None,
            })
            .collect();
        done.sort_unstable();
        done.into_iter().map(|(_, at)| at).collect()
    }
}

impl Probe for Record {
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns) {
        self.push(Event::Arrived { id, request: *request, at: now.0 });
    }
    fn read(&mut self, id: u64, lpa: Lpa, version: Option<u32>, now: Ns) {
        self.push(Event::Read { id, page: lpa.0, version, at: now.0 });
    }
    fn took_effect(&mut self, id: u64, lpa: Lpa, now: Ns) {
        self.push(Event::TookEffect { id, page: lpa.0, at: now.0 });
    }
    fn completed(&mut self, id: u64, latency: Ns, now: Ns) {
        self.push(Event::Completed { id, latency: latency.0, at: now.0 });
    }
}

/// Replays requests on a prepared drive and returns the report and what happened.
pub fn record_on(
    setup: &Setup,
    mut device: Device,
    source: &mut dyn RequestSource,
) -> Result<(Report, Record), RunError> {
    let record = Record::default();
    device.set_probe(Box::new(record.clone()));
    let outcome = wordline_engine::replay(setup, &mut device, source, &mut Unobserved)?;
    Ok((outcome.report, record))
}

pub fn record(setup: &Setup, requests: Vec<HostRequest>) -> (Report, Record) {
    record_on(setup, setup.prepare(&[]).unwrap(), &mut Listed(requests)).unwrap()
}

/// Times at which these requests were completed.
pub fn completions(setup: &Setup, requests: Vec<HostRequest>) -> Vec<u64> {
    record(setup, requests).1.completions()
}

/// A small generator for tests: not the engine's own.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58476d1ce4e5b9);
        (mixed ^ (mixed >> 32)) % bound
    }
}

/// A read, a write or a TRIM of one page to four.
pub fn any_request(random: &mut Random, pages: u64) -> HostRequest {
    let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
    request(0, op, random.below(pages - 4), 1 + random.below(4))
}

/// The parts of response times make these up, to the nanosecond.
pub fn blame_adds_up(report: &Report) {
    for direction in [&report.read, &report.write] {
        let mean = &direction.blame.mean;
        assert_eq!(mean.total_ns.values().sum::<u128>(), mean.response_total_ns);
    }
}

/// The same drive nearly full, with read reclaim, suspensions and twelve requests at once.
pub fn stressed(mut setup: Setup) -> Setup {
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.device.suspend.program_ns = Some(10_000);
    setup.device.suspend.erase_ns = Some(10_000);
    setup.scheme.reclaim =
        ReclaimConfig { policy: ReclaimKind::Block, threshold: 8, ..ReclaimConfig::default() };
    setup.start = start(Occupancy::Share(0.9), 1.0);
    setup.host = closed(12);
    setup
}

/// The result of a run that is saved and goes on at each of these stops, as text.
pub fn in_parts(setup: &Setup, requests: &[HostRequest], stops: &[Stop]) -> Result<String, RunError> {
    let mut drive = setup.prepare(&[])?;
    let mut bytes: Option<Vec<u8>> = None;
    for stop in stops.iter().copied().chain([Stop::default()]) {
        let mut save = Vec::new();
        let mut input = bytes.as_deref();
        let resume = input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
        let split = Split { resume, stop, save: Some(&mut save), workload: "{\"name\":\"test\"}" };
        let mut source = Listed(requests.to_vec());
        match replay_in_parts(setup, &mut drive, &mut source, &mut Unobserved, split)? {
            Ending::Finished(outcome) => {
                let report = serde_json::to_string(&outcome.report).unwrap();
                return Ok(format!("{report}\n{} {}", outcome.events, outcome.flash_operations));
            }
            Ending::Stopped { .. } => bytes = Some(save),
        }
        drive = setup.empty_drive()?;
    }
    unreachable!("the last part ends with the run")
}

pub fn after(requests: u64) -> Stop {
    Stop { after_requests: requests, ..Stop::default() }
}
