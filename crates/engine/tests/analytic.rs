//! The engine against published analytic results: write amplification of greedy garbage collection under uniform
//! random overwrites, and the mean wait of one die under Poisson reads.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "the figures that docs/validation.md has")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::{CapacityConfig, MultiPlaneRule};
use wordline_engine::config::run::{Occupancy, StartLayout};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;

/// Write amplification of greedy collection in the limit of many blocks of `b` pages, a share `rho` of them valid
/// (Van Houdt, "A mean field model for a class of garbage collection algorithms in flash-based solid state drives",
/// SIGMETRICS 2013; Bux and Iliadis, "Performance of greedy garbage collection in flash-based solid-state drives",
/// Performance Evaluation 67, 2010).
///
/// Each valid page is overwritten at rate 1. A block enters with b valid pages, and one with j falls to j − 1 at rate j.
/// With blocks entering at rate f, the share of blocks at level j is f / j, down to level m, where collection takes
/// some (share x there, the rest falls to m − 1 and is taken at once): Σ f / j + x = 1 over j = m + 1 … b, and what is
/// freed is what is written, f (b − m) + m x = ρ b. Exactly one m has 0 ≤ x ≤ f / m.
pub fn mean_field(b: u32, rho: f64) -> f64 {
    let pages = f64::from(b);
    let mut harmonic = 0.0;
    for level in (1..b).rev() {
        harmonic += 1.0 / f64::from(level + 1);
        let m = f64::from(level);
        let f = (rho * pages - m) / (pages - m - m * harmonic);
        let x = 1.0 - f * harmonic;
        if f > 0.0 && x >= 0.0 && x <= f / m {
            return f / rho;
        }
    }
    panic!("no threshold for {b} pages and {rho}");
}

/// The limit of large blocks: α / (α + W(−α e^−α)) for α = 1 / ρ (Xiang and Kurkoski, "An improved analytic expression
/// for write amplification in NAND flash", ICNC 2012; Desnoyers, "Analytic models of SSD write performance", ACM
/// Transactions on Storage 10(2), 2014).
pub fn large_blocks(rho: f64) -> f64 {
    let alpha = 1.0 / rho;
    let argument = -alpha * (-alpha).exp();
    // The principal branch of Lambert's W lies above −1; bisection suffices.
    let (mut low, mut high) = (-1.0, 0.0);
    for _ in 0..200 {
        let middle: f64 = 0.5 * (low + high);
        if middle * middle.exp() < argument { low = middle } else { high = middle }
    }
    alpha / (alpha + low)
}

#[test]
fn the_two_published_formulas_agree_and_give_the_published_figure() {
    // Xiang and Kurkoski's abstract: 2.36 where the spare pages are 0.3 of the logical ones.
    assert!((large_blocks(1.0 / 1.3) - 2.36).abs() < 0.005, "{}", large_blocks(1.0 / 1.3));
    for rho in [0.7, 0.8, 0.9, 0.95] {
        let off = mean_field(1 << 16, rho) / large_blocks(rho) - 1.0;
        assert!(off.abs() < 1e-3, "{rho}: {off}");
    }
}

const PAGES: u32 = 64;
const BLOCKS: u32 = 4096;

