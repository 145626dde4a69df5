//! Cache reads and cache programs, to the nanosecond.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::{self, *};
use wordline_engine::Setup;
use wordline_engine::config::device::*;
use wordline_engine::config::nand_modes::{CacheModeConfig, CacheReadOrder};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::HostOp;

const READ_COMMAND: u64 = 300;
const PROGRAM_COMMAND: u64 = 400;
const READ_BUSY: u64 = 3_000;
const PROGRAM_BUSY: u64 = 7_000;

/// Command and busy times of their own, so that each shows in a sum.
fn cached(dies: u32, planes: u32, read: bool, program: bool) -> Setup {
    let mut device = device(1, 1, dies, planes);
    device.channel.read_command_ns = READ_COMMAND;
    device.channel.program_command_ns = PROGRAM_COMMAND;
    device.cache_mode = CacheModeConfig {
        read,
        program,
        read_order: CacheReadOrder::Sequential,
        read_busy_ns: READ_BUSY,
        program_busy_ns: PROGRAM_BUSY,
    };
    let mut setup = setup(device);
    setup.scheme.blocks.superblock = SuperblockSpan::Die;
    setup
}

#[test]
fn sequential_reads_of_a_die_take_the_longer_of_array_and_transfer() {
    for (rate, transfer) in [(1000.0, XFER), (50.0, 20 * XFER)] {
        let mut setup = cached(1, 1, true, false);
        setup.device.channel.mega_transfers_per_s = rate;
        let pages = 10;
        let (report, record) = record(&setup, (0..pages).map(|page| read(0, page)).collect());
        let first = READ_COMMAND + TR;
        let step = READ_COMMAND + READ_BUSY;
        let mut expected: Vec<_> =
            (0..pages).map(|i| first + (i + 1) * step + i * TR.max(transfer) + transfer).collect();
        // No command follows the last page: it only moves to the cache register.
        expected[9] -= READ_COMMAND;
        assert_eq!(record.completions(), expected);
        assert_eq!(report.flash.cache_reads, pages - 1);
        assert_eq!(report.dies[0].array_ns, pages * TR);
        blame_adds_up(&report);
    }
}

#[test]
fn without_command_and_busy_times_a_page_takes_no_more_than_its_array_time() {
    let mut setup = cached(1, 1, true, false);
    (setup.device.channel.read_command_ns, setup.device.cache_mode.read_busy_ns) = (0, 0);
    let done = completions(&setup, (0..10).map(|page| read(0, page)).collect());
    assert_eq!(done, (1..=10).map(|page| page * TR + XFER).collect::<Vec<_>>());
    setup.device.cache_mode.read = false;
    let done = completions(&setup, (0..10).map(|page| read(0, page)).collect());
    assert_eq!(done, (1..=10).map(|page| page * (TR + XFER)).collect::<Vec<_>>());
}

#[test]
fn sequential_order_wants_the_next_page_of_the_block_and_random_order_any_page() {
    let plain = READ_COMMAND + TR + XFER;
    let overlapped =
        [READ_COMMAND + TR + READ_COMMAND + READ_BUSY + XFER, 2 * (READ_COMMAND + TR + READ_BUSY) + XFER];
    let pair = |order, pages: [u64; 2]| {
        let mut setup = cached(1, 1, true, false);
        setup.device.cache_mode.read_order = order;
        completions(&setup, pages.map(|page| read(0, page)).to_vec())
    };
    let (sequential, random) = (CacheReadOrder::Sequential, CacheReadOrder::Random);
    assert_eq!(pair(sequential, [4, 5]), overlapped);
    assert_eq!(pair(sequential, [4, 6]), [plain, 2 * plain]);
    assert_eq!(pair(sequential, [5, 4]), [plain, 2 * plain]);
    assert_eq!(pair(sequential, [15, 16]), [plain, 2 * plain], "page 16 is in the next block");
    assert_eq!(pair(random, [15, 16]), overlapped);
    assert_eq!(pair(random, [9, 3]), overlapped);
}

#[test]
fn a_lone_read_costs_nothing_more_and_one_that_comes_late_waits() {
    let setup = cached(1, 1, true, false);
    let alone = READ_COMMAND + TR + XFER;
    assert_eq!(completions(&setup, vec![read(0, 0)]), [alone]);
    // It comes while the data leaves.
    assert_eq!(completions(&setup, vec![read(0, 0), read(alone - 1, 1)]), [alone, 2 * alone]);
}

