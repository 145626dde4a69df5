//! The map in DRAM with a journal on flash: what keeping it costs, by formula; that it delays nobody and loses nothing.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::CapacityConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::stats::report::Report;
use wordline_engine::time::Ns;

const READ: u64 = TR + XFER;
const PROGRAM: u64 = XFER + TPROG;
const MS: u64 = 1_000_000;

/// Changes of a journal page, and entries of a translation page, of 64 bytes each.
const CHANGES: u64 = 64;

/// Logical pages: the entries of 16 translation pages.
const PAGES: u64 = 16 * CHANGES;

/// Programs of a round of the journal.
const ROUND: u64 = 8;

/// A drive of one die with so much spare space that nothing is collected.
fn journaled() -> Setup {
    let mut drive = device(1, 1, 1, 1);
    drive.geometry.blocks = 256;
    drive.capacity = CapacityConfig { user_bytes: Some(PAGES * 4096), overprovisioning: None };
    let mut setup = setup(drive);
    setup.scheme.mapping = MappingConfig {
        policy: MappingKind::Journaled,
        translation_entry_bytes: 64,
        journal_entry_bytes: 64,
        journal_bytes: ROUND * 4096,
        ..MappingConfig::default()
    };
    setup
}

/// Writes all over the drive, far enough apart that the map's programs don't wait.
fn scattered(count: u64) -> impl Iterator<Item = HostRequest> {
    (0..count).map(|number| write(number * 4 * MS, number * 37 % PAGES))
}

fn programs(report: &Report, class: &str) -> u64 {
    report.flash.by_class.get(class).map_or(0, |class| class.operations)
}

#[test]
fn overwrites_cost_a_journal_page_for_so_many_and_all_translation_pages_once_in_a_round() {
    let setup = journaled();
    // Three rounds; what is gathered then isn't a page yet.
    let count = 3 * ROUND * CHANGES + CHANGES / 2;
    let late = read((count + 10) * 4 * MS, 3);
    let (report, record) = record(&setup, scattered(count).chain([late]).collect());
    let mapping = report.mapping.as_ref().unwrap();
    assert_eq!((mapping.translation_pages, mapping.journal_pages), (16, ROUND));
    let (journal, translation) = (3 * ROUND, 3 * 16);
    assert_eq!((mapping.counters.journal_writes, mapping.counters.write_backs), (journal, translation));
    assert_eq!(mapping.dirty_entries, CHANGES / 2);
    assert_eq!(programs(&report, "map_program"), journal + translation);
    let share = (journal + translation) as f64 / count as f64;
    assert!((report.waf_by_cause["mapping"] - share).abs() < 1e-9);
    assert!((report.waf.unwrap() - 1.0 - share).abs() < 1e-9);
    // Nobody waits for them: each write takes its program, and a read needs no entry from flash.
    assert!(record.completions().iter().zip(0..count).all(|(&end, write)| end == write * 4 * MS + PROGRAM));
    assert_eq!(record.completions().last(), Some(&((count + 10) * 4 * MS + READ)));
    assert_eq!((mapping.lookups, mapping.counters.loads, programs(&report, "map_read")), (0, 0, 0));
}

#[test]
fn translation_pages_without_a_change_are_passed_over() {
    let setup = journaled();
    // Only entries of the first two translation pages, both of which come first in the round.
    let count = 2 * ROUND * CHANGES;
    let writes = (0..count).map(|number| write(number * 4 * MS, number % (2 * CHANGES)));
    let (report, _) = record(&setup, writes.collect());
    let counters = report.mapping.unwrap().counters;
    // The first of the two was written to by the journal's first page alone, the second waits for the next round.
    assert_eq!((counters.journal_writes, counters.write_backs), (2 * ROUND, 1 + 2));
}

#[test]
fn the_policy_with_the_whole_map_and_no_journal_programs_as_much_less() {
    let waf = |policy| {
        let mut setup = journaled();
        setup.scheme.mapping.policy = policy;
        let setup = only_what_is_read(&setup);
        record(&setup, scattered(ROUND * CHANGES).chain([read(9_000 * MS, 1)]).collect()).0.waf.unwrap()
    };
    let (with, without) = (waf(MappingKind::Journaled), waf(MappingKind::Page));
    let share = (ROUND + 16) as f64 / (ROUND * CHANGES) as f64;
    assert!((with - without - share).abs() < 1e-9, "{with} {without}");
}

