//! Which version of a unit wins in the data cache, and units of which it holds a part.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::cache::{P, blamed, buffer, bytes, cached, counts, flush, fua, lru, shared_pages, trim};
use crate::common::{self, *};
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheKind, Rewrites};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind};
use wordline_engine::host::HostOp;

/// Each write takes a place and a program of its own.
fn appending(mut setup: Setup) -> Setup {
    setup.scheme.cache.rewrites = Rewrites::Append;
    setup
}

#[test]
fn a_rewrite_that_is_appended_costs_a_program_and_reads_find_the_newest_version() {
    let requests = || vec![write(0, 5), write(10, 5), read(20, 5), write(30, 5), flush(40), read(10 * P, 5)];
    let programs = |setup: &Setup, read_hits| {
        let (report, record) = record(setup, requests());
        assert_eq!(record.completions()[..4], [0, 10, 20, 30], "the read hits");
        assert_eq!((counts(&report).read_hits, counts(&report).write_hits), (read_hits, 2));
        assert_eq!(report.flash.programs, counts(&report).write_backs, "pages of one unit");
        (report.flash.programs, record.completions()[4], counts(&report).dirty_max)
    };
    assert_eq!(programs(&buffer(8, 1.0), 1), (1, 40 + P, 1), "coalesced");
    assert_eq!(programs(&appending(buffer(8, 1.0)), 1), (3, 40 + 3 * P, 3), "all versions before the flush");
    assert_eq!(programs(&appending(lru(8, 1.0)), 2), (3, 40 + 3 * P, 3), "a cache keeps what it wrote");
}

#[test]
fn a_rewrite_that_is_appended_waits_for_room() {
    let requests = || vec![write(0, 0), write(0, 1), write(10, 1), write(20, 0)];
    assert_eq!(completions(&buffer(2, 0.5), requests()), [0, 0, 10, 20]);
    let (report, record) = record(&appending(buffer(2, 0.5)), requests());
    assert_eq!(record.completions(), [0, 0, P, 2 * P], "for a program each, page 0 being programmed or not");
    assert_eq!(counts(&report).stalls, 2);
    // What a cache holds as it is in flash is written in its place.
    let requests = vec![write(0, 0), flush(0), write(2 * P, 0), write(2 * P, 1), flush(2 * P)];
    let done = completions(&appending(lru(2, 1.0)), requests);
    assert_eq!(done[2..], [2 * P, 2 * P, 4 * P]);
}

#[test]
fn an_appended_rewrite_holds_the_sectors_of_the_version_before_it() {
    let part = |number| bytes(number, HostOp::Write, 3 * 4096 + number * 512, 512);
    let mut requests: Vec<_> = (0..8).map(part).collect();
    requests.extend([bytes(10, HostOp::Read, 3 * 4096, 4096), flush(20), read(20 * P, 3)]);
    let (report, record) = record(&appending(buffer(16, 1.0)), requests);
    assert_eq!(record.completions()[8..], [10, 20 + 8 * P, 20 * P + TR + XFER]);
    assert_eq!(
        (report.flash.programs, counts(&report).merges),
        (8, 0),
        "nothing is read for what is superseded"
    );
}

#[test]
fn trim_and_fua_of_what_was_rewritten_and_appended() {
    let requests = vec![write(0, 0), write(1, 0), trim(2, 0), read(3, 0), flush(4)];
    let (report, record) = record(&appending(buffer(8, 1.0)), requests);
    assert_eq!(record.completions()[2..], [2, 3, 4 + P], "the older version is programmed all the same");
    assert_eq!((report.flash.programs, report.drive.unmapped_reads), (1, 1));
    // Page 0 waits behind page 1 for its program when its FUA write comes: that makes a second version.
    let requests = vec![write(0, 1), write(0, 0), flush(0), fua(100, 0), write(200, 0), read(300, 0)];
    let done = completions(&appending(buffer(8, 1.0)), requests);
    assert_eq!(done, [0, 0, 2 * P, 3 * P, 200, 300]);
}

