//! How many planes a read takes where naming a further one costs more than a command of its own: C is 100 ns, E as each test
//! says, tR 20,000 and the data 4,000 ns.

use super::harness::*;
use wordline_base::class::Class::{self, GcRead, HostRead};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

/// Least, mean and most planes of reads that begin at many times beside so many dies, of a drive of four planes.
fn planes(extra_ns: &str, arbitration: &str, beside: u64, data: u64) -> (u32, f64, u32) {
    let drive = Drive::new(&[
        ("device.geometry.planes", "4"),
        ("device.channel.read_command_extra_plane_ns", extra_ns),
        ("device.channel.arbitration", arbitration),
    ]);
    let times = [Ns(READ), Ns(data)];
    let taken = |now: u64| drive.flash.planes_worth_joining(DieId(0), beside, times, Ns(now * 1_001));
    let taken: Vec<u32> = (0..4_000).map(taken).collect();
    let mean = taken.iter().map(|&planes| f64::from(planes)).sum::<f64>() / taken.len() as f64;
    (*taken.iter().min().unwrap(), mean, *taken.iter().max().unwrap())
}

#[test]
fn as_many_planes_join_in_the_mean_as_keep_the_bus_as_busy_as_the_dies() {
    // (20,000 + 1,000 · 3) / (3 · (1,100 + 4,000)) = 1.503
    let (least, mean, most) = planes("1100", "command_first", 3, DATA);
    assert!((least, most) == (1, 2) && (mean - 1.503).abs() < 0.03, "{least} {mean} {most}");
    // (20,000 + 10,000 · 1) / (1 · (10,100 + 4,000)) = 2.128
    let (least, mean, most) = planes("10100", "command_first", 1, DATA);
    assert!((least, most) == (2, 3) && (mean - 2.128).abs() < 0.03, "{least} {mean} {most}");
}

#[test]
fn where_dies_work_in_step_only_commands_go_beside_arrays() {
    // (20,000 + 10,000 · 1) / (1 · 10,100) = 2.970
    let (least, mean, most) = planes("10100", "data_out_first", 1, DATA);
    assert!((least, most) == (2, 3) && (mean - 2.970).abs() < 0.03, "{least} {mean} {most}");
    // Not where the data is as short as a command: (20,000 + 10,000 · 1) / (1 · (10,100 + 100)) = 2.941
    let (least, mean, most) = planes("10100", "data_out_first", 1, READ_COMMAND);
    assert!((least, most) == (2, 3) && (mean - 2.941).abs() < 0.02, "{least} {mean} {most}");
}

#[test]
fn one_plane_is_read_where_hardly_more_would_join() {
    // (20,000 + 1,000 · 4) / (4 · (1,100 + 4,000)) = 1.176, beside seven dies 0.756.
    for beside in [4, 7] {
        assert_eq!(planes("1100", "command_first", beside, DATA), (1, 1.0, 1));
    }
}

#[test]
fn all_planes_join_where_fewer_would_win_next_to_nothing_and_at_a_die_that_reads_alone() {
    let all = u32::MAX;
    assert_eq!(planes("110", "command_first", 3, DATA).0, all);
    assert_eq!(planes("1100", "command_first", 0, DATA).0, all);
}

/// Planes of the command in which a read goes beside which another plane could read, when a read waits for the other die of the
/// channel or doesn't.
fn joined(extra_ns: &str, class: Class, other_waits: bool) -> u32 {
    let mut drive = Drive::new(&[("device.channel.read_command_extra_plane_ns", extra_ns)]);
    let places = [0, 1].map(|block| drive.page(1, 0, block, 0));
    drive.comes_to(0, HostRead, places[0]);
    drive.comes(0, HostRead, [0, 7, 15]);
    if other_waits {
        // The other die reads until 24,100 ns, and then the data of this one leaves; it begins before.
        drive.comes_to(1, GcRead, places[1]);
        drive.comes_to(1, class, places[1]);
    }
    drive.come_together(2, class, [[0, 3, 2], [1, 3, 2]]);
    drive.run_dry();
    let of_die = drive.begun().into_iter().filter(|&(_, server, ..)| server == 0);
    of_die.map(|(.., planes)| planes).nth(1).unwrap()
}

#[test]
fn only_reads_of_the_host_stay_apart_and_only_while_reads_wait_for_other_dies_of_the_channel() {
    // (20,000 + 100,000 · 1) / (1 · (100,100 + 4,000)) = 1.15
    assert_eq!(joined("100100", HostRead, true), 1);
    assert_eq!(joined("100100", HostRead, false), 2);
    assert_eq!(joined("100100", GcRead, true), 2);
    // A further plane that costs as much as a command of its own is not dear.
    assert_eq!(joined("100", HostRead, true), 2);
}
