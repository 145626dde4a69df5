//! Programs and erases that stop for reads, and go on.
//!
//! In most of these a program begins at 0 ns: its array works from 4,300 to 204,300 ns.

use super::harness::*;
use crate::Count;
use wordline_base::class::Class::{self, GcErase, GcProgram, HostProgram, HostRead};
use wordline_base::parts::Part::{Cell, Command, DieWait, Suspend, Transfer};

/// A drive that suspends, with some keys set otherwise, and a program that it has begun on plane 0.
fn programming(keys: &[(&str, &str)]) -> (Drive, u32) {
    let mut drive = Drive::new(&[&SUSPENDS, keys].concat());
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    (drive, program)
}

/// What a suspension for one read costs what it stops.
const COSTS: u64 = 5_000 + READ_ALONE + 600;

/// Ends of the program and of a read that comes at this time.
fn ends(keys: &[(&str, &str)], at: u64) -> [u64; 2] {
    let (mut drive, program) = programming(keys);
    let read = drive.comes(at, HostRead, [1, 5, 4]);
    drive.run_dry();
    [program, read].map(|op| drive.end(op))
}

#[test]
fn a_read_waits_until_the_array_has_stopped_and_the_program_loses_that_the_read_and_the_time_to_go_on() {
    let (mut drive, program) = programming(&[]);
    let read = drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(read, 79_100, &[&own[..], &[(DieWait(HostProgram), 5_000)]].concat());
    let own = [(Command, 300), (Transfer, 4_000), (Cell, 200_000)];
    drive.ended(program, 234_000, &[&own[..], &[(Suspend, 5_600), (DieWait(HostRead), 24_100)]].concat());
    assert_eq!(drive.times_of(Told::Counted(Count::Suspension)), [50_000]);
    assert_eq!(drive.times_of(Told::Stops(0, 204_300)), [50_000]);
    assert_eq!(drive.times_of(Told::GoesOn(0, 79_700, 234_000)), [79_100]);
}

#[test]
fn an_erase_stops_in_the_time_that_an_erase_takes_to() {
    let mut drive = Drive::new(&SUSPENDS);
    let erase = drive.comes(0, GcErase, [0, 3, 0]);
    let read = drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.run_dry();
    assert_eq!([read, erase].map(|op| drive.end(op)), [81_100, ERASE_ALONE + 7_000 + READ_ALONE + 600]);
}

#[test]
fn a_read_that_comes_during_the_data_in_stops_the_array_as_soon_as_it_begins() {
    assert_eq!(ends(&[], 1_000), [234_000, 4_300 + 5_000 + READ_ALONE]);
}

#[test]
fn an_array_works_on_to_the_end_of_a_step() {
    let step = [("device.suspend.program_step_ns", "30000"), ("device.suspend.erase_step_ns", "70000")];
    // It has worked for 45,700 ns, and stops at 60,000.
    assert_eq!(ends(&step, 50_000), [234_000, 64_300 + 5_000 + READ_ALONE]);
    assert_eq!(ends(&step, 64_300), [234_000, 64_300 + 5_000 + READ_ALONE]);
    // The last step would end with the program.
    assert_eq!(ends(&step, 190_000), [PROGRAM_ALONE, PROGRAM_ALONE + READ_ALONE]);
}

#[test]
fn an_erase_has_steps_and_repeats_of_its_own() {
    let keys = [
        ("device.suspend.program_step_ns", "70000"),
        ("device.suspend.program_repeats_ns", "1"),
        ("device.suspend.erase_step_ns", "30000"),
        ("device.suspend.erase_repeats_ns", "20000"),
    ];
    let mut drive = Drive::new(&[&SUSPENDS[..], &keys].concat());
    let erase = drive.comes(0, GcErase, [0, 3, 0]);
    let read = drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.run_dry();
    // Its array works from 50 ns on.
    assert_eq!(drive.end(read), 60_050 + 7_000 + READ_ALONE);
    assert_eq!(drive.end(erase), ERASE_ALONE + 7_000 + READ_ALONE + 600 + 20_000);
}

#[test]
fn behind_its_first_suspension_a_program_does_some_of_its_work_again_at_most_what_it_had_done() {
    let keys = [("device.suspend.program_repeats_ns", "20000")];
    assert_eq!(ends(&keys, 10_000)[0], PROGRAM_ALONE + COSTS + 5_700);
    let (mut drive, program) = programming(&keys);
    let reads = [50_000, 150_000].map(|at| drive.comes(at, HostRead, [1, 5, 4]));
    drive.run_dry();
    let parts = [
        (Command, 300),
        (Transfer, 4_000),
        (Cell, 200_000),
        (Suspend, 2 * 5_600 + 20_000),
        (DieWait(HostRead), 48_200),
    ];
    drive.ended(program, PROGRAM_ALONE + 2 * COSTS + 20_000, &parts);
    assert_eq!(reads.map(|read| drive.end(read)), [79_100, 179_100]);
}

