//! Every device preset against its closed forms: unloaded latency of each operation to the nanosecond, and peak
//! bandwidth of each shape (one die, one channel, the whole drive) as the least of its bottlenecks.
//!
//! The closed forms are written here anew from the values of the TOML, not taken from the engine.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests, where a panic is the failure")]

use std::fs;
use std::path::Path;

use crate::common::{self, *};
use wordline_engine::config::device::{
    CapacityConfig, ChannelArbitration, DeviceConfig, IndependentPlanes, LinkData, MultiPlaneRule,
    TransferUnit,
};
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::{Level, SchemeConfig, SuperblockSpan};
use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::host::{HostOp, HostRequest};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, Setup};

fn folder(kind: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../presets").join(kind)
}

/// Every device preset under the baseline scheme, with these overrides, and without what answers, gathers or puts elsewhere
/// what the host writes: the closed forms are those of native cells that are programmed page by page. Writes through
/// the firmware of `enterprise-tlc` are in `firmware.rs`. The time of the firmware itself is in `cpu.rs`.
fn presets(overrides: &[(&str, &str)]) -> Vec<(DeviceConfig, SchemeConfig)> {
    let scheme = fs::read_to_string(folder("schemes").join("baseline.toml")).unwrap();
    let mut files: Vec<_> =
        fs::read_dir(folder("devices")).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 11, "{files:?}");
    let overrides: Vec<_> =
        overrides.iter().map(|&(path, value)| (path.to_owned(), value.to_owned())).collect();
    files
        .iter()
        .map(|file| {
            let device =
                Layer::from_toml(&file.to_string_lossy(), &fs::read_to_string(file).unwrap()).unwrap();
            let with = |more: &[(&str, &str)]| {
                let more = more.iter().map(|&(path, value)| (path.to_owned(), value.to_owned()));
                let overrides: Vec<_> = overrides.iter().cloned().chain(more).collect();
                resolve_run(&device, &Layer::from_toml("baseline.toml", &scheme).unwrap(), &overrides)
                    .unwrap()
            };
            let mut plain = vec![
                ("scheme.slc_cache.policy", "none"),
                ("scheme.cache.policy", "none"),
                ("scheme.cache.max_writes", "0"),
                ("scheme.mapping.policy", "page"),
                ("scheme.mapping.host_memory", "false"),
                ("scheme.firmware.read_request_ns", "0"),
                ("scheme.firmware.write_request_ns", "0"),
                ("device.geometry.pages_per_program", "1"),
            ];
            if with(&plain).1.blocks.superblock == SuperblockSpan::Drive {
                plain.push(("scheme.blocks.superblock", "none"));
            }
            with(&plain)
        })
        .collect()
}

/// Times that follow from a description.
struct Closed<'a>(&'a DeviceConfig, &'a SchemeConfig);

