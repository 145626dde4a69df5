//! The link: commands, the pages of reads and writes, and requests that are split into commands, nanosecond by nanosecond.
#![allow(missing_docs)]

use crate::common::*;
use wordline_engine::config::cache::{CacheBytes, CacheKind};
use wordline_engine::config::device::*;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::*;
use wordline_engine::host::{HostOp, HostRequest};

#[test]
fn the_link_carries_one_command_at_a_time_each_way() {
    let mut device = device(2, 1, 1, 1);
    device.link = LinkConfig {
        bytes_per_s: Some(2_000_000_000),
        submission_ns: 100,
        completion_ns: 200,
        ..LinkConfig::default()
    };
    let setup = setup(device);
    let data = 2_048;
    let done = completions(&setup, vec![read(0, 0), read(0, 1)]);
    let first = 100 + TR + XFER + data + 200;
    assert_eq!(done, [first, first + data + 200]);
    let done = completions(&setup, vec![write(0, 0), write(0, 1)]);
    let first = 100 + data + XFER + TPROG + 200;
    assert_eq!(done, [first, first + 100 + data]);
}

#[test]
fn the_link_carries_the_pages_of_a_read_as_they_come_where_it_is_told_to() {
    let mut device = device(1, 2, 1, 1);
    let rest = 128;
    device.link = LinkConfig {
        bytes_per_s: Some(8_000_000_000),
        completion_ns: 200,
        read_data: LinkData::Page,
        ..LinkConfig::default()
    };
    let mut setup = setup(device);
    // Two dies read at the same time, and their data crosses the channel one after the other; of the second page a quarter.
    let two = HostRequest { length: 5_120, ..read(0, 0) };
    let channel = TR + XFER + XFER / 4;
    let (report, done) = record(&setup, vec![two]);
    assert_eq!(done.completions(), [channel + rest + 200]);
    assert_eq!(report.read.blame.mean.total_ns["link"], u128::from(rest + 200));
    // On a slow link the second page waits for the first.
    setup.device.link.bytes_per_s = Some(100_000_000);
    let (slow, slow_rest) = (40_960, 10_240);
    let done = completions(&setup, vec![two]);
    assert_eq!(done, [TR + XFER + slow + slow_rest + 200]);
    setup.device.link.read_data = LinkData::Request;
    let done = completions(&setup, vec![two]);
    assert_eq!(done, [channel + slow + slow_rest + 200]);
}

// Zeros of pages that the firmware looked up cross the link page by page; there was an answer before they had.
#[test]
fn a_read_of_zeros_is_answered_when_the_last_of_its_pages_has_crossed_the_link() {
    let mut device = device(1, 2, 1, 1);
    device.link =
        LinkConfig { bytes_per_s: Some(8_000_000_000), read_data: LinkData::Page, ..LinkConfig::default() };
    let mut setup = setup(device);
    setup.start = start(Occupancy::None, 0.0);
    setup.scheme.mapping.policy = MappingKind::Demand;
    for read_data in [LinkData::Page, LinkData::Request] {
        setup.device.link.read_data = read_data;
        let done = completions(&setup, vec![HostRequest { length: 3 * 4096, ..read(0, 0) }]);
        assert_eq!(done, [3 * 512], "{read_data:?}");
    }
}

/// Two channels behind a link of 2.048 GB/s that carries the pages of a write one by one, each in 2,000 ns, and a core that works
/// 1,000 ns for a write.
fn of_written_pages() -> wordline_engine::Setup {
    let mut device = device(2, 1, 1, 1);
    device.link = LinkConfig {
        bytes_per_s: Some(2_048_000_000),
        submission_ns: 100,
        completion_ns: 200,
        write_data: LinkData::Page,
        ..LinkConfig::default()
    };
    device.cpu.cores = 1;
    let mut setup = setup(device);
    setup.scheme.firmware.write_request_ns = 1_000;
    setup.start = start(Occupancy::None, 0.0);
    setup
}

