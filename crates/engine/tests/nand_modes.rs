//! SLC-mode blocks in cells of several bits: times, sizes and folding, to the nanosecond.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::*;
use wordline_engine::config::nand_modes::SlcModeConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::device::Device;
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::ids::{DomainId, Lpa};
use wordline_engine::nand::CellMode;
use wordline_engine::time::Ns;

const SLC_TR: u64 = 20_000;
const SLC_TPROG: u64 = 100_000;
const SLC_TERASE: u64 = 1_000_000;
const FAR_APART: u64 = 20_000_000;

/// TLC with blocks of 16 pages, or 5 in SLC mode; superblocks of a die.
fn with_slc_mode(dies: u32, planes: u32) -> Setup {
    let mut device = device(1, 1, dies, planes);
    device.cell.technology = CellTechnology::Tlc;
    device.slc_mode = Some(SlcModeConfig { read_ns: SLC_TR, program_ns: SLC_TPROG, erase_ns: SLC_TERASE });
    let mut setup = setup(device);
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup.start = start(Occupancy::None, 0.0);
    setup
}

fn writing_in(setup: &Setup, mode: CellMode) -> Device {
    let mut drive = setup.prepare(&[]).unwrap();
    for domain in 0..setup.device.geometry.dies {
        assert!(drive.open_for_host_in(DomainId(domain), mode));
    }
    drive
}

fn run_in(
    setup: &Setup,
    mode: CellMode,
    requests: Vec<HostRequest>,
) -> (wordline_engine::stats::report::Report, Vec<u64>) {
    let (report, record) = record_on(setup, writing_in(setup, mode), &mut Listed(requests)).unwrap();
    (report, record.completions())
}

#[test]
fn a_page_of_an_slc_block_is_programmed_and_read_in_that_modes_times() {
    let requests = vec![write(0, 3), read(FAR_APART, 3)];
    let setup = with_slc_mode(1, 1);
    let (_, done) = run_in(&setup, CellMode::Slc, requests.clone());
    assert_eq!(done, [XFER + SLC_TPROG, FAR_APART + SLC_TR + XFER]);
    let (_, done) = run_in(&setup, CellMode::Native, requests);
    assert_eq!(done, [XFER + TPROG, FAR_APART + TR + XFER]);
}

#[test]
fn an_slc_block_holds_the_pages_divided_by_the_bits_and_keeps_its_mode() {
    let setup = with_slc_mode(1, 1);
    let mut drive = writing_in(&setup, CellMode::Slc);
    let six = (0..6).map(|page| write(page * FAR_APART, page)).collect();
    wordline_engine::replay(&setup, &mut drive, &mut Listed(six), &mut wordline_engine::Unobserved).unwrap();
    // The second superblock is open since page 5: it stays in SLC mode, the one after it doesn't begin so.
    assert!(drive.open_for_host_in(DomainId(0), CellMode::Native));
    let more = (6..12).map(|page| write(drive.now().0 + page * FAR_APART, page)).collect();
    let (_, record) = record_on(&setup, drive, &mut Listed(more)).unwrap();
    let took: Vec<_> = record
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Completed { latency, .. } => Some(*latency),
            _ => None,
        })
        .collect();
    let (slc, native) = (XFER + SLC_TPROG, XFER + TPROG);
    assert_eq!(
        took,
        [slc, slc, slc, slc, native, native],
        "5 pages in a block: pages 6 to 9 fill the second"
    );
}

