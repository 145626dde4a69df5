//! The policies of garbage collection against published analytic results: steady-state write amplification under uniform
//! random overwrites of single pages; and what each is good for.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]
#![allow(clippy::print_stdout, reason = "figures beside their bounds, for --nocapture")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::device::CapacityConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{GcConfig, GcKind};

/// The root of a function that rises from below zero to above it.
fn root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if f(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// d-choices in the limit of many blocks of `b` pages, a share `rho` of them valid (Van Houdt, SIGMETRICS 2013): the WAF
/// as published, and the share of its collections that find all d blocks entirely valid.
///
/// Each valid page is overwritten at rate 1. Blocks enter at level b at rate f, a block at level j falls to j − 1 at rate
/// j, and collection takes from levels j and above at rate f G_j^d, where G_j is the share of blocks there. So
/// j s_j = f (1 − G_j^d) with G_j = G_(j+1) + s_j, from j = b down, and Σ j s_j = ρ b fixes f. WAF = f / ρ.
///
/// A collection that finds only valid blocks puts a valid block in the place of a valid block. This engine leaves it out,
/// which changes no share; its WAF is lower by just that.
fn d_choices(d: i32, b: u32, rho: f64) -> (f64, f64) {
    let shares = |f: f64| {
        let (mut above, mut valid, mut entirely) = (0.0_f64, 0.0, 0.0);
        for level in (1..=b).rev() {
            let j = f64::from(level);
            let share = root(0.0, 1.0, |s| j * s - f * (1.0 - (above + s).powi(d)));
            above += share;
            valid += j * share;
            entirely = if level == b { share } else { entirely };
        }
        (valid, entirely)
    };
    let f = root(1e-9, 1e4, |f| shares(f).0 - rho * f64::from(b));
    (f / rho, shares(f).1.powi(d))
}

/// The same for d = 1, any block with the same chance: what is collected is valid for the share ρ like all else.
fn random(rho: f64) -> f64 {
    1.0 / (1.0 - rho)
}

/// FIFO of T blocks of b pages. A block is collected after each of the others was filled once, of which the host writes
/// T b (1 − p) pages when a share p of a block is still valid by then. Each of them hits a page with chance 1 / (ρ T b), so
/// p = exp(−(1 − p) / ρ), and WAF = 1 / (1 − p) (Menon, HPDC 1995; Desnoyers, ACM Transactions on Storage 10(2), 2014).
fn fifo(rho: f64) -> f64 {
    let p = root(0.0, rho, |p| p - (-(1.0 - p) / rho).exp());
    1.0 / (1.0 - p)
}

#[test]
fn the_formulas_agree_where_they_meet() {
    for rho in [0.7, 0.85, 0.93] {
        for b in [16, 64, 256] {
            let (published, entirely) = d_choices(1, b, rho);
            assert!((published / random(rho) - 1.0).abs() < 1e-9, "one choice is random");
            let pages = f64::from(b);
            assert!((entirely / (rho / (rho + pages * (1.0 - rho))) - 1.0).abs() < 1e-9);
            let wafs: Vec<_> = [1, 2, 3, 10, 100].map(|d| d_choices(d, b, rho).0).into();
            assert!(wafs.windows(2).all(|pair| pair[1] < pair[0]), "{wafs:?}");
        }
        // With many choices it becomes greedy, which of large blocks takes the oldest.
        assert!((d_choices(1000, 4096, rho).0 / fifo(rho) - 1.0).abs() < 0.01);
    }
    // Xiang and Kurkoski (arXiv 1110.4245) print 2.36 where the spare pages are 0.3 of the logical ones.
    assert!((fifo(1.0 / 1.3) - 2.36).abs() < 0.005);
}

const PAGES: u32 = 64;
const BLOCKS: u32 = 4096;

/// One plane of many blocks, overwritten at random four times.
fn overwritten(gc: &GcConfig, overprovisioning: f64) -> Setup {
    let mut drive = device(1, 1, 1, 1);
    (drive.geometry.blocks, drive.geometry.pages) = (BLOCKS, PAGES);
    drive.capacity = CapacityConfig { overprovisioning: Some(overprovisioning), user_bytes: None };
    let mut setup = setup(drive);
    setup.scheme.gc = GcConfig { trigger: 0.0, ..gc.clone() };
    setup.host = closed(16);
    setup.start = start(Occupancy::All, 4.0);
    setup
}

/// Share of valid pages in the blocks that collection chooses from: without the two free blocks that the lowest trigger
/// keeps, and without the open blocks of the host and of collection, half full on average (as in `analytic.rs`).
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

fn kind(policy: GcKind) -> GcConfig {
    GcConfig { policy, ..GcConfig::default() }
}

fn agrees(gc: &GcConfig, what: &str, analytic: impl Fn(f64) -> f64) {
    for overprovisioning in [0.07, 0.15, 0.28] {
        let setup = overwritten(gc, overprovisioning);
        let rho = utilisation(&setup);
        let (expected, measured) = (analytic(rho), timed_waf(&setup, 1.5));
        let off = measured / expected - 1.0;
        println!(
            "{what}: OP {overprovisioning:.2}, utilisation {rho:.5}: analytic {expected:.4}, measured {measured:.4} ({:+.2}%)",
            100.0 * off
        );
        assert!(off.abs() < 0.01, "{what}, OP {overprovisioning}: {measured} instead of {expected}");
    }
}

fn check_d_choices(choices: u32) {
    let gc = GcConfig { choices, ..kind(GcKind::DChoices) };
    agrees(&gc, &format!("{choices} choices"), |rho| {
        let (published, entirely) = d_choices(choices as i32, PAGES, rho);
        println!(
            "  published {published:.4}, without collections that win nothing {:.4}",
            published * (1.0 - entirely)
        );
        published * (1.0 - entirely)
    });
}

#[test]
fn write_amplification_of_2_choices_agrees_with_the_mean_field() {
    check_d_choices(2);
}

#[test]
fn write_amplification_of_10_choices_agrees_with_the_mean_field() {
    check_d_choices(10);
}

#[test]
fn write_amplification_of_random_collection_agrees_with_the_closed_form() {
    let pages = f64::from(PAGES);
    agrees(&kind(GcKind::Random), "random", |rho| 1.0 / (1.0 - rho * (1.0 - 1.0 / pages)));
}

#[test]
fn write_amplification_of_fifo_agrees_with_the_closed_form() {
    agrees(&kind(GcKind::Fifo), "fifo", fifo);
}

/// An eighth of the blocks, three drive writes of which a share falls on a few pages, after six more.
fn skewed_waf(gc: &GcConfig, overprovisioning: f64, hot: f64, share: f64) -> f64 {
    let mut setup = overwritten(gc, overprovisioning);
    setup.device.geometry.blocks = BLOCKS / 8;
    setup.start.overwrite = 0.0;
    setup.window.warmup_drive_writes = 6.0;
    let logical = setup.logical_bytes().unwrap() / 4096;
    let (hot, chance) = ((logical as f64 * hot) as u64, (share * 1000.0) as u64);
    let mut random = Random(7);
    // Hot pages lie all over the drive: the factor is prime to any number of pages here.
    let mut page = move || {
        let rank =
            if random.below(1000) < chance { random.below(hot) } else { hot + random.below(logical - hot) };
        rank * 7919 % logical
    };
    run(&setup, &mut made(logical * 9, |_| write(0, page()))).unwrap().waf.unwrap()
}

#[test]
fn a_wider_window_writes_less_from_fifo_down_to_greedy() {
    let waf = |gc: GcConfig| skewed_waf(&gc, 0.15, 0.5, 0.5);
    let windowed = |window| waf(GcConfig { window, ..kind(GcKind::WindowedGreedy) });
    let wafs = [1, 16, 64, 256, 512].map(windowed);
    let (fifo, greedy) = (waf(kind(GcKind::Fifo)), waf(kind(GcKind::Greedy)));
    println!(
        "windows of 1, 16, 64, 256, 512 of 512 superblocks: {wafs:.3?}, FIFO {fifo:.3}, greedy {greedy:.3}"
    );
    assert_eq!(wafs[0], fifo, "a window of one is FIFO, to the last victim");
    assert!((wafs[4] / greedy - 1.0).abs() < 0.005, "a window of all is greedy but for ties");
    assert!(wafs.windows(2).all(|pair| pair[1] < 1.002 * pair[0]), "{wafs:?}");
    assert!(wafs[3] < 0.97 * wafs[0], "{wafs:?}");
}

#[test]
fn cost_benefit_beats_greedy_where_few_pages_are_written_often_and_loses_where_all_are_alike() {
    let compare = |hot, share| {
        let of = |policy| skewed_waf(&kind(policy), 0.2, hot, share);
        let all =
            [GcKind::Greedy, GcKind::CostBenefit, GcKind::DChoices, GcKind::Fifo, GcKind::Random].map(of);
        println!(
            "{share} of the writes to {hot} of the pages: greedy {:.3}, cost-benefit {:.3}, 10 choices {:.3}, FIFO {:.3}, random {:.3}",
            all[0], all[1], all[2], all[3], all[4]
        );
        all[1] / all[0]
    };
    assert!(compare(0.2, 0.8) < 0.93);
    assert!(compare(0.1, 0.9) < 0.75);
    assert!(compare(0.05, 0.95) < 0.6);
    let alike = compare(0.5, 0.5);
    assert!(alike > 1.0 && alike < 1.1, "{alike}");
}
