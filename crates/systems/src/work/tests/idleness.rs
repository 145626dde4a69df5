//! When the drive is idle, and when systems are woken.

use super::harness::{Alone, Heard};
use crate::action::Action;
use crate::events::Event;
use crate::watches::Watches;
use crate::work::{tell, wake_due};
use proptest::prelude::*;
use wordline_base::time::Ns;

#[test]
fn the_drive_is_idle_once_no_request_was_inside_for_long_enough_until_one_comes() {
    let mut drive = Alone::new();
    assert_eq!(drive.systems.next_wake(), Ns::NEVER);
    drive.systems.idleness_begins(Ns(500));
    assert_eq!(drive.systems.next_wake(), Ns(1500));
    assert!(!drive.systems.are_idle());
    assert!(drive.systems.is_idle_since(Ns(1500)));
    assert!(!drive.systems.is_idle_since(Ns(1500)), "it is told once");
    wake_due(&mut drive);
    assert_eq!((drive.systems.next_wake(), drive.systems.are_idle()), (Ns::NEVER, true));
    assert!(drive.systems.idleness_ends());
    assert!(!drive.systems.are_idle());
}

#[test]
fn a_request_before_that_ends_the_wait() {
    let mut drive = Alone::new();
    drive.systems.idleness_begins(Ns(500));
    assert!(!drive.systems.idleness_ends());
    assert_eq!(drive.systems.next_wake(), Ns::NEVER);
    drive.systems.idleness_begins(Ns(900));
    assert_eq!(drive.systems.next_wake(), Ns(1900));
}

/// Lets each of these systems ask to be woken at its times, one after the other.
fn wakes(times: &[(&'static str, &[u64])]) -> Alone {
    let names: Vec<_> = times.iter().map(|&(name, _)| (name, Watches::ERASED)).collect();
    Alone::with(&names, |toy| {
        let of = times.iter().find(|(name, _)| *name == toy.name).unwrap().1;
        toy.asks = of.iter().map(|&time| Action::WakeAt(Ns(time))).collect();
    })
}

const ASK: Event = Event::Erased(wordline_base::ids::SuperblockId(0));

#[test]
fn systems_are_woken_at_their_times_and_may_ask_for_another_then() {
    let mut drive = wakes(&[("a", &[700, 900]), ("b", &[700]), ("c", &[800])]);
    tell(&mut drive, &ASK);
    drive.finish();
    drive.heard();
    let woken = |name| (name, Heard::Told(Event::Woken));
    let mut wake = |at: u64| {
        assert_eq!(drive.systems.next_wake(), Ns(at));
        drive.now = at;
        wake_due(&mut drive);
        drive.finish();
        drive.heard()
    };
    assert_eq!(wake(700), [woken("a"), woken("b")]);
    assert_eq!(wake(800), [woken("c")]);
    assert_eq!(wake(900), [woken("a")]);
    assert_eq!(drive.systems.next_wake(), Ns::NEVER);
}

#[test]
fn a_later_wish_replaces_the_one_before_and_one_in_the_past_is_the_next_nanosecond() {
    let mut drive = wakes(&[("a", &[700, 5])]);
    drive.now = 40;
    tell(&mut drive, &ASK);
    drive.finish();
    assert_eq!(drive.systems.next_wake(), Ns(700));
    tell(&mut drive, &ASK);
    drive.finish();
    assert_eq!(drive.systems.next_wake(), Ns(41));
}

proptest! {
    #[test]
    fn each_is_woken_as_often_as_it_asked_and_never_early(times in prop::collection::vec(1u64..50, 1..12)) {
        let mut drive = Alone::with(&[("a", Watches::ERASED)], |toy| {
            toy.asks = times.iter().map(|&time| Action::WakeAt(Ns(time))).collect();
        });
        tell(&mut drive, &ASK);
        drive.finish();
        let mut woken = 0;
        while drive.systems.next_wake() != Ns::NEVER {
            let at = drive.systems.next_wake().0;
            prop_assert_eq!(at, times[woken].max(drive.now + 1));
            drive.now = at;
            wake_due(&mut drive);
            drive.finish();
            woken += 1;
        }
        prop_assert_eq!(woken, times.len());
    }
}
