//! Random drives, policies and workloads against a naive drive: a map from logical page to version.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use crate::common::random::*;
use crate::common::replicator::Replicator;
use crate::common::*;
use proptest::prelude::*;
use wordline_engine::config::block_map::{BlockMapConfig, BlockMapKind};
use wordline_engine::config::device::*;
use wordline_engine::config::firmware::CpuConfig;
use wordline_engine::config::reclaim::HostAccess;
use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::config::scheme::*;
use wordline_engine::config::separation::{SeparationConfig, SeparationKind};
use wordline_engine::config::slc_cache::SlcCacheConfig;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::DomainId;
use wordline_engine::nand::CellMode;
use wordline_engine::{RunError, Setup, Stop, Unobserved};

/// What the naive drive knows of a page: its version before the first request, once a read has shown it, how many
/// writes and TRIMs took effect since, and whether it holds data.
#[derive(Clone, Copy, Default)]
struct Page {
    first: Option<u32>,
    changes: u32,
    holds_data: Option<bool>,
}

/// Pages that a request touches, those that two of its commands share twice.
fn touched_by(request: &HostRequest, unit: u64, most: Option<u64>) -> Vec<u32> {
    let HostRequest { op, offset, length, .. } = *request;
    let end = offset + length;
    match op {
        HostOp::Flush => vec![],
        HostOp::Trim => (offset.div_ceil(unit) as u32..(end / unit) as u32).collect(),
        _ => (offset..end)
            .step_by(most.unwrap_or(length) as usize)
            .flat_map(|first| {
                let end = most.map_or(end, |most| end.min(first + most));
                (first / unit) as u32..end.div_ceil(unit) as u32
            })
            .collect(),
    }
}

/// Replays the record: every read must have seen the newest version at the moment of its cell read, that moment lies
/// within its request, and a write or TRIM takes effect within its own.
fn agrees_with_the_naive_drive(
    events: &[Event],
    setup: &Setup,
    allocates: bool,
) -> Result<(), TestCaseError> {
    let unit = u64::from(setup.device.geometry.mapping_unit_bytes);
    let most = setup.device.link.max_transfer_bytes;
    let mut pages: BTreeMap<u32, Page> = BTreeMap::new();
    let mut open: BTreeMap<u64, (HostRequest, u64)> = BTreeMap::new();
    let mut seen: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for &event in events {
        match event {
            Event::Arrived { id, request, at } => {
                prop_assert!(open.insert(id, (request, at)).is_none());
            }
            Event::Read { id, page, version, .. } => {
                prop_assert!(open.contains_key(&id), "a read outside its request");
                let known = pages.entry(page).or_default();
                if let Some(version) = version {
                    let first = *known.first.get_or_insert(version.saturating_sub(known.changes));
                    prop_assert_eq!(version, first + known.changes);
                    prop_assert!(
                        allocates || known.holds_data != Some(false),
                        "data of a page that was trimmed"
                    );
                } else {
                    prop_assert_ne!(known.holds_data, Some(true), "zeros for a page that holds data");
                }
                seen.entry(id).or_default().push(page);
            }
            Event::TookEffect { id, page, .. } => {
                let Some((request, _)) = open.get(&id) else {
                    return Err(TestCaseError::fail("outside its request"));
                };
                let known = pages.entry(page).or_default();
                known.changes += 1;
                known.holds_data = Some(request.op.is_write());
                seen.entry(id).or_default().push(page);
            }
            Event::Completed { id, latency, at } => {
                let Some((request, arrived)) = open.remove(&id) else {
                    return Err(TestCaseError::fail("twice"));
                };
                prop_assert!(at - arrived <= latency, "the latency covers at least the time in the drive");
                let mut touched = seen.remove(&id).unwrap_or_default();
                touched.sort_unstable();
                prop_assert_eq!(touched, touched_by(&request, unit, most), "{:?}", request);
            }
        }
    }
    prop_assert!(open.is_empty(), "every request is served");
    Ok(())
}

