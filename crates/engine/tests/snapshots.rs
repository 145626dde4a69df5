//! Drives saved, loaded and forked: the same bytes come out as without. Everything in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

use crate::common::*;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::bad_blocks::BadBlocksConfig;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::{LinkData, SuspendConfig};
use wordline_engine::config::errors::ReadCounting;
use wordline_engine::config::host::{Arrivals, FlowRules, HostSchedulerKind};
use wordline_engine::config::latency_target::{LatencyTarget, WhenFound};
use wordline_engine::config::mapping::MappingKind;
use wordline_engine::config::nand_modes::CacheReadOrder;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{GcKind, PlacementKind, SchedulerKind, SuperblockSpan};
use wordline_engine::config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};
use wordline_engine::device::Device;
use wordline_engine::gc::VictimPolicy;
use wordline_engine::host::{Flow, HostOp, HostRequest, RequestSource};
use wordline_engine::ids::SuperblockId;
use wordline_engine::snapshot::SnapshotError;
use wordline_engine::time::Ns;
use wordline_engine::{
    Ending, RunError, Setup, Split, Stop, Unobserved, replay, replay_flows_in_parts, replay_in_parts,
};

fn busy() -> Setup {
    let mut setup = setup(device(2, 1, 2, 2));
    setup.device.geometry.blocks = 16;
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.scheme.gc.trigger = 0.1;
    setup.scheme.gc.policy = GcKind::DChoices;
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    setup.start = start(Occupancy::Share(0.9), 0.7);
    setup.host = closed(16);
    setup
}

/// Reads, writes and TRIMs all over the drive.
fn mix(drive: &Device, seed: u64, count: u64) -> impl RequestSource + use<> {
    let pages = drive.logical_bytes() / 4096;
    let mut random = Random(seed);
    made(count, move |_| {
        let op = match random.below(10) {
            0..4 => HostOp::Read,
            9 => HostOp::Trim,
            _ => HostOp::Write,
        };
        let length = 1 + random.below(4);
        request(0, op, random.below(pages - length), length)
    })
}

/// The result of a mixed workload, as text.
fn outcome(setup: &Setup, mut drive: Device, seed: u64) -> String {
    let mut source = mix(&drive, seed, 3000);
    let outcome = replay(setup, &mut drive, &mut source, &mut Unobserved).unwrap();
    format!(
        "{}\n{} {}",
        serde_json::to_string(&outcome.report).unwrap(),
        outcome.events,
        outcome.flash_operations
    )
}

fn saved(setup: &Setup, drive: &Device) -> Vec<u8> {
    let mut bytes = Vec::new();
    setup.save_drive(drive, &mut bytes).unwrap();
    bytes
}

fn loaded(setup: &Setup, bytes: &[u8]) -> Result<Device, RunError> {
    setup.load_drive(&mut &bytes[..])
}

#[test]
fn a_drive_that_was_saved_or_forked_goes_on_like_the_original() {
    let setup = busy();
    let drive = setup.prepare(&[]).unwrap();
    let bytes = saved(&setup, &drive);
    let again = loaded(&setup, &bytes).unwrap();
    assert!(saved(&setup, &again) == bytes, "saving is repeatable");
    let fork = drive.fork().unwrap();
    assert!(saved(&setup, &fork) == bytes);
    let expected = outcome(&setup, drive, 5);
    assert_eq!(outcome(&setup, again, 5), expected);
    assert_eq!(outcome(&setup, fork, 5), expected);
}

#[test]
fn forks_go_their_own_ways() {
    let setup = busy();
    let drive = setup.prepare(&[]).unwrap();
    let before = saved(&setup, &drive);
    let first = drive.fork().unwrap();
    let second = drive.fork().unwrap();
    let results = [outcome(&setup, first, 5), outcome(&setup, second, 6)];
    assert_ne!(results[0], results[1]);
    assert!(saved(&setup, &drive) == before, "forks don't reach back");
    assert_eq!(outcome(&setup, drive, 6), results[1]);
}