impl Closed<'_> {
    fn units_per_page(&self) -> u64 {
        u64::from(self.0.geometry.page_bytes / self.0.geometry.mapping_unit_bytes)
    }

    /// Data of one flash page on the channel: with its share of the spare area if that moves.
    fn transfer(&self, bytes: u64) -> u64 {
        let (channel, geometry) = (&self.0.channel, &self.0.geometry);
        let page = u64::from(geometry.page_bytes);
        let data = if channel.transfer == TransferUnit::Page { page } else { bytes };
        let spare = if channel.transfer_spare { data * u64::from(geometry.spare_bytes) } else { 0 };
        let bits = 8 * (data + spare.div_ceil(page));
        let transfers = bits.div_ceil(u64::from(channel.width_bits));
        (transfers as f64 * 1000.0 / channel.mega_transfers_per_s).ceil() as u64
    }

    fn page_transfer(&self) -> u64 {
        self.transfer(u64::from(self.0.geometry.page_bytes))
    }

    /// Type of a page of a block: the exceptions at its start, then the pattern.
    fn page_type(&self, page: u64) -> usize {
        let (cell, page) = (&self.0.cell, page as usize);
        let exceptions = cell.first_pages.len();
        if page < exceptions {
            usize::from(cell.first_pages[page])
        } else if cell.page_types.is_empty() {
            (page - exceptions) % cell.technology.bits()
        } else {
            usize::from(cell.page_types[(page - exceptions) % cell.page_types.len()])
        }
    }

    fn by_type(&self, times: &[u64], page: u64) -> u64 {
        if times.len() == 1 { times[0] } else { times[self.page_type(page)] }
    }

    fn cell_read(&self, page: u64) -> u64 {
        self.by_type(&self.0.cell.read_ns, page)
    }

    fn cell_program(&self, page: u64) -> u64 {
        self.by_type(&self.0.cell.program_ns, page)
    }

    fn read_command(&self, planes: u64) -> u64 {
        self.0.channel.read_command_ns + (planes - 1) * self.0.channel.read_command_extra_plane_ns
    }

    fn program_command(&self, planes: u64) -> u64 {
        self.0.channel.program_command_ns + (planes - 1) * self.0.channel.program_command_extra_plane_ns
    }

    fn link_data(&self, bytes: u64) -> u64 {
        let data = |rate: u64| (u128::from(bytes) * 1_000_000_000).div_ceil(u128::from(rate)) as u64;
        self.0.link.bytes_per_s.map_or(0, data)
    }

    /// The data of a read of one flash page on the link: of whole units each of them, where it goes page by page.
    fn link_read_data(&self, bytes: u64) -> u64 {
        let unit = u64::from(self.0.geometry.mapping_unit_bytes);
        match self.0.link.read_data {
            LinkData::Request => self.link_data(bytes),
            LinkData::Page => bytes / unit * self.link_data(unit) + self.link_data(bytes % unit),
        }
    }

    fn read_latency(&self, page: u64, bytes: u64) -> u64 {
        let link = self.0.link.submission_ns + self.link_read_data(bytes) + self.0.link.completion_ns;
        link + self.read_command(1) + self.cell_read(page) + self.transfer(bytes)
    }

    fn write_latency(&self, page: u64, bytes: u64) -> u64 {
        let link = self.0.link.submission_ns + self.link_data(bytes) + self.0.link.completion_ns;
        link + self.program_command(1) + self.transfer(bytes) + self.cell_program(page)
    }

    /// Planes that one command reads or programs.
    fn planes_together(&self) -> u64 {
        if self.0.multi_plane.rule == MultiPlaneRule::None { 1 } else { u64::from(self.0.geometry.planes) }
    }

    /// Logical pages of the drive at row `row` of the plane at these places, on a drive filled in order.
    fn first_lpa(&self, row: u64, [channel, way, die, plane]: [u64; 4]) -> u64 {
        let geometry = &self.0.geometry;
        let (mut position, mut stride) = (0, 1);
        for level in self.1.placement.order.0 {
            let (digit, count) = match level {
                Level::Channel => (channel, geometry.channels),
                Level::Way => (way, geometry.ways),
                Level::Die => (die, geometry.dies),
                Level::Plane => (plane, geometry.planes),
            };
            position += digit * stride;
            stride *= u64::from(count);
        }
        (row * stride + position) * self.units_per_page()
    }

    fn setup(&self) -> Setup {
        // Auditing the whole map of a drive of terabytes would take longer than the run.
        Setup { device: self.0.clone(), scheme: self.1.clone(), kept: Kept::Nothing, ..setup(self.0.clone()) }
    }

    /// Bytes from a logical page on.
    fn request(&self, time: u64, op: HostOp, lpa: u64, length: u64) -> HostRequest {
        let offset = lpa * u64::from(self.0.geometry.mapping_unit_bytes);
        HostRequest { time: Ns(time), op, offset, length, flow: 0, stream: 0 }
    }
}

/// Time between requests that never meet.
const APART: u64 = 1_000_000_000;

fn latencies(setup: &Setup, requests: &[HostRequest]) -> Vec<u64> {
    let done = completions(setup, requests.to_vec());
    done.iter().zip(requests).map(|(done, request)| done - request.time.0).collect()
}