#[test]
fn the_time_of_overlapping_reads_is_blamed_on_what_they_waited_for() {
    let setup = cached(1, 1, true, false);
    let (report, _) = record(&setup, vec![read(0, 0), read(0, 1)]);
    let total = &report.read.blame.mean.total_ns;
    // The first waits for the second's command, the second for the die until the first was read.
    assert_eq!(total["channel_wait.host_read"], u128::from(READ_COMMAND));
    assert_eq!(total["die_wait.host_read"], u128::from(READ_COMMAND + TR + READ_BUSY));
    assert_eq!(total["cell"], u128::from(2 * (TR + READ_BUSY)));
    assert_eq!((total["command"], total["transfer"]), (u128::from(2 * READ_COMMAND), u128::from(2 * XFER)));
    blame_adds_up(&report);
}

#[test]
fn a_read_whose_data_waits_in_a_register_is_still_at_its_die() {
    let mut setup = cached(1, 1, true, false);
    setup.measure.collisions = true;
    setup.measure.sample_ns = 1_000;
    let (report, record) = record(&setup, vec![read(0, 0), read(0, 1)]);
    let [first, second] = [0, 1].map(|number| record.completions()[number].div_ceil(1_000));
    let sampled = report.collisions.unwrap().sampled;
    // Both are there until the data of the first has left.
    assert_eq!((sampled.busy_samples, sampled.measured_ratio), (second, first as f64 / second as f64));
}

#[test]
fn all_planes_of_a_sequential_read_go_on_together() {
    let setup = cached(1, 2, true, false);
    let rows = 6;
    let requests = (0..rows).map(|row| request(0, HostOp::Read, 2 * row, 2)).collect();
    let (report, record) = record(&setup, requests);
    let step = READ_COMMAND + READ_BUSY;
    let mut expected: Vec<_> =
        (0..rows).map(|i| READ_COMMAND + TR + (i + 1) * step + i * TR + 2 * XFER).collect();
    expected[5] -= READ_COMMAND;
    assert_eq!(record.completions(), expected);
    assert_eq!((report.flash.multi_plane, report.flash.cache_reads), (rows, rows - 1));
}

#[test]
fn a_write_that_goes_first_ends_the_sequence_of_cache_reads() {
    let mut setup = cached(1, 1, true, true);
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let (report, record) = record(&setup, vec![read(0, 0), write(1, 40), read(2, 1)]);
    let (one, program) = (READ_COMMAND + TR + XFER, PROGRAM_COMMAND + XFER + TPROG);
    assert_eq!(record.completions(), [one, one + program, 2 * one + program]);
    assert_eq!(report.flash.cache_reads, 0);
}

#[test]
fn sequential_programs_of_a_die_take_the_longer_of_array_and_data_in() {
    for (rate, transfer) in [(1000.0, XFER), (5.0, 200 * XFER)] {
        let mut setup = cached(1, 1, false, true);
        setup.start = start(Occupancy::None, 0.0);
        setup.device.channel.mega_transfers_per_s = rate;
        let pages = 10;
        let (report, record) = record(&setup, (0..pages).map(|page| write(0, page)).collect());
        let data_in = PROGRAM_COMMAND + transfer;
        let step = TPROG.max(data_in) + PROGRAM_BUSY;
        let expected: Vec<_> = (0..pages).map(|i| data_in + i * step + TPROG).collect();
        assert_eq!(record.completions(), expected);
        assert_eq!((report.flash.cache_programs, report.dies[0].array_ns), (pages - 1, pages * TPROG));
        blame_adds_up(&report);
    }
}

/// An empty drive, written from page 0 of block 0 on.
fn cached_programs(dies: u32, planes: u32) -> Setup {
    let mut setup = cached(dies, planes, false, true);
    setup.start = start(Occupancy::None, 0.0);
    setup
}

const PROGRAM: u64 = PROGRAM_COMMAND + XFER + TPROG;

