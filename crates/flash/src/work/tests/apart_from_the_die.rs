//! Planes that read apart, beside what takes the whole die: programs and erases, suspensions, gates, ideal servers, the scheduler.

use super::harness::*;
use crate::sched::gates::ClassSet;
use wordline_base::class::Class::{GcErase, GcRead, HostProgram, HostRead, MapRead};
use wordline_base::class::{Class, FlashOp};
use wordline_base::ids::DieId;
use wordline_base::parts::Part;
use wordline_base::time::Ns;

pub const APART: (&str, &str) = ("device.die.independent_planes", "reads");

/// What one part is of an operation's response time, ns.
fn part(drive: &Drive, op: u32, part: Part) -> u64 {
    drive.done(op).parts.get(part)
}

#[test]
fn planes_read_at_the_same_time_and_share_their_channel() {
    let mut drive = Drive::new(&[APART]);
    let [one, other] =
        drive.come_all(0, [(HostRead, drive.page(0, 0, 3, 0)), (MapRead, drive.page(0, 1, 9, 5))]);
    drive.run_dry();
    assert_eq!(drive.end_of(one), Some(alone(HostRead)));
    // Its command went behind that of the first, its data behind the first one's.
    assert_eq!(drive.end_of(other), Some(alone(HostRead) + DATA));
    assert_eq!(part(&drive, other, Part::ChannelWait(HostRead)), DATA);
    assert_eq!(part(&drive, other, Part::DieWait(HostRead)), 0);
}

#[test]
fn a_plane_reads_one_page_at_a_time_and_its_register_holds_it_until_it_has_left() {
    let mut drive = Drive::new(&[APART]);
    let first = drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    let second = drive.comes_to(0, HostRead, drive.page(0, 0, 4, 1));
    drive.run_dry();
    assert_eq!(drive.end_of(first), Some(alone(HostRead)));
    assert_eq!(drive.end_of(second), Some(2 * alone(HostRead)));
    assert_eq!(part(&drive, second, Part::DieWait(HostRead)), alone(HostRead));
}

