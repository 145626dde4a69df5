//! Writes with FUA.

use super::harness::{Alone, PROGRAM, READ, UNIT, described};
use wordline_base::parts::Part;
use wordline_config::cache::CacheKind::{Lru, WriteBuffer};

#[test]
fn one_is_done_when_it_is_programmed_and_may_stay() {
    for (policy, cached) in [(WriteBuffer, vec![]), (Lru, vec![3])] {
        let mut drive = Alone::new(&described(policy));
        let write = drive.write_through(3);
        drive.run_dry();
        assert_eq!((drive.done(write), drive.cached()), (Some(PROGRAM), cached));
    }
}

#[test]
fn units_of_one_page_are_programmed_together() {
    let mut described = described(WriteBuffer);
    described.units_per_page = 2;
    let mut drive = Alone::new(&described);
    let write = drive.write_bytes(2 * UNIT, 2 * UNIT, 0, true);
    drive.run_dry();
    assert_eq!((drive.done(write), drive.programmed()), (Some(PROGRAM), vec![2, 3]));
    assert_eq!(drive.flash[&2].0.0 % 2, drive.flash[&3].0.0 % 2, "on one plane");
}

#[test]
fn one_whose_unit_waits_for_its_plane_goes_with_that_program() {
    let mut drive = Alone::filled(&described(WriteBuffer));
    drive.read(0);
    drive.read(1);
    drive.write(3);
    drive.flush();
    drive.run(5_000);
    let write = drive.write_through(3);
    drive.run_dry();
    assert_eq!((drive.done(write), drive.programmed()), (Some(READ + PROGRAM), vec![3]));
    assert_eq!(drive.blamed.last(), Some(&(write, Part::WriteBack, READ + PROGRAM - 5_000)));
}

#[test]
fn one_whose_unit_is_being_programmed_waits_for_the_next_program() {
    let mut drive = Alone::new(&described(WriteBuffer));
    drive.write(3);
    drive.flush();
    drive.run(PROGRAM / 2);
    let write = drive.write_through(3);
    drive.run_dry();
    assert_eq!((drive.done(write), drive.programmed()), (Some(2 * PROGRAM), vec![3, 3]));
    assert_eq!(drive.blamed.last(), Some(&(write, Part::WriteBack, PROGRAM * 3 / 2)));
}
