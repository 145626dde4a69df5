//! A drive that is watched, and one whose pages are checked, does what any other does.
#![allow(missing_docs)]

use crate::common::random::*;
use crate::common::*;
use proptest::prelude::*;
use serde_json::Value;
use wordline_engine::array::Array;
use wordline_engine::config::array::{ArrayConfig, ArrayLayout, ArrayMember, MirrorServe};
use wordline_engine::config::cache::CacheConfig;
use wordline_engine::config::device::*;
use wordline_engine::config::nand_modes::{CacheModeConfig, CopybackConfig};
use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::Lpa;
use wordline_engine::probe::Probe;
use wordline_engine::stats::report::{CheckedReport, Report};
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup, Unobserved, replay};

/// Runs of reads of one unit each, with some other requests between them.
fn runs_of_reads(seed: u64, count: usize, unit: u64, bytes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    let (mut others, mut all) = (requests(seed, count, bytes).into_iter(), Vec::new());
    let (pace, mut time) = (1 + random.below(30_000), 0);
    // A small space makes reads meet at the same page.
    let units = if random.below(3) == 0 { (bytes / unit).min(50) } else { bytes / unit };
    while all.len() < count {
        for _ in 0..random.below(200) {
            time += random.below(pace);
            let (first, length) = if random.below(4) > 0 {
                (0, unit)
            } else {
                let first = random.below(unit);
                (first, 1 + random.below(unit - first))
            };
            let offset = random.below(units) * unit + first;
            all.push(HostRequest { time: Ns(time), op: HostOp::Read, offset, length, flow: 0, stream: 0 });
        }
        for request in others.by_ref().take(random.below(5) as usize) {
            time += random.below(pace);
            all.push(HostRequest { time: Ns(time), ..request });
        }
    }
    all
}

/// Wants to see everything, and does nothing with it.
struct Onlooker;

impl Probe for Onlooker {
    fn arrived(&mut self, _id: u64, _request: &HostRequest, _now: Ns) {}
    fn read(&mut self, _id: u64, _lpa: Lpa, _version: Option<u32>, _now: Ns) {}
    fn took_effect(&mut self, _id: u64, _lpa: Lpa, _now: Ns) {}
    fn completed(&mut self, _id: u64, _latency: Ns, _now: Ns) {}
}

/// What a run leaves: counts, what checked mode verified, the report.
type Left = ((u64, u64), Option<CheckedReport>, Value);

fn drive(setup: &Setup, watched: bool) -> Result<Device, RunError> {
    let mut drive = setup.prepare(&[])?;
    if watched {
        drive.set_probe(Box::new(Onlooker));
    }
    Ok(drive)
}

#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
fn run_once(setup: &Setup, requests: &[HostRequest], watched: bool) -> Result<Left, RunError> {
    let mut source = Listed(requests.to_vec());
    let outcome = match &setup.scheme.array {
        None => replay(setup, &mut drive(setup, watched)?, &mut source, &mut Unobserved)?,
        Some(config) => {
            let scheme = SchemeConfig { array: None, ..setup.scheme.clone() };
            let member = |number| {
                let seed = setup.seed.wrapping_add(u64::from(number));
                drive(&Setup { scheme: scheme.clone(), seed, ..setup.clone() }, watched)
            };
            let members = (0..config.members).map(member).collect::<Result<_, _>>()?;
            replay(setup, &mut Array::new(config, members), &mut source, &mut Unobserved)?
        }
    };
    let counts = (outcome.flash_operations, outcome.events);
    let checked = outcome.report.checked.clone();
    let report = Report { checked: None, ..outcome.report };
    Ok((counts, checked, serde_json::to_value(&report).unwrap()))
}

/// A drive that is watched, and others in checked mode and without, leave the same behind.
fn give_the_same_watched_or_not(setup: &Setup, requests: &[HostRequest]) -> Result<(), TestCaseError> {
    let expected = run_once(&Setup { kept: Kept::Checked, ..setup.clone() }, requests, true);
    for checked in [true, false] {
        match (
            run_once(&Setup { kept: Kept::of_checked(checked), ..setup.clone() }, requests, false),
            &expected,
        ) {
            (Ok(short), Ok(long)) => {
                prop_assert_eq!(short.0, long.0, "flash operations, events");
                prop_assert_eq!(first_difference("", &short.2, &long.2), None);
                prop_assert!(!checked || short.1 == long.1, "what was verified");
            }
            (short, long) => prop_assert_eq!(short.err(), long.as_ref().err().cloned()),
        }
    }
    Ok(())
}