#[test]
fn an_untouched_drive_of_a_terabyte_is_a_small_snapshot() {
    let mut setup = setup(device(8, 4, 1, 2));
    setup.device.geometry.blocks = 2048;
    setup.device.geometry.pages = 512;
    setup.device.geometry.page_bytes = 16384;
    let drive = setup.prepare(&[]).unwrap();
    assert!(drive.logical_bytes() > 700 << 30);
    let bytes = saved(&setup, &drive);
    assert!(bytes.len() < 2 << 20, "{} bytes", bytes.len());
    loaded(&setup, &bytes).unwrap().fork().unwrap();
}

#[test]
fn a_snapshot_of_another_configuration_is_refused_and_the_key_named() {
    let setup = busy();
    let bytes = saved(&setup, &setup.prepare(&[]).unwrap());
    let mut other = setup.clone();
    other.scheme.gc.trigger = 0.12;
    let error = loaded(&other, &bytes).err().unwrap().to_string();
    assert_eq!(
        error,
        "the snapshot was made with another configuration: `scheme.gc.trigger` is 0.1 there and 0.12 here"
    );
    other = Setup { kept: Kept::Nothing, ..setup };
    assert!(loaded(&other, &bytes).err().unwrap().to_string().contains("`checked`"));
}

#[test]
fn what_is_no_snapshot_or_cut_or_longer_is_refused() {
    let setup = busy();
    let bytes = saved(&setup, &setup.prepare(&[]).unwrap());
    let refused = |bytes: &[u8]| match loaded(&setup, bytes).err().unwrap() {
        RunError::Snapshot(error) => error,
        other => panic!("{other}"),
    };
    assert_eq!(refused(b""), SnapshotError::NoSnapshot);
    assert_eq!(refused(&[7; 100]), SnapshotError::NoSnapshot);
    let mut newer = bytes.clone();
    newer[8] += 1;
    assert!(matches!(refused(&newer), SnapshotError::Format(_)));
    for cut in [12, 13, 20, 100, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(refused(&bytes[..cut]), SnapshotError::Truncated, "{cut}");
    }
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(refused(&longer), SnapshotError::Misfit(_)));
}

#[test]
fn a_damaged_byte_anywhere_is_noticed() {
    let setup = busy();
    let bytes = saved(&setup, &setup.prepare(&[]).unwrap());
    let mut random = Random(3);
    for _ in 0..100 {
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(3) {
            let place = random.below(bytes.len() as u64) as usize;
            damaged[place] ^= 1 + random.below(255) as u8;
        }
        if damaged != bytes {
            assert!(loaded(&setup, &damaged).is_err());
        }
    }
}

fn listed(setup: &Setup, seed: u64, count: u64) -> Vec<HostRequest> {
    let mut requests = Vec::new();
    let mut source = mix(&setup.prepare(&[]).unwrap(), seed, count);
    while requests.len() < count as usize {
        source.next_batch(&mut requests).unwrap();
    }
    requests
}

#[test]
fn a_run_that_is_split_anywhere_gives_the_same_bytes_in_full_collection() {
    let mut setup = busy();
    setup.device.suspend = SuspendConfig {
        program_ns: Some(5_000),
        erase_ns: Some(9_000),
        resume_ns: 100,
        max_per_operation: 3,
        ..SuspendConfig::default()
    };
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    setup.measure = MeasureConfig { interval_ns: 1_000_000, sample_ns: 10_000, ..MeasureConfig::default() };
    setup.window.warmup_requests = 200;
    let requests = listed(&setup, 9, 1500);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    for stops in [vec![1], vec![199, 200, 201], vec![777], vec![1499], vec![1500], vec![5, 700, 1200]] {
        let stops: Vec<Stop> = stops.into_iter().map(after).collect();
        assert!(in_parts(&setup, &requests, &stops).unwrap() == whole, "{stops:?}");
    }
    for at in [1, 10_000_000, 100_000_000] {
        let stop = Stop { at: Ns(at), ..Stop::default() };
        assert!(in_parts(&setup, &requests, &[stop]).unwrap() == whole, "{at} ns");
    }
}