#[test]
fn a_trim_is_a_change_and_reads_are_none() {
    let setup = journaled();
    let trim = request(0, HostOp::Trim, 0, CHANGES);
    let reads = (1..100).map(|number| read(number * MS, 200 + number));
    let (report, _) = record(&setup, [trim].into_iter().chain(reads).collect());
    let counters = report.mapping.unwrap().counters;
    assert_eq!((counters.journal_writes, counters.write_backs), (1, 1));
}

#[test]
fn pages_of_the_map_fill_their_programs_wherever_they_are_placed() {
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Drive] {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            let mut setup = journaled();
            let drive = &mut setup.device;
            (drive.geometry.channels, drive.geometry.planes, drive.geometry.blocks) = (2, 2, 128);
            (drive.geometry.mapping_unit_bytes, drive.geometry.pages_per_program) = (2048, 2);
            (setup.scheme.blocks.superblock, setup.scheme.placement.policy) = (span, placement);
            // Four mapping units in a program, of 32 changes each.
            setup.scheme.mapping.journal_bytes = 4 * 8192;
            let (in_program, count) = (4, 4 * 4 * 32);
            let requests = scattered(count / 2).chain([read(9_000 * MS, 1)]);
            let (report, _) = record(&setup, requests.collect());
            let what = format!("{span:?} {placement:?}");
            let mapping = report.mapping.as_ref().unwrap();
            // 2,048 units: 64 translation pages of 32 entries.
            assert_eq!((mapping.translation_pages, mapping.journal_pages), (64, 16), "{what}");
            let written = mapping.counters.journal_writes + mapping.counters.write_backs;
            assert_eq!(mapping.counters.journal_writes, count / 32, "{what}");
            assert_eq!(written, in_program * (written / in_program), "{what}");
            // Two flash pages of two units for each program, all of them filled.
            assert_eq!(2 * programs(&report, "map_program"), written, "{what}");
        }
    }
}

/// A busy drive that collects all the time.
fn busy(span: SuperblockSpan, placement: PlacementKind, at_once: u32) -> Setup {
    let mut drive = device(2, 1, 1, 2);
    (drive.geometry.blocks, drive.geometry.pages) = (24, 8);
    drive.geometry.mapping_unit_bytes = 2048;
    drive.geometry.pages_per_program = at_once;
    drive.capacity.overprovisioning = Some(0.6);
    let mut setup = setup(drive);
    setup.scheme.mapping = MappingConfig {
        policy: MappingKind::Journaled,
        translation_entry_bytes: 32,
        ..MappingConfig::default()
    };
    setup.scheme.blocks.superblock = span;
    setup.scheme.placement.policy = placement;
    setup.scheme.gc.trigger = 0.1;
    setup.start = start(Occupancy::Share(0.9), 1.0);
    setup.host = closed(16);
    setup
}

fn mix(seed: u64, count: u64, bytes: u64) -> Vec<HostRequest> {
    let mut random = Random(seed);
    (0..count)
        .map(|number| {
            let op = match random.below(10) {
                0 => HostOp::Trim,
                1..=3 => HostOp::Read,
                _ => HostOp::Write,
            };
            let (offset, length) = (random.below(bytes), 1 + random.below(12_000));
            HostRequest {
                time: Ns(number * 10_000),
                op,
                offset,
                length: length.min(bytes - offset),
                flow: 0,
                stream: 0,
            }
        })
        .collect()
}

#[test]
fn no_change_is_lost_under_collection_trim_and_partial_writes() {
    for span in [SuperblockSpan::None, SuperblockSpan::Die, SuperblockSpan::Channels, SuperblockSpan::Drive] {
        for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
            for (journal, at_once) in [(0, 1), (8192, 1), (32_768, 2)] {
                let mut setup = busy(span, placement, at_once);
                setup.scheme.mapping.journal_bytes = journal;
                setup.scheme.mapping.journal_entry_bytes = 16;
                let bytes = setup.logical_bytes().unwrap();
                let what = format!("{span:?} {placement:?} {journal} {at_once}");
                let requests = mix(3, 3_000, bytes);
                let report =
                    run(&setup, &mut Listed(requests)).unwrap_or_else(|error| panic!("{what}: {error}"));
                let mapping = report.mapping.as_ref().unwrap();
                assert!(report.gc.victims > 0, "{what}: nothing was collected");
                assert!(mapping.counters.journal_writes > 2 * mapping.journal_pages, "{what}");
                assert!(mapping.counters.write_backs > 0, "{what}");
                assert!(report.waf_by_cause["mapping"] > 0.0, "{what}");
                assert_eq!(mapping.counters.loads + mapping.counters.write_back_reads, 0, "{what}");
                for parts in [&report.read.blame.mean, &report.write.blame.tail] {
                    assert_eq!(parts.total_ns.values().sum::<u128>(), parts.response_total_ns, "{what}");
                }
            }
        }
    }
}

