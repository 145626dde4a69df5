//! Commands that don't overlap: each takes what its parts take, to the nanosecond, alone and behind another.

use super::harness::*;
use wordline_base::class::Class::{GcErase, GcRead, HostProgram, HostRead};

#[test]
fn an_operation_is_not_done_a_nanosecond_early_and_done_on_time() {
    for class in [HostRead, HostProgram, GcErase] {
        let mut drive = Drive::new(&[]);
        let op = drive.comes_to(1_000, class, drive.page(0, 0, 3, 0));
        drive.run(1_000 + alone(class) - 1);
        assert_eq!(drive.end_of(op), None, "{class:?}");
        drive.run(1_000 + alone(class));
        assert_eq!(drive.end_of(op), Some(1_000 + alone(class)), "{class:?}");
    }
}

#[test]
fn of_two_operations_of_a_die_the_second_begins_when_the_first_has_ended() {
    for first in [HostRead, HostProgram, GcErase] {
        for second in [HostRead, HostProgram, GcErase] {
            let mut drive = Drive::new(&[("device.multi_plane.rule", "none")]);
            let places = [drive.page(0, 0, 3, 0), drive.page(0, 1, 4, 1)];
            let [a, b] = drive.come_all(0, [(first, places[0]), (second, places[1])]);
            drive.run_dry();
            assert_eq!(drive.end_of(a), Some(alone(first)), "{first:?} before {second:?}");
            assert_eq!(drive.end_of(b), Some(alone(first) + alone(second)), "{second:?} behind {first:?}");
        }
    }
}

#[test]
fn two_dies_share_their_channel_and_nothing_else() {
    for first in [HostRead, HostProgram, GcErase] {
        for second in [HostRead, HostProgram, GcErase] {
            let mut drive = Drive::new(&[]);
            let places = [drive.page(0, 0, 3, 0), drive.page(1, 0, 3, 0)];
            let [a, b] = drive.come_all(0, [(first, places[0]), (second, places[1])]);
            drive.run_dry();
            let ([before, array, after], [own, works, data]) = (parts(first), parts(second));
            assert_eq!(drive.end_of(a), Some(before + array + after), "{first:?} beside {second:?}");
            // The second's command waits for the first's, and its data for the first's data.
            let ready = before + own + works;
            let free = if data > 0 && after > 0 { before + array + after } else { 0 };
            assert_eq!(drive.end_of(b), Some(ready.max(free) + data), "{second:?} beside {first:?}");
        }
    }
}

#[test]
fn dies_of_two_channels_do_not_meet() {
    let mut drive = Drive::new(&[]);
    let places = [drive.page(0, 0, 3, 0), drive.page(2, 0, 3, 0)];
    let ops = drive.come_all(0, [(HostRead, places[0]), (HostRead, places[1])]);
    drive.run_dry();
    assert_eq!(ops.map(|op| drive.end_of(op)), [Some(alone(HostRead)); 2]);
}

#[test]
fn planes_read_together_where_the_rule_lets_them_and_their_data_leaves_in_turn() {
    let mut drive = Drive::new(&[]);
    // The first keeps the die, so that the other two wait together.
    drive.comes_to(0, HostRead, drive.page(0, 0, 9, 5));
    let places = [drive.page(0, 0, 3, 2), drive.page(0, 1, 4, 2)];
    let [a, b] = drive.come_all(1, [(HostRead, places[0]), (HostRead, places[1])]);
    drive.run_dry();
    let begin = alone(HostRead);
    assert_eq!(drive.end_of(a), Some(begin + READ_COMMAND + 30 + READ + DATA));
    assert_eq!(drive.end_of(b), Some(begin + READ_COMMAND + 30 + READ + 2 * DATA));
}

#[test]
fn a_read_that_is_wanted_elsewhere_as_its_turn_comes_takes_no_time() {
    let mut drive = Drive::new(&[]);
    let first = drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    let stale = drive.comes_to(0, HostRead, drive.page(0, 0, 4, 1));
    let last = drive.comes_to(0, HostRead, drive.page(0, 1, 5, 2));
    drive.answers.elsewhere.insert(stale);
    drive.run_dry();
    assert_eq!(drive.sent_on, [stale]);
    assert_eq!(drive.end_of(stale), None);
    assert_eq!([first, last].map(|op| drive.end_of(op)), [1, 2].map(|n| Some(n * alone(HostRead))));
}

#[test]
fn reads_of_one_flash_page_that_wait_together_take_one_array_time() {
    let mut drive = Drive::new(&[("device.geometry.mapping_unit_bytes", "1024")]);
    let place = drive.page(0, 0, 3, 2);
    drive.comes_to(0, HostRead, drive.page(0, 0, 9, 5));
    let ops = drive.come_all(1, [(HostRead, place), (HostRead, place)]);
    drive.run_dry();
    let ends = ops.map(|op| drive.end_of(op).unwrap());
    assert_eq!(ends[0], ends[1]);
    assert_eq!(drive.begun().len(), 2, "two commands for three reads");
}

#[test]
fn collection_s_operations_take_what_those_of_the_host_take() {
    let mut drive = Drive::new(&[]);
    let op = drive.comes_to(0, GcRead, drive.page(0, 0, 3, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(op), Some(alone(HostRead)));
}
