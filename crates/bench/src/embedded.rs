//! What a request costs that is submitted to an embedded drive, beyond the run of the same load inside the engine.

use std::time::Instant;

use wordline_drive::{Drive, Op, Request};
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};

use crate::Failure;
use crate::drive::{LARGE, setup};
use crate::measure::{Goal, median, report};

const REQUESTS: u64 = 1_000_000;

/// Requests that are submitted together, where many are.
const TOGETHER: usize = 1024;

/// Time between two arrivals of reads and of writes, ns: the drive keeps up with them, the small one while it collects.
const APART: [u64; 2] = [1_000, 100_000];

/// Times that each side is measured, in turn.
const ROUNDS: usize = 5;

/// The most that a request may cost beyond the run, ns.
const MOST: f64 = 100.0;

/// Random reads and writes of a page, on a small and on a large drive.
///
/// # Errors
/// A run that fails.
pub fn run_all() -> Result<(), Failure> {
    println!("a request to an embedded drive: ns beyond the run of the same load inside");
    for (name, blocks) in [("16 GiB", 128), ("1 TiB", 8192)] {
        for (op, what, apart) in [(Op::Read, "reads", APART[0]), (Op::Write, "writes", APART[1])] {
            compare(&format!("{name}: random {what}"), blocks, op, apart)?;
        }
    }
    Ok(())
}

type Way = fn(&mut Drive, &[Request]) -> Result<u64, Failure>;

fn compare(name: &str, blocks: u64, op: Op, apart: u64) -> Result<(), Failure> {
    let mut setup = setup(LARGE, &[("device.geometry.blocks", blocks)], 16, 0.0)?;
    setup.host = HostConfig { arrivals: Arrivals::Open, ..HostConfig::default() };
    let device = setup.prepare(&[])?;
    let requests = load(&device, op, apart);
    let ways: [(&str, Way); 2] = [("in arrays", in_arrays), ("one by one", one_by_one)];
    let mut inside = Vec::new();
    let mut beyond = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let (run, end) = inside_ns(&setup, &device, &requests)?;
        inside.push(run);
        for ((_, way), found) in ways.iter().zip(&mut beyond) {
            let mut drive = Drive::of_device(setup.clone(), device.fork()?);
            let started = Instant::now();
            if way(&mut drive, &requests)? != REQUESTS || drive.now() != end {
                return Err("the embedded drive and the run have not the same answers".into());
            }
            found.push(started.elapsed().as_secs_f64() * 1e9 / REQUESTS as f64 - run);
        }
    }
    report(&format!("{name}: the run inside"), median(inside), "ns a request", Goal::None);
    for ((way, _), found) in ways.iter().zip(beyond) {
        report(
            &format!("    {way}: beyond that"),
            median(found).max(0.1),
            "ns a request",
            Goal::AtMost(MOST),
        );
    }
    Ok(())
}

fn load(device: &Device, op: Op, apart: u64) -> Vec<Request> {
    let pages = device.logical_bytes() / 4096;
    let mut state = 7_u64;
    (0..REQUESTS)
        .map(|tag| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let page = ((u128::from(state) * u128::from(pages)) >> 64) as u64;
            Request::new(tag * apart, op, page * 4096, 4096).tagged(tag)
        })
        .collect()
}

/// The requests as a run draws them.
struct Source<'a>(std::slice::Chunks<'a, Request>);

impl RequestSource for Source<'_> {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.extend(self.0.next().unwrap_or_default().iter().map(|request| {
            let Request { time, op, offset, length, tag: _, stream } = *request;
            let op: HostOp = op;
            HostRequest { time: Ns(time), op, offset, length, flow: 0, stream }
        }));
        Ok(())
    }
}

/// ns for each request of the run, and when it ended.
fn inside_ns(setup: &Setup, device: &Device, requests: &[Request]) -> Result<(f64, u64), Failure> {
    let mut device = device.fork()?;
    let mut source = Source(requests.chunks(TOGETHER));
    let started = Instant::now();
    replay(setup, &mut device, &mut source, &mut Unobserved)?;
    Ok((started.elapsed().as_secs_f64() * 1e9 / requests.len() as f64, device.now().0))
}

fn in_arrays(drive: &mut Drive, requests: &[Request]) -> Result<u64, Failure> {
    let mut answered = 0;
    for some in requests.chunks(TOGETHER) {
        drive.submit_all(some)?;
        // Some stay known ahead, as in a run.
        let until = some.len().saturating_sub(TOGETHER / 8);
        drive.advance(some.get(until).map_or(0, |request| request.time))?;
        answered += drive.completions()?.count() as u64;
    }
    drive.drain()?;
    Ok(answered + drive.completions()?.count() as u64)
}

fn one_by_one(drive: &mut Drive, requests: &[Request]) -> Result<u64, Failure> {
    let mut answered = 0;
    for request in requests {
        drive.advance(request.time)?;
        answered += drive.completions()?.count() as u64;
        drive.submit(*request)?;
    }
    drive.drain()?;
    Ok(answered + drive.completions()?.count() as u64)
}
