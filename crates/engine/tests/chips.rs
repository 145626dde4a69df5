//! Chips that take commands as one, what programs move, and the window that lasts until the drive is at rest.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use crate::common::{self, *};
use wordline_engine::config::MeasureConfig;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::*;
use wordline_engine::config::ideal::SecondServer;
use wordline_engine::config::measure::Until;
use wordline_engine::config::nand_modes::CacheModeConfig;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{PlacementOrder, SchedulerKind};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;
use wordline_engine::{RunError, Setup};

const COMMAND: u64 = 300;

/// One channel of chips with two dies of one plane. Page p lies on chip p mod `ways`, and there on die
/// (p / `ways`) mod 2.
fn chips(ways: u32) -> Setup {
    let mut device = device(1, ways, 2, 1);
    device.channel.commands = CommandTaker::Chip;
    device.channel.arbitration = ChannelArbitration::DataOutFirst;
    device.channel.read_command_ns = COMMAND;
    let mut setup = setup(device);
    setup.scheme.placement.order = PlacementOrder::try_from("WDCP".to_owned()).unwrap();
    setup
}

#[test]
fn a_chip_takes_one_command_for_each_die_back_to_back() {
    let done = completions(&chips(1), vec![read(0, 0), read(0, 1), read(0, 2)]);
    let first = COMMAND + TR + XFER;
    // The second die's cells are ready while the first one's data leaves. The third read waits for both.
    assert_eq!(done, [first, first + XFER, first + XFER + first]);
}

#[test]
fn a_chip_takes_no_command_while_one_of_its_dies_has_one() {
    let requests = vec![read(0, 0), read(1_000, 1)];
    let read_time = COMMAND + TR + XFER;
    assert_eq!(completions(&chips(1), requests.clone()), [read_time, 2 * read_time]);
    let mut apart = chips(1);
    apart.device.channel.commands = CommandTaker::Die;
    assert_eq!(completions(&apart, requests), [read_time, read_time + XFER]);
}

#[test]
fn chips_of_a_channel_have_turns_behind_data_that_leaves() {
    // Chip 0 begins; when its command has passed, chip 1 has the turn, then chip 2, then chip 0 again.
    let requests = vec![read(0, 0), read(0, 3), read(0, 6), read(0, 1), read(0, 2)];
    let done = completions(&chips(3), requests);
    let first = COMMAND + TR + XFER;
    let (third_chip, second_chip) = (first + 3 * XFER, first + 2 * XFER);
    assert_eq!((done[0], done[1]), (first, first + XFER));
    assert_eq!((done[3], done[4]), (second_chip, third_chip));
    // Chip 0's third read: its dies are free when their data has left, the channel only after that of the others.
    assert_eq!(done[2], third_chip + COMMAND + TR + XFER);
}

#[test]
fn a_chip_does_the_same_on_all_its_dies() {
    let mut setup = chips(1);
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirst;
    // While die 0 reads, a write for die 1 and a read for die 0 come: the chip reads again, then programs.
    let requests = vec![read(0, 0), write(1_000, 1), read(2_000, 2)];
    let read_time = COMMAND + TR + XFER;
    let done = completions(&setup, requests);
    assert_eq!(done, [read_time, 2 * read_time + XFER + TPROG, 2 * read_time]);
}

#[test]
fn the_wait_for_the_chip_is_blamed_on_it() {
    let (report, _) = record(&chips(1), vec![read(0, 0), read(1_000, 1)]);
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!(blame["chip"], u128::from(COMMAND + TR + XFER - 1_000));
}

#[test]
fn a_read_suspends_what_its_die_does_and_the_other_dies_of_the_chip_read_too() {
    let mut setup = chips(1);
    setup.device.suspend = SuspendConfig {
        program_ns: Some(20_000),
        erase_ns: None,
        resume_ns: 0,
        max_per_operation: 8,
        ..SuspendConfig::default()
    };
    setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
    let done = completions(&setup, vec![write(0, 0), read(100_000, 1), read(100_000, 2)]);
    let suspended = 100_000 + 20_000;
    assert_eq!(done[2], suspended + COMMAND + TR + XFER);
    assert_eq!(done[1], suspended + 2 * COMMAND + TR + 2 * XFER - COMMAND);
    assert!(done[0] > XFER + TPROG + 20_000 + TR);
}

