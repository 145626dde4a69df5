//! Reads and writes on channels of their own, in whole runs in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::partition::{Adapts, BusyChannel, FirstReads, WhenBusy};
use wordline_engine::config::reclaim::{ReclaimConfig, ReclaimKind};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{
    GcConfig, GcKind, MappingKind, PlacementKind, SuperblockSpan, UnmappedReads,
};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

const MS: u64 = 1_000_000;

/// A drive with PACP, half of whose channels are for reads at first and stay so; half full, page by page round the planes.
fn partitioned(channels: u32, ways: u32) -> Setup {
    let mut setup = setup(device(channels, ways, 1, 1));
    setup.start = start(Occupancy::Share(0.5), 0.0);
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    setup.scheme.partition.enabled = true;
    setup.scheme.partition.adapts = Adapts::Never;
    setup.scheme.partition.migrate_at_idle = false;
    setup.scheme.partition.idle_share = 1.0;
    setup
}

fn runs(setup: &Setup, requests: Vec<HostRequest>) -> Report {
    run(&only_what_is_read(setup), &mut Listed(requests)).unwrap()
}

fn figure(report: &Report, name: &str) -> u64 {
    report.systems["partition"].figures[name]
}

/// Programs on each channel, by the time that they took.
fn programs(report: &Report) -> Vec<u64> {
    let channels = report.dies.iter().map(|die| die.channel).max().unwrap() + 1;
    let of = |channel: u32| {
        let dies = report.dies.iter().filter(|die| die.channel == channel);
        let busy = |die: &wordline_engine::stats::report::DieReport| {
            die.busy_ns.iter().filter(|(class, _)| class.ends_with("program")).map(|(_, &ns)| ns).sum::<u64>()
        };
        dies.map(busy).sum::<u64>() / (TPROG + XFER)
    };
    (0..channels).map(of).collect()
}

/// `R` and `W` of a page, 10 ms apart.
fn on_page(page: u64, requests: &str, from: u64) -> Vec<HostRequest> {
    let each = requests.chars().zip(0u64..);
    each.map(|(what, number)| {
        let time = from + number * 10 * MS;
        if what == 'R' { read(time, page) } else { write(time, page) }
    })
    .collect()
}

#[test]
fn a_page_goes_where_most_of_its_last_requests_say() {
    // Of four channels 0 and 1 are for reads. What each write finds before it decides.
    for (history, requests, to_reads, to_writes, ties) in [
        (1, "RRW", 1, 0, 0),
        (1, "RRWW", 1, 1, 0),
        (3, "RRWW", 2, 0, 0),
        (3, "RRWWW", 2, 1, 0),
        // The page is on a read channel, and as many of each: it stays there.
        (2, "RRWW", 2, 0, 1),
    ] {
        let mut setup = partitioned(4, 1);
        setup.scheme.partition.history = history;
        let report = runs(&setup, on_page(0, requests, 0));
        let what = format!("{history} {requests}");
        assert_eq!(figure(&report, "programs_to_be_read"), to_reads, "{what}");
        assert_eq!(figure(&report, "programs_to_be_written"), to_writes, "{what}");
        assert_eq!(figure(&report, "programs_of_ties"), ties, "{what}");
        let programs = programs(&report);
        assert_eq!(programs[0] + programs[1], to_reads, "{what}");
        assert_eq!(programs[2] + programs[3], to_writes, "{what}");
    }
}

#[test]
fn a_tie_on_a_write_channel_is_to_be_written() {
    let mut setup = partitioned(4, 1);
    setup.scheme.partition.history = 2;
    // The second write goes to a write channel; a read and a write are then known.
    let report = runs(&setup, on_page(0, "WWRW", 0));
    assert_eq!(figure(&report, "programs_without_history"), 1);
    assert_eq!((figure(&report, "programs_of_ties"), figure(&report, "programs_to_be_written")), (1, 2));
    let programs = programs(&report);
    assert!(programs[2] + programs[3] >= 2, "{programs:?}");
    // The read and the last write had a prediction each, and so had the second write: two were right.
    assert_eq!((figure(&report, "predictions"), figure(&report, "predictions_right")), (3, 2));
}

#[test]
fn without_history_all_channels_are_used() {
    let report = runs(&partitioned(4, 1), (0..8).map(|page| write(page * 10 * MS, page)).collect());
    assert_eq!(programs(&report), [2, 2, 2, 2]);
    assert_eq!(figure(&report, "programs_without_history"), 8);
    assert_eq!(figure(&report, "predictions"), 0);
}

