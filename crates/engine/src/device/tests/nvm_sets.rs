//! Sets of planes: what belongs to one neither lies nor waits on planes of another.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a panic is the failure")]

use crate::device::Device;
use crate::host::{HostOp, HostRequest, RequestSource, SourceError};
use crate::run::described::described;
use crate::run::{Setup, Unobserved, replay};
use std::collections::BTreeSet;
use wordline_base::ids::Lpa;
use wordline_base::rng::{below, stream};
use wordline_base::time::Ns;
use wordline_config::host::HostConfig;
use wordline_config::run::{Occupancy, StartConfig, StartLayout};

type Keys<'a> = &'a [(&'a str, &'a str)];

const SETS: &str = "[{ name = 'a', channels = [0] }, { name = 'b', channels = [1], dies = [1] }]";

/// Two channels of two dies of two planes.
fn setup(start: StartConfig, keys: Keys<'_>) -> Setup {
    let small = [
        ("device.geometry.channels", "2"),
        ("device.geometry.ways", "1"),
        ("device.geometry.dies", "2"),
        ("device.geometry.planes", "2"),
        ("device.geometry.blocks", "40"),
        ("device.geometry.pages", "16"),
        ("device.geometry.page_bytes", "8192"),
        ("device.geometry.mapping_unit_bytes", "4096"),
        ("device.capacity.overprovisioning", "0.4"),
        ("scheme.nvm_set", SETS),
    ];
    let keys: Vec<_> = small.iter().chain(keys).copied().collect();
    let host = HostConfig { queue_depth: 16, ..HostConfig::default() };
    Setup { host, start, ..described(&keys).unwrap() }
}

/// Random requests of one or more pages to some pages of the drive.
struct Requests {
    left: u32,
    pages: std::ops::Range<u32>,
    random: rand_xoshiro::Xoshiro256PlusPlus,
}

impl RequestSource for Requests {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(500) {
            let op = [HostOp::Write, HostOp::Write, HostOp::Write, HostOp::Read, HostOp::Trim]
                [below(&mut self.random, 5) as usize];
            let first = self.pages.start + below(&mut self.random, self.pages.len() as u32 - 6);
            let pages = 1 + below(&mut self.random, 6);
            let (offset, length) = (u64::from(first) * 4096, u64::from(pages) * 4096);
            batch.push(HostRequest { time: Ns(0), op, offset, length, flow: 0, stream: 0 });
        }
        self.left -= self.left.min(500);
        Ok(())
    }
}

fn random(left: u32, pages: std::ops::Range<u32>) -> Requests {
    Requests { left, pages, random: stream(1, "requests") }
}

/// Planes on which pages of a set lie, and how many pages.
fn planes_of(device: &Device, set: usize) -> (BTreeSet<u32>, usize) {
    let units = device.ftl().sets().unwrap().units(set);
    let places: Vec<_> = units.map(|lpa| device.ftl().lookup(Lpa(lpa))).filter(|ppa| ppa.is_some()).collect();
    (places.iter().map(|&ppa| device.geometry.plane_of(ppa).0.0).collect(), places.len())
}

const PLANES: [&[u32]; 3] = [&[0, 1, 2, 3], &[6, 7], &[4, 5]];

fn keeps_to_sets(device: &Device) {
    for (set, planes) in PLANES.into_iter().enumerate() {
        assert_eq!(planes_of(device, set).0, planes.iter().copied().collect(), "set {set}");
    }
}

#[test]
fn a_drive_begins_with_as_much_of_each_set_on_its_planes_as_was_asked_for() {
    for layout in [StartLayout::InOrder, StartLayout::Steady, StartLayout::AtTrigger] {
        for policy in ["static", "dynamic"] {
            let start = StartConfig {
                occupancy: Occupancy::Share(0.5),
                set_occupancy: [("b".to_owned(), Occupancy::Share(0.9)), ("a".to_owned(), Occupancy::All)]
                    .into(),
                layout,
                ..StartConfig::default()
            };
            let setup = setup(start, &[("scheme.placement.policy", policy)]);
            let device = setup.prepare(&[]).unwrap();
            keeps_to_sets(&device);
            let sets = device.ftl().sets().unwrap();
            let of_set = |set: usize| sets.units(set).len();
            let all: usize = (0..3).map(of_set).sum();
            assert_eq!(all as u64 * 4096, setup.logical_bytes().unwrap());
            assert_eq!([0, 1, 2].map(of_set), [all / 2, all / 4, all / 4]);
            let held = [0, 1, 2].map(|set| planes_of(&device, set).1);
            assert_eq!(held, [all / 2, all / 4 * 9 / 10, all / 8], "{layout:?}");
        }
    }
}

