//! Parity of rows: where it is, and reads that are rebuilt from it.

use super::harness::{Alone, PROGRAM, READ};
use crate::work::Counted;
use wordline_base::ids::Lpa;

/// A drive whose superblocks go over its four dies, one page of each row being parity.
fn drive() -> Alone {
    let keys = [
        ("scheme.blocks.superblock", "drive"),
        ("scheme.redundancy.policy", "parity_rows"),
        ("scheme.redundancy.xor_ns", "50"),
        ("scheme.redundancy.when", "any_wait"),
    ];
    let mut drive = Alone::new(&keys);
    drive.write_in_turn(0..48);
    drive.run_dry();
    drive
}

#[test]
fn each_row_has_three_pages_of_data_and_its_parity_on_a_fourth_die() {
    let drive = drive();
    let geometry = drive.ftl.geometry();
    for row in (0..48).step_by(3) {
        let mut dies: Vec<u32> = (row..row + 3).map(|lpa| drive.die(lpa)).collect();
        dies.sort_unstable();
        dies.dedup();
        assert_eq!(dies.len(), 3, "row of page {row}");
        let place = geometry.place(drive.place(row));
        let parity = (0..4).find(|die| !dies.contains(die)).unwrap();
        let plane = wordline_base::ids::PlaneId(parity);
        let there = geometry.first_unit(plane, place.block, place.page);
        assert_eq!(drive.ftl.oob().lpa(there, drive.ftl.layout()), Lpa::PARITY);
    }
}

#[test]
fn a_read_whose_die_programs_is_rebuilt_from_the_rest_of_its_row() {
    let mut drive = drive();
    // Programs on one die only.
    let (mut write, begin) = (100, drive.now());
    while (0..4).filter(|&die| drive.flash.loads()[die] > 0).count() == 0 {
        drive.write(write);
        write += 1;
    }
    let busy = (0..4).find(|&die| drive.flash.loads()[die as usize] > 0).unwrap();
    let blocked = (0..48).find(|&lpa| drive.die(lpa) == busy).unwrap();
    let read = drive.read(blocked);
    drive.run_until_done(read);
    assert_eq!(drive.count(&Counted::ReconstructedRead), 1);
    assert_eq!(drive.count(&Counted::SourceReads(3)), 1);
    let took = drive.done(read).unwrap() - begin;
    assert!((READ + 50..PROGRAM).contains(&took), "{took}");
    drive.run_dry();
}
