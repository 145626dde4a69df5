//! What may be asked of the flash: what a die does and for how long, what waits there, how long it was busy.

use super::harness::*;
use crate::work::{running, waiting_ahead};
use wordline_base::class::Class::{self, GcErase, GcRead, HostProgram, HostRead, MapRead};
use wordline_base::class::FlashOp::{Erase, Program, Read};
use wordline_base::ids::DieId;
use wordline_base::time::Ns;

const DIE: DieId = DieId(0);

/// What is left of what a die does at this time, ns.
fn left(drive: &mut Drive, at: u64) -> Option<(Class, u64)> {
    drive.run(at);
    running(drive, DIE).map(|(class, left)| (class, left.0))
}

#[test]
fn of_a_read_the_rest_of_the_array_time_and_the_data_are_left() {
    let mut drive = Drive::new(&[]);
    assert_eq!(left(&mut drive, 0), None);
    drive.comes(0, HostRead, [0, 3, 0]);
    assert_eq!(left(&mut drive, 50), Some((HostRead, 24_050)));
    assert_eq!(left(&mut drive, 20_000), Some((HostRead, 4_100)));
    assert_eq!(left(&mut drive, 20_100), Some((HostRead, 4_000)));
    assert_eq!(left(&mut drive, 24_100), None);
}

#[test]
fn of_a_command_that_waits_for_the_channel_all_of_it_is_left() {
    for (class, time) in [(HostRead, 24_100), (HostProgram, 204_300), (GcErase, 1_000_050)] {
        let mut drive = Drive::new(&[]);
        let place = drive.page(1, 0, 3, 0);
        drive.comes_to(0, HostProgram, place);
        drive.comes(10, class, [0, 3, 0]);
        assert_eq!(left(&mut drive, 1_000), Some((class, time)));
    }
}

#[test]
fn of_a_program_or_an_erase_what_is_left_or_the_time_until_it_could_be_suspended() {
    let mut drive = Drive::new(&[]);
    drive.comes(0, HostProgram, [0, 3, 0]);
    assert_eq!(left(&mut drive, 50_000), Some((HostProgram, 154_300)));
    let step = ("device.suspend.program_step_ns", "30000");
    for (keys, class, times) in [
        (vec![], HostProgram, [(1_000, 8_300), (50_000, 5_000), (202_000, 2_300)]),
        (vec![step], HostProgram, [(1_000, 8_300), (50_000, 19_300), (202_000, 2_300)]),
        (vec![], GcErase, [(1_000, 7_000), (50_000, 7_000), (995_050, 5_000)]),
        (
            vec![("device.suspend.max_per_operation", "0")],
            GcErase,
            [(0, 1_000_050), (50_000, 950_050), (995_050, 5_000)],
        ),
    ] {
        let mut drive = Drive::new(&[&SUSPENDS[..], &keys].concat());
        drive.comes(0, class, [0, 3, 0]);
        for (at, time) in times {
            assert_eq!(left(&mut drive, at), Some((class, time)), "{at} {keys:?}");
        }
    }
}

#[test]
fn what_is_suspended_takes_no_further_time_to_read_beside_and_then_the_read_counts() {
    let mut drive = Drive::new(&SUSPENDS);
    drive.comes(0, HostProgram, [0, 3, 0]);
    drive.comes(50_000, HostRead, [1, 5, 0]);
    assert_eq!(left(&mut drive, 52_000), Some((HostProgram, 0)));
    assert_eq!(drive.flash.command(DIE), Some(HostProgram));
    assert_eq!(left(&mut drive, 60_000), Some((HostRead, 19_100)));
    assert_eq!(drive.flash.busy_with(DIE), None);
}

/// When a die is to be done, ns, told every 500 ns while it works; and that it is then.
fn ends_told<const N: usize>(
    keys: &[(&'static str, &'static str)],
    class: Class,
    places: [[u32; 3]; N],
) -> Vec<u64> {
    let started = || {
        let mut drive = Drive::new(keys);
        drive.come_together(0, class, places);
        drive
    };
    let (mut drive, mut told, mut at) = (started(), Vec::new(), 0);
    while let Some((_, time)) = left(&mut drive, at) {
        told.push(at + time);
        at += 500;
    }
    told.dedup();
    let end = *told.last().unwrap();
    let mut again = started();
    assert!(left(&mut again, end - 1).is_some() && left(&mut again, end).is_none(), "{class:?}: {told:?}");
    told
}

#[test]
fn where_nobody_else_wants_the_channel_what_is_left_is_when_it_ends() {
    assert_eq!(ends_told(&[], HostRead, [[0, 3, 0], [1, 3, 0]]), [20_130 + 2 * 4_000]);
    assert_eq!(ends_told(&[], HostProgram, [[0, 3, 0], [1, 3, 0]]), [8_370 + 200_000]);
    assert_eq!(ends_told(&[], GcErase, [[0, 3, 0]]), [1_000_050]);
    let cached = [
        ("device.cache_mode.read", "true"),
        ("device.cache_mode.program", "true"),
        ("device.cache_mode.read_busy_ns", "3000"),
        ("device.cache_mode.program_busy_ns", "3000"),
    ];
    let row = [[0, 3, 0], [0, 3, 1], [0, 3, 2]];
    // Data that takes longer than the array, too.
    for read_ns in ["[20000]", "[2000]"] {
        let keys = [&cached[..], &[("device.cell.read_ns", read_ns)]].concat();
        for class in [HostRead, HostProgram] {
            // What waits isn't known before it begins.
            let told = ends_told(&keys, class, row);
            assert_eq!(told.len(), 3, "{class:?}: {told:?}");
        }
    }
}

