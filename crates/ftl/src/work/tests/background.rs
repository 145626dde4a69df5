//! Collection while the drive is idle, and what is left to do when it comes to rest.

use super::harness::Alone;
use crate::blocks::BlockState;
use crate::work::{Counted, begin_background, end_background};
use wordline_base::class::Cause;
use wordline_base::ids::SuperblockId;

/// One plane of 16 blocks, of which 7 are to be free after an idle time. Blocks 0 to 7 hold three valid pages each, blocks 8 to 12
/// eight: three are free.
fn drive(keys: &[(&str, &str)]) -> Alone {
    let mut drive = Alone::one_plane(&[&[("scheme.gc.background.stop", "0.42")], keys].concat());
    drive.write_in_turn(0..64);
    drive.write_in_turn((0..5).flat_map(|page| (0..8).map(move |block| block * 8 + page)));
    assert_eq!(free(&drive), 3);
    drive
}

fn free(drive: &Alone) -> u32 {
    drive.ftl.domain_states()[0].free.len()
}

#[test]
fn an_idle_drive_collects_until_as_many_are_free_as_it_is_to_have_one_victim_at_a_time() {
    for (preemptible, victims) in [("true", 7), ("false", 6)] {
        let mut drive = drive(&[("scheme.gc.background.preemptible", preemptible)]);
        drive.act(begin_background);
        let mut most = 0;
        drive.run_until(|drive| {
            most = most.max(drive.ftl.domain_states()[0].collector.victims.len());
            false
        });
        // Of eight victims: 3 + 7 free, less three blocks for their 21 pages. Where several are emptied at once they count before
        // their pages have taken the third.
        assert_eq!((free(&drive), drive.moved(Cause::Gc)), (victims, 3 * victims as usize), "{preemptible}");
        let counts = [Counted::IdleTime, Counted::InBackground].map(|what| drive.count(&what));
        assert_eq!(counts, [1, victims as usize], "{preemptible}");
        assert_eq!(most == 1, victims == 7, "{preemptible}: {most}");
        drive.run_dry();
    }
}

/// Idle until the first page of the first victim is programmed; then a request comes.
fn disturbed(preemptible: &str) -> (Alone, SuperblockId) {
    let mut drive = drive(&[("scheme.gc.background.preemptible", preemptible)]);
    drive.act(begin_background);
    drive.run_until(|drive| drive.moved(Cause::Gc) == 1);
    let victim = drive.ftl.domain_states()[0].collector.victims[0].0;
    drive.act(end_background);
    (drive, victim)
}

#[test]
fn a_request_has_the_victim_given_up_but_what_was_read_of_it_moves() {
    let (mut drive, victim) = disturbed("true");
    assert_eq!(drive.count(&Counted::VictimGivenUp), 1);
    assert_eq!(drive.ftl.blocks().state(victim), BlockState::Full);
    drive.run_dry();
    // A page was programmed and no other read.
    assert_eq!((drive.moved(Cause::Gc), drive.ftl.blocks().valid(victim)), (1, 2));
    assert_eq!(drive.ftl.blocks().erase_counts().iter().sum::<u32>(), 0);
    // What was given up is collected by the next idle time.
    drive.act(begin_background);
    drive.run_dry();
    assert_eq!((drive.moved(Cause::Gc), free(&drive)), (21, 7));
}

#[test]
fn collection_that_is_not_preemptible_goes_on_beside_requests() {
    let (mut drive, _) = disturbed("false");
    drive.run_dry();
    assert_eq!((drive.count(&Counted::VictimGivenUp), free(&drive), drive.moved(Cause::Gc)), (0, 6, 18));
}

#[test]
fn a_victim_whose_space_the_host_has_come_to_need_is_not_given_up() {
    let mut drive = drive(&[]);
    drive.act(begin_background);
    drive.run_until(|drive| drive.moved(Cause::Gc) == 1);
    // The moves took one of three free blocks, this write takes another.
    drive.write(0);
    assert_eq!(free(&drive), 1);
    drive.act(end_background);
    drive.run_dry();
    assert_eq!((drive.count(&Counted::VictimGivenUp), free(&drive)), (0, 2));
}

#[test]
fn a_drive_that_comes_to_rest_wins_space_for_what_waits_only() {
    for (rests, moves) in [(false, true), (true, false)] {
        let keys = [("scheme.gc.trigger", "0.25"), ("scheme.gc.background.stop", "0.42")];
        let mut drive = Alone::one_plane(&keys);
        drive.ftl.wind_down(rests);
        drive.write_in_turn(0..64);
        // Three of the four blocks that are to be free.
        drive.write_in_turn((0..5).flat_map(|page| (0..8).map(move |block| block * 8 + page)));
        drive.run_dry();
        assert_eq!(drive.moved(Cause::Gc) > 0, moves);
        drive.act(begin_background);
        assert_eq!(drive.count(&Counted::IdleTime), usize::from(!rests));
        // With the reserve alone left, space is won before a write has to wait for it.
        drive.write_in_turn((0..17).map(|number| number % 8 * 8 + 7));
        drive.run_dry();
        assert_eq!((drive.moved(Cause::Gc) > 0, drive.count(&Counted::Stalled)), (true, 0));
    }
}
