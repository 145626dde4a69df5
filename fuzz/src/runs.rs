//! Whole runs from bytes: a small drive, its policies and its requests, in checked mode, and the same run once more in two
//! parts with a snapshot between them.

use arbitrary::{Result as Taken, Unstructured};
use wordline_engine::config::measure::Until;
use wordline_engine::config::owned::SCHEME;
use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;
use wordline_engine::{Ending, Kept, RunError, Setup, Split, Stop, Unobserved, replay_in_parts};

use super::bounded::{is_small, refused};
use super::keys::KEYS;

/// A drive of 4 planes, whose keys are then changed.
pub const DEVICE: &str = "\
name = \"fuzzed\"
[geometry]
channels = 2
ways = 1
dies = 2
planes = 1
blocks = 24
pages = 8
page_bytes = 4096
mapping_unit_bytes = 4096
[capacity]
overprovisioning = 0.4
[cell]
technology = \"tlc\"
read_ns = [50_000]
program_ns = [500_000]
erase_ns = 3_000_000
[channel]
mega_transfers_per_s = 1000.0
read_command_ns = 200
program_command_ns = 200
erase_command_ns = 200
";

/// Most requests of a run.
const REQUESTS: usize = 400;

/// Carries out what the bytes say; returns whether a drive served requests to their end.
///
/// # Panics
/// When the drive contradicts itself, or the run in two parts gives another result.
pub fn read(bytes: &[u8]) -> bool {
    let Ok(Some((setup, requests, stop))) = run_of(&mut Unstructured::new(bytes)) else { return false };
    let whole = in_parts(&setup, &requests, None);
    if let Err(error) = &whole {
        refused(error);
    }
    if stop > 0 && setup.start.overwrite >= 0.0 {
        assert_eq!(in_parts(&setup, &requests, Some(stop)), whole, "in two parts, after {stop} requests");
    }
    whole.is_ok() && !requests.is_empty()
}

type Run = (Setup, Vec<HostRequest>, u64);

/// `None` for a drive that is refused, with a reason.
fn run_of(bytes: &mut Unstructured) -> Taken<Option<Run>> {
    let mut changes = Vec::new();
    for (key, values) in KEYS {
        // Most keys keep their defaults, so that the parts meet one another in all combinations.
        let choice = usize::from(bytes.arbitrary::<u8>()?);
        if let Some(value) = values.get(choice.wrapping_sub(1)) {
            changes.push(((*key).to_owned(), (*value).to_owned()));
        }
    }
    let (workload, mut drive): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|(key, _)| key.starts_with("workload"));
    leave_out_unread(&mut drive);
    let Ok(device) = Layer::from_toml("device", DEVICE) else { return Ok(None) };
    let (device, scheme) = match resolve_run(&device, &Layer::default(), &drive) {
        Ok(described) => described,
        Err(error) => {
            refused(&error.into());
            return Ok(None);
        }
    };
    let number = |key: &str| {
        workload.iter().find(|(name, _)| name == key).and_then(|(_, value)| value.parse::<f64>().ok())
    };
    let seed = bytes.arbitrary::<u8>()?.into();
    let mut setup = Setup { seed, kept: Kept::Checked, ..Setup::of(device, scheme) };
    setup.host.queue_depth = number("workload.queue_depth").map_or(8, |depth| depth as u32);
    setup.start.overwrite = number("workload.overwrite").unwrap_or(0.0);
    if number("workload.until_idle").is_some() {
        setup.measure.until = Until::Idle;
    }
    setup.measure.chips = number("workload.chips").is_some();
    setup.measure.interval_ns = number("workload.interval_ns").map_or(0, |ns| ns as u64);
    setup.measure.sample_ns = number("workload.sample_ns").map_or(0, |ns| ns as u64);
    let drive = match setup.validate().and_then(|()| setup.logical_bytes()) {
        Ok(drive) => drive,
        Err(error) => {
            refused(&error.into());
            return Ok(None);
        }
    };
    if !is_small(&setup) || drive == 0 {
        return Ok(None);
    }
    let stop = bytes.arbitrary::<u16>()?.into();
    Ok(Some((setup, requests(bytes, drive)?, stop)))
}

/// Takes keys out that what is chosen in their table doesn't read: nearly every drive would be refused for one.
fn leave_out_unread(changes: &mut Vec<(String, String)>) {
    for slot in SCHEME {
        let path = |key: &str| format!("scheme.{}.{key}", slot.table);
        let choice =
            changes.iter().find(|(key, _)| *key == path(slot.choice)).map(|(_, value)| value.clone());
        let chosen = choice.unwrap_or_else(|| slot.choices.first().copied().unwrap_or_default().to_owned());
        let unread: Vec<String> = slot
            .owned
            .iter()
            .filter(|(key, _)| !slot.reads(&chosen, key))
            .map(|(key, _)| path(key))
            .collect();
        changes.retain(|(key, _)| {
            !unread.iter().any(|path| {
                key.strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        });
    }
}

fn requests(bytes: &mut Unstructured, drive: u64) -> Taken<Vec<HostRequest>> {
    let (mut requests, mut time) = (Vec::new(), 0u64);
    while !bytes.is_empty() && requests.len() < REQUESTS {
        let op = match bytes.arbitrary::<u8>()? {
            0..=95 => HostOp::Read,
            96..=207 => HostOp::Write,
            208..=227 => HostOp::Trim,
            228..=243 => HostOp::WriteFua,
            _ => HostOp::Flush,
        };
        let offset = u64::from(bytes.arbitrary::<u16>()?) * 512 % drive;
        let length = (u64::from(bytes.arbitrary::<u8>()?) * 512).min(drive - offset);
        time += u64::from(bytes.arbitrary::<u8>()?) * 4_000;
        // Of the fewest streams that a drive may offer.
        let stream = (offset / 512 % 2) as u16;
        let (offset, length) = if op == HostOp::Flush { (0, 0) } else { (offset, length) };
        requests.push(HostRequest { time: Ns(time), op, offset, length, flow: 0, stream });
    }
    Ok(requests)
}

/// The result as text.
fn in_parts(setup: &Setup, requests: &[HostRequest], stop: Option<u64>) -> Result<String, RunError> {
    let mut drive = setup.prepare(&[])?;
    let mut saved: Option<Vec<u8>> = None;
    for after_requests in stop.into_iter().chain([u64::MAX]) {
        let mut save = Vec::new();
        let mut input = saved.as_deref();
        let resume = input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
        let stop = Stop { after_requests, ..Stop::default() };
        let split = Split { resume, stop, save: Some(&mut save), workload: "{}" };
        let mut source = Listed(requests.to_vec());
        match replay_in_parts(setup, &mut drive, &mut source, &mut Unobserved, split)? {
            Ending::Finished(outcome) => {
                let report = serde_json::to_string(&outcome.report).unwrap_or_default();
                return Ok(format!("{report} {} {}", outcome.events, outcome.flash_operations));
            }
            Ending::Stopped { .. } => saved = Some(save),
        }
        drive = setup.empty_drive()?;
    }
    Err(RunError::Cancelled)
}

/// Requests from a list.
struct Listed(Vec<HostRequest>);

impl RequestSource for Listed {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.append(&mut self.0);
        Ok(())
    }
}