/// One plane of many blocks, with a share of the raw capacity kept from the host, overwritten at random so many times.
fn overwritten(overprovisioning: f64, overwrite: f64) -> Setup {
    let mut drive = device(1, 1, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (BLOCKS, PAGES);
    drive.capacity = CapacityConfig { overprovisioning: Some(overprovisioning), user_bytes: None };
    let mut setup = setup(drive);
    setup.scheme.gc.trigger = 0.0;
    setup.host = closed(16);
    setup.start = start(Occupancy::All, overwrite);
    setup
}

/// Share of valid pages in the blocks that hold data for collection to choose from: without the free blocks that the
/// lowest trigger keeps (about two), and without the open blocks of the host and of collection, on average half full.
fn utilisation(setup: &Setup) -> f64 {
    let logical = setup.logical_bytes().unwrap() as f64 / 4096.0;
    let pages = f64::from(PAGES);
    (logical - pages) / ((f64::from(BLOCKS) - 4.0) * pages)
}

/// WAF in a window of timed random overwrites of `drive_writes` times the logical space.
fn timed_waf(setup: &Setup, drive_writes: f64) -> f64 {
    let logical = setup.logical_bytes().unwrap() / 4096;
    let mut random = Random(7);
    let mut source = made((logical as f64 * drive_writes) as u64, |_| write(0, random.below(logical)));
    run(setup, &mut source).unwrap().waf.unwrap()
}

/// Pages programmed by the untimed overwrites before the run, from the erase counts that they leave.
fn untimed_programs(overprovisioning: f64, overwrite: f64) -> f64 {
    let report = run(&overwritten(overprovisioning, overwrite), &mut Listed(vec![])).unwrap();
    report.erase_counts.mean * f64::from(BLOCKS) * f64::from(PAGES)
}

fn check_waf(overprovisioning: f64) {
    let setup = overwritten(overprovisioning, 6.0);
    let (rho, logical) = (utilisation(&setup), setup.logical_bytes().unwrap() as f64 / 4096.0);
    let expected = mean_field(PAGES, rho);
    let timed = timed_waf(&setup, 1.5);
    let untimed =
        (untimed_programs(overprovisioning, 8.0) - untimed_programs(overprovisioning, 6.0)) / (2.0 * logical);
    println!(
        "OP {overprovisioning:.4} of raw, utilisation {rho:.5}: mean field {expected:.4}, large blocks {:.4}, \
         timed {timed:.4} ({:+.2}%), untimed {untimed:.4} ({:+.2}%)",
        large_blocks(rho),
        100.0 * (timed / expected - 1.0),
        100.0 * (untimed / expected - 1.0)
    );
    assert!((timed / expected - 1.0).abs() < 0.02, "timed {timed}, analytic {expected}");
    assert!((untimed / expected - 1.0).abs() < 0.02, "untimed {untimed}, analytic {expected}");
    assert!((timed / untimed - 1.0).abs() < 0.01, "timed {timed}, untimed {untimed}");
}

#[test]
fn write_amplification_agrees_with_the_mean_field_at_7_percent() {
    check_waf(0.07);
}

#[test]
fn write_amplification_agrees_with_the_mean_field_at_15_percent() {
    check_waf(0.15);
}

#[test]
fn write_amplification_agrees_with_the_mean_field_at_28_percent() {
    check_waf(0.28);
}

/// From the first write on: the state is laid out, not written.
#[test]
fn a_drive_laid_out_in_the_steady_state_amplifies_writes_as_the_mean_field_from_the_first_write() {
    for overprovisioning in [0.07, 0.15, 0.28] {
        let mut setup = overwritten(overprovisioning, 0.0);
        setup.start.layout = StartLayout::Steady;
        let expected = mean_field(PAGES, utilisation(&setup));
        for drive_writes in [0.05, 0.2, 1.0] {
            let waf = timed_waf(&setup, drive_writes);
            let off = waf / expected - 1.0;
            println!(
                "OP {overprovisioning} of raw, laid out, {drive_writes} of the logical space written: {waf:.4} \
                 ({:+.2}%)",
                100.0 * off
            );
            assert!(off.abs() < 0.02, "{drive_writes}: {waf}, analytic {expected}");
        }
    }
}

/// Over-provisioning as a share of what the host sees, the other usual definition.
#[test]
fn write_amplification_agrees_for_spare_to_user_ratios_as_well() {
    for ratio in [0.07, 0.15, 0.28] {
        check_waf(ratio / (1.0 + ratio));
    }
}

/// Service time of a read of one page: tR and the transfer.
const SERVICE: u64 = TR + XFER;

/// Poisson arrivals of reads at one die, each of another page; their times and what they would wait in a queue of one
/// server, by Lindley's recursion.
fn poisson_reads(load: f64, count: u64, pages: u64) -> (Vec<HostRequest>, u64) {
    let mut random = Random(11);
    let mean = SERVICE as f64 / load;
    let (mut time, mut free_at, mut waits) = (0.0, 0, 0);
    let requests = (0..count)
        .map(|number| {
            let uniform = (random.below(1 << 53) as f64 + 0.5) / (1u64 << 53) as f64;
            time -= mean * uniform.ln();
            let arrival = time as u64;
            let begin = arrival.max(free_at);
            waits += begin - arrival;
            free_at = begin + SERVICE;
            HostRequest {
                time: Ns(arrival),
                op: HostOp::Read,
                offset: number % pages * 4096,
                length: 4096,
                flow: 0,
                stream: 0,
            }
        })
        .collect();
    (requests, waits)
}

fn check_wait(load: f64, count: u64) {
    let mut drive = device(1, 1, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (256, 256);
    drive.multi_plane.rule = MultiPlaneRule::None;
    let setup = setup(drive);
    let (requests, waits) = poisson_reads(load, count, setup.logical_bytes().unwrap() / 4096);
    let report = run(&setup, &mut Listed(requests)).unwrap();
    assert_eq!(report.read.requests, count);
    let parts = &report.read.blame.mean.total_ns;
    assert_eq!(parts["die_wait.host_read"], u128::from(waits), "the wait of every read, to the nanosecond");
    assert_eq!(parts["cell"] + parts["transfer"], u128::from(SERVICE * count));
    assert_eq!(report.read.blame.mean.response_total_ns, u128::from(waits + SERVICE * count));
    let expected = load * SERVICE as f64 / (2.0 * (1.0 - load));
    let measured = report.read.latency_ns.mean - SERVICE as f64;
    let off = measured / expected - 1.0;
    println!("load {load}: M/D/1 {expected:.1} ns, measured {measured:.1} ns ({:+.2}%)", 100.0 * off);
    assert!(off.abs() < 0.01, "load {load}: {off}");
    let busy = report.dies[0].busy_ns["host_read"] as f64 / report.window.end_ns as f64;
    assert!((busy / load - 1.0).abs() < 0.01, "the die is occupied for the share {load} of the time: {busy}");
}

#[test]
fn the_mean_wait_of_a_die_agrees_with_m_d_1_at_load_0_3() {
    check_wait(0.3, 1_000_000);
}

#[test]
fn the_mean_wait_of_a_die_agrees_with_m_d_1_at_load_0_6() {
    check_wait(0.6, 2_000_000);
}

#[test]
fn the_mean_wait_of_a_die_agrees_with_m_d_1_at_load_0_8() {
    check_wait(0.8, 4_000_000);
}