/// Reads, writes and TRIMs all over a small drive under constant collection.
fn busy(setup: &mut Setup) -> Result<wordline_engine::stats::report::Report, RunError> {
    setup.start = start(Occupancy::All, 1.0);
    setup.host = closed(16);
    let units = setup.prepare(&[])?.logical_bytes() / 4096;
    let mut random = Random(9);
    let mut source = made(6_000, move |_| {
        let op = [HostOp::Read, HostOp::Write, HostOp::Write, HostOp::Trim][random.below(4) as usize];
        let page = random.below(units - 4);
        let (skip, length) = (512 * random.below(8), 512 * (1 + random.below(16)));
        HostRequest { offset: page * 4096 + skip, length, ..request(0, op, page, 1) }
    });
    run(setup, &mut source)
}

#[test]
fn everything_is_served_and_every_read_is_right_whatever_a_chip_can_do_beside() {
    for (copyback, suspends, written) in
        [(false, false, false), (true, false, true), (false, true, true), (true, true, false)]
    {
        let mut setup = chips(2);
        setup.device.geometry.planes = 2;
        setup.device.copyback.supported = copyback;
        setup.device.multi_plane.rule = MultiPlaneRule::SamePage;
        if written {
            setup.device.channel.program_data = ProgramData::Written;
        }
        if suspends {
            setup.device.suspend.program_ns = Some(10_000);
            setup.device.suspend.erase_ns = Some(10_000);
            setup.scheme.scheduler.policy = SchedulerKind::ReadFirstSuspend;
        }
        let report = busy(&mut setup).unwrap();
        assert!(report.gc.victims > 0, "collection was at work");
        assert_eq!(report.flash.suspensions > 0, suspends);
        assert_eq!(report.read.requests + report.write.requests + report.trim.requests, 6_000);
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let text = || serde_json::to_string(&busy(&mut chips(2)).unwrap()).unwrap();
    assert_eq!(text(), text());
}

#[test]
fn a_saved_run_of_chips_goes_on_as_if_it_had_never_stopped() {
    let mut setup = chips(2);
    setup.host = closed(8);
    setup.measure = MeasureConfig { chips: true, ..MeasureConfig::default() };
    let mut random = Random(3);
    let requests: Vec<_> = (0..600)
        .map(|_| if random.below(2) == 0 { read(0, random.below(400)) } else { write(0, random.below(400)) })
        .collect();
    let whole = in_parts(&setup, &requests, &[]).unwrap();
    assert_eq!(in_parts(&setup, &requests, &[after(100), after(333)]).unwrap(), whole);
}

#[test]
fn what_does_not_go_with_chips_is_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Setup)| {
        let mut setup = chips(1);
        change(&mut setup);
        setup.prepare(&[]).map(|_| ()).unwrap_err().to_string()
    };
    let arbitration = refused(&|setup| setup.device.channel.arbitration = ChannelArbitration::Fifo);
    assert!(arbitration.starts_with("device.channel.commands = \"chip\": allowed: \"die\", unless"));
    let registers =
        refused(&|setup| setup.device.cache_mode = CacheModeConfig { read: true, ..Default::default() });
    assert!(registers.ends_with("allowed: \"die\" beside cache_mode"), "{registers}");
    let ideal = refused(&|setup| setup.scheme.ideal.second_server = SecondServer::Die);
    assert!(ideal.ends_with("allowed: \"die\" beside scheme.ideal.second_server"), "{ideal}");
}

#[test]
fn a_program_moves_the_written_sectors_only_where_the_device_says_so() {
    let mut setup = chips(1);
    let part = HostRequest { length: 1024, ..write(0, 0) };
    setup.start = start(Occupancy::None, 0.0);
    assert_eq!(completions(&setup, vec![part]), [XFER + TPROG]);
    setup.device.channel.program_data = ProgramData::Written;
    assert_eq!(completions(&setup, vec![part]), [XFER / 4 + TPROG]);
    // What is merged comes from flash, the other sectors of the page only.
    setup.start = start(Occupancy::All, 0.0);
    let merged = COMMAND + TR + 3 * XFER / 4 + XFER / 4 + TPROG;
    assert_eq!(completions(&setup, vec![part]), [merged]);
}