#[test]
fn moves_are_changes_as_well() {
    let setup = busy(SuperblockSpan::Drive, PlacementKind::Static, 1);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(5);
    let writes: Vec<_> = (0..1_500).map(|_| write(0, random.below(pages))).collect();
    let report = run(&setup, &mut Listed(writes)).unwrap();
    let mapping = report.mapping.unwrap();
    // A unit of 2 KiB holds 256 changes; two units go together. Some of the moves are of pages of the map.
    let (written, moved) = (3_000, report.gc.moved_units);
    let changes = mapping.counters.journal_writes / 2 * 512 + mapping.dirty_entries;
    assert!(moved > 500 && changes > written + moved / 2, "{changes} {moved}");
    assert!(changes <= written + moved, "{changes} {moved}");
}

#[test]
fn a_run_may_be_split_by_snapshots() {
    let setup = Setup { host: closed(8), ..busy(SuperblockSpan::Die, PlacementKind::Static, 1) };
    let bytes = setup.logical_bytes().unwrap();
    let requests = mix(3, 1_000, bytes);
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    let stops: Vec<_> = (1..8).map(|part| after(part * 123)).collect();
    assert!(in_parts(&setup, &requests, &stops).unwrap() == whole);
}

#[test]
fn a_fork_keeps_what_is_gathered() {
    let setup = busy(SuperblockSpan::Drive, PlacementKind::Dynamic, 2);
    let drive = setup.prepare(&[]).unwrap();
    let requests = mix(9, 500, drive.logical_bytes());
    let of = |drive| record_on(&setup, drive, &mut Listed(requests.clone())).unwrap().0;
    let (fork, first) = (drive.fork().unwrap(), of(drive));
    assert_eq!(serde_json::to_string(&of(fork)).unwrap(), serde_json::to_string(&first).unwrap());
}

#[test]
fn the_controllers_memory_holds_the_map_the_gathered_changes_and_where_the_pages_of_the_map_are() {
    let setup = journaled();
    assert_eq!(setup.prepare(&[]).unwrap().mapping_bytes(), PAGES * 64 + 4096 + (16 + ROUND) * 4);
}

#[test]
fn a_journal_that_no_drive_can_have_is_refused() {
    let refused = |change: fn(&mut MappingConfig)| {
        let mut setup = journaled();
        change(&mut setup.scheme.mapping);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|mapping| mapping.journal_bytes = 8191),
        "scheme.mapping.journal_bytes = 8191: allowed: 0, or 8192 (two programs of the drive) to 16777216 bytes (its flash); \
         0 is a quarter of the translation pages"
    );
    assert!(
        refused(|mapping| mapping.journal_bytes = 1 << 40)
            .contains("journal_bytes = 1099511627776: allowed: 0, or 8192")
    );
    assert_eq!(
        refused(|mapping| mapping.journal_bytes = u64::MAX),
        "scheme.mapping.journal_bytes = 18446744073709551615: allowed: 0 to 281474976710656"
    );
    assert_eq!(
        refused(|mapping| mapping.journal_entry_bytes = 0),
        "scheme.mapping.journal_entry_bytes = 0: allowed: 1 to 64"
    );
    assert!(
        refused(|mapping| mapping.host_memory = true)
            .contains("scheme.mapping.host_memory = true: allowed: left out, or policy = \"demand\"")
    );
    // What fits, but not beside the host's data.
    assert!(refused(|mapping| mapping.journal_bytes = 16 << 20).contains("device.capacity.user_bytes"));
}

#[test]
fn a_journal_whose_upkeep_takes_what_collection_wins_is_refused() {
    let mut setup = journaled();
    // 1,024 pages on 1,216: little is won with each move, and a small journal costs eight translation pages for each of its own.
    setup.device.geometry.blocks = 76;
    setup.scheme.mapping.journal_bytes = 2 * 4096;
    let error = setup.prepare(&[]).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("scheme.mapping.journal_bytes = 8192: allowed: a size with which"), "{error}");
    setup.scheme.mapping.journal_bytes = 32 * 4096;
    assert!(setup.prepare(&[]).is_ok());
}