/// Pages that were written once, then all of them again at once.
fn burst_of_writes(pages: u64) -> Vec<HostRequest> {
    let first = (0..pages).map(|page| write(page * 10 * MS, page));
    let again = (0..pages).map(|page| write(pages * 10 * MS, page));
    first.chain(again).collect()
}

#[test]
fn writes_leave_busy_channels_unless_they_wait() {
    for (busy, when_busy, left) in [
        // Two write channels of two dies each: the fifth finds them busy, and so do those behind it.
        (BusyChannel::AllDies, WhenBusy::Other, 4),
        // The third finds a command on each channel.
        (BusyChannel::AnyDie, WhenBusy::Other, 6),
        (BusyChannel::Bus, WhenBusy::Other, 6),
        // And the fifth one on each read channel, too.
        (BusyChannel::AnyDie, WhenBusy::OtherIfIdle, 2),
        (BusyChannel::AllDies, WhenBusy::Wait, 0),
    ] {
        let mut setup = partitioned(4, 2);
        (setup.scheme.partition.busy, setup.scheme.partition.when_busy) = (busy, when_busy);
        let report = runs(&setup, burst_of_writes(8));
        assert_eq!(figure(&report, "left_write_channels_busy"), left, "{busy:?} {when_busy:?}");
        assert_eq!(figure(&report, "left_write_channels_full"), 0);
        let programs = programs(&report);
        assert_eq!(programs[2] + programs[3], 4 + 8 - left, "{busy:?} {when_busy:?} {programs:?}");
    }
}

#[test]
fn full_write_channels_are_left_and_hold_no_more_than_they_can() {
    for when_busy in [WhenBusy::Other, WhenBusy::Wait] {
        let mut setup = partitioned(4, 1);
        setup.start = start(Occupancy::All, 0.0);
        setup.scheme.partition.when_busy = when_busy;
        let pages = setup.logical_bytes().unwrap() / 4096;
        let twice = (0..2 * pages).map(|number| write(number * MS, number % pages));
        let report = runs(&setup, twice.collect());
        assert!(figure(&report, "left_write_channels_full") > 0, "{when_busy:?}");
        assert!(figure(&report, "written_pages_on_read_channels") > pages / 4, "{when_busy:?}");
    }
}

#[test]
fn the_split_follows_the_pages_of_each_type() {
    let of = |reads: u64, writes: u64, adapts| {
        let mut setup = partitioned(8, 1);
        (setup.scheme.partition.adapts, setup.scheme.partition.interval_accesses) = (adapts, 10);
        let reads = (0..reads).map(|page| read(page * MS, page));
        let writes = (0..writes).map(|page| write(1_000 * MS + page * 10 * MS, 500 + page));
        let report = runs(&setup, reads.chain(writes).collect());
        assert_eq!(figure(&report, "write_channels") + figure(&report, "read_channels"), 8);
        figure(&report, "read_channels")
    };
    assert_eq!(of(300, 100, Adapts::Always), 6);
    assert_eq!(of(10, 0, Adapts::Always), 7);
    assert_eq!(of(0, 100, Adapts::Always), 1);
    assert_eq!(of(300, 100, Adapts::Never), 4);
    assert_eq!(of(300, 100, Adapts::WarmUp), 4, "there was none");
    assert_eq!(of(5, 0, Adapts::Always), 4, "not yet");
}

#[test]
fn a_split_of_the_warm_up_stays() {
    let mut setup = partitioned(8, 1);
    (setup.scheme.partition.adapts, setup.scheme.partition.interval_accesses) = (Adapts::WarmUp, 10);
    setup.window.warmup_requests = 100;
    let reads = (0..100).map(|page| read(page * MS, page));
    let writes = (0..300).map(|page| write(1_000 * MS + page * 10 * MS, 500 + page));
    let report = runs(&setup, reads.chain(writes).collect());
    assert_eq!(figure(&report, "read_channels"), 7);
}

#[test]
fn pages_of_trims_are_not_counted_any_more_and_forgotten() {
    let mut setup = partitioned(4, 1);
    setup.scheme.partition.adapts = Adapts::Always;
    let mut requests: Vec<_> = (0..20).map(|page| read(page * MS, page)).collect();
    requests.push(request(100 * MS, HostOp::Trim, 0, 20));
    requests.push(write(200 * MS, 3));
    let report = runs(&setup, requests);
    let pages = |on: &str| figure(&report, &format!("read_pages_on_{on}_channels"));
    assert_eq!((pages("read"), pages("write")), (0, 0));
    assert_eq!(figure(&report, "programs_without_history"), 1);
}