#[test]
fn planes_in_different_modes_never_share_a_command() {
    // Without superblocks each plane has a mode of its own.
    let mut setup = with_slc_mode(1, 2);
    setup.scheme.blocks.superblock = SuperblockSpan::None;
    setup.device.multi_plane.rule = MultiPlaneRule::Any;
    let both = |modes: [CellMode; 2]| {
        let mut drive = setup.prepare(&[]).unwrap();
        for (domain, mode) in modes.into_iter().enumerate() {
            assert!(drive.open_for_host_in(DomainId(domain as u32), mode));
        }
        let requests = vec![request(0, HostOp::Write, 0, 2), request(FAR_APART, HostOp::Read, 0, 2)];
        let (report, record) = record_on(&setup, drive, &mut Listed(requests)).unwrap();
        (report.flash.multi_plane, record.completions())
    };
    let (slc, native) = (CellMode::Slc, CellMode::Native);
    let together = [2 * XFER + SLC_TPROG, FAR_APART + SLC_TR + 2 * XFER];
    assert_eq!(both([slc, slc]), (2, together.to_vec()));
    let apart = [2 * XFER + SLC_TPROG + TPROG, FAR_APART + SLC_TR + TR + 2 * XFER];
    assert_eq!(both([slc, native]), (0, apart.to_vec()));
}

#[test]
fn collection_folds_slc_blocks_into_native_ones_and_erases_them_in_their_time() {
    let mut setup = with_slc_mode(1, 1);
    setup.scheme.gc.trigger = 0.2;
    // 28 blocks of 5 pages: collection begins when fewer than 7 of 32 are free.
    let writes: Vec<_> = (0..140).map(|page| write(page * FAR_APART, page)).collect();
    let mut drive = writing_in(&setup, CellMode::Slc);
    wordline_engine::replay(&setup, &mut drive, &mut Listed(writes), &mut wordline_engine::Unobserved)
        .unwrap();
    while drive.next_event().0 != Ns::NEVER {
        drive.step();
    }
    let report = drive.report();
    let erases = report.flash.erases;
    assert!(erases > 0 && report.gc.moved_units == 5 * erases, "every page of every victim is valid");
    assert_eq!(report.dies[0].busy_ns["gc_erase"], erases * SLC_TERASE);
    let in_mode = |mode| (0..140).filter(|&lpa| drive.mode_of_logical_page(Lpa(lpa)) == Some(mode)).count();
    assert_eq!(in_mode(CellMode::Native) as u64, 5 * erases, "what was moved is in native blocks");
    assert_eq!(in_mode(CellMode::Slc) as u64, 140 - 5 * erases);
    let array = 140 * SLC_TPROG + erases * (5 * (SLC_TR + TPROG) + SLC_TERASE);
    assert_eq!(report.dies[0].array_ns, array);
    assert_eq!(drive.audit().map(|_| ()), Ok(()));
}

#[test]
fn a_drive_that_writes_in_slc_mode_stays_consistent_under_random_overwrites() {
    for (planes, units) in [(1, 1), (2, 4)] {
        let mut setup = with_slc_mode(2, planes);
        setup.device.geometry.mapping_unit_bytes = 4096 / units;
        setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        setup.host = closed(8);
        let mut drive = writing_in(&setup, CellMode::Slc);
        let pages = drive.logical_bytes() / 4096;
        let mut random = Random(7);
        let mut source = made(8_000, |_| {
            let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
            request(0, op, random.below(pages - 1), 1 + random.below(2))
        });
        let outcome =
            wordline_engine::replay(&setup, &mut drive, &mut source, &mut wordline_engine::Unobserved)
                .unwrap();
        assert!(outcome.report.gc.victims > 0 && outcome.report.checked.is_some());
        assert_eq!(
            outcome.report.write.blame.mean.total_ns.values().sum::<u128>(),
            outcome.report.write.blame.mean.response_total_ns
        );
    }
}

#[test]
fn a_device_without_slc_mode_opens_no_block_in_it() {
    let mut setup = with_slc_mode(1, 1);
    setup.device.slc_mode = None;
    assert!(!setup.prepare(&[]).unwrap().open_for_host_in(DomainId(0), CellMode::Slc));
    let mut setup = with_slc_mode(1, 1);
    assert!(!setup.prepare(&[]).unwrap().open_for_host_in(DomainId(99), CellMode::Slc));
    setup.device.cell.technology = CellTechnology::Slc;
    assert!(setup.validate().is_err_and(|error| error.path.contains("slc_mode")));
}
