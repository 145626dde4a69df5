//! Who goes first, nanosecond by nanosecond.
#![allow(missing_docs)]

use crate::common::{self, *};
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind};
use wordline_engine::config::device::*;
use wordline_engine::config::scheme::*;
use wordline_engine::host::HostOp;

#[test]
fn one_read_takes_the_cell_read_and_the_transfer() {
    assert_eq!(completions(&setup(device(1, 1, 1, 1)), vec![read(7, 0)]), [7 + TR + XFER]);
}

#[test]
fn one_write_takes_the_transfer_and_the_program() {
    assert_eq!(completions(&setup(device(1, 1, 1, 1)), vec![write(7, 0)]), [7 + XFER + TPROG]);
}

#[test]
fn reads_of_one_die_follow_each_other_register_included() {
    let done = completions(&setup(device(1, 1, 1, 1)), vec![read(0, 0), read(0, 1)]);
    assert_eq!(done, [TR + XFER, 2 * (TR + XFER)]);
}

#[test]
fn two_dies_of_a_channel_overlap_their_cells_and_share_the_bus() {
    let done = completions(&setup(device(1, 2, 1, 1)), vec![read(0, 0), read(0, 1)]);
    assert_eq!(done, [TR + XFER, TR + 2 * XFER]);
}

#[test]
fn two_channels_share_nothing() {
    let done = completions(&setup(device(2, 1, 1, 1)), vec![read(0, 0), read(0, 1)]);
    assert_eq!(done, [TR + XFER, TR + XFER]);
}

#[test]
fn a_read_passes_a_waiting_write_only_under_read_first() {
    let mut setup = setup(device(1, 1, 1, 1));
    let requests = vec![write(0, 0), write(1, 1), read(2, 2)];
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let (program, cell_read) = (XFER + TPROG, TR + XFER);
    assert_eq!(completions(&setup, requests.clone()), [program, 2 * program, 2 * program + cell_read]);
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirst;
    assert_eq!(completions(&setup, requests), [program, 2 * program + cell_read, program + cell_read]);
}

#[test]
fn a_write_that_waited_beyond_the_bound_passes_the_reads() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.scheduler.starvation_bound_ns = Some(60_000);
    let reads: Vec<_> = (0..4).map(|page| read(0, page)).collect();
    let requests = [vec![read(0, 9), write(0, 8)], reads].concat();
    let done = completions(&setup, requests);
    let one = TR + XFER;
    assert_eq!(done[0], one);
    assert_eq!(done[2], 2 * one, "at 54 µs the bound is not passed");
    assert_eq!(done[1], 2 * one + XFER + TPROG, "at 108 µs it is");
    assert_eq!(done[3], done[1] + one);
}

fn suspending() -> wordline_engine::Setup {
    let mut device = device(1, 1, 1, 1);
    device.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: Some(30_000),
        resume_ns: 5_000,
        max_per_operation: 2,
        ..SuspendConfig::default()
    };
    let mut setup = setup(device);
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    setup
}

#[test]
fn a_read_suspends_a_program_which_then_goes_on_where_it_was() {
    let (report, record) = record(&suspending(), vec![write(0, 0), read(100_000, 1)]);
    let read_done = 100_000 + 20_000 + TR + XFER;
    let write_done = XFER + TPROG + 20_000 + TR + XFER + 5_000;
    assert_eq!(record.completions(), [write_done, read_done]);
    assert_eq!(report.flash.suspensions, 1);
    let write = &report.write.blame.mean.total_ns;
    assert_eq!(
        (write["suspend"], write["die_wait.host_read"], write["cell"]),
        (25_000, (TR + XFER) as u128, TPROG as u128)
    );
    assert_eq!(report.read.blame.mean.total_ns["die_wait.host_program"], 20_000);
}

#[test]
fn a_read_that_comes_during_data_in_suspends_as_soon_as_the_array_works() {
    let done = completions(&suspending(), vec![write(0, 0), read(1_000, 1)]);
    assert_eq!(done[1], XFER + 20_000 + TR + XFER);
}

