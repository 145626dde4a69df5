//! What the policies of garbage collection are shown and depend on; and that none is ever held up.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::blocks::table::{BlockView, NOT_A_CANDIDATE};
use wordline_engine::blocks::{BlockState, Needs};
use wordline_engine::config::SchemeConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{GcConfig, GcKind};
use wordline_engine::gc::{Fifo, VictimPolicy};
use wordline_engine::ids::SuperblockId;
use wordline_engine::{Setup, Unobserved};

fn kind(policy: GcKind) -> GcConfig {
    GcConfig { policy, choices: 2, window: 2, ..GcConfig::default() }
}

/// The same with the keys alone that the policy reads.
fn chosen(policy: GcKind) -> GcConfig {
    only_read(SchemeConfig { gc: kind(policy), ..SchemeConfig::default() }).gc
}

#[test]
fn no_policy_is_held_up_by_superblocks_that_are_never_written_again() {
    for policy in GcKind::ALL {
        for unit in [4096, 1024] {
            let mut setup = setup_with(chosen(policy));
            setup.device.geometry.blocks = 64;
            setup.device.geometry.mapping_unit_bytes = unit;
            setup.host = closed(16);
            // Half a block of hot units at the end: nearly all other blocks stay entirely valid.
            let hot = 8 * 4096 / u64::from(unit);
            let first = setup.logical_bytes().unwrap() / u64::from(unit) - hot;
            let mut random = Random(5);
            let mut source = made(6_000, |_| {
                let mut request = write(0, 0);
                request.offset = (first + random.below(hot)) * u64::from(unit);
                request.length = u64::from(unit);
                request
            });
            let report =
                run(&setup, &mut source).unwrap_or_else(|error| panic!("{policy:?} {unit}: {error}"));
            assert_eq!(report.write.requests, 6_000);
            assert!(report.gc.victims > 50, "{policy:?} {unit}: {}", report.gc.victims);
        }
    }
}

/// Looks at what it is shown, and collects in order.
struct Inspecting;

impl VictimPolicy for Inspecting {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let full: Vec<_> = (0..blocks.state.len()).filter(|&i| blocks.state[i] == BlockState::Full).collect();
        let mut ordered: Vec<_> = blocks.full_order.iter().map(|&index| index as usize).collect();
        ordered.sort_unstable();
        assert_eq!(ordered, full, "each full superblock once");
        assert!(full.iter().all(|&index| blocks.valid[index] < NOT_A_CANDIDATE));
        assert_eq!(blocks.changed.len(), blocks.state.len());
        assert!(blocks.changed.iter().all(|&time| time <= blocks.clock));
        Fifo.choose(blocks)
    }
    fn needs(&self) -> Needs {
        Needs { full_order: true, last_change: true }
    }
}

#[test]
fn a_policy_of_ones_own_is_shown_the_past_that_it_asks_for() {
    for built_in in [GcKind::Greedy, GcKind::Fifo] {
        let mut drive = device(2, 1, 1, 2);
        drive.geometry.mapping_unit_bytes = 2048;
        let mut setup = setup(drive);
        setup.host = closed(8);
        setup.scheme.gc.policy = built_in;
        setup.start = start(Occupancy::Share(0.9), 1.0);
        let mut drive = setup.prepare(&[]).unwrap();
        drive.set_gc(Box::new(Inspecting));
        let bytes = drive.logical_bytes();
        let mut random = Random(3);
        let mut source = made(8_000, |_| write(0, random.below(bytes / 4096)));
        let report =
            wordline_engine::replay(&setup, &mut drive, &mut source, &mut Unobserved).unwrap().report;
        assert!(report.gc.victims > 100);
    }
}

#[test]
fn the_seed_of_the_run_decides_what_is_drawn() {
    for policy in [GcKind::Random, GcKind::DChoices] {
        let moved = |seed| {
            let mut setup = setup_with(chosen(policy));
            setup.host = closed(8);
            setup.seed = seed;
            let logical = setup.logical_bytes().unwrap() / 4096;
            let mut random = Random(7);
            run(&setup, &mut made(logical * 4, |_| write(0, random.below(logical)))).unwrap().gc.moved_units
        };
        assert_eq!(moved(1), moved(1));
        assert_ne!(moved(1), moved(2));
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let refused = |gc: GcConfig| setup_with(gc).validate().unwrap_err().to_string();
    let setting = kind(GcKind::DChoices);
    assert_eq!(
        refused(GcConfig { choices: 0, ..setting.clone() }),
        "scheme.gc.choices = 0: allowed: 1 to 65536"
    );
    assert_eq!(refused(GcConfig { window: 0, ..setting }), "scheme.gc.window = 0: allowed: 1 to 1073741824");
    for (word, policy) in [
        ("d_choices", GcKind::DChoices),
        ("random", GcKind::Random),
        ("fifo", GcKind::Fifo),
        ("cost_benefit", GcKind::CostBenefit),
        ("windowed_greedy", GcKind::WindowedGreedy),
    ] {
        assert_eq!(serde_json::from_str::<GcKind>(&format!("\"{word}\"")).unwrap(), policy);
    }
}

fn setup_with(gc: GcConfig) -> Setup {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.gc = gc;
    setup
}
