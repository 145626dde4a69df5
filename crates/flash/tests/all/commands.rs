//! Commands that don't overlap: each takes what its parts take, to the nanosecond, alone and behind another.

use crate::harness::*;
use wordline_base::class::Class::{GcErase, GcRead, HostProgram, HostRead};
use wordline_base::class::{Class, FlashOp};

/// Time on the channel before the array, in the array, and on the channel behind it.
pub fn parts(class: Class) -> [u64; 3] {
    match class.op() {
        FlashOp::Read => [READ_COMMAND, READ, DATA],
        FlashOp::Program => [PROGRAM_COMMAND + DATA, PROGRAM, 0],
        FlashOp::Erase => [ERASE_COMMAND, ERASE, 0],
    }
}

pub fn alone(class: Class) -> u64 {
    parts(class).iter().sum()
}

#[test]
fn an_operation_is_not_done_a_nanosecond_early_and_done_on_time() {
    for class in [HostRead, HostProgram, GcErase] {
        let mut drive = Alone::new(&[]);
        let op = drive.submit(class, drive.page(0, 0, 3, 0), 1_000);
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
            let mut drive = Alone::new(&[("device.multi_plane.rule", "none")]);
            let places = [drive.page(0, 0, 3, 0), drive.page(0, 1, 4, 1)];
            let [a, b] = drive.submit_both([(first, places[0]), (second, places[1])], 0);
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
            let mut drive = Alone::new(&[]);
            let places = [drive.page(0, 0, 3, 0), drive.page(1, 0, 3, 0)];
            let [a, b] = drive.submit_both([(first, places[0]), (second, places[1])], 0);
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
    let mut drive = Alone::new(&[]);
    let places = [drive.page(0, 0, 3, 0), drive.page(2, 0, 3, 0)];
    let ops = drive.submit_both([(HostRead, places[0]), (HostRead, places[1])], 0);
    drive.run_dry();
    assert_eq!(ops.map(|op| drive.end_of(op)), [Some(alone(HostRead)); 2]);
}

#[test]
fn planes_read_together_where_the_rule_lets_them_and_their_data_leaves_in_turn() {
    let mut drive = Alone::new(&[]);
    // The first keeps the die, so that the other two wait together.
    drive.submit(HostRead, drive.page(0, 0, 9, 5), 0);
    let places = [drive.page(0, 0, 3, 2), drive.page(0, 1, 4, 2)];
    let [a, b] = drive.submit_both([(HostRead, places[0]), (HostRead, places[1])], 1);
    drive.run_dry();
    let begin = alone(HostRead);
    assert_eq!(drive.end_of(a), Some(begin + READ_COMMAND + 10 + READ + DATA));
    assert_eq!(drive.end_of(b), Some(begin + READ_COMMAND + 10 + READ + 2 * DATA));
}

#[test]
fn a_read_that_is_wanted_elsewhere_as_its_turn_comes_takes_no_time() {
    let mut drive = Alone::new(&[]);
    let first = drive.submit(HostRead, drive.page(0, 0, 3, 0), 0);
    let stale = drive.submit(HostRead, drive.page(0, 0, 4, 1), 0);
    let last = drive.submit(HostRead, drive.page(0, 1, 5, 2), 0);
    drive.stale.insert(stale);
    drive.run_dry();
    assert_eq!(drive.sent_on, [stale]);
    assert_eq!(drive.end_of(stale), None);
    assert_eq!([first, last].map(|op| drive.end_of(op)), [1, 2].map(|n| Some(n * alone(HostRead))));
}

#[test]
fn reads_of_one_flash_page_that_wait_together_take_one_array_time() {
    let mut drive = Alone::new(&[("device.geometry.mapping_unit_bytes", "1024")]);
    let place = drive.page(0, 0, 3, 2);
    drive.submit(HostRead, drive.page(0, 0, 9, 5), 0);
    let ops = drive.submit_both([(HostRead, place), (HostRead, place)], 1);
    drive.run_dry();
    let ends = ops.map(|op| drive.end_of(op).unwrap());
    assert_eq!(ends[0], ends[1]);
    assert_eq!(drive.begun.len(), 2, "two commands for three reads");
}

#[test]
fn collection_s_operations_take_what_those_of_the_host_take() {
    let mut drive = Alone::new(&[]);
    let op = drive.submit(GcRead, drive.page(0, 0, 3, 0), 0);
    drive.run_dry();
    assert_eq!(drive.end_of(op), Some(alone(HostRead)));
}
