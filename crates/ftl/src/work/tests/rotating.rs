//! Domains that take turns at collecting.

use super::harness::{Alone, fault, scattered};
use wordline_base::class::Cause;

/// The most domains that collect at once: of those at the same place of each channel, and of all.
fn at_once(rotating: &str) -> [usize; 2] {
    let mut drive = Alone::new(&[("scheme.gc.rotating", rotating)]);
    let pages = drive.ftl.logical_units();
    drive.write_in_turn(0..pages);
    let (mut of_group, mut of_all) = (0, 0);
    for burst in scattered(2 * pages, pages).collect::<Vec<_>>().chunks(4) {
        let writes: Vec<u32> = burst.iter().map(|&lpa| drive.write(lpa)).collect();
        drive.run_until(|drive| {
            let collects = drive.ftl.domain_states().iter().map(|domain| domain.collector.collects());
            let collects: Vec<bool> = collects.collect();
            // Planes 0 and 1 lie on channel 0, planes 2 and 3 on channel 1.
            let group = |first: usize| usize::from(collects[first]) + usize::from(collects[first + 2]);
            of_group = of_group.max(group(0)).max(group(1));
            of_all = of_all.max(group(0) + group(1));
            false
        });
        assert!(writes.iter().all(|&write| drive.done(write).is_some()));
    }
    drive.run_dry();
    assert!(drive.moved(Cause::Gc) > 100);
    [of_group, of_all]
}

#[test]
fn of_the_planes_at_the_same_place_of_each_channel_one_collects_at_a_time() {
    assert_eq!((at_once("true"), at_once("false")[0]), ([1, 2], 2));
}

#[test]
fn a_drive_of_one_channel_has_nobody_to_take_turns_with() {
    let error = fault(|| drop(Alone::one_plane(&[("scheme.gc.rotating", "true")])));
    assert!(error.contains("false on a drive of one channel"), "{error}");
}
