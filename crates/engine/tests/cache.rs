//! The data cache in the controller's DRAM: hits, misses, back-pressure, flush, FUA and TRIM to the nanosecond, write
//! amplification, and random runs with every policy in checked mode.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::{self, *};
use wordline_engine::Setup;
use wordline_engine::cache::{Access, CachePolicy, CacheView};
use wordline_engine::config::cache::{
    CacheBytes, CacheConfig, CacheKind, DramConfig, DramRows, MaxWritesHold, PauseConfig, RateLimitConfig,
    ReadAdmission, Rewrites, ThrottleConfig,
};
use wordline_engine::config::errors::ErrorsConfig;
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::run::{Occupancy, StartConfig, StartLayout};
use wordline_engine::config::scheme::{PlacementKind, SchedulerKind, SuperblockSpan, UnmappedReads};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::Lpa;
use wordline_engine::stats::data_cache::CacheReport;
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;

/// Data of a page on the channel, and its program.
const P: u64 = XFER + TPROG;

fn cached(setup: Setup, policy: CacheKind, units: u64, high: f64) -> Setup {
    let bytes = CacheBytes::Bytes(units * u64::from(setup.device.geometry.mapping_unit_bytes));
    let mut setup = setup;
    setup.scheme.cache = CacheConfig { policy, bytes, dirty_high: high, ..CacheConfig::default() };
    setup.scheme = only_read(setup.scheme);
    setup
}

/// One die whose pages are of one unit.
fn buffer(units: u64, high: f64) -> Setup {
    cached(setup(device(1, 1, 1, 1)), CacheKind::WriteBuffer, units, high)
}

fn lru(units: u64, high: f64) -> Setup {
    cached(setup(device(1, 1, 1, 1)), CacheKind::Lru, units, high)
}

/// Flash pages of four units.
fn shared_pages(mut setup: Setup) -> Setup {
    setup.device.geometry.page_bytes = 16384;
    setup
}

fn fua(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::WriteFua, page, 1)
}

fn flush(time: u64) -> HostRequest {
    HostRequest { time: Ns(time), op: HostOp::Flush, offset: 0, length: 0, flow: 0, stream: 0 }
}

fn trim(time: u64, page: u64) -> HostRequest {
    request(time, HostOp::Trim, page, 1)
}

fn bytes(time: u64, op: HostOp, offset: u64, length: u64) -> HostRequest {
    HostRequest { time: Ns(time), op, offset, length, flow: 0, stream: 0 }
}

fn counts(report: &Report) -> &CacheReport {
    report.cache.as_ref().unwrap()
}

fn blamed(report: &Report, part: &str) -> u128 {
    report.write.blame.mean.total_ns[part]
}

#[test]
fn a_write_is_answered_when_it_is_in_the_buffer_and_a_read_hits_it_there() {
    let (report, record) = record(&buffer(8, 1.0), vec![write(0, 5), read(10, 5), read(20, 6), write(30, 5)]);
    assert_eq!(record.completions(), [0, 10, 20 + TR + XFER, 30]);
    let counts = counts(&report);
    assert_eq!((counts.read_hits, counts.read_misses), (1, 1));
    assert_eq!((counts.write_hits, counts.write_misses, counts.dirty_max), (1, 1, 1));
    assert_eq!((report.flash.programs, counts.capacity_units), (0, 8));
}

#[test]
fn without_a_cache_a_write_is_answered_when_it_is_programmed_and_fua_changes_nothing() {
    let setup = setup(device(1, 1, 1, 1));
    let (report, record) = record(&setup, vec![write(0, 5), fua(2 * P, 5), flush(4 * P)]);
    assert_eq!(record.completions(), [P, 3 * P, 4 * P]);
    assert!(report.cache.is_none());
    assert_eq!(report.write.requests, 2);
}

#[test]
fn an_access_takes_the_drams_time_one_after_the_other() {
    let mut setup = buffer(8, 1.0);
    setup.device.dram =
        DramConfig { bytes: None, access_ns: 100, bytes_per_s: Some(4_096_000_000), ..DramConfig::default() };
    let half = bytes(5000, HostOp::Read, 0, 2048);
    let (report, record) = record(&setup, vec![write(0, 0), write(0, 1), half]);
    assert_eq!(record.completions(), [1100, 2200, 5000 + 100 + 500]);
    assert_eq!(blamed(&report, "cache"), 3300);
    assert_eq!(report.read.blame.mean.total_ns["cache"], 600);
}