#[test]
fn what_would_go_before_a_read_counts_as_ahead_of_it() {
    let ahead = |policy| {
        let mut drive = Drive::new(&[("scheme.scheduler.policy", policy)]);
        drive.comes(0, HostRead, [0, 3, 0]);
        drive.come_together(1, HostProgram, [[0, 4, 0], [0, 4, 1]]);
        drive.come_together(2, GcErase, [[0, 5, 0]]);
        drive.come_together(3, MapRead, [[1, 3, 0]]);
        let kinds = [Read, Program, Erase].map(|kind| drive.flash.waits_ahead(DIE, kind));
        (waiting_ahead(&drive, DIE).0, kinds)
    };
    // Without their commands: two programs of 204,000 ns, an erase, a read.
    assert_eq!(ahead("fifo"), (1_432_000, [true; 3]));
    assert_eq!(ahead("read_first"), (24_000, [true, false, false]));
}

#[test]
fn flash_pages_of_reads_are_counted_and_those_of_the_host_told_in_order() {
    for (keys, told) in [(&[][..], [1, 2, 3]), (&[("device.die.independent_planes", "reads")], [1, 3, 2])] {
        let mut drive = Drive::new(keys);
        assert_eq!(drive.flash.reads_of(DIE), (0, false));
        drive.comes(0, GcRead, [0, 3, 0]);
        drive.come_together(1, HostRead, [[0, 4, 1], [1, 5, 2], [0, 4, 3]]);
        drive.comes(2, HostProgram, [0, 6, 0]);
        assert_eq!(drive.flash.reads_of(DIE), (4, true));
        let mut heads = Vec::new();
        drive.flash.host_reads_at(DIE, &mut |head| heads.push(head));
        assert_eq!(heads, told);
        drive.run_dry();
        assert_eq!(drive.flash.reads_of(DIE), (0, false));
    }
}

#[test]
fn a_cache_read_and_the_one_before_it_both_count() {
    let mut drive = Drive::new(&[("device.cache_mode.read", "true")]);
    drive.come_together(0, HostRead, [[0, 3, 0], [0, 3, 1]]);
    // The second one's command passes; then the data of the first leaves while the array works.
    for at in [20_150, 21_000] {
        drive.run(at);
        assert_eq!(drive.flash.reads_of(DIE), (2, true));
        let mut heads = Vec::new();
        drive.flash.host_reads_at(DIE, &mut |head| heads.push(head));
        assert_eq!(heads, [0, 1], "{at}");
    }
}

#[test]
fn a_program_or_an_erase_keeps_a_die_and_a_read_does_not() {
    for (class, keeps) in [(HostRead, None), (HostProgram, Some(HostProgram)), (GcErase, Some(GcErase))] {
        let mut drive = Drive::new(&[]);
        drive.comes(0, class, [0, 3, 0]);
        assert_eq!((drive.flash.busy_with(DIE), drive.flash.command(DIE)), (keeps, Some(class)));
        drive.run_dry();
        assert_eq!((drive.flash.busy_with(DIE), drive.flash.command(DIE)), (None, None));
    }
}

#[test]
fn of_planes_that_read_apart_the_one_that_is_done_last_counts_and_of_one_that_rests_its_die() {
    let mut drive = Drive::new(&[&TWO_BITS[..], &[("device.die.independent_planes", "reads")]].concat());
    // The second page takes 40,000 ns: this read ends at 44,100 ns, the next one at 29,100.
    drive.comes(0, GcRead, [0, 3, 1]);
    drive.comes(5_000, HostRead, [1, 3, 0]);
    assert_eq!(left(&mut drive, 10_000), Some((GcRead, 34_100)));
    assert_eq!(drive.flash.command(DIE), Some(GcRead));
    drive.comes(11_000, HostProgram, [0, 4, 0]);
    let plane = drive.flash.read_server(drive.page(0, 0, 5, 0));
    assert_eq!(waiting_ahead(&drive, plane), Ns(204_000));
    drive.run(100_000);
    assert_eq!(running(&drive, plane), Some((HostProgram, Ns(44_100 + PROGRAM_ALONE - 100_000))));
    assert_eq!(drive.flash.busy_with(plane), Some(HostProgram));
}

#[test]
fn clocks_show_the_time_that_dies_and_channels_have_been_taken() {
    let mut drive = Drive::new(&[]);
    drive.comes(0, HostProgram, [0, 3, 0]);
    let clocks = |drive: &Drive, now| {
        let now = Ns(now);
        let all = [drive.flash.die_clocks(now), drive.flash.channel_clocks(now)];
        all.map(|clocks| (clocks[0][HostProgram.index()], clocks[1][HostProgram.index()]))
    };
    assert_eq!(clocks(&drive, 1_000), [(1_000, 0), (1_000, 0)]);
    assert!(drive.flash.bus_is_busy(0) && !drive.flash.bus_is_busy(1));
    drive.run(100_000);
    assert_eq!(clocks(&drive, 100_000), [(100_000, 0), (4_300, 0)]);
    assert!(!drive.flash.bus_is_busy(0));
}
