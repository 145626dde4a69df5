//! While an operation is suspended: who is served, and when it goes on.
//!
//! In all of these a program begins at 0 ns, whose array stops at 50,000 ns and would have worked for 154,300 ns more; the die is
//! free for reads at 55,000 ns.

use super::harness::*;
use wordline_base::class::Class::{HostProgram, HostRead, MapRead};
use wordline_base::parts::Part::{Cell, Command, DieWait, Suspend, Transfer};

/// Time of the array that is left, and the time to go on.
const GOES_ON: u64 = 600 + 154_300;

/// A drive that suspends, with further keys, its program, and the read for which that stops.
fn suspended(keys: &[(&str, &str)]) -> (Drive, [u32; 2]) {
    let mut drive = Drive::new(&[&SUSPENDS, keys].concat());
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    let read = drive.comes(50_000, HostRead, [1, 5, 4]);
    (drive, [program, read])
}

#[test]
fn reads_of_the_host_that_come_meanwhile_are_served_and_nothing_else() {
    let (mut drive, [program, _]) = suspended(&[]);
    let map = drive.comes(51_000, MapRead, [1, 6, 1]);
    // One comes before the array has stopped, one while the first is read.
    let reads = [(52_000, 2), (60_000, 3)].map(|(at, page)| drive.comes(at, HostRead, [1, 6, page]));
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [2, 3].map(|reads| 55_000 + reads * READ_ALONE));
    let waited = 3 * READ_ALONE;
    let parts =
        [(Command, 300), (Transfer, 4_000), (Cell, 200_000), (Suspend, 5_600), (DieWait(HostRead), waited)];
    let end = 55_000 + waited + GOES_ON;
    drive.ended(program, end, &parts);
    assert_eq!(drive.end(map), end + READ_ALONE);
}

#[test]
fn a_read_that_comes_while_the_operation_begins_to_go_on_stops_it_as_soon_as_it_does() {
    let (mut drive, [program, _]) = suspended(&[]);
    // Between 79,100 and 79,700 ns.
    let read = drive.comes(79_300, HostRead, [1, 6, 1]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(read, 108_800, &[&own[..], &[(DieWait(HostProgram), 5_400)]].concat());
    assert_eq!(drive.end(program), 108_800 + GOES_ON);
}

#[test]
fn a_read_of_the_suspended_program_lets_it_go_on_with_all_that_wait_behind() {
    let (mut drive, [program, _]) = suspended(&[]);
    let same = drive.comes(60_000, HostRead, [0, 3, 0]);
    let behind = drive.comes(61_000, HostRead, [1, 6, 1]);
    drive.run_dry();
    let end = 79_100 + GOES_ON;
    assert_eq!(drive.end(program), end);
    assert_eq!([same, behind].map(|read| drive.end(read)), [1, 2].map(|reads| end + reads * READ_ALONE));
}

#[test]
fn a_read_of_the_suspended_program_goes_with_no_other_read() {
    let mut drive = Drive::new(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    // By their pages they would go together.
    let [read, same] = drive.come_together(50_000, HostRead, [[1, 5, 0], [0, 3, 0]]);
    drive.run_dry();
    let end = 79_100 + GOES_ON;
    assert_eq!([read, program, same].map(|op| drive.end(op)), [79_100, end, end + READ_ALONE]);
}

#[test]
fn reads_wait_when_the_suspension_has_lasted_longer_than_the_bound_and_stop_nothing_again() {
    let ends = |bound| {
        let (mut drive, [program, _]) = suspended(&[("scheme.scheduler.starvation_bound_ns", bound)]);
        let reads = [(51_000, 1), (52_000, 2), (150_000, 3)]
            .map(|(at, page)| drive.comes(at, HostRead, [1, 6, page]));
        drive.run_dry();
        (drive.end(program), reads.map(|read| drive.end(read)))
    };
    // Behind two reads it has lasted for 48,200 ns.
    let second = 55_000 + 2 * READ_ALONE;
    let end = second + GOES_ON;
    assert_eq!(ends("48199"), (end, [second, end + READ_ALONE, end + 2 * READ_ALONE]));
    // A third read, and then none waits: the program may be stopped once more.
    let third = second + READ_ALONE;
    let end = third + GOES_ON + 5_000 + READ_ALONE + 600;
    assert_eq!(ends("48200"), (end, [second, third, 150_000 + 5_000 + READ_ALONE]));
}

#[test]
fn what_can_not_wait_ends_the_suspension() {
    let (mut drive, [program, read]) = suspended(&[]);
    let later = drive.comes(52_000, HostRead, [1, 6, 1]);
    drive.flash.set_urgent(1 << MapRead.index());
    let urgent = drive.comes(60_000, MapRead, [1, 6, 2]);
    drive.run_dry();
    let end = 79_100 + GOES_ON;
    assert_eq!([read, program].map(|op| drive.end(op)), [79_100, end]);
    assert_eq!([urgent, later].map(|op| drive.end(op)), [end + READ_ALONE, end + 2 * READ_ALONE]);
}

#[test]
fn what_was_taken_because_it_had_waited_beyond_the_bound_is_not_stopped() {
    // It waits for 24,100 ns behind a read of the map.
    for (bound, costs) in [("24100", 5_000 + READ_ALONE + 600), ("24099", 0)] {
        let mut drive =
            Drive::new(&[&SUSPENDS[..], &[("scheme.scheduler.starvation_bound_ns", bound)]].concat());
        drive.comes(0, MapRead, [0, 4, 0]);
        let program = drive.comes(0, HostProgram, [0, 3, 0]);
        drive.comes(60_000, HostRead, [1, 5, 4]);
        drive.run_dry();
        assert_eq!(drive.end(program), READ_ALONE + PROGRAM_ALONE + costs, "{bound}");
    }
}