#[test]
fn a_dram_whose_rows_alone_take_time_is_waited_for() {
    let mut setup = buffer(8, 1.0);
    // Two rows of a unit, one of which costs its gap, then nothing beyond the last whole row.
    setup.device.dram.rows = Some(DramRows { bytes: 2048, gap_ns: 70, rest_bytes_per_s: 1_000_000_000 });
    let (_, record) = record(&setup, vec![write(0, 5)]);
    assert_eq!(record.completions(), [70]);
}

#[test]
fn a_write_that_finds_no_room_waits_for_it_first_come_first_served() {
    let (report, record) = record(&buffer(2, 0.5), (0..4).map(|page| write(0, page)).collect());
    assert_eq!(record.completions(), [0, 0, P, 2 * P]);
    assert_eq!(blamed(&report, "buffer"), u128::from(3 * P));
    assert_eq!((counts(&report).stalls, counts(&report).write_backs), (2, 2), "up to the last answer");
}

#[test]
fn while_so_many_writes_are_inside_no_further_command_is_taken() {
    let mut setup = buffer(2, 0.5);
    // The read hits the buffer. Without a bound it is answered when it comes.
    let requests = || vec![write(0, 0), write(0, 1), write(0, 2), write(0, 3), read(10, 1), write(20, 4)];
    assert_eq!(completions(&setup, requests()), [0, 0, P, 2 * P, 10, 3 * P]);
    setup.scheme.cache.max_writes = 1;
    let (report, record) = record(&setup, requests());
    // The third waits inside for a program, the fourth before the drive for that and inside for another.
    assert_eq!(record.completions()[..4], [0, 0, P, 2 * P]);
    assert_eq!(
        record.completions()[4],
        3 * P + TR + XFER,
        "behind the fourth, and the program that began then"
    );
    assert_eq!(record.completions()[5], 3 * P);
    assert_eq!(report.write.blame.mean.total_ns["admission"], u128::from(P + 2 * P - 20));
    assert_eq!(blamed(&report, "buffer"), u128::from(3 * P), "each for a program");
    setup.scheme.cache.max_writes = 3;
    assert_eq!(completions(&setup, requests())[4], 10, "two are inside");
    // Without a cache, too: the read goes to the die when the write is answered.
    setup.scheme.cache = CacheConfig { max_writes: 1, ..CacheConfig::default() };
    assert_eq!(completions(&setup, vec![write(0, 0), read(0, 9)]), [P, P + TR + XFER]);
}

#[test]
fn reads_pass_where_the_most_writes_inside_hold_writes_only() {
    let mut setup = buffer(2, 0.5);
    (setup.scheme.cache.max_writes, setup.scheme.cache.max_writes_hold) = (1, MaxWritesHold::Writes);
    // In one queue the read that hits the buffer is behind a write that isn't taken before the third is answered.
    let requests = vec![write(0, 0), write(0, 1), write(0, 2), read(5, 1), write(5, 3), read(10, 2)];
    assert_eq!(completions(&setup, requests), [0, 0, P, 5, 2 * P, P]);
}

#[test]
fn write_back_pauses_after_so_many_units_and_the_buffer_takes_what_it_has_room_for() {
    let mut setup = buffer(4, 0.25);
    const PAUSE: u64 = 50_000_000;
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: None });
    // Two are sent on, one after the other. The pause begins when the third would be.
    let apart = 10 * P;
    let requests = (0..8).map(|number| write(number * apart, number)).collect();
    let (report, record) = record(&setup, requests);
    let end = 2 * apart + PAUSE;
    // Four fit in, from the third on; the seventh waits for the first program behind the pause.
    let at: Vec<u64> = (0..6).map(|number| number * apart).collect();
    assert_eq!(record.completions()[..6], at);
    assert_eq!(record.completions()[6], end + P);
    assert!(end > 7 * apart && record.completions()[7] > end + P, "the eighth waits, too");
    assert_eq!(counts(&report).stalls, 2);
    // With room for one the fifth is the first to wait: the third had entered when the pause began.
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: Some(1) });
    let done = completions(&setup, (0..6).map(|number| write(number * apart, number)).collect());
    assert_eq!(done[..5], [0, apart, 2 * apart, 3 * apart, end]);
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 2, ns: PAUSE, room_units: None });
    // A flush is no write-back that may wait.
    let flushed = vec![write(0, 0), write(apart, 1), write(2 * apart, 2), flush(2 * apart + 10)];
    assert_eq!(completions(&setup, flushed)[3], 2 * apart + 10 + P);
}

