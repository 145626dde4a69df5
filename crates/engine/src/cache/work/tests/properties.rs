//! Random loads: at any time what is dirty is what a map of it says, reads find the newest version and flushes are kept (the
//! drive around the cache sees to that), and at the end all is in flash.

use super::harness::{Alone, Described, UNIT, UNITS, described};
use proptest::prelude::*;
use wordline_base::ids::Lpa;
use wordline_config::cache::CacheKind::{Lru, WriteBuffer};
use wordline_config::cache::{PauseConfig, RateLimitConfig, ReadAdmission, Rewrites, ThrottleConfig};

/// What a cache is beside the plain one.
const KINDS: [fn(&mut Described); 14] = [
    |_| {},
    |it| it.cache.policy = Lru,
    |it| (it.cache.policy, it.cache.admit_reads) = (Lru, ReadAdmission::None),
    |it| (it.cache.dirty_high, it.cache.dirty_low) = (0.5, Some(0.0)),
    |it| it.cache.rewrites = Rewrites::Append,
    |it| it.cache.cold_period_ns = Some(300_000),
    |it| it.cache.max_write_backs = 2,
    |it| it.cache.pause = Some(PauseConfig { every_units: 3, ns: 70_000, room_units: Some(2) }),
    |it| it.cache.throttle = Some(ThrottleConfig { from: 0.3, gap_ns: 30_000, by_moves: false }),
    |it| {
        let (gap_ns, beside_reads_ns) = (20_000, 200_000);
        it.cache.rate_limit =
            Some(RateLimitConfig { gap_ns, by_moves: false, burst_units: 2, beside_reads_ns });
    },
    |it| (it.units_per_page, it.fixed) = (2, true),
    |it| (it.units_per_page, it.points) = (4, 2),
    |it| (it.looks_up, it.units_per_page) = (true, 2),
    |it| (it.fixed, it.cache.past_collection) = (true, true),
];

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Sectors from this one on, by this stream, with FUA or without.
    Write(u32, u32, u16, bool),
    Read(u32, u32),
    Trim(u32),
    Flush,
    Collect(u32, bool),
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let sectors = UNITS * 8;
    let range = move || (0..sectors, prop_oneof![1..8u32, Just(8), Just(16)]);
    let unit = move || (0..UNITS).prop_map(|unit| unit * 8);
    prop::collection::vec(
        prop_oneof![
            6 => (unit(), 0..2u16).prop_map(|(first, stream)| Step::Write(first, 8, stream, false)),
            3 => (range(), 0..2u16).prop_map(|((first, count), stream)| Step::Write(first, count, stream, false)),
            1 => (range(), 0..2u16).prop_map(|((first, count), stream)| Step::Write(first, count, stream, true)),
            4 => range().prop_map(|(first, count)| Step::Read(first, count)),
            1 => (0..UNITS).prop_map(Step::Trim),
            1 => Just(Step::Flush),
            1 => (0..2u32, any::<bool>()).prop_map(|(plane, begins)| Step::Collect(plane, begins)),
            4 => (0..150_000u64).prop_map(Step::Pass),
        ],
        1..150,
    )
}

/// The cache agrees with the map of what is dirty, and what flash doesn't have is there in its newest version.
fn compare(drive: &Alone) {
    let table = &drive.cache.state.table;
    for lpa in 0..UNITS {
        let slot = table.find(Lpa(lpa));
        let dirty = slot.filter(|&slot| table.is_dirty(slot));
        assert_eq!(dirty.map(|slot| table.version(slot)), drive.dirty.get(&lpa).copied(), "unit {lpa}");
        if let Some(slot) = slot.filter(|_| dirty.is_none()) {
            let in_flash = drive.flash[&lpa].1;
            assert_eq!((table.version(slot), table.in_flash(slot)), (in_flash, in_flash), "unit {lpa}");
        }
    }
    assert!(table.len() <= table.capacity());
}

fn run(kind: usize, steps: &[Step], fill: bool) {
    let mut described = Described { capacity: 8, ..described(WriteBuffer) };
    KINDS[kind](&mut described);
    let mut drive = if fill { Alone::filled(&described) } else { Alone::new(&described) };
    let most = u64::from(UNITS) * UNIT;
    let bytes = |first: u32, count: u32| {
        let first = u64::from(first) * 512;
        (first, (u64::from(count) * 512).min(most - first))
    };
    for &step in steps {
        match step {
            Step::Write(first, count, stream, durable) => {
                let (offset, length) = bytes(first, count);
                drive.write_bytes(offset, length, stream % described.points as u16, durable);
            }
            Step::Read(first, count) => {
                let (offset, length) = bytes(first, count);
                drive.read_bytes(offset, length);
            }
            Step::Trim(lpa) => drive.trim(lpa),
            Step::Flush => {
                drive.flush();
            }
            Step::Collect(plane, begins) => drive.collect(plane, begins),
            Step::Pass(time) => drive.run(drive.now() + time),
        }
        assert_eq!(drive.fault, None);
        compare(&drive);
    }
    (0..2).for_each(|plane| drive.collect(plane, false));
    drive.run_dry();
    drive.flush();
    drive.run_dry();
    assert_eq!((drive.open(), drive.in_flight(), drive.cache.audit_rest()), (0, 0, Ok(())));
    compare(&drive);
    assert!(drive.dirty.is_empty());
    for (lpa, &(_, version)) in &drive.flash {
        assert_eq!(version, drive.newest[lpa], "unit {lpa}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn what_is_dirty_is_what_a_map_of_it_says_and_in_the_end_all_is_in_flash(
        kind in 0..KINDS.len(), steps in steps(), fill: bool,
    ) {
        run(kind, &steps, fill);
    }
}
