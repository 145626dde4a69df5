//! Which unit gives way, and which goes to flash first.

use super::harness::{ACCESS, Alone, described};
use crate::cache::{Access, CachePolicy, CacheView};
use wordline_base::ids::Lpa;
use wordline_config::cache::CacheKind::{self, Lru, WriteBuffer};

/// A cache of four units that holds the first four, clean and read in their order.
fn full() -> Alone {
    let mut drive = Alone::filled(&described(Lru));
    for lpa in 0..4 {
        drive.read(lpa);
        drive.run_dry();
    }
    drive
}

#[test]
fn the_clean_unit_that_was_used_longest_ago_gives_way_to_a_read() {
    let mut drive = full();
    drive.read(0);
    drive.run_dry();
    drive.read(9);
    drive.run_dry();
    assert_eq!((drive.cached(), drive.counts().evictions), (vec![0, 2, 3, 9], 1));
    drive.read(2);
    drive.read(8);
    drive.run_dry();
    assert_eq!((drive.cached(), drive.counts().evictions), (vec![0, 2, 8, 9], 2));
}

#[test]
fn a_write_takes_the_place_of_a_clean_unit_at_once() {
    let mut drive = full();
    let (now, write) = (drive.now(), drive.write(9));
    drive.run_dry();
    assert_eq!((drive.done(write), drive.cached()), (Some(now + ACCESS), vec![1, 2, 3, 9]));
    assert_eq!(drive.counts().stalls, 0);
}

#[test]
fn dirty_units_give_way_to_no_read() {
    let mut drive = Alone::filled(&described(Lru));
    drive.write_all(0..3);
    for lpa in [8, 9] {
        drive.read(lpa);
        drive.run_dry();
        assert_eq!(drive.cached(), [0, 1, 2, lpa]);
    }
    // The fourth begins the way of the first to flash. Until it is there, nothing is clean.
    drive.write(3);
    drive.read(7);
    drive.run(super::harness::READ + drive.now());
    assert_eq!((drive.cached(), drive.counts().evictions), (vec![0, 1, 2, 3], 2));
}

#[test]
fn the_oldest_dirty_unit_goes_to_flash_first_and_what_makes_one_young_is_the_policys_word() {
    let first = |policy: CacheKind| {
        let mut drive = Alone::new(&described(policy));
        drive.write_all(0..3);
        drive.read(0);
        drive.write(1);
        drive.write(3);
        drive.run_dry();
        drive.programmed()
    };
    assert_eq!((first(WriteBuffer), first(Lru)), (vec![0], vec![2]));
}

/// Names what it was made with.
struct Names(Option<Lpa>, Option<Lpa>);

impl CachePolicy for Names {
    fn admits_read(&mut self, _lpa: Lpa) -> bool {
        true
    }

    fn refreshes(&mut self, _lpa: Lpa, _access: Access) -> bool {
        false
    }

    fn keeps(&mut self, _lpa: Lpa) -> bool {
        true
    }

    fn evict(&mut self, _view: &CacheView<'_>) -> Option<Lpa> {
        self.0
    }

    fn write_back(&mut self, _view: &CacheView<'_>) -> Option<Lpa> {
        self.1
    }
}

#[test]
fn a_policy_that_names_a_unit_which_is_not_there_stops_the_drive() {
    let fault = |names: Names, step: fn(&mut Alone)| {
        let mut drive = full();
        assert!(drive.cache.set_policy(Box::new(names)));
        step(&mut drive);
        drive.fault.unwrap_or_default()
    };
    let gave_up = fault(Names(Some(Lpa(9)), None), |drive| {
        drive.write(8);
    });
    assert_eq!(gave_up, "the cache policy gave up Lpa(9), which is no clean unit of the cache");
    let on_its_way = fault(Names(Some(Lpa(2)), Some(Lpa(2))), |drive| {
        drive.write(2);
        drive.flush();
        drive.write(8);
    });
    assert_eq!(on_its_way, "the cache policy gave up Lpa(2), which is no clean unit of the cache");
    let chose = fault(Names(None, Some(Lpa(2))), |drive| {
        drive.write(3);
        drive.flush();
    });
    assert_eq!(chose, "the cache policy chose Some(Lpa(2)), which is no dirty unit of the cache");
    let none = fault(Names(None, None), |drive| {
        drive.write(8);
    });
    assert_eq!(none, "writes wait for room, and the cache policy gives up none of 4 clean units");
}
