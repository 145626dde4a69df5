//! Planes that collect beside their die: who works on a plane, who waits for it, and whose turn is next.

use super::harness::*;
use wordline_base::class::Class::{GcErase, GcProgram, HostProgram, HostRead};
use wordline_base::ids::PlaneId;
use wordline_base::parts::Part::{Cell, ChannelWait, Chip, Command, DieWait, Transfer};

const COLLECT: [(&str, &str); 2] =
    [("device.copyback.supported", "true"), ("device.copyback.blocks", "plane")];

/// A copyback alone.
const COPYBACK: u64 = READ_COMMAND + READ + PROGRAM_COMMAND + PROGRAM;

/// A drive whose plane 0 begins a copyback at 0 ns: its commands are at 0 and at 20,100 ns.
fn collecting(keys: &[(&str, &str)]) -> (Drive, u32) {
    let mut drive = Drive::new(&[&COLLECT, keys].concat());
    let moved = drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    (drive, moved)
}

#[test]
fn the_die_works_on_its_other_planes_meanwhile() {
    let (mut drive, moved) = collecting(&[]);
    let read = drive.comes(10, HostRead, [1, 5, 0]);
    drive.run(15_000);
    assert_eq!([0, 1].map(|plane| drive.flash.plane_collects(PlaneId(plane))), [true, false]);
    drive.run_dry();
    assert_eq!(drive.end(moved), COPYBACK);
    // The channel is shared: with the first command, and with the second before its own data.
    let parts = [(Command, 100), (Cell, 20_000), (Transfer, 4_000), (ChannelWait(GcProgram), 90 + 200)];
    drive.ended(read, 24_400, &parts);
}

#[test]
fn what_the_die_would_do_on_the_plane_waits_for_it_and_what_comes_behind_goes_on() {
    let (mut drive, moved) = collecting(&[]);
    let same = drive.comes(10, HostRead, [0, 5, 0]);
    let other = drive.comes(20, HostRead, [1, 5, 0]);
    drive.run_dry();
    assert_eq!(drive.end(other), 24_400);
    assert_eq!(drive.end(moved), COPYBACK);
    let parts = [(DieWait(GcProgram), 220_390), (Command, 100), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(same, COPYBACK + READ_ALONE, &parts);
}

#[test]
fn die_and_plane_take_turns() {
    let (mut drive, first) = collecting(&[]);
    let second = drive.copyback(1, GcProgram, [0, 3, 3], [0, 4, 1]);
    let reads = [10, 11].map(|at| drive.comes(at, HostRead, [0, 5, at as u32]));
    drive.run_dry();
    assert_eq!(drive.end(first), COPYBACK);
    // The die has its turn by one command; what else it wants waits for the next copyback.
    let ends = [COPYBACK + READ_ALONE, 2 * COPYBACK + 2 * READ_ALONE];
    assert_eq!(reads.map(|read| drive.end(read)), ends);
    let waits = [(DieWait(GcProgram), COPYBACK - 1), (Chip, READ_ALONE)];
    drive.ended(
        second,
        2 * COPYBACK + READ_ALONE,
        &[&waits[..], &[(Command, 400), (Cell, 220_000)]].concat(),
    );
}

#[test]
fn a_plane_waits_for_what_its_die_does_there_and_for_nothing_else() {
    for (plane, end) in [(0, PROGRAM_ALONE + ERASE_ALONE), (1, 4_300 + ERASE_ALONE)] {
        let mut drive = Drive::new(&COLLECT);
        let program = drive.comes(0, HostProgram, [0, 3, 0]);
        let erase = drive.comes(10, GcErase, [plane, 4, 0]);
        drive.run_dry();
        assert_eq!([program, erase].map(|op| drive.end(op)), [PROGRAM_ALONE, end]);
    }
}

#[test]
fn what_a_plane_does_is_not_suspended_and_nor_is_its_die_for_a_read_that_waits_for_the_plane() {
    let (mut drive, moved) = collecting(&SUSPENDS);
    let program = drive.comes(10, HostProgram, [1, 5, 0]);
    let read = drive.comes(50_000, HostRead, [0, 5, 1]);
    drive.run_dry();
    assert_eq!([moved, program].map(|op| drive.end(op)), [COPYBACK, 100 + PROGRAM_ALONE]);
    assert_eq!(drive.end(read), COPYBACK + READ_ALONE);
}

#[test]
fn a_suspended_command_keeps_its_planes() {
    let mut drive = Drive::new(&[&COLLECT[..], &SUSPENDS].concat());
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 1]);
    let erases = [0, 1].map(|plane| drive.comes(56_000, GcErase, [plane, 4, 0]));
    drive.run_dry();
    assert_eq!(drive.end(program), 234_000);
    // Plane 1 is free when the read is done.
    assert_eq!(erases.map(|erase| drive.end(erase)), [234_000 + ERASE_ALONE, 79_100 + ERASE_ALONE]);
}

#[test]
fn a_command_takes_no_page_along_of_a_plane_that_collects() {
    let (mut drive, _) = collecting(&[]);
    drive.comes(10, HostRead, [1, 7, 15]);
    let reads = drive.come_together(20, HostRead, [[1, 5, 2], [0, 5, 2]]);
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [24_400 + READ_ALONE, COPYBACK + READ_ALONE]);
}

#[test]
fn planes_copy_each_for_itself() {
    let (mut drive, _) = collecting(&[]);
    let other = drive.copyback(10, GcProgram, [1, 3, 2], [1, 4, 0]);
    drive.run_dry();
    // Behind the commands of plane 0, the second of which comes first by 100 ns.
    let waits = [(ChannelWait(GcProgram), 90 + 200)];
    drive.ended(other, 10 + COPYBACK + 290, &[&waits[..], &[(Command, 400), (Cell, 220_000)]].concat());
}

#[test]
fn the_plane_goes_on_when_the_die_takes_something_else_at_its_turn() {
    let (mut drive, first) = collecting(&[("scheme.scheduler.policy", "read_first")]);
    let second = drive.copyback(1, GcProgram, [0, 3, 3], [0, 4, 1]);
    let program = drive.comes(10, HostProgram, [0, 5, 0]);
    // When the plane is free, at 220,400 ns, the die reads until 234,100, and another read waits.
    let reads = [210_000, 211_000].map(|at| drive.comes(at, HostRead, [1, 5, 0]));
    drive.run_dry();
    assert_eq!([first, reads[0], reads[1]].map(|op| drive.end(op)), [COPYBACK, 234_100, 258_200]);
    // It waits for the turn of the die, and then for the command and the data of the second read.
    let waits = [(DieWait(GcProgram), COPYBACK - 1), (Chip, 13_700), (ChannelWait(HostRead), 100 + 3_900)];
    drive.ended(second, 458_500, &[&waits[..], &[(Command, 400), (Cell, 220_000)]].concat());
    assert_eq!(drive.end(program), 458_500 + PROGRAM_ALONE);
}