#[test]
fn no_page_leaves_its_set_under_collection_whatever_else_is_on() {
    let cases: [Keys<'_>; 13] = [
        &[],
        &[("scheme.mapping.policy", "demand"), ("scheme.mapping.cache_bytes", "2048")],
        &[
            ("scheme.mapping.policy", "tpftl"),
            ("scheme.mapping.cache_bytes", "2048"),
            ("scheme.placement.policy", "dynamic"),
        ],
        &[
            ("scheme.mapping.policy", "demand"),
            ("scheme.mapping.cache_bytes", "2048"),
            ("scheme.mapping.write_back_lookups", "true"),
            ("scheme.cache.policy", "lru"),
            ("scheme.cache.bytes", "262144"),
        ],
        &[("scheme.placement.policy", "dynamic")],
        &[("scheme.placement.policy", "dynamic"), ("scheme.blocks.superblock", "die")],
        &[("scheme.cache.policy", "write_buffer"), ("scheme.cache.bytes", "262144")],
        &[("scheme.cache.policy", "lru"), ("scheme.cache.bytes", "262144"), ("scheme.gc.pace.band", "2")],
        &[("scheme.gc.policy", "d_choices"), ("scheme.gc.background.stop", "0.2")],
        &[("scheme.wear.static_spread", "1"), ("scheme.wear.static_interval", "2")],
        &[("scheme.reclaim.policy", "superblock"), ("scheme.reclaim.threshold", "20")],
        &[("device.copyback.supported", "true"), ("device.geometry.pages_per_program", "2")],
        &[("scheme.mapping.unmapped_reads", "allocate"), ("scheme.placement.policy", "dynamic")],
    ];
    for keys in cases {
        for overwrite in [0.0, 2.0] {
            let start = StartConfig { occupancy: Occupancy::Share(0.9), overwrite, ..StartConfig::default() };
            let setup = setup(start, keys);
            let mut device = setup.prepare(&[]).unwrap();
            keeps_to_sets(&device);
            let pages = device.ftl().logical_units();
            let report = replay(&setup, &mut device, &mut random(6_000, 0..pages), &mut Unobserved);
            let report = report.unwrap_or_else(|error| panic!("{keys:?}: {error}")).report;
            assert!(report.gc.moved_units > 100 && report.checked.is_some(), "{keys:?}");
            keeps_to_sets(&device);
        }
    }
}

#[test]
fn writes_to_a_set_erase_no_block_of_another() {
    let map_on_flash = [("scheme.mapping.policy", "demand"), ("scheme.mapping.cache_bytes", "512")];
    let cases = ["static", "dynamic"].map(|policy| [("scheme.placement.policy", policy)]);
    let cases = cases.iter().flat_map(|keys| [keys.to_vec(), [&keys[..], &map_on_flash].concat()]);
    for keys in cases {
        let setup = setup(StartConfig::default(), &keys);
        let mut device = setup.prepare(&[]).unwrap();
        let units = device.ftl().sets().unwrap().units(1);
        replay(&setup, &mut device, &mut random(6_000, units), &mut Unobserved).unwrap();
        let blocks = setup.device.geometry.blocks as usize;
        let erased: Vec<_> =
            device.ftl().blocks().erase_counts().chunks(blocks).map(|of| of.iter().sum()).collect();
        let erased: Vec<(usize, u32)> = erased.into_iter().enumerate().collect();
        let of_set = |plane: usize| PLANES[1].contains(&(plane as u32));
        let right = |&(plane, count): &(usize, u32)| if of_set(plane) { count > 20 } else { count == 0 };
        assert!(erased.iter().all(right), "{keys:?}: {erased:?}");
    }
}