#[test]
fn a_plane_goes_on_while_another_still_reads() {
    let mut drive = Drive::new(&[APART]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    // It begins 7,000 ns behind the first, and in between nobody else wants the channel.
    drive.comes_to(7_000, HostRead, drive.page(0, 1, 3, 0));
    let third = drive.comes_to(8_000, HostRead, drive.page(0, 0, 4, 1));
    drive.run_dry();
    // Plane 0 is free before the second one's data wants the channel; the third one's data comes behind that.
    assert_eq!(drive.end_of(third), Some(2 * alone(HostRead)));
    assert_eq!(part(&drive, third, Part::DieWait(HostRead)), alone(HostRead) - 8_000);
}

#[test]
fn programs_and_erases_wait_for_all_planes_and_close_the_die_to_later_reads() {
    for class in [HostProgram, GcErase] {
        let mut drive = Drive::new(&[APART]);
        let read = drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
        let whole = drive.comes_to(1_000, class, drive.page(0, 1, 9, 0));
        let later = drive.comes_to(2_000, HostRead, drive.page(0, 1, 4, 0));
        drive.run_dry();
        let free = alone(HostRead);
        assert_eq!(drive.end_of(read), Some(free));
        assert_eq!(drive.end_of(whole), Some(free + alone(class)), "{class:?}");
        assert_eq!(drive.end_of(later), Some(free + alone(class) + alone(HostRead)));
        assert_eq!(part(&drive, later, Part::DieWait(class)), free + alone(class) - 2_000, "{class:?}");
        if class == HostProgram {
            assert_eq!(part(&drive, whole, Part::DieWait(HostRead)), free - 1_000);
        }
    }
}

#[test]
fn what_waits_for_planes_is_blamed_on_the_one_that_is_free_last() {
    let mut drive = Drive::new(&[APART]);
    drive.comes_to(0, GcRead, drive.page(0, 0, 3, 0));
    let last = drive.comes_to(9_000, HostRead, drive.page(0, 1, 3, 0));
    let program = drive.comes_to(9_500, HostProgram, drive.page(0, 1, 9, 0));
    drive.run_dry();
    let waited = drive.end_of(last).unwrap() - 9_500;
    assert_eq!(part(&drive, program, Part::DieWait(HostRead)), waited);
    assert_eq!(drive.done(program).parts.total(), waited + alone(HostProgram));
}

#[test]
fn reads_that_come_while_the_die_is_closed_go_first_where_the_scheduler_has_reads_first() {
    let mut drive = Drive::new(&[APART, ("scheme.scheduler.policy", "read_first")]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    let program = drive.comes_to(1_000, HostProgram, drive.page(0, 1, 9, 0));
    let later = drive.comes_to(2_000, HostRead, drive.page(0, 1, 4, 0));
    drive.run_dry();
    let free = alone(HostRead);
    assert_eq!(drive.end_of(later), Some(free + alone(HostRead)));
    assert_eq!(part(&drive, later, Part::DieWait(HostProgram)), free - 2_000);
    assert_eq!(drive.end_of(program), Some(free + alone(HostRead) + alone(HostProgram)));
}

#[test]
fn reads_of_all_planes_go_on_before_a_program_that_the_scheduler_has_behind_them() {
    let mut drive = Drive::new(&[APART, ("scheme.scheduler.policy", "read_first")]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    let second = drive.comes_to(0, HostRead, drive.page(0, 0, 4, 0));
    let program = drive.comes_to(1_000, HostProgram, drive.page(0, 1, 9, 0));
    // The other plane rests: a read of plane 0 waits, so the die isn't closed.
    let beside = drive.comes_to(2_000, HostRead, drive.page(0, 1, 4, 0));
    drive.run_dry();
    // Its data waits for that of the first read, and for the command of the second.
    assert_eq!(drive.end_of(beside), Some(alone(HostRead) + READ_COMMAND + DATA));
    let last = drive.end_of(second).unwrap();
    assert_eq!(drive.end_of(program), Some(last + alone(HostProgram)));
}

#[test]
fn a_suspension_frees_all_planes() {
    let keys = [
        APART,
        ("device.suspend.program_ns", "5000"),
        ("device.suspend.resume_ns", "300"),
        ("scheme.scheduler.policy", "read_first_suspend"),
    ];
    let mut drive = Drive::new(&keys);
    let program = drive.comes_to(0, HostProgram, drive.page(0, 0, 3, 0));
    let reads =
        drive.come_all(20_000, [(HostRead, drive.page(0, 0, 9, 4)), (HostRead, drive.page(0, 1, 8, 2))]);
    let gc = drive.comes_to(20_000, GcRead, drive.page(0, 1, 7, 0));
    drive.run_dry();
    let ends = reads.map(|read| drive.end_of(read).unwrap());
    assert_eq!(ends, [25_000 + alone(HostRead), 25_000 + alone(HostRead) + DATA]);
    let resumed = ends[1] + 300;
    assert_eq!(drive.end_of(program), Some(resumed + alone(HostProgram) - 20_000));
    assert_eq!(part(&drive, program, Part::DieWait(HostRead)), alone(HostRead) + DATA);
    // What isn't the host's waits for the program.
    assert_eq!(drive.end_of(gc), Some(drive.end_of(program).unwrap() + alone(GcRead)));
}

#[test]
fn programs_of_several_planes_go_in_one_command_still() {
    let mut drive = Drive::new(&[APART]);
    drive.comes_to(0, HostRead, drive.page(0, 0, 3, 0));
    let programs = [0, 1].map(|plane| drive.comes_to(100, HostProgram, drive.page(0, plane, 9, 2)));
    drive.run_dry();
    let together = alone(HostRead) + PROGRAM_COMMAND + 70 + 2 * DATA + PROGRAM;
    assert_eq!(programs.map(|op| drive.end_of(op)), [Some(together); 2]);
}

#[test]
fn gates_of_a_die_hold_for_its_planes() {
    let mut drive = Drive::new(&[APART]);
    drive.flash.close_gate(DieId(0), 0, ClassSet::doing(FlashOp::Read), Ns(50_000));
    let read = drive.comes_to(1_000, HostRead, drive.page(0, 1, 3, 0));
    let program = drive.comes_to(2_000, HostProgram, drive.page(0, 0, 9, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(program), Some(2_000 + alone(HostProgram)));
    let begins = 50_000.max(2_000 + alone(HostProgram));
    assert_eq!(drive.end_of(read), Some(begins + alone(HostRead)));
}

#[test]
fn ideal_servers_read_by_planes_too_and_wait_for_no_program() {
    let mut drive = Drive::new(&[APART, ("scheme.ideal.second_server", "die_and_channel")]);
    drive.comes_to(0, HostProgram, drive.page(0, 0, 3, 0));
    let [one, other] =
        drive.come_all(1_000, [(HostRead, drive.page(0, 0, 4, 0)), (HostRead, drive.page(0, 1, 9, 5))]);
    let moved = drive.comes_to(1_000, GcRead, drive.page(0, 1, 9, 6));
    drive.run_dry();
    assert_eq!(drive.end_of(one), Some(1_000 + alone(HostRead)));
    assert_eq!(drive.end_of(other), Some(1_000 + alone(HostRead) + DATA));
    assert_eq!(drive.end_of(moved), Some(alone(HostProgram) + alone(GcRead)));
    let served = |class: Class| {
        let begun = drive.begun().into_iter().filter(|(_, _, begun, _)| *begun == class);
        begun.map(|(_, server, ..)| drive.flash.servers().describe(DieId(server))).collect::<Vec<_>>()
    };
    let reads = served(HostRead);
    assert!(reads.iter().all(|server| server.ideal && server.die == 0));
    assert_eq!(reads.iter().map(|server| server.plane).collect::<Vec<_>>(), [Some(0), Some(1)]);
    assert_eq!(served(GcRead)[0].plane, Some(1));
    assert!(!served(GcRead)[0].ideal && served(HostProgram)[0].plane.is_none());
}

#[test]
fn the_scheduler_weighs_what_the_die_does_against_the_oldest_read_of_any_plane() {
    let mut drive = Drive::new(&[APART]);
    // Both planes read; then in order of arrival a read, a program and a read of the other plane wait.
    drive.come_all(0, [(HostRead, drive.page(0, 0, 3, 0)), (HostRead, drive.page(0, 1, 3, 0))]);
    let older = drive.comes_to(1_000, HostRead, drive.page(0, 1, 4, 0));
    let program = drive.comes_to(2_000, HostProgram, drive.page(0, 0, 9, 0));
    let younger = drive.comes_to(3_000, HostRead, drive.page(0, 0, 4, 0));
    drive.run_dry();
    // Plane 0 is free first, and takes the younger read: the older one is to come before the program, and plane 1 isn't free.
    let first = alone(HostRead);
    assert_eq!(drive.end_of(younger), Some(2 * first));
    // The younger one's command goes before the data of plane 1.
    let last = 2 * first + READ_COMMAND + DATA;
    assert_eq!(drive.end_of(older), Some(last));
    assert_eq!(drive.end_of(program), Some(last + alone(HostProgram)));
}

#[test]
fn a_read_of_the_page_that_is_programmed_waits_while_other_planes_read() {
    let keys =
        [APART, ("device.suspend.program_ns", "5000"), ("scheme.scheduler.policy", "read_first_suspend")];
    let mut drive = Drive::new(&keys);
    let place = drive.page(0, 0, 3, 0);
    let program = drive.comes_to(0, HostProgram, place);
    let same = drive.comes_to(19_000, HostRead, place);
    let beside = drive.comes_to(20_000, HostRead, drive.page(0, 1, 3, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(beside), Some(25_000 + alone(HostRead)));
    let ends = alone(HostProgram) + 5_000 + alone(HostRead);
    assert_eq!(drive.end_of(program), Some(ends));
    assert_eq!(drive.end_of(same), Some(ends + alone(HostRead)));
}

#[test]
fn the_read_that_began_last_is_not_blamed_when_it_has_ended() {
    let slow = [APART, ("device.cell.technology", "\"mlc\""), ("device.cell.read_ns", "[20000, 80000]")];
    let mut drive = Drive::new(&slow);
    let long = drive.comes_to(0, HostRead, drive.page(0, 0, 3, 1));
    let short = drive.comes_to(1_000, GcRead, drive.page(0, 1, 3, 0));
    let program = drive.comes_to(40_000, HostProgram, drive.page(0, 1, 9, 0));
    drive.run_dry();
    assert_eq!(drive.end_of(short), Some(1_000 + alone(GcRead)));
    let waited = drive.end_of(long).unwrap() - 40_000;
    assert_eq!(part(&drive, program, Part::DieWait(HostRead)), waited);
}
