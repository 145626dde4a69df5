//! What is counted under callgrind on a drive that was prepared before, and parts that are counted alone: small, so that it takes
//! seconds.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use wordline_base::events::EventSet;
use wordline_engine::device::Device;
use wordline_engine::host::RequestSource;
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};
use wordline_trace::config::{SourceConfig, SyntheticConfig, TraceFormat};
use wordline_trace::fuzz::read_trace;

use crate::Failure;
use crate::drive::{LARGE, setup, source, uniform};

/// Blocks a plane of the drive that is counted on: 2 million pages on 128 dies.
const BLOCKS: u64 = 64;

/// Part of it that is overwritten beforehand.
const OVERWRITTEN: f64 = 0.5;

/// A run that is ready to start.
pub struct Ready {
    setup: Setup,
    device: Device,
    requests: Box<dyn RequestSource + Send>,
}

fn described() -> Result<Setup, Failure> {
    setup(LARGE, &[("device.geometry.blocks", BLOCKS)], 16, OVERWRITTEN)
}

/// Prepares the drive that is counted on and saves it: at full speed, not under callgrind, which takes fifty times as long.
///
/// # Errors
/// A file that can't be written.
pub fn prepare(drive: &Path) -> Result<(), Failure> {
    let setup = described()?;
    Ok(setup.save_drive(&setup.prepare(&[])?, &mut BufWriter::new(File::create(drive)?))?)
}

impl Ready {
    /// Uniform 4 KiB requests at queue depth 16, so many of them reads, nothing optional switched on, on the drive that was
    /// [prepared](prepare) as this file.
    pub fn new(drive: &Path, requests: u64, read_share: f64) -> Result<Self, Failure> {
        let setup = described()?;
        let device = setup.load_drive(&mut BufReader::new(File::open(drive)?))?;
        Self::on(setup, device, uniform(requests, read_share))
    }

    /// These requests on a drive.
    pub fn on(setup: Setup, device: Device, requests: SyntheticConfig) -> Result<Self, Failure> {
        let requests = source(&SourceConfig::Synthetic(requests), device.logical_bytes())?;
        Ok(Self { setup, device, requests })
    }

    /// Carries it out. Returns itself too, so that giving memory back is not counted.
    pub fn run(mut self) -> Result<(Self, u64), Failure> {
        let before = self.device.flash_operations();
        let outcome = replay(&self.setup, &mut self.device, self.requests.as_mut(), &mut Unobserved)?;
        Ok((self, outcome.flash_operations - before))
    }
}

/// Resources of the event set that is counted alone: those of the drive above, and its host's link.
const RESOURCES: usize = 160;

/// Times of service, ns.
const SERVICES: [u64; 8] = [200, 4_096, 50_000, 500_000, 53_000, 3_000_000, 75_000, 8_192];

/// Every resource with an event to come.
fn events() -> EventSet {
    let mut events = EventSet::new(RESOURCES);
    for resource in 0..RESOURCES {
        events.set(resource, Ns(resource as u64 * 1_009));
    }
    events
}

/// Handles so many events, each of which sets the next of its resource.
fn handle(mut events: EventSet, count: usize) -> EventSet {
    for number in 0..count {
        let first = events.first();
        events.take_first();
        let service = SERVICES.get(number % SERVICES.len()).copied().unwrap_or_default();
        events.set(first.resource(), Ns(first.time().0 + service));
    }
    events
}

/// A trace as text, in the simplest form: time, operation, byte and length.
fn trace(lines: u64) -> Vec<u8> {
    let mut text = String::from("time_ns,op,offset_bytes,length_bytes\n");
    for line in 0..lines {
        let (time, page) = (line * 123_457, line * 7_919 % (1 << 28));
        let op = if line % 3 == 0 { 'W' } else { 'R' };
        text.push_str(&format!("{time},{op},{},4096\n", page * 4096));
    }
    text.into_bytes()
}

/// Lines of the trace.
const LINES: u64 = 20_000;

/// What is counted by itself.
pub(crate) const PARTS: [&str; 2] = ["event_set", "trace_lines"];

/// Carries out one of [`PARTS`] in a function of its own, where callgrind counts.
///
/// # Errors
/// A part that there is not.
pub fn count(part: &str) -> Result<(), Failure> {
    match part {
        "event_set" => {
            std::hint::black_box(counted_event_set(events()));
            Ok(())
        }
        "trace_lines" => match counted_trace_lines(&trace(LINES))? {
            LINES => Ok(()),
            other => Err(format!("{other} requests of {LINES}").into()),
        },
        _ => Err(format!("allowed: {}", PARTS.join(", ")).into()),
    }
}

/// Where callgrind counts.
#[inline(never)]
pub(crate) fn counted_mixed(ready: Ready) -> Result<(Ready, u64), Failure> {
    ready.run()
}

#[inline(never)]
fn counted_event_set(events: EventSet) -> EventSet {
    handle(events, 200_000)
}

#[inline(never)]
fn counted_trace_lines(lines: &[u8]) -> Result<u64, Failure> {
    Ok(read_trace(TraceFormat::Wordline, lines, false)?)
}