#[test]
fn a_program_that_stops_between_steps_works_on_to_the_end_of_its_step() {
    let mut setup = suspending();
    setup.device.suspend.program_step_ns = 70_000;
    // The array begins at XFER; the read comes in its second step, and another in its fourth, when it has gone on.
    let comes = XFER + 100_000;
    let (report, record) = record(&setup, vec![write(0, 0), read(comes, 1), read(comes + 200_000, 2)]);
    let first_stop = XFER + 140_000;
    let goes_on = first_stop + 20_000 + TR + XFER + 5_000;
    let done = comes + 200_000 - goes_on;
    assert!((70_000..140_000).contains(&done), "within a step");
    let second_stop = goes_on + 140_000;
    assert_eq!(
        record.completions()[1..],
        [first_stop + 20_000 + TR + XFER, second_stop + 20_000 + TR + XFER]
    );
    assert_eq!(record.completions()[0], XFER + TPROG + 2 * (20_000 + TR + XFER + 5_000), "no work is lost");
    let waits = (first_stop - comes) + (second_stop - comes - 200_000) + 2 * 20_000;
    assert_eq!(report.read.blame.mean.total_ns["die_wait.host_program"], u128::from(waits));
    // At the end of a step it stops at once.
    let done = completions(&setup, vec![write(0, 0), read(first_stop, 1)]);
    assert_eq!(done[1], first_stop + 20_000 + TR + XFER);
}

#[test]
fn an_erase_has_steps_of_its_own() {
    let suspend = SuspendConfig { program_step_ns: 70, erase_step_ns: 500, ..SuspendConfig::default() };
    assert_eq!([0, 1, 69, 70, 71].map(|done| suspend.to_next_step(false, done)), [0, 69, 1, 0, 69]);
    assert_eq!([0, 1, 499, 500].map(|done| suspend.to_next_step(true, done)), [0, 499, 1, 0]);
    assert_eq!(SuspendConfig::default().to_next_step(true, 123), 0);
}

#[test]
fn a_program_that_repeats_work_does_so_once_and_at_most_as_far_as_it_was() {
    let mut setup = suspending();
    setup.device.suspend.program_repeats_ns = 40_000;
    let around = 20_000 + TR + XFER + 5_000;
    let (report, record) = record(&setup, vec![write(0, 0), read(XFER + 100_000, 1)]);
    assert_eq!(record.completions(), [XFER + TPROG + around + 40_000, XFER + 100_000 + 20_000 + TR + XFER]);
    let write_blame = &report.write.blame.mean.total_ns;
    assert_eq!((write_blame["suspend"], write_blame["cell"]), (25_000 + 40_000, u128::from(TPROG)));
    // It had worked for less.
    let done = completions(&setup, vec![write(0, 0), read(XFER + 10_000, 1)]);
    assert_eq!(done[0], XFER + TPROG + around + 10_000);
    // Another read stops it at once while it repeats, and no more is lost.
    let again = XFER + 100_000 + around + 15_000;
    let done = completions(&setup, vec![write(0, 0), read(XFER + 100_000, 1), read(again, 2)]);
    assert_eq!(done[2], again + 20_000 + TR + XFER);
    assert_eq!(done[0], XFER + TPROG + 2 * around + 40_000);
}

#[test]
fn nothing_is_suspended_while_writes_wait_for_room() {
    let mut setup = suspending();
    setup.scheme.cache = CacheConfig {
        policy: CacheKind::WriteBuffer,
        bytes: CacheBytes::Bytes(setup.device.geometry.mapping_unit_bytes.into()),
        dirty_high: 0.0,
        ..CacheConfig::default()
    };
    // The buffer holds one unit, so the second write waits until the first is programmed.
    let requests = || vec![write(0, 0), write(1, 1), read(100_000, 2)];
    let suspended = |waiting| {
        let mut setup = setup.clone();
        setup.scheme.scheduler.suspends_below_waiting_writes = waiting;
        let (report, record) = record(&setup, requests());
        (report.flash.suspensions, record.completions()[2])
    };
    let at_once = 100_000 + 20_000 + TR + XFER;
    assert_eq!(suspended(None), (1, at_once));
    assert_eq!(suspended(Some(2)), (1, at_once));
    assert_eq!(suspended(Some(1)), (0, XFER + TPROG + TR + XFER));
}

