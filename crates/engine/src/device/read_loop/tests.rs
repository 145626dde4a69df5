//! What only a look inside shows: that checked mode finds what is wrong, and that the loop is entered and left at all.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use crate::config::run::{Occupancy, StartConfig};
use crate::config::{HostConfig, Layer, MeasureConfig, WindowConfig, resolve_run};
use crate::device::Device;
use crate::host::{HostOp, HostRequest, RequestSource, SourceError};
use crate::ids::Lpa;
use crate::probe::Probe;
use crate::run::{RunError, Setup, Unobserved, replay};
use crate::time::Ns;

struct Listed(Vec<HostRequest>);

impl RequestSource for Listed {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        batch.append(&mut self.0);
        Ok(())
    }
}

struct Onlooker;

impl Probe for Onlooker {
    fn arrived(&mut self, _id: u64, _request: &HostRequest, _now: Ns) {}
    fn read(&mut self, _id: u64, _lpa: Lpa, _version: Option<u32>, _now: Ns) {}
    fn took_effect(&mut self, _id: u64, _lpa: Lpa, _now: Ns) {}
    fn completed(&mut self, _id: u64, _latency: Ns, _now: Ns) {}
}

/// MQSim's drive with two dies and 32 blocks a plane, full, in checked mode.
fn setup(queue_depth: u32) -> Setup {
    let device = include_str!("../../../../../presets/devices/mqsim.toml");
    let overrides = [
        ("device.geometry.channels", "1"),
        ("device.geometry.ways", "1"),
        ("device.geometry.blocks", "32"),
        ("device.geometry.pages", "16"),
        ("device.capacity.overprovisioning", "0.3"),
    ];
    let overrides = overrides.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let layer = |text| Layer::from_toml("test", text).unwrap();
    let (device, scheme) = resolve_run(&layer(device), &layer(""), &overrides).unwrap();
    Setup {
        device,
        scheme,
        host: HostConfig { queue_depth, ..HostConfig::default() },
        start: StartConfig { occupancy: Occupancy::All, ..StartConfig::default() },
        window: WindowConfig::default(),
        measure: MeasureConfig::default(),
        seed: 1,
        checked: true,
        pattern: None,
    }
}

/// So many requests, one unit each, of which every `writes`th is a write.
fn requests(count: u64, writes: u64) -> Listed {
    let request = |number: u64| HostRequest {
        time: Ns::ZERO,
        op: if number % writes == writes - 1 { HostOp::Write } else { HostOp::Read },
        offset: number * 37 % 900 * 8192,
        length: 8192,
        flow: 0,
        stream: 0,
    };
    Listed((0..count).map(request).collect())
}

fn fault_of(mut drive: Device, setup: &Setup) -> RunError {
    replay(setup, &mut drive, &mut requests(500, 501), &mut Unobserved).unwrap_err()
}

#[test]
fn checked_mode_finds_a_wrong_page_where_the_slow_path_does() {
    for queue_depth in [1, 16] {
        let setup = setup(queue_depth);
        let forged = || {
            let mut drive = setup.prepare(&[]).unwrap();
            let ppa = drive.lookup(Lpa(333));
            drive.oob.set(ppa, Lpa(5));
            drive
        };
        let mut watched = forged();
        watched.set_probe(Box::new(Onlooker));
        let fault = fault_of(watched, &setup);
        assert!(fault.to_string().contains("found Lpa(5) in the OOB"), "{fault}");
        assert_eq!(fault_of(forged(), &setup), fault);
    }
}

#[test]
fn reads_enter_the_loop_and_leave_nothing_in_it() {
    for (writes, queue_depth) in [(1000, 1), (1000, 32), (60, 16)] {
        let setup = setup(queue_depth);
        let mut drive = setup.prepare(&[]).unwrap();
        replay(&setup, &mut drive, &mut requests(900, writes), &mut Unobserved).unwrap();
        let reads = drive.read_loop.as_ref().unwrap();
        assert!(reads.base > Ns::ZERO, "it was left once");
        assert!(reads.dies.iter().all(|die| die.load == 0 && die.waiting.is_empty() && die.area == 0));
        assert!(reads.channels.iter().all(|channel| channel.granted == 0 && channel.first == super::NONE));
        assert!(reads.link.iter().all(|link| link.is_empty()));
    }
}
