//! Planes that read apart: each plane by itself, the whole die for all else.

use super::harness::*;
use crate::sched::gates::ClassSet;
use wordline_base::class::Class::{GcErase, GcRead, HostProgram, HostRead, MapRead};
use wordline_base::class::FlashOp;
use wordline_base::ids::DieId;
use wordline_base::parts::Part::{self, Cell, ChannelWait, Command, DieWait, Gate, Transfer};
use wordline_base::time::Ns;

const APART: (&str, &str) = ("device.die.independent_planes", "reads");
const OWN_READ: [(Part, u64); 3] = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
const OWN_PROGRAM: [(Part, u64); 3] = [(Command, 300), (Cell, 200_000), (Transfer, 4_000)];

fn drive(keys: &[(&str, &str)]) -> Drive {
    Drive::new(&[&[APART], keys].concat())
}

#[test]
fn planes_share_the_channel_and_nothing_else() {
    let mut drive = drive(&[]);
    let one = drive.comes(0, MapRead, [0, 3, 0]);
    let other = drive.comes(0, HostRead, [1, 5, 7]);
    // A plane is free when its own data has left.
    let next = drive.comes(10_000, HostRead, [0, 4, 1]);
    drive.run_dry();
    drive.ended(one, 24_100, &OWN_READ);
    drive.ended(
        other,
        28_200,
        &[&OWN_READ[..], &[(ChannelWait(MapRead), 4_000), (ChannelWait(HostRead), 100)]].concat(),
    );
    drive.ended(next, 48_200, &[&OWN_READ[..], &[(DieWait(MapRead), 14_100)]].concat());
}

#[test]
fn reads_of_one_flash_page_are_one_still() {
    let mut drive = drive(&[]);
    drive.comes(0, HostRead, [0, 3, 0]);
    let reads = drive.come_together(1, HostRead, [[0, 4, 2], [0, 4, 2], [0, 5, 2]]);
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [2, 2, 3].map(|reads| reads * READ_ALONE));
}

#[test]
fn a_program_waits_until_no_plane_reads_and_reads_that_come_behind_it_wait_for_it() {
    let mut drive = drive(&[]);
    drive.comes(0, GcRead, [0, 3, 0]);
    let program = drive.comes(1_000, HostProgram, [1, 6, 0]);
    let read = drive.comes(2_000, HostRead, [1, 4, 0]);
    drive.run_dry();
    drive.ended(program, 228_400, &[&OWN_PROGRAM[..], &[(DieWait(GcRead), 23_100)]].concat());
    drive.ended(read, 252_500, &[&OWN_READ[..], &[(DieWait(HostProgram), 226_400)]].concat());
}

#[test]
fn the_scheduler_is_asked_again_when_all_planes_are_free() {
    let mut drive = drive(&[("scheme.scheduler.policy", "read_first")]);
    drive.comes(0, HostRead, [0, 3, 0]);
    let erase = drive.comes(1_000, GcErase, [1, 6, 0]);
    let read = drive.comes(2_000, HostRead, [1, 4, 0]);
    drive.run_dry();
    // The die was closed when it came, and is so for the erase.
    drive.ended(read, 48_200, &[&OWN_READ[..], &[(DieWait(GcErase), 22_100)]].concat());
    assert_eq!(drive.end(erase), 48_200 + ERASE_ALONE);
}