#[test]
fn a_bound_of_no_waiting_writes_is_refused_by_its_key() {
    let mut setup = suspending();
    setup.scheme.scheduler.suspends_below_waiting_writes = Some(0);
    let error = setup.prepare(&[]).map(drop).unwrap_err().to_string();
    assert!(error.contains("scheduler.suspends_below_waiting_writes = 0: allowed: 1 to "), "{error}");
}

#[test]
fn suspensions_of_one_program_are_bounded() {
    let reads = [100_000, 300_000, 500_000].map(|time| read(time, 1));
    let (report, record) = record(&suspending(), [vec![write(0, 0)], reads.to_vec()].concat());
    assert_eq!(report.flash.suspensions, 2);
    let overhead = 20_000 + TR + XFER + 5_000;
    let write_done = XFER + TPROG + 2 * overhead;
    assert_eq!(record.completions()[0], write_done);
    assert_eq!(record.completions()[3], write_done + TR + XFER);
}

#[test]
fn nothing_is_suspended_with_less_left_than_a_suspension_takes() {
    let late = XFER + TPROG - 20_000;
    let (report, record) = record(&suspending(), vec![write(0, 0), read(late, 1)]);
    assert_eq!(report.flash.suspensions, 0);
    assert_eq!(record.completions()[1], XFER + TPROG + TR + XFER);
    let (report, _) = common::record(&suspending(), vec![write(0, 0), read(late - 1, 1)]);
    assert_eq!(report.flash.suspensions, 1);
}

#[test]
fn a_read_of_the_page_that_is_being_programmed_waits_for_it() {
    let (report, record) = record(&suspending(), vec![write(0, 0), read(100_000, 0)]);
    assert_eq!(report.flash.suspensions, 0);
    assert_eq!(record.completions(), [XFER + TPROG, XFER + TPROG + TR + XFER]);
}

#[test]
fn a_device_without_suspension_never_suspends() {
    let mut setup = suspending();
    setup.device.suspend = SuspendConfig::default();
    let (report, _) = record(&setup, vec![write(0, 0), read(100_000, 1)]);
    assert_eq!(report.flash.suspensions, 0);
}

/// Two planes, filled as superpages.
fn two_planes(rule: MultiPlaneRule) -> wordline_engine::Setup {
    let mut device = device(1, 1, 1, 2);
    device.multi_plane.rule = rule;
    setup(device)
}

#[test]
fn planes_read_together_at_the_same_block_and_page() {
    let setup = two_planes(MultiPlaneRule::SameBlockAndPage);
    let (report, record) = record(&setup, vec![request(0, HostOp::Read, 0, 2)]);
    assert_eq!(record.completions(), [TR + 2 * XFER]);
    assert_eq!((report.flash.reads, report.flash.transactions, report.flash.multi_plane), (2, 1, 1));
    let (report, record) = common::record(&setup, vec![read(0, 0), read(0, 3)]);
    assert_eq!(record.completions(), [TR + XFER, 2 * (TR + XFER)], "pages 0 and 3 differ in their row");
    assert_eq!(report.flash.multi_plane, 0);
}

