//! What more hardware brings, that every request is served, and the edges of the geometry.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

mod common;
use common::*;
use wordline_engine::config::device::*;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, RunError, Setup};

/// Command time of reads and programs. Without it the bus could be wanted twice in one nanosecond in every round.
const COMMAND: u64 = 100;

/// A drive whose commands take time.
fn commanded(channels: u32, ways: u32, planes: u32) -> Setup {
    let mut drive = device(channels, ways, 1, planes);
    (drive.channel.read_command_ns, drive.channel.program_command_ns) = (COMMAND, COMMAND);
    drive.geometry.pages = 64;
    setup(drive)
}

/// Time for one page of every plane in steady state, with requests of a page to all planes in turn.
fn round(setup: &Setup, op: HostOp) -> f64 {
    let geometry = &setup.device.geometry;
    let planes = geometry.channels * geometry.ways * geometry.planes;
    let (round, warm, rounds) = (planes as usize, 10, 40);
    let setup = Setup { host: closed(6 * planes), ..setup.clone() };
    let pages = setup.logical_bytes().unwrap() / 4096;
    let requests = (0..60 * round as u64).map(|page| request(0, op, page % pages, 1)).collect();
    let mut done = completions(&setup, requests);
    done.sort_unstable();
    (done[(warm + rounds) * round] - done[warm * round]) as f64 / rounds as f64
}

/// Whether a round takes this time to 0.1%.
fn takes(setup: &Setup, op: HostOp, expected: u64, what: &str) {
    let time = round(setup, op);
    assert!((time / expected as f64 - 1.0).abs() < 0.001, "{what}: {op:?} {time} instead of {expected}");
}

#[test]
fn reads_grow_with_dies_until_data_fills_the_channel() {
    for (arbitration, in_step) in [
        (ChannelArbitration::CommandFirst, false),
        (ChannelArbitration::Fifo, true),
        (ChannelArbitration::DataOutFirst, true),
    ] {
        let mut rates = vec![];
        for dies in [1, 2, 4, 8, 16, 32] {
            let mut setup = commanded(1, dies, 1);
            setup.device.channel.arbitration = arbitration;
            // Where data goes before the next command (in order of arrival: since all commands together are shorter
            // than the data of one die), the cells of all dies work at once, then all data moves.
            let (data, commands) = (u64::from(dies) * XFER, u64::from(dies) * COMMAND);
            let expected =
                if in_step { COMMAND + TR + data } else { (COMMAND + TR + XFER).max(commands + data) };
            takes(&setup, HostOp::Read, expected, &format!("{dies} dies, {arbitration:?}"));
            rates.push(f64::from(dies) / round(&setup, HostOp::Read));
        }
        assert!(rates.windows(2).all(|pair| pair[1] >= pair[0]), "{rates:?}");
        assert!(rates[5] <= 1.0 / XFER as f64, "never more than the channel carries");
    }
}

#[test]
fn programs_grow_with_dies_until_the_channel_is_full() {
    for dies in [1, 2, 4, 8, 64, 128, 160] {
        let bus = COMMAND + XFER;
        let expected = (bus + TPROG).max(u64::from(dies) * bus);
        takes(&commanded(1, dies, 1), HostOp::Write, expected, &format!("{dies} dies"));
    }
}

#[test]
fn throughput_grows_with_channels_as_with_whole_drives() {
    for channels in [1, 2, 3, 8] {
        let what = format!("{channels} channels");
        takes(&commanded(channels, 4, 1), HostOp::Read, COMMAND + TR + XFER, &what);
        takes(&commanded(channels, 4, 1), HostOp::Write, COMMAND + XFER + TPROG, &what);
    }
}

#[test]
fn throughput_grows_with_the_planes_that_work_together() {
    for planes in [1, 2, 3, 4, 8] {
        let mut setup = commanded(1, 1, planes);
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        let (data, what) = (u64::from(planes) * XFER, format!("{planes} planes"));
        setup.device.multi_plane.rule = MultiPlaneRule::SameBlockAndPage;
        takes(&setup, HostOp::Read, COMMAND + TR + data, &what);
        takes(&setup, HostOp::Write, COMMAND + data + TPROG, &what);
        setup.device.multi_plane.rule = MultiPlaneRule::None;
        takes(&setup, HostOp::Read, u64::from(planes) * (COMMAND + TR + XFER), &what);
        takes(&setup, HostOp::Write, u64::from(planes) * (COMMAND + XFER + TPROG), &what);
    }
}

