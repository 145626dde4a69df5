//! What overlaps or interrupts, of the host and of collection alike: suspension, cache reads and programs, gates.

use super::harness::*;
use crate::Count;
use crate::sched::gates::ClassSet;
use crate::work;
use wordline_base::class::Class::{GcErase, HostProgram, HostRead};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

#[test]
fn a_read_waits_for_the_suspension_and_the_interrupted_command_ends_later_by_all_that_it_lost() {
    for (class, takes) in [(HostProgram, 5_000), (GcErase, 7_000)] {
        let mut drive = Drive::new(&SUSPENDS);
        let victim = drive.comes_to(0, class, drive.page(0, 0, 3, 0));
        let read = drive.comes_to(20_000, HostRead, drive.page(0, 1, 9, 4));
        drive.run_dry();
        assert_eq!(drive.end_of(read), Some(20_000 + takes + alone(HostRead)), "{class:?}");
        assert_eq!(drive.end_of(victim), Some(alone(class) + takes + alone(HostRead) + 600), "{class:?}");
        assert!(!drive.times_of(Told::Counted(Count::Suspension)).is_empty());
    }
}

#[test]
fn a_command_that_would_end_within_its_suspension_is_not_interrupted() {
    let mut drive = Drive::new(&SUSPENDS);
    let program = drive.comes_to(0, HostProgram, drive.page(0, 0, 3, 0));
    let read = drive.comes_to(alone(HostProgram) - 5_000, HostRead, drive.page(0, 1, 9, 4));
    drive.run_dry();
    assert_eq!(drive.end_of(program), Some(alone(HostProgram)));
    assert_eq!(drive.end_of(read), Some(alone(HostProgram) + alone(HostRead)));
}

#[test]
fn a_read_of_the_page_that_is_programmed_waits_for_the_program() {
    let mut drive = Drive::new(&SUSPENDS);
    let place = drive.page(0, 0, 3, 0);
    let program = drive.comes_to(0, HostProgram, place);
    let read = drive.comes_to(20_000, HostRead, place);
    drive.run_dry();
    assert_eq!(drive.end_of(program), Some(alone(HostProgram)));
    assert_eq!(drive.end_of(read), Some(alone(HostProgram) + alone(HostRead)));
}

#[test]
fn a_cache_read_has_its_array_work_beside_the_data_of_the_one_before() {
    let mut drive =
        Drive::new(&[("device.cache_mode.read", "true"), ("device.cache_mode.read_busy_ns", "500")]);
    let places = [drive.page(0, 0, 3, 0), drive.page(0, 0, 3, 1)];
    let [a, b] = drive.come_all(0, [(HostRead, places[0]), (HostRead, places[1])]);
    drive.run_dry();
    // The second's command and the move between the registers come before the first's data.
    let moved = READ_COMMAND + READ + READ_COMMAND + 500;
    assert_eq!(drive.end_of(a), Some(moved + DATA));
    // Its array ends beside or behind that data, and its data crosses the registers once more.
    assert_eq!(drive.end_of(b), Some(moved + READ.max(DATA) + 500 + DATA));
    assert!(!drive.times_of(Told::Counted(Count::CacheRead)).is_empty());
}

#[test]
fn a_cache_program_brings_its_data_while_the_one_before_is_programmed() {
    let mut drive =
        Drive::new(&[("device.cache_mode.program", "true"), ("device.cache_mode.program_busy_ns", "700")]);
    let places = [drive.page(0, 0, 3, 0), drive.page(0, 0, 3, 1)];
    let [a, b] = drive.come_all(0, [(HostProgram, places[0]), (HostProgram, places[1])]);
    drive.run_dry();
    assert_eq!(drive.end_of(a), Some(alone(HostProgram)));
    assert_eq!(drive.end_of(b), Some(alone(HostProgram) + 700 + PROGRAM));
    assert!(!drive.times_of(Told::Counted(Count::CacheProgram)).is_empty());
}

#[test]
fn a_gate_holds_its_classes_back_until_it_opens_and_no_others() {
    let mut drive = Drive::new(&[("device.multi_plane.rule", "none")]);
    drive.flash.close_gate(DieId(0), 0, ClassSet::doing(FlashOp::Program), Ns(50_000));
    work::look_at_touched(&mut drive);
    let places = [drive.page(0, 0, 3, 0), drive.page(0, 1, 9, 4), drive.page(1, 0, 3, 0)];
    let held = drive.comes_to(0, HostProgram, places[0]);
    let passes = drive.comes_to(0, HostRead, places[1]);
    let elsewhere = drive.comes_to(0, HostProgram, places[2]);
    drive.run_dry();
    assert_eq!(drive.end_of(passes), Some(alone(HostRead)));
    assert_eq!(drive.end_of(held), Some(50_000 + alone(HostProgram)));
    // On the other die of the channel only the read's command was before it.
    assert_eq!(drive.end_of(elsewhere), Some(READ_COMMAND + alone(HostProgram)));
}
