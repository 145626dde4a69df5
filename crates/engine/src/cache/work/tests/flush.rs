//! Flushes.

use super::harness::{Alone, PROGRAM, described};
use wordline_base::parts::Part;
use wordline_config::cache::CacheKind::WriteBuffer;

#[test]
fn one_is_done_when_the_last_dirty_unit_is_in_flash() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write_all(0..3);
    drive.run(1_000);
    let flush = drive.flush();
    drive.run_dry();
    // Two planes take three pages.
    assert_eq!(drive.done(flush), Some(1_000 + 2 * PROGRAM));
    assert_eq!(drive.blamed.last(), Some(&(flush, Part::WriteBack, 2 * PROGRAM)));
    assert_eq!((drive.cached(), drive.dirty.len()), (vec![], 0));
}

#[test]
fn one_is_done_at_once_when_nothing_is_dirty() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.run(7);
    let flush = drive.flush();
    assert_eq!((drive.done(flush), drive.in_flight()), (Some(7), 0));
}

#[test]
fn one_waits_for_what_is_being_programmed_and_for_no_later_write() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write(0);
    let first = drive.flush();
    drive.run(1_000);
    let second = drive.flush();
    drive.write(1);
    drive.run_dry();
    assert_eq!((drive.done(first), drive.done(second)), (Some(PROGRAM), Some(PROGRAM)));
    assert_eq!((drive.programmed(), drive.cached()), (vec![0], vec![1]));
}

#[test]
fn a_trim_of_the_last_unit_that_one_waits_for_ends_it() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.read(0);
    drive.read(1);
    drive.write(3);
    let flush = drive.flush();
    drive.run(5_000);
    drive.trim(3);
    assert_eq!(drive.done(flush), Some(5_000));
    drive.run_dry();
    assert_eq!((drive.programmed(), drive.flash.get(&3)), (vec![], None));
}

#[test]
fn what_one_waits_for_goes_to_a_plane_that_collects() {
    let mut described = described(WriteBuffer);
    (described.fixed, described.cache.past_collection) = (true, true);
    let mut drive = Alone::new(&described);
    drive.collect(1, true);
    drive.write(3);
    let flush = drive.flush();
    drive.run_dry();
    assert_eq!(drive.done(flush), Some(PROGRAM));
}