#[test]
fn no_pause_begins_while_writes_wait_for_room() {
    let mut setup = buffer(2, 0.5);
    setup.scheme.cache.pause = Some(PauseConfig { every_units: 3, ns: 1_000_000_000, room_units: None });
    let done = completions(&setup, (0..6).map(|page| write(0, page)).collect());
    assert_eq!(done[..5], [0, 0, P, 2 * P, 3 * P], "put off");
}

#[test]
fn a_pause_of_no_time_is_refused() {
    for (pause, key) in [
        (PauseConfig { every_units: 0, ns: 1, room_units: None }, "pause.every_units = 0"),
        (PauseConfig { every_units: 1, ns: 0, room_units: None }, "pause.ns = 0"),
    ] {
        let cache = CacheConfig { pause: Some(pause), ..CacheConfig::default() };
        let error = cache.validate().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_write_to_a_unit_that_is_held_needs_no_room() {
    let requests = vec![write(0, 0), write(0, 1), write(0, 2), write(10, 1)];
    assert_eq!(completions(&buffer(2, 0.5), requests), [0, 0, P, 10]);
}

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

fn throttle(from: f64, gap_ns: u64) -> ThrottleConfig {
    ThrottleConfig { from, gap_ns, by_moves: false }
}

#[test]
fn a_throttled_write_enters_by_a_gap_that_grows_with_what_flash_lacks() {
    let mut setup = buffer(8, 1.0);
    setup.scheme.cache.throttle = Some(throttle(0.5, 400));
    // With the fifth a quarter of the rest is full, with the sixth a half.
    let (report, record) = record(&setup, (0..7).map(|page| write(0, page)).collect());
    assert_eq!(record.completions(), [0, 0, 0, 0, 0, 100, 300]);
    assert_eq!(blamed(&report, "buffer"), 400);
    assert_eq!(counts(&report).stalls, 2);
    // A unit that is held takes no place.
    let requests = (0..6).map(|page| write(0, page)).chain([write(10, 2)]).collect();
    assert_eq!(completions(&setup, requests)[5..], [100, 10]);
    // Full it waits for a program, as without.
    let setup = |throttled| {
        let mut setup = buffer(2, 0.5);
        setup.scheme.cache.throttle = throttled;
        setup
    };
    let throttled = Some(throttle(0.0, 2));
    let done = completions(&setup(throttled), (0..4).map(|page| write(0, page)).collect());
    assert_eq!(done, [0, 1, P, 2 * P]);
}

#[test]
fn throttled_writes_come_at_the_rate_of_the_flash_and_not_in_bursts() {
    // A program takes four units: without throttling four writes enter when it ends.
    let mut setup = shared_pages(buffer(64, 0.25));
    setup.host = closed(8);
    let page = 4 * XFER + TPROG;
    let longest = |setup: &Setup| {
        let requests = (0..400).map(|number| write(0, number % 97)).collect();
        let (_, record) = record(setup, requests);
        let done = &record.completions()[200..];
        let gaps = done.windows(2).map(|pair| pair[1] - pair[0]);
        (gaps.clone().max().unwrap(), gaps.sum::<u64>() / (done.len() as u64 - 1))
    };
    let (burst, mean) = longest(&setup);
    assert!(burst > page * 9 / 10, "{burst}");
    setup.scheme.cache.throttle = Some(throttle(0.25, page));
    let (even, same) = longest(&setup);
    assert!(even < page / 2 && even > page / 8, "{even} of {page}");
    assert!(same.abs_diff(mean) < mean / 50, "{same}, {mean}");
}

/// A buffer into which one unit may enter each gap while the host reads, behind a burst; four units fill a flash page.
fn rate_limited(gap_ns: u64, burst_units: u64, beside_reads_ns: u64) -> Setup {
    let mut setup = shared_pages(buffer(64, 0.25));
    setup.scheme.cache.rate_limit =
        Some(RateLimitConfig { gap_ns, by_moves: false, burst_units, beside_reads_ns });
    setup
}

#[test]
fn writes_beside_reads_enter_at_a_bounded_rate_behind_a_burst() {
    const GAP: u64 = 10_000;
    let setup = rate_limited(GAP, 4, 1_000_000);
    let writes = (0..8).map(|page| write(0, page));
    let (report, record) = record(&setup, [read(0, 40)].into_iter().chain(writes.clone()).collect());
    assert_eq!(record.completions()[1..], [0, 0, 0, 0, GAP, 2 * GAP, 3 * GAP, 4 * GAP]);
    assert_eq!(blamed(&report, "buffer"), u128::from(10 * GAP));
    // Without a read they enter at once; so they do when the last read is long past.
    assert_eq!(completions(&setup, writes.clone().collect()), [0; 8]);
    let late = writes.map(|write| HostRequest { time: Ns(1_000_001), ..write });
    let done = completions(&setup, [read(0, 40)].into_iter().chain(late).collect());
    assert_eq!(done[1..], [1_000_001; 8]);
}

#[test]
fn writes_that_wait_for_the_bound_on_their_rate_still_fill_whole_flash_pages() {
    // Slower than the flash, so that the buffer is nearly empty; a program takes four units.
    let mut setup = rate_limited(2 * TPROG, 1, 1_000_000_000);
    setup.host = closed(8);
    let requests = [read(0, 40)].into_iter().chain((0..200).map(|number| write(0, number % 97)));
    let (report, _) = record(&setup, requests.collect());
    let programs = report.flash.by_class["write_back_program"].operations;
    assert_eq!(programs, counts(&report).write_backs.div_ceil(4), "{programs}");
}

#[test]
fn a_bound_on_the_rate_that_lets_nothing_in_or_never_holds_is_refused() {
    for (limit, key) in [
        ((0, 1, 1), "rate_limit.gap_ns = 0: allowed: 1 to"),
        ((1, 0, 1), "rate_limit.burst_units = 0: allowed: 1 to"),
        ((1, 1, 0), "rate_limit.beside_reads_ns = 0: allowed: 1 to"),
    ] {
        let (gap_ns, burst_units, beside_reads_ns) = limit;
        let rate_limit = Some(RateLimitConfig { gap_ns, by_moves: false, burst_units, beside_reads_ns });
        let error = CacheConfig { rate_limit, ..CacheConfig::default() }.validate().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_throttle_that_begins_nowhere_or_holds_nothing_is_refused() {
    for (throttle, key) in [
        (throttle(1.0, 1), "throttle.from = 1: allowed: 0 to 0.99"),
        (throttle(0.5, 0), "throttle.gap_ns = 0: allowed: 1 to"),
    ] {
        let cache = CacheConfig { throttle: Some(throttle), ..CacheConfig::default() };
        let error = cache.validate().unwrap_err().to_string();
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn a_flush_is_answered_when_what_was_dirty_at_its_arrival_is_programmed() {
    let requests = vec![
        write(0, 0),
        write(0, 1),
        write(0, 2),
        flush(10),
        write(20, 3),
        flush(10_000_000),
        flush(20_000_000),
    ];
    let (report, record) = record(&buffer(8, 1.0), requests);
    let done = record.completions();
    assert_eq!(done[3], 10 + 3 * P, "three pages of one die");
    assert_eq!(done[5..], [10_000_000 + P, 20_000_000], "the fourth; then nothing is dirty");
    assert_eq!(counts(&report).write_backs, 4);
}

#[test]
fn a_flush_waits_for_a_unit_that_is_programmed_already_and_was_written_again() {
    // The first flush sends version 1. Version 2 comes while that is programmed; the second flush covers both.
    let requests = vec![write(0, 0), flush(0), write(1000, 0), flush(2000)];
    let (_, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, P, 1000, 2 * P]);
}

#[test]
fn a_write_with_fua_is_answered_when_it_is_programmed() {
    let (report, record) = record(&buffer(8, 1.0), vec![fua(0, 0), read(10, 0), fua(10_000_000, 1)]);
    assert_eq!(record.completions(), [P, 10, 10_000_000 + P]);
    assert_eq!(blamed(&report, "cell"), u128::from(2 * TPROG));
    assert_eq!(blamed(&report, "transfer"), u128::from(2 * XFER));
}

#[test]
fn a_write_with_fua_waits_for_the_write_back_that_carries_its_unit() {
    // Page 0 is queued behind page 1 as its FUA write comes: that program will carry the newer data.
    let requests = vec![write(0, 1), write(0, 0), flush(0), fua(100, 0)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, 0, 2 * P, 2 * P]);
    assert_eq!(report.flash.programs, 2);
    assert_eq!(blamed(&report, "write_back"), u128::from(2 * P - 100));
    // Page 1 is being programmed when its FUA write comes: it must be programmed once more.
    let requests = vec![write(0, 1), flush(0), fua(100, 1)];
    assert_eq!(completions(&buffer(8, 1.0), requests), [0, P, 2 * P]);
}

#[test]
fn a_large_write_with_fua_fills_whole_flash_pages() {
    let setup = shared_pages(buffer(16, 1.0));
    let (report, record) = record(&setup, vec![request(0, HostOp::WriteFua, 4, 8)]);
    assert_eq!((report.flash.programs, record.completions()), (2, vec![2 * (4 * XFER + TPROG)]));
}

#[test]
fn trim_drops_what_is_cached_and_releases_a_flush() {
    let requests = vec![write(0, 0), write(0, 1), flush(10), trim(20, 1), read(30, 1)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions()[2..], [10 + P, 20, 30], "page 1 need not be programmed any more");
    assert_eq!(report.drive.unmapped_reads, 1);
    // Page 0 is being programmed as it is trimmed; page 1 is written again on its way, and then trimmed.
    let requests = vec![write(0, 0), write(0, 1), flush(10), trim(20, 0), write(P + 30, 1), trim(P + 40, 1)];
    let (_, record) = common::record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions()[2], P + 40, "nothing is left that must be programmed");
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
fn all_rewrites() -> impl Iterator<Item = (CacheKind, Rewrites)> {
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

#[test]
fn a_whole_flash_page_goes_before_an_older_unit_that_would_go_alone() {
    let mut setup = shared_pages(cached(setup(device(2, 1, 1, 1)), CacheKind::WriteBuffer, 16, 5.0 / 16.0));
    setup.scheme.cache.dirty_low = Some(1.0 / 16.0);
    let requests = vec![write(0, 0), write(0, 4), write(0, 5), write(0, 6), write(0, 7), read(10_000_000, 0)];
    let (report, record) = record(&setup, requests);
    assert_eq!((report.flash.programs, counts(&report).write_backs), (1, 4));
    assert_eq!(record.completions()[5], 10_000_000, "the older one is still there");
}

#[test]
fn an_lru_cache_keeps_what_was_read_and_gives_up_what_was_used_longest_ago() {
    let apart = 100_000;
    let pages = [0, 1, 0, 2, 0, 1];
    let requests: Vec<_> = pages.iter().zip(0..).map(|(&page, number)| read(number * apart, page)).collect();
    let (report, record) = record(&lru(2, 1.0), requests.clone());
    let latencies: Vec<_> = record.completions().iter().zip(0..).map(|(done, n)| done - n * apart).collect();
    let miss = TR + XFER;
    assert_eq!(latencies, [miss, miss, 0, miss, 0, miss]);
    assert_eq!((counts(&report).evictions, counts(&report).read_hits), (2, 2));
    let mut setup = lru(2, 1.0);
    setup.scheme.cache.admit_reads = ReadAdmission::None;
    assert_eq!(counts(&common::record(&setup, requests).0).read_hits, 0);
}

#[test]
fn write_back_begins_at_the_high_watermark_and_ends_at_the_low_one() {
    let mut setup = buffer(8, 0.5);
    setup.scheme.cache.dirty_low = Some(0.25);
    let (report, _) = record(&setup, (0..3).map(|page| write(0, page)).collect());
    assert_eq!(report.flash.programs + counts(&report).write_backs, 0);
    let mut drive = setup.prepare(&[]).unwrap();
    let mut four = Listed((0..4).map(|page| write(page, page)).collect());
    wordline_engine::replay(&setup, &mut drive, &mut four, &mut wordline_engine::Unobserved).unwrap();
    assert_eq!(drive.report().flash.programs, 2, "of four, until two are left");
}

#[test]
fn dirty_units_are_counted_over_time() {
    let mut requests = vec![write(0, 0), write(0, 1), flush(1000)];
    requests.push(read(1000 + 4 * P, 9));
    let (report, record) = record(&buffer(8, 1.0), requests);
    let end = record.completions()[3] as f64;
    // Two until the die takes the first program at once, one until it takes the second.
    let area = 2.0 * 1000.0 + P as f64;
    assert_eq!((counts(&report).dirty_mean, counts(&report).dirty_max), (area / end, 2));
}

/// Write amplification of random writes of 4 KiB on flash pages of 16 KiB, one at a time.
fn amplification(policy: CacheKind, placement: PlacementKind) -> f64 {
    let mut setup = shared_pages(cached(setup(device(4, 1, 1, 2)), policy, 256, 0.5));
    setup.device.geometry.blocks = 64;
    setup.scheme.placement.policy = placement;
    setup.start = start(Occupancy::None, 0.0);
    setup.host = closed(8);
    let mut random = Random(4);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let report = run(&setup, &mut made(4_000, |_| write(0, random.below(pages)))).unwrap();
    let by_cause = &report.waf_by_cause;
    by_cause["host"] + by_cause.get("write_back").unwrap_or(&0.0)
}

#[test]
fn small_writes_on_large_flash_pages_cost_no_more_than_their_bytes_with_a_buffer() {
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        assert!(amplification(CacheKind::None, placement) > 2.0);
        for policy in [CacheKind::WriteBuffer, CacheKind::Lru] {
            let with = amplification(policy, placement);
            assert!(with < 1.02, "{policy:?} {placement:?}: {with}");
        }
    }
}

/// Requests of all kinds, many of them to few pages.
fn mixed(seed: u64, count: u64, bytes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let op = match random.below(24) {
                0 => HostOp::Flush,
                1 | 2 => HostOp::Trim,
                3 => HostOp::WriteFua,
                4..=11 => HostOp::Read,
                _ => HostOp::Write,
            };
            let space = [bytes, bytes / 8, bytes / 64][random.below(3) as usize].max(1);
            let (mut offset, mut length) = (random.below(space), 1 + random.below(20_000));
            match random.below(4) {
                0 => {}
                1 => (offset, length) = (offset / 512 * 512, length.div_ceil(512) * 512),
                _ => (offset, length) = (offset / 2048 * 2048, length.div_ceil(2048) * 2048),
            }
            HostRequest {
                time: Ns(number * 20_000),
                op,
                offset,
                length: length.min(bytes - offset),
                flow: 0,
                stream: 0,
            }
        })
        .collect()
}

/// A small drive that collects all the time.
fn collecting() -> Setup {
    let mut drive = device(2, 2, 1, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (16, 6);
    drive.geometry.page_bytes = 8192;
    drive.geometry.mapping_unit_bytes = 2048;
    drive.capacity.overprovisioning = Some(0.5);
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.2;
    setup.start = start(Occupancy::Share(0.9), 2.0);
    setup
}

#[test]
fn random_runs_pass_the_audit_with_every_size_and_threshold() {
    let mut seed = 0;
    for (policy, rewrites) in all_rewrites() {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            for (units, high, low) in [(4, 0.0, 0.0), (8, 1.0, 1.0), (40, 0.5, 0.1), (400, 0.9, 0.0)] {
                for dram in [
                    DramConfig::default(),
                    DramConfig {
                        bytes: None,
                        access_ns: 700,
                        bytes_per_s: Some(1 << 30),
                        ..DramConfig::default()
                    },
                ] {
                    let mut setup = cached(collecting(), policy, units, high);
                    setup.scheme.cache.dirty_low = Some(low);
                    setup.scheme.cache.rewrites = rewrites;
                    setup.scheme.placement.policy = placement;
                    setup.device.dram = dram;
                    setup.scheme.mapping.unmapped_reads =
                        if seed % 3 == 0 { UnmappedReads::Allocate } else { UnmappedReads::Zeros };
                    setup.host = if seed % 2 == 0 { closed(16) } else { setup.host };
                    seed += 1;
                    let requests = mixed(seed, 1_500, setup.logical_bytes().unwrap());
                    let what = format!("{policy:?} {rewrites:?} {placement:?} {units} {high} {low}");
                    let report =
                        run(&setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
                    let counts = counts(&report);
                    assert!(report.gc.moved_units > 0 && counts.merges > 0, "{what}: {counts:?}");
                    assert!(counts.read_hits > 0 && counts.write_hits > 0, "{what}: {counts:?}");
                    assert!(units > 40 || counts.stalls > 0, "{what}: {counts:?}");
                }
            }
        }
    }
}

#[test]
fn a_cache_works_with_whatever_else_a_drive_may_have() {
    type Change = fn(&mut Setup);
    let parts: [(&str, Change); 6] = [
        ("program units", |setup| {
            setup.device.geometry.pages_per_program = 3;
            setup.device.capacity.overprovisioning = Some(0.75);
        }),
        ("second servers", |setup| setup.scheme.ideal.second_server = SecondServer::DieAndChannel),
        ("firmware", |setup| {
            (setup.scheme.firmware.write_request_ns, setup.scheme.firmware.map_update_ns) = (3_000, 700);
        }),
        ("decoding", |setup| {
            setup.device.errors = Some(ErrorsConfig { decode_ns: 9_000, ..ErrorsConfig::default() });
        }),
        ("cache operations and copyback", |setup| {
            (setup.device.cache_mode.read, setup.device.cache_mode.program) = (true, true);
            setup.device.copyback.supported = true;
        }),
        ("suspension, superblocks and a link", |setup| {
            setup.device.suspend.program_ns = Some(20_000);
            setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
            setup.scheme.blocks.superblock = SuperblockSpan::Die;
            setup.device.link.bytes_per_s = Some(1 << 30);
        }),
    ];
    for (number, (what, change)) in parts.into_iter().enumerate() {
        for (policy, rewrites) in all_rewrites() {
            let mut setup = cached(collecting(), policy, 40, 0.5);
            setup.scheme.cache.rewrites = rewrites;
            setup.scheme.cache.throttle = (rewrites == Rewrites::Append).then_some(throttle(0.25, 30_000));
            setup.device.dram.access_ns = 300;
            change(&mut setup);
            let requests = mixed(number as u64, 1_500, setup.logical_bytes().unwrap());
            let report = run(&setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(counts(&report).merges > 0 && report.gc.moved_units > 0, "{what}");
        }
    }
}

/// What holds writes back by moves, as `holds` sets it, holds them only where victims have what to move; `first` comes before them.
fn holds_only_for_moves(first: Option<HostRequest>, holds: impl Fn(&mut CacheConfig, bool)) {
    let answers = |filled: bool, by_moves: Option<bool>| {
        let mut setup = cached(collecting(), CacheKind::WriteBuffer, 40, 0.5);
        if !filled {
            setup.start = start(Occupancy::Share(0.0), 0.0);
        }
        if let Some(by_moves) = by_moves {
            holds(&mut setup.scheme.cache, by_moves);
        }
        let writes = (0..300).map(|number| write(number * 30_000, number * 7 % 150));
        completions(&setup, first.into_iter().chain(writes).collect())
    };
    assert_ne!(answers(false, Some(false)), answers(false, None));
    assert_eq!(answers(false, Some(true)), answers(false, None), "nothing is moved on an empty drive");
    let (plain, held, most) = (answers(true, None), answers(true, Some(true)), answers(true, Some(false)));
    assert!(plain != held && held != most, "a part of the gap, where victims are partly valid");
}

#[test]
fn a_throttle_for_moves_holds_writes_only_where_victims_have_what_to_move() {
    holds_only_for_moves(None, |cache, by_moves| {
        cache.throttle = Some(ThrottleConfig { by_moves, ..throttle(0.25, 90_000) });
    });
}

#[test]
fn a_bound_on_the_rate_for_moves_holds_writes_only_where_victims_have_what_to_move() {
    holds_only_for_moves(Some(read(0, 3)), |cache, by_moves| {
        let (gap_ns, burst_units, beside_reads_ns) = (90_000, 3, 1_000_000_000);
        cache.rate_limit = Some(RateLimitConfig { gap_ns, by_moves, burst_units, beside_reads_ns });
    });
}

#[test]
fn a_bound_on_the_rate_for_moves_holds_in_the_steady_state_from_the_first_write_on() {
    const GAP: u64 = 100_000;
    // By the formula, and by overwrites without simulated time.
    for overwrite in [0.0, 1.0] {
        let mut setup = cached(setup(device(2, 2, 1, 1)), CacheKind::WriteBuffer, 64, 0.5);
        setup.device.capacity.overprovisioning = Some(0.2);
        setup.scheme.blocks.superblock = SuperblockSpan::Drive;
        setup.scheme.gc.pace = Some(PaceConfig { band: 2 });
        let layout = if overwrite == 0.0 { StartLayout::Steady } else { StartLayout::InOrder };
        setup.start = StartConfig { layout, ..start(Occupancy::All, overwrite) };
        setup.scheme.cache.rate_limit = Some(RateLimitConfig {
            gap_ns: GAP,
            by_moves: true,
            burst_units: 1,
            beside_reads_ns: 1_000_000_000,
        });
        let done = completions(&setup, vec![read(0, 3), write(0, 50), write(0, 60), write(0, 70)]);
        assert_eq!((done[1], done[3]), (0, 2 * done[2]));
        assert!((GAP / 4..GAP).contains(&done[2]), "{overwrite}: {done:?}");
    }
}

#[test]
fn a_run_with_a_cache_repeats_byte_for_byte() {
    let result = || {
        let setup = cached(collecting(), CacheKind::Lru, 40, 0.5);
        let requests = mixed(7, 1_000, setup.logical_bytes().unwrap());
        serde_json::to_string(&run(&setup, &mut Listed(requests)).unwrap()).unwrap()
    };
    assert_eq!(result(), result());
}

/// Keeps even pages only; gives up and writes back the youngest.
struct Contrary;

impl CachePolicy for Contrary {
    fn admits_read(&mut self, lpa: Lpa) -> bool {
        lpa.0.is_multiple_of(2)
    }
    fn refreshes(&mut self, _lpa: Lpa, access: Access) -> bool {
        access == Access::Read
    }
    fn keeps(&mut self, lpa: Lpa) -> bool {
        lpa.0.is_multiple_of(2)
    }
    fn evict(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.clean().last()
    }
    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.dirty().last()
    }
}

/// Names what is not there.
struct Wrong;

impl CachePolicy for Wrong {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        true
    }
    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn write_back(&mut self, view: &CacheView<'_>) -> Option<Lpa> {
        view.dirty().next().map(|lpa| Lpa(lpa.0 + 1_000_000))
    }
}

/// Keeps all and gives up nothing.
struct Miser;

impl CachePolicy for Miser {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        true
    }
    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }
    fn evict(&mut self, _view: &CacheView<'_>) -> Option<Lpa> {
        None
    }
}

