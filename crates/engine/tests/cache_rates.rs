//! What holds writes back before the data cache: throttle, bound on the rate, and both by what collection moves.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::cache::{P, blamed, buffer, cached, collecting, counts, shared_pages};
use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::{CacheConfig, CacheKind, RateLimitConfig, ThrottleConfig};
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::run::{Occupancy, StartConfig, StartLayout};
use wordline_engine::config::scheme::SuperblockSpan;
use wordline_engine::host::HostRequest;
use wordline_engine::time::Ns;

pub fn throttle(from: f64, gap_ns: u64) -> ThrottleConfig {
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
