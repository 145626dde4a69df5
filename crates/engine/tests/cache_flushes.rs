//! Flush, FUA and TRIM of what the data cache holds.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::cache::{P, blamed, buffer, counts, flush, fua, shared_pages, trim};
use crate::common::{self, *};
use wordline_engine::host::HostOp;

#[test]
fn a_flush_is_answered_when_what_was_dirty_at_its_arrival_is_programmed() {
    let requests = vec![
        write(0, 0),
        write(0, 1),
        write(0, 2),
        flush(10),
        write(20, 3),
        flush(10_000_000),
        flush(20_000_000),
    ];
    let (report, record) = record(&buffer(8, 1.0), requests);
    let done = record.completions();
    assert_eq!(done[3], 10 + 3 * P, "three pages of one die");
    assert_eq!(done[5..], [10_000_000 + P, 20_000_000], "the fourth; then nothing is dirty");
    assert_eq!(counts(&report).write_backs, 4);
}

#[test]
fn a_flush_waits_for_a_unit_that_is_programmed_already_and_was_written_again() {
    // The first flush sends version 1. Version 2 comes while that is programmed; the second flush covers both.
    let requests = vec![write(0, 0), flush(0), write(1000, 0), flush(2000)];
    let (_, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, P, 1000, 2 * P]);
}

#[test]
fn a_write_with_fua_is_answered_when_it_is_programmed() {
    let (report, record) = record(&buffer(8, 1.0), vec![fua(0, 0), read(10, 0), fua(10_000_000, 1)]);
    assert_eq!(record.completions(), [P, 10, 10_000_000 + P]);
    assert_eq!(blamed(&report, "cell"), u128::from(2 * TPROG));
    assert_eq!(blamed(&report, "transfer"), u128::from(2 * XFER));
}

#[test]
fn a_write_with_fua_waits_for_the_write_back_that_carries_its_unit() {
    // Page 0 is queued behind page 1 as its FUA write comes: that program will carry the newer data.
    let requests = vec![write(0, 1), write(0, 0), flush(0), fua(100, 0)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions(), [0, 0, 2 * P, 2 * P]);
    assert_eq!(report.flash.programs, 2);
    assert_eq!(blamed(&report, "write_back"), u128::from(2 * P - 100));
    // Page 1 is being programmed when its FUA write comes: it must be programmed once more.
    let requests = vec![write(0, 1), flush(0), fua(100, 1)];
    assert_eq!(completions(&buffer(8, 1.0), requests), [0, P, 2 * P]);
}

#[test]
fn a_large_write_with_fua_fills_whole_flash_pages() {
    let setup = shared_pages(buffer(16, 1.0));
    let (report, record) = record(&setup, vec![request(0, HostOp::WriteFua, 4, 8)]);
    assert_eq!((report.flash.programs, record.completions()), (2, vec![2 * (4 * XFER + TPROG)]));
}

#[test]
fn trim_drops_what_is_cached_and_releases_a_flush() {
    let requests = vec![write(0, 0), write(0, 1), flush(10), trim(20, 1), read(30, 1)];
    let (report, record) = record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions()[2..], [10 + P, 20, 30], "page 1 need not be programmed any more");
    assert_eq!(report.drive.unmapped_reads, 1);
    // Page 0 is being programmed as it is trimmed; page 1 is written again on its way, and then trimmed.
    let requests = vec![write(0, 0), write(0, 1), flush(10), trim(20, 0), write(P + 30, 1), trim(P + 40, 1)];
    let (_, record) = common::record(&buffer(8, 1.0), requests);
    assert_eq!(record.completions()[2], P + 40, "nothing is left that must be programmed");
}