fn with(policy: Box<dyn CachePolicy + Send>) -> Result<Report, wordline_engine::RunError> {
    let setup = cached(collecting(), CacheKind::Lru, 40, 0.5);
    let mut drive = setup.prepare(&[]).unwrap();
    drive.set_cache_policy(policy);
    let requests = mixed(3, 1_500, drive.logical_bytes());
    record_on(&setup, drive, &mut Listed(requests)).map(|(report, _)| report)
}

#[test]
fn a_policy_of_ones_own_works_and_one_that_names_what_is_not_cached_is_told_so() {
    assert!(counts(&with(Box::new(Contrary)).unwrap()).evictions > 0);
    let error = with(Box::new(Wrong)).unwrap_err().to_string();
    assert!(error.contains("the cache policy chose") && error.contains("no dirty unit"), "{error}");
    let error = with(Box::new(Miser)).unwrap_err().to_string();
    assert!(error.contains("gives up none of 40 clean units"), "{error}");
}

#[test]
fn the_cache_takes_what_the_others_leave_and_the_report_says_who_uses_what() {
    let mut setup = lru(8, 0.5);
    let map = 4 * setup.logical_bytes().unwrap() / 4096;
    setup.device.dram.bytes = Some(map + 10 * 4096 + 100);
    let dram = |setup: &Setup| record(setup, vec![read(0, 0)]).0;
    let report = dram(&setup).dram;
    assert_eq!(report.free_bytes, Some(2 * 4096 + 100));
    assert_eq!((report.bytes_by_user["map"], report.bytes_by_user["data_cache"]), (map, 8 * 4096));
    setup.scheme.cache.bytes = CacheBytes::Rest;
    let report = dram(&setup);
    assert_eq!((report.dram.free_bytes, counts(&report).capacity_units), (Some(0), 10));
}

