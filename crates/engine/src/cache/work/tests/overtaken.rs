//! A write that comes while an older version of its unit is on its way to flash.

use super::harness::{Alone, Did, PROGRAM, READ, UNIT, described};
use wordline_config::cache::CacheKind::WriteBuffer;
use wordline_config::cache::Rewrites;

/// Unit 3 is written and on its way, but both planes read until [`READ`].
fn queued(rewrites: Rewrites) -> (Alone, u32) {
    let mut described = described(WriteBuffer);
    described.cache.rewrites = rewrites;
    let mut drive = Alone::filled(&described);
    drive.read(0);
    drive.read(1);
    drive.write(3);
    let flush = drive.flush();
    drive.run(5_000);
    drive.write(3);
    (drive, flush)
}

#[test]
fn before_its_program_begins_it_goes_with_it() {
    let (mut drive, flush) = queued(Rewrites::Coalesce);
    drive.run_dry();
    assert_eq!((drive.programmed(), drive.flash[&3].1), (vec![3], 3));
    assert_eq!(drive.done(flush), Some(READ + PROGRAM));
    assert_eq!((drive.cached(), drive.counts().write_backs), (vec![], 1));
}

#[test]
fn after_its_program_has_begun_it_stays_dirty_and_the_flush_before_it_does_not_wait_for_it() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write(3);
    let flush = drive.flush();
    drive.run(PROGRAM / 2);
    drive.write(3);
    drive.run_dry();
    assert_eq!((drive.done(flush), drive.programmed()), (Some(PROGRAM), vec![3]));
    assert_eq!((drive.cached(), drive.dirty.get(&3)), (vec![3], Some(&2)));
}

#[test]
fn after_its_program_has_begun_it_follows_at_once_if_somebody_waits_for_it() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write(3);
    let first = drive.flush();
    drive.run(PROGRAM / 2);
    drive.write(3);
    let second = drive.flush();
    drive.run_dry();
    assert_eq!(drive.did, [(0, Did::Program(3)), (PROGRAM, Did::Program(3))]);
    assert_eq!((drive.done(first), drive.done(second)), (Some(PROGRAM), Some(2 * PROGRAM)));
    assert!(drive.cached().is_empty());
}

#[test]
fn older_versions_of_a_stream_fill_a_page_and_are_not_read_for_what_they_lack() {
    let mut described = described(WriteBuffer);
    (described.units_per_page, described.points) = (2, 3);
    described.cache.rewrites = Rewrites::Append;
    let mut drive = Alone::filled(&described);
    for (lpa, stream) in [(0, 0), (4, 0), (0, 1), (4, 2)] {
        drive.write_bytes(lpa * UNIT, 512, stream, false);
    }
    drive.run_dry();
    assert_eq!((&drive.did[..], drive.pages_programmed), (&[(0, Did::Nothing); 2][..], 1));
    assert_eq!((drive.cached(), drive.counts().merges), (vec![0, 4], 0));
}

#[test]
fn where_rewrites_are_appended_the_older_version_is_programmed_for_nobody() {
    let (mut drive, flush) = queued(Rewrites::Append);
    assert_eq!(drive.cache.state.table.len(), 2, "each has a place");
    drive.run_dry();
    assert_eq!(drive.did[2..], [(READ, Did::Nothing)]);
    assert_eq!(drive.done(flush), Some(READ + PROGRAM));
    assert_eq!((drive.cached(), drive.cache.state.table.len(), drive.flash[&3].1), (vec![3], 1, 1));
    assert_eq!(drive.counts().write_backs, 1);
}