#[test]
fn the_pages_of_a_write_cross_behind_the_work_for_its_command_and_are_programmed_as_they_come() {
    let setup = of_written_pages();
    // The second half of page 0, all of page 1, an eighth of page 2: pages 0 and 2 lie on one channel.
    let offset = 2_048;
    let (report, record) = record(&setup, vec![HostRequest { offset, length: 6_656, ..write(0, 0) }]);
    let first = 100 + 1_000 + 1_000;
    let [second, third] = [first + 2_000, first + 2_250];
    let effects = record.events().into_iter().filter_map(|event| match event {
        Event::TookEffect { page, at, .. } => Some((page, at)),
        _ => None,
    });
    // A page takes effect when its program begins: when it has come, and its die is free.
    let programmed = first + XFER + TPROG;
    assert_eq!(effects.collect::<Vec<_>>(), [(0, first), (1, second), (2, programmed)]);
    assert!(third < programmed);
    assert_eq!(record.completions(), [programmed + XFER + TPROG + 200]);
    assert_eq!((report.write.requests, report.write.bytes), (1, 6_656));
    let blame = &report.write.blame.mean.total_ns;
    assert_eq!((blame["link"], blame["cpu"]), (100 + 1_000 + 2_250 + 200, 1_000));
}

#[test]
fn a_command_may_pass_on_the_link_before_the_data_of_a_write_that_the_core_works_for() {
    let mut setup = of_written_pages();
    setup.start = start(Occupancy::All, 0.0);
    // The read's command crosses while the core works for the write, and that of the second write while the first one's data does.
    let requests = vec![request(0, HostOp::Write, 0, 2), request(500, HostOp::Read, 1, 1), write(1_500, 2)];
    let (_, record) = record(&setup, requests);
    let reads = record.events().into_iter().find_map(|event| match event {
        Event::Read { at, .. } => Some(at),
        _ => None,
    });
    assert_eq!(reads, Some(600));
    let data = 100 + 1_000;
    // The die of page 1 reads until then; the other write's data comes behind that of the first, its program behind that of page 0.
    let read = 600 + TR + XFER;
    let second = read.max(data + 4_000) + XFER + TPROG + 200;
    let other = data + 2_000 + 2 * (XFER + TPROG) + 200;
    assert_eq!(record.completions(), [second, read + 2_000 + 200, other]);
}

#[test]
fn a_write_of_one_page_takes_as_long_however_its_data_crosses() {
    let setup = of_written_pages();
    let alone = |setup: &wordline_engine::Setup| completions(setup, vec![write(0, 0)]);
    let mut together = of_written_pages();
    together.device.link.write_data = LinkData::Request;
    assert_eq!(alone(&setup), [100 + 2_000 + 1_000 + XFER + TPROG + 200]);
    assert_eq!(alone(&together), alone(&setup));
}

#[test]
fn the_commands_of_a_split_write_have_their_data_page_by_page_and_an_answer_each() {
    let mut setup = of_written_pages();
    setup.device.link.max_transfer_bytes = Some(8_192);
    let (report, record) = record(&setup, vec![request(0, HostOp::Write, 0, 3)]);
    // Commands at 100 and 200, the core at 1,100 and 2,100; page 2 comes behind pages 0 and 1, which take the link until 5,100.
    let programmed = 3_100 + XFER + TPROG;
    assert_eq!(record.completions(), [programmed + XFER + TPROG + 200]);
    assert_eq!((report.write.requests, report.cpu.unwrap().by_cost["write_request"].count), (1, 2));
    // The first command's answer crosses while the second waits for its program; told is the time of the second.
    assert_eq!(report.write.blame.mean.total_ns["link"], 200 + 3_000 + 2_000 + 200);
}

#[test]
fn a_buffer_takes_the_pages_of_a_write_as_they_come() {
    let mut setup = of_written_pages();
    setup.scheme.cache.policy = CacheKind::WriteBuffer;
    setup.scheme.cache.bytes = CacheBytes::Bytes(64 << 10);
    let (_, record) = record(&setup, vec![request(0, HostOp::Write, 0, 3)]);
    let effects = record.events().into_iter().filter_map(|event| match event {
        Event::TookEffect { page, at, .. } => Some((page, at)),
        _ => None,
    });
    assert_eq!(effects.collect::<Vec<_>>(), [(0, 3_100), (1, 5_100), (2, 7_100)]);
    assert_eq!(record.completions(), [7_300]);
}

/// Two channels and one core behind a link of 2 GB/s, whose commands carry two pages at most.
fn of_small_commands() -> wordline_engine::Setup {
    let mut device = device(2, 1, 1, 1);
    device.link = LinkConfig {
        bytes_per_s: Some(2_048_000_000),
        submission_ns: 100,
        completion_ns: 200,
        max_transfer_bytes: Some(8_192),
        ..LinkConfig::default()
    };
    device.cpu.cores = 1;
    setup(device)
}