#[test]
fn a_page_that_is_read_before_it_is_written_has_no_history() {
    for map in [MappingKind::Page, MappingKind::Demand] {
        let mut setup = partitioned(4, 1);
        setup.start = start(Occupancy::None, 0.0);
        setup.scheme.mapping.policy = map;
        setup.scheme.mapping.cache_bytes = 64;
        setup.scheme.mapping.unmapped_reads = UnmappedReads::Allocate;
        let reads = (0..40).map(|page| read(page * MS, page));
        let report =
            runs(&setup, reads.chain((0..40).map(|page| write(100 * MS + page * MS, page))).collect());
        assert_eq!(figure(&report, "accesses"), 80, "{map:?}");
        assert_eq!(figure(&report, "predictions"), 40, "{map:?}");
        assert_eq!(
            figure(&report, "programs_without_history"),
            40,
            "{map:?}: first reads, wherever there is room"
        );
        assert_eq!(figure(&report, "programs_to_be_read"), 40, "{map:?}");
        assert_eq!(figure(&report, "written_pages_on_read_channels"), 40, "{map:?}");
    }
}

/// Reads and writes of pages of three kinds, dense enough that blocks are collected.
fn busy(seed: u64, count: u64, pages: u64, every: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let time = number * every;
            match random.below(20) {
                0..6 => read(time, random.below(pages / 4)),
                6..8 => read(time, random.below(pages)),
                8 => request(time, HostOp::Trim, random.below(pages - 3), 3),
                _ => write(time, pages / 4 + random.below(pages * 3 / 4)),
            }
        })
        .collect()
}

fn under_stress() -> Setup {
    let mut setup = partitioned(4, 2);
    (setup.device.geometry.blocks, setup.device.geometry.pages) = (16, 8);
    setup.device.geometry.page_bytes = 8192;
    setup.device.capacity.overprovisioning = Some(0.45);
    setup.start = start(Occupancy::All, 0.5);
    setup.scheme.maintenance.idle_after_ns = 100_000;
    let partition = &mut setup.scheme.partition;
    (partition.adapts, partition.interval_accesses) = (Adapts::Always, 50);
    partition.migrate_at_idle = true;
    setup
}

#[test]
fn it_runs_with_every_policy_of_collection_and_reclaim() {
    let (mut piggybacked, mut migrated) = (0, 0);
    for gc in GcKind::ALL {
        for reclaim in [ReclaimKind::None, ReclaimKind::Block, ReclaimKind::Superblock] {
            for (when_busy, superblock) in
                [(WhenBusy::Other, SuperblockSpan::None), (WhenBusy::Wait, SuperblockSpan::Die)]
            {
                let mut setup = under_stress();
                setup.device.geometry.planes = 2;
                setup.scheme.gc.policy = gc;
                setup.scheme.reclaim =
                    ReclaimConfig { policy: reclaim, threshold: 60, ..ReclaimConfig::default() };
                setup.scheme.partition.when_busy = when_busy;
                setup.scheme.blocks.superblock = superblock;
                let setup = only_what_is_read(&setup);
                let pages = setup.logical_bytes().unwrap() / 4096;
                let report = runs(&setup, busy(7, 2_000, pages, 400_000));
                let what = format!("{gc:?} {reclaim:?} {when_busy:?}");
                assert!(report.gc.victims > 0, "{what}");
                piggybacked += figure(&report, "piggybacked");
                migrated += figure(&report, "migrated_at_idle");
            }
        }
    }
    assert!(piggybacked > 0 && migrated > 0, "{piggybacked} {migrated}");
}

// What a victim's pages leave in part in rows of several domains is enough for it to be read no further, and nothing else fills them.
#[test]
fn collection_programs_what_it_has_left_in_rows_of_several_domains() {
    for seed in [2, 33, 43, 71, 217, 885] {
        let mut setup = under_stress();
        let geometry = &mut setup.device.geometry;
        (geometry.channels, geometry.planes, geometry.blocks, geometry.pages) = (3, 2, 31, 5);
        (geometry.page_bytes, geometry.mapping_unit_bytes) = (4096, 512);
        setup.device.capacity.overprovisioning = Some(0.32);
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        setup.scheme.mapping.unmapped_reads = UnmappedReads::Allocate;
        setup.scheme.gc =
            GcConfig { policy: GcKind::Random, trigger: 0.0, stop: Some(0.127), ..setup.scheme.gc };
        let partition = &mut setup.scheme.partition;
        (partition.history, partition.when_busy, partition.interval_accesses) = (2, WhenBusy::Wait, 41);
        partition.migrate_at_idle = false;
        (setup.host, setup.start, setup.seed) = (closed(64), start(Occupancy::All, 0.9), seed);
        let bytes = setup.logical_bytes().unwrap();
        let ended = run(&setup, &mut Listed(crate::common::random::requests(seed + 1, 400, bytes)));
        assert!(ended.is_ok(), "{seed}: {:?}", ended.err());
    }
}