#[test]
fn an_unloaded_read_takes_the_closed_form_for_every_page_type_and_size() {
    for (device, scheme) in presets(&[]) {
        let closed = Closed(&device, &scheme);
        let (unit, page) =
            (u64::from(device.geometry.mapping_unit_bytes), u64::from(device.geometry.page_bytes));
        let rows =
            (0..24).chain([u64::from(device.geometry.pages) - 1, u64::from(device.geometry.pages) + 2]);
        let (mut requests, mut expected) = (Vec::new(), Vec::new());
        for (number, row) in rows.enumerate() {
            let geometry = &device.geometry;
            let place = [geometry.channels, geometry.ways, geometry.dies, geometry.planes]
                .map(|count| number as u64 % u64::from(count));
            let lpa = closed.first_lpa(row, place);
            for bytes in [512, unit, page] {
                let time = requests.len() as u64 * APART;
                requests.push(closed.request(time, HostOp::Read, lpa, bytes));
                expected.push(closed.read_latency(row % u64::from(geometry.pages), bytes));
            }
        }
        assert_eq!(latencies(&closed.setup(), &requests), expected, "{}", device.name);
    }
}

#[test]
fn an_unloaded_write_takes_the_closed_form_for_every_page_type() {
    for (device, scheme) in presets(&[]) {
        let closed = Closed(&device, &scheme);
        let unit = u64::from(device.geometry.mapping_unit_bytes);
        // A drive without data starts every block at its page 0; writes to one domain go on page by page.
        let mut setup = closed.setup();
        setup.start = start(Occupancy::None, 0.0);
        let width = match scheme.blocks.superblock {
            SuperblockSpan::None => 1,
            SuperblockSpan::Chip => device.geometry.dies * device.geometry.planes,
            other => panic!("{}: say how wide {other:?} is", device.name),
        };
        let (mut requests, mut expected) = (Vec::new(), Vec::new());
        for number in 0..24 {
            let bytes = if number % 2 == 0 { unit } else { u64::from(device.geometry.page_bytes) };
            let lpa = closed.first_lpa(number, [0; 4]);
            requests.push(closed.request(number * APART, HostOp::Write, lpa, bytes));
            expected.push(closed.write_latency(number / u64::from(width), bytes));
        }
        assert_eq!(latencies(&setup, &requests), expected, "{}", device.name);
    }
}

/// Commands of one flash page each, all on channels of their own: they follow each other as fast as the slower direction of the
/// link brings them.
#[test]
fn an_unloaded_request_that_is_split_takes_the_closed_form_of_its_commands() {
    let mut checked = 0;
    for (mut device, scheme) in presets(&[]) {
        if scheme.placement.order.0[0] != Level::Channel {
            continue;
        }
        let page = u64::from(device.geometry.page_bytes);
        device.link.max_transfer_bytes = Some(page);
        let closed = Closed(&device, &scheme);
        let [to_drive, to_host] = [device.link.submission_ns, device.link.completion_ns];
        let read_pace = to_drive.max(closed.link_read_data(page) + to_host);
        let write_pace = to_host.max(closed.link_data(page) + to_drive);
        // A drive without data starts every block at its page 0.
        let (full, mut empty) = (closed.setup(), closed.setup());
        empty.start = start(Occupancy::None, 0.0);
        let lpa = closed.first_lpa(0, [0; 4]);
        for commands in [1, 2, u64::from(device.geometry.channels)] {
            for (setup, op, one, pace) in [
                (&full, HostOp::Read, closed.read_latency(0, page), read_pace),
                (&empty, HostOp::Write, closed.write_latency(0, page), write_pace),
            ] {
                let request = closed.request(0, op, lpa, commands * page);
                let expected = one + (commands - 1) * pace;
                assert_eq!(latencies(setup, &[request]), [expected], "{} {op:?} {commands}", device.name);
            }
        }
        checked += 1;
    }
    assert!(checked >= 8, "{checked}");
}