#[test]
fn descriptions_that_do_not_fit_say_which_key_and_why() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = lru(8, 0.5);
        change(&mut setup);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    let over = refused(&|setup| setup.device.dram.bytes = Some(20_000));
    assert!(over.starts_with("device.dram.bytes = 20000: allowed: at least "), "{over}");
    assert!(over.contains("map ") && over.contains("data_cache 32768"), "{over}");
    let rest = refused(&|setup| setup.scheme.cache.bytes = CacheBytes::Rest);
    assert!(rest.starts_with("scheme.cache.bytes = rest: allowed: a number"), "{rest}");
    let small = refused(&|setup| setup.scheme.cache.bytes = CacheBytes::Bytes(4095));
    assert_eq!(small, "scheme.cache.bytes = 4095: allowed: at least the 4096 bytes of a flash page");
    let low = refused(&|setup| setup.scheme.cache.dirty_low = Some(0.6));
    assert_eq!(low, "scheme.cache.dirty_low = 0.6: allowed: 0 to 0.5");
    let text = "name = \"x\"\n[cache]\npolicy = \"lru\"\nbytes = \"most\"\n";
    let layer = wordline_engine::config::Layer::from_toml("x.toml", text).unwrap();
    let error = wordline_engine::config::Layers::new()
        .with(layer.under("scheme"))
        .resolve::<wordline_engine::config::SchemeConfig>("scheme")
        .unwrap_err()
        .to_string();
    assert!(error.contains("cache.bytes") && error.contains("a number of bytes, or rest"), "{error}");
}
