//! Drives that are prepared domain by domain, beside those that are prepared page by page in turn: saved, they are the same
//! bytes.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use crate::blocks::steady::Collection;
use crate::device::Device;
use crate::run::Setup;
use crate::run::described::described;
use wordline_base::ids::Lpa;
use wordline_base::rng::{Xoshiro256PlusPlus, below, stream};

use wordline_config::scheme::PlacementOrder;
use wordline_ftl::durable::Kept;
use wordline_ftl::work::{fill_by_domain, fill_in_turn, overwrite_by_domain, overwrite_in_turn, striping};

fn one_of<'a>(random: &mut Xoshiro256PlusPlus, choices: &[&'a str]) -> &'a str {
    choices[below(random, choices.len() as u32) as usize]
}

fn between(random: &mut Xoshiro256PlusPlus, least: u32, most: u32) -> String {
    (least + below(random, most - least + 1)).to_string()
}

/// Some small drive and scheme; `None` where they don't fit.
fn drawn_setup(random: &mut Xoshiro256PlusPlus) -> Option<Setup> {
    let orders = PlacementOrder::all();
    let order = orders[below(random, orders.len() as u32) as usize];
    let mut keys: Vec<(&str, String)> = vec![
        ("device.geometry.channels", between(random, 1, 3)),
        ("device.geometry.ways", between(random, 1, 2)),
        ("device.geometry.dies", between(random, 1, 2)),
        ("device.geometry.planes", between(random, 1, 2)),
        ("device.geometry.blocks", between(random, 16, 40)),
        ("device.geometry.pages", between(random, 3, 24)),
        ("device.geometry.mapping_unit_bytes", one_of(random, &["4096", "8192"]).to_owned()),
        ("device.geometry.pages_per_program", one_of(random, &["1", "1", "2"]).to_owned()),
        ("device.capacity.overprovisioning", one_of(random, &["0.25", "0.4"]).to_owned()),
        ("scheme.placement.order", String::from(order)),
        ("scheme.gc.trigger", one_of(random, &["0.01", "0.1"]).to_owned()),
        ("scheme.gc.policy", one_of(random, &["greedy", "greedy", "fifo", "windowed_greedy"]).to_owned()),
        ("scheme.wear.free_block", one_of(random, &["oldest", "least_worn"]).to_owned()),
    ];
    keys.push((
        "scheme.blocks.superblock",
        one_of(random, &["none", "none", "die", "chip", "channels"]).to_owned(),
    ));
    match below(random, 6) {
        0 => keys.push(("scheme.mapping.policy", "demand".to_owned())),
        1 => keys.extend([
            ("scheme.slc_cache.policy", "dynamic".to_owned()),
            ("device.slc_mode.read_ns", "20000".to_owned()),
            ("device.slc_mode.program_ns", "200000".to_owned()),
            ("device.slc_mode.erase_ns", "3000000".to_owned()),
        ]),
        2 => keys.push(("scheme.read_counts", "page".to_owned())),
        _ => {}
    }
    setup(&keys)
}

fn setup(keys: &[(&str, String)]) -> Option<Setup> {
    let setup = Setup { seed: 5, kept: Kept::Nothing, ..described(keys).ok()? };
    setup.new_drive(Vec::new()).ok().map(|_| setup)
}

/// What is done to a new drive.
struct Preparation {
    occupied: u32,
    scattered: Option<u64>,
    filled: Vec<Lpa>,
    overwrites: u64,
    /// Whether collecting wins nothing, so that no domain goes on for ever.
    for_ever_full: bool,
}

impl Preparation {
    fn drawn(random: &mut Xoshiro256PlusPlus, units: u32) -> Self {
        let filled = match below(random, 5) {
            0 => Vec::new(),
            1 => (0..below(random, units)).map(Lpa).collect(),
            // Runs, one upon the other and beyond the drive, with pages in between that belong to none.
            2 | 3 => (0..1 + below(random, 4))
                .flat_map(|_| {
                    let (first, alone) = (below(random, units), below(random, units));
                    (first..first + below(random, units)).chain([alone])
                })
                .map(Lpa)
                .collect(),
            _ => (0..below(random, 2 * units)).map(|_| Lpa(below(random, units + 5))).collect(),
        };
        Self {
            occupied: if filled.is_empty() || below(random, 3) == 0 { 1 + below(random, units) } else { 0 },
            scattered: Some(3).filter(|_| below(random, 4) == 0),
            filled,
            overwrites: u64::from(below(random, 3 * units)),
            for_ever_full: false,
        }
    }