/// A run of a reader beside a writer, split at these numbers of requests.
fn flows_in_parts(
    setup: &Setup,
    (latency_target, steady_end): (Option<LatencyTarget>, Option<SteadyEnd>),
    requests: &[HostRequest],
    stops: &[u64],
) -> String {
    let mut drive = setup.prepare(&[]).unwrap();
    let mut bytes: Option<Vec<u8>> = None;
    for after_requests in stops.iter().copied().chain([u64::MAX]) {
        let (reads, writes): (Vec<_>, Vec<_>) =
            requests.iter().copied().partition(|request| request.op == HostOp::Read);
        let (mut reads, mut writes) = (Listed(reads), Listed(writes));
        let rules = |name| FlowRules::of_host(name, &setup.host);
        let flows = vec![
            Flow::new(
                FlowRules {
                    latency_target: latency_target.clone(),
                    steady_end: steady_end.clone(),
                    ..rules("reader")
                },
                &mut reads,
            ),
            Flow::new(FlowRules { stream: 3, ..rules("writer") }, &mut writes),
        ];
        let (mut save, mut input) = (Vec::new(), bytes.as_deref());
        let resume = input.as_mut().map(|bytes| bytes as &mut dyn std::io::Read);
        let stop = Stop { after_requests, ..Stop::default() };
        let split = Split { resume, stop, save: Some(&mut save), workload: "" };
        match replay_flows_in_parts(setup, &mut drive, flows, None, &mut Unobserved, split).unwrap() {
            Ending::Finished(outcome) => return serde_json::to_string(&outcome.report).unwrap(),
            Ending::Stopped { requests, .. } => assert_eq!(requests, after_requests),
        }
        bytes = Some(save);
        drive = setup.empty_drive().unwrap();
    }
    unreachable!("the last part ends with the run")
}

#[test]
fn several_flows_with_every_host_scheduler_may_be_split() {
    let kinds =
        [HostSchedulerKind::None, HostSchedulerKind::Piq, HostSchedulerKind::Fios, HostSchedulerKind::Paq];
    for kind in kinds {
        let mut setup = busy();
        (setup.host.max_inside, setup.host.scheduler.kind) = (6, kind);
        let requests = listed(&setup, 4, 600);
        let whole = flows_in_parts(&setup, (None, None), &requests, &[]);
        assert!(flows_in_parts(&setup, (None, None), &requests, &[3, 200, 201, 450]) == whole, "{kind:?}");
    }
}

#[test]
fn a_flow_that_looks_for_its_queue_depth_may_be_split() {
    let mut setup = busy();
    (setup.host.arrivals, setup.host.queue_depth) = (Arrivals::Closed, 32);
    let requests = listed(&setup, 4, 2_000);
    for when_found in [WhenFound::Stop, WhenFound::Hold] {
        let target =
            LatencyTarget { ns: 900_000, percentile: 80.0, window_ns: 3_000_000, ramp_ns: 0, when_found };
        let parts = |stops: &[u64]| flows_in_parts(&setup, (Some(target.clone()), None), &requests, stops);
        let whole = parts(&[]);
        assert!(whole.contains("\"is_found\":true") && whole.contains("\"queue_depth\":"), "{whole}");
        assert!(parts(&[3, 100, 101, 170, 500]) == whole, "{when_found:?}");
    }
}

