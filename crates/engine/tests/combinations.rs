//! Every part alone, and every pair of parts that the matrix allows, over random workloads in checked mode with the
//! final audit.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::cache::CacheKind;
use wordline_engine::config::combine::{PARTS, Part, combine};
use wordline_engine::config::device::CellTechnology;
use wordline_engine::config::nand_modes::{CopybackBlocks, CopybackConfig, SlcModeConfig};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::SuperblockSpan;
use wordline_engine::host::HostOp;

/// A small drive that is nearly full, with several mapping units to a page and superblocks across channels.
fn drive(parts: &[&Part]) -> Setup {
    let mut setup = setup(device(3, 1, 2, 2));
    let geometry = &mut setup.device.geometry;
    (geometry.blocks, geometry.page_bytes) = (16, 8192);
    setup.device.cell.technology = CellTechnology::Tlc;
    setup.device.suspend.program_ns = Some(10_000);
    setup.device.suspend.erase_ns = Some(10_000);
    setup.scheme = combine(parts).unwrap();
    setup.scheme.blocks.superblock = SuperblockSpan::Channels;
    if setup.scheme.partition.enabled {
        // No superblock may span channels, and parity wants three dies.
        (setup.device.geometry.dies, setup.scheme.blocks.superblock) = (3, SuperblockSpan::Chip);
    }
    if !setup.scheme.nvm_set.is_empty() && setup.scheme.mapping.policy.is_on_flash() {
        // So small a drive has room for several pages of the map in each set.
        setup.scheme.mapping.translation_page_bytes = 512;
    }
    if setup.scheme.slc_cache.is_on() {
        let slc_mode = SlcModeConfig { read_ns: 20_000, program_ns: 100_000, erase_ns: 1_000_000 };
        setup.device.slc_mode = Some(slc_mode);
    }
    // Parity takes a third of the drive.
    let overprovisioning = if setup.scheme.redundancy.is_on() { 0.6 } else { 0.45 };
    setup.device.capacity.overprovisioning = Some(overprovisioning);
    setup.start = start(Occupancy::Share(0.8), 0.5);
    if setup.scheme.block_map.is_on() {
        setup.start.overwrite = 0.0;
        // Each page lies at its own place of a block.
        setup.device.geometry.page_bytes = 4096;
    }
    if setup.scheme.redundancy.in_pages() {
        // Each die is collected by itself, in turns, and what was overwritten before would have no parity.
        (setup.start.overwrite, setup.scheme.blocks.superblock) = (0.0, SuperblockSpan::Die);
        setup.scheme.gc.rotating = true;
        setup.scheme.cache.past_collection = setup.scheme.cache.policy != CacheKind::None;
        setup.device.copyback = CopybackConfig { supported: true, ..Default::default() };
        if setup.scheme.ideal == Default::default() {
            setup.device.copyback.blocks = CopybackBlocks::Plane;
        }
    }
    setup.host = closed(12);
    setup
}

fn runs(parts: &[&Part], requests: u64) {
    let setup = drive(parts);
    let names = || parts.iter().map(|part| part.name).collect::<Vec<_>>().join("+");
    let pages = setup.logical_bytes().unwrap() / 512;
    let mut random = Random(requests);
    let mut source = made(requests, |_| {
        let op = match random.below(20) {
            0..8 => HostOp::Read,
            18 => HostOp::Trim,
            19 => HostOp::Flush,
            _ => HostOp::Write,
        };
        // Most of the traffic on a tenth of the drive, in sectors.
        let region = if random.below(10) < 8 { pages / 10 } else { pages };
        let length = 1 + random.below(40);
        let mut request = request(0, op, 0, 0);
        (request.offset, request.length) = (random.below(region.max(41) - length) * 512, length * 512);
        if op == HostOp::Flush {
            (request.offset, request.length) = (0, 0);
        }
        request.stream = random.below(u64::from(setup.scheme.blocks.host_write_points)) as u16;
        request
    });
    let report = run(&setup, &mut source).unwrap_or_else(|error| panic!("{}: {error}", names()));
    assert!(report.checked.is_some_and(|checked| checked.reads_verified > 0), "{}", names());
    assert!(report.read.requests > 0 && report.write.requests > 0, "{}", names());
}

#[test]
fn every_part_runs_alone() {
    for part in PARTS {
        runs(&[part], 1_500);
    }
}

#[test]
fn every_pair_that_the_matrix_allows_runs() {
    for (number, part) in PARTS.iter().enumerate() {
        for other in &PARTS[..number] {
            if part.excludes(other).is_none() {
                runs(&[part, other], 400);
            }
        }
    }
}

#[test]
fn parts_that_fill_the_same_slot_are_refused_by_its_name() {
    for (number, part) in PARTS.iter().enumerate() {
        for other in &PARTS[..number] {
            assert_ne!(part.name, other.name);
            let combined = combine(&[part, other]);
            match part.excludes(other) {
                None => assert!(combined.is_ok(), "{}+{}: {combined:?}", part.name, other.name),
                Some(slot) => {
                    let error = combined.unwrap_err().to_string();
                    let both = format!("{}+{}", part.name, other.name);
                    assert!(error.contains(&both) && error.contains(slot.name()), "{error}");
                }
            }
        }
    }
}