#[test]
fn the_rule_for_planes_is_the_devices() {
    // A first read occupies the die, so that the two wait together; the time from its end to that of both.
    let both = |rule, pages: [u64; 2]| {
        let requests = vec![read(0, 128), read(1, pages[0]), read(2, pages[1])];
        let done = completions(&two_planes(rule), requests);
        done[2].max(done[1]) - done[0]
    };
    let (together, apart) = (TR + 2 * XFER, 2 * (TR + XFER));
    assert_eq!(both(MultiPlaneRule::None, [0, 1]), apart);
    // 16 pages a block, 2 planes: page 32 is page 0 of block 1.
    assert_eq!(both(MultiPlaneRule::SameBlockAndPage, [0, 33]), apart);
    assert_eq!(both(MultiPlaneRule::SamePage, [0, 33]), together);
    assert_eq!(both(MultiPlaneRule::SamePage, [0, 3]), apart);
    assert_eq!(both(MultiPlaneRule::Any, [0, 3]), together);
    assert_eq!(both(MultiPlaneRule::Any, [0, 2]), apart, "one plane can't do two things");
}

#[test]
fn planes_program_together_and_share_one_program_time() {
    let (report, record) =
        record(&two_planes(MultiPlaneRule::SameBlockAndPage), vec![request(0, HostOp::Write, 0, 2)]);
    assert_eq!(record.completions(), [2 * XFER + TPROG]);
    assert_eq!((report.flash.programs, report.flash.transactions), (2, 1));
}

/// Four logical pages of 4 KiB in a flash page of 16 KiB.
fn shared_pages() -> wordline_engine::Setup {
    let mut device = device(1, 1, 1, 1);
    device.geometry.page_bytes = 16384;
    setup(device)
}

#[test]
fn units_of_one_flash_page_that_wait_together_need_one_cell_read() {
    let done = completions(&shared_pages(), vec![read(0, 9), read(1, 0), read(2, 4), read(3, 2)]);
    let first = TR + XFER;
    assert_eq!(done, [first, first + TR + 2 * XFER, first + 2 * TR + 3 * XFER, first + TR + 2 * XFER]);
}

#[test]
fn a_request_for_a_whole_flash_page_is_one_read_and_one_program() {
    let setup = shared_pages();
    let (report, record) = record(&setup, vec![request(0, HostOp::Read, 4, 4)]);
    assert_eq!((record.completions()[0], report.flash.reads), (TR + 4 * XFER, 1));
    let (report, record) = common::record(&setup, vec![request(0, HostOp::Write, 4, 4)]);
    assert_eq!((record.completions()[0], report.flash.programs), (4 * XFER + TPROG, 1));
}

#[test]
fn a_lone_small_write_wastes_the_rest_of_its_flash_page() {
    let (report, _) = record(&shared_pages(), vec![write(0, 0), write(10_000_000, 1)]);
    assert_eq!((report.flash.programs, report.waf), (2, Some(4.0)));
}

#[test]
fn writes_that_wait_together_share_a_flash_page() {
    let (report, _) = record(&shared_pages(), (0..5).map(|page| write(0, page)).collect());
    assert_eq!(report.flash.programs, 2, "one that started at once, four that waited");
}

#[test]
fn a_part_of_a_page_is_read_modified_and_written() {
    let setup = setup(device(1, 1, 1, 1));
    let mut part = write(0, 3);
    (part.offset, part.length) = (3 * 4096 + 512, 1024);
    let (report, record) = record(&setup, vec![part]);
    assert_eq!(record.completions(), [TR + XFER + XFER + TPROG]);
    assert_eq!((report.flash.reads, report.flash.programs), (1, 1));
    let mut cut = read(0, 3);
    (cut.offset, cut.length) = (4 * 4096 - 512, 1024);
    let done = completions(&setup, vec![cut]);
    assert_eq!(done, [TR + 512 + TR + 512], "512 bytes of each of two pages of one die");
}

#[test]
fn a_closed_loop_thinks_between_requests() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.host = closed(1);
    setup.host.think_time_ns = 1_000;
    let one = TR + XFER;
    assert_eq!(completions(&setup, vec![read(0, 0), read(0, 1)]), [one, 2 * one + 1_000]);
}