#[test]
fn a_flow_that_ends_when_it_is_steady_may_be_split() {
    let mut setup = busy();
    (setup.host.arrivals, setup.host.queue_depth) = (Arrivals::Closed, 8);
    let requests = listed(&setup, 4, 3_000);
    let rule = SteadyEnd {
        of: SteadyOf::Latency,
        by: SteadyBy::Deviation,
        limit_share: Some(0.5),
        limit: None,
        duration_ns: 6_000_000,
        interval_ns: 2_000_000,
        ramp_ns: 1_000_000,
    };
    let parts = |stops: &[u64]| flows_in_parts(&setup, (None, Some(rule.clone())), &requests, stops);
    let whole = parts(&[]);
    assert!(whole.contains("\"attained\":true"), "{whole}");
    assert!(parts(&[3, 60, 100, 101, 150]) == whole);
}

#[test]
fn a_drive_with_a_data_cache_read_counts_and_firmware_may_be_split() {
    let mut setup = busy();
    setup.scheme.cache.policy = CacheKind::Lru;
    setup.scheme.cache.bytes = CacheBytes::Bytes(256 << 10);
    setup.scheme.read_counts = ReadCounting::Page;
    setup.scheme.firmware.lookup_ns = 300;
    setup.scheme.firmware.move_ns = 500;
    let requests = listed(&setup, 4, 800);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert!(in_parts(&setup, &requests, &[after(10), after(300), after(555)]).unwrap() == whole);
    let drive = setup.prepare(&[]).unwrap();
    assert_eq!(outcome(&setup, drive.fork().unwrap(), 5), outcome(&setup, drive, 5));
}

#[test]
fn a_run_may_be_split_while_a_request_has_some_of_its_commands_answered() {
    let mut setup = busy();
    (setup.device.link.max_transfer_bytes, setup.device.link.completion_ns) = (Some(4096), 2_000);
    let requests = listed(&setup, 4, 800);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    for number in [1, 2, 3, 300, 555] {
        assert!(in_parts(&setup, &requests, &[after(number)]).unwrap() == whole, "{number}");
    }
    let drive = setup.prepare(&[]).unwrap();
    assert_eq!(outcome(&setup, drive.fork().unwrap(), 5), outcome(&setup, drive, 5));
}

#[test]
fn a_run_may_be_split_while_a_write_has_some_of_its_pages() {
    let mut setup = busy();
    setup.device.link.bytes_per_s = Some(500_000_000);
    setup.device.link.write_data = LinkData::Page;
    let requests = listed(&setup, 4, 800);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    for number in [1, 2, 3, 300, 555] {
        assert!(in_parts(&setup, &requests, &[after(number)]).unwrap() == whole, "{number}");
    }
}

#[test]
fn what_is_known_of_the_reads_at_a_die_is_the_same_after_a_split() {
    let mut setup = setup(device(2, 1, 2, 2));
    // Reads whose data waits in a register while pages of the map come, and with them other reads.
    setup.device.cache_mode.read = true;
    setup.device.cache_mode.read_order = CacheReadOrder::Random;
    setup.device.channel.mega_transfers_per_s = 100.0;
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.scheme.mapping.policy = MappingKind::Segments;
    setup.scheme.mapping.cache_bytes = 2560;
    setup.start = start(Occupancy::Share(0.9), 0.3);
    setup.host = closed(32);
    (setup.measure.collisions, setup.measure.sample_ns) = (true, 5_000);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(5);
    let requests: Vec<_> = (0..300)
        .map(|_| {
            let op = if random.below(10) == 0 { HostOp::Write } else { HostOp::Read };
            let length = 1 + random.below(4);
            request(0, op, random.below(pages - length), length)
        })
        .collect();
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    for number in (1..30).map(|tens| tens * 10) {
        assert!(in_parts(&setup, &requests, &[after(number)]).unwrap() == whole, "{number}");
    }
}

