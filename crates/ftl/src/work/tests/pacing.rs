//! Paced collection: what a domain has as good as won, and whom that holds.

use super::harness::{Alone, scattered};
use crate::work::Counted;
use wordline_base::class::Cause;
use wordline_base::ids::DomainId;

const DOMAIN: DomainId = DomainId(0);

/// One plane of 16 blocks of 8 pages, 64 of them the host's, whose collection follows the host's writes.
fn drive() -> Alone {
    let mut drive = Alone::one_plane(&[("scheme.gc.pace.band", "2")]);
    drive.write_in_turn(0..64);
    drive
}

fn virtual_free(drive: &Alone) -> u64 {
    drive.ftl.virtual_free(DOMAIN, drive.ftl.pace.as_ref().unwrap())
}

#[test]
fn free_pages_count_whether_their_block_is_free_or_open() {
    let mut drive = drive();
    // A block that collection opens takes nothing from it.
    for written in [64, 65, 71, 72, 73] {
        assert_eq!(virtual_free(&drive), 128 - written, "{written}");
        let next = [64, 65, 71, 72, 73, 73].into_iter().find(|&other| other > written).unwrap_or(written);
        drive.write_in_turn((0..(next - written) as u32).map(|page| page % 64));
    }
}

#[test]
fn a_victim_counts_as_won_by_the_share_of_its_pages_that_have_new_places() {
    let mut drive = drive();
    // Block 0 keeps two valid pages of eight.
    drive.trim_all(0..6);
    let before = virtual_free(&drive);
    drive.empty(drive.at(0, 0), Cause::WearLevelling);
    let mut seen = vec![virtual_free(&drive)];
    drive.run_until(|drive| {
        if seen.last() != Some(&virtual_free(drive)) {
            seen.push(virtual_free(drive));
        }
        false
    });
    // Each takes a page, and is half of what held the block: 4 - 1.
    assert_eq!(seen, [before, before + 3, before + 6]);
    drive.run_dry();
}

#[test]
fn the_host_never_takes_more_than_is_won_and_all_its_writes_are_done() {
    let mut drive = drive();
    // Rests at (reserve + 1 + two open) superblocks of 8; the host may go two rows of a page below that.
    assert_eq!(drive.ftl.paced_target(DOMAIN), Some(32));
    let mut least = u64::MAX;
    for burst in scattered(400, 64).collect::<Vec<_>>().chunks(8) {
        let writes: Vec<u32> = burst.iter().map(|&lpa| drive.write(lpa)).collect();
        least = least.min(virtual_free(&drive));
        drive.run_until(|drive| {
            least = least.min(virtual_free(drive));
            false
        });
        assert!(writes.iter().all(|&write| drive.done(write).is_some()));
    }
    assert_eq!(least, 30);
    assert!(drive.count(&Counted::Held) > 0 && drive.count(&Counted::Stalled) == 0);
    assert!(virtual_free(&drive) >= 32);
}

#[test]
fn collection_pauses_in_the_middle_of_a_victim_once_enough_is_won() {
    let mut drive = drive();
    let mut paused = 0;
    for lpa in scattered(200, 64) {
        drive.write_in_turn([lpa]);
        drive.run_until(|_| false);
        let collector = &drive.ftl.domain_states()[0].collector;
        if collector.victim.is_some() {
            assert!(virtual_free(&drive) >= 32, "a victim rests while there is too little");
            paused += 1;
        } else {
            assert!(collector.victims.is_empty());
        }
    }
    assert!(paused > 10, "{paused}");
}