proptest! {
    // What goes wrong between two features shows in one of some hundred drives.
    #![proptest_config(at_least(3_000))]
    #[test]
    fn random_drives_agree_with_a_naive_drive(
        device in devices(),
        scheme in schemes(),
        cores in 1u32..4,
        firmware in firmware(),
        ideal in ideals(),
        ((reclaim, wear, background, separation), points, persistent) in (upkeep(), write_points(), any::<bool>()),
        (replicator, (slc_cache, idle_after_ns), (collision, hotr)) in (replicators(), slc_caches(), systems()),
        host in hosts(),
        occupancy in occupancies(),
        (layout, overwrite) in (layouts(), prop_oneof![Just(0.0), 0.0..3.0f64]),
        seed: u64,
        count in 1usize..400,
    ) {
        let device = DeviceConfig { cpu: CpuConfig { cores }, ..device };
        let copies = collision.enabled || hotr.enabled;
        let slc_cache =
            if device.slc_mode.is_some() && !copies { slc_cache } else { SlcCacheConfig::default() };
        let maintenance = MaintenanceConfig { idle_after_ns };
        let ideal = fitting(ideal, &device);
        let mut scheme = SchemeConfig { firmware, ideal, reclaim, wear, slc_cache, maintenance, ..scheme };
        (scheme.collision, scheme.hotr) = (collision, hotr);
        scheme.gc.background = background;
        let pauses = scheme.gc.pace.is_some() || scheme.gc.background.is_some() || scheme.slc_cache.is_on();
        if scheme.gc.choices.is_multiple_of(2) && !pauses {
            scheme.gc.host_access = HostAccess::Wait;
        }
        scheme.separation = SeparationConfig { policy: separation.0, separate_hot_moves: separation.1, decay_writes: 50, ..Default::default() };
        scheme.blocks.host_write_points =
            if separation.0 == SeparationKind::HotCold { points.max(2) } else { points };
        isolate(&mut scheme, persistent);
        let scheme = only_read(scheme);
        let start = StartConfig { layout, ..start(occupancy, overwrite) };
        let setup = Setup { scheme, host, start, seed, ..setup(device) };
        let systems = replicator.iter().map(Replicator::policy).collect();
        let mut drive = match setup.prepare_with(systems, &[], None, &mut Unobserved) {
            Ok(drive) => drive,
            // A geometry too small for its thresholds is refused with a reason; nothing to run then.
            Err(RunError::Config(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        for domain in (0..64).map(DomainId) {
            // Where the device has that mode and the domain exists.
            drive.open_for_host_in(domain, CellMode::Slc);
        }
        let requests = of_streams(requests(seed, count, drive.logical_bytes()), points);
        let allocates = setup.scheme.mapping.unmapped_reads == UnmappedReads::Allocate;
        let (report, record) = record_on(&setup, drive, &mut Listed(requests.clone()))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        agrees_with_the_naive_drive(&record.events(), &setup, allocates)?;
        let by_op = |op| requests.iter().filter(|request| request.op == op).count() as u64;
        prop_assert_eq!(report.read.requests, by_op(HostOp::Read));
        prop_assert_eq!(report.write.requests, by_op(HostOp::Write) + by_op(HostOp::WriteFua));
        prop_assert_eq!(report.trim.requests, by_op(HostOp::Trim));
        prop_assert_eq!(report.flush.requests, by_op(HostOp::Flush));
        for direction in [&report.read, &report.write, &report.trim, &report.flush] {
            prop_assert_eq!(direction.requests, direction.blame.mean.requests);
            for parts in [&direction.blame.mean, &direction.blame.tail] {
                prop_assert_eq!(parts.total_ns.values().sum::<u128>(), parts.response_total_ns);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases())]
    #[test]
    fn maps_of_blocks_agree_with_a_naive_drive(
        device in devices(),
        (which, log_blocks, span) in (0usize..3, 1u32..5, 0usize..5),
        cache in caches(),
        firmware in firmware(),
        host in hosts(),
        share in prop_oneof![Just(0.0), Just(1.0), 0.0..1.0f64],
        seed: u64,
        count in 1usize..400,
    ) {
        let policy = BlockMapKind::ALL[which];
        let mut device = DeviceConfig { capacity: CapacityConfig { overprovisioning: Some(0.6), user_bytes: None }, ..device };
        if policy == BlockMapKind::Block {
            (device.geometry.pages_per_program, device.geometry.mapping_unit_bytes) = (1, 4096);
        }
        let spans = [
            SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip, SuperblockSpan::Channels, SuperblockSpan::Drive,
        ];
        let blocks = BlocksConfig { superblock: spans[span], ..BlocksConfig::default() };
        let block_map = BlockMapConfig { policy, log_blocks };
        let scheme = SchemeConfig { cache, firmware, blocks, block_map, ..SchemeConfig::default() };
        let scheme = only_read(scheme);
        let setup = Setup { scheme, host, start: start(Occupancy::Share(share), 0.0), seed, ..setup(device) };
        let drive = match setup.prepare(&[]) {
            Ok(drive) => drive,
            Err(RunError::Config(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        let requests = requests(seed, count, drive.logical_bytes());
        let (report, record) = record_on(&setup, drive, &mut Listed(requests))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        agrees_with_the_naive_drive(&record.events(), &setup, false)?;
        prop_assert_eq!(report.systems["block_map"].figures["astray_pages"], 0);
    }

    #[test]
    fn drives_that_guess_agree_with_a_naive_drive(
        device in devices(),
        scheme in guessing_schemes(),
        firmware in firmware(),
        ideal in ideals(),
        host in hosts(),
        occupancy in occupancies(),
        (layout, overwrite) in (layouts(), prop_oneof![Just(0.0), 0.0..2.0f64]),
        overprovisioning in 0.35..0.85f64,
        shares in (0u64..16, 0u64..9),
        longest in prop_oneof![Just(1u64), 1u64..40_000],
        seed: u64,
        count in prop_oneof![3 => 1usize..400, 1 => 400usize..2_500],
    ) {
        // The map's own pages need room in each plane.
        let capacity = CapacityConfig { overprovisioning: Some(overprovisioning), user_bytes: None };
        let device = DeviceConfig { capacity, ..device };
        let ideal = fitting(ideal, &device);
        let scheme = SchemeConfig { firmware, ideal, ..scheme };
        let start = StartConfig { layout, ..start(occupancy, overwrite) };
        let setup = Setup { scheme, host, start, seed, ..setup(device) };
        let drive = match setup.prepare(&[]) {
            Ok(drive) => drive,
            Err(RunError::Config(_)) => return Ok(()),
            Err(other) => return Err(TestCaseError::fail(other.to_string())),
        };
        let requests = requests_with(shares, longest, seed, count, drive.logical_bytes());
        let allocates = setup.scheme.mapping.unmapped_reads == UnmappedReads::Allocate;
        let (report, record) = record_on(&setup, drive, &mut Listed(requests))
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        agrees_with_the_naive_drive(&record.events(), &setup, allocates)?;
        let mapping = report.mapping.as_ref();
        prop_assert_eq!(mapping.map_or(0, |mapping| mapping.counters.guesses_outdated), 0);
    }

    #[test]
    fn random_runs_that_are_split_give_the_bytes_of_those_that_are_not(
        device in devices(),
        scheme in schemes(),
        firmware in firmware(),
        ideal in ideals(),
        host in hosts(),
        (layout, overwrite) in (layouts(), 0.0..2.0f64),
        (measured, points, persistent, (collision, hotr)) in (any::<bool>(), write_points(), any::<bool>(), systems()),
        seed: u64,
        count in 1usize..300,
        at in prop::collection::vec(1u64..300, 1..3),
    ) {
        let ideal = fitting(ideal, &device);
        let mut scheme = SchemeConfig { firmware, ideal, collision, hotr, ..scheme };
        scheme.blocks.host_write_points = points;
        isolate(&mut scheme, persistent);
        let start = StartConfig { layout, ..start(Occupancy::All, overwrite) };
        let mut setup = Setup { scheme, host, start, seed, ..setup(device) };
        if measured {
            setup.measure.interval_ns = 1_000_000;
            setup.measure.sample_ns = 50_000;
            setup.measure.collisions = true;
        }
        let requests = match setup.prepare(&[]) {
            Ok(drive) => of_streams(requests(seed, count, drive.logical_bytes()), points),
            Err(_) => return Ok(()),
        };
        let whole = in_parts(&setup, &requests, &[]);
        let stops: Vec<Stop> = at.iter().map(|&number| after(number)).collect();
        prop_assert!(in_parts(&setup, &requests, &stops) == whole, "{:?}", stops);
    }
}