#[test]
fn an_unloaded_erase_occupies_its_die_for_the_command_and_the_cell_time() {
    // The same dies with fewer and shorter blocks, so that collection starts soon. Every page is trimmed before, so
    // that collection is erases only.
    let small =
        [("device.geometry.blocks", "16"), ("device.geometry.pages", "8"), ("scheme.gc.trigger", "0.3")];
    for (mut device, scheme) in presets(&small) {
        device.capacity = CapacityConfig { overprovisioning: Some(0.5), user_bytes: None };
        let closed = Closed(&device, &scheme);
        let setup = Setup { kept: Kept::Checked, ..closed.setup() };
        let all = setup.logical_bytes().unwrap();
        let trim = HostRequest { time: Ns(0), op: HostOp::Trim, offset: 0, length: all, flow: 0, stream: 0 };
        let writes = (1..=400).map(|number| {
            let lpa = closed.first_lpa(number % 8, [0; 4]);
            closed.request(number * APART, HostOp::Write, lpa, u64::from(device.geometry.page_bytes))
        });
        let requests = [trim].into_iter().chain(writes).collect();
        let (report, _) = record(&setup, requests);
        let erases = &report.flash.by_class["gc_erase"];
        assert!(erases.transactions > 0, "{}", device.name);
        assert_eq!(
            erases.operations,
            erases.transactions * closed.planes_together().min(erases.operations / erases.transactions)
        );
        let channel = &device.channel;
        let further = (erases.operations - erases.transactions) * channel.erase_command_extra_plane_ns;
        let busy: u64 = report.dies.iter().map(|die| die.busy_ns["gc_erase"]).sum();
        let expected = erases.transactions * (channel.erase_command_ns + device.cell.erase_ns) + further;
        assert_eq!(busy, expected, "{}", device.name);
        let bus: u64 = report.channels.iter().map(|channel| channel.busy_ns["gc_erase"]).sum();
        assert_eq!(bus, erases.transactions * channel.erase_command_ns + further, "{}", device.name);
    }
}

/// A part of the drive that is loaded to its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Die,
    Channel,
    Drive,
}

impl Shape {
    /// Channels, ways and dies of a chip that take part.
    fn counts(self, device: &DeviceConfig) -> [u64; 3] {
        let geometry = &device.geometry;
        let [channels, ways, dies] = [geometry.channels, geometry.ways, geometry.dies].map(u64::from);
        match self {
            Self::Die => [1, 1, 1],
            Self::Channel => [1, ways, dies],
            Self::Drive => [channels, ways, dies],
        }
    }
}

/// Planes of a command: of a read one, where the dies of a channel keep it busy without any more, and a further one takes so
/// much more of it than a command of its own that it counts.
fn planes_at_once(closed: &Closed<'_>, op: HostOp, shape: Shape, row: u64) -> u64 {
    if servers_of_die(closed, op) > 1 {
        return 1;
    }
    let [_, ways, dies] = shape.counts(closed.0);
    let (all, data) = (closed.planes_together(), closed.page_transfer());
    let (own, beside) = (closed.read_command(1), ways * dies - 1);
    let dearer = (closed.read_command(2) - own).saturating_sub(own);
    let saturated = beside * (own + data) >= closed.cell_read(row);
    let counts = 50 * dearer * (all - 1) >= all * (own + data);
    if op == HostOp::Read && saturated && counts { 1 } else { all }
}

/// What takes commands of its own: a die, or each of its planes where they read apart.
fn servers_of_die(closed: &Closed<'_>, op: HostOp) -> u64 {
    let apart = op == HostOp::Read && closed.0.die.independent_planes == IndependentPlanes::Reads;
    if apart { closed.0.geometry.planes.into() } else { 1 }
}

