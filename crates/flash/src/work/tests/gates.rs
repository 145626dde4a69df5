//! Gates: what a die may not begin until a time.

use super::harness::*;
use crate::sched::gates::ClassSet;
use crate::work::look_at_touched;
use wordline_base::class::Class::{GcErase, HostProgram, HostRead};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_base::parts::Part::{Cell, Command, DieWait, Gate, Transfer};
use wordline_base::time::Ns;

/// From now on nothing that does this begins at die 0 before this time.
fn close(drive: &mut Drive, op: FlashOp, until: u64) {
    drive.flash.close_gate(DieId(0), 0, ClassSet::doing(op), Ns(until));
    look_at_touched(drive);
}

#[test]
fn a_class_waits_until_its_gate_opens_and_the_others_are_served_as_if_nothing_waited() {
    let mut drive = Drive::new(&[]);
    close(&mut drive, FlashOp::Program, 50_000);
    let held = drive.comes(1_000, HostProgram, [0, 3, 0]);
    let passes = drive.comes(2_000, HostRead, [0, 4, 0]);
    drive.run_dry();
    assert_eq!(drive.end(passes), 2_000 + READ_ALONE);
    let waits = [(DieWait(HostRead), READ_ALONE), (Gate, 49_000 - READ_ALONE)];
    let own = [(Command, 300), (Transfer, 4_000), (Cell, 200_000)];
    drive.ended(held, 50_000 + PROGRAM_ALONE, &[&waits[..], &own].concat());
}

#[test]
fn a_gate_is_open_at_the_time_until_which_it_was_closed() {
    for (comes, begins) in [(49_999, 50_000), (50_000, 50_000), (50_001, 50_001)] {
        let mut drive = Drive::new(&[]);
        close(&mut drive, FlashOp::Read, 50_000);
        let read = drive.comes(comes, HostRead, [0, 3, 0]);
        drive.run_dry();
        assert_eq!(drive.end(read), begins + READ_ALONE);
    }
}

#[test]
fn what_runs_goes_on_and_the_wait_behind_it_is_not_the_gates() {
    let mut drive = Drive::new(&[]);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    close(&mut drive, FlashOp::Program, 300_000);
    close(&mut drive, FlashOp::Read, 300_000);
    let read = drive.comes(100_000, HostRead, [0, 4, 0]);
    drive.run_dry();
    assert_eq!(drive.end(program), PROGRAM_ALONE);
    let waits = [(DieWait(HostProgram), 104_300), (Gate, 95_700)];
    let own = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(read, 324_100, &[&waits[..], &own].concat());
}

#[test]
fn a_read_behind_a_gate_stops_nothing() {
    let mut drive = Drive::new(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    close(&mut drive, FlashOp::Read, 300_000);
    let read = drive.comes(50_000, HostRead, [0, 4, 0]);
    drive.run_dry();
    assert_eq!([program, read].map(|op| drive.end(op)), [PROGRAM_ALONE, 300_000 + READ_ALONE]);
}

#[test]
fn a_suspended_program_goes_on_though_programs_may_not_begin() {
    let mut drive = Drive::new(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 0]);
    close(&mut drive, FlashOp::Program, 1_000_000);
    drive.run_dry();
    assert_eq!(drive.end(program), PROGRAM_ALONE + 5_000 + READ_ALONE + 600);
}

#[test]
fn a_gate_is_replaced_by_one_that_opens_sooner_or_that_holds_nothing() {
    for (classes, until, begins) in [
        (ClassSet::doing(FlashOp::Read), 40_000, 40_000),
        (ClassSet::doing(FlashOp::Read), 30_000, 30_000),
        (ClassSet::NONE, 90_000, 30_000),
    ] {
        let mut drive = Drive::new(&[]);
        close(&mut drive, FlashOp::Read, 100_000);
        let read = drive.comes(0, HostRead, [0, 3, 0]);
        drive.run(30_000);
        drive.flash.close_gate(DieId(0), 0, classes, Ns(until));
        look_at_touched(&mut drive);
        drive.run_dry();
        assert_eq!(drive.end(read), begins + READ_ALONE);
    }
}

#[test]
fn a_gate_of_all_dies_holds_each_until_it_is_replaced() {
    let mut drive = Drive::new(&[]);
    drive.flash.close_all_gates(ClassSet::of(&[GcErase]), Ns(100_000));
    let places = [0, 3].map(|die| drive.page(die, 0, 3, 0));
    let erases = places.map(|place| drive.comes_to(10_000, GcErase, place));
    drive.run(60_000);
    drive.flash.close_all_gates(ClassSet::NONE, Ns::ZERO);
    look_at_touched(&mut drive);
    drive.run_dry();
    assert_eq!(erases.map(|erase| drive.end(erase)), [60_000 + ERASE_ALONE; 2]);
}

#[test]
fn the_bound_on_waiting_counts_the_time_behind_a_gate() {
    // The gate opens during a read, at the end of which the program has waited for 64,100 ns and another read for less.
    for (bound, program_first) in [("64099", true), ("64100", false)] {
        let keys =
            [("scheme.scheduler.policy", "read_first"), ("scheme.scheduler.starvation_bound_ns", bound)];
        let mut drive = Drive::new(&keys);
        close(&mut drive, FlashOp::Program, 50_000);
        let program = drive.comes(0, HostProgram, [0, 3, 0]);
        drive.comes(40_000, HostRead, [1, 5, 0]);
        drive.comes(40_001, HostRead, [1, 5, 1]);
        drive.run_dry();
        let reads = if program_first { 1 } else { 2 };
        assert_eq!(drive.end(program), 40_000 + reads * READ_ALONE + PROGRAM_ALONE, "{bound}");
    }
}