#[test]
fn a_drive_with_bad_blocks_may_be_split() {
    for (factory, endurance_cycles) in [(vec![], None), (vec![[0, 1]], Some(40))] {
        let mut setup = busy();
        setup.device.geometry.blocks = 24;
        setup.device.bad_blocks = Some(BadBlocksConfig {
            factory,
            spare_blocks_per_plane: 1,
            endurance_cycles,
            ..BadBlocksConfig::default()
        });
        let requests = listed(&setup, 4, 400);
        let whole = in_parts(&setup, &requests, &[]).unwrap();
        assert!(in_parts(&setup, &requests, &[after(10), after(300)]).unwrap() == whole);
    }
}

#[test]
fn a_run_goes_on_only_with_its_own_workload() {
    let setup = busy();
    let requests = listed(&setup, 4, 300);
    let mut save = Vec::new();
    let mut drive = setup.prepare(&[]).unwrap();
    let split =
        Split { stop: after(200), save: Some(&mut save), workload: "{\"seed\":1}", ..Split::default() };
    replay_in_parts(&setup, &mut drive, &mut Listed(requests.clone()), &mut Unobserved, split).unwrap();
    let go_on = |workload, requests: &[HostRequest]| {
        let mut input = &save[..];
        let split = Split { resume: Some(&mut input), workload, ..Split::default() };
        let mut drive = setup.empty_drive().unwrap();
        let result =
            replay_in_parts(&setup, &mut drive, &mut Listed(requests.to_vec()), &mut Unobserved, split);
        result.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(go_on("{\"seed\":1}", &requests), "");
    assert!(go_on("{\"seed\":2}", &requests).ends_with("`workload.seed` is 1 there and 2 here"));
    assert!(go_on("{\"seed\":1}", &requests[..150]).ends_with("has 150 requests, the run had taken 200"));
    let error = loaded(&setup, &save).err().unwrap().to_string();
    assert_eq!(error, "the snapshot holds a run; allowed here: a drive");
}

/// Chooses the first superblock from which something is won, and counts how often it was asked.
#[derive(Clone, Default)]
struct Counting(u64);

impl VictimPolicy for Counting {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        self.0 += 1;
        let first = (self.0 % blocks.valid.len() as u64) as usize;
        let index = (first..blocks.valid.len()).chain(0..first);
        let mut won = index.filter(|&index| blocks.valid[index] <= blocks.most_valid);
        won.next().map(|index| SuperblockId(blocks.first.0 + index as u32))
    }

    fn save(&self) -> Vec<u8> {
        self.0.to_le_bytes().to_vec()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        self.0 = u64::from_le_bytes(state.try_into().map_err(|_| "not a number".to_owned())?);
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn VictimPolicy + Send>> {
        Some(Box::new(self.clone()))
    }
}

#[test]
fn a_policy_of_ones_own_is_saved_loaded_and_forked_with_the_drive() {
    let setup = busy();
    let mut drive = setup.prepare(&[]).unwrap();
    drive.set_gc(Box::new(Counting(17)));
    let bytes = saved(&setup, &drive);
    let mut empty = setup.empty_drive().unwrap();
    empty.set_gc(Box::new(Counting::default()));
    let again = setup.load_into(empty, &mut &bytes[..]).unwrap();
    let fork = drive.fork().unwrap();
    let expected = outcome(&setup, drive, 5);
    assert_eq!(outcome(&setup, again, 5), expected);
    assert_eq!(outcome(&setup, fork, 5), expected);
    let error = loaded(&setup, &bytes).err().unwrap().to_string();
    assert!(error.ends_with("is `Custom` there and `DChoices` here"), "{error}");
}

#[test]
fn a_run_that_stopped_with_its_last_request_under_way_has_its_result() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.host = closed(1);
    setup.start = start(Occupancy::All, 0.0);
    // More than a host knows ahead.
    let requests: Vec<_> = (0..200).map(|page| read(0, page)).collect();
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert_eq!(in_parts(&setup, &requests, &[after(200)]).unwrap(), whole);
    assert_eq!(in_parts(&setup, &requests, &[after(200), after(2)]).unwrap(), whole);
}