/// Nanoseconds that a shape needs for one command of as many planes as it can take on each of its dies, or of their planes where those read
/// apart, by bottleneck.
///
/// `die`: command, cells and data of one, one after the other. `channel`: commands and data of all its dies. Where
/// commands don't go first, the next read of a die waits behind the data of the others (in order of arrival: as long as
/// all commands together are shorter than the data of one die, as in every preset), and the dies of a channel fall into
/// step: all commands, then the cells of all dies at once, then all data.
fn bottlenecks(closed: &Closed<'_>, op: HostOp, shape: Shape, row: u64) -> Bottlenecks {
    let planes = planes_at_once(closed, op, shape, row);
    let page = u64::from(closed.0.geometry.page_bytes);
    let data = planes * closed.page_transfer();
    let [channels, ways, dies] = shape.counts(closed.0);
    let on_channel = ways * dies * servers_of_die(closed, op);
    let link = &closed.0.link;
    let (command, cell, with_data, without) = match op {
        HostOp::Read => {
            (closed.read_command(planes), closed.cell_read(row), link.completion_ns, link.submission_ns)
        }
        _ => {
            (closed.program_command(planes), closed.cell_program(row), link.submission_ns, link.completion_ns)
        }
    };
    let in_step = op == HostOp::Read && closed.0.channel.arbitration != ChannelArbitration::CommandFirst;
    let cells = if in_step { (command + cell).max(on_channel * command) } else { on_channel * command };
    Bottlenecks {
        die: command + cell + data,
        channel: cells + on_channel * data,
        link: channels * on_channel * planes * (with_data + closed.link_data(page)).max(without),
    }
}

#[derive(Clone, Copy, Debug)]
struct Bottlenecks {
    die: u64,
    channel: u64,
    link: u64,
}

impl Bottlenecks {
    /// The peak bandwidth is the least of theirs, so the time is the longest.
    fn time(self) -> u64 {
        self.die.max(self.channel).max(self.link)
    }
}

/// Loads a shape with requests of one flash page each, row by row over its planes, and returns the time for
/// `rounds` of them over all its planes, in steady state.
fn measured(closed: &Closed<'_>, op: HostOp, shape: Shape, rows: &[u64], rounds: u64) -> u64 {
    let [channels, ways, dies] = shape.counts(closed.0);
    let planes = u64::from(closed.0.geometry.planes);
    let page = u64::from(closed.0.geometry.page_bytes);
    let round = channels * ways * dies * planes;
    let (warm, cool) = (12, 12);
    let setup = Setup { host: common::closed(8 * round as u32), ..closed.setup() };
    let mut places: Vec<[u64; 4]> = (0..round)
        .map(|index| {
            let (plane, rest) = (index % planes, index / planes);
            [rest % channels, rest / channels % ways, rest / channels / ways, plane]
        })
        .collect();
    places.sort_by_key(|&place| closed.first_lpa(0, place));
    let mut source = made((warm + rounds + cool) * round, |number| {
        let row = rows[(number / round) as usize % rows.len()];
        let lpa = closed.first_lpa(row, places[(number % round) as usize]);
        closed.request(0, op, lpa, page)
    });
    let (_, record) = record_on(&setup, setup.prepare(&[]).unwrap(), &mut source).unwrap();
    let mut times = record.completions();
    times.sort_unstable();
    times[((warm + rounds) * round) as usize] - times[(warm * round) as usize]
}

const ROUNDS: u64 = 24;

/// Two dies, no command time: the data of one is ready in the very nanosecond in which the other's has left.
const TIED: &str = "hotr-qlc";