#[test]
fn the_time_of_overlapping_programs_is_blamed_on_the_one_before() {
    let (report, _) = record(&cached_programs(1, 1), vec![write(0, 0), write(0, 1)]);
    let total = &report.write.blame.mean.total_ns;
    // The second waits for the data-in of the first in the queue, then with its data for the array.
    let waits = (PROGRAM_COMMAND + XFER) + (TPROG - PROGRAM_COMMAND - XFER);
    assert_eq!(total["die_wait.host_program"], u128::from(waits));
    assert_eq!(total["cell"], u128::from(2 * TPROG + PROGRAM_BUSY));
    blame_adds_up(&report);
}

#[test]
fn a_program_that_comes_later_moves_in_at_once_and_a_lone_one_costs_nothing_more() {
    let setup = cached_programs(1, 1);
    assert_eq!(completions(&setup, vec![write(0, 0)]), [PROGRAM]);
    let late = PROGRAM - 100_000;
    let done = completions(&setup, vec![write(0, 0), write(late, 1)]);
    assert_eq!(done, [PROGRAM, PROGRAM + PROGRAM_BUSY + TPROG]);
    // It comes in time to begin, not to be in before the array ends.
    let done = completions(&setup, vec![write(0, 0), write(PROGRAM - 1, 1)]);
    assert_eq!(done[1], PROGRAM - 1 + PROGRAM_COMMAND + XFER + PROGRAM_BUSY + TPROG);
}

#[test]
fn the_first_page_of_a_block_follows_nothing() {
    let (report, record) = record(&cached_programs(1, 1), (0..18).map(|page| write(0, page)).collect());
    assert_eq!(report.flash.cache_programs, 16, "15 in the first block, 1 in the second");
    let step = TPROG + PROGRAM_BUSY;
    assert_eq!(record.completions()[15], PROGRAM + 15 * step);
    assert_eq!(record.completions()[17], 2 * PROGRAM + 16 * step);
}

#[test]
fn the_next_program_moves_in_only_when_it_has_all_planes_of_the_one_before() {
    let two = |number: u64| request(0, HostOp::Write, 2 * number, 2);
    let data_in = PROGRAM_COMMAND + 2 * XFER;
    let (report, record) = record(&cached_programs(1, 2), vec![two(0), two(1), two(2)]);
    let step = TPROG + PROGRAM_BUSY;
    let first = data_in + TPROG;
    assert_eq!(record.completions(), [first, first + step, first + 2 * step]);
    assert_eq!((report.flash.multi_plane, report.flash.cache_programs), (3, 2));
    let (report, record) = common::record(&cached_programs(1, 2), vec![two(0), write(0, 2)]);
    assert_eq!(record.completions(), [first, first + PROGRAM]);
    assert_eq!(report.flash.cache_programs, 0);
}

#[test]
fn a_flash_page_that_still_takes_units_moves_in_when_it_is_full() {
    let mut setup = cached_programs(1, 1);
    setup.device.geometry.page_bytes = 8192;
    let second = [write(1_000, 2), write(300_000, 3)];
    let (report, record) = record(&setup, [vec![request(0, HostOp::Write, 0, 2)], second.to_vec()].concat());
    let first = PROGRAM + XFER;
    assert_eq!(record.completions(), [first, first + PROGRAM_BUSY + TPROG, first + PROGRAM_BUSY + TPROG]);
    assert_eq!((report.flash.programs, report.flash.cache_programs), (2, 1));
    let (report, _) = common::record(&setup, vec![request(0, HostOp::Write, 0, 2), write(1_000, 2)]);
    assert_eq!(report.flash.cache_programs, 0, "it begins when the die is free");
}

#[test]
fn a_read_that_waits_goes_before_the_next_programs_data() {
    let reads_first = vec![write(0, 0), read(1_000, 200), write(2_000, 1)];
    let mut setup = cached_programs(1, 1);
    setup.start = start(Occupancy::All, 0.0);
    let (report, record) = record(&setup, reads_first.clone());
    let one_read = READ_COMMAND + TR + XFER;
    assert_eq!(record.completions(), [PROGRAM, PROGRAM + one_read, 2 * PROGRAM + one_read]);
    assert_eq!(report.flash.cache_programs, 0);
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let (report, _) = common::record(&setup, reads_first);
    assert_eq!(report.flash.cache_programs, 0);
    let writes_first = vec![write(0, 0), write(1_000, 1), read(2_000, 200)];
    let (report, record) = common::record(&setup, writes_first);
    assert_eq!(record.completions()[2], PROGRAM + PROGRAM_BUSY + TPROG + one_read);
    assert_eq!(report.flash.cache_programs, 1);
}