#[test]
fn throughput_follows_the_rate_and_the_width_of_the_channel() {
    for (rate, width) in
        [(40.0, 8), (333.0, 8), (533.0, 8), (1000.0, 16), (1200.0, 8), (2400.0, 8), (0.5, 1024)]
    {
        let mut setup = commanded(1, 4, 1);
        (setup.device.channel.mega_transfers_per_s, setup.device.channel.width_bits) = (rate, width);
        let transfers = 4096 * 8 / u64::from(width);
        let bus = COMMAND + (transfers as f64 * 1000.0 / rate).ceil() as u64;
        let what = format!("{rate} MT/s of {width} bits");
        takes(&setup, HostOp::Read, (bus + TR).max(4 * bus), &what);
        takes(&setup, HostOp::Write, (bus + TPROG).max(4 * bus), &what);
    }
}

/// Writes, reads and TRIMs at random, most of a page, some of a part or of several, on a drive of so many bytes.
fn mixed(seed: u64, count: u64, bytes: u64) -> impl FnMut(u64) -> HostRequest {
    let mut random = Random(seed);
    let pages = bytes / 4096;
    move |number| {
        assert!(number < count);
        let op = match random.below(20) {
            0 => HostOp::Trim,
            1 => HostOp::Flush,
            2..=6 => HostOp::Read,
            _ => HostOp::Write,
        };
        let (mut offset, mut length) = (random.below(pages) * 4096, 4096);
        match random.below(10) {
            0 => length += random.below(5 * 4096),
            1 => (offset, length) = (offset + 512 * random.below(8), 1 + random.below(4096)),
            _ => {}
        }
        HostRequest {
            time: Ns(number * 20_000),
            op,
            offset,
            length: length.min(bytes - offset),
            flow: 0,
            stream: 0,
        }
    }
}

const SPANS: [SuperblockSpan; 5] = [
    SuperblockSpan::None,
    SuperblockSpan::Die,
    SuperblockSpan::Chip,
    SuperblockSpan::Channels,
    SuperblockSpan::Drive,
];

#[test]
fn every_request_is_served_under_collection_at_every_queue_depth() {
    for span in SPANS {
        for depth in [1, 16, 256] {
            let mut setup = setup(device(2, 2, 1, 2));
            setup.scheme.blocks.superblock = span;
            setup.scheme.gc.trigger = 0.1;
            setup.host = closed(depth);
            setup.start = start(Occupancy::All, 1.0);
            let (bytes, count) = (setup.logical_bytes().unwrap(), 20_000);
            let requests: Vec<_> = (0..count).map(mixed(5, count, bytes)).collect();
            let report = run(&setup, &mut Listed(requests.clone())).unwrap();
            let served = [
                (report.read.requests, HostOp::Read),
                (report.write.requests, HostOp::Write),
                (report.trim.requests, HostOp::Trim),
                (report.flush.requests, HostOp::Flush),
            ];
            for (found, op) in served {
                let sent = requests.iter().filter(|request| request.op == op).count();
                assert_eq!(found, sent as u64, "{op:?}, {span:?}, queue depth {depth}");
            }
            assert!(
                report.gc.victims > 0 && report.gc.moved_units > 0,
                "{span:?} {depth}: collection was at work"
            );
            let checked = report.checked.unwrap();
            assert!(checked.reads_verified >= report.read.requests, "{span:?} {depth}");
        }
    }
}

#[test]
fn an_open_loop_that_the_drive_cannot_follow_is_served_in_the_end() {
    for max_outstanding in [0, 8] {
        let mut setup = setup(device(1, 2, 1, 1));
        setup.host.max_outstanding = max_outstanding;
        let bytes = setup.logical_bytes().unwrap();
        let requests: Vec<_> = (0..10_000).map(mixed(6, 10_000, bytes)).collect();
        let last = requests[9_999].time.0;
        let report = run(&setup, &mut Listed(requests)).unwrap();
        let served =
            report.read.requests + report.write.requests + report.trim.requests + report.flush.requests;
        assert_eq!(served, 10_000);
        assert!(report.window.end_ns > 2 * last, "overload: {}", report.window.end_ns);
        let admission = report.write.blame.mean.total_ns["admission"];
        assert_eq!(admission > 0, max_outstanding > 0, "{admission}");
    }
}

fn suspensions(policy: SchedulerKind, suspend: SuspendConfig) -> (u64, f64) {
    let mut setup = setup(device(1, 2, 1, 1));
    setup.device.suspend = suspend;
    setup.scheme.scheduler.policy = policy;
    setup.host = closed(16);
    let bytes = setup.logical_bytes().unwrap();
    let report = run(&setup, &mut made(20_000, mixed(7, 20_000, bytes))).unwrap();
    assert!(report.flash.erases > 0);
    (report.flash.suspensions, report.read.latency_ns.mean)
}