    /// A drive so prepared, either way; `None` where this drive can't be prepared domain by domain.
    fn prepared(&self, setup: &Setup, by_domain: bool) -> Option<Device> {
        let (mut device, _) = setup.new_drive(Vec::new()).ok()?;
        let plan = |seed| device.ftl.steady_plan(Collection::Greedy, seed, false, 1);
        device.fill_at_once(setup.scheme.placement.order, self.occupied, self.scattered.map(plan));
        if self.for_ever_full {
            device.ftl.forge_blocks().set_least_won(u32::MAX);
        }
        let striping = striping(&device)?;
        if by_domain {
            fill_by_domain(&mut device, &striping, &self.filled, 1000);
        } else {
            fill_in_turn(&mut device, &self.filled);
        }
        let pages = self.filled.iter().copied().filter(|lpa| lpa.0 < device.ftl.logical_units());
        let pages: Vec<Lpa> = pages.collect();
        device.store_map();
        let mut choice = device.overwriting(self.occupied, &pages, setup.seed);
        if by_domain {
            let group = below(&mut stream(self.overwrites, "group"), 10_000) as usize;
            assert!(overwrite_by_domain(
                &mut device,
                &striping,
                self.overwrites,
                &mut choice,
                group,
                &mut |_| true
            ));
        } else {
            assert!(overwrite_in_turn(&mut device, self.overwrites, &mut choice, &mut |_| true));
        }
        device.ftl.take_lowest_free();
        device.close_untimed_places();
        Some(device)
    }
}

fn saved(setup: &Setup, device: &Device) -> Vec<u8> {
    let mut bytes = Vec::new();
    setup.save_drive(device, &mut bytes).unwrap();
    bytes
}

#[test]
fn domain_by_domain_and_in_turn_leave_the_same() {
    let mut random = stream(11, "apart");
    let (mut compared, mut collected, mut with_slc_cache) = (0, 0, 0);
    while compared < 100 {
        let Some(setup) = drawn_setup(&mut random) else { continue };
        let units =
            (setup.logical_bytes().unwrap() / u64::from(setup.device.geometry.mapping_unit_bytes)) as u32;
        let preparation = Preparation::drawn(&mut random, units);
        let Some(by_domain) = preparation.prepared(&setup, true) else { continue };
        let in_turn = preparation.prepared(&setup, false).unwrap();
        assert_eq!(by_domain.fault(), in_turn.fault(), "{:?}", setup.scheme);
        assert!(
            saved(&setup, &by_domain) == saved(&setup, &in_turn),
            "{:?} {:?}",
            setup.device,
            setup.scheme
        );
        by_domain.audit().unwrap();
        compared += 1;
        with_slc_cache += u32::from(by_domain.ftl.slc_space().is_some());
        collected += u32::from(by_domain.ftl.blocks().erase_counts().iter().any(|&erases| erases > 0));
    }
    assert!(collected > 50 && with_slc_cache > 5, "of {compared}: {collected}, {with_slc_cache}");
}

#[test]
fn a_long_fill_in_order_whose_memory_is_handed_out_ahead_leaves_the_same() {
    let keys = [
        ("device.geometry.channels", "2".to_owned()),
        ("device.geometry.ways", "2".to_owned()),
        ("device.geometry.dies", "1".to_owned()),
        ("device.geometry.planes", "1".to_owned()),
        ("device.geometry.blocks", "6000".to_owned()),
        ("device.geometry.pages", "256".to_owned()),
        ("device.geometry.mapping_unit_bytes", "8192".to_owned()),
    ];
    let setup = setup(&keys).unwrap();
    let filled: Vec<Lpa> = (1000..(5 << 20) + 77).map(Lpa).collect();
    let prepared = |by_domain: bool| {
        let (mut device, _) = setup.new_drive(Vec::new()).unwrap();
        device.fill_at_once(setup.scheme.placement.order, 0, None);
        if by_domain {
            device.fill(&filled);
        } else {
            fill_in_turn(&mut device, &filled);
        }
        device.ftl.take_lowest_free();
        device.close_untimed_places();
        device
    };
    let by_domain = prepared(true);
    assert!(striping(&by_domain).is_some() && filled.len() as u32 <= by_domain.ftl.logical_units() - 1000);
    assert!(saved(&setup, &by_domain) == saved(&setup, &prepared(false)));
}

