//! A map whose cached part lies in the host's memory: what a look-up there costs, and what goes on together.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use crate::mapping::{ENTRIES, PROGRAM, READ, demand};
use wordline_engine::Setup;
use wordline_engine::config::device::DeviceConfig;
use wordline_engine::config::scheme::*;

/// A map on flash with room for so many translation pages in the host's memory.
fn segments(device: DeviceConfig, pages: u64) -> Setup {
    let mut setup = demand(device, 0);
    setup.device.link.host_memory_ns = 700;
    let mapping = &mut setup.scheme.mapping;
    (mapping.policy, mapping.host_memory) = (MappingKind::Segments, true);
    mapping.cache_bytes = pages * 4096;
    setup
}

#[test]
fn a_translation_page_in_the_hosts_memory_knows_all_its_pages_for_a_round_trip_over_the_link() {
    let mut setup = segments(device(1, 1, 1, 1), 1);
    setup.scheme.mapping.batch_entries = 10;
    let late = 5_000_000;
    let requests = vec![read(0, 5), read(1_000_000, 6), write(2_000_000, 7), read(late, ENTRIES)];
    let (report, record) = record(&setup, requests);
    // The other page pushes the first one out, which is programmed as it is before the read goes on.
    let last = late + READ + PROGRAM + READ;
    assert_eq!(record.completions(), [2 * READ, 1_000_700 + READ, 2_000_700 + PROGRAM, last]);
    let mapping = report.mapping.unwrap();
    assert_eq!((mapping.counters.hits, mapping.counters.misses, mapping.counters.loads), (2, 2, 2));
    assert_eq!((mapping.counters.write_backs, mapping.counters.write_back_reads), (1, 0));
    assert_eq!(report.write.blame.mean.total_ns["translation"], 700);
    // Of the controller's DRAM the directory.
    let pages = setup.logical_bytes().unwrap().div_ceil(4096 * ENTRIES);
    assert_eq!(report.dram.bytes_by_user["map"], 4 * pages);
}

#[test]
fn units_of_a_flash_page_whose_entries_come_from_the_hosts_memory_together_are_read_together() {
    for policy in [MappingKind::Segments, MappingKind::Demand] {
        let mut setup = segments(device(1, 1, 1, 1), 64);
        setup.device.geometry.mapping_unit_bytes = 1024;
        setup.device.capacity.overprovisioning = Some(0.6);
        setup.scheme.mapping.policy = policy;
        let requests = vec![read(0, 5), read(1_000_000, 5)];
        let (report, record) = record(&setup, requests);
        assert_eq!(record.completions()[1], 1_000_700 + READ, "{policy:?}");
        assert_eq!(report.flash.by_class["host_read"].transactions, 2, "{policy:?}");
    }
}

#[test]
fn only_a_map_that_is_cached_lies_in_the_hosts_memory() {
    let mut setup = segments(device(1, 1, 1, 1), 1);
    setup.scheme.mapping =
        MappingConfig { policy: MappingKind::Page, host_memory: true, ..MappingConfig::default() };
    let error = setup.prepare(&[]).err().unwrap().to_string();
    let cached = "\"demand\", \"segments\" or \"tpftl\"";
    let allowed = format!("allowed: left out, or policy = {cached}: with \"page\" nothing reads it");
    assert_eq!(error, format!("scheme.mapping.host_memory = true: {allowed}"));
}

#[test]
fn an_entry_in_the_hosts_memory_is_known_after_a_round_trip() {
    let mut setup = segments(device(1, 1, 1, 1), 1);
    setup.scheme.mapping.policy = MappingKind::Demand;
    let (report, record) = record(&setup, vec![read(0, 5), read(1_000_000, 5)]);
    assert_eq!(record.completions(), [2 * READ, 1_000_700 + READ]);
    let pages = setup.logical_bytes().unwrap().div_ceil(4096 * ENTRIES);
    assert_eq!(report.dram.bytes_by_user["map"], 4 * pages);
}