#[test]
fn the_commands_of_a_split_request_cross_one_by_one_before_those_of_the_next() {
    let mut setup = of_small_commands();
    setup.scheme.firmware.read_request_ns = 1_000;
    // Pages 0 and 1, page 2; then page 3. Even pages lie on the one channel, odd ones on the other.
    let (report, record) = record(&setup, vec![request(0, HostOp::Read, 0, 3), read(50, 3)]);
    // They cross at 100, 200 and 300, and the core is through with them at 1,100, 2,100 and 3,100.
    let reads = record.events().into_iter().filter_map(|event| match event {
        Event::Read { id, page, at, .. } => Some((id, page, at)),
        _ => None,
    });
    let first = 1_100 + TR + XFER;
    let begin = [(0, 0, 1_100), (0, 1, 1_100), (0, 2, first), (1, 3, first)];
    assert_eq!(reads.collect::<Vec<_>>(), begin);
    // Two pages cross while the dies read what follows, page 2 and page 3 one after the other.
    let second = first + TR + XFER + 2_000 + 200;
    assert_eq!(record.completions(), [second, second + 2_000 + 200]);
    assert_eq!((report.read.requests, report.read.bytes), (2, 4 * 4_096));
    assert_eq!(report.cpu.unwrap().by_cost["read_request"].count, 3);
    // What the answer waited for is told of the last command.
    let blame = &report.read.blame.mean.total_ns;
    assert_eq!((blame["cpu"], blame["cpu_wait"]), (2 * 1_000, 900 + 1_800));
}

#[test]
fn a_split_write_is_answered_when_its_last_command_is() {
    let mut setup = of_small_commands();
    setup.scheme.firmware.write_request_ns = 1_000;
    setup.start = start(Occupancy::None, 0.0);
    // Two pages, and half of one that holds no data; then one whole page.
    let requests = vec![HostRequest { length: 10_240, ..write(0, 0) }, write(50, 3)];
    let (report, record) = record(&setup, requests);
    let (first, rest, other) = (100 + 4_000, 100 + 1_000, 100 + 2_000);
    // The second command waits for the first one's program, the other write for that of page 1.
    let programmed = first + 1_000 + XFER + TPROG;
    let half = programmed + XFER + TPROG + 200;
    assert!(first + rest + other + 1_000 < programmed);
    assert_eq!(record.completions(), [half, half + 200]);
    assert_eq!((report.write.requests, report.write.bytes), (2, 10_240 + 4_096));
}

#[test]
fn what_carries_no_data_is_one_command_however_long() {
    let setup = of_small_commands();
    let flush = HostRequest { length: 40_960, ..request(1_000, HostOp::Flush, 0, 0) };
    assert_eq!(completions(&setup, vec![request(0, HostOp::Trim, 0, 10), flush]), [300, 1_300]);
}

#[test]
fn two_commands_that_share_a_page_write_it_one_after_the_other() {
    let mut setup = of_small_commands();
    setup.device.link = LinkConfig { max_transfer_bytes: Some(4_096), ..LinkConfig::default() };
    // From the middle of page 0 to the middle of page 2: both commands write a half of page 1.
    let (_, record) = record(&setup, vec![HostRequest { offset: 2_048, ..request(0, HostOp::Write, 0, 2) }]);
    let pages = record.events().into_iter().filter_map(|event| match event {
        Event::TookEffect { page, .. } => Some(page),
        _ => None,
    });
    let mut pages: Vec<_> = pages.collect();
    pages.sort_unstable();
    assert_eq!(pages, [0, 1, 1, 2]);
}

#[test]
fn a_queue_of_one_place_holds_a_request_whatever_its_commands() {
    let mut setup = of_small_commands();
    setup.device.link = LinkConfig { max_transfer_bytes: Some(4_096), ..LinkConfig::default() };
    setup.host = closed(1);
    let two = |page| request(0, HostOp::Read, page, 2);
    assert_eq!(completions(&setup, vec![two(0), two(2)]), [TR + XFER, 2 * (TR + XFER)]);
}

#[test]
fn a_largest_command_that_is_no_number_of_units_is_refused_by_its_key() {
    for most in [0, 512, 6_144] {
        let mut setup = of_small_commands();
        setup.device.link.max_transfer_bytes = Some(most);
        let error = setup.prepare(&[]).map(drop).unwrap_err().to_string();
        let allowed = "allowed: a multiple of geometry.mapping_unit_bytes = 4096, at least one";
        assert!(error.contains(&format!("device.link.max_transfer_bytes = {most}: {allowed}")), "{error}");
    }
}
