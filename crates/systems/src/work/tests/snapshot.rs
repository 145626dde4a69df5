//! Systems saved and restored.

use super::harness::{Alone, Heard, Toy};
use crate::action::Action;
use crate::events::Event;
use crate::policies::{ReclaimPolicy, SystemPolicy};
use crate::watches::Watches;
use crate::work::{Systems, tell, wake_due};
use wordline_base::ids::SuperblockId;
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_base::time::Ns;

fn saved(systems: &Systems) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut out = Out::begin(&mut bytes).unwrap();
    systems.save(&mut out).unwrap();
    out.finish().unwrap();
    bytes
}

fn restore(into: &mut Systems, bytes: &[u8]) -> Result<(), SnapshotError> {
    let mut source = bytes;
    let mut input = In::begin(&mut source)?;
    into.restore(&mut input)
}

/// Two systems, which asked for something, one of which is to be woken, in a drive that is about to be idle.
fn waiting() -> Alone {
    let mut drive = Alone::with(&[("a", Watches::ERASED), ("b", Watches::ERASED)], |toy| {
        toy.asks = [Action::WakeAt(Ns(700)), Action::AskAgain].into();
    });
    tell(&mut drive, &Event::Erased(SuperblockId(0)));
    drive.finish();
    tell(&mut drive, &Event::Erased(SuperblockId(0)));
    drive.systems.idleness_begins(Ns(100));
    drive.heard();
    drive
}

fn goes_on_as(mut drive: Alone, mut other: Alone) {
    for drive in [&mut drive, &mut other] {
        drive.now = 700;
        wake_due(drive);
    }
    assert_eq!((drive.heard(), drive.finish()), (other.heard(), other.finish()));
    assert_eq!(drive.systems.next_wake(), other.systems.next_wake());
    assert_eq!(drive.systems.is_idle_since(Ns(1100)), other.systems.is_idle_since(Ns(1100)));
}

#[test]
fn systems_that_are_saved_and_restored_go_on_as_if_they_had_not_been() {
    let drive = waiting();
    let mut other = Alone::with(&[("a", Watches::ERASED), ("b", Watches::ERASED)], |_| {});
    restore(&mut other.systems, &saved(&drive.systems)).unwrap();
    goes_on_as(drive, other);
}

#[test]
fn systems_that_are_forked_go_on_as_the_others_do() {
    let drive = waiting();
    let mut other = Alone::new();
    other.systems = drive.systems.fork().unwrap();
    drive.systems.iter().zip(other.systems.iter()).for_each(|(one, two)| assert_eq!(one.name(), two.name()));
    // The forked ones write into the log of those that they come from.
    other.log = drive.log.clone();
    let mut drive = drive;
    for drive in [&mut drive, &mut other] {
        drive.now = 700;
        wake_due(drive);
        let woken = |name| (name, Heard::Told(Event::Woken));
        assert_eq!(drive.heard(), [woken("a"), woken("b")]);
        assert_eq!(drive.finish().len(), 2);
    }
}

#[test]
fn a_state_of_other_systems_is_refused_by_their_names() {
    let bytes = saved(&waiting().systems);
    let mut fewer = Alone::with(&[("a", Watches::ERASED)], |_| {}).systems;
    let error = restore(&mut fewer, &bytes).unwrap_err().to_string();
    assert!(error.contains(r#"["a", "b"]"#) && error.contains(r#"["a"]"#), "{error}");
}

#[test]
fn a_system_that_cannot_be_forked_is_named() {
    struct Alike;
    impl crate::system::System for Alike {
        fn name(&self) -> &str {
            "alike"
        }
    }
    let mut systems = Systems::new(Ns(1), ReclaimPolicy::None);
    systems.add(SystemPolicy::Custom(Box::new(Alike)));
    let error = systems.fork().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("`alike`"), "{error}");
}

#[test]
fn the_window_opens_for_each_and_names_are_theirs() {
    let mut drive = Alone::with(&[("a", Watches::NOTHING), ("b", Watches::NOTHING)], |_: &mut Toy| {});
    drive.systems.open_window();
    assert_eq!(drive.heard(), [("a", Heard::Window), ("b", Heard::Window)]);
    assert_eq!([drive.systems.name(1), drive.systems.name(2)], ["b".to_owned(), String::new()]);
    assert_eq!((drive.systems.count(), drive.systems.are_none()), (2, false));
}
