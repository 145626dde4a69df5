//! Reads of the host: what is read together, what becomes of those that wait while their page goes elsewhere, and of pages without data.

use super::harness::{Alone, PROGRAM, READ};
use crate::events::Event;
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, PlaneId};

/// A drive with pages 0 to 9 on the first die, which programs page 20; what is written from now on goes to the third, on the other
/// channel.
fn busy(keys: &[(&str, &str)]) -> Alone {
    let mut drive = Alone::new(&[&[("scheme.placement.policy", "dynamic")], keys].concat());
    drive.answers.allowed = Some(vec![PlaneId(0)]);
    (0..10).step_by(2).for_each(|lpa| {
        let write = drive.write_together(&[lpa, lpa + 1]);
        drive.run_until_done(write);
    });
    drive.write(20);
    drive.answers.allowed = Some(vec![PlaneId(2)]);
    drive
}

#[test]
fn units_of_one_flash_page_are_one_command_of_a_request() {
    let mut drive = Alone::one_plane(&[("device.geometry.page_bytes", "8192")]);
    for page in 0..4 {
        let write = drive.write_together(&[2 * page, 2 * page + 1]);
        drive.run_until_done(write);
    }
    // Two units cross the channel in 9 ns, one in 5.
    let table: [(&[u32], u32, u64); 3] =
        [(&[2, 3], 1, 10_009), (&[3, 4], 2, 2 * READ), (&[2, 3, 4, 5, 6], 3, 2 * 10_009 + READ)];
    for (pages, commands, took) in table {
        let begin = drive.now();
        let read = drive.read_together(pages);
        assert_eq!(drive.flash.loads(), [commands], "{pages:?}");
        drive.run_dry();
        assert_eq!(drive.done(read), Some(begin + took), "{pages:?}");
    }
}

#[test]
fn a_read_whose_page_was_moved_while_it_waited_is_sent_on() {
    let mut drive = busy(&[("scheme.reclaim.policy", "superblock")]);
    drive.run_dry();
    drive.ftl.note_who_places_moves(true);
    let begin = drive.now();
    drive.empty(drive.superblock(0), Cause::ReadReclaim);
    // Behind four reads that move pages; page 0 begins to be programmed on the third die when the first of them is done.
    let read = drive.read(0);
    drive.run_dry();
    assert_eq!((drive.die(0), drive.count(&Counted::Rerouted)), (2, 1));
    assert_eq!(drive.done(read), Some(begin + READ + PROGRAM + READ));
}

#[test]
fn a_read_that_waits_finds_what_was_written_or_trimmed_meanwhile() {
    let mut drive = busy(&[]);
    let begin = drive.now();
    let [written, trimmed] = [3, 4].map(|lpa| drive.read(lpa));
    drive.write(3);
    drive.trim(4);
    drive.run_dry();
    // Both programs end together: the read is sent on to the third die.
    assert_eq!([written, trimmed].map(|read| drive.done(read).unwrap() - begin), [PROGRAM + READ, PROGRAM]);
    let newest = drive.ftl.versions().unwrap().newest(Lpa(3));
    assert_eq!(drive.found, [(Lpa(4), None), (Lpa(3), Some(newest))]);
    assert_eq!(drive.count(&Counted::Rerouted), 1);
}

#[test]
fn a_read_that_waits_is_answered_by_the_cache_if_that_has_a_newer_version_by_then() {
    let mut drive = busy(&[]);
    let reads = [drive.read(0), drive.read(1)];
    let begin = drive.now();
    drive.answers.cached.insert(0);
    drive.run_dry();
    // The first needs no array read when its turn comes, so the other has it.
    assert_eq!(reads.map(|read| drive.done(read).unwrap() - begin), [PROGRAM, PROGRAM + READ]);
}

#[test]
fn of_units_read_together_those_that_moved_are_sent_on_and_the_others_are_read() {
    let mut drive = busy(&[("device.geometry.page_bytes", "8192")]);
    let begin = drive.now();
    let read = drive.read_together(&[0, 1]);
    drive.write(0);
    drive.run_until_done(read);
    // One on each channel, beside each other.
    assert_eq!((drive.count(&Counted::Rerouted), drive.done(read)), (1, Some(begin + PROGRAM + READ)));
    assert_eq!([0, 1].map(|lpa| drive.die(lpa)), [2, 0]);
    drive.run_dry();
}

#[test]
fn a_page_without_data_gets_its_place_at_its_first_read_where_the_scheme_says_so() {
    let mut drive = Alone::one_plane(&[("scheme.mapping.unmapped_reads", "allocate")]);
    let read = drive.read(5);
    drive.run_dry();
    let allocated = Event::Allocated { lpa: Lpa(5), ppa: drive.place(5) };
    assert_eq!((drive.done(read), drive.told[0]), (Some(READ), (99, allocated)));
    assert_eq!((drive.ftl.mapped_units(), drive.count(&Counted::Unmapped)), (1, 1));
}
