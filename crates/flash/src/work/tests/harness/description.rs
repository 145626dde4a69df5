//! The drive of the tests, and keys that change it.

use wordline_base::class::{Class, FlashOp};

/// Times of the drive below, ns. Of the array: tR, tPROG and tERASE.
pub const READ: u64 = 20_000;
pub const PROGRAM: u64 = 200_000;
pub const ERASE: u64 = 1_000_000;
/// Commands on the channel.
pub const READ_COMMAND: u64 = 100;
pub const PROGRAM_COMMAND: u64 = 300;
pub const ERASE_COMMAND: u64 = 50;
/// The data of a flash page.
pub const DATA: u64 = 4_000;

/// An operation of one flash page alone: 24,100, 204,300 and 1,000,050 ns.
pub const READ_ALONE: u64 = READ_COMMAND + READ + DATA;
pub const PROGRAM_ALONE: u64 = PROGRAM_COMMAND + DATA + PROGRAM;
pub const ERASE_ALONE: u64 = ERASE_COMMAND + ERASE;

/// Time on the channel before the array, in the array, and on the channel behind it, of an operation of one flash page.
pub fn parts(class: Class) -> [u64; 3] {
    match class.op() {
        FlashOp::Read => [READ_COMMAND, READ, DATA],
        FlashOp::Program => [PROGRAM_COMMAND + DATA, PROGRAM, 0],
        FlashOp::Erase => [ERASE_COMMAND, ERASE, 0],
    }
}

/// All of it.
pub fn alone(class: Class) -> u64 {
    parts(class).iter().sum()
}

/// Bytes of a flash page, which is one mapping unit.
pub const PAGE: u32 = 4096;

/// Two channels of two dies of two planes; 1,024 bytes take 1,000 ns.
pub const DEVICE: &str = r#"
name = "two by two by two"
description = "a drive for tests"
[geometry]
channels = 2
ways = 2
dies = 1
planes = 2
blocks = 16
pages = 16
page_bytes = 4096
spare_bytes = 0
mapping_unit_bytes = 4096
[capacity]
overprovisioning = 0.5
[cell]
technology = "slc"
read_ns = [20000]
program_ns = [200000]
erase_ns = 1000000
[channel]
mega_transfers_per_s = 1024
read_command_ns = 100
read_command_extra_plane_ns = 30
program_command_ns = 300
program_command_extra_plane_ns = 70
erase_command_ns = 50
erase_command_extra_plane_ns = 10
[multi_plane]
rule = "same_page"
[scheme.scheduler]
policy = "fifo"
"#;

/// Keys of a drive that suspends for reads of the host: in 5,000 ns a program, in 7,000 ns an erase, and 600 ns to go on.
pub const SUSPENDS: [(&str, &str); 4] = [
    ("device.suspend.program_ns", "5000"),
    ("device.suspend.erase_ns", "7000"),
    ("device.suspend.resume_ns", "600"),
    ("scheme.scheduler.policy", "read_first_suspend"),
];

/// Keys of a drive whose cells hold two bits, the pages of the second of which take twice the time; blocks may be in SLC mode.
pub const TWO_BITS: [(&str, &str); 4] = [
    ("device.cell.technology", "\"mlc\""),
    ("device.cell.read_ns", "[20000, 40000]"),
    ("device.cell.program_ns", "[200000, 400000]"),
    ("device.slc_mode", "{ read_ns = 15000, program_ns = 150000, erase_ns = 900000 }"),
];

/// The key of a drive whose flash pages have four mapping units, 1,000 ns each on the channel.
pub const FOUR_UNITS: (&str, &str) = ("device.geometry.mapping_unit_bytes", "1024");
