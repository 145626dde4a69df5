//! Cache programs: the data of the next program comes in while the array programs.
//!
//! In most of these a program comes at 0 ns, whose array works from 4,300 to 204,300 ns; moves between the registers take 700 ns.

use super::harness::*;
use crate::Count;
use crate::work::look_at_touched;
use wordline_base::class::Class::{self, HostProgram, HostRead};
use wordline_base::ids::DieId;
use wordline_base::parts::Part::{Cell, Command, DieWait, Transfer};

const CACHE_PROGRAMS: [(&str, &str); 2] =
    [("device.cache_mode.program", "true"), ("device.cache_mode.program_busy_ns", "700")];

fn drive(keys: &[(&str, &str)]) -> Drive {
    Drive::new(&[&CACHE_PROGRAMS, keys].concat())
}

/// Ends of the program of page 0 of block 3 and of another one that comes at this time.
fn ends(keys: &[(&str, &str)], at: u64, next: [u32; 3]) -> [u64; 2] {
    let mut drive = drive(keys);
    let programs = [(0, [0, 3, 0]), (at, next)].map(|(at, place)| drive.comes(at, HostProgram, place));
    drive.run_dry();
    programs.map(|program| drive.end(program))
}

/// The end of a program that follows the other without a pause, and of one that begins when that has ended.
const FOLLOWS: u64 = PROGRAM_ALONE + 700 + PROGRAM;
const APART: u64 = 2 * PROGRAM_ALONE;

#[test]
fn the_next_program_comes_in_beside_the_array_and_waits_for_it() {
    // When the next comes, how long it waits for the die, and then in the register.
    for (at, waits, in_register) in [(0, 4_300, 195_700), (50_000, 0, 150_000), (200_000, 0, 0)] {
        let mut drive = drive(&[]);
        let first = drive.comes(0, HostProgram, [0, 3, 0]);
        let next = drive.comes(at, HostProgram, [0, 3, 1]);
        drive.run_dry();
        assert_eq!(drive.end(first), PROGRAM_ALONE);
        let waits = waits + in_register;
        let own = [(DieWait(HostProgram), waits), (Command, 300), (Transfer, 4_000), (Cell, 200_700)];
        let skipped = usize::from(waits == 0);
        drive.ended(next, FOLLOWS, &own[skipped..]);
        assert_eq!(drive.times_of(Told::Counted(Count::CacheProgram)), [at.max(4_300)]);
    }
}

#[test]
fn an_array_that_is_done_before_the_data_is_there_waits_for_it() {
    let mut drive = drive(&[("device.cell.program_ns", "[2000]")]);
    let programs = drive.come_together(0, HostProgram, [[0, 3, 0], [0, 3, 1]]);
    drive.run_dry();
    let own = [(Command, 300), (Transfer, 4_000), (Cell, 2_700)];
    drive.ended(programs[1], 11_300, &[&own[..], &[(DieWait(HostProgram), 4_300)]].concat());
    assert_eq!(drive.end(programs[0]), 6_300);
}

#[test]
fn only_the_next_page_of_the_block_follows() {
    assert_eq!(ends(&[], 1, [0, 3, 1]), [PROGRAM_ALONE, FOLLOWS]);
    for next in [[0, 3, 2], [0, 4, 1], [1, 3, 1]] {
        assert_eq!(ends(&[], 1, next), [PROGRAM_ALONE, APART], "{next:?}");
    }
}

#[test]
fn the_first_page_of_a_block_does_not_follow_the_last_of_the_one_before() {
    let mut drive = drive(&[]);
    let programs = drive.come_together(0, HostProgram, [[0, 3, 15], [0, 4, 0]]);
    drive.run_dry();
    assert_eq!(programs.map(|program| drive.end(program)), [PROGRAM_ALONE, APART]);
}

#[test]
fn a_program_of_several_pages_is_followed_by_the_page_behind_them_and_in_slc_mode_by_the_next() {
    let two = [&TWO_BITS[..], &[("device.cell.program_ns", "[200000]")]].concat();
    let two = [&two[..], &[("device.geometry.pages_per_program", "2")]].concat();
    assert_eq!(ends(&two, 1, [0, 3, 2]), [PROGRAM_ALONE, FOLLOWS]);
    assert_eq!(ends(&two, 1, [0, 3, 1]), [PROGRAM_ALONE, APART]);
    let mut drive = drive(&two);
    drive.answers.slc_blocks.insert(3);
    let programs = drive.come_together(0, HostProgram, [[0, 3, 0], [0, 3, 1]]);
    drive.run_dry();
    assert_eq!(programs.map(|program| drive.end(program)), [154_300, 154_300 + 700 + 150_000]);
}