#[test]
fn all_planes_read_while_a_program_is_suspended_but_for_what_it_programs() {
    let mut drive = drive(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    // The first read of plane 0 wants what is programmed, and keeps the one behind it.
    let same = drive.comes(49_000, HostRead, [0, 3, 0]);
    let kept = drive.comes(49_500, HostRead, [0, 4, 0]);
    let map = drive.comes(49_700, MapRead, [1, 4, 0]);
    let read = drive.comes(50_000, HostRead, [1, 5, 4]);
    drive.run_dry();
    drive.ended(read, 79_100, &[&OWN_READ[..], &[(DieWait(HostProgram), 5_000)]].concat());
    assert_eq!(drive.end(program), 234_000);
    // While plane 1 reads, plane 0 rests because of the program.
    drive.ended(same, 258_100, &[&OWN_READ[..], &[(DieWait(HostProgram), 185_000)]].concat());
    assert_eq!(drive.end(kept), 282_200);
    // Its data waits for that of plane 0, and then for the command of the next read there.
    assert_eq!(drive.end(map), 262_200);
}

#[test]
fn both_planes_read_in_one_suspension() {
    let mut drive = drive(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    let reads = drive.come_together(50_000, HostRead, [[0, 4, 0], [1, 4, 0]]);
    drive.run_dry();
    assert_eq!(reads.map(|read| drive.end(read)), [79_100, 83_100]);
    assert_eq!(drive.end(program), 83_100 + 600 + 154_300);
}

#[test]
fn a_gate_of_the_die_holds_its_planes() {
    let mut drive = drive(&[]);
    drive.flash.close_gate(DieId(0), 0, ClassSet::doing(FlashOp::Read), Ns(50_000));
    let read = drive.comes(1_000, HostRead, [1, 4, 0]);
    let program = drive.comes(2_000, HostProgram, [0, 3, 0]);
    drive.run_dry();
    assert_eq!(drive.end(program), 2_000 + PROGRAM_ALONE);
    drive.ended(read, 230_400, &[&OWN_READ[..], &[(Gate, 1_000), (DieWait(HostProgram), 204_300)]].concat());
}

#[test]
fn a_read_whose_page_is_elsewhere_leaves_its_plane_to_the_next() {
    let mut drive = drive(&[]);
    drive.comes(0, HostRead, [0, 3, 0]);
    let elsewhere = drive.comes(1, HostRead, [0, 4, 0]);
    let last = drive.comes(2, HostRead, [0, 5, 1]);
    drive.answers.elsewhere.insert(elsewhere);
    drive.run_dry();
    assert_eq!(drive.end(last), 2 * READ_ALONE);
    assert_eq!(drive.sent_on, [elsewhere]);
}

#[test]
fn a_gate_that_holds_a_plane_wakes_it_when_it_opens() {
    let mut drive = drive(&[]);
    drive.flash.close_gate(DieId(0), 0, ClassSet::doing(FlashOp::Read), Ns(50_000));
    let read = drive.comes(1_000, HostRead, [1, 4, 0]);
    drive.run_dry();
    drive.ended(read, 74_100, &[&OWN_READ[..], &[(Gate, 49_000)]].concat());
}

#[test]
fn the_scheduler_weighs_a_program_against_the_oldest_read_of_any_plane() {
    let mut drive = drive(&[]);
    drive.come_together(0, HostRead, [[0, 3, 0], [1, 3, 0]]);
    let older = drive.comes(1_000, HostRead, [1, 4, 0]);
    let program = drive.comes(2_000, HostProgram, [0, 6, 0]);
    let younger = drive.comes(3_000, HostRead, [0, 4, 0]);
    let last = drive.comes(40_000, HostRead, [0, 5, 0]);
    drive.run_dry();
    // Plane 0 is free at 24,100 ns, when the older read still waits for plane 1, and a program waits behind that.
    assert_eq!(drive.end(younger), 2 * READ_ALONE);
    // Its command went before the data of plane 1.
    assert_eq!(drive.end(older), 28_200 + READ_ALONE);
    // From then on the program is the oldest: plane 0 reads no further.
    assert_eq!(drive.end(program), 52_300 + PROGRAM_ALONE);
    assert_eq!(drive.end(last), 52_300 + PROGRAM_ALONE + READ_ALONE);
}

#[test]
fn a_program_waits_for_the_plane_that_is_done_last_and_not_for_the_one_that_began_last() {
    let mut drive = drive(&TWO_BITS);
    // Page 1 takes 40,000 ns, so that this read ends at 44,100 ns and the next one at 25,100.
    drive.comes(0, HostRead, [0, 3, 1]);
    drive.comes(1_000, GcRead, [1, 3, 0]);
    let program = drive.comes(30_000, HostProgram, [1, 6, 0]);
    drive.run_dry();
    drive.ended(program, 248_400, &[&OWN_PROGRAM[..], &[(DieWait(HostRead), 14_100)]].concat());
}

#[test]
fn what_comes_to_the_die_while_a_program_is_suspended_closes_no_plane() {
    let mut drive = drive(&SUSPENDS);
    let program = drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 4]);
    let erase = drive.comes(60_000, GcErase, [1, 6, 0]);
    let read = drive.comes(65_000, HostRead, [0, 4, 0]);
    drive.run_dry();
    drive.ended(read, 89_100, &OWN_READ);
    let end = 89_100 + 600 + 154_300;
    assert_eq!([program, erase].map(|op| drive.end(op)), [end, end + ERASE_ALONE]);
}
