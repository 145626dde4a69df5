//! VMware vscsi traces in the binary forms of CloudPhysics and libCacheSim, little endian, microseconds, blocks of 512
//! bytes, lengths in bytes:
//!
//! - version 1, 32 bytes: serial u32, length u32, segments u32, command u16, version u16, block u64, time u64;
//! - version 2, 40 bytes: command u16, version u16, serial u32, length u32, segments u32, block u64, time u64,
//!   response u64.
//!
//! The version is in the upper byte of its field. Commands are SCSI's: reads and writes of 6 to 16 bytes, and
//! SYNCHRONIZE CACHE, which flushes; others are passed over and counted.
//!
//! Described by libCacheSim's reader (traceReader/customizedReader/vscsi.h).

use std::io::Read;

use wordline_base::request::HostOp;

use super::records::{Order, RecordFault, Records};
use super::{Row, Rules, plausible};

/// Layout of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    One,
    Two,
}

impl Version {
    /// Bytes of a record.
    const fn bytes(self) -> usize {
        match self {
            Self::One => 32,
            Self::Two => 40,
        }
    }

    fn command(self, record: &[u8]) -> u16 {
        Order::Little.u16(record, if self == Self::One { 12 } else { 0 })
    }

    fn fits(self, record: &[u8]) -> bool {
        let (at, own) = if self == Self::One { (14, 1) } else { (2, 2) };
        Order::Little.u16(record, at) >> 8 == own && self.command(record) < 256
    }

    /// The version of which all of the first records are.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        [Self::One, Self::Two].into_iter().find(|version| {
            let mut records = head.chunks_exact(version.bytes()).take(16).peekable();
            records.peek().is_some() && records.all(|record| version.fits(record))
        })
    }
}

/// An open trace.
pub(crate) struct Vscsi<R> {
    records: Records<R>,
    version: Option<Version>,
    rules: Rules,
    left_out: u64,
}

impl<R: Read> Vscsi<R> {
    /// `head` is the beginning of what `input` will give.
    pub(crate) fn new(input: R, head: &[u8], rules: Rules) -> Self {
        Self { records: Records::new(input), version: Version::of(head), rules, left_out: 0 }
    }

    pub(crate) fn records(&self) -> &Records<R> {
        &self.records
    }

    /// Commands that were passed over since it was asked last.
    pub(crate) fn take_left_out(&mut self) -> u64 {
        std::mem::take(&mut self.left_out)
    }

    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, RecordFault> {
        loop {
            let version = self.version.unwrap_or(Version::One);
            let Some(record) = self.records.next(version.bytes())? else { return Ok(None) };
            let fits = version.fits(record);
            let found = row(record, version, &self.rules);
            if !fits {
                return Err(self.records.bad("a vscsi record of version 1 or 2".into(), false));
            }
            match found {
                None => return Err(self.records.bad("a block below 2^55".into(), false)),
                Some(None) => self.left_out += 1,
                Some(Some(row)) => {
                    return plausible(row)
                        .map(Some)
                        .map_err(|expected| self.records.bad(expected.into(), false));
                }
            }
        }
    }
}

/// `None` for an impossible block, `Some(None)` for a command that moves no data.
fn row(record: &[u8], version: Version, rules: &Rules) -> Option<Option<Row>> {
    let (length, block, moment) = match version {
        Version::One => (4, 16, 24),
        Version::Two => (8, 16, 24),
    };
    let op = match version.command(record) {
        0x08 | 0x28 | 0x88 | 0xa8 => HostOp::Read,
        0x0a | 0x2a | 0x8a | 0xaa => HostOp::Write,
        0x35 | 0x91 => HostOp::Flush,
        _ => return Some(None),
    };
    let time = u128::from(Order::Little.u64(record, moment)) * u128::from(rules.unit_ns);
    if op == HostOp::Flush {
        return Some(Some(Row { time, op, offset: 0, length: 0, device: 0, ..Row::EMPTY }));
    }
    let offset = Order::Little.u64(record, block).checked_mul(rules.offset_unit)?;
    let length = u64::from(Order::Little.u32(record, length)).checked_mul(rules.length_unit)?;
    Some(Some(Row { time, op, offset, length, device: 0, ..Row::EMPTY }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Form;
    use super::*;

    /// A record of version 1.
    pub fn one(command: u16, block: u64, length: u32, time: u64) -> Vec<u8> {
        let mut record = Vec::new();
        [7_u32, length, 1].iter().for_each(|word| record.extend(word.to_le_bytes()));
        [command, 0x100].iter().for_each(|word| record.extend(word.to_le_bytes()));
        [block, time].iter().for_each(|word| record.extend(word.to_le_bytes()));
        record
    }

    /// A record of version 2.
    pub fn two(command: u16, block: u64, length: u32, time: u64) -> Vec<u8> {
        let mut record = Vec::new();
        [command, 0x200].iter().for_each(|word| record.extend(word.to_le_bytes()));
        [7_u32, length, 1].iter().for_each(|word| record.extend(word.to_le_bytes()));
        [block, time, 5].iter().for_each(|word| record.extend(word.to_le_bytes()));
        record
    }

    fn rows(bytes: &[u8]) -> (Vec<Row>, u64, Option<RecordFault>) {
        let mut vscsi = Vscsi::new(bytes, bytes, Rules::of(Form::Vscsi));
        let mut rows = Vec::new();
        loop {
            match vscsi.next_row() {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => return (rows, vscsi.take_left_out(), None),
                Err(fault) => return (rows, vscsi.take_left_out(), Some(fault)),
            }
        }
    }

    #[test]
    fn both_versions_are_read_and_other_commands_counted() {
        for make in [one, two] {
            let bytes = [
                make(0x2a, 8, 512, 100),
                make(0x00, 0, 0, 101),
                make(0x88, 1 << 33, 65_536, 102),
                make(0x35, 0, 0, 103),
            ]
            .concat();
            let (rows, left_out, fault) = rows(&bytes);
            assert!(fault.is_none() && left_out == 1);
            let short: Vec<_> = rows.iter().map(|row| (row.time, row.op, row.offset, row.length)).collect();
            assert_eq!(
                short,
                [
                    (100_000, HostOp::Write, 4096, 512),
                    (102_000, HostOp::Read, 1 << 42, 65_536),
                    (103_000, HostOp::Flush, 0, 0),
                ]
            );
        }
    }

    #[test]
    fn what_is_no_record_is_a_fault_with_its_place() {
        let mut bytes = [one(0x2a, 8, 512, 100), one(0x2a, 8, 512, 100)].concat();
        bytes[32 + 15] = 9;
        let (found, _, fault) = rows(&bytes);
        let Some(RecordFault::Bad { place, .. }) = fault else { panic!("{fault:?}") };
        assert_eq!((found.len(), place.number, place.byte), (1, 2, 32));
        let (_, _, cut) = rows(&one(0x2a, 8, 512, 100)[..20]);
        assert!(matches!(cut, Some(RecordFault::Bad { last: true, .. })));
    }
}
