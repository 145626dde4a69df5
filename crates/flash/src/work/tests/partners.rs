//! What waits together and goes in no common command: another page, one that moved, one that is suspended; and what is sent on.

use super::harness::*;
use wordline_base::class::Class;
use wordline_base::class::Class::{HostProgram, HostRead};
use wordline_base::parts::Part;
use wordline_base::time::Ns;

/// A read that keeps die 0 until this time, so that what comes meanwhile waits together.
fn busy_die() -> (Drive, u64) {
    let mut drive = Drive::new(&[]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 9, 5));
    (drive, alone(HostRead))
}

/// Ends of two reads that wait together, from the time at which their die is free.
fn ends_of(places: [[u32; 3]; 2]) -> [u64; 2] {
    let (mut drive, free) = busy_die();
    let ops =
        places.map(|[plane, block, page]| drive.comes_to(1, HostRead, drive.page(0, plane, block, page)));
    drive.run_dry();
    ops.map(|op| drive.end_of(op).unwrap() - free)
}

#[test]
fn what_does_not_fit_goes_in_a_command_of_its_own() {
    let apart = [alone(HostRead), 2 * alone(HostRead)];
    assert_eq!(ends_of([[0, 3, 2], [0, 4, 2]]), apart, "two pages of one plane");
    assert_eq!(ends_of([[0, 3, 2], [1, 4, 3]]), apart, "pages of different numbers");
    assert_ne!(ends_of([[0, 3, 2], [1, 4, 2]]), apart, "pages of one number");
}

#[test]
fn a_read_that_is_wanted_elsewhere_goes_with_no_other() {
    let (mut drive, free) = busy_die();
    let goes = drive.comes_to(1, HostRead, drive.page(0, 0, 3, 2));
    let stale = drive.comes_to(1, HostRead, drive.page(0, 1, 4, 2));
    drive.answers.elsewhere.insert(stale);
    drive.run_dry();
    assert_eq!(drive.end_of(goes), Some(free + alone(HostRead)));
    assert_eq!((drive.end_of(stale), drive.sent_on), (None, vec![stale]));
}

#[test]
fn a_read_of_a_page_whose_program_is_suspended_goes_with_no_other() {
    let mut drive = Drive::new(&[
        ("device.suspend.program_ns", "5000"),
        ("scheme.scheduler.policy", "read_first_suspend"),
    ]);
    let program = drive.comes_to(0, HostProgram, drive.page(0, 0, 3, 0));
    let places = [drive.page(0, 1, 9, 0), drive.page(0, 0, 3, 0)];
    let [suspends, waits] = drive.come_all(20_000, [(HostRead, places[0]), (HostRead, places[1])]);
    drive.run_dry();
    assert_eq!(drive.end_of(suspends), Some(20_000 + 5_000 + alone(HostRead)));
    let programmed = alone(HostProgram) + 5_000 + alone(HostRead);
    assert_eq!(drive.end_of(program), Some(programmed));
    assert_eq!(drive.end_of(waits), Some(programmed + alone(HostRead)));
}

#[test]
fn programs_of_a_plane_keep_their_order_whatever_would_fit() {
    let (mut drive, free) = busy_die();
    let places = [[0, 3, 0], [1, 4, 1], [1, 5, 0]];
    let ops =
        places.map(|[plane, block, page]| drive.comes_to(1, HostProgram, drive.page(0, plane, block, page)));
    drive.run_dry();
    let ends = ops.map(|op| drive.end_of(op).unwrap() - free);
    assert_eq!(ends, [1, 2, 3].map(|commands| commands * alone(HostProgram)));
}

#[test]
fn reads_of_one_unit_move_its_data_once() {
    let mut drive = Drive::new(&[("device.geometry.mapping_unit_bytes", "1024")]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 9, 5));
    let place = drive.page(0, 0, 3, 2);
    let ops = drive.come_all(1, [(HostRead, place), (HostRead, place)]);
    drive.run_dry();
    let one = READ_COMMAND + READ + 1_000;
    assert_eq!(ops.map(|op| drive.end_of(op)), [Some(2 * one); 2]);
}

#[test]
fn the_data_of_the_planes_before_is_a_wait_for_the_channel() {
    let (mut drive, _) = busy_die();
    let places = [drive.page(0, 0, 3, 2), drive.page(0, 1, 4, 2)];
    let ops = drive.come_all(1, [(HostRead, places[0]), (HostRead, places[1])]);
    drive.run_dry();
    let part = |op, part| drive.done(op).parts.get(part);
    let waits = Part::ChannelWait(Class::HostRead);
    assert_eq!(ops.map(|op| part(op, Part::Transfer)), [DATA; 2]);
    assert_eq!(ops.map(|op| part(op, waits)), [0, DATA]);
}

#[test]
fn what_is_sent_on_keeps_its_turn() {
    let (mut drive, free) = busy_die();
    let stale = drive.comes_to(1, HostRead, drive.page(0, 0, 3, 2));
    drive.answers.elsewhere.insert(stale);
    drive.comes_to(2, HostProgram, drive.page(1, 0, 3, 0));
    let later = drive.comes_to(3, HostRead, drive.page(1, 1, 9, 4));
    drive.run(free);
    assert_eq!(drive.sent_on, [stale]);
    drive.answers.elsewhere.clear();
    drive.send_to(stale, drive.page(1, 0, 9, 5));
    drive.run_dry();
    let ends = [stale, later].map(|op| drive.end_of(op).unwrap());
    assert_eq!(ends[1] - ends[0], alone(HostRead), "the one that came first is read first");
    assert_eq!(drive.done(stale).arrived, Ns(1));
}