/// Whether every preset, as it is and with each arbitration, on pages of each type, takes the time that its bottlenecks
/// give: one die to the nanosecond, the others to 0.1%.
fn check_peak(op: HostOp, shape: Shape, counts: impl Fn(&DeviceConfig) -> bool) {
    let arbitrations = ["command_first", "fifo", "data_out_first"];
    let others = arbitrations.map(|arbitration| presets(&[("device.channel.arbitration", arbitration)]));
    let all = presets(&[]).into_iter().chain(others.into_iter().flatten());
    let tolerance = if shape == Shape::Die { 0.0 } else { 0.001 };
    for (device, scheme) in all.filter(|(device, _)| counts(device)) {
        let closed = Closed(&device, &scheme);
        let times = if op == HostOp::Read { &device.cell.read_ns } else { &device.cell.program_ns };
        assert!(op == HostOp::Read || times.len() == 1, "programs go through pages of all types in turn");
        for kind in 0..times.len() {
            let of_kind = |&row: &u64| times.len() == 1 || closed.page_type(row) == kind;
            let rows: Vec<u64> = (0..u64::from(device.geometry.pages)).filter(of_kind).take(60).collect();
            let taken = planes_at_once(&closed, op, shape, rows[0]) * servers_of_die(&closed, op);
            let commands_for_a_row = u64::from(device.geometry.planes) / taken;
            let limit = bottlenecks(&closed, op, shape, rows[0]);
            let expected = limit.time() * commands_for_a_row * ROUNDS;
            let time = measured(&closed, op, shape, &rows, ROUNDS);
            let off = time.abs_diff(expected) as f64 / expected as f64;
            let what = format!("{} {:?} page type {kind}", device.name, device.channel.arbitration);
            assert!(off <= tolerance, "{what}: {op:?} {shape:?} {time} ns instead of {expected}, {limit:?}");
        }
    }
}

fn all(_: &DeviceConfig) -> bool {
    true
}

fn not_tied(device: &DeviceConfig) -> bool {
    device.name != TIED
}

#[test]
fn one_die_reads_at_the_closed_form() {
    check_peak(HostOp::Read, Shape::Die, all);
}

#[test]
fn one_channel_reads_at_the_closed_form() {
    check_peak(HostOp::Read, Shape::Channel, not_tied);
}

#[test]
fn the_drive_reads_at_the_closed_form() {
    check_peak(HostOp::Read, Shape::Drive, not_tied);
}

#[test]
fn one_die_programs_at_the_closed_form() {
    check_peak(HostOp::Write, Shape::Die, all);
}

#[test]
fn one_channel_programs_at_the_closed_form() {
    check_peak(HostOp::Write, Shape::Channel, all);
}

#[test]
fn the_drive_programs_at_the_closed_form() {
    check_peak(HostOp::Write, Shape::Drive, all);
}

#[test]
fn a_channel_that_is_wanted_by_two_dies_in_one_nanosecond_keeps_its_rule() {
    check_peak(HostOp::Read, Shape::Channel, |device| !not_tied(device));
    check_peak(HostOp::Read, Shape::Drive, |device| !not_tied(device));
}

#[test]
fn client_qlc_writes_at_the_published_peak_until_its_cache_is_full() {
    let file = folder("devices").join("client-qlc.toml");
    let layer = Layer::from_toml("client-qlc", &fs::read_to_string(file).unwrap()).unwrap();
    let (device, scheme) = resolve_run(&layer, &Layer::from_toml("none", "").unwrap(), &[]).unwrap();
    let mut setup = setup(device);
    (setup.scheme, setup.kept, setup.host) = (scheme, Kept::Nothing, closed(32));
    setup.start = start(Occupancy::None, 0.0);
    let length = 128 << 10;
    let fill = move |number| HostRequest {
        time: Ns::ZERO,
        op: HostOp::Write,
        offset: number * length,
        length,
        flow: 0,
        stream: 0,
    };
    let report = run(&setup, &mut made(20_000, fill)).unwrap();
    let cache = report.slc_cache.unwrap();
    assert_eq!(cache.direct_units, 0);
    // 8 dies of 4 planes: data-in and command, then the program in SLC mode.
    let closed_form = 8.0 * 65_536.0 / (64_249.0 + 110_500.0) * 1e9;
    assert!((report.write.bandwidth_bytes_per_s / closed_form - 1.0).abs() < 2e-3);
    assert!((closed_form / 3.0e9 - 1.0).abs() < 1e-3);
    // Empty: share × 683 blocks without what the spare capacity gives; at least 12 GB.
    assert_eq!(cache.min_units, 30 * 32 * 768 * 4);
}
