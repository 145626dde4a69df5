//! Planes that read apart (`device.die.independent_planes = "reads"`) in whole runs; crates/flash/src/work/tests has them command by command.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::device::{CellTechnology, CommandTaker, IndependentPlanes, MultiPlaneRule};
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::nand_modes::{CopybackBlocks, CopybackConfig};

/// One die of four planes; page `i` of those that are read lies on plane i mod 4.
fn four_planes(independent_planes: IndependentPlanes, rule: MultiPlaneRule) -> Setup {
    let mut setup = setup(device(1, 1, 1, 4));
    setup.device.die.independent_planes = independent_planes;
    setup.device.multi_plane.rule = rule;
    setup
}

#[test]
fn each_plane_reads_as_fast_as_it_can_while_the_channel_has_room() {
    let rounds = 20;
    let reads = || (0..4 * rounds).map(|page| read(0, page)).collect();
    let last = |setup: &Setup| *completions(setup, reads()).iter().max().unwrap();
    let apart = four_planes(IndependentPlanes::Reads, MultiPlaneRule::None);
    // In the first round data waits for that of the planes before; from then on planes are out of step.
    assert_eq!(last(&apart), rounds * (TR + XFER) + 3 * XFER);
    let one_by_one = four_planes(IndependentPlanes::None, MultiPlaneRule::None);
    assert_eq!(last(&one_by_one), 4 * rounds * (TR + XFER));
    // Commands of four planes, behind the first read, which goes alone: each ends with the last one's data.
    let together = four_planes(IndependentPlanes::None, MultiPlaneRule::Any);
    assert_eq!(last(&together), (rounds + 1) * TR + 4 * rounds * XFER);
}

#[test]
fn a_plane_does_not_wait_for_a_slower_one() {
    let mut setup = four_planes(IndependentPlanes::Reads, MultiPlaneRule::Any);
    setup.device.cell.technology = CellTechnology::Mlc;
    setup.device.cell.read_ns = vec![TR, 3 * TR];
    let done = |setup: &Setup| completions(setup, vec![read(0, 4), read(0, 1)]);
    // Page 4 is the second of its block.
    assert_eq!(done(&setup), [3 * TR + XFER, TR + XFER]);
    setup.device.die.independent_planes = IndependentPlanes::None;
    assert_eq!(done(&setup), [3 * TR + XFER, 4 * TR + 2 * XFER]);
}

#[test]
fn results_tell_what_each_plane_did() {
    let setup = four_planes(IndependentPlanes::Reads, MultiPlaneRule::Any);
    let (report, _) = record(&setup, vec![read(0, 0), read(0, 4), read(0, 1), write(0, 2)]);
    let die = &report.dies[0];
    assert_eq!(die.planes.iter().map(|plane| plane.array_ns).collect::<Vec<_>>(), [2 * TR, TR, 0, 0]);
    assert_eq!(die.array_ns, TPROG);
    // The die is taken while any of its planes reads, and then by its program.
    assert_eq!(die.busy_ns["host_read"], 2 * (TR + XFER));
    assert_eq!(die.busy_ns["host_program"], XFER + TPROG);
    assert_eq!(report.read.blame.mean.total_ns["die_wait.host_read"], u128::from(TR + XFER));
    assert_eq!(report.write.blame.mean.total_ns["die_wait.host_read"], u128::from(2 * (TR + XFER)));
}

#[test]
fn the_record_of_chips_has_what_planes_and_second_servers_read() {
    for second_server in [SecondServer::None, SecondServer::Die] {
        for independent_planes in [IndependentPlanes::None, IndependentPlanes::Reads] {
            let mut setup = four_planes(independent_planes, MultiPlaneRule::None);
            setup.scheme.ideal.second_server = second_server;
            setup.measure = MeasureConfig { chips: true, ..MeasureConfig::default() };
            let (report, _) = record(&setup, vec![read(0, 0), read(0, 1), write(0, 2)]);
            let queues = &report.chips[0].queues;
            let reads = &queues["host_read"];
            assert_eq!((reads.entered, reads.done, reads.cell_ns), (2, 2, 2 * TR), "{second_server:?}");
            assert_eq!(queues["host_program"].done, 1);
        }
    }
}

#[test]
fn what_it_excludes_is_refused_by_name() {
    let refused: [&dyn Fn(&mut Setup); 3] = [
        &|setup| {
            setup.device.channel.commands = CommandTaker::Chip;
            setup.device.channel.arbitration =
                wordline_engine::config::device::ChannelArbitration::DataOutFirst;
        },
        &|setup| setup.device.cache_mode.read = true,
        &|setup| {
            setup.device.copyback =
                CopybackConfig { supported: true, blocks: CopybackBlocks::Plane, ..Default::default() };
        },
    ];
    for change in refused {
        let mut setup = four_planes(IndependentPlanes::Reads, MultiPlaneRule::Any);
        change(&mut setup);
        let message = setup.prepare(&[]).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("device.die.independent_planes = \"reads\""), "{message}");
    }
}