#[test]
fn programs_of_a_block_never_pass_each_other_to_form_a_multi_plane_command() {
    for rule in [MultiPlaneRule::SamePage, MultiPlaneRule::SameBlockAndPage, MultiPlaneRule::Any] {
        let mut setup = two_planes(rule);
        setup.start = start(wordline_engine::config::run::Occupancy::None, 0.0);
        // Pages 0 and 2 go to plane 0; pages 1 and 3 to plane 1, where page 3 must not be programmed before page 1.
        let (_, record) =
            record(&setup, [0, 2, 1, 3].iter().zip(0..).map(|(&page, time)| write(time, page)).collect());
        let effects = record.events().into_iter().filter_map(|event| match event {
            Event::TookEffect { page, .. } => Some(page),
            _ => None,
        });
        let order: Vec<_> = effects.collect();
        let place = |page| order.iter().position(|&other| other == page);
        assert!(place(0) < place(2) && place(1) < place(3), "{rule:?} {order:?}");
    }
}

#[test]
fn the_window_ends_with_the_last_answer_although_collection_goes_on() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.start = start(wordline_engine::config::run::Occupancy::All, 3.0);
    setup.scheme.gc.trigger = 0.2;
    setup.scheme.gc.stop = Some(0.25);
    let mut drive = setup.prepare(&[]).unwrap();
    let mut writes = Listed((0..60).map(|page| write(0, page * 3)).collect());
    let outcome =
        wordline_engine::replay(&setup, &mut drive, &mut writes, &mut wordline_engine::Unobserved).unwrap();
    let report = outcome.report;
    assert!(drive.now().0 > report.window.end_ns, "collection went on");
    assert_eq!(report.write.latency_ns.max, report.window.end_ns, "all arrived at 0");
    assert_eq!(report.write.iops, 60.0 / (report.window.end_ns as f64 / 1e9));
}

#[test]
fn pages_of_one_request_start_in_order_on_their_dies() {
    let (_, record) = record(&setup(device(1, 4, 1, 1)), vec![request(0, HostOp::Read, 0, 4)]);
    let reads = record.events().into_iter().filter_map(|event| match event {
        Event::Read { page, .. } => Some(page),
        _ => None,
    });
    assert_eq!(reads.collect::<Vec<_>>(), [0, 1, 2, 3]);
}

#[test]
fn a_read_command_slips_in_before_the_data_of_others_unless_data_goes_first() {
    // Two dies read twice each: the second read of die 0 begins while the data of die 1 waits.
    let requests = vec![read(0, 0), read(0, 1), read(0, 2), read(0, 3)];
    let mut setup = setup(device(1, 2, 1, 1));
    setup.device.channel.read_command_ns = 100;
    let begins = |setup: &wordline_engine::Setup| {
        let (_, record) = record(setup, requests.clone());
        record.completions()[2]
    };
    // Commands at 0 and 100; cells until 50,100 and 50,200; data of die 0 until 54,196, then its next command.
    let early = 100 + TR + XFER + 100 + TR + XFER;
    assert_eq!(begins(&setup), early);
    setup.device.channel.arbitration = ChannelArbitration::DataOutFirst;
    assert_eq!(begins(&setup), early + XFER);
}

#[test]
fn a_warm_up_longer_than_the_workload_is_an_error() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.window.warmup_requests = 10;
    let error = run(&setup, &mut Listed(vec![read(0, 0)])).unwrap_err().to_string();
    assert!(error.contains("warm-up"), "{error}");
}

#[test]
fn rates_and_amplification_count_what_is_answered_in_the_window() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.window.warmup_requests = 30;
    let (report, _) = record(&setup, (0..40).map(|page| write(page, page)).collect());
    assert_eq!(
        (report.write.requests, report.waf),
        (10, Some(1.0)),
        "programs of the backlog are answered too"
    );
    let seconds = (report.window.end_ns - report.window.start_ns) as f64 / 1e9;
    assert_eq!(report.write.iops, 40.0 / seconds);
}