/// Where two results differ first.
fn first_difference(at: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) if one.len() == other.len() => {
            one.iter().find_map(|(key, value)| {
                first_difference(&format!("{at}.{key}"), value, other.get(key).unwrap_or(&Value::Null))
            })
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => one
            .iter()
            .zip(other)
            .enumerate()
            .find_map(|(index, (one, other))| first_difference(&format!("{at}[{index}]"), one, other)),
        _ => (one != other).then(|| format!("{at}: {one} and {other}")),
    }
}

// Of two streams one runs out of space while the other has places left: it waits behind the first all the same.
#[test]
fn writes_of_streams_that_wait_for_space_give_the_same_watched_or_not() {
    for seed in 0..2 {
        let mut setup = setup(device(1, 1, 1, 1));
        (setup.device.geometry.blocks, setup.device.geometry.pages) = (32, 8);
        setup.device.capacity.overprovisioning = Some(0.2);
        setup.scheme.blocks.host_write_points = 2;
        setup.host = closed(16);
        setup.start = start(Occupancy::All, 0.0);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(seed + 1);
        let requests: Vec<HostRequest> = (0..900)
            .map(|_| {
                let stream = u16::from(random.below(8) == 0);
                HostRequest { stream, ..write(0, random.below(pages)) }
            })
            .collect();
        let stalled = run(&setup, &mut Listed(requests.clone())).unwrap().gc.stalled_units;
        assert!(stalled > 20, "{stalled}");
        give_the_same_watched_or_not(&setup, &requests).unwrap();
    }
}

// The last command of a read that was split is a read of one unit, but the host waits for the whole.
#[test]
fn commands_of_split_reads_among_reads_of_one_unit_give_the_same_watched_or_not() {
    for seed in 0..4 {
        let mut setup = setup(device(2, 1, 1, 1));
        setup.device.link.max_transfer_bytes = Some(4096);
        setup.host = closed(4);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(seed + 1);
        let requests: Vec<HostRequest> = (0..3000)
            .map(|_| {
                let length = if random.below(12) == 0 { 3 } else { 1 };
                request(0, HostOp::Read, random.below(pages - length), length)
            })
            .collect();
        give_the_same_watched_or_not(&setup, &requests).unwrap();
    }
}

