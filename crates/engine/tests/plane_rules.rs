//! A rule for planes that allows more never serves less.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]
#![allow(clippy::print_stdout, reason = "the figures that the assertions are about")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::{ChannelArbitration, MultiPlaneRule};
use wordline_engine::host::HostOp;

/// From the one that allows least to the one that allows most.
const RULES: [MultiPlaneRule; 4] =
    [MultiPlaneRule::None, MultiPlaneRule::SameBlockAndPage, MultiPlaneRule::SamePage, MultiPlaneRule::Any];

/// A channel of so many dies, whose commands take 290 ns, and `further` for each further plane.
fn channel_of(dies: u32, planes: u32, cell_ns: u64, further: u64) -> Setup {
    let mut device = device(1, dies, 1, planes);
    device.cell.read_ns = vec![cell_ns];
    device.channel.read_command_ns = 290;
    device.channel.read_command_extra_plane_ns = further;
    device.channel.mega_transfers_per_s = 3200.0;
    let mut setup = setup(device);
    setup.kept = Kept::Nothing;
    setup
}

/// Random reads of so many bytes a microsecond, `depth` of them waiting for each plane.
fn rate(setup: &Setup, rule: MultiPlaneRule, bytes: u64, depth: u32) -> f64 {
    let mut setup = setup.clone();
    setup.device.multi_plane.rule = rule;
    let geometry = &setup.device.geometry;
    setup.host = closed(depth * geometry.channels * geometry.ways * geometry.planes);
    let pages = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(5);
    let mut source = made(12_000, move |_| {
        let mut request = request(0, HostOp::Read, random.below(pages), 1);
        request.length = bytes;
        request
    });
    run(&setup, &mut source).unwrap().read.iops / 1e6
}

#[test]
fn reads_are_served_no_slower_under_a_rule_that_allows_more() {
    let mut less = Vec::new();
    for (dies, planes) in [(1, 4), (2, 2), (4, 4), (7, 2), (8, 4), (16, 2)] {
        for (cell_ns, further) in [(3_000, 650), (3_000, 290), (12_000, 650), (12_000, 2_000), (60_000, 650)]
        {
            for bytes in [512, 4096] {
                for arbitration in [
                    ChannelArbitration::CommandFirst,
                    ChannelArbitration::Fifo,
                    ChannelArbitration::DataOutFirst,
                ] {
                    let mut setup = channel_of(dies, planes, cell_ns, further);
                    setup.device.channel.arbitration = arbitration;
                    let rates = RULES.map(|rule| rate(&setup, rule, bytes, 8));
                    let what = format!(
                        "{dies} dies of {planes} planes, tR {cell_ns}, further plane {further}, {bytes} bytes, \
                         {arbitration:?}: {rates:.3?}"
                    );
                    println!("{what}");
                    // Two per cent are chance: which planes the reads hit.
                    if rates.windows(2).any(|pair| pair[1] < 0.98 * pair[0]) {
                        less.push(what);
                    }
                }
            }
        }
    }
    assert!(less.is_empty(), "{}", less.join("\n"));
}