#[test]
fn all_planes_that_program_are_followed_or_none_is() {
    let mut drive = drive(&[]);
    let programs = drive.come_together(0, HostProgram, [[0, 3, 0], [1, 3, 0], [0, 3, 1], [1, 3, 1]]);
    drive.run_dry();
    // The command of two planes and their data take 8,370 ns.
    let end = 208_370;
    assert_eq!(programs.map(|program| drive.end(program)), [end, end, end + 200_700, end + 200_700]);
    let mut drive = self::drive(&[]);
    let programs = drive.come_together(0, HostProgram, [[0, 3, 0], [1, 3, 0], [0, 3, 1]]);
    drive.run_dry();
    assert_eq!(programs.map(|program| drive.end(program)), [end, end, end + PROGRAM_ALONE]);
}

#[test]
fn a_program_that_takes_further_units_comes_in_as_soon_as_it_is_full() {
    let mut drive = drive(&[]);
    // Operations are numbered from 0 on.
    drive.answers.open.insert(1);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let next = drive.comes(1_000, HostProgram, [0, 3, 1]);
    drive.run(50_000);
    assert!(drive.times_of(Told::Counted(Count::CacheProgram)).is_empty());
    drive.answers.open.clear();
    drive.flash.joined_at(DieId(0));
    look_at_touched(&mut drive);
    drive.run_dry();
    let waits = 49_000 + 150_000;
    let own = [(DieWait(HostProgram), waits), (Command, 300), (Transfer, 4_000), (Cell, 200_700)];
    drive.ended(next, FOLLOWS, &own);
}

#[test]
fn nothing_comes_in_while_the_scheduler_wants_something_else() {
    let mut drive = drive(&[]);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let read = drive.comes(1, HostRead, [1, 5, 0]);
    let next = drive.comes(2, HostProgram, [0, 3, 1]);
    drive.run_dry();
    let free = PROGRAM_ALONE + READ_ALONE;
    assert_eq!([read, next].map(|op| drive.end(op)), [free, free + PROGRAM_ALONE]);
}

#[test]
fn nothing_is_stopped_from_when_the_next_data_comes_in_until_its_array_begins() {
    let mut drive = drive(&SUSPENDS);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let next = drive.comes(50_000, HostProgram, [0, 3, 1]);
    // Its data comes in until 54,300 ns.
    let read = drive.comes(52_000, HostRead, [1, 5, 0]);
    drive.run_dry();
    let begins = PROGRAM_ALONE + 700;
    assert_eq!(drive.end(read), begins + 5_000 + READ_ALONE);
    assert_eq!(drive.end(next), begins + 5_000 + READ_ALONE + 600 + PROGRAM);
}

#[test]
fn nothing_comes_in_while_a_program_is_suspended_but_as_soon_as_it_goes_on() {
    let mut drive = drive(&SUSPENDS);
    let first = drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 0]);
    // The read is done at 79,100 ns, and the array works again from 79,700 on.
    let next = drive.comes(60_000, HostProgram, [0, 3, 1]);
    drive.run_dry();
    assert_eq!(drive.times_of(Told::Counted(Count::CacheProgram)), [79_700]);
    assert_eq!(drive.end(first), 234_000);
    let waits = [(DieWait(HostRead), 19_100), (DieWait(HostProgram), 600 + 150_000)];
    let own = [(Command, 300), (Transfer, 4_000), (Cell, 200_700)];
    drive.ended(next, 434_700, &[&waits[..], &own].concat());
}

#[test]
fn a_program_of_another_class_may_follow_and_an_erase_is_followed_by_nothing() {
    let ends = |first, next| {
        let mut drive = drive(&[]);
        drive.comes(0, first, [0, 3, 0]);
        let next = drive.comes(1, next, [0, 3, 1]);
        drive.run_dry();
        drive.end(next)
    };
    assert_eq!(ends(HostProgram, Class::GcProgram), FOLLOWS);
    assert_eq!(ends(Class::GcErase, HostProgram), ERASE_ALONE + PROGRAM_ALONE);
    assert_eq!(ends(HostRead, HostProgram), READ_ALONE + PROGRAM_ALONE);
}
