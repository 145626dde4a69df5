//! What holds writes back though there is room, and write-back though there is something to write.

use super::harness::{ACCESS, Alone, Did, PROGRAM, described};
use wordline_base::parts::Part;
use wordline_config::cache::CacheKind::WriteBuffer;
use wordline_config::cache::{PauseConfig, RateLimitConfig, ThrottleConfig};

#[test]
fn write_back_pauses_after_so_many_units_and_no_more_writes_enter_than_the_pause_has_room_for() {
    let mut described = described(WriteBuffer);
    (described.capacity, described.cache.dirty_high, described.cache.dirty_low) = (8, 0.5, Some(0.25));
    described.cache.pause = Some(PauseConfig { every_units: 1, ns: 50_000, room_units: Some(1) });
    let mut drive = Alone::new(&described);
    drive.write_all(0..4);
    drive.run(1_000);
    assert_eq!(drive.did, [(0, Did::Program(0))]);
    let (enters, waits) = (drive.write(5), drive.write(6));
    drive.run(50_000 + 2 * ACCESS);
    assert_eq!((drive.done(enters), drive.done(waits)), (Some(1_000 + ACCESS), Some(50_000 + ACCESS)));
    assert!(drive.blamed.contains(&(waits, Part::Buffer, 49_000)));
    // No pause for as long as one lasts, since a write had to wait.
    assert_eq!(drive.did[1..], [(50_000, Did::Program(1))]);
    drive.run_dry();
    assert_eq!(drive.programmed(), [0, 1, 2, 3]);
    assert_eq!(drive.cached(), [5, 6]);
}

#[test]
fn no_pause_begins_while_a_write_waits() {
    let mut described = described(WriteBuffer);
    (described.fixed, described.cache.past_collection) = (true, true);
    described.cache.pause = Some(PauseConfig { every_units: 1, ns: 50_000, room_units: None });
    let mut drive = Alone::new(&described);
    drive.collect(0, true);
    // One is sent, the others are for the first plane; two wait for room, longer than a pause lasts.
    drive.write_all([1, 0, 2, 4, 6, 8]);
    drive.run(60_000);
    assert_eq!(drive.did, [(0, Did::Program(1))]);
    drive.collect(0, false);
    assert_eq!(drive.did[1..], [(60_000, Did::Program(0))]);
}

#[test]
fn throttled_units_enter_one_by_one_with_a_gap_that_grows() {
    let mut described = described(WriteBuffer);
    described.cache.throttle = Some(ThrottleConfig { from: 0.5, gap_ns: 1_000, by_moves: false });
    let mut drive = Alone::new(&described);
    // Half of the excess behind the third, all of it behind the fourth, which then waits for a program in any case.
    let writes = [0, 1, 2, 3].map(|lpa| drive.write(lpa));
    drive.run_dry();
    assert_eq!(
        writes.map(|write| drive.done(write)),
        [100, 200, 300, 600].map(Some),
        "the fourth enters at 500 ns"
    );
    assert!(drive.blamed.contains(&(writes[3], Part::Buffer, 500)));
    assert_eq!(drive.did, [(0, Did::Program(0))], "a unit is sent for the write that waits");
}

#[test]
fn a_write_that_comes_as_another_may_enter_goes_behind_it() {
    let mut described = described(WriteBuffer);
    (described.capacity, described.cache.dirty_low) = (8, Some(0.8));
    described.cache.throttle = Some(ThrottleConfig { from: 0.25, gap_ns: 6_000, by_moves: false });
    let mut drive = Alone::new(&described);
    drive.write_all([0, 1, 2]);
    let first = drive.write(3);
    drive.run_before(1_000);
    let second = drive.write(4);
    drive.run_dry();
    // The gaps behind the third and the fourth.
    assert_eq!((drive.done(first), drive.done(second)), (Some(1_000 + ACCESS), Some(3_000 + ACCESS)));
}

#[test]
fn beside_reads_units_enter_at_the_rate_of_their_tokens() {
    let mut described = described(WriteBuffer);
    let limit = RateLimitConfig { gap_ns: 1_000, by_moves: false, burst_units: 2, beside_reads_ns: 10_000 };
    described.cache.rate_limit = Some(limit);
    let mut drive = Alone::filled(&described);
    drive.read(9);
    let writes = [0, 1, 2].map(|lpa| drive.write(lpa));
    drive.run(PROGRAM);
    assert_eq!(writes.map(|write| drive.done(write)), [100, 200, 1_100].map(Some));
    let later = [5, 6, 7].map(|lpa| drive.write(lpa));
    drive.run(2 * PROGRAM);
    let entered = |write: u32| !drive.blamed.iter().any(|&(of, part, _)| of == write && part == Part::Buffer);
    assert!(entered(later[0]), "nobody has read for so long");
}