fn cached() -> Setup {
    let mut setup = chips(1);
    setup.scheme.cache.policy = CacheKind::WriteBuffer;
    setup.scheme.cache.bytes = CacheBytes::Bytes(64 * 4096);
    (setup.scheme.cache.dirty_high, setup.scheme.cache.dirty_low) = (1.0, Some(1.0));
    setup.scheme.cache.cold_period_ns = Some(10_000_000);
    setup.measure.until = Until::Idle;
    setup
}

#[test]
fn the_first_write_of_a_page_in_a_period_goes_to_flash_and_its_further_ones_stay_in_the_cache() {
    let programs = |requests: Vec<HostRequest>| record(&cached(), requests).0.flash.programs;
    assert_eq!(programs(vec![write(0, 0)]), 1);
    assert_eq!(programs(vec![write(0, 0), write(2_000_000, 0), write(4_000_000, 0)]), 1);
    assert_eq!(programs(vec![write(0, 0), write(2_000_000, 0), write(12_000_000, 0)]), 2);
    assert_eq!(programs(vec![write(0, 0), write(1, 1), write(2, 2)]), 3);
}

#[test]
fn writes_wait_while_as_many_units_are_on_their_way_as_may_be() {
    let mut setup = cached();
    setup.scheme.cache.max_write_backs = 1;
    let done = completions(&setup, vec![write(0, 0), write(1, 1), write(2, 2)]);
    let program = XFER + TPROG;
    assert_eq!(done, [0, program, 2 * program]);
    setup.scheme.cache.max_write_backs = 0;
    assert_eq!(completions(&setup, vec![write(0, 0), write(1, 1), write(2, 2)]), [0, 1, 2]);
}

#[test]
fn a_window_until_idle_counts_what_ends_after_the_last_answer() {
    let mut setup = cached();
    let (report, _) = record(&setup, vec![write(0, 0), write(1, 1)]);
    assert_eq!((report.flash.programs, report.window.end_ns), (2, 2 * (XFER + TPROG)));
    setup.measure.until = Until::LastAnswer;
    let (report, _) = record(&setup, vec![write(0, 0), write(1, 1)]);
    assert_eq!((report.flash.programs, report.window.end_ns), (0, 1));
}

#[test]
fn nothing_is_submitted_after_the_stop_and_what_was_is_answered() {
    let mut setup = chips(1);
    setup.host = closed(2);
    setup.host.stop_ns = 1_000_000;
    let (report, record) = common::record_on(
        &setup,
        setup.prepare(&[]).unwrap(),
        &mut made(1 << 40, |number| read(0, number % 64)),
    )
    .unwrap();
    let arrived: Vec<_> = record
        .events()
        .into_iter()
        .filter_map(|event| if let Event::Arrived { at, .. } = event { Some(at) } else { None })
        .collect();
    assert_eq!(report.read.requests, arrived.len() as u64);
    assert!(arrived.iter().all(|&at| at <= 1_000_000));
    assert!(arrived.iter().any(|&at| at > 900_000));
    assert!(Ns(report.window.end_ns) > Ns(1_000_000));
}

#[test]
fn queues_and_times_of_chips_are_those_of_the_commands() {
    let mut setup = chips(1);
    setup.measure = MeasureConfig { chips: true, ..MeasureConfig::default() };
    let (report, _) = record(&setup, vec![read(0, 0), read(0, 1), read(0, 2), write(0, 3)]);
    let [chip] = &report.chips[..] else { panic!("one chip") };
    let reads = &chip.queues["host_read"];
    assert_eq!((reads.entered, reads.left, reads.commands, reads.max_length), (3, 3, 3, 3));
    let first = COMMAND + TR + XFER;
    assert_eq!(reads.max_wait_ns, first + XFER);
    assert_eq!(chip.queues["host_program"].commands, 1);
    assert_eq!(chip.transfer_ns, 3 * (COMMAND + XFER) + XFER);
    // Cells of the first two overlap but for a command, which passes while the other's cells work.
    assert_eq!(chip.array_ns, TR + COMMAND + TR + TPROG);
    assert_eq!(chip.both_ns, COMMAND + COMMAND);
}