#[test]
fn the_domain_that_can_not_go_on_first_is_named() {
    let mut random = stream(12, "apart");
    let mut compared = 0;
    while compared < 40 {
        let Some(setup) = drawn_setup(&mut random) else { continue };
        let units =
            (setup.logical_bytes().unwrap() / u64::from(setup.device.geometry.mapping_unit_bytes)) as u32;
        let preparation = Preparation { for_ever_full: true, ..Preparation::drawn(&mut random, units) };
        let Some(by_domain) = preparation.prepared(&setup, true) else { continue };
        let in_turn = preparation.prepared(&setup, false).unwrap();
        assert_eq!(by_domain.fault(), in_turn.fault());
        compared += u32::from(by_domain.fault().is_some());
    }
}

#[test]
fn preparation_stops_when_it_is_asked_to() {
    let keys =
        [("device.geometry.blocks", "32".to_owned()), ("device.capacity.overprovisioning", "0.3".to_owned())];
    let setup = setup(&keys).unwrap();
    for overwrites in [1, 1_000_000] {
        let (mut device, _) = setup.new_drive(Vec::new()).unwrap();
        device.fill_at_once(setup.scheme.placement.order, device.ftl.logical_units(), None);
        let mut choice = device.overwriting(device.ftl.logical_units(), &[], 1);
        let mut questions = 0;
        let mut twice = |_| {
            questions += 1;
            questions < 3
        };
        assert_eq!(device.overwrite(overwrites, &mut choice, &mut twice), overwrites == 1);
    }
}

#[test]
fn the_question_whether_to_go_on_comes_soon_and_tells_of_each_overwrite() {
    let in_turn = vec![("scheme.blocks.superblock", "drive".to_owned())];
    let room = "device.capacity.overprovisioning";
    let by_domain = vec![("device.geometry.blocks", "32".to_owned()), (room, "0.3".to_owned())];
    for (keys, in_turn) in [(in_turn, true), (by_domain, false)] {
        let setup = setup(&keys).unwrap();
        let (mut device, _) = setup.new_drive(Vec::new()).unwrap();
        assert_eq!(striping(&device).is_none(), in_turn);
        device.fill_at_once(setup.scheme.placement.order, device.ftl.logical_units(), None);
        let mut choice = device.overwriting(device.ftl.logical_units(), &[], 1);
        let (mut questions, mut told) = (0, 0);
        assert!(device.overwrite(20_000, &mut choice, &mut |more| {
            questions += 1;
            told += more;
            true
        }));
        assert!(questions >= if in_turn { 20 } else { 3 }, "{questions}");
        assert_eq!(told, 20_000);
    }
}

#[test]
fn what_depends_on_other_domains_is_done_in_turn() {
    let keys = |key, value: &str| {
        [
            ("device.geometry.blocks", "32".to_owned()),
            ("device.capacity.overprovisioning", "0.3".to_owned()),
            (key, value.to_owned()),
        ]
    };
    let by_domain = |key, value| {
        let setup = setup(&keys(key, value)).unwrap();
        striping(&setup.new_drive(Vec::new()).unwrap().0).is_some()
    };
    assert!(by_domain("scheme.gc.policy", "greedy"));
    for policy in ["d_choices", "random", "cost_benefit"] {
        assert!(!by_domain("scheme.gc.policy", policy), "{policy}");
    }
    assert!(!by_domain("scheme.placement.policy", "dynamic"));
    assert!(!by_domain("scheme.blocks.superblock", "drive"));
    let checked = Setup { kept: Kept::Checked, ..setup(&keys("scheme.gc.policy", "greedy")).unwrap() };
    assert!(striping(&checked.new_drive(Vec::new()).unwrap().0).is_none());
}
