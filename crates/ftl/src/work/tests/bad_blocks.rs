//! Blocks that go bad: spares, superblocks that are given up, and the end of a drive's life.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::PlaneId;

const PLANE: PlaneId = PlaneId(0);

/// One plane of 16 blocks, one of them a spare, with 33 pages of the 42 that the host sees: blocks 0 to 3 are full.
fn drive(keys: &[(&str, &str)]) -> Alone {
    let plain =
        [("device.capacity.overprovisioning", "0.67"), ("device.bad_blocks.spare_blocks_per_plane", "1")];
    let mut drive = Alone::one_plane(&[&plain, keys].concat());
    drive.write_in_turn(0..33);
    drive.run_dry();
    drive
}

fn empty(drive: &mut Alone, block: u32) -> BlockState {
    let superblock = drive.at(0, block);
    drive.empty(superblock, Cause::WearLevelling);
    drive.run_dry();
    drive.ftl.blocks().state(superblock)
}

fn backing(drive: &Alone, block: u32) -> Option<u32> {
    drive.ftl.wear_out.as_ref().unwrap().bad.backing(PLANE, block)
}

#[test]
fn an_erase_that_fails_takes_a_spare_and_without_one_its_superblock_is_given_up() {
    let mut drive = drive(&[("device.bad_blocks.erase_failures", "1.0")]);
    let free = |drive: &Alone| drive.ftl.domain_states()[0].free.len();
    assert_eq!((backing(&drive, 0), free(&drive)), (Some(0), 10));
    // Each takes a fresh block for its pages and gives its own back.
    assert_eq!((empty(&mut drive, 0), backing(&drive, 0), free(&drive)), (BlockState::Free, Some(15), 10));
    assert_eq!((empty(&mut drive, 1), backing(&drive, 1), free(&drive)), (BlockState::Retired, None, 9));
    let report = drive.ftl.bad_blocks_report().unwrap();
    assert_eq!((report.grown, report.replaced, report.retired_superblocks, report.spares_left), (2, 1, 1, 0));
    assert!(drive.ftl.end_of_life().is_none());
    assert!((0..33).all(|lpa| drive.place(lpa).is_some()));
}

#[test]
fn a_drives_life_ends_when_it_lacks_the_superblocks_that_it_needs() {
    let mut drive = drive(&[("device.bad_blocks.erase_failures", "1.0")]);
    // 42 pages take six blocks of eight, two are open, and three are to be free beside which two are the reserve: life ends when
    // ten are left of fifteen.
    let mut given_up = 0;
    while drive.ftl.end_of_life().is_none() {
        let full = (0..15).find(|&block| drive.ftl.blocks().state(drive.at(0, block)) == BlockState::Full);
        given_up += u32::from(empty(&mut drive, full.unwrap()) == BlockState::Retired);
    }
    let end = drive.ftl.end_of_life().unwrap();
    assert_eq!((end.time_ns, end.host_bytes_written), (drive.now(), 33 * 4096));
    assert_eq!((given_up, end.erases), (5, 6));
}

#[test]
fn wear_goes_by_the_block_behind_a_superblock() {
    let mut drive = drive(&[("device.bad_blocks.endurance_cycles", "2")]);
    assert_eq!((empty(&mut drive, 0), backing(&drive, 0)), (BlockState::Free, Some(0)));
    let place = drive.ftl.unit_at(drive.at(0, 0), 0);
    assert_eq!(drive.ftl.cycles_of_block(place), 1);
    // Around once more, to block 0 again.
    while drive.superblock(32) != drive.at(0, 0) {
        drive.write_in_turn([32]);
    }
    drive.write_in_turn([32; 8]);
    drive.run_dry();
    empty(&mut drive, 0);
    // Its second erase was the last one of the block behind it: the spare is new.
    assert_eq!((backing(&drive, 0), drive.ftl.cycles_of_block(place)), (Some(15), 0));
    assert!(drive.ftl.blocks().erase_counts()[0] >= 2);
}

#[test]
fn a_superblock_of_which_a_program_failed_is_emptied_as_soon_as_it_is_full() {
    let mut drive = drive(&[("device.bad_blocks.program_failures", "0.02")]);
    let failed = |drive: &Alone| drive.ftl.bad_blocks_report().unwrap().failed_programs;
    let before = failed(&drive);
    let mut last = 32;
    while failed(&drive) == before {
        last = (last + 1) % 42;
        drive.write_in_turn([last]);
    }
    let superblock = drive.superblock(last);
    let emptied = drive.count(&Counted::Emptied(Cause::Gc));
    while drive.ftl.blocks().state(superblock) == BlockState::Open {
        assert_eq!(drive.count(&Counted::Emptied(Cause::Gc)), emptied);
        last = (last + 1) % 42;
        drive.write(last);
        drive.run_until(|drive| drive.ftl.blocks().state(superblock) != BlockState::Open);
    }
    drive.run_until(|drive| drive.count(&Counted::Emptied(Cause::Gc)) > emptied);
    assert_eq!(drive.ftl.blocks().state(superblock), BlockState::Collecting);
    let block = drive.ftl.blocks().split(superblock).1;
    let behind = backing(&drive, block);
    drive.run_dry();
    assert!(backing(&drive, block) != behind);
}