#[test]
fn a_unit_stays_readable_until_its_program_has_ended() {
    let requests = vec![write(0, 0), flush(0), read(P - 1, 0), read(P + 1, 0)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(
        record.completions()[2..],
        [P - 1, P + 1 + TR + XFER],
        "a write buffer keeps nothing after it"
    );
    assert_eq!((counts(&report).read_hits, counts(&report).read_misses), (1, 1));
    let setup = lru(8, 1.0);
    let requests = vec![write(0, 0), flush(0), read(P - 1, 0), read(P + 1, 0)];
    assert_eq!(completions(&setup, requests)[2..], [P - 1, P + 1], "a cache does");
}

/// Every policy with every way of a rewrite.
pub fn all_rewrites() -> impl Iterator<Item = (CacheKind, Rewrites)> {
    let ways = [Rewrites::Coalesce, Rewrites::Append];
    [CacheKind::WriteBuffer, CacheKind::Lru].into_iter().flat_map(move |policy| ways.map(|way| (policy, way)))
}

#[test]
fn the_newest_version_wins_when_a_unit_is_rewritten_on_its_way() {
    // Rewritten before, during and after its program; the reads and the audit of checked mode compare versions.
    for at in [0, 1, XFER, P - 1, P, P + 1] {
        for (policy, rewrites) in all_rewrites() {
            let mut setup = cached(setup(device(1, 2, 1, 1)), policy, 2, 0.5);
            setup.scheme.cache.rewrites = rewrites;
            let mut requests = vec![write(0, 0), write(at, 0), read(at, 0), write(at, 2), write(at + 1, 4)];
            requests.extend([flush(at + 2), read(at + 3, 0), read(10 * P, 0), flush(20 * P)]);
            requests.sort_by_key(|request| request.time);
            let (report, _) = record(&setup, requests);
            assert_eq!(report.checked.unwrap().pages_audited, report.drive.logical_units);
        }
    }
}

#[test]
fn parts_that_fill_a_unit_need_no_read() {
    let part = |number| bytes(number, HostOp::Write, 3 * 4096 + number * 512, 512);
    let mut requests: Vec<_> = (0..8).map(part).collect();
    requests.extend([bytes(10, HostOp::Read, 3 * 4096 + 1024, 1024), flush(20)]);
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, 1, 2, 3, 4, 5, 6, 7, 10, 20 + P]);
    assert_eq!((report.flash.reads, report.flash.programs, counts(&report).merges), (0, 1, 0));
}

#[test]
fn a_unit_written_in_part_is_completed_by_a_read_before_it_is_programmed() {
    let requests = vec![bytes(0, HostOp::Write, 3 * 4096 + 512, 1024), flush(0)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, TR + XFER + P]);
    assert_eq!((report.flash.reads, report.flash.programs, counts(&report).merges), (1, 1, 1));
    let fua = bytes(0, HostOp::WriteFua, 3 * 4096 + 512, 1024);
    let (report, record) = common::record(&buffer(8, 1.0), vec![fua]);
    assert_eq!(record.completions(), [TR + XFER + P]);
    assert_eq!(blamed(&report, "cell"), u128::from(TR + TPROG));
}

#[test]
fn a_unit_written_in_part_that_flash_does_not_hold_needs_no_read() {
    let mut setup = buffer(8, 1.0);
    setup.start = start(Occupancy::None, 0.0);
    let requests =
        vec![bytes(0, HostOp::Write, 3 * 4096 + 512, 1024), read(5, 3), flush(10), read(10_000_000, 3)];
    let (report, record) = record(&setup, requests);
    assert_eq!(record.completions(), [0, 5, 10 + P, 10_000_000 + TR + XFER]);
    assert_eq!(counts(&report).merges, 0);
}

#[test]
fn units_completed_by_reads_are_programmed_together() {
    let setup = shared_pages(cached(setup(device(1, 4, 1, 1)), CacheKind::WriteBuffer, 16, 1.0));
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        let mut setup = setup.clone();
        setup.scheme.placement.policy = placement;
        let mut requests: Vec<_> =
            (0..4).map(|page| bytes(0, HostOp::Write, page * 4096 + 512, 1024)).collect();
        requests.push(flush(1));
        let (report, _) = record(&setup, requests);
        assert_eq!((counts(&report).merges, report.flash.programs), (4, 1), "{placement:?}");
    }
}

#[test]
fn a_read_of_a_unit_that_is_held_in_part_reads_flash() {
    let requests =
        vec![bytes(0, HostOp::Write, 3 * 4096, 512), read(10, 3), bytes(20, HostOp::Read, 3 * 4096, 512)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, 10 + TR + XFER, 20]);
    assert_eq!(counts(&report).read_misses_in_part, 1);
}

#[test]
fn a_sector_that_is_written_in_part_is_not_held() {
    let requests = vec![
        bytes(0, HostOp::Write, 3 * 4096 + 100, 512),
        bytes(10, HostOp::Read, 3 * 4096, 512),
        bytes(100_000, HostOp::Write, 3 * 4096, 4096),
        bytes(100_010, HostOp::Read, 3 * 4096, 512),
    ];
    assert_eq!(completions(&buffer(8, 1.0), requests), [0, 10 + TR + 512, 100_000, 100_010]);
}

#[test]
fn a_read_that_waits_for_its_die_is_served_from_the_cache_when_its_page_is_written() {
    let mut setup = buffer(8, 1.0);
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let requests = vec![read(0, 0), read(1, 1), write(2, 1)];
    let (report, record) = record(&setup, requests);
    assert_eq!(record.completions(), [TR + XFER, TR + XFER, 2]);
    assert_eq!((report.flash.reads, counts(&report).late_read_hits), (1, 1));
}

#[test]
fn a_read_that_was_overtaken_by_a_write_back_is_not_kept() {
    // While page 0 is read on one die it is written, programmed on the other and given up for page 1.
    let mut setup = cached(setup(device(2, 1, 1, 1)), CacheKind::Lru, 1, 1.0);
    setup.device.cell.program_ns = vec![1_000];
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    let requests = vec![read(0, 0), write(1, 0), write(10_000, 1), read(60_000, 0)];
    let (report, record) = record(&setup, requests);
    assert_eq!(record.completions(), [TR + XFER, 1, 10_000, 60_000 + TR + XFER]);
    assert_eq!((counts(&report).read_hits, counts(&report).write_backs), (0, 2));
}
