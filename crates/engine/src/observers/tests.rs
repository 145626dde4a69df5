//! Counts, which need nobody.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use super::Observers;
use wordline_base::class::Class;
use wordline_base::time::Ns;
use wordline_flash::Count;
use wordline_ftl::mapping::Found;
use wordline_ftl::work::Counted;

use crate::ids::Ppa;

#[test]
fn a_command_counts_each_page_of_each_plane_and_once_as_a_transaction() {
    let mut observers = Observers::new(None);
    observers.count_command(Class::HostRead, 1, 1);
    observers.count_command(Class::HostRead, 2, 3);
    let class = Class::HostRead.index();
    let recorder = &observers.recorder;
    assert_eq!((recorder.operations[class], recorder.transactions[class], recorder.multi_plane), (7, 2, 1));
    assert_eq!(observers.flash_operations, 7);
}

#[test]
fn a_read_of_a_copyback_is_a_flash_operation_beside_its_program() {
    let mut observers = Observers::new(None);
    observers.count_of_flash(Count::CopybackRead(2));
    observers.count_of_flash(Count::Suspension);
    observers.count_of_flash(Count::CacheRead);
    let recorder = &observers.recorder;
    assert_eq!((observers.flash_operations, recorder.copybacks), (2, 2));
    assert_eq!((recorder.suspensions, recorder.cache_reads, recorder.cache_programs), (1, 1, 0));
}

#[test]
fn a_look_up_is_a_hit_a_miss_or_a_guess_and_those_of_writes_are_told_apart() {
    let mut observers = Observers::new(None);
    for (found, write) in [
        (Found::Known(Ppa(1)), false),
        (Found::Known(Ppa(1)), true),
        (Found::Load(0), true),
        (Found::Guess(Ppa(2)), false),
    ] {
        observers.count_of_ftl(Counted::LookUp { found, write }, Ns(5));
    }
    let mapping = &observers.recorder.mapping;
    assert_eq!((mapping.hits, mapping.misses, mapping.guessed), (2, 1, 1));
    assert_eq!((mapping.hits_of_writes, mapping.misses_of_writes, mapping.guessed_of_writes), (1, 1, 0));
}

#[test]
fn the_first_unit_past_the_cache_has_its_time() {
    let mut observers = Observers::new(None);
    for now in [70, 90] {
        observers.count_of_ftl(Counted::PastCache, Ns(now));
    }
    let slc = &observers.recorder.slc;
    assert_eq!((slc.direct, slc.first_direct), (2, Some(Ns(70))));
}
