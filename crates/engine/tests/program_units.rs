//! Programs of several flash pages at once (one-shot programming of a wordline).

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::run::Occupancy;
use wordline_engine::host::HostOp;

/// One plane whose program writes three flash pages.
fn wordlines() -> Setup {
    let mut device = device(1, 1, 1, 1);
    (device.geometry.pages, device.geometry.pages_per_program) = (18, 3);
    let mut setup = setup(device);
    setup.start = start(Occupancy::None, 0.0);
    setup
}

#[test]
fn three_pages_take_one_program() {
    let setup = wordlines();
    let (report, record) = record(&setup, vec![request(0, HostOp::Write, 0, 3)]);
    assert_eq!(record.completions(), [3 * XFER + TPROG]);
    assert_eq!((report.flash.programs, report.flash.transactions), (3, 1));
    assert_eq!(report.waf, Some(1.0));
}

#[test]
fn a_lone_page_wastes_the_rest_of_its_wordline() {
    let setup = wordlines();
    let (report, record) = record(&setup, vec![write(0, 0)]);
    assert_eq!(record.completions(), [XFER + TPROG]);
    assert_eq!((report.flash.programs, report.waf), (3, Some(3.0)));
}

#[test]
fn pages_that_come_while_the_die_is_busy_share_a_wordline() {
    let setup = wordlines();
    let (report, record) = record(&setup, (0..4).map(|page| write(page, page)).collect());
    // The first goes alone; the three that wait meanwhile go together.
    let first = XFER + TPROG;
    let second = first + 3 * XFER + TPROG;
    assert_eq!(record.completions(), [first, second, second, second]);
    assert_eq!((report.flash.programs, report.flash.transactions), (6, 2));
}

#[test]
fn a_read_of_any_page_of_the_wordline_waits_for_its_program() {
    let mut setup = wordlines();
    setup.device.suspend.program_ns = Some(1_000);
    setup.scheme.scheduler.policy = wordline_engine::config::scheme::SchedulerKind::ReadFirstSuspend;
    setup.start = start(Occupancy::Share(0.3), 0.0);
    let done = 3 * XFER + TPROG;
    for page in 0..3 {
        let requests = vec![request(0, HostOp::Write, 0, 3), read(XFER * 3 + 10, page)];
        assert_eq!(completions(&setup, requests)[1], done + TR + XFER, "page {page}");
    }
    // Any other page interrupts it.
    let requests = vec![request(0, HostOp::Write, 0, 3), read(XFER * 3 + 10, 7)];
    assert_eq!(completions(&setup, requests)[1], XFER * 3 + 10 + 1_000 + TR + XFER);
}

#[test]
fn sequential_writes_run_at_the_speed_of_whole_wordlines() {
    let mut setup = wordlines();
    setup.device.geometry.blocks = 64;
    setup.host = closed(6);
    let pages = 600;
    let report = run(&setup, &mut made(pages, |number| write(0, number))).unwrap();
    // Six in flight: three are programmed while the next three wait. One die: transfers and programs take turns.
    let ideal = 3.0 * 4096.0 / (3.0 * XFER as f64 + TPROG as f64) * 1e9;
    let found = report.write.bandwidth_bytes_per_s;
    assert!((found / ideal - 1.0).abs() < 0.02, "{found} instead of {ideal}");
}

#[test]
fn a_wordline_must_divide_the_block_and_has_one_time() {
    let mut setup = wordlines();
    setup.device.geometry.pages = 16;
    let error = setup.prepare(&[]).err().unwrap().to_string();
    assert!(
        error.contains("device.geometry.pages_per_program = 3: allowed: a divisor of the 16 pages"),
        "{error}"
    );
    let mut setup = wordlines();
    setup.device.cell.technology = wordline_engine::config::device::CellTechnology::Tlc;
    setup.device.cell.program_ns = vec![1, 2, 3];
    let error = setup.prepare(&[]).err().unwrap().to_string();
    assert!(error.contains("device.cell.program_ns") && error.contains("one time"), "{error}");
}