fn suspending() -> Setup {
    let mut setup = cached_programs(1, 1);
    setup.start = start(Occupancy::All, 0.0);
    setup.device.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: Some(30_000),
        resume_ns: 5_000,
        max_per_operation: 2,
        ..SuspendConfig::default()
    };
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    setup
}

#[test]
fn nothing_is_suspended_while_the_next_programs_data_is_in_the_cache_register() {
    let one_read = READ_COMMAND + TR + XFER;
    let (report, record) = record(&suspending(), vec![write(0, 0), write(0, 1), read(200_000, 200)]);
    // The first program ends, the second begins and is suspended at once.
    let second = PROGRAM + PROGRAM_BUSY;
    let read_done = second + 20_000 + one_read;
    assert_eq!(record.completions(), [PROGRAM, read_done + 5_000 + TPROG, read_done]);
    assert_eq!((report.flash.suspensions, report.flash.cache_programs), (1, 1));
    blame_adds_up(&report);
}

#[test]
fn no_data_moves_in_during_a_suspension_but_when_the_program_goes_on() {
    let one_read = READ_COMMAND + TR + XFER;
    let (report, record) = record(&suspending(), vec![write(0, 0), read(100_000, 200), write(110_000, 1)]);
    let first = PROGRAM + 20_000 + one_read + 5_000;
    assert_eq!(record.completions(), [first, 100_000 + 20_000 + one_read, first + PROGRAM_BUSY + TPROG]);
    assert_eq!((report.flash.suspensions, report.flash.cache_programs), (1, 1));
    blame_adds_up(&report);
}

#[test]
fn reads_during_a_suspension_do_not_overlap() {
    let mut setup = suspending();
    setup.device.cache_mode.read = true;
    let one_read = READ_COMMAND + TR + XFER;
    let (report, record) = record(&setup, vec![write(0, 0), read(100_000, 200), read(100_000, 201)]);
    let begun = 100_000 + 20_000;
    assert_eq!(record.completions()[1..], [begun + one_read, begun + 2 * one_read]);
    assert_eq!(report.flash.cache_reads, 0);
}

#[test]
fn busy_drives_with_cache_operations_stay_consistent_and_exact() {
    let orders = [CacheReadOrder::Sequential, CacheReadOrder::Random];
    for (number, (planes, units)) in [(1, 1), (2, 4), (3, 2)].into_iter().enumerate() {
        let mut setup = cached(2, planes, true, true);
        setup.device.cache_mode.read_order = orders[number % 2];
        setup.device.suspend = suspending().device.suspend;
        setup.device.geometry.mapping_unit_bytes = 4096 / units;
        setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        setup.scheme.scheduler.starvation_bound_ns = Some(2_000_000);
        setup.host = closed(32);
        let pages = setup.logical_bytes().unwrap() / 4096;
        let mut random = Random(11);
        let mut source = made(10_000, |_| {
            let op = [HostOp::Read, HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim]
                [random.below(5) as usize];
            request(0, op, random.below(pages - 8), 1 + random.below(8))
        });
        let report = run(&setup, &mut source).unwrap();
        assert!(report.flash.cache_reads > 0 && report.flash.cache_programs > 0, "{:?}", report.flash);
        assert!(report.gc.victims > 0 && report.flash.suspensions > 0);
        blame_adds_up(&report);
    }
}

#[test]
fn dies_that_read_ahead_reach_the_longer_of_the_dies_and_the_channels_bound() {
    for dies in [1u64, 2, 4] {
        for (rate, transfer) in [(1000.0, XFER), (200.0, 5 * XFER), (62.5, 16 * XFER)] {
            let mut setup = cached(dies as u32, 1, true, false);
            setup.device.channel.mega_transfers_per_s = rate;
            let done = completions(&setup, (0..16 * dies).map(|page| read(0, page)).collect());
            let die = READ_COMMAND + READ_BUSY + TR.max(transfer);
            let channel = dies * (READ_COMMAND + transfer);
            for row in 4..12 {
                let first = row * dies as usize;
                assert_eq!(done[first + dies as usize] - done[first], die.max(channel), "{dies} {transfer}");
            }
        }
    }
}
