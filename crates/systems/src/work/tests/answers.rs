//! Whose answer counts.

use super::harness::{Alone, Heard};
use crate::action::Action;
use crate::events::{WornBlock, WritePlace};
use crate::plan::Plan;
use crate::reclaim::Decision;
use crate::watches::Watches;
use crate::work::{allowed_planes_of, ask_owners, ask_reclaim_policy, ask_to_reclaim, ask_write_place, find};
use wordline_base::class::Cause;
use wordline_base::ids::{DieId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_base::time::Ns;
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::placement::ProgramIntent;
use wordline_ftl::replicate::{Candidate, Serving};

const WORN: WornBlock =
    WornBlock { superblock: SuperblockId(1), plane: PlaneId(0), block: 1, ppa: Ppa(9), reads: 1000 };

/// Three systems: the second doesn't watch, the first has no answer unless it is named.
fn three(watches: Watches, change: impl Fn(&mut super::harness::Toy)) -> Alone {
    Alone::with(&[("a", watches), ("b", Watches::NOTHING), ("c", watches)], change)
}

fn asked(names: &[&'static str], what: &'static str) -> Vec<(&'static str, Heard)> {
    names.iter().map(|&name| (name, Heard::Asked(what))).collect()
}

#[test]
fn the_first_system_that_gives_a_place_decides_where_a_write_goes_and_no_other_is_asked() {
    let write = ProgramIntent::host(Lpa(1), 0);
    let place = WritePlace::Into(SuperblockId(4));
    let mut drive = three(Watches::WRITE_PLACE, |toy| toy.place = place);
    assert_eq!(ask_write_place(&mut drive, &write), Some((0, place)));
    assert_eq!(drive.heard(), asked(&["a"], "place"));
    let mut drive = three(Watches::WRITE_PLACE, |toy| {
        toy.place = if toy.name == "a" { WritePlace::Free } else { WritePlace::Wait };
    });
    assert_eq!(ask_write_place(&mut drive, &write), Some((2, WritePlace::Wait)));
    assert_eq!(drive.heard(), asked(&["a", "c"], "place"));
    let mut drive = three(Watches::WRITE_PLACE, |_| {});
    assert_eq!(ask_write_place(&mut drive, &write), None);
}

#[test]
fn what_is_asked_for_with_a_place_is_kept_though_the_place_is_free() {
    let mut drive = three(Watches::WRITE_PLACE, |toy| toy.asks = [Action::AskAgain].into());
    assert_eq!(ask_write_place(&mut drive, &ProgramIntent::host(Lpa(1), 0)), None);
    assert_eq!(drive.finish(), [(0, None, Action::AskAgain), (2, None, Action::AskAgain)]);
}

#[test]
fn planes_are_those_of_the_first_that_lists_any_by_what_it_watches_for() {
    let host = ProgramIntent::host(Lpa(1), 0);
    let moved = ProgramIntent { cause: Cause::Gc, ..host };
    let mut drive = three(Watches::PLACEMENT, |toy| {
        toy.planes = (toy.name == "c").then(|| vec![PlaneId(2), PlaneId(5)]);
    });
    for _ in 0..2 {
        let planes = allowed_planes_of(&mut drive, &host).unwrap();
        assert_eq!(planes.iter().collect::<Vec<_>>(), [PlaneId(2), PlaneId(5)]);
        drive.systems.put_planes_back(planes);
        assert_eq!(drive.heard(), asked(&["a", "c"], "planes"));
    }
    assert!(allowed_planes_of(&mut drive, &moved).is_none());
    let beyond = ProgramIntent { lpa: Lpa(16), ..host };
    assert!(allowed_planes_of(&mut drive, &beyond).is_none(), "pages of the map are nobody's");
    assert_eq!(drive.heard(), []);
}

#[test]
fn of_those_that_translate_the_first_answer_counts() {
    let lookup = Lookup::alone(Lpa(1), false);
    let mut drive = three(Watches::TRANSLATION, |toy| {
        toy.found = (toy.name != "a").then_some(Found::Guess(Ppa(7)));
    });
    assert_eq!(find(&mut drive, &lookup), Some(Found::Guess(Ppa(7))));
    assert_eq!(drive.heard(), asked(&["a", "c"], "find"));
    assert_eq!(find(&mut Alone::new(), &lookup), None);
}

#[test]
fn only_owners_of_copies_are_asked_which_copy_serves() {
    let candidate = |owner| Candidate {
        ppa: Ppa(1),
        die: DieId(0),
        owner,
        outstanding: 0,
        running: None,
        remaining: Ns::ZERO,
        ahead: Ns::ZERO,
        here: false,
    };
    let candidates = [candidate(None), candidate(Some(2))];
    let mut drive = three(Watches::NOTHING, |toy| toy.serves = Some(1));
    let read = Serving { lpa: Lpa(1), again: false, candidates: &candidates };
    assert_eq!(ask_owners(&mut drive, &read), Some(1));
    assert_eq!(drive.heard(), asked(&["c"], "serve"));
}

#[test]
fn the_first_plan_for_a_worn_block_counts_and_the_policy_is_asked_by_itself() {
    let plan = || Plan::into_fresh(Cause::ReadReclaim, wordline_base::ids::DomainId(0), SuperblockId(1), &[]);
    let mut drive = three(Watches::RECLAIM, |toy| toy.plan = (toy.name != "a").then(plan));
    assert_eq!(ask_to_reclaim(&mut drive, &WORN), Some((2, plan())));
    assert_eq!(drive.heard(), asked(&["a", "c"], "reclaim"));
    assert_eq!(ask_reclaim_policy(&mut drive, &WORN), Decision::Leave);
    assert_eq!(drive.heard(), []);
}