#[test]
fn an_operation_is_stopped_as_often_as_it_may_be() {
    let (mut drive, program) = programming(&[("device.suspend.max_per_operation", "2")]);
    let reads = [50_000, 100_000, 150_000].map(|at| drive.comes(at, HostRead, [1, 5, 4]));
    drive.run_dry();
    let end = PROGRAM_ALONE + 2 * COSTS;
    assert_eq!(drive.end(program), end);
    assert_eq!(reads.map(|read| drive.end(read)), [79_100, 129_100, end + READ_ALONE]);
}

#[test]
fn what_would_end_before_it_has_stopped_goes_on() {
    assert_eq!(ends(&[], 199_300), [204_300, 204_300 + READ_ALONE]);
    assert_eq!(ends(&[], 199_299), [204_300 + COSTS, 204_299 + READ_ALONE]);
}

#[test]
fn only_reads_of_the_host_stop_anything() {
    for class in [Class::MapRead, Class::GcRead, Class::HostProgram] {
        let (mut drive, program) = programming(&[]);
        drive.comes(50_000, class, [1, 5, 4]);
        drive.run_dry();
        assert_eq!(drive.end(program), PROGRAM_ALONE, "{class:?}");
    }
}

#[test]
fn a_device_or_a_scheduler_that_stops_nothing_stops_nothing() {
    for key in [("scheme.scheduler.policy", "read_first"), ("device.suspend.max_per_operation", "0")] {
        assert_eq!(ends(&[key], 50_000), [PROGRAM_ALONE, PROGRAM_ALONE + READ_ALONE], "{key:?}");
    }
    // Erases alone can be suspended.
    let mut drive = Drive::new(&[SUSPENDS[1], SUSPENDS[3]]);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.run_dry();
    assert_eq!(drive.end(program), PROGRAM_ALONE);
}

#[test]
fn nothing_is_stopped_while_too_many_writes_wait_for_room() {
    for (waiting, costs) in [(2, COSTS), (3, 0)] {
        let (mut drive, program) = programming(&[("scheme.scheduler.suspends_below_waiting_writes", "3")]);
        drive.answers.waiting_writes = waiting;
        drive.comes(50_000, HostRead, [1, 5, 4]);
        drive.run_dry();
        assert_eq!(drive.end(program), PROGRAM_ALONE + costs);
    }
}

#[test]
fn what_can_not_wait_is_not_stopped() {
    for class in [HostProgram, GcProgram] {
        let mut drive = Drive::new(&SUSPENDS);
        drive.flash.set_urgent(1 << GcProgram.index());
        let program = drive.comes(0, class, [0, 3, 0]);
        drive.comes(50_000, HostRead, [1, 5, 4]);
        drive.run_dry();
        let costs = if class == GcProgram { 0 } else { COSTS };
        assert_eq!(drive.end(program), PROGRAM_ALONE + costs, "{class:?}");
    }
}

#[test]
fn a_read_of_what_is_being_programmed_stops_nothing_and_nor_does_one_behind_it() {
    let (mut drive, program) = programming(&[]);
    let reads = drive.come_together(50_000, HostRead, [[0, 3, 0], [1, 5, 4]]);
    drive.run_dry();
    assert_eq!(drive.end(program), PROGRAM_ALONE);
    assert_eq!(reads.map(|read| drive.end(read)), [1, 2].map(|reads| PROGRAM_ALONE + reads * READ_ALONE));
}

#[test]
fn all_pages_that_are_programmed_at_once_are_waited_for() {
    for (page, costs) in [(0, 0), (1, 0), (2, COSTS)] {
        let (mut drive, program) = programming(&[("device.geometry.pages_per_program", "2")]);
        drive.comes(50_000, HostRead, [0, 3, page]);
        drive.run_dry();
        assert_eq!(drive.end(program), PROGRAM_ALONE + costs, "page {page}");
    }
}

#[test]
fn a_read_that_stopped_nothing_when_it_came_stops_nothing_when_something_else_comes() {
    let (mut drive, program) = programming(&[("scheme.scheduler.suspends_below_waiting_writes", "3")]);
    drive.answers.waiting_writes = 3;
    drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.answers.waiting_writes = 0;
    drive.comes(60_000, Class::GcRead, [1, 5, 5]);
    drive.run_dry();
    assert_eq!(drive.end(program), PROGRAM_ALONE);
}
