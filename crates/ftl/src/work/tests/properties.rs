//! Random loads over drives of many kinds: every read finds the newest version (checked as it begins), all requests are done, and
//! the tables agree when the drive is at rest.

use super::harness::{Alone, PAGE};
use crate::arrangement::Needs;
use crate::replicate::{CopyBudget, CopyTarget};
use proptest::prelude::*;
use std::collections::BTreeSet;
use wordline_base::ids::DieId;

/// What a drive is beside the plain one.
const KINDS: [&[(&str, &str)]; 8] = [
    &[],
    &[("scheme.blocks.superblock", "channels")],
    &[("scheme.blocks.superblock", "drive"), ("scheme.redundancy.policy", "parity_rows")],
    &[("scheme.mapping.policy", "demand"), ("scheme.mapping.cache_bytes", "64")],
    &[("scheme.placement.policy", "dynamic")],
    &[("device.geometry.page_bytes", "8192"), ("device.geometry.blocks", "12")],
    &[("device.geometry.pages_per_program", "2")],
    &[("scheme.gc.policy", "fifo"), ("scheme.gc.read_ahead_pages", "2")],
];

#[derive(Clone, Copy, Debug)]
enum Step {
    Write(u32),
    Part(u32),
    Read(u32),
    Trim(u32),
    Copy(u32, u32),
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let page = || any::<u32>();
    prop::collection::vec(
        prop_oneof![
            6 => page().prop_map(Step::Write),
            1 => page().prop_map(Step::Part),
            4 => page().prop_map(Step::Read),
            1 => page().prop_map(Step::Trim),
            1 => (page(), 0..4u32).prop_map(|(page, die)| Step::Copy(page, die)),
            3 => (0..400_000u64).prop_map(Step::Pass),
        ],
        1..400,
    )
}

fn run(kind: usize, steps: &[Step], fill: bool) {
    let copies = kind == 0 || kind == 4;
    let needs = Needs { name: "copier".into(), copies: CopyBudget::Units(20), ..Needs::default() };
    let needs = if copies { vec![needs] } else { vec![] };
    let mut drive = Alone::for_systems(KINDS[kind], &needs);
    let all = drive.ftl.logical_units();
    let mut held = BTreeSet::new();
    if fill {
        drive.write_in_turn(0..all);
        held.extend(0..all);
    }
    let mut requests = Vec::new();
    for &step in steps {
        match step {
            Step::Write(lpa) => {
                requests.push(drive.write(lpa % all));
                held.insert(lpa % all);
            }
            Step::Part(lpa) => {
                requests.push(drive.write_some(lpa % all, PAGE / 2));
                held.insert(lpa % all);
            }
            Step::Read(lpa) => requests.push(drive.read(lpa % all)),
            // A trim is no answer to writes that are still to come into effect.
            Step::Trim(lpa) => {
                drive.run_dry();
                drive.trim(lpa % all);
                held.remove(&(lpa % all));
            }
            Step::Copy(lpa, die) if copies && held.contains(&(lpa % all)) => {
                drive.copy(0, lpa % all, CopyTarget::Die(DieId(die)));
            }
            Step::Copy(..) => {}
            Step::Pass(time) => drive.run(drive.now() + time),
        }
    }
    drive.run_dry();
    assert!(requests.iter().all(|&request| drive.done(request).is_some()));
    assert_eq!(drive.ftl.mapped_units(), held.len() as u64);
    assert!((0..all).all(|lpa| drive.place(lpa).is_some() == held.contains(&lpa)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_is_done_and_the_tables_agree(kind in 0..KINDS.len(), steps in steps(), fill: bool) {
        run(kind, &steps, fill);
    }
}
