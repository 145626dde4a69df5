//! When dirty units go to flash, which, and how many at a time.

use super::harness::{ACCESS, Alone, Did, PROGRAM, READ, UNIT, described};
use wordline_base::parts::Part;
use wordline_config::cache::CacheKind::WriteBuffer;

#[test]
fn a_full_buffer_sends_its_oldest_unit_and_a_write_enters_as_that_is_programmed() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write_all(0..4);
    let waits = drive.write(4);
    drive.run_dry();
    assert_eq!(drive.did, [(0, Did::Program(0)), (PROGRAM, Did::Program(1))]);
    assert_eq!(drive.done(waits), Some(PROGRAM + ACCESS));
    assert!(drive.blamed.contains(&(waits, Part::Buffer, PROGRAM)));
    let counts = drive.counts();
    assert_eq!((counts.stalls, counts.write_misses, counts.write_backs, counts.dirty_max), (1, 5, 2, 4));
}

#[test]
fn a_unit_is_sent_for_each_write_that_waits() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write_all(0..4);
    let waiting = [4, 5].map(|lpa| drive.write(lpa));
    drive.run(PROGRAM - 1);
    assert_eq!(drive.did, [(0, Did::Program(0)), (0, Did::Program(1))]);
    drive.run_dry();
    assert_eq!(
        waiting.map(|request| drive.done(request)),
        [Some(PROGRAM + ACCESS), Some(PROGRAM + 2 * ACCESS)]
    );
}

#[test]
fn write_back_begins_at_the_high_watermark_and_ends_at_the_low_one() {
    let mut described = described(WriteBuffer);
    described.cache.dirty_low = Some(0.25);
    let mut drive = Alone::new(&described);
    drive.write_all(0..3);
    drive.run(1_000);
    assert_eq!(drive.did, []);
    drive.write(3);
    drive.run_dry();
    let expected = [(1_000, Did::Program(0)), (1_000, Did::Program(1)), (1_000 + PROGRAM, Did::Program(2))];
    assert_eq!((&drive.did[..], drive.cached()), (&expected[..], vec![3]));
}

#[test]
fn while_as_many_are_on_their_way_as_may_be_even_units_that_are_held_wait() {
    let mut described = described(WriteBuffer);
    described.cache.max_write_backs = 1;
    let mut drive = Alone::new(&described);
    drive.write_all(0..4);
    let held = drive.write(2);
    drive.run_dry();
    assert_eq!((drive.done(held), drive.counts().write_hits), (Some(PROGRAM + ACCESS), 1));
}

#[test]
fn the_first_write_of_a_page_in_a_period_goes_at_once() {
    let mut described = described(WriteBuffer);
    described.cache.cold_period_ns = Some(10 * PROGRAM);
    let mut drive = Alone::new(&described);
    drive.write(3);
    drive.run(2 * PROGRAM);
    drive.write(3);
    drive.run(9 * PROGRAM);
    assert_eq!((drive.programmed(), drive.cached()), (vec![3], vec![3]));
    drive.write(5);
    assert_eq!(drive.did.last(), Some(&(9 * PROGRAM, Did::Program(5))));
}

#[test]
fn a_page_is_filled_with_the_dirty_neighbours_of_its_unit_and_then_with_the_oldest() {
    let programmed = |units: [u32; 4]| {
        let mut described = described(WriteBuffer);
        (described.units_per_page, described.fixed) = (2, true);
        let mut drive = Alone::new(&described);
        drive.write_all(units);
        drive.run_dry();
        assert!(drive.did.iter().all(|&(at, _)| at == 0), "one page");
        drive.programmed()
    };
    assert_eq!(programmed([0, 4, 8, 1]), [0, 1]);
    assert_eq!(programmed([1, 4, 8, 0]), [1, 0]);
    assert_eq!(programmed([0, 4, 8, 2]), [0, 4]);
    // The first plane has no whole page, the second has.
    assert_eq!(programmed([0, 2, 6, 3]), [2, 3]);
    assert_eq!(programmed([0, 2, 6, 10]), [2, 6]);
}

#[test]
fn units_of_one_stream_fill_a_page() {
    let mut described = described(WriteBuffer);
    (described.units_per_page, described.points) = (2, 2);
    let mut drive = Alone::new(&described);
    for (lpa, stream) in [(9, 0), (8, 1), (11, 1), (14, 1)] {
        drive.write_bytes(lpa * UNIT, UNIT, stream, false);
    }
    drive.run_dry();
    assert_eq!((drive.programmed(), drive.cached()), (vec![8, 11], vec![9, 14]));
}