#[test]
fn collection_of_write_channels_takes_pages_that_are_read_to_read_channels() {
    let with = |migrate_with_gc| {
        let mut setup = under_stress();
        setup.scheme.partition.migrate_with_gc = migrate_with_gc;
        setup.scheme.partition.migrate_at_idle = false;
        let pages = setup.logical_bytes().unwrap() / 4096;
        runs(&setup, busy(3, 4_000, pages, 400_000))
    };
    let (with, without) = (with(true), with(false));
    assert!(figure(&with, "piggybacked") > 0);
    assert_eq!(figure(&without, "piggybacked"), 0);
    assert_eq!(with.other_moves.get("migration").map_or(0, |moves| moves.moved_units), 0);
    let misplaced = |report| figure(report, "read_pages_on_write_channels");
    assert!(misplaced(&with) < misplaced(&without), "{} {}", misplaced(&with), misplaced(&without));
}

/// Of the first `read` pages every fourth is read, all lying on write channels 2 and 3 where the layout put them, then nothing
/// for a while.
fn misplaced(read_pages: u64) -> Vec<HostRequest> {
    (0..read_pages).map(|number| read(number * MS / 10, 4 * number + 2)).collect()
}

#[test]
fn an_idle_drive_takes_pages_that_are_read_to_read_channels() {
    let mut setup = partitioned(4, 1);
    setup.scheme.partition.migrate_at_idle = true;
    let mut requests = misplaced(20);
    // The last answer ends a run: long behind it, one more.
    requests.push(read(1_000 * MS, 0));
    let report = runs(&setup, requests.clone());
    assert_eq!(figure(&report, "migrated_at_idle"), 20);
    assert_eq!(figure(&report, "read_pages_on_write_channels"), 0);
    assert_eq!(report.other_moves["migration"].moved_units, 20);
    assert_eq!(programs(&report)[2..], [0, 0]);
    setup.scheme.maintenance.idle_after_ns = 2_000 * MS;
    assert_eq!(figure(&runs(&setup, requests), "migrated_at_idle"), 0);
}

#[test]
fn migration_at_idle_time_keeps_its_share_of_the_programs() {
    let mut setup = partitioned(4, 1);
    setup.scheme.partition.migrate_at_idle = true;
    setup.scheme.partition.idle_share = 0.25;
    // Sixty programs: twenty more make a quarter of all.
    let mut requests: Vec<_> = (0..60).map(|number| write(number * MS / 2, 900 + number % 10)).collect();
    requests.extend((0..30).map(|number| read(100 * MS + number * MS / 10, 4 * number + 2)));
    requests.push(read(1_000 * MS, 0));
    let report = runs(&setup, requests);
    assert_eq!(figure(&report, "migrated_at_idle"), 20);
}

#[test]
fn pages_that_are_read_first_may_go_to_read_channels() {
    for (first_reads, on_write_channels) in [(FirstReads::Anywhere, 20), (FirstReads::ReadChannels, 0)] {
        let mut setup = partitioned(4, 1);
        setup.start = start(Occupancy::None, 0.0);
        setup.scheme.mapping.unmapped_reads = UnmappedReads::Allocate;
        setup.scheme.partition.first_reads = first_reads;
        let report = runs(&setup, (0..40).map(|page| read(page * MS, page)).collect());
        assert_eq!(figure(&report, "read_pages_on_write_channels"), on_write_channels, "{first_reads:?}");
    }
}

