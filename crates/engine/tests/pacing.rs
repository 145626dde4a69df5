//! Paced collection: its write amplification, its steadiness, and that it rests.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::host::HostOp;

/// Random overwrites of single pages.
fn overwrites(setup: &Setup, count: u64, seed: u64) -> Made<impl FnMut(u64) -> wordline_engine::host::HostRequest> {
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(seed);
    made(count, move |_| write(0, random.below(pages)))
}
