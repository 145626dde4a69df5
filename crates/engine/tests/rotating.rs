//! Collection in turns: at most one of the superblocks at the same place of each channel is collected at a time.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::Setup;
use wordline_engine::config::pace::PaceConfig;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};

const PROGRAM: u64 = XFER + TPROG;
const ONE_READ: u64 = TR + XFER;
const FAR_APART: u64 = 100_000_000;

/// Two channels of one die. Even pages are on the first, odd ones on the second.
fn channels(rotating: bool) -> Setup {
    let mut setup = setup(device(2, 1, 1, 1));
    setup.scheme.blocks.superblock = SuperblockSpan::None;
    setup.scheme.gc.rotating = rotating;
    setup
}

/// Overwrites a page of each block of both dies at once, then another of each, when the one before has had all its effects.
fn thinning(writes: u64) -> Vec<HostRequest> {
    let page = |i: u64| 2 * ((i % 20) * 16 + i / 20);
    (0..writes).map(|i| request((i + 1) * FAR_APART, HostOp::Write, page(i), 2)).collect()
}

#[test]
fn the_second_die_waits_until_the_victim_of_the_first_is_erased() {
    let all = (1..200).find(|&n| record(&channels(false), thinning(n + 1)).0.gc.moved_units > 0).unwrap();
    let begun = all * FAR_APART + PROGRAM;
    let reads_at = |rotating: bool, at: u64| {
        let both = [read(at, 400), read(at, 401)];
        let (_, record) = record(&channels(rotating), [thinning(all), both.to_vec()].concat());
        let mut waits: Vec<u64> = record.completions()[all as usize..].iter().map(|done| done - at).collect();
        waits.sort_unstable();
        waits
    };
    // Victims lose one page: fifteen are read, and programmed behind each other; all is done within 20 ms.
    for at in (begun + 1_000..begun + 9_000_000).step_by(1_000_000) {
        let [first, second] = reads_at(true, at)[..] else { unreachable!() };
        assert!(first == ONE_READ && second > ONE_READ, "{at}: {first} {second}");
    }
    assert!(reads_at(false, begun + 1_000).iter().all(|&wait| wait > ONE_READ));
    let (with, without) =
        (record(&channels(true), thinning(200)).0, record(&channels(false), thinning(200)).0);
    assert_eq!((with.gc.victims, with.gc.moved_units), (without.gc.victims, without.gc.moved_units));
}

#[test]
fn nothing_stands_still_under_a_load_that_needs_all_turns() {
    for (ways, planes) in [(1, 1), (2, 2)] {
        let mut setup = setup(device(3, ways, 1, planes));
        setup.scheme.gc.rotating = true;
        setup.scheme.blocks.superblock = SuperblockSpan::Die;
        setup.host = closed(24);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(7);
        // Most writes are for one channel.
        let mut source = made(20_000, |number| {
            let page = random.below(pages / 3) * 3;
            let op = [HostOp::Read, HostOp::Write][(number % 2) as usize];
            request(0, op, if number % 8 == 0 { random.below(pages) } else { page }, 1)
        });
        let report = run(&setup, &mut source).unwrap();
        assert!(report.gc.victims > 100 && report.gc.moved_units > 0, "{:?}", report.gc);
    }
}

#[test]
fn what_it_excludes_is_refused_by_name() {
    let refused: [&dyn Fn(&mut Setup); 3] = [
        &|setup| setup.scheme.blocks.superblock = SuperblockSpan::Channels,
        &|setup| setup.device.geometry.channels = 1,
        &|setup| setup.scheme.gc.pace = Some(PaceConfig { band: 2 }),
    ];
    for change in refused {
        let mut setup = channels(true);
        change(&mut setup);
        let error = setup.prepare(&[]).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("scheme.gc.rotating"), "{error}");
    }
}
