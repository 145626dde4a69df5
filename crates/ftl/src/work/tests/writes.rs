//! Writes: where they go, when they take effect, and those of parts of a page.

use super::harness::{Alone, PROGRAM, READ};
use crate::events::Event;
use crate::work::Counted;
use wordline_base::ids::Lpa;

#[test]
fn pages_without_data_read_as_zeros_at_once_and_written_ones_after_one_array_read() {
    let mut drive = Alone::new(&[]);
    let zeros = drive.read(3);
    assert_eq!(drive.done(zeros), Some(0));
    assert_eq!((drive.count(&Counted::Unmapped), &drive.found[..]), (1, &[(Lpa(3), None)][..]));
    let write = drive.write(3);
    drive.run_dry();
    assert_eq!(drive.done(write), Some(PROGRAM));
    let now = drive.now();
    let read = drive.read(3);
    drive.run_dry();
    assert_eq!(drive.done(read), Some(now + READ));
    assert_eq!(drive.found.len(), 2);
    assert!(drive.found[1].1.is_some());
}

#[test]
fn four_pages_in_a_row_go_to_four_dies_side_by_side() {
    let mut drive = Alone::new(&[]);
    let writes: Vec<u32> = (0..4).map(|lpa| drive.write(lpa)).collect();
    drive.run_dry();
    let mut dies: Vec<u32> = (0..4).map(|lpa| drive.die(lpa)).collect();
    dies.sort_unstable();
    assert_eq!(dies, [0, 1, 2, 3]);
    // Two dies of a channel have their data one after the other.
    let mut ends: Vec<u64> = writes.iter().map(|&write| drive.done(write).unwrap()).collect();
    ends.sort_unstable();
    assert_eq!(ends, [PROGRAM, PROGRAM, PROGRAM + 5, PROGRAM + 5]);
}

#[test]
fn a_write_takes_effect_as_its_program_begins_and_what_it_replaced_is_given_up_as_it_ends() {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn([5]);
    let old = drive.place(5);
    let begin = drive.now();
    drive.write(5);
    let new = drive.place(5);
    assert!(new != old);
    assert!(!drive.told.contains(&(99, Event::Invalidated(old))));
    drive.run(begin + PROGRAM - 1);
    assert!(!drive.told.contains(&(99, Event::Invalidated(old))));
    drive.run(begin + PROGRAM);
    assert!(drive.told.contains(&(99, Event::Invalidated(old))));
    drive.run_dry();
}

#[test]
fn a_read_that_waits_behind_the_program_of_its_page_finds_the_new_version() {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn([5, 5]);
    drive.write(5);
    let read = drive.read(5);
    let begin = drive.now();
    drive.run_dry();
    assert_eq!(drive.done(read), Some(begin + PROGRAM + READ));
}

#[test]
fn writes_of_parts_of_a_page_follow_one_another_each_on_what_the_one_before_left() {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn([7]);
    let begin = drive.now();
    let parts = [drive.write_some(7, 512), drive.write_some(7, 1024), drive.write_some(7, 512)];
    drive.run_dry();
    // Each reads the page, and programs it anew on the next die; the next one begins as that takes effect.
    let ends = parts.map(|part| drive.done(part).unwrap() - begin);
    assert_eq!(ends[0], READ + PROGRAM);
    assert!(ends[1] > ends[0] && ends[2] > ends[1], "{ends:?}");
}

#[test]
fn a_part_of_a_page_that_holds_nothing_needs_no_read() {
    let mut drive = Alone::new(&[]);
    let part = drive.write_some(9, 512);
    drive.run_dry();
    assert_eq!(drive.done(part), Some(PROGRAM));
}

#[test]
fn a_trimmed_page_holds_nothing_and_its_place_is_given_up() {
    let mut drive = Alone::new(&[]);
    drive.write_in_turn([5]);
    let old = drive.place(5);
    drive.trim(5);
    assert!(!drive.place(5).is_some() && drive.told.contains(&(99, Event::Invalidated(old))));
    assert_eq!(drive.ftl.mapped_units(), 0);
    drive.run_dry();
}
