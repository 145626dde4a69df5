//! Copyback: moves inside a die, and those that can't be.

use super::harness::{Alone, ERASE, PROGRAM, READ};
use wordline_base::class::Cause;

/// One plane whose die copies back, with two mapping units in a flash page, which cross the channel in 9 ns.
fn drive(keys: &[(&str, &str)]) -> Alone {
    let plain = [("device.geometry.page_bytes", "8192"), ("device.copyback.supported", "true")];
    let mut drive = Alone::one_plane(&[&plain, keys].concat());
    for page in 0..9 {
        let write = drive.write_together(&[2 * page, 2 * page + 1]);
        drive.run_until_done(write);
    }
    drive
}

/// Time to empty block 0.
fn emptied(drive: &mut Alone) -> u64 {
    let begin = drive.now();
    drive.empty(drive.at(0, 0), Cause::WearLevelling);
    drive.run_dry();
    drive.now() - begin
}

#[test]
fn whole_pages_move_without_their_data_on_the_channel() {
    // The array's times alone; through the controller eight pages of 8 KiB cross the channel twice.
    assert_eq!(emptied(&mut drive(&[])), 8 * (10_000 + 100_000) + ERASE);
    let through = emptied(&mut drive(&[("scheme.gc.copyback", "false")]));
    assert_eq!(through, 8 * (10_009 + 100_009) + ERASE);
}

#[test]
fn units_keep_their_order_in_the_page_that_they_move_to() {
    let mut drive = drive(&[]);
    emptied(&mut drive);
    let to = drive.superblock(0);
    assert_eq!(drive.held(to), (0..16).map(Some).collect::<Vec<_>>());
    assert_eq!((to, drive.moved(Cause::WearLevelling)), (drive.at(0, 2), 16));
}

#[test]
fn a_page_with_a_unit_that_nobody_wants_goes_through_the_controller() {
    let mut drive = drive(&[]);
    drive.trim(5);
    let took = emptied(&mut drive);
    // Unit 4 alone crosses the channel. Until another lies beside it its page can take no copyback: the next one goes through the
    // controller too, one of its units beside unit 4 and one into a page that stays half empty.
    let through = READ + 10_009 + 100_009 + PROGRAM;
    assert_eq!(took, 6 * (10_000 + 100_000) + through + ERASE);
    assert_eq!(drive.moved(Cause::WearLevelling), 15);
}