#[test]
fn streams_with_a_whole_page_go_before_many_units_of_slow_ones_and_of_these_the_one_that_waits_longest() {
    let mut described = described(WriteBuffer);
    (described.units_per_page, described.points, described.capacity) = (16, 5, 80);
    // It begins with the last of these writes, and one page is enough.
    described.cache.dirty_high = 65.0 / 80.0;
    let mut drive = Alone::new(&described);
    let mut write = |lpa: u64, stream| drive.write_bytes(lpa * UNIT, UNIT, stream, false);
    (0..33).for_each(|lpa| assert!(write(lpa, lpa as u16 % 3) < 33));
    (100..116).for_each(|lpa| assert!(write(lpa, 4) >= 33));
    (200..216).for_each(|lpa| assert!(write(lpa, 3) >= 49));
    drive.run_dry();
    assert_eq!(drive.programmed(), (100..116).collect::<Vec<_>>());
}

#[test]
fn units_of_a_plane_that_collects_stay_while_others_go() {
    let mut described = described(WriteBuffer);
    (described.fixed, described.cache.past_collection) = (true, true);
    let mut drive = Alone::new(&described);
    drive.collect(0, true);
    drive.write_all([0, 2, 4, 6]);
    drive.run(1_000);
    assert_eq!(drive.did, [], "all would go to the first plane");
    drive.collect(0, false);
    assert_eq!(drive.did, [(1_000, Did::Program(0))]);
    drive.collect(0, true);
    drive.write_all([1, 3]);
    drive.run(1_000 + PROGRAM);
    assert_eq!(drive.did[1..], [(1_000 + PROGRAM, Did::Program(1))]);
}

#[test]
fn past_a_plane_that_collects_the_oldest_of_the_others_goes_first_whatever_its_stream() {
    let mut described = described(WriteBuffer);
    (described.fixed, described.points, described.cache.past_collection) = (true, 2, true);
    let mut drive = Alone::new(&described);
    drive.collect(0, true);
    for (lpa, stream) in [(0, 0), (1, 1), (3, 0), (2, 0)] {
        drive.write_bytes(lpa * UNIT, UNIT, stream, false);
    }
    assert_eq!(drive.did, [(0, Did::Program(1))]);
}

#[test]
fn what_a_unit_lacks_that_flash_has_is_read_before_it_is_programmed() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.write_sector(3);
    let flush = drive.flush();
    drive.run_dry();
    assert_eq!(drive.did, [(0, Did::Read(3)), (READ, Did::Program(3))]);
    assert_eq!((drive.done(flush), drive.counts().merges), (Some(READ + PROGRAM), 1));
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write_sector(3);
    drive.flush();
    drive.run_dry();
    assert_eq!(
        (&drive.did[..], drive.counts().merges),
        (&[(0, Did::Program(3))][..], 0),
        "flash has nothing"
    );
}

#[test]
fn units_that_were_completed_are_programmed_together_when_the_last_is_read() {
    let mut described = described(WriteBuffer);
    described.units_per_page = 2;
    let mut drive = Alone::filled(&described);
    // Both on the second plane.
    drive.write_sector(3);
    drive.write_sector(5);
    let flush = drive.flush();
    drive.run_dry();
    let expected =
        [(0, Did::Read(3)), (READ, Did::Read(5)), (2 * READ, Did::Program(3)), (2 * READ, Did::Program(5))];
    assert_eq!((&drive.did[..], drive.done(flush)), (&expected[..], Some(2 * READ + PROGRAM)));
    assert_eq!(drive.flash[&3].0.0 % 2, drive.flash[&5].0.0 % 2, "on one plane");
}

#[test]
fn four_units_are_sent_to_be_completed_for_one_that_fills_a_page() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    (0..4).for_each(|lpa| assert_eq!(drive.write_sector(lpa), lpa));
    drive.run(READ - 1);
    assert_eq!(drive.did, [(0, Did::Read(0)), (0, Did::Read(1))]);
    assert_eq!(drive.counts().merges, 4);
}

#[test]
fn a_page_that_is_complete_does_not_wait_for_others() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.write_sector(1);
    drive.write_sector(3);
    drive.flush();
    drive.run_dry();
    // Both are read from the second plane.
    let expected =
        [(0, Did::Read(1)), (READ, Did::Program(1)), (READ, Did::Read(3)), (2 * READ, Did::Program(3))];
    assert_eq!(drive.did, expected);
}

#[test]
fn a_unit_that_was_completed_is_read_from_the_cache_though_its_program_waits() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.write(0);
    drive.write_sector(3);
    drive.flush();
    drive.read(1);
    drive.run(READ + 1_000);
    assert_eq!(drive.did, [(0, Did::Program(0)), (0, Did::Read(3)), (READ, Did::Read(1))]);
    let read = drive.read(3);
    drive.run_dry();
    assert_eq!(drive.done(read), Some(READ + 1_000 + ACCESS));
}