#[test]
fn a_channels_busy_time_counts_the_part_of_a_transfer_within_the_window() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.window.warmup_ns = TR + 96;
    let (report, _) = record(&setup, vec![read(0, 0), read(TR + 96, 1)]);
    assert_eq!(report.channels[0].busy_ns["host_read"], (XFER - 96) + XFER);
}

#[test]
fn a_unit_that_several_requests_want_moves_once() {
    let done = completions(&shared_pages(), vec![read(0, 9), read(1, 0), read(2, 0), read(3, 0)]);
    assert_eq!(done[3], (TR + XFER) + TR + XFER);
}

#[test]
fn a_read_whose_page_was_rewritten_keeps_its_place_in_the_queue() {
    let mut setup = setup(device(1, 1, 1, 1));
    setup.scheme.scheduler.policy = SchedulerKind::Fifo;
    let later = (0..10).map(|page| write(3, 100 + page));
    let requests = [write(0, 50), write(1, 0), read(2, 0)].into_iter().chain(later).collect();
    assert_eq!(completions(&setup, requests)[2], 2 * (XFER + TPROG) + TR + XFER);
}

#[test]
fn what_the_bound_let_go_first_is_not_suspended_by_those_it_passed() {
    let mut setup = suspending();
    setup.scheme.scheduler.starvation_bound_ns = Some(100_000);
    let reads = (0..20).map(|number| read(number * 40_000, number));
    let mut requests: Vec<_> = reads.chain([write(1_000, 30)]).collect();
    requests.sort_by_key(|request| request.time);
    let (report, record) = record(&setup, requests);
    assert_eq!(report.flash.suspensions, 0);
    // The write waits for the two reads that begin within its bound, and one that ends beyond it.
    assert_eq!(record.completions()[1], 2 * (TR + XFER) + XFER + TPROG);
}

#[test]
fn parts_of_one_page_are_written_one_after_the_other_without_waste() {
    let setup = setup(device(1, 4, 1, 1));
    let part = |number: u64| {
        let mut part = write(0, 3);
        (part.offset, part.length) = (3 * 4096 + number * 512, 512);
        part
    };
    let (report, record) = record(&setup, (0..8).map(part).collect());
    assert_eq!((report.flash.reads, report.flash.programs), (8, 8));
    let one = TR + XFER + XFER + TPROG;
    assert_eq!(record.completions(), (1..=8).map(|number| number * one).collect::<Vec<_>>());
    assert_eq!(
        report.write.blame.mean.total_ns["conflict"]
            + report.write.blame.mean.total_ns["die_wait.host_program"],
        (28 * one) as u128
    );
}

#[test]
fn dynamic_placement_keeps_the_units_of_a_flash_page_together() {
    let mut device = device(4, 1, 1, 1);
    device.geometry.page_bytes = 16384;
    let mut setup = setup(device);
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    let (report, _) = record(
        &setup,
        (0..20).map(|number| request(number * 1_000_000, HostOp::Write, number * 4, 4)).collect(),
    );
    assert_eq!((report.flash.programs, report.waf), (20, Some(1.0)));
}

#[test]
fn dynamic_placement_spreads_an_overload_over_all_planes() {
    let mut device = device(4, 1, 1, 1);
    device.capacity.overprovisioning = Some(0.2);
    let mut setup = setup(device);
    setup.scheme.placement.policy = PlacementKind::Dynamic;
    let mut random = Random(5);
    let mut requests = made(4000, |_| write(0, random.below(1600)));
    let report = run(&setup, &mut requests).unwrap();
    let busy: Vec<_> = report.dies.iter().map(|die| die.busy_ns["host_program"]).collect();
    let (least, most) = (busy.iter().min().unwrap(), busy.iter().max().unwrap());
    assert!(*most as f64 <= 1.3 * *least as f64, "{busy:?}");
}