#[test]
fn suspends_happen_when_configured_and_not_otherwise() {
    let [none, both, programs, erases] =
        [(None, None), (Some(20_000), Some(30_000)), (Some(20_000), None), (None, Some(30_000))].map(
            |(program_ns, erase_ns)| SuspendConfig {
                program_ns,
                erase_ns,
                resume_ns: 1000,
                max_per_operation: 4,
                ..SuspendConfig::default()
            },
        );
    for policy in [SchedulerKind::Fifo, SchedulerKind::ReadFirst] {
        assert_eq!(suspensions(policy, both.clone()).0, 0, "{policy:?}");
    }
    let suspending = |suspend: &SuspendConfig| suspensions(SchedulerKind::ReadFirstSuspend, suspend.clone());
    let (never, slow) = suspending(&none);
    let (often, fast) = suspending(&both);
    let (of_programs, of_erases) = (suspending(&programs).0, suspending(&erases).0);
    assert_eq!(never, 0);
    assert!(of_programs > 0 && of_erases > 0, "{of_programs} and {of_erases}");
    assert!(often > of_programs.max(of_erases), "{often}, of programs {of_programs}, of erases {of_erases}");
    assert!(fast < slow, "reads wait less: {fast} ns instead of {slow} ns");
    assert_eq!(suspending(&SuspendConfig { max_per_operation: 0, ..both }).0, 0);
}

#[test]
fn odd_counts_of_everything_work() {
    let mut drive = device(3, 5, 1, 3);
    (drive.geometry.blocks, drive.geometry.pages) = (19, 11);
    for (page_bytes, unit_bytes) in [(4096, 4096), (12_288, 12_288), (12_288, 3072), (10_240, 2560)] {
        (drive.geometry.page_bytes, drive.geometry.mapping_unit_bytes) = (page_bytes, unit_bytes);
        for span in SPANS {
            let mut setup = setup(drive.clone());
            setup.device.capacity.overprovisioning = Some(0.45);
            setup.scheme.blocks.superblock = span;
            setup.host = closed(32);
            setup.start = start(Occupancy::All, 0.5);
            let bytes = setup.logical_bytes().unwrap();
            assert_eq!(bytes % u64::from(unit_bytes), 0);
            let report = run(&setup, &mut made(3_000, mixed(8, 3_000, bytes))).unwrap();
            assert_eq!((report.dies.len(), report.channels.len()), (15, 3));
            assert!(
                report.dies.iter().all(|die| die.busy_ns.values().sum::<u64>() > 0),
                "{span:?}: every die works"
            );
            assert!(report.dies.iter().enumerate().all(|(die, found)| found.channel == die as u32 / 5));
        }
    }
}

/// 16 channels × 15 ways, 1,247 blocks of 14,351 pages: exactly 2^32 − 16 pages of 4 KiB, just under 16 TiB.
fn largest() -> Setup {
    let mut drive = device(16, 15, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (1_247, 14_351);
    let mut setup = setup(drive);
    // Auditing four thousand million pages would take a minute.
    setup.kept = Kept::Nothing;
    setup
}

/// Resident memory of this process in bytes, where the system tells.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()? * 4096)
}

#[test]
fn the_largest_drive_is_created_read_and_written_sparsely_in_little_memory() {
    let setup = largest();
    assert_eq!(setup.device.geometry.physical_units(), (1 << 32) - 16);
    let before = resident();
    let pages = setup.logical_bytes().unwrap() / 4096;
    assert!(pages > 3_000_000_000);
    let mut requests = vec![];
    for step in 0..60 {
        let page = (pages - 1) / 59 * step;
        let time = step * 10_000_000;
        requests.extend([
            write(time, page),
            read(time + 2_000_000, page),
            read(time + 4_000_000, pages - 1 - page),
        ]);
    }
    let (report, record) = record(&setup, requests.clone());
    assert_eq!((report.read.requests, report.write.requests), (120, 60));
    assert_eq!(report.drive.mapped_units, pages);
    for (done, request) in record.completions().iter().zip(&requests) {
        let alone = if request.op == HostOp::Read { TR + XFER } else { XFER + TPROG };
        assert_eq!(done - request.time.0, alone);
    }
    if let (Some(before), Some(after)) = (before, resident()) {
        // A table's page may be a huge one of 2 MiB; whole tables would be 32 GiB.
        assert!(after.saturating_sub(before) < 2 << 30, "{} bytes", after - before);
    }
}

#[test]
fn a_drive_beyond_the_largest_is_refused_and_told_what_is_allowed() {
    let mut setup = largest();
    // One block more in each of 240 planes.
    setup.device.geometry.blocks += 1;
    let Err(RunError::Config(error)) = setup.prepare(&[]).map(|_| ()) else { panic!("too large a drive") };
    let told = error.to_string();
    assert!(
        told.starts_with(
            "device.geometry.mapping units of the drive = 4298411520: allowed: at most 4294967280"
        ),
        "{told}"
    );
    assert_eq!(setup.logical_bytes().unwrap_err().to_string(), told);
    setup.device.geometry.page_bytes = 8192;
    assert!(setup.validate().is_err(), "two units in a page make it larger still");
    setup.device.geometry.mapping_unit_bytes = 8192;
    setup.device.geometry.blocks -= 1;
    assert!(setup.validate().is_ok(), "a larger mapping unit reaches further");
}
