//! An embedded drive answers as the drive of a run does, to the nanosecond, however it is asked.

use std::sync::{Arc, Mutex};

use wordline_base::rng::{below, stream};
use wordline_drive::{Completion, Drive, Request};
use wordline_engine::config::host::{Arrivals, HostConfig};
use wordline_engine::host::{HostRequest, RequestSource, SourceError};
use wordline_engine::ids::Lpa;
use wordline_engine::probe::Probe;
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;
use wordline_engine::{Setup, Unobserved, replay};

use crate::common::{CASES, answers, described, load};

/// The workload of a run.
struct Source(Vec<HostRequest>);

impl RequestSource for Source {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.append(&mut self.0);
        Ok(())
    }
}

/// Notes when each request of a run was answered.
#[derive(Clone, Default)]
struct Answered(Arc<Mutex<Vec<(u64, u64)>>>);

impl Probe for Answered {
    fn arrived(&mut self, _: u64, _: &HostRequest, _: Ns) {}

    fn read(&mut self, _: u64, _: Lpa, _: Option<u32>, _: Ns) {}

    fn took_effect(&mut self, _: u64, _: Lpa, _: Ns) {}

    fn completed(&mut self, id: u64, _: Ns, now: Ns) {
        self.0.lock().unwrap().push((id, now.0));
    }
}

fn run(setup: &Setup, requests: &[Request]) -> (Vec<(u64, u64)>, Report) {
    let host = HostConfig { arrivals: Arrivals::Open, ..HostConfig::default() };
    let setup = Setup { host, ..setup.clone() };
    let of = |request: &Request| {
        let Request { time, op, offset, length, stream, .. } = *request;
        HostRequest { time: Ns(time), op, offset, length, flow: 0, stream }
    };
    let mut source = Source(requests.iter().map(of).collect());
    let answered = Answered::default();
    let report = match &setup.scheme.array {
        None => {
            let mut device = setup.prepare(&[]).unwrap();
            device.set_probe(Box::new(answered.clone()));
            replay(&setup, &mut device, &mut source, &mut Unobserved).unwrap().report
        }
        // Nobody sees the requests of an array, but for their histograms.
        Some(config) => {
            let mut array = setup.prepare_array(config, &[], &mut Unobserved).unwrap();
            replay(&setup, &mut array, &mut source, &mut Unobserved).unwrap().report
        }
    };
    let times = std::mem::take(&mut *answered.0.lock().unwrap());
    (times, report)
}

/// Submits the requests at their times, one by one; before each the drive is advanced to other times as well.
fn one_by_one(drive: &mut Drive, requests: &[Request], seed: u64) -> Vec<Completion> {
    let mut random = stream(seed, "one by one");
    let mut done = Vec::new();
    for request in requests {
        while let Some(time) = drive.next_event().unwrap().filter(|&time| time <= request.time) {
            drive.advance(time).unwrap();
            done.extend(drive.completions().unwrap());
            if below(&mut random, 3) == 0 {
                break;
            }
        }
        drive
            .advance(request.time - u64::from(below(&mut random, 2)).min(request.time - drive.now()))
            .unwrap();
        drive.advance(request.time).unwrap();
        drive.submit(*request).unwrap();
    }
    done.extend(answers(drive));
    done
}

/// Submits some ahead, in arrays and not in order, and goes on with copies of the drive and with what was saved of it.
fn in_pieces(mut drive: Drive, requests: &[Request], seed: u64) -> Vec<Completion> {
    let mut random = stream(seed, "in pieces");
    let (mut done, mut left) = (Vec::new(), requests);
    while !left.is_empty() {
        let (now, later) = left.split_at(left.len().min(1 + below(&mut random, 60) as usize));
        // Those of one time keep their order.
        let mut mixed = now.to_vec();
        mixed.sort_by_key(|request| (request.time / 7919 % 5, request.time));
        drive.submit_all(&mixed).unwrap();
        left = later;
        let horizon = later.first().map_or(u64::MAX / 4, |next| next.time);
        for _ in 0..below(&mut random, 40) {
            let Some(time) = drive.next_event().unwrap().filter(|&time| time < horizon) else { break };
            drive.advance(time).unwrap();
        }
        drive = match below(&mut random, 4) {
            0 => drive.fork().unwrap(),
            1 => Drive::restore(&drive.save().unwrap()).unwrap(),
            _ => drive,
        };
        if below(&mut random, 2) == 0 {
            done.extend(drive.completions().unwrap());
        }
    }
    done.extend(answers(&mut drive));
    done
}

fn times(done: &[Completion]) -> Vec<(u64, u64)> {
    done.iter().map(|completion| (completion.request.tag, completion.time)).collect()
}

#[test]
fn completions_are_those_of_a_run_to_the_nanosecond() {
    for (number, case) in CASES.iter().enumerate() {
        for seed in [10 * number as u64, 10 * number as u64 + 1] {
            // What checked mode looks at takes half of the time.
            let checked = seed.is_multiple_of(2);
            let mut whole = described(case, seed).checked(checked).build().unwrap();
            let requests = load(&whole, seed, 300);
            let (by_run, report) = run(whole.setup(), &requests);
            let (mut single, pieces) = (whole.fork().unwrap(), whole.fork().unwrap());
            whole.submit_all(&requests).unwrap();
            let at_once = times(&answers(&mut whole));
            assert_eq!(at_once.len(), requests.len());
            if whole.setup().scheme.array.is_none() {
                assert_eq!(at_once, by_run, "{case:?}, seed {seed}: all ahead");
            }
            assert_eq!(times(&one_by_one(&mut single, &requests, seed)), at_once, "{case:?}, seed {seed}");
            assert_eq!(times(&in_pieces(pieces, &requests, seed)), at_once, "{case:?}, seed {seed}");
            assert_eq!(whole.audit().is_ok_and(|found| found.pages_audited > 0), checked);
            let mut counted = whole.statistics().unwrap().report;
            // What the run's own last step adds.
            counted.checked = report.checked.clone();
            let json = |report: &Report| serde_json::to_value(report).unwrap();
            assert_eq!(json(&counted), json(&report), "{case:?}, seed {seed}: statistics");
        }
    }
}