/// Takes away optional parts of a drive, but for this cache and, unless the map is to be `whole` in DRAM, the map on flash; with
/// units that are `alone`, a flash page has one and is programmed alone.
fn without_options(setup: &mut Setup, cache: CacheConfig, whole: bool, alone: bool) {
    setup.device.cache_mode = CacheModeConfig::default();
    setup.device.channel.commands = CommandTaker::Die;
    setup.device.slc_mode = None;
    setup.scheme.cache = cache;
    if whole {
        let unmapped_reads = setup.scheme.mapping.unmapped_reads;
        setup.scheme.mapping = MappingConfig { unmapped_reads, ..MappingConfig::default() };
    }
    if alone {
        setup.device.geometry.mapping_unit_bytes = setup.device.geometry.page_bytes;
        setup.device.geometry.pages_per_program = 1;
        setup.device.copyback = CopybackConfig::default();
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn random_runs_give_the_same_watched_or_not(
        device in devices(),
        (scheme, systems) in (schemes(), prop::option::of(systems())),
        (plain, whole, alone) in (prop::bool::weighted(0.8), any::<bool>(), any::<bool>()),
        host in hosts(),
        (layout, overwrite) in (layouts(), 0.0..2.0f64),
        seed: u64,
        count in 1usize..600,
    ) {
        let start = StartConfig { layout, ..start(Occupancy::All, overwrite) };
        let mut setup = Setup { scheme, host, start, seed, ..setup(device) };
        if let Some((collision, hotr)) = systems {
            (setup.scheme.collision, setup.scheme.hotr) = (collision, hotr);
        }
        if plain {
            without_options(&mut setup, CacheConfig::default(), whole, alone);
            setup.scheme = only_read(setup.scheme);
        }
        let requests = match setup.prepare(&[]) {
            Ok(drive) => requests(seed, count, drive.logical_bytes()),
            Err(_) => return Ok(()),
        };
        give_the_same_watched_or_not(&setup, &requests)?;
    }

    // What a journal of the map has programmed comes in the midst of other work.
    #[test]
    fn drives_with_a_journal_of_the_map_give_the_same_watched_or_not(
        device in devices(),
        scheme in schemes(),
        (alone, entries, trims) in (any::<bool>(), (1u32..64, 4u32..32), 0u64..5),
        host in hosts(),
        (layout, overwrite) in (layouts(), 0.0..2.0f64),
        seed: u64,
        count in 1usize..600,
    ) {
        let start = StartConfig { layout, ..start(Occupancy::All, overwrite) };
        let mut setup = Setup { scheme, host, start, seed, ..setup(device) };
        without_options(&mut setup, CacheConfig::default(), true, alone);
        setup.scheme.mapping.policy = MappingKind::Journaled;
        setup.scheme = only_read(setup.scheme);
        let mapping = &mut setup.scheme.mapping;
        (mapping.journal_entry_bytes, mapping.translation_entry_bytes) = entries;
        let mut requests = match setup.prepare(&[]) {
            Ok(drive) => requests(seed, count, drive.logical_bytes()),
            Err(_) => return Ok(()),
        };
        let mut random = Random(seed);
        for request in &mut requests {
            if random.below(10) < trims {
                request.op = HostOp::Trim;
            }
        }
        give_the_same_watched_or_not(&setup, &requests)?;
    }

    // Drives with a write buffer, and gates that the read windows of an array close.
    #[test]
    fn drives_with_a_buffer_in_an_array_give_the_same_watched_or_not(
        device in devices(),
        (scheme, cache) in (schemes(), caches()),
        (members, window) in (prop::option::of(2u32..4), prop_oneof![Just(0), 1_000u64..3_000_000, 1_000_000u64..30_000_000]),
        points in write_points(),
        (whole, alone, joined) in (prop::bool::weighted(0.8), prop::bool::weighted(0.9), any::<bool>()),
        host in hosts(),
        (layout, overwrite) in (layouts(), 0.0..2.0f64),
        seed: u64,
        count in 1usize..600,
    ) {
        let start = StartConfig { layout, ..start(Occupancy::All, overwrite) };
        let mut setup = Setup { scheme, host, start, seed, ..setup(device) };
        without_options(&mut setup, cache, whole, alone);
        setup.scheme.blocks.host_write_points = points;
        setup.scheme = only_read(setup.scheme);
        if joined {
            setup.device.multi_plane.rule = MultiPlaneRule::SamePage;
        }
        let requests = match setup.prepare(&[]) {
            Ok(drive) => of_streams(requests(seed, count, drive.logical_bytes()), points),
            Err(_) => return Ok(()),
        };
        setup.scheme.array = members.map(|members| ArrayConfig {
            members,
            layout: ArrayLayout::Mirrored,
            of: ArrayMember::Drives,
            chunk_bytes: 4096,
            serve: MirrorServe::RoundRobin,
            read_window_ns: window,
        });
        give_the_same_watched_or_not(&setup, &requests)?;
    }

    #[test]
    fn runs_of_reads_give_the_same_watched_or_not(
        device in devices(),
        scheme in schemes(),
        host in hosts(),
        (layout, overwrite) in (layouts(), 0.0..2.0f64),
        (share, warmup, types) in (0.5..1.0f64, 0u64..100, 1usize..4),
        seed: u64,
        count in 1usize..900,
    ) {
        let occupancy = if share > 0.9 { Occupancy::All } else { Occupancy::Share(share) };
        let start = StartConfig { layout, ..start(occupancy, overwrite) };
        let mut setup = Setup { scheme, host, start, seed, ..setup(device) };
        setup.window.warmup_requests = warmup / 2;
        without_options(&mut setup, CacheConfig::default(), true, false);
        setup.scheme = only_read(setup.scheme);
        let read = setup.device.cell.read_ns[0];
        setup.device.cell.technology = CellTechnology::Tlc;
        setup.device.cell.read_ns = (0..3).map(|kind| read + 777 * (kind % types) as u64).collect();
        setup.device.cell.program_ns = vec![setup.device.cell.program_ns[0]; 3];
        let unit = u64::from(setup.device.geometry.mapping_unit_bytes);
        let requests = match setup.prepare(&[]) {
            Ok(drive) => runs_of_reads(seed, count, unit, drive.logical_bytes()),
            Err(_) => return Ok(()),
        };
        give_the_same_watched_or_not(&setup, &requests)?;
    }
}
