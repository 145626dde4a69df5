//! Planes that work together: what goes with a command, and what must not.

use super::harness::*;
use wordline_base::class::Class::{self, GcErase, GcRead, HostProgram, HostRead, MapRead, WearRead};
use wordline_base::parts::Part::{Cell, ChannelWait, Command, DieWait, Transfer};

/// A die that reads until 24,100 ns, so that what comes meanwhile waits together.
fn busy(keys: &[(&str, &str)]) -> Drive {
    let mut drive = Drive::new(keys);
    drive.comes(0, HostRead, [0, 7, 15]);
    drive
}

/// Planes of the commands in which these operations go that wait together.
fn planes_of<const N: usize>(keys: &[(&str, &str)], class: Class, places: [[u32; 3]; N]) -> Vec<u32> {
    let mut drive = busy(keys);
    drive.answers.slc_blocks.insert(6);
    drive.come_together(1, class, places);
    drive.run_dry();
    drive.begun().iter().skip(1).map(|&(.., planes)| planes).collect()
}

#[test]
fn planes_read_at_once_and_their_data_leaves_one_behind_the_other() {
    let mut drive = busy(&[]);
    let [one, other] = drive.come_together(1, HostRead, [[0, 3, 2], [1, 4, 2]]);
    drive.run_dry();
    let parts = [(DieWait(HostRead), 24_099), (Command, 130), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(one, 48_230, &parts);
    drive.ended(other, 52_230, &[&parts[..], &[(ChannelWait(HostRead), 4_000)]].concat());
}

#[test]
fn planes_program_at_once_what_came_in_one_grant() {
    let mut drive = busy(&[]);
    let programs = drive.come_together(100, HostProgram, [[0, 3, 2], [1, 4, 2]]);
    drive.run_dry();
    let parts = [(DieWait(HostRead), 24_000), (Command, 370), (Transfer, 8_000), (Cell, 200_000)];
    programs.iter().for_each(|&program| drive.ended(program, 232_470, &parts));
    assert!(drive.granted().contains(&(24_100, 32_470, 0)));
}

#[test]
fn planes_erase_at_once() {
    let mut drive = busy(&[]);
    let erases = drive.come_together(100, GcErase, [[0, 3, 0], [1, 3, 0]]);
    drive.run_dry();
    assert_eq!(erases.map(|erase| drive.end(erase)), [READ_ALONE + 60 + ERASE; 2]);
}

#[test]
fn the_rule_says_which_pages_go_together() {
    let pairs = [[[0, 3, 2], [1, 3, 2]], [[0, 3, 2], [1, 4, 2]], [[0, 3, 2], [1, 3, 3]]];
    let rules = [("none", 0), ("same_block_and_page", 1), ("same_page", 2), ("any", 3)];
    for (rule, fitting) in rules {
        for (number, pair) in pairs.into_iter().enumerate() {
            let planes = planes_of(&[("device.multi_plane.rule", rule)], HostRead, pair);
            let expected = if number < fitting { vec![2] } else { vec![1, 1] };
            assert_eq!(planes, expected, "{rule}, {pair:?}");
        }
    }
}

#[test]
fn pages_of_one_plane_and_operations_of_two_classes_go_one_behind_the_other() {
    assert_eq!(planes_of(&[], HostRead, [[0, 3, 2], [0, 4, 2]]), [1, 1]);
    let mut drive = busy(&[]);
    drive.comes(1, HostRead, [0, 3, 2]);
    drive.comes(2, MapRead, [1, 3, 2]);
    drive.run_dry();
    assert_eq!(drive.begun().len(), 3);
}

#[test]
fn blocks_in_two_modes_go_one_behind_the_other() {
    assert_eq!(planes_of(&TWO_BITS, HostRead, [[0, 3, 2], [1, 6, 2]]), [1, 1]);
    assert_eq!(planes_of(&TWO_BITS, HostRead, [[0, 6, 2], [1, 6, 2]]), [2]);
}

#[test]
fn the_slowest_page_of_a_command_keeps_all_its_planes() {
    let keys = [&TWO_BITS[..], &[("device.multi_plane.rule", "any")]].concat();
    for pages in [[0, 1], [1, 0]] {
        let mut drive = Drive::new(&keys);
        let places = [[0, 3, pages[0]], [1, 3, pages[1]]];
        let reads = drive.come_together(0, HostRead, places);
        drive.run_dry();
        assert_eq!(reads.map(|read| drive.end(read)), [44_130, 48_130], "{pages:?}");
    }
}

#[test]
fn a_read_in_a_long_queue_is_found_as_far_as_the_window_reaches() {
    let found = |keys: &[(&str, &str)], between: u32| {
        let mut drive = busy(keys);
        drive.comes(1, HostRead, [0, 3, 2]);
        (0..between).for_each(|number| {
            drive.comes(2, HostRead, [number % 2, 4, 3 + number % 12]);
        });
        drive.comes(3, HostRead, [1, 3, 2]);
        drive.run_dry();
        drive.begun()[1].3 == 2
    };
    let window = ("device.multi_plane.window", "3");
    assert_eq!([2, 3].map(|between| found(&[window], between)), [true, false]);
    // By default four times all units of a page of all planes, and eight at least.
    assert_eq!([7, 8].map(|between| found(&[], between)), [true, false]);
    assert_eq!([31, 32].map(|between| found(&[FOUR_UNITS], between)), [true, false]);
    // Where any page goes with any, so does the first of those between.
    assert!(found(&[window, ("device.multi_plane.rule", "any")], 3));
}

#[test]
fn what_is_passed_over_keeps_its_place() {
    let mut drive = busy(&[]);
    let reads = drive.come_together(1, HostRead, [[0, 3, 2], [0, 4, 3], [1, 4, 5], [1, 3, 2]]);
    drive.run_dry();
    // The first and the last go together, and two more behind them.
    assert_eq!(reads.map(|read| drive.end(read)), [48_230, 76_330, 100_430, 52_230]);
}

#[test]
fn reads_of_one_flash_page_are_one() {
    let mut drive = busy(&[FOUR_UNITS]);
    let reads = drive.come_together(0, HostRead, [[0, 3, 2], [0, 4, 2], [1, 3, 2], [0, 3, 2], [1, 3, 2]]);
    drive.run_dry();
    // A unit of each of two planes, then one; the first read moved a unit, too.
    let planes: Vec<u32> = drive.begun().iter().map(|&(.., planes)| planes).collect();
    assert_eq!(planes, [1, 2, 1]);
    let ends = [42_230, 64_330, 43_230, 42_230, 43_230];
    assert_eq!(reads.map(|read| drive.end(read)), ends);
}

#[test]
fn reads_of_one_flash_page_are_one_where_planes_dont_go_together_too() {
    let keys = [("device.multi_plane.rule", "none")];
    assert_eq!(planes_of(&keys, HostRead, [[0, 3, 2], [0, 3, 2], [1, 3, 2]]), [1, 1]);
}

#[test]
fn units_of_one_flash_page_that_move_are_read_together() {
    let keys = [FOUR_UNITS, ("device.multi_plane.rule", "none")];
    assert_eq!(planes_of(&keys, WearRead, [[0, 3, 2], [0, 3, 2]]), [1]);
}

#[test]
fn what_collection_moves_is_read_for_itself_and_so_is_the_map_where_it_is_to_be() {
    assert_eq!(planes_of(&[], GcRead, [[0, 3, 2], [0, 3, 2]]), [1, 1]);
    assert_eq!(planes_of(&[], MapRead, [[0, 3, 2], [0, 3, 2]]), [1]);
    let mut drive = busy(&[]);
    drive.flash.rules.separate_map_reads = true;
    drive.come_together(1, MapRead, [[0, 3, 2], [0, 3, 2], [1, 3, 2]]);
    drive.run_dry();
    // The other plane still goes along.
    assert_eq!(drive.begun().iter().map(|&(.., planes)| planes).collect::<Vec<_>>(), [1, 2, 1]);
}

#[test]
fn a_read_whose_page_is_elsewhere_goes_with_no_other() {
    for plane in [0, 1] {
        let mut drive = busy(&[]);
        let [read, elsewhere] = drive.come_together(1, HostRead, [[0, 3, 2], [plane, 3, 2]]);
        drive.answers.elsewhere.insert(elsewhere);
        drive.run_dry();
        assert_eq!(drive.end(read), 2 * READ_ALONE);
        assert_eq!(drive.sent_on, [elsewhere]);
    }
}

#[test]
fn no_program_passes_another_of_its_plane() {
    // The third would fit the first, but a program of its plane waits before it.
    assert_eq!(planes_of(&[], HostProgram, [[0, 3, 0], [1, 4, 1], [1, 5, 0]]), [1, 1, 1]);
    // What waits of the first one's own plane is in nobody's way.
    assert_eq!(planes_of(&[], HostProgram, [[0, 3, 0], [0, 3, 1], [1, 5, 0]]), [2, 1]);
    // Reads pass each other.
    assert_eq!(planes_of(&[], HostRead, [[0, 3, 0], [1, 4, 1], [1, 5, 0]]), [2, 1]);
}