#[test]
fn a_request_stops_the_migration_between_two_operations() {
    let mut setup = partitioned(4, 1);
    setup.scheme.partition.migrate_at_idle = true;
    let last = 19 * MS / 10 + TR + XFER;
    let idle = last + MS;
    // The first page is being read, or programmed, when a request for the die of its source or destination comes.
    for (at, migrated) in [(TR / 2, 0), (TR + XFER + TPROG / 2, 1)] {
        let mut requests = misplaced(20);
        requests.push(read(idle + at, 6));
        // Too soon behind it for another idle time.
        requests.push(read(idle + at + MS, 0));
        let (report, record) = record(&setup, requests);
        let done = record.completions();
        let waited = done[20] - (idle + at);
        assert!(waited <= 2 * (TR + XFER), "{at}: {waited}");
        assert_eq!(figure(&report, "migrated_at_idle"), migrated, "{at}");
        assert_eq!(report.other_moves.get("migration").map_or(0, |moves| moves.moved_units), migrated);
    }
}

#[test]
fn reads_make_entries_of_a_cached_map_dirty_when_the_history_changes() {
    let map_writes = |enabled: bool, times: u64| {
        let mut setup = partitioned(4, 1);
        setup.scheme.partition.enabled = enabled;
        setup.scheme.mapping.policy = MappingKind::Demand;
        setup.scheme.mapping.cache_bytes = 64;
        let setup = only_what_is_read(&setup);
        let pages = setup.logical_bytes().unwrap() / 4096 / 2;
        let reads = (0..times * pages).map(|number| read(number * MS, number % pages));
        runs(&setup, reads.collect()).flash.by_class.get("map_program").map_or(0, |class| class.operations)
    };
    assert_eq!(map_writes(false, 2), 0);
    let once = map_writes(true, 1);
    assert!(once > 0);
    // Read again, a page's last request is what it was.
    assert!(map_writes(true, 2) <= once + 8, "{once} {}", map_writes(true, 2));
}

#[test]
fn reserved_dies_are_no_part_of_the_partition() {
    // All of channel 3, and half of channel 1.
    let mut setup = partitioned(4, 2);
    setup.scheme.copies.reserved_dies = vec![3, 6, 7];
    let report = runs(&setup, burst_of_writes(20));
    assert_eq!((figure(&report, "read_channels"), figure(&report, "write_channels")), (1, 2));
    assert_eq!(programs(&report)[3], 0);
    setup.scheme.copies.reserved_dies = vec![2, 3, 4, 5, 6, 7];
    let error = run(&setup, &mut Listed(vec![])).unwrap_err().to_string();
    assert!(error.contains("device.geometry.channels = 4"), "{error}");
}

type Change = fn(&mut Setup);

#[test]
fn what_it_cannot_work_with_is_refused_by_its_key() {
    let cases: [(&str, Change); 7] = [
        ("device.geometry.channels = 1", |setup| setup.device.geometry.channels = 1),
        ("scheme.partition.history = 0", |setup| setup.scheme.partition.history = 0),
        ("scheme.partition.history = 4", |setup| setup.scheme.partition.history = 4),
        ("scheme.blocks.superblock", |setup| setup.scheme.blocks.superblock = SuperblockSpan::Channels),
        ("scheme.blocks.superblock", |setup| setup.scheme.blocks.superblock = SuperblockSpan::Drive),
        ("scheme.placement.policy", |setup| setup.scheme.placement.policy = PlacementKind::Static),
        ("scheme.partition.first_read_channels = 4", |setup| {
            setup.scheme.partition.first_read_channels = Some(4);
        }),
    ];
    for (key, change) in cases {
        let mut setup = partitioned(4, 1);
        change(&mut setup);
        let error = run(&setup, &mut Listed(vec![])).unwrap_err().to_string();
        assert!(error.contains(key), "{key}: {error}");
    }
}

#[test]
fn a_run_in_parts_is_the_same_run() {
    let setup = under_stress();
    let pages = setup.logical_bytes().unwrap() / 4096;
    let requests = busy(11, 1_500, pages, 400_000);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert_eq!(in_parts(&setup, &requests, &[after(200), after(901)]).unwrap(), whole);
}

#[test]
fn its_memory_is_told() {
    let mut setup = partitioned(4, 1);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let bytes = |setup: &Setup| runs(setup, vec![write(0, 0)]).systems["partition"].bytes;
    assert_eq!(bytes(&setup), (2 * pages).div_ceil(8));
    setup.scheme.partition.history = 3;
    assert_eq!(bytes(&setup), (4 * pages).div_ceil(8));
    // 32 blocks in each of the four planes.
    setup.scheme.partition.migrate_at_idle = true;
    assert_eq!(bytes(&setup), (4 * pages).div_ceil(8) + 2 * 4 * 32);
}
