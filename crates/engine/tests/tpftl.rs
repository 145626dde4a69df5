//! TPFTL beside DFTL with the same DRAM: how often the map is read.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::scheme::MappingKind;
use wordline_engine::host::HostRequest;

/// Mapping units of 64 KiB.
const AT_ONCE: u64 = 16;

/// Entries of a translation page.
const ENTRIES: u64 = 1024;

/// A drive with so large a map that a cache of 8 KiB holds the entries of a small part of it.
fn drive(policy: MappingKind) -> Setup {
    let mut drive = device(2, 2, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (128, 64);
    let mut setup = setup(drive);
    setup.scheme.mapping.policy = policy;
    setup.scheme.mapping.cache_bytes = 8 << 10;
    setup.host = closed(1);
    setup
}

/// Reads of so many single pages, drawn uniformly.
fn random(setup: &Setup, count: u64) -> Vec<HostRequest> {
    let (pages, mut random) = (setup.logical_bytes().unwrap() / 4096, Random(7));
    (0..count).map(|_| read(0, random.below(pages))).collect()
}

/// How often requests read a page of the map.
fn loads(setup: &Setup, requests: Vec<HostRequest>) -> u64 {
    run(setup, &mut Listed(requests)).unwrap().mapping.unwrap().counters.loads
}

#[test]
fn reads_in_order_need_the_map_several_times_less_often_than_with_dftl() {
    let pages = 20;
    let in_order = (0..pages * ENTRIES / AT_ONCE)
        .map(|turn| HostRequest { length: AT_ONCE * 4096, ..read(0, turn * AT_ONCE) });
    let in_order = in_order.collect::<Vec<_>>();
    let [dftl, tpftl] = [MappingKind::Demand, MappingKind::Tpftl].map(|policy| {
        let setup = drive(policy);
        // Before them single entries of many translation pages are cached, which they push out.
        let before = random(&setup, 2_000);
        let both = before.iter().chain(&in_order).copied().collect();
        loads(&setup, both) - loads(&setup, before)
    });
    // One for each request: its units wait for the same page of the map.
    assert_eq!(dftl, pages * ENTRIES / AT_ONCE);
    // For each page of the map about as many as its entries have doublings beyond the first request.
    assert!(tpftl * 5 < dftl, "{tpftl} and {dftl}");
}

#[test]
fn single_pages_in_no_order_need_the_map_about_as_often_as_with_dftl() {
    let [dftl, tpftl] = [MappingKind::Demand, MappingKind::Tpftl].map(|policy| {
        let setup = drive(policy);
        loads(&setup, random(&setup, 10_000))
    });
    assert!(tpftl.abs_diff(dftl) * 20 < dftl, "{tpftl} and {dftl}");
}

#[test]
fn the_same_memory_is_charged_as_with_dftl() {
    let [dftl, tpftl] = [MappingKind::Demand, MappingKind::Tpftl].map(|policy| {
        let setup = drive(policy);
        run(&setup, &mut Listed(random(&setup, 1))).unwrap().dram.bytes_by_user["map"]
    });
    // 8 KiB aren't whole entries of 6 bytes.
    assert_eq!(dftl - tpftl, (8 << 10) % 6);
}
