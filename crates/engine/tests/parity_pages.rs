//! Parity of logical pages, reads that are rebuilt while their plane collects, and writes that go past it. Everything in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::nand_modes::{CopybackBlocks, CopybackConfig};
use wordline_engine::config::redundancy::{RedundancyConfig, RedundancyKind};
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;

const ONE_READ: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;
const FAR_APART: u64 = 100_000_000;

/// Four channels of a die of so many planes, each of which collects by itself, in turns over the channels. With one plane the pages lie
/// like this:
///   0: P 0 1 2    1: 3 P 4 5    2: 6 7 P 8    3: 9 10 11 P
fn striped(planes: u32) -> Setup {
    let mut setup = setup(device(4, 1, 1, planes));
    setup.device.capacity.overprovisioning = Some(0.5);
    setup.device.copyback =
        CopybackConfig { supported: true, blocks: CopybackBlocks::Plane, ..CopybackConfig::default() };
    setup.scheme.blocks.superblock = SuperblockSpan::None;
    setup.scheme.gc.rotating = true;
    setup.scheme.redundancy = RedundancyConfig { policy: RedundancyKind::ParityPages, ..Default::default() };
    setup
}

fn operations(report: &Report, class: &str) -> u64 {
    report.flash.by_class.get(class).map_or(0, |class| class.operations)
}

#[test]
fn a_page_that_is_written_alone_has_its_old_version_and_the_old_parity_read() {
    let (report, record) = record(&striped(1), vec![write(0, 7), read(FAR_APART, 0)]);
    assert_eq!(record.completions(), [PROGRAM, FAR_APART + ONE_READ]);
    assert_eq!((operations(&report, "parity_read"), operations(&report, "parity_program")), (2, 1));
    assert!((report.waf_by_cause["parity"] - 1.0).abs() < 1e-9);
}

#[test]
fn the_fewer_of_old_and_other_pages_are_read_and_none_for_a_whole_stripe() {
    for (pages, reads) in [(1, 2), (2, 1), (3, 0), (4, 2), (6, 0)] {
        let requests = vec![request(0, HostOp::Write, 6, pages), read(FAR_APART, 1)];
        let report = record(&striped(1), requests).0;
        let stripes = pages.div_ceil(3);
        let counted = (operations(&report, "parity_read"), operations(&report, "parity_program"));
        assert_eq!(counted, (reads, stripes), "{pages}");
    }
}

#[test]
fn writes_that_come_while_a_parity_is_read_for_are_joined_with_it() {
    // The first two pages of stripe 2: the old parity is read once, and programmed once.
    let requests = vec![write(0, 6), write(1_000, 7), read(FAR_APART, 1)];
    let report = record(&striped(1), requests).0;
    assert_eq!((operations(&report, "parity_read"), operations(&report, "parity_program")), (3, 1));
}

#[test]
fn a_page_that_is_given_up_leaves_its_stripe_with_a_parity_of_the_rest() {
    let requests = vec![request(0, HostOp::Trim, 7, 1), read(FAR_APART, 1)];
    let report = record(&striped(1), requests).0;
    assert_eq!((operations(&report, "parity_read"), operations(&report, "parity_program")), (2, 1));
}

/// Overwrites pages of the first channel, one of each block after the other, each when the one before has had all its effects.
fn thinning(writes: u64) -> Vec<HostRequest> {
    // Stripes whose pages on the first channel are theirs: 3, 6, 9 of each four.
    let page = |i: u64| {
        let row = (i % 10) * 16 + i / 10;
        let of_turn = [1, 3, 6, 9][(row % 4) as usize];
        row / 4 * 12 + of_turn
    };
    (0..writes).map(|i| write((i + 1) * FAR_APART, page(i))).collect()
}

#[test]
fn a_read_whose_plane_collects_is_rebuilt_in_the_time_of_a_read() {
    let setup = striped(1);
    let mut never = striped(1);
    // Joining takes longer than any copyback or erase: all reads wait.
    never.scheme.redundancy.xor_ns = 2 * TERASE;
    let first = (1..300).find(|&n| record(&setup, thinning(n + 1)).0.flash.copybacks > 0).unwrap();
    let (mut rebuilt, mut at_once) = (0, 0);
    for at in (0..40).map(|step| first * FAR_APART + step * 200_000 + 7) {
        for page in 600..606 {
            let requests = [thinning(first), vec![read(at, page)]].concat();
            let (report, recorded) = record(&setup, requests.clone());
            let counted = report.redundancy.unwrap();
            if counted.reconstructed_reads == 0 {
                continue;
            }
            rebuilt += 1;
            assert_eq!((counted.reconstructed_reads, counted.source_reads), (1, 3));
            let (answered, waited) = (recorded.completions(), record(&never, requests).1.completions());
            assert!(answered[first as usize] < waited[first as usize], "{at} {page}");
            // Three channels are free, and three dies where no parity is programmed.
            at_once += u32::from(answered[first as usize] == at + ONE_READ);
        }
    }
    assert!(rebuilt > 5 && at_once > rebuilt / 2, "{at_once} of {rebuilt}");
}

#[test]
fn a_read_waits_where_the_plane_is_free_sooner_than_the_rest_of_its_stripe() {
    let mut setup = striped(1);
    let first = (1..300).find(|&n| record(&setup, thinning(n + 1)).0.flash.copybacks > 0).unwrap();
    // Joining takes longer than any copyback or erase.
    setup.scheme.redundancy.xor_ns = 2 * TERASE;
    for at in (0..40).map(|step| first * FAR_APART + step * 200_000 + 7) {
        let report = record(&setup, [thinning(first), vec![read(at, 600)]].concat()).0;
        assert_eq!(report.redundancy.unwrap().reconstructed_reads, 0);
    }
}

/// A load of all kinds of requests over most of the drive.
fn loaded(setup: &Setup, requests: u64) -> Report {
    let unit = u64::from(setup.device.geometry.mapping_unit_bytes);
    let sectors = setup.logical_bytes().unwrap() / 512;
    let mut random = Random(requests);
    let mut source = made(requests, |_| {
        let op = match random.below(24) {
            0..11 => HostOp::Read,
            11 => HostOp::Trim,
            12 => HostOp::Flush,
            13 => HostOp::WriteFua,
            _ => HostOp::Write,
        };
        let region = if random.below(10) < 7 { sectors / 6 } else { sectors };
        let mut request = request(0, op, 0, 0);
        let length = if random.below(3) == 0 { unit } else { 512 * (1 + random.below(60)) };
        request.offset = 512 * random.below(region - 60);
        request.length = if op == HostOp::Flush { 0 } else { length };
        if request.length == unit {
            request.offset -= request.offset % unit;
        }
        request
    });
    let report = run(setup, &mut source).unwrap();
    blame_adds_up(&report);
    report
}

#[test]
fn busy_drives_with_parity_of_pages_stay_consistent_and_exact() {
    let mut rebuilt = 0;
    for number in 0..24u32 {
        let mut setup = striped(1 + number % 3);
        let geometry = &mut setup.device.geometry;
        (geometry.channels, geometry.ways, geometry.blocks) = (3 + number % 3, 1 + number / 12, 24);
        geometry.mapping_unit_bytes = [4096, 2048, 1024][(number / 3 % 3) as usize];
        setup.device.copyback.supported = number % 4 != 3;
        if number % 4 > 1 {
            setup.device.copyback.blocks = CopybackBlocks::Die;
        }
        setup.scheme.blocks.superblock =
            [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Chip][(number / 2 % 3) as usize];
        setup.scheme.gc.rotating = number % 5 != 4;
        setup.scheme.redundancy.xor_ns = u64::from(number % 2) * 700;
        setup.device.suspend.program_ns = Some(10_000);
        if number % 3 == 0 {
            setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        }
        if number % 2 == 1 {
            setup.scheme.cache.policy = if number % 4 == 1 { CacheKind::WriteBuffer } else { CacheKind::Lru };
            setup.scheme.cache.bytes = CacheBytes::Bytes(200 << 10);
            setup.scheme.cache.past_collection = number % 8 != 7;
        }
        setup.start.layout = if number % 7 < 4 { StartLayout::Steady } else { StartLayout::InOrder };
        setup.start.occupancy = if number % 6 == 5 { Occupancy::Share(0.7) } else { Occupancy::All };
        setup.host = closed(24);
        let report = loaded(&setup, 6_000);
        assert!(report.gc.moved_units > 0 && operations(&report, "parity_program") > 100, "{number}");
        rebuilt += report.redundancy.unwrap().reconstructed_reads;
    }
    assert!(rebuilt > 100, "{rebuilt}");
}

#[test]
fn writes_go_past_planes_that_collect() {
    let run = |past_collection: bool| {
        let mut setup = striped(2);
        setup.scheme.cache.policy = CacheKind::WriteBuffer;
        setup.scheme.cache.bytes = CacheBytes::Bytes(256 << 10);
        setup.scheme.cache.past_collection = past_collection;
        setup.host = closed(8);
        loaded(&setup, 8_000)
    };
    let (past, in_order) = (run(true), run(false));
    // Programs of the host's data that meet a plane that collects wait there; those that go past don't.
    assert!(past.write.latency_ns.mean < in_order.write.latency_ns.mean);
}

#[test]
fn what_it_excludes_is_refused_by_name() {
    type Refused<'a> = (&'a dyn Fn(&mut Setup), &'a str);
    let refused: [Refused<'_>; 6] = [
        (&|setup| setup.device.geometry.channels = 2, "scheme.redundancy.policy"),
        (&|setup| setup.scheme.placement.policy = PlacementKind::Dynamic, "scheme.redundancy.policy"),
        (&|setup| setup.scheme.mapping.policy = MappingKind::Demand, "scheme.redundancy.policy"),
        (&|setup| setup.start.overwrite = 0.5, "workload.start.overwrite"),
        (&|setup| setup.start.occupancy = Occupancy::Footprint, "workload.start.occupancy"),
        (&|setup| setup.scheme.cache.past_collection = true, "scheme.cache.past_collection"),
    ];
    for (change, key) in refused {
        let mut setup = striped(1);
        change(&mut setup);
        let error = setup.prepare(&[]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}
